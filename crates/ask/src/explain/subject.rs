//! A machine that was measured: its parts by the names that somebody may write.

use super::typed::{HOST, Load, Measured, Move, USUAL_DEPTH};
use crate::error::{Complaint, Error};
use lab::DescribedMachine;
use lab::explain::Measurement;
use lab::path::base;
use pcie::Bytes;
use probe::model::{Drives, Model};
use probe::role::Role;
use probe::{Address, Machine, Source, Tree};
use std::collections::BTreeMap;
use system::kind::Kind;
use system::kinds::CardParams;
use system::pattern::Order;
use system::suggest::suggest;
use system::work::Work;
use system::{Change, Drive, Flow, Operation, Origin, PartId, Scenario, System};

/// The machine as it shows itself.
#[derive(Clone, Debug)]
pub struct Subject {
    system: System,
    names: BTreeMap<String, Vec<PartId>>,
    /// Whether an IOMMU translates for its devices, where that is known.
    pub iommu: Option<bool>,
}

/// Bytes of a stream: a limit asks for no more than that it goes on.
const VOLUME: u64 = 1 << 28;

impl Subject {
    /// A described machine.
    ///
    /// # Errors
    /// A contradiction in the description.
    pub fn described(machine: &DescribedMachine) -> Result<Subject, Error> {
        let system = machine.description().system()?;
        let mut names: BTreeMap<String, Vec<PartId>> = BTreeMap::new();
        for (number, part) in system.parts.iter().enumerate().filter(|(_, part)| !part.kind.is_switch()) {
            let short = base(&part.name);
            for name in [Some(part.name.as_str()), (short != part.name).then_some(short)].into_iter().flatten() {
                names.entry(name.to_string()).or_default().push(PartId(number));
            }
        }
        let roots: Vec<PartId> = system.roots().collect();
        if let (None, [root]) = (names.get(HOST), &roots[..]) {
            names.insert(HOST.to_string(), vec![*root]);
        }
        Ok(Subject { system, names, iommu: None })
    }

    /// A real machine with these drives, which are named by the function that controls each; drives of no function hang at
    /// the host.
    pub fn seen(machine: &Machine, drives: &[(Option<Address>, String)]) -> Subject {
        let mut with = Drives::default();
        // What the operating system names at a controller of several is a drive too.
        let asked = |name: &String| drives.iter().any(|(_, drive)| drive == name);
        for (at, function) in &machine.functions {
            let blocks = function.os.blocks.iter().map(|block| block.name.clone()).filter(|name| !asked(name));
            with.at.entry(*at).or_default().extend(blocks);
        }
        for (at, name) in drives {
            match at {
                Some(at) => with.at.entry(*at).or_default().push(name.clone()),
                None => with.loose.push(name.clone()),
            }
        }
        let tree = Tree::of(machine);
        let mut model = Model::with_drives(machine, &tree, &with);
        // A controller without a link of its own, as one inside a chipset, has no part: its drives hang at the host.
        let is_there = |name: &String| model.system.parts.iter().any(|part| part.name == *name);
        let homeless: Vec<String> = with.at.values().flatten().filter(|name| !is_there(name)).cloned().collect();
        if !homeless.is_empty() {
            with.loose.extend(homeless);
            model = Model::with_drives(machine, &tree, &with);
        }
        let mut system = model.system;
        // What parts and ports support, as registers say it.
        let known = &model.settled;
        system.remake(|graph| {
            graph.parts.iter_mut().zip(&known.parts).for_each(|(part, known)| part.habits.mps = known.habits.mps);
            for (port, known) in graph.ports.iter_mut().zip(&known.ports) {
                port.own.extend(known.own.iter().filter(|figure| figure.field == "mps").cloned());
            }
        });
        let mut names: BTreeMap<String, Vec<PartId>> = BTreeMap::from([(HOST.to_string(), vec![PartId(0)])]);
        for (number, part) in system.parts.iter().enumerate().filter(|(_, part)| part.kind.is_endpoint()) {
            names.insert(part.name.clone(), vec![PartId(number)]);
        }
        let mut roles: BTreeMap<Role, usize> = BTreeMap::new();
        let (mut groups, mut nodes) = (Vec::new(), Vec::new());
        for device in &model.devices {
            let number = roles.entry(device.role).or_insert(0);
            let word = device.role.to_string().to_lowercase();
            let function = machine.function(device.main);
            let of_system = function.map(|f| f.os.nets.iter().chain(&f.os.cards).cloned().collect::<Vec<_>>());
            let alias = [format!("{word}{number}"), device.address.to_string(), device.address.bdf.to_string()];
            *number += 1;
            if system.part(device.part).kind.is_endpoint() {
                for name in alias.into_iter().chain(of_system.unwrap_or_default()) {
                    names.entry(name).or_insert_with(|| vec![device.part]);
                }
            }
            groups.extend(function.and_then(|f| f.os.iommu.as_ref()?.kind.clone()));
            nodes.extend(function.and_then(|f| f.os.numa_node).map(|node| (device.part, node)));
        }
        for (part, node) in nodes {
            let top = system.path(part, PartId(0)).last().map(|on| system.link(on.link).upper);
            if let Some(port) = top {
                let change = Change::PortField(port, "socket", node.to_string());
                // A node that is no socket of the model is left at the default.
                let _ = system.amend(change, Origin::Override("numa_node".into()));
            }
        }
        let iommu = match &groups[..] {
            // The kernel puts each device into a group where an IOMMU translates.
            [] => matches!(machine.source, Source::Live | Source::Capture).then_some(false),
            kinds => Some(kinds.iter().any(|kind| kind != "identity")),
        };
        Subject { system, names, iommu }
    }

    fn find(&self, name: &str) -> Result<&[PartId], Complaint> {
        let unknown = || {
            let known = self.names.keys().map(String::as_str);
            Complaint::new(
                format!("there is no device `{name}` with a link that says what it carries"),
                suggest(name, known),
            )
        };
        self.names.get(name).map(Vec::as_slice).ok_or_else(unknown)
    }

    /// A measurement of this machine.
    ///
    /// # Errors
    /// A device that does not exist, or that cannot move data to the other one.
    pub fn measurement(&self, of: &Measured) -> Result<Measurement, Error> {
        let mut system = self.system.clone();
        if let Some(node) = of.node {
            let change = Change::Field(self.find(HOST)?[0], "memory_socket", node.to_string());
            system.amend(change, Origin::Override("node".into())).map_err(|error| {
                Complaint::new(format!("{}: node {node}: {error}", of.name), "write the number of a NUMA node")
            })?;
        }
        let mut flows: Vec<Flow> = Vec::new();
        for Move { from, to } in &of.moves {
            for &from in self.find(from)? {
                for &to in self.find(to)? {
                    let mut flow = stream(&mut system, (from, to), &of.load)?;
                    let same = flows.iter().filter(|known| known.name.split(" #").next() == Some(&flow.name)).count();
                    flow.name += &if same > 0 { format!(" #{}", same + 1) } else { String::new() };
                    flows.push(flow);
                }
            }
        }
        let scenario = Scenario { system, flows, integrity: false };
        let load = told(of, scenario.flows.first());
        let in_flight = of.load.depth;
        Ok(Measurement { name: of.name.clone(), load, scenario, rate: of.rate, busy: of.busy, in_flight })
    }
}

/// What flows of one load have in common. A disk is read from and written to; of a card, the operation is its own: `dma-write` goes
/// to the host.
fn told(of: &Measured, first: Option<&Flow>) -> String {
    let word = match first {
        Some(flow) if flow.operation == Operation::P2pWrite => "copy",
        Some(flow) if !of.is_of_disks && !flow.operation.is_queued() => flow.operation.word(),
        Some(flow) if flow.operation.is_read() => "write",
        _ => "read",
    };
    let Load { block, depth, random, .. } = of.load;
    let depth = depth.map(|depth| format!(" x {depth}")).unwrap_or_default();
    format!("{word} {}{depth}{}", Bytes(block), if random { " at random" } else { "" })
}

/// The stream from one part to another.
fn stream(system: &mut System, (from, to): (PartId, PartId), load: &Load) -> Result<Flow, Complaint> {
    let named = |part: PartId| system.part(part).name.clone();
    let (a, b) = (named(from), named(to));
    let (source, sink) = (system.part(from), system.part(to));
    let is_apart = from == to || system.path(from, to).is_empty();
    if is_apart || (source.kind.is_root() && sink.kind.is_root()) {
        return Err(Complaint::new(
            format!("nothing goes from {a} to {b}"),
            "name two ends in one tree, at most one the host",
        ));
    }
    if let Some(root) = system.closed_root(from, to) {
        let what =
            format!("`{root}` sends no requests from one root port to another, so that nothing goes from {a} to {b}");
        return Err(Complaint::new(what, "let the host pass on: `p2p: yes`"));
    }
    let device = if source.kind.is_root() { to } else { from };
    let of_drive = |reads: bool| {
        let declared = system.part(device).kind.declaration().operations;
        declared.iter().copied().find(|operation| operation.is_queued() && operation.is_read() == reads)
    };
    let own = match (source.kind.is_root(), sink.kind.is_root()) {
        (false, true) => of_drive(false),
        (true, false) => of_drive(true),
        _ => None,
    };
    let usual = match (source.kind.is_root(), sink.kind.is_root()) {
        (false, true) => Operation::DmaWrite,
        (true, false) => Operation::DmaRead,
        _ => Operation::P2pWrite,
    };
    let operation = own.unwrap_or(usual);
    let (initiator, target) = if operation.is_read() { (to, from) } else { (from, to) };
    if operation == Operation::P2pWrite {
        if system.bar_address(target).is_none() {
            return Err(Complaint::new(format!("{b} has no BAR that {a} could write to"), "describe it with `bars`"));
        }
        // A drive that writes to another device is one that starts its writes itself.
        let is_drive = system.part(initiator).kind.declaration().operations.iter().any(|own| own.is_queued());
        if is_drive {
            system.remake(|graph| graph.parts[initiator.0].kind = Kind::new(CardParams::default()));
        }
    }
    let volume = Bytes(VOLUME.max(load.block));
    let mut flow = Flow::of_card(format!("{a} -> {b}"), operation, (initiator, target), (Bytes(load.block), volume));
    flow.volume = flow.whole_volume();
    if operation.is_queued() {
        let order = if load.random { Order::Random } else { Order::Sequential };
        flow.work = Work { depth: load.depth.unwrap_or(USUAL_DEPTH), order, ..Work::default() };
        flow.drive = Drive::Software;
    }
    flow.work.cores = load.cores;
    Ok(flow)
}
