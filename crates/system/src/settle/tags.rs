//! Tags: the width that both the requester and its host support.

use crate::amend::TAGS;
use crate::figure::{Figure, Origin};
use crate::graph::{PartId, System};

/// Settles the tags of all parts. The enabled width is the least of the card and of its host (of all its hosts, for
/// several ports), which completes nearly all its requests.
pub(crate) fn settle(system: &mut System) {
    let answers = |host: PartId| (system.part(host).habits.completer_tag_bits, system.part(host).name.clone());
    let least = |part: usize| system.hosts_of(PartId(part)).map(answers).min_by_key(|(bits, _)| bits.tags());
    let completers: Vec<_> = (0..system.parts.len()).map(least).collect();
    for (part, completer) in system.graph.parts.iter_mut().zip(completers) {
        let Some(completer) = completer else { continue };
        let Some(own) = part.kind.tag_bits() else {
            // A CPU's reads are told apart by the root complex: as many as it answers.
            part.tags = completer.0.tags();
            continue;
        };
        let settled = own.min(completer.0);
        part.tags = settled.tags();
        let why = match settled == own {
            true => "all that the card has".to_string(),
            false => format!("of {}: {} answers no more", own.tags(), completer.1),
        };
        part.list(Figure { field: TAGS, value: part.tags.to_string(), origin: Origin::Settled(why) });
    }
}
