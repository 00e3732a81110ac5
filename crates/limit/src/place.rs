//! Where on its way something holds a flow back, as seen from the flow: flows that are alike share a solution, and
//! each has its own names for the places in it.

use system::graph::{Direction, PartId};
use system::{Bottleneck, Cause, Flow, Location, System};

/// A place on a flow's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The host.
    Host,
    /// The card that moves the data (the one at the far end, for PIO).
    Card,
    /// Whom the flow goes to.
    Target,
    /// A direction, counted from the first that carries payload; behind those, the directions of read requests.
    Way(usize),
    /// The port by which payload enters such a direction.
    Before(usize),
    /// The port by which it leaves it.
    Behind(usize),
    /// One that is the same whatever the way.
    There(Location),
}

/// Who bounds a flow and how, before it has a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct By {
    /// Where.
    pub place: Place,
    /// What of it.
    pub cause: Cause,
    /// True where other flows have a part of it.
    pub shared: bool,
}

/// A flow's way through the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Who makes the requests.
    pub initiator: PartId,
    /// Whom they go to.
    pub target: PartId,
    /// The card that moves the data.
    pub card: PartId,
    /// Directions that carry payload, in their order, then those that carry read requests.
    pub directions: Vec<Direction>,
}

impl Way {
    /// Of `flow`; of a loopback, that of its reading half.
    pub fn new(system: &System, flow: &Flow) -> Way {
        let (initiator, target) = (flow.initiator, flow.target);
        let reads = flow.operation.reads();
        let mut directions = system.path(initiator, target);
        if reads {
            let asked = directions.clone();
            directions.reverse();
            directions.iter_mut().for_each(|direction| direction.up = !direction.up);
            directions.extend(asked);
        }
        let card = if flow.operation.is_pio() { target } else { initiator };
        Way { initiator, target, card, directions }
    }

    /// The same place, for whatever other way; a place beyond the way is the part at its end.
    pub fn location(&self, system: &System, place: Place) -> Location {
        let at = |number: usize| self.directions.get(number).copied();
        let port = |number: usize, behind: bool| {
            let (from, to) = system.ends(at(number)?);
            Some(Location::Port(if behind { to } else { from }))
        };
        let found = match place {
            Place::Host => Some(Location::Part(system.host_for(self.initiator, self.target))),
            Place::Card => Some(Location::Part(self.card)),
            Place::Target => None,
            Place::Way(number) => at(number).map(Location::Direction),
            Place::Before(number) => port(number, false),
            Place::Behind(number) => port(number, true),
            Place::There(location) => Some(location),
        };
        found.unwrap_or(Location::Part(self.target))
    }

    /// `by`, with the name that its place has on this way.
    pub fn name(&self, system: &System, by: &By) -> Bottleneck {
        let location = self.location(system, by.place);
        Bottleneck { location, name: system.location_name(location), cause: by.cause, shared: by.shared }
    }
}
