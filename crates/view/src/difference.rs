//! Why the limit differs, as text.

use lab::difference::{Difference, NEAR_PERCENT};

/// The reason: what decides, what is about as slow, and what a command takes longer in the simulation.
pub fn reason(of: &Difference) -> String {
    let decides = match of.about_as_slow.as_deref() {
        None => of.decides.clone(),
        Some([]) => format!("{}, nothing else within {NEAR_PERCENT} %", of.decides),
        Some(several) => {
            let near = several.iter().map(|(name, faster)| format!("{name} ({faster:+.1} %)")).collect::<Vec<_>>();
            format!("{}, about as slow as {}", of.decides, near.join(" and "))
        }
    };
    if of.is_of_the_model() {
        return format!("the simulation has it too: {decides}");
    }
    match of.of_a_command {
        Some((bytes, ns)) => {
            let word = if ns > 0.0 { "more" } else { "less" };
            format!("{decides}; simulated, a command of {bytes} takes {:.1} ns {word}", ns.abs())
        }
        None => decides,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcie::Bytes;

    fn difference(from_simulation: f64, about_as_slow: &[(&str, f64)]) -> Difference {
        let about_as_slow = about_as_slow.iter().map(|&(name, faster)| (name.to_string(), faster)).collect();
        Difference {
            predicted: 1.0,
            from_simulation,
            from_published: 2.0,
            decides: "host: a".into(),
            about_as_slow: Some(about_as_slow),
            of_a_command: Some((Bytes(1024), 37.04)),
        }
    }

    #[test]
    fn is_a_difference_that_the_simulation_has_too_told_from_one_that_only_the_limit_has() {
        assert_eq!(reason(&difference(0.1, &[])), "the simulation has it too: host: a, nothing else within 5 %");
        let two = [("card: b", 1.25), ("host: c", 4.0)];
        let text = reason(&difference(0.9, &two));
        assert!(
            text.starts_with("host: a, about as slow as card: b (+1.2 %) and host: c (+4.0 %); simulated"),
            "{text}"
        );
        assert!(text.ends_with("a command of 1 KiB takes 37.0 ns more"), "{text}");
    }

    #[test]
    fn has_a_latency_no_rows() {
        let latency = Difference { about_as_slow: None, of_a_command: None, ..difference(3.0, &[]) };
        assert_eq!(reason(&latency), "host: a");
    }
}
