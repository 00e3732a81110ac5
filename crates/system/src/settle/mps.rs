//! Max_Payload_Size and Max_Read_Request_Size: by policy, by hand, and raised along a path as `setpci` would.
//!
//! Device Control is a register of each function, so each port of a host or switch has a Max_Payload_Size. It is that
//! of its part, unless the port supports a different size or was set by hand.

use crate::amend::{MPS, MRRS};
use crate::error::{Error, Problem};
use crate::field::FieldType;
use crate::figure::{Figure, Origin};
use crate::graph::{PartId, PortId, System};
use crate::settle::{MpsPolicy, PartDraft, Settings};
use crate::source::Place;
use pcie::PayloadSize;
use std::collections::BTreeMap;

const BY_HAND: &str = "by hand, as with setpci";

/// Settles the MPS of all parts and ports.
pub(crate) fn settle(
    system: &mut System,
    parts: &[PartDraft],
    settings: &Settings,
    place: Option<&Place>,
) -> Result<(), Error> {
    let trees = least_of_trees(system);
    let by = (settings.mps_policy, &trees);
    for (number, draft) in parts.iter().enumerate() {
        let part = PartId(number);
        let hand = match (&draft.mps, settings.mps.0) {
            (Some((size, place)), _) => Some((*size, place)),
            (None, size) => size.map(|size| (size, place.unwrap_or(&draft.place))),
        };
        let (mps, why) = match hand {
            Some((size, place)) => {
                by_hand(size, place, &Able::of_part(system, part))?;
                (size, BY_HAND.to_string())
            }
            None => policy(system, part, &Able::of_part(system, part), by),
        };
        system.graph.parts[number].mps = mps;
        note(system, part, MPS, mps, why);
        ports(system, part, draft, hand, by)?;
    }
    Ok(())
}

/// Settles the MPS of those ports of a part that have their own.
fn ports(
    system: &mut System,
    part: PartId,
    draft: &PartDraft,
    hand: Option<(PayloadSize, &Place)>,
    by: (MpsPolicy, &Trees),
) -> Result<(), Error> {
    for port in system.part(part).ports.clone() {
        let told = draft.port_mps.iter().rfind(|(of, ..)| *of == port).map(|(_, size, place)| (*size, place));
        let is_own = supports_its_own(system, port);
        let (mps, why) = match told.or(hand.filter(|_| is_own)) {
            Some((size, place)) => {
                by_hand(size, place, &Able::of_port(system, port))?;
                (size, BY_HAND.to_string())
            }
            None if is_own => policy(system, part, &Able::of_port(system, port), by),
            None => continue,
        };
        let own = &mut system.graph.ports[port.0];
        own.mps = Some(mps);
        own.list(Figure { field: MPS, value: mps.print(), origin: Origin::Settled(why) });
    }
    Ok(())
}

/// Settles the MRRS of all parts.
pub(crate) fn settle_requests(system: &mut System, parts: &[PartDraft], all: PayloadSize, origin: Option<&Origin>) {
    for (number, draft) in parts.iter().enumerate() {
        let (mrrs, why) = match (&draft.mrrs, origin) {
            (Some((size, _)), _) => (*size, BY_HAND.to_string()),
            (None, None) => (all, "the standard's value after reset".to_string()),
            (None, Some(origin)) => (all, format!("settings, {origin}")),
        };
        system.graph.parts[number].mrrs = mrrs;
        if system.parts[number].kind.is_endpoint() {
            note(system, PartId(number), MRRS, mrrs, why);
        }
    }
}

/// Adds a settled size to the figures of a part.
fn note(system: &mut System, part: PartId, field: &'static str, size: PayloadSize, why: String) {
    system.graph.parts[part.0].list(Figure { field, value: size.print(), origin: Origin::Settled(why) });
}

/// The largest MPS that a part or a port supports.
#[derive(Clone, Debug)]
struct Able {
    most: PayloadSize,
    name: String,
}

impl Able {
    fn of_part(system: &System, part: PartId) -> Able {
        let part = system.part(part);
        Able { most: part.habits.mps, name: part.name.clone() }
    }
    /// For a port. It has the name of its part, where both support the same.
    fn of_port(system: &System, port: PortId) -> Able {
        match supports_its_own(system, port) {
            true => Able { most: system.habits(port).mps, name: system.port(port).name.clone() },
            false => Able::of_part(system, system.port(port).part),
        }
    }
    /// For a part, and for those of its ports that differ from it.
    fn all_of(system: &System, part: PartId) -> impl Iterator<Item = Able> {
        let ports = &system.part(part).ports;
        let own = ports.iter().filter(|&&port| supports_its_own(system, port));
        let whole = (own.clone().count() < ports.len().max(1)).then(|| Able::of_part(system, part));
        whole.into_iter().chain(own.map(|&port| Able::of_port(system, port)))
    }
    /// The first one with the least MPS.
    fn least(all: impl Iterator<Item = Able>) -> Able {
        all.min_by_key(|able| able.most).unwrap_or(Able { most: PayloadSize::MIN, name: String::new() })
    }
}

fn supports_its_own(system: &System, port: PortId) -> bool {
    system.port(port).own.iter().any(|own| own.field == "mps")
}

fn by_hand(size: PayloadSize, place: &Place, able: &Able) -> Result<(), Error> {
    if size <= able.most {
        return Ok(());
    }
    let problem = Problem::Mps(format!("MPS {size} is more than `{}` supports: {}", able.name, able.most));
    Err(Error::new(place, problem, format!("write at most {} B", able.most)))
}

/// By host: what supports the least below it.
type Trees = BTreeMap<PartId, Able>;

fn least_of_trees(system: &System) -> Trees {
    let mut trees: Trees = BTreeMap::new();
    for part in (0..system.parts.len()).map(PartId) {
        let own = Able::least(Able::all_of(system, part));
        for host in system.hosts_of(part) {
            let least = trees.entry(host).or_insert_with(|| own.clone());
            if own.most < least.most {
                *least = own.clone();
            }
        }
    }
    trees
}

/// What lies on the paths up from a part: the upper ports of the links, and the lower ports of switches.
fn above(system: &System, part: PartId) -> impl Iterator<Item = Able> {
    let links = system.ways_up(part).concat().into_iter().map(|(link, _)| system.link(link));
    links.flat_map(|link| [link.lower, link.upper]).map(|port| Able::of_port(system, port))
}

/// The MPS that firmware gives to a part or port that supports `own`: the least of its trees, or of its paths up.
fn policy(system: &System, part: PartId, own: &Able, (policy, trees): (MpsPolicy, &Trees)) -> (PayloadSize, String) {
    let (least, scope) = match policy {
        MpsPolicy::TreeMinimum => {
            let trees = system.hosts_of(part).filter_map(|host| trees.get(&host).cloned());
            (Able::least(trees), "the tree's minimum")
        }
        MpsPolicy::Path => {
            let all = std::iter::once(own.clone()).chain(above(system, part));
            (Able::least(all), "the least up to the host")
        }
    };
    let (mps, own) = (least.most, own.most);
    let why = if mps < own { format!("{mps} of {own}: {scope} is that of {}", least.name) } else { scope.to_string() };
    (mps, why)
}

/// The ports that a TLP between two parts passes.
fn along(system: &System, from: PartId, to: PartId) -> Vec<PortId> {
    let path = system.path(from, to).into_iter();
    path.flat_map(|direction| <[PortId; 2]>::from(system.ends(direction))).collect()
}

/// Raises the MPS of all ports between two parts to `payload`, where it is less, as `setpci` would.
///
/// # Errors
/// The name and the MPS of the one with the least support, if that is too low. Nothing is changed then.
pub(crate) fn raise(
    system: &mut System,
    (from, to): (PartId, PartId),
    payload: u64,
    why: &str,
) -> Result<Vec<String>, (String, PayloadSize)> {
    let ports = along(system, from, to);
    let all = std::iter::once(Able::of_part(system, from)).filter(|_| ports.is_empty());
    let least = Able::least(all.chain(ports.iter().map(|&port| Able::of_port(system, port))));
    let size = PayloadSize::holding(payload).filter(|&size| size <= least.most).ok_or((least.name, least.most))?;
    let why = format!("raised for {why}, as with setpci");
    let mut raised = Vec::new();
    if ports.is_empty() && system.part(from).mps < size {
        system.graph.parts[from.0].mps = size;
        note(system, from, MPS, size, why.clone());
        raised.push(system.part(from).name.clone());
    }
    for port in ports {
        if system.mps(port) >= size {
            continue;
        }
        let part = system.port(port).part;
        if system.port(port).mps.is_some() {
            let own = &mut system.graph.ports[port.0];
            own.mps = Some(size);
            own.list(Figure { field: MPS, value: size.print(), origin: Origin::Settled(why.clone()) });
            raised.push(own.name.clone());
        } else {
            system.graph.parts[part.0].mps = size;
            note(system, part, MPS, size, why.clone());
            raised.push(system.part(part).name.clone());
        }
    }
    Ok(raised)
}
