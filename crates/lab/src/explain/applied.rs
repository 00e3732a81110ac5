//! A scenario with suspects at some figures.

use super::suspect::{Suspect, endpoints, ports, times};
use std::collections::BTreeMap;
use system::graph::PortId;
use system::{Change, Flow, Origin, PartId, Scale, Scenario, System};

/// A suspect with its figures: one, or one for each load.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct At {
    pub suspect: Suspect,
    pub figures: Vec<f64>,
}

impl At {
    /// True where each load has a figure of its own.
    pub fn is_of_load(&self) -> bool {
        self.figures.len() > 1
    }
}

/// What was measured, or may be.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub scenario: &'a Scenario,
    /// The number of its load.
    pub load: usize,
    /// Commands that each device has in flight, where that is known.
    pub in_flight: Option<u64>,
}

/// The sum of the rates of all flows, bytes a second: the most that they come to, since what a slow device leaves, others take.
/// How arbiters divide what is full is another matter.
pub(super) fn sum(scenario: &Scenario) -> f64 {
    limit::limit(scenario).bound().0
}

/// What suspects change in a scenario.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// The most that ports pass, bytes a second, by their numbers.
    pub caps: BTreeMap<usize, f64>,
    /// Suspects of the hosts and of software, each with its figure.
    pub hosts: Vec<(Suspect, f64)>,
}

impl Effects {
    /// True where nothing is changed.
    pub fn is_nothing(&self) -> bool {
        self.caps.is_empty() && self.hosts.is_empty()
    }
}

impl Run<'_> {
    /// Its rate with all of `set`, bytes a second.
    pub fn rate(&self, set: &[At]) -> f64 {
        sum(self.with(set).as_ref().unwrap_or(self.scenario))
    }

    /// The scenario with all of `set`; `None` where nothing of it is in the scenario.
    pub fn with(&self, set: &[At]) -> Option<Scenario> {
        self.changed(&self.effects(set))
    }

    /// What `set` changes in the scenario.
    pub fn effects(&self, set: &[At]) -> Effects {
        let mut effects = Effects::default();
        let system = &self.scenario.system;
        for At { suspect, figures } in set {
            let figure = figures.get(self.load).or(figures.first()).copied().unwrap_or(f64::INFINITY);
            if !figure.is_finite() || figure <= 0.0 {
                continue;
            }
            let mut cap = |port: PortId, rate: f64| {
                effects.caps.entry(port.0).and_modify(|least| *least = least.min(rate)).or_insert(rate);
            };
            match suspect {
                Suspect::Model(_)
                | Suspect::Device(_)
                | Suspect::Uplink(_)
                | Suspect::Ports(..)
                | Suspect::Lanes(_) => {
                    for id in self.scenario.flows.iter().flat_map(|flow| ports(system, flow)) {
                        if let Some(times) = times(system, id, suspect) {
                            cap(id, figure * times);
                        }
                    }
                }
                Suspect::InFlight(names) => {
                    for flow in &self.scenario.flows {
                        cap_in_flight(system, flow, names, (self.in_flight, figure), &mut cap);
                    }
                }
                _ => effects.hosts.push((suspect.clone(), figure)),
            }
        }
        effects
    }

    /// The scenario with these effects; `None` where there are none.
    pub fn changed(&self, effects: &Effects) -> Option<Scenario> {
        if effects.is_nothing() {
            return None;
        }
        let system = &self.scenario.system;
        let mut changes = Vec::new();
        for (suspect, figure) in &effects.hosts {
            for host in system.roots().filter(|&host| system.part(host).kind.host().is_some()) {
                changes.extend(at_host(system, host, suspect, *figure));
            }
        }
        for (&port, &rate) in &effects.caps {
            let known = system.port_cap(PortId(port)).unwrap_or(f64::INFINITY);
            changes.push(Change::PortField(PortId(port), "port_cap", Scale::Rate.write(rate.min(known))));
        }
        let mut changed = self.scenario.clone();
        for (suspect, _) in &effects.hosts {
            let cores = match suspect {
                Suspect::Core => 1,
                Suspect::Threads => self.scenario.flows.len() as u64,
                _ => continue,
            };
            // How many threads there are is known where it was said.
            changed.flows.iter_mut().for_each(|flow| flow.work.cores = flow.work.cores.or(Some(cores)));
        }
        for change in changes {
            changed.system.amend(change, Origin::Override("a suspect".into())).ok()?;
        }
        Some(changed)
    }
}

/// Caps the port of each device of a flow at what so many commands in flight give, each of which takes `latency` and its time
/// on the link of the device (Little's law).
fn cap_in_flight(
    system: &System,
    flow: &Flow,
    names: &[String],
    (in_flight, latency): (Option<u64>, f64),
    cap: &mut impl FnMut(PortId, f64),
) {
    let Some(in_flight) = in_flight else { return };
    for device in endpoints(system, flow).filter(|&part| names.contains(&system.part(part).name)) {
        if let Some((link, _)) = system.above(device) {
            let link = system.link(link);
            let each = flow.command.0 as f64;
            let time = latency + each / link.speed.encoded().0;
            cap(link.upper, in_flight as f64 * each / time);
        }
    }
}

/// What a suspect changes at a host.
fn at_host(system: &System, host: PartId, suspect: &Suspect, figure: f64) -> Vec<Change> {
    let set = |field: &'static str, value: &str| Change::Field(host, field, value.to_string());
    let time = Scale::Time.write(figure * 1e15);
    match suspect {
        Suspect::Memory => {
            let own = system.part(host).kind.host();
            let mut changes = vec![set("dram_line_service", &time), set("dram_channels", "1")];
            let Some(own) = own else { return Vec::new() };
            changes.extend(own.cache.0.is_none().then(|| set("cache", "0 B")));
            changes.extend(own.direct_io.0.is_none().then(|| set("direct_io", "0 B")));
            changes
        }
        Suspect::Sockets => vec![set("socket_rate", &Scale::Rate.write(figure))],
        Suspect::Hub => vec![set("hub_rate", &Scale::Rate.write(figure))],
        Suspect::Iommu => {
            vec![set("iommu", "yes"), set("iotlb_entries", "1"), set("walk_latency", "0 ns"), set("walk_gap", &time)]
        }
        Suspect::Core | Suspect::Threads => vec![set("command_cost", &time)],
        _ => Vec::new(),
    }
}
