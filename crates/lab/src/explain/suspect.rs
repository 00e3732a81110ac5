//! What no register shows.

use super::evidence::{Evidence, Measurement};
use pcie::Width;
use std::collections::BTreeSet;
use std::fmt;
use system::graph::PortId;
use system::{Drive, Flow, Kind, PartId, Scenario, System};

/// Something that may hold rates back, by the names of its parts or ports, which are the same in all scenarios.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Suspect {
    /// The devices of one model give no more, whatever they hang at. The figure depends on the load.
    Model(Vec<String>),
    /// One device gives no more, or its slot passes no more. The figure depends on the load.
    Device(String),
    /// Devices of one model complete each command after so long, whatever its size: requests in flight over latency.
    InFlight(Vec<String>),
    /// A port to a switch or chipset passes no more.
    Uplink(String),
    /// Each port of a part passes no more; with a width, each that has so many lanes.
    Ports(String, Option<Width>),
    /// Each wired lane of the ports of a part passes no more.
    Lanes(String),
    /// Memory takes so long for each 64-byte line.
    Memory,
    /// The link between sockets passes no more.
    Sockets,
    /// The link between I/O hub and processor passes no more.
    Hub,
    /// The IOMMU looks up a page at a time, and takes so long for each.
    Iommu,
    /// One core gives all commands, and takes so long for each.
    Core,
    /// A thread gives the commands of each device, and takes so long for each.
    Threads,
}

/// Bytes of a line of memory.
pub(super) const LINE: f64 = 64.0;
/// Bytes of a page of an IOMMU.
pub(super) const PAGE: f64 = 4096.0;

impl Suspect {
    /// True where its figure is a rate, in bytes a second; else it is a time in seconds.
    pub fn is_rate(&self) -> bool {
        !matches!(self, Suspect::InFlight(_) | Suspect::Memory | Suspect::Iommu | Suspect::Core | Suspect::Threads)
    }

    /// One word for it.
    pub fn kind(&self) -> &'static str {
        match self {
            Suspect::Model(_) => "devices",
            Suspect::Device(_) => "device",
            Suspect::InFlight(_) => "in-flight",
            Suspect::Uplink(_) => "uplink",
            Suspect::Ports(..) => "ports",
            Suspect::Lanes(_) => "lanes",
            Suspect::Memory => "memory",
            Suspect::Sockets => "sockets",
            Suspect::Hub => "hub",
            Suspect::Iommu => "iommu",
            Suspect::Core => "core",
            Suspect::Threads => "threads",
        }
    }

    /// The names of the devices, the part or the port that it is about; none where it is the host's.
    pub fn places(&self) -> Vec<String> {
        match self {
            Suspect::Model(names) | Suspect::InFlight(names) => names.clone(),
            Suspect::Device(name) | Suspect::Uplink(name) | Suspect::Ports(name, _) | Suspect::Lanes(name) => {
                vec![name.clone()]
            }
            _ => Vec::new(),
        }
    }

    /// The bytes that pass in each of its times.
    pub(super) fn bytes(&self, scenario: &Scenario, in_flight: Option<u64>) -> f64 {
        let block = scenario.flows.iter().map(|flow| flow.command.0).max().unwrap_or(0) as f64;
        match self {
            Suspect::Memory => LINE,
            Suspect::Iommu => PAGE.min(block),
            Suspect::InFlight(_) => block * in_flight.unwrap_or(1) as f64,
            _ => block,
        }
    }

    /// True where each load may have a figure of its own.
    pub(super) fn is_of_load(&self) -> bool {
        matches!(self, Suspect::Model(_) | Suspect::Device(_))
    }

    /// What it adds to the score: twice the logarithm of the odds against it. A drive that is slower than its link is usual; a cap
    /// that no document states is rare. These are judgements, not measurements.
    pub(super) fn rarity(&self) -> f64 {
        match self {
            Suspect::Model(_) => 0.0,
            Suspect::Device(_) | Suspect::InFlight(_) | Suspect::Core | Suspect::Threads => 2.0,
            Suspect::Sockets | Suspect::Hub => 3.0,
            Suspect::Memory | Suspect::Iommu => 4.0,
            Suspect::Uplink(_) => 8.0,
            Suspect::Ports(..) | Suspect::Lanes(_) => 10.0,
        }
    }
}

impl fmt::Display for Suspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Suspect::Model(names) => match &names[..] {
                [one] => write!(f, "the device itself ({one}), or its slot"),
                [first, .., last] => write!(f, "each device itself ({first} to {last}), or its slot"),
                [] => write!(f, "no device"),
            },
            Suspect::Device(name) => write!(f, "the device {name}, or its slot"),
            Suspect::InFlight(names) => match &names[..] {
                [one] => write!(f, "requests in flight x latency of {one}"),
                [first, .., last] => write!(f, "requests in flight x latency of each of {first} to {last}"),
                [] => write!(f, "no device"),
            },
            Suspect::Uplink(port) => write!(f, "a cap at {port}"),
            Suspect::Ports(part, Some(width)) => write!(f, "a cap at each {width} port of {part}"),
            Suspect::Ports(part, None) => write!(f, "a cap at each port of {part}"),
            Suspect::Lanes(part) => write!(f, "a cap for each wired lane of the ports of {part}"),
            Suspect::Memory => write!(f, "memory, or something else that all devices share"),
            Suspect::Sockets => write!(f, "the link between the sockets"),
            Suspect::Hub => write!(f, "the link between I/O hub and processor"),
            Suspect::Iommu => write!(f, "the IOMMU"),
            Suspect::Core => write!(f, "one core that gives all commands"),
            Suspect::Threads => write!(f, "the thread that gives the commands of a device"),
        }
    }
}

/// The endpoints of a flow, whose own rates may hold it back.
pub(super) fn endpoints<'a>(system: &'a System, flow: &Flow) -> impl Iterator<Item = PartId> + use<'a> {
    [flow.initiator, flow.target].into_iter().filter(|&part| !system.part(part).kind.is_root())
}

/// The ports that face down on the way of a flow.
pub(super) fn ports(system: &System, flow: &Flow) -> Vec<PortId> {
    let path = system.path(flow.initiator, flow.target);
    path.into_iter().map(|on| system.link(on.link).upper).collect()
}

/// How many times its figure a suspect lets a port pass; `None` where it is not at that port.
pub(super) fn times(system: &System, id: PortId, suspect: &Suspect) -> Option<f64> {
    let port = system.port(id);
    let part = |name: &String| system.part(port.part).name == *name;
    let lower = || port.link.map(|link| &system.part(system.port(system.link(link).lower).part).name);
    let (is_there, times) = match suspect {
        Suspect::Model(names) => (lower().is_some_and(|lower| names.contains(lower)), 1),
        Suspect::Device(name) => (lower() == Some(name), 1),
        Suspect::Uplink(name) => (port.name == *name, 1),
        Suspect::Ports(name, width) => (part(name) && width.is_none_or(|width| port.able.width == width), 1),
        Suspect::Lanes(name) => (part(name), port.able.width.lanes()),
        _ => (false, 1),
    };
    is_there.then_some(times as f64)
}

/// The suspects of one port each that a suspect of several stands for, and how many times its figure each has.
pub(super) fn each_port(evidence: &Evidence, suspect: &Suspect) -> Vec<(Suspect, f64)> {
    let mut found: Vec<(Suspect, f64)> = Vec::new();
    for Measurement { scenario, .. } in &evidence.measurements {
        let system = &scenario.system;
        for port in scenario.flows.iter().flat_map(|flow| ports(system, flow)) {
            let (Some(times), Some(link)) = (times(system, port, suspect), system.port(port).link) else { continue };
            let lower = system.part(system.port(system.link(link).lower).part);
            let one = match lower.kind.is_endpoint() {
                true => Suspect::Device(lower.name.clone()),
                false => Suspect::Uplink(system.port(port).name.clone()),
            };
            if found.iter().all(|(known, _)| *known != one) {
                found.push((one, times));
            }
        }
    }
    found
}

/// Everything that may hold back some measurement.
pub(super) fn suspects(evidence: &Evidence) -> Vec<Suspect> {
    let mut found = BTreeSet::new();
    let mut models: Vec<((String, Kind), BTreeSet<String>)> = Vec::new();
    for measurement in &evidence.measurements {
        let scenario = &measurement.scenario;
        let system = &scenario.system;
        for flow in &scenario.flows {
            for part in endpoints(system, flow) {
                let part = system.part(part);
                let model = (part.model.clone(), part.kind.clone());
                match models.iter_mut().find(|(known, _)| *known == model) {
                    Some((_, names)) => _ = names.insert(part.name.clone()),
                    None => models.push((model, BTreeSet::from([part.name.clone()]))),
                }
            }
            for port in ports(system, flow) {
                let at = system.port(port);
                let lower = at.link.map(|link| system.port(system.link(link).lower).part);
                if lower.is_some_and(|lower| !system.part(lower).kind.is_endpoint()) {
                    found.insert(Suspect::Uplink(at.name.clone()));
                }
                let part = system.part(at.part).name.clone();
                found.insert(Suspect::Ports(part.clone(), Some(at.able.width)));
                found.insert(Suspect::Lanes(part));
            }
            // What software gives by commands; a card of a described machine that streams has no part in that.
            if flow.drive == Drive::Software || measurement.busy.is_some() {
                found.extend([Suspect::Core, Suspect::Threads]);
            }
        }
        let hosts = scenario.flows.iter().map(|flow| system.host_for(flow.initiator, flow.target));
        for host in hosts.filter_map(|host| system.part(host).kind.host()) {
            found.insert(Suspect::Memory);
            found.extend((evidence.iommu != Some(false) && !host.iommu).then_some(Suspect::Iommu));
        }
        found.extend(crosses(scenario, "socket").then_some(Suspect::Sockets));
        found.extend(crosses(scenario, "hub").then_some(Suspect::Hub));
    }
    // Where ports have several widths, all of them together.
    let widths =
        |name: &String| found.iter().filter(|one| matches!(one, Suspect::Ports(part, _) if part == name)).count();
    let parts = found.iter().filter_map(|one| if let Suspect::Lanes(part) = one { Some(part) } else { None });
    let all: Vec<Suspect> =
        parts.filter(|part| widths(part) > 1).map(|part| Suspect::Ports(part.clone(), None)).collect();
    found.extend(all);
    // A cap at one slot is that of its device.
    let slot = |one: &Suspect| {
        let mut at = BTreeSet::new();
        for Measurement { scenario, .. } in &evidence.measurements {
            let all = scenario.flows.iter().flat_map(|flow| ports(&scenario.system, flow));
            at.extend(all.filter(|&port| times(&scenario.system, port, one).is_some()).filter_map(|port| {
                let link = scenario.system.port(port).link?;
                Some(scenario.system.part(scenario.system.port(scenario.system.link(link).lower).part).name.clone())
            }));
        }
        if at.len() == 1 { at.pop_first() } else { None }
    };
    let is_one_of_several = |device: String| models.iter().any(|(_, names)| names.len() > 1 && names.contains(&device));
    found.retain(|one| {
        !matches!(one, Suspect::Ports(..) | Suspect::Lanes(_)) || !slot(one).is_some_and(is_one_of_several)
    });
    for (_, names) in models {
        let names: Vec<String> = names.into_iter().collect();
        if names.len() > 1 {
            found.extend(names.iter().map(|name| Suspect::Device(name.clone())));
        }
        found.insert(Suspect::Model(names.clone()));
        // Of a device with queues, the closed form has the latency.
        let is_plain = |one: &Measurement| one.scenario.flows.iter().any(|flow| !flow.operation.is_queued());
        if evidence.measurements.iter().any(|one| one.in_flight.is_some() && is_plain(one)) {
            found.insert(Suspect::InFlight(names));
        }
    }
    // A core that was not busy is not the limit; that each thread is, is looked for only where one was.
    let busy = evidence.measurements.iter().filter_map(|measurement| measurement.busy).fold(None, most);
    let said = |one: &Measurement| one.scenario.flows.iter().all(|flow| flow.work.cores.is_some());
    let is_said = evidence.measurements.iter().all(said);
    found.retain(|suspect| match suspect {
        Suspect::Core => busy.is_none_or(|busy| busy > BUSY),
        // Where all say how many threads there are, that is one thing.
        Suspect::Threads => busy.is_some_and(|busy| busy > BUSY) && !is_said,
        _ => true,
    });
    found.into_iter().collect()
}

/// A thread of the generator that is busy for more of its time may be the limit.
pub(super) const BUSY: f64 = 0.85;

fn most(of: Option<f64>, other: f64) -> Option<f64> {
    Some(of.map_or(other, |of| of.max(other)))
}

/// True where a flow enters by a root port on another socket than its memory, or on an I/O hub.
fn crosses(scenario: &Scenario, field: &str) -> bool {
    let system = &scenario.system;
    scenario.flows.iter().any(|flow| {
        ports(system, flow).into_iter().any(|port| {
            let at = system.port(port);
            let part = system.part(at.part);
            let Some(host) = part.kind.host() else { return false };
            let own = at.own.iter().find(|own| own.field == field).map(|own| own.value.clone());
            let value = own.or_else(|| part.value(field)).unwrap_or_default();
            match field {
                "socket" => value != host.memory_socket.to_string(),
                _ => value == "yes",
            }
        })
    })
}
