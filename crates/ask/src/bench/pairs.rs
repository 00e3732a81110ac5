//! Pairs of cards of which one writes to the other's window.

use crate::error::Complaint;
use bench::{Direction, Drive, Pair};

/// What the host has to do with frames that go from card to card: nothing, give them to the sending card, or take them from the
/// other one as well.
const WHO: [(&str, bool, bool); 3] = [("design", false, false), ("give", true, false), ("give,take", true, true)];

/// The card of a channel, as in `lanescope0`.
pub fn card(drive: &Drive) -> &str {
    card_of(&drive.name)
}

fn card_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(card, _)| card)
}

/// Each card to each other one.
pub(super) fn pairs(who: &str, drives: &[Drive]) -> Result<Vec<Pair>, Complaint> {
    let names: Vec<(&str, Option<Direction>)> =
        drives.iter().map(|drive| (drive.name.as_str(), drive.direction())).collect();
    between(who, &names)
}

/// The same of the names of channels, and where their data goes.
fn between(who: &str, drives: &[(&str, Option<Direction>)]) -> Result<Vec<Pair>, Complaint> {
    let words: String = who.split_whitespace().collect();
    let Some((_, gives, takes)) = WHO.into_iter().find(|(word, ..)| *word == words) else {
        return Err(Complaint::new(format!("--peers does not take `{who}`"), "write design, give, or give,take"));
    };
    let mut cards: Vec<&str> = drives.iter().map(|(name, _)| card_of(name)).collect();
    cards.sort_unstable();
    cards.dedup();
    if cards.len() < 2 {
        return Err(Complaint::new(
            "--peers wants two cards at least",
            "name them, as in /dev/lanescope0 /dev/lanescope1",
        ));
    }
    let of = |name: &str, way: Direction| {
        let found = (0..drives.len()).filter(|&at| card_of(drives[at].0) == name && drives[at].1 == Some(way));
        let found: Vec<usize> = found.collect();
        let why = || format!("--peers wants channels of both directions, and {name} is not named with them");
        if found.is_empty() { Err(Complaint::new(why(), "name the card itself")) } else { Ok(found) }
    };
    let mut pairs = Vec::new();
    for (one, other) in cards.iter().flat_map(|one| cards.iter().map(move |other| (one, other))) {
        if one == other {
            continue;
        }
        let from = of(one, Direction::ToHost)?[0];
        let give =
            of(one, Direction::ToCard)?.into_iter().find(|&at| drives[at].0 == drives[from].0.replace("c2h", "h2c"));
        if gives && give.is_none() {
            let why = format!("--peers={words}, and {} has no channel to the card of its number", drives[from].0);
            return Err(Complaint::new(why, "name the card itself"));
        }
        let take = of(other, Direction::ToHost)?.last().copied().filter(|_| takes);
        let to = of(other, Direction::ToCard)?[0];
        pairs.push(Pair { name: format!("{one} -> {other}"), from, to, give: give.filter(|_| gives), take });
    }
    Ok(pairs)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    fn told(who: &str, names: &[&str]) -> String {
        let way = |name: &str| if name.contains("c2h") { Direction::ToHost } else { Direction::ToCard };
        let drives: Vec<_> = names.iter().map(|&name| (name, Some(way(name)))).collect();
        match between(who, &drives) {
            Err(complaint) => complaint.to_string(),
            Ok(pairs) => {
                let one = |pair: &Pair| {
                    let at = |at: Option<usize>| at.map_or("-", |at| names[at]);
                    let [from, to, give, take] = [Some(pair.from), Some(pair.to), pair.give, pair.take].map(at);
                    format!("{}: {from} {to} {give} {take}", pair.name)
                };
                pairs.iter().map(one).collect::<Vec<_>>().join("\n")
            }
        }
    }

    #[test]
    fn does_each_card_write_to_each_other_one_and_the_host_give_and_take_as_it_is_asked() {
        let two = ["a/c2h0", "a/h2c0", "a/c2h1", "a/h2c1", "b/c2h0", "b/h2c0", "b/c2h1", "b/h2c1"];
        let expected = "a -> b: a/c2h0 b/h2c0 a/h2c0 b/c2h1\nb -> a: b/c2h0 a/h2c0 b/h2c0 a/c2h1";
        assert_eq!(told("give, take", &two), expected);
        assert_eq!(told("give", &two).lines().next(), Some("a -> b: a/c2h0 b/h2c0 a/h2c0 -"));
        assert_eq!(told("design", &two).lines().next(), Some("a -> b: a/c2h0 b/h2c0 - -"));
        let three = [&two[..], &["c/c2h0", "c/h2c0"]].concat();
        let names = told("design", &three).lines().map(|line| line[..6].to_string()).collect::<Vec<_>>();
        assert_eq!(names, ["a -> b", "a -> c", "b -> a", "b -> c", "c -> a", "c -> b"]);
    }

    #[test]
    fn is_what_makes_no_pair_refused_with_what_would() {
        assert_eq!(told("take", &["a/c2h0", "b/h2c0"]), "--peers does not take `take`");
        assert_eq!(told("design", &["a/c2h0", "a/h2c0"]), "--peers wants two cards at least");
        let one_way = told("design", &["a/c2h0", "b/c2h0", "b/h2c0"]);
        assert_eq!(one_way, "--peers wants channels of both directions, and a is not named with them");
        let other = told("give", &["a/c2h0", "a/h2c1", "b/c2h0", "b/h2c0"]);
        assert_eq!(other, "--peers=give, and a/c2h0 has no channel to the card of its number");
    }
}
