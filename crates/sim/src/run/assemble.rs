//! Builds the fabric and its parts from a scenario.

mod software;

use crate::engine::flows::{Flows, Until};
use crate::engine::numbering::leaving;
use crate::engine::queue::Queue;
use crate::engine::region::origin;
use crate::engine::tlp::Tlps;
use crate::engine::window::Need;
use crate::link::account::{CreditPool, Replay};
use crate::link::direction::{Direction, DirectionParts};
use crate::link::fabric::Fabric;
use crate::link::meter::Meter;
use crate::link::owed::Owed;
use crate::link::switch::{Behind, Ingress, Switch, hull};
use crate::link::wire::Wire;
use crate::parts::host::build::Hosts;
use crate::parts::{Built, KindError, Part, Provider, Seat, Seated, needed_provider, target_bar};
use crate::run::error::SimError;
use crate::run::options::Options;
use crate::software::resources::Resources;
use pcie::{Class, Framing, Time, timing};
use std::collections::VecDeque;
use system::cause::undeclared;
use system::kinds::kind::TreePosition;
use system::kinds::port::UpdateFcHabit;
use system::{Flow, Node, PartId, Port, PortId, Scenario, System};

/// By how much [`Options::faster`] shortens the symbols of a direction, in percent.
const FASTER_PERCENT: u64 = 5;

/// The fabric of `scenario`, and its parts by number. `until` closes the window, and `needs` is what each flow has to
/// move for it.
pub(crate) fn assemble(
    scenario: &Scenario,
    needs: &[Need],
    until: Until,
    options: &Options<'_>,
) -> Result<(Fabric, Vec<Option<Seated>>), SimError> {
    let system = &scenario.system;
    let mut fabric = Fabric {
        now: Time::ZERO,
        queue: Queue::default(),
        directions: directions(system, options.faster),
        switches: Vec::new(),
        tlps: Tlps::default(),
        flows: Flows::new(scenario.flows.iter().map(|flow| flow.whole_volume().0).zip(needs.iter().copied()), until),
        sent: Vec::new(),
        to_come: VecDeque::new(),
        tlp_hops: 0,
        metered: (Time::ZERO, Time::ZERO),
        opened: Vec::new(),
        closed: Vec::new(),
        flip: 0,
        fault: None,
        trace: None,
    };
    fabric.switches = system.parts.iter().map(|part| switch(system, part, &mut fabric.directions)).collect();
    let mut nodes: Vec<Option<Seated>> = system.parts.iter().map(|_| None).collect();
    let who = |part: &Node| needed_provider(options.kinds, &Hosts, part).map(Some);
    build_all(scenario, who, |id, part| nodes[id.0] = Some(seated(scenario, id, part, &mut fabric.directions)))?;
    for number in 0..scenario.flows.len() {
        fabric.flows.origins[number] = origin(scenario, number) as u32;
    }
    Ok((fabric, nodes))
}

/// Refuses what cannot be built, as a run of `scenario` would. Parts that nobody builds are left to the run, which may
/// know other providers.
///
/// # Errors
/// [`SimError::Kind`] and [`SimError::NoBar`].
pub(crate) fn check(scenario: &Scenario, kinds: &[&dyn Provider]) -> Result<(), SimError> {
    let who = |part: &Node| Ok(needed_provider(kinds, &Hosts, part).ok());
    build_all(scenario, who, |_, _| ())
}

/// Builds all parts of `scenario` by the providers that `who` names, and gives each to `made`.
fn build_all<'a>(
    scenario: &Scenario,
    who: impl Fn(&Node) -> Result<Option<&'a dyn Provider>, KindError>,
    mut made: impl FnMut(PartId, Box<dyn Part>),
) -> Result<(), SimError> {
    let system = &scenario.system;
    let mut resources = Resources::new(scenario);
    let build = |id: PartId, resources: &mut Resources| -> Result<Option<(Built, bool)>, SimError> {
        let part = system.part(id);
        let built = who(part)
            .and_then(|who| who.map(|who| Ok((who.build(scenario, id, resources)?, who.works_on_bytes()))).transpose());
        built
            .and_then(|built| declared().map(|()| built))
            .map_err(|why| SimError::Kind { part: part.name.clone(), why })
    };
    let all = |place: TreePosition| {
        (0..system.parts.len()).map(PartId).filter(move |&id| system.part(id).kind.place() == place)
    };
    for id in all(TreePosition::Endpoint) {
        let Some((built, on_bytes)) = build(id, &mut resources)? else { continue };
        let own = |(number, flow): (usize, &Flow)| (flow.initiator == id && !flow.operation.is_pio()).then_some(number);
        let own = scenario.flows.iter().enumerate().filter_map(own).filter(|_| on_bytes);
        own.for_each(|number| resources.moves_bytes(number));
        resources.install(id, built.software);
        made(id, built.part);
    }
    software::check(scenario, resources.installed())?;
    // What runs on a host is known when all devices are there.
    for id in all(TreePosition::Root) {
        if let Some((built, _)) = build(id, &mut resources)? {
            made(id, built.part);
        }
    }
    for (number, flow) in scenario.flows.iter().enumerate() {
        let target = system.part(flow.target);
        if target_bar(scenario, number).is_none() && !target.kind.is_root() {
            return Err(SimError::NoBar { part: target.name.clone() });
        }
    }
    Ok(())
}

/// Refuses a part that waits for what no kind declares: its time would be in no class of the loss budget.
fn declared() -> Result<(), KindError> {
    undeclared().map_or(Ok(()), |words| {
        let what = format!("a part or a row of the limit waits for `{words}`, which no registered kind declares");
        Err(KindError { what, help: "write it in `causes` of the kind's declaration".into() })
    })
}

fn directions(system: &System, faster: &[system::graph::Direction]) -> Vec<Direction> {
    let one = |number: usize, link: &system::Link, up: bool| {
        let (from, to) = if up { (link.lower, link.upper) } else { (link.upper, link.lower) };
        let (habits, mps) = (system.habits(from), system.mps(from).bytes());
        let receiver = system.habits(to);
        let speed = link.speed;
        let skps = system.skp_interval(from, link);
        #[cfg(feature = "planted")]
        let skps = skps.filter(|_| !crate::planted::is(crate::planted::NO_SKP));
        let mut wire = Wire::new(speed, system.clock_slow_ppm, skps);
        if faster.contains(&system::graph::Direction { link: system::LinkId(number), up }) {
            wire.hasten(FASTER_PERCENT);
        }
        wire.leave_free(habits.tlp_gap.0, habits.gap_block.0);
        let symbols = |n: u64| wire.duration(n * speed.width.lanes());
        let ack = symbols(timing::ack_latency_symbols(speed, mps));
        let update = match habits.update_fc {
            UpdateFcHabit::Timer => symbols(timing::update_fc_latency_symbols(speed, mps)),
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
            to: system.port(to).part.0 as u32,
            pools: Class::ALL.map(|class| CreditPool::new(receiver.credits(class))),
            replay: Replay::new(habits.replay_buffer.0.map(|b| b.0)),
            cap: if up { None } else { system.passing(from) },
            meter: Meter::new(),
        })
    };
    let each = system.links.iter().enumerate();
    each.flat_map(|(number, link)| [true, false].map(|up| one(number, link, up))).collect()
}

/// The switch of a part; `None` where the part is not a switch.
fn switch(system: &System, part: &Node, directions: &mut [Direction]) -> Option<Switch> {
    let params = part.kind.switch()?;
    let all = part.ports.iter().map(|&id| (id, system.port(id)));
    let ports: Vec<(u32, PortId, &Port)> = all.filter_map(|(id, port)| Some((leaving(port)?, id, port))).collect();
    for &(egress, ..) in &ports {
        directions[egress as usize].sources.add_some(ports.len());
    }
    let behind = |&(direction, _, port): &(u32, PortId, &Port)| Behind::of(direction, port);
    let ingress = |&(direction, id, _): &(u32, PortId, &Port)| Ingress {
        direction: direction ^ 1,
        latency: Class::ALL.map(|class| system.switch_latency(id, class).unwrap_or(params.latency)),
        cap: system.passing(id),
        cap_free: Time::ZERO,
    };
    let below: Vec<Behind> = ports.iter().filter(|(.., p)| p.role.faces_down()).map(behind).collect();
    Some(Switch {
        within: hull(below.iter().flat_map(|port| &port.windows)),
        stores: params.forwarding == system::kinds::switch::Forwarding::StoreAndForward,
        below,
        up: ports.iter().find(|(.., p)| !p.role.faces_down()).map_or(0, |&(d, ..)| d),
        ingress: ports.iter().map(ingress).collect(),
    })
}

/// A part together with its place.
fn seated(scenario: &Scenario, id: PartId, made: Box<dyn Part>, directions: &mut [Direction]) -> Seated {
    let system = &scenario.system;
    let part = system.part(id);
    let ports = part.ports.iter().enumerate().map(|(number, &port)| {
        let direction = leaving(system.port(port))?;
        let queues = made.queues(number).max(1);
        Some((direction, directions[direction as usize].sources.add_some(queues as usize), queues))
    });
    let mps = part.ports.iter().map(|&port| system.mps(port).bytes() as u32);
    let seat = Seat { part: id.0 as u32, ports: ports.collect(), mps: mps.collect() };
    Seated { seat, part: made }
}
