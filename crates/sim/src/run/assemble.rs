//! From a scenario to a fabric with its nodes.

mod flow;

use crate::engine::by_flow::ByFlow;
use crate::engine::flows::{Flows, Until};
use crate::engine::numbering::leaving;
use crate::engine::queue::Queue;
use crate::engine::region::origin;
use crate::engine::tlp::Tlps;
use crate::engine::window::Need;
use crate::link::account::{Pool, Replay};
use crate::link::cap::PortCap;
use crate::link::direction::{Direction, DirectionParts};
use crate::link::fabric::Fabric;
use crate::link::meter::Meter;
use crate::link::owed::Owed;
use crate::link::switch::{Behind, Ingress, Switch, hull};
use crate::link::wire::Wire;
use crate::parts::host::{Host, RootPort};
use crate::parts::memory::Memory;
use crate::parts::node::Node;
use crate::parts::{Seat, Seated, needed_provider};
use crate::run::assemble::flow::Installed;
use crate::run::error::SimError;
use crate::run::options::Options;
use crate::software::resources::Resources;
use pcie::{Class, Framing, Rate, Time, timing};
use std::collections::VecDeque;
use system::field::Cap;
use system::kinds::host::ServeReads;
use system::kinds::port::UpdateFcHabit;
use system::{Part, PartId, Port, Scenario, System};

/// How much faster [`Options::faster`] makes a direction.
const FASTER_PERCENT: u64 = 5;

/// The fabric of `scenario` and its nodes, by part; its flows' window is closed by `until`, and `needs` says what each
/// has to move for it.
pub(crate) fn assemble(
    scenario: &Scenario,
    needs: &[Need],
    until: Until,
    options: &Options<'_>,
) -> Result<(Fabric, Vec<Node>), SimError> {
    let (system, brought) = (&scenario.system, options.kinds);
    let mut fabric = Fabric {
        now: Time::ZERO,
        queue: Queue::default(),
        directions: directions(system, options.faster),
        switches: Vec::new(),
        tlps: Tlps::default(),
        flows: Flows::new(scenario.flows.iter().map(|flow| flow.whole_volume().0).zip(needs.iter().copied()), until),
        sent: Vec::new(),
        tlp_hops: 0,
        metered: (Time::ZERO, Time::ZERO),
        meters_due: Time::ZERO,
        opened: Vec::new(),
        closed: Vec::new(),
        flip: 0,
        fault: None,
        trace: None,
    };
    let mut nodes = Vec::with_capacity(system.parts.len());
    let (mut resources, mut software) = (Resources::new(scenario), Vec::new());
    for (index, part) in system.parts.iter().enumerate() {
        let id = PartId(index);
        fabric.switches.push(part.kind.switch().map(|_| switch(system, part, &mut fabric.directions)));
        nodes.push(if part.kind.is_switch() {
            Node::Switch
        } else if part.kind.is_root() {
            Node::Host(Box::new(host(scenario, id, &mut fabric.directions)))
        } else {
            let provider = needed_provider(brought, part).and_then(|who| who.build(scenario, id, &mut resources));
            let built = provider.map_err(|why| SimError::Kind { part: part.name.clone(), why })?;
            software.extend(built.software.into_iter().map(|own| Installed::new(id, own)));
            Node::Other(Box::new(other(scenario, id, built.part, &mut fabric.directions)))
        });
    }
    for (number, flow) in scenario.flows.iter().enumerate() {
        flow::add_flow(scenario, number, flow, brought, &mut fabric, &mut nodes, &mut software)?;
        fabric.flows.origins[number] = origin(scenario, number) as u32;
    }
    flow::install(scenario, software, &mut nodes)?;
    Ok((fabric, nodes))
}

fn directions(system: &System, faster: &[system::graph::Direction]) -> Vec<Direction> {
    let one = |number: usize, link: &system::Link, up: bool| {
        let (from, to) = if up { (link.lower, link.upper) } else { (link.upper, link.lower) };
        let (from, to) = (system.port(from), system.port(to));
        let (sender, receiver) = (system.part(from.part), system.part(to.part));
        let habits = &sender.habits;
        let speed = link.speed;
        let interval = habits
            .skp_interval
            .0
            .map_or_else(|| timing::skp(speed.generation.encoding(), link.sris).interval_symbols, |c| c.0);
        let mut wire = Wire::new(speed, system.clock_slow_ppm, habits.skp.then_some(interval));
        if faster.contains(&system::graph::Direction { link: system::LinkId(number), up }) {
            wire.hasten(FASTER_PERCENT);
        }
        let symbols = |n: u64| wire.duration(n * speed.width.lanes());
        let ack = symbols(timing::ack_latency_symbols(speed, sender.mps.bytes()));
        let update = match habits.update_fc {
            UpdateFcHabit::Timer => symbols(timing::update_fc_latency_symbols(speed, sender.mps.bytes())),
            UpdateFcHabit::Each => Time::ZERO,
        };
        let grants = Class::ALL.map(|class| {
            let credits = habits.credits(class);
            let initial = |count: Option<u32>| count.unwrap_or(0) as u64;
            (!credits.is_infinite()).then(|| (initial(credits.header), initial(credits.data)))
        });
        let standard = speed.start_alignment_bytes();
        Direction::new(DirectionParts {
            owed: Owed::new(habits.dllps, habits.tlps_per_ack.0, ack, update, grants),
            wire,
            framing: Framing::of(speed.generation.encoding()),
            alignment: habits.start_alignment.bytes(standard, speed.width.lanes()),
            dllp_alignment: standard,
            propagation: link.propagation,
            to: to.part.0 as u32,
            pools: Class::ALL.map(|class| Pool::new(receiver.habits.credits(class))),
            replay: Replay::new(habits.replay_buffer.0.map(|b| b.0)),
            cap: if up { None } else { port_cap(sender, from) },
            meter: Meter::new(),
        })
    };
    let each = system.links.iter().enumerate();
    each.flat_map(|(number, link)| [true, false].map(|up| one(number, link, up))).collect()
}

/// Payload rate that a root port or a downstream port passes.
fn port_cap(part: &Part, port: &Port) -> Option<u64> {
    let (whole, lane) = match (part.kind.host(), part.kind.switch()) {
        (Some(host), _) => (host.port_cap, host.lane_cap),
        (None, Some(switch)) => (switch.port_cap, switch.lane_cap),
        (None, None) => return None,
    };
    let rate = |cap: Cap<Rate>, times: u64| cap.0.map(|rate| (rate.0 * times as f64) as u64);
    match (rate(whole, 1), rate(lane, port.able.width.lanes())) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn switch(system: &System, part: &Part, directions: &mut [Direction]) -> Switch {
    let Some(params) = part.kind.switch() else { unreachable!("called for switches only") };
    let linked = part.ports.iter().map(|&p| system.port(p)).filter(|p| p.link.is_some());
    let ports: Vec<(u32, &Port)> = linked.filter_map(|p| Some((leaving(p)?, p))).collect();
    for &(egress, _) in &ports {
        directions[egress as usize].sources.add_some(ports.len());
    }
    let behind = |&(direction, port): &(u32, &Port)| Behind::of(direction, port);
    let ingress = |&(direction, port): &(u32, &Port)| Ingress {
        direction: direction ^ 1,
        cap: port_cap(part, port).filter(|_| port.role.faces_down()),
        cap_free: Time::ZERO,
    };
    let below: Vec<Behind> = ports.iter().filter(|(_, p)| p.role.faces_down()).map(behind).collect();
    Switch {
        within: hull(below.iter().flat_map(|port| &port.windows)),
        latency: params.latency,
        stores: params.forwarding == system::kinds::switch::Forwarding::StoreAndForward,
        below,
        up: ports.iter().find(|(_, p)| !p.role.faces_down()).map_or(0, |&(d, _)| d),
        ingress: ports.iter().map(ingress).collect(),
    }
}

fn host(scenario: &Scenario, id: PartId, directions: &mut [Direction]) -> Host {
    let system = &scenario.system;
    let part = system.part(id);
    let Some(params) = part.kind.host() else { unreachable!("called for hosts only") };
    let linked: Vec<&Port> = part.ports.iter().map(|&p| system.port(p)).filter(|p| p.link.is_some()).collect();
    let ports = linked.iter().filter_map(|port| {
        let direction = leaving(port)?;
        let sources = &mut directions[direction as usize].sources;
        let turns = if params.serve_reads == ServeReads::InTurn { scenario.flows.len().max(1) } else { 1 };
        Some(RootPort {
            direction,
            answers: sources.add_some(turns),
            turns: turns as u32,
            forward: sources.add_some(linked.len()),
            behind: Behind::of(direction, port),
            last_data: Time::ZERO,
            inward: PortCap { rate: port_cap(part, port), free: Time::ZERO },
            asked: VecDeque::new(),
        })
    });
    Host {
        part: id.0 as u32,
        params: params.clone(),
        mps: part.mps.bytes(),
        taken: scenario.flows.iter().map(|flow| system.part(flow.initiator).mps.bytes()).collect(),
        ports: ports.collect(),
        memory: Memory::new(scenario.flows.len()),
        pio: ByFlow::default(),
        software: Vec::new(),
        threads: Vec::new(),
        messages: Vec::new(),
        watched: Vec::new(),
        bus_free: Time::ZERO,
        integrity: scenario.integrity,
        store: None,
        real: vec![false; scenario.flows.len()],
    }
}

/// A part of a foreign kind on its seat.
fn other(scenario: &Scenario, id: PartId, made: Box<dyn crate::parts::Part>, directions: &mut [Direction]) -> Seated {
    let system = &scenario.system;
    let part = system.part(id);
    let ports = part.ports.iter().enumerate().map(|(number, &port)| {
        let direction = leaving(system.port(port))?;
        let queues = made.queues(number).max(1);
        Some((direction, directions[direction as usize].sources.add_some(queues as usize), queues))
    });
    let seat = Seat { part: id.0 as u32, ports: ports.collect(), mps: part.mps.bytes() as u32 };
    Seated { seat, part: made }
}
