//! Where on its way something holds a flow back, as seen from the flow: flows that are alike share a solution, and
//! each has its own names for the places in it.

use system::graph::{Direction, PartId, PortId};
use system::{Bottleneck, Flow, System};

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
    /// A part, wherever it is.
    Part(PartId),
    /// A port, wherever it is.
    Port(PortId),
    /// A direction, wherever it is.
    Direction(Direction),
}

/// Who bounds a flow and how, before it has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct By {
    /// Where.
    pub place: Place,
    /// What, for people.
    pub what: String,
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

    /// The same place, for whatever other way.
    pub fn whole(&self, system: &System, place: Place) -> Place {
        let direction = |at: usize| self.directions.get(at).copied();
        let ends = |at: usize| direction(at).map(|direction| system.ends(direction));
        match place {
            Place::Host => Place::Part(system.host_for(self.initiator, self.target)),
            Place::Card => Place::Part(self.card),
            Place::Target => Place::Part(self.target),
            Place::Way(at) => direction(at).map_or(place, Place::Direction),
            Place::Before(at) => ends(at).map_or(place, |(from, _)| Place::Port(from)),
            Place::Behind(at) => ends(at).map_or(place, |(_, to)| Place::Port(to)),
            Place::Part(_) | Place::Port(_) | Place::Direction(_) => place,
        }
    }

    /// `by` with the name that its place has on this way.
    pub fn name(&self, system: &System, by: &By) -> Bottleneck {
        let name = match self.whole(system, by.place) {
            Place::Part(part) => system.part(part).name.clone(),
            Place::Port(port) => system.port(port).name.clone(),
            Place::Direction(direction) => system.direction_name(direction),
            // Beyond the way: there is no such place.
            _ => String::new(),
        };
        Bottleneck { name, what: by.what.clone() }
    }
}
