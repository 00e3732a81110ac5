//! Free slots of a machine.

use crate::candidate::Candidate;
use pcie::LinkSpeed;
use system::System;

/// A port that faces down and has nothing below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The port: `host.m2[0]`.
    pub name: String,
    /// What it can.
    pub able: LinkSpeed,
}

impl Slot {
    /// How it is told: of a real machine, by the address of its port.
    pub fn told(&self) -> String {
        crate::capture::told(&self.name).unwrap_or_else(|| self.name.clone())
    }
    /// The name of its port without part and number: `m2`.
    fn kind(&self) -> &str {
        let port = self.name.rsplit_once('.').map_or(self.name.as_str(), |(_, port)| port);
        port.split_once('[').map_or(port, |(name, _)| name)
    }
}

/// All free slots, in the order of the description.
pub(crate) fn free(system: &System) -> Vec<Slot> {
    let free = system.ports.iter().filter(|port| port.role.faces_down() && port.link.is_none());
    free.map(|port| Slot { name: port.name.clone(), able: port.able }).collect()
}

/// The slots that a candidate may take: those that are meant for it, where there are any; else all that are meant for no
/// other.
pub(crate) fn of<'a>(slots: &'a [Slot], candidate: &Candidate, all: &[Candidate]) -> Vec<&'a Slot> {
    if let Some(kind) = &candidate.slot {
        let own: Vec<&Slot> = slots.iter().filter(|slot| slot.kind() == kind).collect();
        if !own.is_empty() {
            return own;
        }
    }
    let others = |slot: &&Slot| all.iter().all(|other| other.slot.as_deref() != Some(slot.kind()));
    slots.iter().filter(others).collect()
}

/// True if the slot is meant for the candidate: then its part is the machine's own, and as wide as the port.
pub(crate) fn is_own(slot: &Slot, candidate: &Candidate) -> bool {
    candidate.slot.as_deref() == Some(slot.kind())
}
