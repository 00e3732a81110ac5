//! Max_Payload_Size and Max_Read_Request_Size: by policy, by hand, and raised along a path as `setpci` would.

use crate::amend::{MPS, MRRS};
use crate::error::{Error, Problem};
use crate::field::FieldType;
use crate::figure::{Figure, Origin};
use crate::graph::{PartId, System};
use crate::settle::{MpsPolicy, PartDraft, Settings};
use crate::source::Place;
use pcie::PayloadSize;
use std::collections::BTreeMap;

/// Settles MPS of every part.
pub(crate) fn settle(
    system: &mut System,
    parts: &[PartDraft],
    settings: &Settings,
    place: Option<&Place>,
) -> Result<(), Error> {
    let of_trees = least_of_trees(system);
    for (number, draft) in parts.iter().enumerate() {
        let part = PartId(number);
        let (mps, why) = match (&draft.mps, settings.mps.0) {
            (Some((size, place)), _) => (by_hand(system, part, *size, place)?, "by hand, as with setpci".to_string()),
            (None, Some(size)) => {
                let place = place.unwrap_or(&draft.place);
                (by_hand(system, part, size, place)?, "by hand, as with setpci".to_string())
            }
            (None, None) => policy(system, part, settings.mps_policy, &of_trees),
        };
        system.graph.parts[number].mps = mps;
        note(system, part, MPS, mps, why);
    }
    Ok(())
}

/// Settles MRRS of every part.
pub(crate) fn settle_requests(system: &mut System, parts: &[PartDraft], all: PayloadSize, origin: Option<&Origin>) {
    for (number, draft) in parts.iter().enumerate() {
        let (mrrs, why) = match (&draft.mrrs, origin) {
            (Some((size, _)), _) => (*size, "by hand, as with setpci".to_string()),
            (None, None) => (all, "the standard's value after reset".to_string()),
            (None, Some(origin)) => (all, format!("settings, {origin}")),
        };
        system.graph.parts[number].mrrs = mrrs;
        if system.parts[number].kind.is_endpoint() {
            note(system, PartId(number), MRRS, mrrs, why);
        }
    }
}

/// Lists a settled size, in place of what was listed before.
fn note(system: &mut System, part: PartId, field: &'static str, size: PayloadSize, why: String) {
    system.graph.parts[part.0].list(Figure { field, value: size.print(), origin: Origin::Settled(why) });
}

fn by_hand(system: &System, part: PartId, size: PayloadSize, place: &Place) -> Result<PayloadSize, Error> {
    let part = system.part(part);
    if size <= part.habits.mps {
        return Ok(size);
    }
    let problem = Problem::Mps(format!("MPS {size} is more than `{}` supports: {}", part.name, part.habits.mps));
    Err(Error::new(place, problem, format!("write at most {} B", part.habits.mps)))
}

/// The part below each host that supports the least.
fn least_of_trees(system: &System) -> BTreeMap<PartId, PartId> {
    let mut trees = BTreeMap::new();
    for part in (0..system.parts.len()).map(PartId) {
        for host in system.hosts_of(part) {
            let least = trees.entry(host).or_insert(part);
            if system.part(part).habits.mps < system.part(*least).habits.mps {
                *least = part;
            }
        }
    }
    trees
}

/// What firmware sets of `part`: the least of the trees that it belongs to, or of its ways up.
fn policy(
    system: &System,
    part: PartId,
    policy: MpsPolicy,
    of_trees: &BTreeMap<PartId, PartId>,
) -> (PayloadSize, String) {
    let up = || {
        let above = system.ways_up(part).concat().into_iter().map(|(_, upper)| upper);
        std::iter::once(part).chain(above).collect::<Vec<_>>()
    };
    let own_trees = || {
        let own: Vec<PartId> = system.hosts_of(part).filter_map(|host| of_trees.get(&host).copied()).collect();
        least(system, &own)
    };
    let (mps, who) = match policy {
        MpsPolicy::TreeMinimum => own_trees(),
        MpsPolicy::Path => least(system, &up()),
    };
    let own = system.part(part).habits.mps;
    let scope = match policy {
        MpsPolicy::TreeMinimum => "the tree's minimum",
        MpsPolicy::Path => "the least up to the host",
    };
    let why = if mps < own { format!("{mps} of {own}: {scope} is that of {who}") } else { scope.to_string() };
    (mps, why)
}

/// The least that any of `parts` supports, and who.
fn least(system: &System, parts: &[PartId]) -> (PayloadSize, String) {
    let who = parts.iter().min_by_key(|&&p| system.part(p).habits.mps).map(|&p| system.part(p));
    who.map_or((PayloadSize::MIN, String::new()), |p| (p.habits.mps, p.name.clone()))
}

/// The parts that a TLP between two parts meets, themselves included.
fn along(system: &System, from: PartId, to: PartId) -> Vec<PartId> {
    let path = system.path(from, to);
    let mut parts = vec![from];
    parts.extend(path.into_iter().map(|direction| system.port(system.ends(direction).1).part));
    parts
}

/// Raises MPS of all parts between two so that `payload` passes, as `setpci` would: of which it was less.
///
/// # Errors
/// The name and limit of the least part, where that does not support it; nothing is changed then.
pub(crate) fn raise(
    system: &mut System,
    (from, to): (PartId, PartId),
    payload: u64,
    why: &str,
) -> Result<Vec<PartId>, (String, PayloadSize)> {
    let parts = along(system, from, to);
    let (limit, who) = least(system, &parts);
    let size = PayloadSize::holding(payload).filter(|&size| size <= limit).ok_or((who, limit))?;
    let less: Vec<PartId> = parts.into_iter().filter(|&part| system.part(part).mps < size).collect();
    for &part in &less {
        system.graph.parts[part.0].mps = size;
        note(system, part, MPS, size, format!("raised for {why}, as with setpci"));
    }
    Ok(less)
}
