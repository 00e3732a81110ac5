//! Pairs of cards of which one writes to the other's window.

use crate::error::Complaint;
use bench::{Direction, Drive, Pair};

/// What the host has to do with frames that go from card to card: nothing, give them to the sending card, or take them from the
/// other one as well.
const WHO: [(&str, bool, bool); 3] = [("design", false, false), ("give", true, false), ("give,take", true, true)];

/// The card of a channel, as in `lanescope0`.
pub fn card(drive: &Drive) -> &str {
    drive.name.rsplit_once('/').map_or("", |(card, _)| card)
}

/// Each card to each other one.
pub(super) fn pairs(who: &str, drives: &[Drive]) -> Result<Vec<Pair>, Complaint> {
    let words: String = who.split_whitespace().collect();
    let Some((_, gives, takes)) = WHO.into_iter().find(|(word, ..)| *word == words) else {
        return Err(Complaint::new(format!("--peers does not take `{who}`"), "write design, give, or give,take"));
    };
    let mut cards: Vec<&str> = drives.iter().map(card).collect();
    cards.dedup();
    if cards.len() < 2 {
        return Err(Complaint::new(
            "--peers wants two cards at least",
            "name them, as in /dev/lanescope0 /dev/lanescope1",
        ));
    }
    let of = |name: &str, way: Direction| {
        let found = (0..drives.len()).filter(|&at| card(&drives[at]) == name && drives[at].direction() == Some(way));
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
        let give = of(one, Direction::ToCard)?.into_iter().find(|&at| drives[at].is_opposite(&drives[from]));
        if gives && give.is_none() {
            let why = format!("--peers={words}, and {} has no channel to the card of its number", drives[from].name);
            return Err(Complaint::new(why, "name the card itself"));
        }
        let take = of(other, Direction::ToHost)?.last().copied().filter(|_| takes);
        let to = of(other, Direction::ToCard)?[0];
        pairs.push(Pair { name: format!("{one} -> {other}"), from, to, give: give.filter(|_| gives), take });
    }
    Ok(pairs)
}
