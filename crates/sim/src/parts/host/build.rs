//! Builds a host from a scenario: its root ports, the CPUs that carry out PIO flows, and the threads of device
//! software.

use crate::engine::numbering;
use crate::engine::refusal::KindError;
use crate::engine::region::Region;
use crate::link::cap::PortCap;
use crate::link::switch::Behind;
use crate::parts::exit::Exit;
use crate::parts::host::cache::Cache;
use crate::parts::host::iommu::Iommu;
use crate::parts::host::lines::Lines;
use crate::parts::host::peer::Peers;
use crate::parts::host::pio::{Cpu, Loads, Pio, Stores};
use crate::parts::host::socket::{Inside, Way};
use crate::parts::host::thread::Running;
use crate::parts::host::{Host, RESUME, RootPort};
use crate::parts::memory::Memory;
use crate::parts::{Built, Provider, target_bar};
use crate::software::driver::Signal;
use crate::software::resources::Resources;
use pcie::Time;
use std::collections::VecDeque;
use system::kinds::host::ServeReads;
use system::{PartId, Scenario};

/// Builds hosts: the parts of root kinds without another provider.
#[derive(Debug)]
pub(crate) struct Hosts;

impl Provider for Hosts {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.host().is_some() && !part.kind.is_compiled()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let mut host = host(scenario, id)?;
        let installed = resources.software(id);
        let mut places: Vec<Vec<u16>> = installed.iter().map(|(_, own)| vec![0; own.threads.len()]).collect();
        for (number, flow) in scenario.flows.iter().enumerate() {
            for (software, (device, own)) in installed.iter().enumerate() {
                for thread in (0..own.threads.len()).filter(|&thread| own.threads[thread] as usize == number) {
                    let Some(exit) = host.exit_to(scenario, id, *device) else { continue };
                    let place = host.threads.len() as u16;
                    places[software][thread] = place;
                    host.threads.push(Running {
                        software: software as u32,
                        number: thread as u32,
                        place,
                        flow: number as u32,
                        exit,
                        device: *device,
                        token: RESUME | u32::from(place),
                        interrupted: false,
                        shares_cores: flow.work.cores.is_some(),
                        asleep: false,
                        told: false,
                        awaits: 0,
                        mps: scenario.system.mps_towards(id, *device).bytes(),
                    });
                }
            }
            if scenario.system.host_for(flow.initiator, flow.target) == id {
                let cores = flow.work.cores.unwrap_or(0) as usize;
                host.cores.resize(cores.max(host.cores.len()), Time::ZERO);
            }
            host.real[number] = resources.works_on_bytes(number);
            if flow.operation.is_pio() && scenario.system.host_for(flow.initiator, flow.target) == id {
                host.add_cpu(scenario, id, number);
            }
        }
        for ((_, own), places) in installed.into_iter().zip(places) {
            host.software.push(own.driver);
            for (signal, thread) in own.signals {
                let Some(&place) = places.get(thread as usize) else { continue };
                match signal {
                    Signal::Message(message) => {
                        host.messages.push((message, u32::from(place)));
                        host.threads[usize::from(place)].interrupted = true;
                    }
                    Signal::Written(window) => host.watched.push((window, u32::from(place))),
                }
            }
        }
        host.watched.sort_by_key(|(window, _)| window.base);
        host.messages.sort_by_key(|(message, _)| (message.address, message.data));
        Ok(Built::alone(host))
    }
}

impl Host {
    /// Adds a queue for TLPs to `device`; `None` where no link leads there.
    fn exit_to(&mut self, scenario: &Scenario, id: PartId, device: PartId) -> Option<Exit> {
        let system = &scenario.system;
        let first = numbering::of(*system.path(id, device).first()?);
        let leads = |&port: &system::PortId| numbering::leaving(system.port(port)) == Some(first);
        let port = system.part(id).ports.iter().position(leads)?;
        let queues = &mut self.ports.get_mut(port)?.queues;
        *queues += 1;
        Some(Exit { port, queue: *queues - 1, requester: system.bdf(id) })
    }

    /// Adds a CPU that carries out flow `number`.
    fn add_cpu(&mut self, scenario: &Scenario, id: PartId, number: usize) {
        let flow = &scenario.flows[number];
        let (Some(bar), Some(exit)) = (target_bar(scenario, number), self.exit_to(scenario, id, flow.target)) else {
            return;
        };
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
        self.pio.insert(number as u32, pio);
    }
}

/// A host without threads and flows.
///
/// # Errors
/// The kind of the part is not a host.
fn host(scenario: &Scenario, id: PartId) -> Result<Host, KindError> {
    let system = &scenario.system;
    let part = system.part(id);
    let none = || KindError { what: "it is no host".into(), help: "those who wrote its kind can mend that".into() };
    let params = part.kind.host().ok_or_else(none)?;
    let turns = if params.serve_reads == ServeReads::InTurn { scenario.flows.len().max(1) as u32 } else { 1 };
    let port = |&id: &system::PortId| {
        let port = system.port(id);
        let kind = system.kind_at(id);
        let own = kind.host().unwrap_or_default();
        RootPort {
            queues: turns + part.ports.len() as u32,
            behind: numbering::leaving(port).map(|direction| Behind::of(direction, port)),
            last_data: Time::ZERO,
            inward: PortCap { passing: system.passing(id), free: Time::ZERO },
            passing: VecDeque::new(),
            most: own.completion_bytes.0.min(system.mps(id).bytes()),
            asked: VecDeque::new(),
            looked_up: VecDeque::new(),
            mps: system.mps(id).bytes(),
            way: Way::new(&own),
        }
    };
    let ports: Vec<RootPort> = part.ports.iter().map(port).collect();
    let params = params.into_owned();
    let mut queued: Vec<bool> = scenario.flows.iter().map(|flow| flow.operation.is_queued()).collect();
    for written in (0..queued.len()).filter_map(|number| scenario.written_back(number)).collect::<Vec<_>>() {
        queued[written] = true;
    }
    Ok(Host {
        cache: Cache::new(&params, scenario, ports.iter().any(|port| port.way.far)),
        lines: Lines::new(&params, scenario),
        inside: Inside::new(&params),
        iommu: Iommu::new(&params, part.ports.len()),
        translated: scenario.flows.iter().map(|flow| flow.is_translated(system)).collect(),
        peers: Peers::default(),
        params,
        taken: scenario.flows.iter().map(|flow| system.part(flow.initiator).mps.bytes()).collect(),
        several: ports.iter().filter(|port| port.behind.is_some()).count() > 1,
        ports,
        turns,
        memory: Memory::new(scenario.flows.len()),
        pio: Default::default(),
        software: Vec::new(),
        threads: Vec::new(),
        messages: Vec::new(),
        watched: Vec::new(),
        bus_free: Time::ZERO,
        cores: Vec::new(),
        integrity: scenario.integrity,
        store: None,
        told: VecDeque::new(),
        real: vec![false; scenario.flows.len()],
        queued,
    })
}
