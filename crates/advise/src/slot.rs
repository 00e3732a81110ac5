//! Free slots of a machine.

use crate::candidate::{Candidate, Form};
use lab::Error;
use lab::takes::Takes;
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
    /// True if it is another of the same ports, so that a part does the same in both.
    pub(crate) fn is_like(&self, other: &Slot) -> bool {
        let array = |slot: &Slot| {
            slot.name.split_once("[").filter(|_| slot.name.ends_with(']')).map(|(name, _)| name.to_string())
        };
        self.able == other.able && array(self).is_some_and(|name| array(other) == Some(name))
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

/// True if the candidate's part goes into the slot.
pub(crate) fn goes_in(slot: &Slot, candidate: &Candidate) -> Result<bool, Error> {
    let part = candidate.form()?;
    Ok(match Takes::of(&slot.name) {
        Takes::Sata => part == Form::Ahci,
        Takes::Drive => part == Form::Drive,
        Takes::None => false,
        Takes::Card => true,
    })
}

/// The slots that a candidate may take: those that are meant for it, where there are any; else all that are meant for no
/// other. None of them is of a form or protocol that its part does not have.
///
/// # Errors
/// The candidate names ports that its part does not go into.
pub(crate) fn of<'a>(slots: &'a [Slot], candidate: &Candidate, all: &[Candidate]) -> Result<Vec<&'a Slot>, Error> {
    let mut fit = Vec::new();
    for slot in slots {
        if goes_in(slot, candidate)? {
            fit.push(slot);
        }
    }
    if let Some(kind) = &candidate.slot {
        let own: Vec<&Slot> = fit.iter().copied().filter(|slot| slot.kind() == kind).collect();
        if own.is_empty() && slots.iter().any(|slot| slot.kind() == kind) {
            let what = format!("{}: `{}` does not go into a port named `{kind}`", candidate.name, candidate.part);
            return Err(Error::asked(
                what,
                "`slot:` of another name, or none: then it takes any free slot that it fits",
            ));
        }
        if !own.is_empty() {
            return Ok(own);
        }
    }
    let others = |slot: &&Slot| all.iter().all(|other| other.slot.as_deref() != Some(slot.kind()));
    let is_own = |slot: &&Slot| is_own(slot, candidate);
    Ok(fit.into_iter().filter(|slot| others(slot) || is_own(slot)).collect())
}

/// True if the slot is meant for the candidate: then its part is the machine's own, and as wide as the port.
pub(crate) fn is_own(slot: &Slot, candidate: &Candidate) -> bool {
    candidate.slot.as_deref() == Some(slot.kind())
        || Takes::of(&slot.name) == Takes::Sata && candidate.form().is_ok_and(|form| form == Form::Ahci)
}
