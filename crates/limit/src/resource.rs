//! What flows share: directions of links, memory, cores, caps, and what each flow needs of each of them.

use crate::load::{Group, Load};
use crate::place::{By, Place, Way};
use crate::solve::Solved;
use crate::split::Source;
use std::ops::Range;
use system::graph::{Direction, PartId};
use system::kinds::host::ServeReads;
use system::{Cause, System};

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
        let needs: Vec<Vec<Need>> = solved.iter().map(|solved| needs(system, solved)).collect();
        let mut uses =
            Uses { users: vec![Vec::new(); Resource::Kind(system.parts.len()).index(system)], ..Uses::default() };
        for (flow, (way, &class)) in ways.iter().zip(classes).enumerate() {
            let begin = uses.all.len();
            needs[class].iter().for_each(|need| uses.add(system, flow, way, need));
            uses.of.push(begin..uses.all.len());
        }
        uses
    }

    /// The sources that a use comes through, the nearest last.
    pub fn through(&self, of: &Use) -> &[Source] {
        &self.sources[of.through.clone()]
    }

    fn add(&mut self, system: &System, flow: usize, way: &Way, need: &Need) {
        let resource = need.of.resource(system, way);
        let index = resource.index(system);
        let begin = self.sources.len();
        self.sources.extend(need.through.iter().map(|via| via.source(system, way, flow)));
        self.users[index].push(self.all.len());
        let through = begin..self.sources.len();
        let (stage, load, fs_per_byte) = (need.stage, need.load, need.fs_per_byte);
        self.all.push(Use { flow, resource, index, stage, load, fs_per_byte, through });
    }
}

/// A need of every flow of a class: a use whose resource and sources are told by their places on the flow's way.
struct Need {
    of: Of,
    stage: usize,
    load: usize,
    fs_per_byte: f64,
    through: Vec<Via>,
}

/// Of what there is a need.
#[derive(Clone, Copy)]
enum Of {
    Wire(usize),
    Memory,
    /// Of the card that moves the data, or of the card that it goes to.
    OwnCore,
    TargetCore,
    /// Of the port before, or behind, a direction.
    CapBefore(usize),
    CapBehind(usize),
    Reads,
    /// Of the part that moves the data, or of the one that it goes to.
    OwnKind,
    TargetKind,
}

impl Of {
    fn resource(self, system: &System, way: &Way) -> Resource {
        let ends = |at: usize| system.ends(way.directions[at]);
        match self {
            Of::Wire(at) => Resource::wire(way.directions[at]),
            Of::Memory => Resource::Memory(system.host_for(way.initiator, way.target).0),
            Of::OwnCore => Resource::Core(way.initiator.0),
            Of::TargetCore => Resource::Core(way.target.0),
            Of::CapBefore(at) => Resource::Cap(ends(at).0.0, false),
            Of::CapBehind(at) => Resource::Cap(ends(at).1.0, true),
            Of::Reads => Resource::Reads(ends(0).0.0),
            Of::OwnKind => Resource::Kind(way.initiator.0),
            Of::TargetKind => Resource::Kind(way.target.0),
        }
    }
}

/// A source, told by its place on the flow's way, with the turns that a byte of payload needs there.
#[derive(Clone, Copy)]
struct Via {
    from: From,
    turns_per_byte: f64,
}

#[derive(Clone, Copy)]
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

/// What a flow like `solved` needs.
fn needs(system: &System, solved: &Solved<'_>) -> Vec<Need> {
    let mut needs = Vec::new();
    wires(system, solved, &mut needs);
    servers(system, solved, &mut needs);
    needs.retain(|need| need.fs_per_byte > 0.0);
    needs
}

/// The directions of its way, with the caps of their ports.
fn wires(system: &System, solved: &Solved<'_>, needs: &mut Vec<Need>) {
    let mut through = Vec::new();
    for (i, load) in solved.loads.iter().enumerate() {
        if i == 0 || i == solved.plan.data.len() {
            through = first_sources(system, solved, load, i);
        }
        let mut need = |of, stage, fs_per_byte| {
            needs.push(Need { of, stage, load: i, fs_per_byte, through: through.clone() });
        };
        need(Of::Wire(i), 3 * i + 1, load.full_fs(0.0));
        if !load.data.is_empty() {
            need(Of::CapBefore(i), 3 * i, load.hop.cap_before);
            need(Of::CapBehind(i), 3 * i + 2, load.hop.cap_behind);
        }
        through.push(Via { from: From::Ingress(i), turns_per_byte: load.tlps() });
    }
}

/// The sources of a flow's own TLPs at the part where load `at` begins: the flow, with a turn for each TLP. Where
/// requests are answered in the order that they came, all answers are one source, and a flow's part of that queue is
/// what it has in flight: its turn there is all of that.
fn first_sources(system: &System, solved: &Solved<'_>, load: &Load, at: usize) -> Vec<Via> {
    let plan = &solved.plan;
    let kind = &system.part(load.wire.from).kind;
    let in_turn = kind.host().is_some_and(|host| host.serve_reads == ServeReads::InTurn);
    let in_order = load.answers && !in_turn && !kind.is_switch();
    if !in_order {
        return vec![Via { from: From::Flow, turns_per_byte: load.tlps() }];
    }
    let asked = plan.in_flight as f64 * plan.cut.bytes as f64 / plan.cut.count().max(1.0);
    let window = asked.min(plan.cut.bytes as f64).min(plan.buffer.map_or(f64::INFINITY, |b| b as f64)).max(1.0);
    let own = Via { from: From::Flow, turns_per_byte: 1.0 / window };
    vec![own, Via { from: From::Answers(at), turns_per_byte: load.tlps() }]
}

/// The stage behind all links.
const LAST: usize = usize::MAX;

/// Memory, cores, the reads of a root port, and what kinds bring.
fn servers(system: &System, solved: &Solved<'_>, needs: &mut Vec<Need>) {
    let plan = &solved.plan;
    let (Some(first), Some(last)) = (solved.loads.first(), plan.data.len().checked_sub(1)) else { return };
    let each = |time: &dyn Fn(u64) -> f64| first.data.iter().map(|g: &Group| g.per_byte * time(g.payload)).sum::<f64>();
    let turns_per_byte: f64 = first.data.iter().map(|g| g.per_byte).sum();
    let own = Via { from: From::Flow, turns_per_byte };
    let mut need = |of, stage, fs_per_byte, through| needs.push(Need { of, stage, load: 0, fs_per_byte, through });
    for (there, of) in [(false, Of::OwnKind), (true, Of::TargetKind)] {
        need(of, LAST, plan.slowest_server(there).map_or(0.0, |server| 1e15 / server.rate.0), vec![own]);
    }
    if plan.flow.operation.is_pio() {
        return;
    }
    if plan.reads() {
        let time = each(&|bytes| plan.card.core_time(bytes).as_fs() as f64);
        need(Of::OwnCore, LAST, time, vec![own]);
        let requests = plan.cut.count() / plan.cut.bytes as f64;
        if system.part(plan.flow.target).kind.is_root() {
            need(Of::Reads, 0, plan.completer.gap_fs * requests, vec![own]);
        }
    } else if let Some(card) = &plan.target_card {
        let time = each(&|bytes| card.core_time(bytes).as_fs() as f64);
        need(Of::TargetCore, LAST, time, vec![own]);
    } else {
        let pieces = each(&|bytes| plan.memory_fs(0, bytes));
        let pages = plan.host.page_service.as_fs() as f64 * plan.cut.entered / plan.cut.bytes as f64;
        let by_port = Via { from: From::Ingress(last), turns_per_byte };
        need(Of::Memory, LAST, pieces + pages, vec![own, by_port]);
    }
}

/// Who holds a flow back that has to share this use's resource with others: the place on its own way.
pub fn held_by(solved: &Solved<'_>, way: &Way, of: &Use) -> By {
    let (place, cause) = match of.resource {
        Resource::Wire(..) => (Place::Way(of.load), Cause::Transmit(solved.loads[of.load].wire.speed)),
        Resource::Memory(_) => (Place::Target, Cause::Writes),
        Resource::Core(part) if PartId(part) == way.target => (Place::Target, Cause::Core),
        Resource::Core(_) => (Place::Card, Cause::Core),
        Resource::Cap(_, false) => (Place::Before(of.load), Cause::Port(None)),
        Resource::Cap(_, true) => (Place::Behind(of.load), Cause::Port(None)),
        Resource::Reads(_) => (Place::Before(0), Cause::ReadGap),
        Resource::Kind(part) => {
            let there = PartId(part) == way.target;
            // There is one: without a server nobody needs this resource.
            let cause = solved.plan.slowest_server(there).map_or(Cause::Core, |server| server.cause);
            (if there { Place::Target } else { Place::Card }, cause)
        }
    };
    By { place, cause, shared: true }
}
