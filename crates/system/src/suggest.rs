//! Suggestions for misspelt names.

/// Advice for an unknown name: the nearest of the `known` names, or all of them. Another number is no slip: those that
/// differ in their numbers alone are listed.
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let short: String = name.chars().take(64).collect();
    let nearest = known.iter().map(|k| (distance(&short, k), *k)).min();
    let alike: Vec<&str> = known.iter().copied().filter(|k| shape(k) == shape(&short) && shape(k) != *k).collect();
    match nearest {
        Some(_) if alike.len() > 1 => one_of(&alike),
        Some((steps, near)) if steps <= 1 + near.chars().count() / 3 => format!("did you mean `{near}`?"),
        _ => one_of(&known),
    }
}

/// `a, b, c exist`, as text.
pub fn one_of(known: &[&str]) -> String {
    match known {
        [] => "nothing is to choose from here: leave it out".to_string(),
        [only] => format!("only `{only}` exists"),
        many => format!("there are {}", many.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")),
    }
}

/// A name with `#` for each digit.
fn shape(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect()
}

/// The edit distance of two names: insertions, deletions, replacements, and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let change = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_gets_the_list() {
        assert_eq!(suggest("tx_latncy", ["rx_latency", "tx_latency"]), "did you mean `tx_latency`?");
        assert_eq!(suggest("brid", ["bird", "board"]), "did you mean `bird`?");
        assert_eq!(suggest("zzzzzz", ["up", "down"]), "there are `up`, `down`");
        assert_eq!(suggest("", []), "nothing is to choose from here: leave it out");
    }

    #[test]
    fn is_another_number_no_slip() {
        let known = ["gen3-card", "gen4-card", "gen5-card", "gen5-host"];
        assert_eq!(suggest("gen6-card", known), "there are `gen3-card`, `gen4-card`, `gen5-card`");
        assert_eq!(suggest("gen3-crad", known), "did you mean `gen3-card`?");
        assert_eq!(suggest("gen6-host", known), "did you mean `gen5-host`?");
    }
}
