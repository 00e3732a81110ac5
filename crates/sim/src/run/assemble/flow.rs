//! What carries a flow out on its host: a CPU that stores or loads, or threads of the software of a device.

use crate::engine::numbering;
use crate::engine::region::Region;
use crate::link::exit::Exit;
use crate::link::fabric::Fabric;
use crate::parts::host::{Pio, RESUME};
use crate::parts::node::Node;
use crate::parts::{KindError, Provider, needed_provider, target_bar};
use crate::run::error::SimError;
use crate::software::driver::{Signal, Software};
use crate::software::pio::{Cpu, Loads, Stores};
use crate::software::thread::Running;
use system::{Flow, PartId, Scenario};

/// Threads of a host at most: the tags of their loads tell them apart.
const MOST_THREADS: usize = 1 << 16;

/// Software of a device, and which of its threads runs where on its host.
pub(super) struct Installed {
    device: PartId,
    own: Software,
    places: Vec<Option<u32>>,
}

impl Installed {
    pub fn new(device: PartId, own: Software) -> Installed {
        Installed { device, places: vec![None; own.threads.len()], own }
    }
}

/// Adds flow `number` to its host.
pub(super) fn add_flow(
    scenario: &Scenario,
    number: usize,
    flow: &Flow,
    brought: &[&dyn Provider],
    fabric: &mut Fabric,
    nodes: &mut [Node],
    software: &mut [Installed],
) -> Result<(), SimError> {
    let system = &scenario.system;
    let bar = target_bar(scenario, number);
    if bar.is_none() && !system.part(flow.target).kind.is_root() {
        return Err(SimError::NoBar { part: system.part(flow.target).name.clone() });
    }
    let root = system.host_for(flow.initiator, flow.target);
    let mut exit_to = |root: PartId, device: PartId| {
        let direction = numbering::of(*system.path(root, device).first()?);
        let source = fabric.directions[direction as usize].sources.add();
        Some(Exit { direction, source, requester: system.bdf(root) })
    };
    place_threads(scenario, number, nodes, software, &mut exit_to)?;
    if let Some(bar) = bar.filter(|_| flow.operation.is_pio()) {
        let (Node::Host(host), Some(exit)) = (&mut nodes[root.0], exit_to(root, flow.target)) else { return Ok(()) };
        let cpu = Cpu {
            flow: number as u32,
            exit,
            region: Region::new(bar),
            call: flow.command.0.max(1),
            volume: flow.whole_volume().0,
            integrity: scenario.integrity,
        };
        let pio = match flow.operation.is_read() {
            true => Pio::Loads(Loads::new(cpu)),
            false => Pio::Stores(Stores::new(cpu)),
        };
        host.pio.insert(number as u32, pio);
        return Ok(());
    }
    let initiator = system.part(flow.initiator);
    let refused = |why| SimError::Kind { part: initiator.name.clone(), why };
    let real = needed_provider(brought, initiator).map_err(refused)?.works_on_bytes();
    if let Node::Host(host) = &mut nodes[root.0] {
        host.real[number] = real;
    }
    Ok(())
}

/// Threads that are counted for flow `number`, on their hosts.
///
/// # Errors
/// A host from which no link leads to the device.
fn place_threads(
    scenario: &Scenario,
    number: usize,
    nodes: &mut [Node],
    software: &mut [Installed],
    exit_to: &mut impl FnMut(PartId, PartId) -> Option<Exit>,
) -> Result<(), SimError> {
    for installed in software {
        let root = installed.own.host;
        for (thread, &flow) in (0u32..).zip(&installed.own.threads).filter(|(_, flow)| **flow as usize == number) {
            let exit = nodes.get(root.0).and_then(|_| exit_to(root, installed.device));
            let (Some(Node::Host(host)), Some(exit)) = (nodes.get_mut(root.0), exit) else {
                return Err(refused(scenario, installed.device, "its software runs on no host that it hangs below"));
            };
            let place = host.threads.len() as u32;
            installed.places[thread as usize] = Some(place);
            host.threads.push(Running {
                software: 0,
                number: thread,
                place,
                flow,
                exit,
                device: installed.device.0 as u32,
                part: root.0 as u32,
                token: RESUME | place,
                interrupted: false,
                asleep: false,
                told: false,
                awaits: 0,
                mps: host.mps,
            });
        }
    }
    Ok(())
}

/// What a crate above has not done as it should.
fn refused(scenario: &Scenario, device: PartId, what: &str) -> SimError {
    let part = scenario.system.parts.get(device.0).map_or_else(String::new, |part| part.name.clone());
    SimError::Kind { part, why: KindError { what: what.into(), help: "those who wrote its kind can mend that".into() } }
}

/// Puts software on its hosts, whose threads are there, and has these told what they wait for.
///
/// # Errors
/// Software that runs nowhere, or a thread of no flow.
pub(super) fn install(scenario: &Scenario, software: Vec<Installed>, nodes: &mut [Node]) -> Result<(), SimError> {
    for installed in software {
        let Installed { device, own, places } = installed;
        let refused = |what: &str| refused(scenario, device, what);
        let Some(Node::Host(host)) = nodes.get_mut(own.host.0) else {
            return Err(refused("its software runs on no host"));
        };
        if places.iter().any(Option::is_none) {
            return Err(refused("a thread of its software is of no flow"));
        }
        let local = host.software.len() as u32;
        for place in places.iter().flatten() {
            host.threads[*place as usize].software = local;
        }
        host.software.push(own.driver);
        for (signal, thread) in own.signals {
            let Some(place) = places.get(thread as usize).copied().flatten() else {
                return Err(refused("its software has no such thread"));
            };
            match signal {
                Signal::Message(message) => {
                    host.messages.push((message, place));
                    host.threads[place as usize].interrupted = true;
                }
                Signal::Written(window) => host.watched.push((window, place)),
            }
        }
        let many = host.threads.len() > MOST_THREADS;
        host.watched.sort_by_key(|(window, _)| window.base);
        host.messages.sort_by_key(|(message, _)| (message.address, message.data));
        let meet = |two: &[(system::Window, u32)]| two[0].0.holds(two[1].0.base);
        if many || host.watched.windows(2).any(meet) || host.messages.windows(2).any(|two| two[0].0 == two[1].0) {
            return Err(refused(
                "a message or a byte of memory tells two threads, or there are more threads than tags",
            ));
        }
    }
    Ok(())
}
