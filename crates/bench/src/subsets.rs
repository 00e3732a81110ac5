//! Which drives run at once: each alone, those that share a bridge, pairs of these, and all.

/// Pairs that are run at most: more say nothing new, and take long.
const MOST_PAIRS: usize = 15;

/// The subsets of drives with these names, by their ways: the bridges from the root to each drive, which is the last. Empty
/// where the way is not known.
pub fn subsets(names: &[String], ways: &[Vec<String>]) -> Vec<(String, Vec<usize>)> {
    let all: Vec<usize> = (0..names.len()).collect();
    let mut found: Vec<(String, Vec<usize>)> =
        names.iter().zip(&all).map(|(name, &at)| (name.clone(), vec![at])).collect();
    let mut add = |name: String, drives: Vec<usize>| {
        let new = drives.len() > 1 && !found.iter().any(|(_, known)| *known == drives);
        if new {
            found.push((name, drives));
        }
    };
    let below = |bridge: &String| -> Vec<usize> {
        all.iter().copied().filter(|&at| ways.get(at).is_some_and(|way| way.contains(bridge))).collect()
    };
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for bridge in ways.iter().flatten() {
        let drives = below(bridge);
        let new = drives.len() > 1 && !groups.iter().any(|(known, other)| known == bridge || *other == drives);
        if new {
            groups.push((bridge.clone(), drives));
        }
    }
    for (_, drives) in &groups {
        let pairs =
            drives.iter().enumerate().flat_map(|(n, &one)| drives[n + 1..].iter().map(move |&other| [one, other]));
        for pair in pairs.take(MOST_PAIRS) {
            add(format!("{} + {}", names[pair[0]], names[pair[1]]), pair.to_vec());
        }
    }
    for (bridge, drives) in groups {
        if drives.len() < names.len() {
            add(format!("below {bridge}"), drives);
        }
    }
    add("all".into(), all);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ways: &[&[&str]]) -> Vec<String> {
        let names: Vec<String> = (0..ways.len()).map(|n| format!("d{n}")).collect();
        let ways: Vec<Vec<String>> = ways.iter().map(|way| way.iter().map(ToString::to_string).collect()).collect();
        let told = |(name, drives): (String, Vec<usize>)| {
            format!("{name}={}", drives.iter().map(ToString::to_string).collect::<String>())
        };
        subsets(&names, &ways).into_iter().map(told).collect()
    }

    #[test]
    fn do_drives_that_share_a_bridge_run_in_pairs_and_as_a_group() {
        assert_eq!(of(&[&["r", "a"]]), ["d0=0"]);
        assert_eq!(of(&[&["r", "a"], &["s", "b"]]), ["d0=0", "d1=1", "all=01"], "they share nothing");
        assert_eq!(of(&[&["r", "a"], &["r", "b"]]), ["d0=0", "d1=1", "d0 + d1=01"], "all of them are a pair");
        let switch: [&[&str]; 4] = [&["r", "u", "a"], &["r", "u", "b"], &["r", "u", "c"], &["s", "d"]];
        let expected =
            ["d0=0", "d1=1", "d2=2", "d3=3", "d0 + d1=01", "d0 + d2=02", "d1 + d2=12", "below r=012", "all=0123"];
        assert_eq!(of(&switch), expected);
        assert_eq!(of(&[&[], &[]]), ["d0=0", "d1=1", "all=01"], "nothing is known of their ways");
    }

    #[test]
    fn are_pairs_of_many_drives_few() {
        let way: &[&str] = &["r", "x"];
        assert_eq!(of(&[way; 24]).len(), 24 + MOST_PAIRS + 1);
    }
}
