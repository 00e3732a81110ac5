//! Places on a flow's path, counted from the flow: flows that are alike share one solution, and each gives the places in it its own
//! names.

use system::graph::{Direction, PartId};
use system::{Bottleneck, Cause, Flow, Location, System};

/// A place on a flow's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The host.
    Host,
    /// The card that moves the data (the one at the far end, for PIO).
    Card,
    /// The target of the flow.
    Target,
    /// A direction: those that carry payload in their order, then those of the read requests.
    Way(usize),
    /// The port at which such a direction begins.
    Before(usize),
    /// The port at which it ends.
    Behind(usize),
    /// A place that does not depend on the path.
    There(Location),
}

/// What limits a flow, without names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct By {
    /// Where.
    pub place: Place,
    /// The cause.
    pub cause: Cause,
    /// True where other flows use it as well.
    pub shared: bool,
}

/// The path of a flow through the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The requester.
    pub initiator: PartId,
    /// The target of the requests.
    pub target: PartId,
    /// The card that moves the data.
    pub card: PartId,
    /// Directions that carry payload, in their order, then those that carry read requests.
    pub directions: Vec<Direction>,
}

impl Way {
    /// The path of `flow`; of a loopback, that of the half that reads.
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

    /// The location of `place` in the system. A place beyond the end of the path is its last part.
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

    /// The bottleneck `by`, with the names of this path.
    pub fn name(&self, system: &System, by: &By) -> Bottleneck {
        let location = self.location(system, by.place);
        Bottleneck { location, name: system.location_name(location), cause: by.cause, shared: by.shared }
    }
}
