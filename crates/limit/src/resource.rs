//! What flows share: directions of links, memory, cores, caps, and what each flow needs of each of them.

use crate::place::{By, Way};
use crate::solve::Solved;
use crate::split::Source;
use std::ops::Range;
use system::System;
use system::graph::Direction;

/// Something that several flows use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// A direction of a link: the link, and whether it leads up.
    Wire(usize, bool),
    /// Memory of a host.
    Memory(usize),
    /// The core of a card, taking what arrives.
    Core(usize),
    /// A cap on the payload of a port, in (true) or out.
    Cap(usize, bool),
    /// The reads of a root port, one after another.
    Reads(usize),
    /// What the kind of a part brings beside its engine.
    Kind(usize),
}

impl Resource {
    fn wire(direction: Direction) -> Resource {
        Resource::Wire(direction.link.0, direction.up)
    }

    /// Its place among all resources of `system`; the two directions of a link are neighbours.
    fn index(self, system: &System) -> usize {
        let (links, parts, ports) = (2 * system.links.len(), system.parts.len(), system.ports.len());
        match self {
            Resource::Wire(link, up) => 2 * link + usize::from(up),
            Resource::Memory(host) => links + host,
            Resource::Core(part) => links + parts + part,
            Resource::Cap(port, inwards) => links + 2 * parts + 2 * port + usize::from(inwards),
            Resource::Reads(port) => links + 2 * parts + 2 * ports + port,
            Resource::Kind(part) => links + 2 * parts + 3 * ports + part,
        }
    }
}

/// What a flow needs of a resource.
#[derive(Clone, Debug)]
pub struct Use {
    /// Whose need it is.
    pub flow: usize,
    /// Of what.
    pub resource: Resource,
    /// The resource's place in [`Uses::users`].
    pub index: usize,
    /// How far on its way: 0 is the first.
    pub stage: usize,
    /// Of a direction: which of the flow's loads goes there.
    pub load: usize,
    /// Time for each byte of its payload.
    pub fs_per_byte: f64,
    /// The row of the flow's table: where, and what of it.
    pub by: By,
    through: Range<usize>,
}

impl Use {
    /// Of a direction: the index of the link's other direction.
    pub fn back(&self) -> Option<usize> {
        matches!(self.resource, Resource::Wire(..)).then_some(self.index ^ 1)
    }
}

/// All uses of some flows.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// Each use, flow by flow.
    pub all: Vec<Use>,
    /// Of each flow: its uses.
    pub of: Vec<Range<usize>>,
    /// Of each resource: its uses.
    pub users: Vec<Vec<usize>>,
    sources: Vec<Source>,
}

impl Uses {
    /// Of flows whose ways are `ways`; each is like the one of `solved` that `classes` says.
    pub fn new(system: &System, solved: &[Solved<'_>], classes: &[usize], ways: &[Way]) -> Uses {
        let mut uses =
            Uses { users: vec![Vec::new(); Resource::Kind(system.parts.len()).index(system)], ..Uses::default() };
        for (flow, (way, &class)) in ways.iter().zip(classes).enumerate() {
            let begin = uses.all.len();
            solved[class].table.needs().for_each(|(by, need)| uses.add(system, flow, way, (by, need)));
            uses.of.push(begin..uses.all.len());
        }
        uses
    }

    /// The sources that a use comes through, the nearest last.
    pub fn through(&self, of: &Use) -> &[Source] {
        &self.sources[of.through.clone()]
    }

    fn add(&mut self, system: &System, flow: usize, way: &Way, (by, need): (By, &Need)) {
        let resource = need.target.resource(system, way);
        let index = resource.index(system);
        let begin = self.sources.len();
        self.sources.extend(need.through.iter().map(|via| via.source(system, way, flow)));
        self.users[index].push(self.all.len());
        let through = begin..self.sources.len();
        let (stage, load, fs_per_byte) = (need.stage, need.load, need.fs_per_byte);
        self.all.push(Use { flow, resource, index, stage, load, fs_per_byte, by, through });
    }
}

/// What every flow of a class needs of a resource; the resource and the sources are told by their places on the flow's way.
#[derive(Clone, Debug)]
pub struct Need {
    /// Of which resource.
    pub target: NeedTarget,
    /// How far on its way: 0 is the first.
    pub stage: usize,
    /// Of a direction: which of the flow's loads goes there.
    pub load: usize,
    /// Time for each byte of its payload.
    pub fs_per_byte: f64,
    /// The sources that it comes through, the nearest last.
    pub through: Vec<Via>,
}

/// The resource of a need.
#[derive(Clone, Copy, Debug)]
pub enum NeedTarget {
    /// A direction.
    Wire(usize),
    /// Memory of the flow's host.
    Memory,
    /// The core of the card that moves the data.
    OwnCore,
    /// The core of the card that it goes to.
    TargetCore,
    /// The port before a direction.
    CapBefore(usize),
    /// The port after it.
    CapBehind(usize),
    /// The reads of a root port.
    Reads,
    /// What the kind of the part that moves the data brings.
    OwnKind,
    /// What the kind of the part that it goes to brings.
    TargetKind,
}

impl NeedTarget {
    fn resource(self, system: &System, way: &Way) -> Resource {
        let ends = |at: usize| system.ends(way.directions[at]);
        match self {
            NeedTarget::Wire(at) => Resource::wire(way.directions[at]),
            NeedTarget::Memory => Resource::Memory(system.host_for(way.initiator, way.target).0),
            NeedTarget::OwnCore => Resource::Core(way.initiator.0),
            NeedTarget::TargetCore => Resource::Core(way.target.0),
            NeedTarget::CapBefore(at) => Resource::Cap(ends(at).0.0, false),
            NeedTarget::CapBehind(at) => Resource::Cap(ends(at).1.0, true),
            NeedTarget::Reads => Resource::Reads(ends(0).0.0),
            NeedTarget::OwnKind => Resource::Kind(way.initiator.0),
            NeedTarget::TargetKind => Resource::Kind(way.target.0),
        }
    }
}

/// A source, told by its place on the flow's way.
#[derive(Clone, Copy, Debug)]
pub struct Via {
    from: From,
    /// Turns that a byte of payload needs there.
    pub turns_per_byte: f64,
}

#[derive(Clone, Copy, Debug)]
enum From {
    /// The flow itself.
    Flow,
    /// All the answers of a card, or of a host that answers in order, where this direction begins.
    Answers(usize),
    /// The ingress port of what came by a direction.
    Ingress(usize),
}

/// Marks sources inside a part, which are no ingress ports.
const INSIDE: u64 = 1 << 32;

/// Marks the one source of all the answers of a part.
const ANSWERS: u64 = 1 << 33;

impl Via {
    /// The flow itself.
    pub fn flow(turns_per_byte: f64) -> Via {
        Via { from: From::Flow, turns_per_byte }
    }

    /// All the answers of the part where direction `at` begins.
    pub fn answers(at: usize, turns_per_byte: f64) -> Via {
        Via { from: From::Answers(at), turns_per_byte }
    }

    /// The ingress port of what came by direction `at`.
    pub fn ingress(at: usize, turns_per_byte: f64) -> Via {
        Via { from: From::Ingress(at), turns_per_byte }
    }

    fn source(&self, system: &System, way: &Way, flow: usize) -> Source {
        let name = match self.from {
            From::Flow => INSIDE | flow as u64,
            From::Answers(at) => ANSWERS | system.port(system.ends(way.directions[at]).0).part.0 as u64,
            From::Ingress(at) => (way.directions[at].link.0 as u64) << 1 | u64::from(way.directions[at].up),
        };
        Source { name, turns_per_byte: self.turns_per_byte }
    }
}

impl Source {
    /// True for the source that a flow is by itself.
    pub fn is_one_flow(&self) -> bool {
        self.name & INSIDE != 0
    }
}
