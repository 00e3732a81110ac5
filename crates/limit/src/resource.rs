//! Shared resources: link directions, memory, cores and caps, and what each flow needs of each of them.

use crate::inside::Inside;
use crate::place::{By, Way};
use crate::split::Source;
use std::ops::Range;
use system::System;
use system::graph::Direction;
use system::kind::Shared;

/// A resource that several flows can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// A direction of a link: the link's number, and true for up.
    Wire(usize, bool),
    /// The memory of a host.
    Memory(usize),
    /// The core of a card, for payload that arrives.
    Core(usize),
    /// The payload cap of a port, inwards (true) or outwards.
    Cap(usize, bool),
    /// The reads of a root port or a card, served one after another.
    Reads(usize),
    /// A row that the kind of a part declares, or its commands.
    Kind(usize, KindRow),
    /// A link inside a host: the host, and the number of the link.
    Inside(usize, usize),
    /// The walks of a host's IOMMU.
    Walks(usize),
    /// The DRAM channels of a host.
    Dram(usize),
    /// The cores of a host that the jobs of drives share.
    Cores(usize),
    /// What two flows share that are mixed: the first of them, and the number of what they share.
    Mixed(usize, usize),
}

/// Which of the rows of a kind it is, of those that flows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindRow(usize);

impl KindRow {
    const COUNT: usize = 3 * Shared::ROWS as usize + 2;

    /// The commands of all flows that a part works on.
    pub const WORKING: KindRow = KindRow(KindRow::COUNT - 2);
    /// Those whose entries it has asked for.
    pub const ENTRIES: KindRow = KindRow(KindRow::COUNT - 1);

    /// The row of flows whose payload goes `into` the part, or of the others; `None` where it is not shared.
    pub fn of(shared: Shared, into: bool) -> Option<KindRow> {
        let number = usize::from(shared.number().filter(|&number| number < Shared::ROWS)?);
        let way = match shared {
            Shared::Way(_) => 1 + usize::from(into),
            _ => 0,
        };
        Some(KindRow(3 * number + way))
    }
}

/// How many things the two flows of a mix share at most.
pub const MIXED: usize = 8;

impl Resource {
    fn wire(direction: Direction) -> Resource {
        Resource::Wire(direction.link.0, direction.up)
    }

    /// The position among all resources of `system`. The two directions of a link are neighbours.
    fn index(self, system: &System) -> usize {
        let (links, parts, ports) = (2 * system.links.len(), system.parts.len(), system.ports.len());
        match self {
            Resource::Wire(link, up) => 2 * link + usize::from(up),
            Resource::Memory(host) => links + host,
            Resource::Core(part) => links + parts + part,
            Resource::Cap(port, inwards) => links + 2 * parts + 2 * port + usize::from(inwards),
            Resource::Reads(port) => links + 2 * parts + 2 * ports + port,
            Resource::Walks(host) => links + 2 * parts + 3 * ports + host,
            Resource::Dram(host) => links + 3 * parts + 3 * ports + host,
            Resource::Cores(host) => links + 4 * parts + 3 * ports + host,
            Resource::Inside(host, link) => links + 5 * parts + 3 * ports + Inside::COUNT * host + link,
            Resource::Kind(part, row) => {
                links + (5 + Inside::COUNT) * parts + 3 * ports + KindRow::COUNT * part + row.0
            }
            Resource::Mixed(flow, which) => {
                links + (5 + Inside::COUNT + KindRow::COUNT) * parts + 3 * ports + MIXED * flow + which
            }
        }
    }
}

/// The need of one flow for one resource.
#[derive(Clone, Debug)]
pub struct Use {
    /// The flow.
    pub flow: usize,
    /// The resource.
    pub resource: Resource,
    /// Position of the resource in [`Uses::users`].
    pub index: usize,
    /// Stage of the flow's path; 0 is the first.
    pub stage: usize,
    /// For a direction: the number of the flow's load there.
    pub load: usize,
    /// Time for each byte of the flow's payload.
    pub fs_per_byte: f64,
    /// The least time for each byte in any run.
    pub least_fs: f64,
    /// Place and cause of the row in the flow's table.
    pub by: By,
    through: Range<usize>,
}

impl Use {
    /// For a direction: the index of the link's other direction.
    pub fn back(&self) -> Option<usize> {
        matches!(self.resource, Resource::Wire(..)).then_some(self.index ^ 1)
    }
}

/// All uses of the flows of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    /// All uses, in the order of the flows.
    pub all: Vec<Use>,
    /// The range of each flow's uses in `all`.
    pub of: Vec<Range<usize>>,
    /// The uses of each resource, as positions in `all`.
    pub users: Vec<Vec<usize>>,
    sources: Vec<Source>,
}

impl Uses {
    /// The uses of flows whose paths are `ways`, each of the class in `classes`. `needs` has the needs of a class.
    pub fn new<'a, N: Iterator<Item = (By, &'a Need, f64)>>(
        system: &System,
        needs: impl Fn(usize) -> N,
        classes: &[usize],
        ways: &[Way],
    ) -> Uses {
        // Resources of mixed flows come last: few systems have any.
        let mut uses = Uses { users: vec![Vec::new(); Resource::Mixed(0, 0).index(system)], ..Uses::default() };
        for (flow, (way, &class)) in ways.iter().zip(classes).enumerate() {
            let begin = uses.all.len();
            needs(class).for_each(|need| uses.add(system, flow, way, need));
            uses.of.push(begin..uses.all.len());
        }
        uses.sort();
        uses
    }

    /// Makes the users of each server that come by one source neighbours, at each arbiter.
    fn sort(&mut self) {
        let Uses { all, users, sources, .. } = self;
        let path = |number: &usize| sources[all[*number].through.clone()].iter().rev().map(|source| source.name);
        users.iter_mut().filter(|users| users.len() > 1).for_each(|users| users.sort_by(|a, b| path(a).cmp(path(b))));
    }

    /// The sources of the arbiters that a use passes; the nearest to the resource is the last.
    pub fn through(&self, of: &Use) -> &[Source] {
        &self.sources[of.through.clone()]
    }

    fn add(&mut self, system: &System, flow: usize, way: &Way, (by, need, least): (By, &Need, f64)) {
        let resource = need.target.resource(system, way, flow);
        let index = resource.index(system);
        let begin = self.sources.len();
        self.sources.extend(need.through.iter().map(|via| via.source(system, way, flow)));
        if index >= self.users.len() {
            self.users.resize_with(index + 1, Vec::new);
        }
        self.users[index].push(self.all.len());
        let through = begin..self.sources.len();
        let (stage, load, fs_per_byte) = (need.stage, need.load, need.fs_per_byte);
        let least_fs = least * fs_per_byte;
        self.all.push(Use { flow, resource, index, stage, load, fs_per_byte, least_fs, by, through });
    }
}

/// The need of all flows of a class for a resource. Resource and sources are given as positions on the flow's path.
#[derive(Clone, Debug)]
pub struct Need {
    /// The resource.
    pub target: NeedTarget,
    /// Stage of the flow's path; 0 is the first.
    pub stage: usize,
    /// For a direction: the number of the flow's load there.
    pub load: usize,
    /// Time for each byte of the flow's payload.
    pub fs_per_byte: f64,
    /// The sources of the arbiters that it passes; the nearest to the resource is the last.
    pub through: Vec<Via>,
}

/// The resource of a need.
#[derive(Clone, Copy, Debug)]
pub enum NeedTarget {
    /// A direction of the path.
    Wire(usize),
    /// Memory of the flow's host.
    Memory,
    /// The core of the card that moves the data.
    OwnCore,
    /// The core of the card that receives the data.
    TargetCore,
    /// The cap of the port before a direction.
    CapBefore(usize),
    /// The cap of the port after a direction.
    CapBehind(usize),
    /// The reads that a root port serves, or a card: what leaves by that port.
    Reads,
    /// A link inside the flow's host.
    Inside(Inside),
    /// What the kind of the part that moves the data adds.
    OwnKind(KindRow),
    /// What the kind of the part that receives the data adds.
    TargetKind(KindRow),
    /// The walks of the IOMMU of the flow's host.
    Walks,
    /// The DRAM channels of the flow's host.
    Dram,
    /// The cores of the flow's host that the jobs of drives share.
    Cores,
    /// Something that the flow shares with another, where the same jobs give the commands of both: the other flow, and which.
    Mixed(usize, usize),
}

impl NeedTarget {
    fn resource(self, system: &System, way: &Way, flow: usize) -> Resource {
        let ends = |at: usize| system.ends(way.directions[at]);
        match self {
            NeedTarget::Wire(at) => Resource::wire(way.directions[at]),
            NeedTarget::Memory => Resource::Memory(system.host_for(way.initiator, way.target).0),
            NeedTarget::OwnCore => Resource::Core(way.initiator.0),
            NeedTarget::TargetCore => Resource::Core(way.target.0),
            NeedTarget::CapBefore(at) => Resource::Cap(ends(at).0.0, false),
            NeedTarget::CapBehind(at) => Resource::Cap(ends(at).1.0, true),
            NeedTarget::Reads => Resource::Reads(ends(0).0.0),
            NeedTarget::Inside(link) => Resource::Inside(system.host_for(way.initiator, way.target).0, link.number()),
            NeedTarget::OwnKind(row) => Resource::Kind(way.initiator.0, row),
            NeedTarget::TargetKind(row) => Resource::Kind(way.target.0, row),
            NeedTarget::Walks => Resource::Walks(system.host_for(way.initiator, way.target).0),
            NeedTarget::Dram => Resource::Dram(system.host_for(way.initiator, way.target).0),
            NeedTarget::Cores => Resource::Cores(system.host_for(way.initiator, way.target).0),
            NeedTarget::Mixed(other, which) => Resource::Mixed(flow.min(other), which),
        }
    }
}

/// A source, given by its position on the flow's path.
#[derive(Clone, Copy, Debug)]
pub struct Via {
    from: From,
    /// Turns that each byte of payload needs there.
    pub turns_per_byte: f64,
    one_queue: bool,
}

#[derive(Clone, Copy, Debug)]
enum From {
    /// The flow itself.
    Flow,
    /// All completions of a card, or of a host that answers in order, at the part where this direction begins.
    Answers(usize),
    /// The ingress port for traffic that arrives on this direction.
    Ingress(usize),
    /// All that waits for a server that serves what arrives first.
    Queue,
}

/// Marks sources inside a part; these are not ingress ports.
const INSIDE: u64 = 1 << 32;

/// Marks the one source of all completions of a part.
const ANSWERS: u64 = 1 << 33;

/// The name of such a queue.
const QUEUE: u64 = 1 << 34;

impl Via {
    /// The flow itself.
    pub fn flow(turns_per_byte: f64) -> Via {
        Via { from: From::Flow, turns_per_byte, one_queue: false }
    }

    /// All completions of the part where direction `at` begins, which answers in order.
    pub fn answers(at: usize, turns_per_byte: f64) -> Via {
        Via { from: From::Answers(at), turns_per_byte, one_queue: true }
    }

    /// The ingress port for traffic that arrives on direction `at`. With `endless` credits, all of it waits there in
    /// one queue.
    pub fn ingress(at: usize, turns_per_byte: f64, endless: bool) -> Via {
        Via { from: From::Ingress(at), turns_per_byte, one_queue: endless }
    }

    /// The one queue of a server that serves what arrives first.
    pub fn queue() -> Via {
        Via { from: From::Queue, turns_per_byte: 1.0, one_queue: true }
    }

    fn source(&self, system: &System, way: &Way, flow: usize) -> Source {
        let name = match self.from {
            From::Flow => INSIDE | flow as u64,
            From::Answers(at) => ANSWERS | system.port(system.ends(way.directions[at]).0).part.0 as u64,
            From::Queue => QUEUE,
            From::Ingress(at) => (way.directions[at].link.0 as u64) << 1 | u64::from(way.directions[at].up),
        };
        Source { name, turns_per_byte: self.turns_per_byte, one_queue: self.one_queue }
    }
}
