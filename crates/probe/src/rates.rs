//! The rates that a machine's links allow: questions to `limit` about a [`Model`].
//!
//! A question names devices and an operation. It may contain corrections; the difference to the answer without them is what
//! the faults cost. Answers are kept for repeated questions.

use crate::address::Address;
use crate::function::Function;
use crate::machine::Machine;
use crate::model::{Device, Model};
use limit::limit;
use pcie::config::BarKind;
use pcie::tlp::FOUR_GIB;
use pcie::{Bytes, LinkSpeed, PayloadSize, Rate};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use system::prune::Pruned;
use system::{Bottleneck, Change, Flow, LinkId, Location, Operation, Origin, PartId, PortId, Scenario, System};

/// The direction of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// From the device to memory: the device writes.
    ToMemory,
    /// From memory to the device: the device reads.
    FromMemory,
}

impl Way {
    /// The words that are printed.
    pub fn words(self) -> &'static str {
        match self {
            Way::ToMemory => "to memory",
            Way::FromMemory => "from memory",
        }
    }
    fn operation(self) -> Operation {
        match self {
            Way::ToMemory => Operation::DmaWrite,
            Way::FromMemory => Operation::DmaRead,
        }
    }
}

/// A correction: one value other than observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mend {
    /// The rate of the link at (above, or below) an address.
    Link(Address, LinkSpeed),
    /// Max_Payload_Size of a device, and of the ports above it that are set to a lower value.
    Mps(Address, PayloadSize),
    /// Max_Read_Request_Size of a device.
    Mrrs(Address, PayloadSize),
    /// The chipset's link is no bottleneck.
    NoChipset,
    /// The link above a switch is no bottleneck.
    Uplink(Address),
}

/// A rate and what sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Limited {
    /// The payload rate.
    pub rate: Rate,
    /// The bottleneck.
    pub by: Bottleneck,
    /// True if the bottleneck is the initiator itself, or its own link in the direction in which it sends.
    pub own: bool,
}

/// The bytes that each flow moves: enough that its start and end do not matter.
const VOLUME: Bytes = Bytes(64 << 20);

type Key = (Vec<Address>, Way, Vec<Mend>);

/// The rates of a model, with the answers so far.
pub struct Rates<'m> {
    machine: &'m Machine,
    /// The model.
    pub model: &'m Model,
    answers: RefCell<HashMap<Key, Vec<Limited>>>,
    shapes: RefCell<HashMap<String, Limited>>,
}

impl<'m> Rates<'m> {
    /// The rates of a model, without answers so far.
    pub fn new(machine: &'m Machine, model: &'m Model) -> Rates<'m> {
        Rates { machine, model, answers: RefCell::default(), shapes: RefCell::default() }
    }

    /// The limit of one device alone; `None` if no figure can be given for it.
    pub fn alone(&self, device: &Device, way: Way, mends: &[Mend]) -> Option<Limited> {
        if device.is_virtual {
            return None;
        }
        self.together(&[device], way, mends).pop()
    }

    /// The limits of devices that all move data at once, in the order of `devices`.
    pub fn together(&self, devices: &[&Device], way: Way, mends: &[Mend]) -> Vec<Limited> {
        let key = (devices.iter().map(|d| d.address).collect(), way, mends.to_vec());
        if let Some(known) = self.answers.borrow().get(&key) {
            return known.clone();
        }
        let parts: Vec<PartId> = devices.iter().map(|d| d.part).collect();
        let mut pruned = Pruned::of(&self.model.system, &parts);
        for mend in mends {
            self.mend(&mut pruned, *mend);
        }
        let flows: Vec<Flow> =
            parts.iter().filter_map(|&part| Some(flow(&pruned.system, pruned.part(part)?, way))).collect();
        let answer = self.solve(pruned.system, flows);
        self.answers.borrow_mut().insert(key, answer.clone());
        answer
    }

    /// The sum of the limits of devices that all move data at once.
    pub fn sum(&self, devices: &[&Device], way: Way, mends: &[Mend]) -> Rate {
        Rate(self.together(devices, way, mends).iter().map(|limited| limited.rate.0).sum())
    }

    /// The limit from device to device, directly through what joins them.
    pub fn peer(&self, from: &Device, to: &Device) -> Option<Limited> {
        let mut pruned = Pruned::of(&self.model.system, &[from.part, to.part]);
        self.set_windows(&mut pruned, &[to]);
        let (from, to) = (pruned.part(from.part)?, pruned.part(to.part)?);
        let flow = stream(&pruned.system, Operation::P2pWrite, from, to);
        self.solve(pruned.system, vec![flow]).pop()
    }

    /// The sum of the rates of devices that each write to the next one, the last to the first, directly through what joins them.
    pub fn ring(&self, devices: &[&Device]) -> Rate {
        let parts: Vec<PartId> = devices.iter().map(|d| d.part).collect();
        let mut pruned = Pruned::of(&self.model.system, &parts);
        self.set_windows(&mut pruned, devices);
        let now: Vec<PartId> = parts.iter().filter_map(|&part| pruned.part(part)).collect();
        let next = now.iter().cycle().skip(1);
        let flows = now.iter().zip(next).map(|(&from, &to)| stream(&pruned.system, Operation::P2pWrite, from, to));
        let flows = flows.collect();
        Rate(self.solve(pruned.system, flows).iter().map(|limited| limited.rate.0).sum())
    }

    /// Sets the memory addresses of devices: writes at or above 4 GiB have longer headers.
    fn set_windows(&self, pruned: &mut Pruned, devices: &[&Device]) {
        for device in devices {
            let base = self.machine.function(device.main).and_then(window);
            if let (Some(part), Some(base)) = (pruned.part(device.part), base) {
                amend(&mut pruned.system, Change::Bar(part, 0, base), "the machine's own address");
            }
        }
    }

    fn mend(&self, pruned: &mut Pruned, mend: Mend) {
        let part = |at: Address| self.model.device(at).and_then(|device| pruned.part(device.part));
        match mend {
            Mend::Link(at, speed) => self.set_link(pruned, self.model.link(at), speed),
            Mend::Mps(at, mps) => {
                let Some(part) = part(at) else { return };
                let system = &mut pruned.system;
                let ways = system.ways_up(part).concat();
                let ends = ways.iter().flat_map(|&(link, _)| [system.link(link).upper, system.link(link).lower]);
                let less: Vec<PortId> = ends.filter(|&port| system.mps(port) < mps).collect();
                less.into_iter().for_each(|port| amend(system, Change::PortMps(port, mps), MEND));
                amend(system, Change::Mps(part, mps), MEND);
            }
            Mend::Mrrs(at, mrrs) => {
                part(at).into_iter().for_each(|part| amend(&mut pruned.system, Change::Mrrs(part, mrrs), MEND));
            }
            Mend::NoChipset => {
                let link = self.model.uplink.as_ref().map(|uplink| uplink.link);
                self.set_link(pruned, link, crate::model::NO_BOTTLENECK);
            }
            Mend::Uplink(at) => self.set_link(pruned, self.model.link(at), crate::model::NO_BOTTLENECK),
        }
    }

    fn set_link(&self, pruned: &mut Pruned, link: Option<LinkId>, speed: LinkSpeed) {
        if let Some(link) = link.and_then(|link| pruned.link(link)) {
            amend(&mut pruned.system, Change::Speed(link, speed), MEND);
        }
    }

    /// Computes the limits of flows. A single flow of a shape that was computed before gets that limit, with its own names.
    fn solve(&self, system: System, flows: Vec<Flow>) -> Vec<Limited> {
        let shape = match flows.as_slice() {
            [flow] => Some(shape(&system, flow)),
            _ => None,
        };
        if let Some(mut known) = shape.as_ref().and_then(|shape| self.shapes.borrow().get(shape).cloned()) {
            // Systems of one shape have the same locations.
            known.by.name = system.location_name(known.by.location);
            return vec![known];
        }
        let scenario = Scenario { system, flows, integrity: false };
        let limited = |(flow, l): (&Flow, limit::FlowLimit)| {
            let own = owner(&scenario.system, l.bottleneck.location) == flow.initiator;
            Limited { rate: l.stream, by: l.bottleneck, own }
        };
        let answer: Vec<Limited> = scenario.flows.iter().zip(limit(&scenario).together).map(limited).collect();
        if let (Some(shape), Some(first)) = (shape, answer.first()) {
            self.shapes.borrow_mut().insert(shape, first.clone());
        }
        answer
    }
}

/// The base address of the largest memory BAR of a function. Without sizes (bytes do not hold them) it is the highest
/// address. A BAR without an address is above 4 GiB if firmware may put it there.
pub(crate) fn window(function: &Function) -> Option<u64> {
    let memory = function.header.bars.iter().filter_map(|bar| match bar.kind {
        BarKind::Memory { is_64, prefetchable } => {
            let may = if is_64 && prefetchable { FOUR_GIB } else { 0 };
            Some((bar.size.map(|size| size.0), bar.address.unwrap_or(may)))
        }
        BarKind::Io => None,
    });
    memory.max().map(|(_, address)| address)
}

/// The part that a location belongs to; for a direction, the part that sends.
fn owner(system: &System, location: Location) -> PartId {
    match location {
        Location::Part(part) => part,
        Location::Port(port) => system.port(port).part,
        Location::Direction(direction) => system.port(system.ends(direction).0).part,
    }
}

/// The reason that is recorded for a correction.
const MEND: &str = "a mend that was asked about";

/// Changes one value of what was observed. A device without a BAR has no address to change: nothing is changed then.
fn amend(system: &mut System, change: Change, why: &str) {
    let _ = system.amend(change, Origin::Settled(why.to_string()));
}

/// Everything that the limit of a single flow depends on, as text.
fn shape(system: &System, flow: &Flow) -> String {
    let mut text = format!("{:?} {} {}", flow.operation, flow.initiator.0, flow.target.0);
    for part in &system.parts {
        let far = part.bars.first().is_some_and(|bar| bar.window.base >= FOUR_GIB);
        let _ = write!(text, ";{} {} {} {} {far}", part.kind.word(), part.mps, part.mrrs, part.tags);
    }
    for link in &system.links {
        let [upper, lower] = [link.upper, link.lower].map(|port| (system.port(port).part.0, system.mps(port)));
        let _ = write!(text, ";{} {} {}-{} {}", link.speed, upper.0, upper.1, lower.0, lower.1);
    }
    text
}

fn flow(system: &System, card: PartId, way: Way) -> Flow {
    stream(system, way.operation(), card, system.host())
}

/// A flow of one long command that its card starts.
fn stream(system: &System, operation: Operation, initiator: PartId, target: PartId) -> Flow {
    let name = format!("{} {}", system.part(initiator).name, system.part(target).name);
    Flow::of_card(name, operation, (initiator, target), (VOLUME, VOLUME))
}
