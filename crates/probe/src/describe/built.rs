//! How a machine differs from a description of it, each with what it costs.
//!
//! Parts and ports are matched by name, as [`describe`](super::describe) writes names: by role and address. A cost is what
//! the limit of a device would be with only that value as described, minus the limit as it is.

use super::names::Names;
use crate::finding::Cost;
use crate::model::Device;
use crate::rates::{Mend, Way};
use crate::report::Report;
use crate::view::View;
use crate::{Machine, Tree};
use std::collections::BTreeSet;
use system::{LinkId, PartId, PortId, System};

/// A value of a machine that is not as described.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The link, port or part, by its name in the description.
    pub what: String,
    /// `link`, `Max_Payload_Size`, `Max_Read_Request_Size` or `tags`.
    pub field: &'static str,
    /// As described; `None` where it is not described.
    pub described: Option<String>,
    /// As found; `None` where it is not there.
    pub found: Option<String>,
    /// What it costs, where it costs something.
    pub cost: Option<Cost>,
}

/// The differences of a machine from its description.
pub fn differences(described: &System, machine: &Machine, tree: &Tree, report: &Report) -> Vec<Difference> {
    let view = View::new(machine, tree, &report.model);
    let names = Names::of(&report.model);
    let search = Search { described, found: &report.model.system, view: &view, names: &names };
    let mut all = Vec::new();
    search.links(&mut all);
    search.payloads(&mut all);
    search.devices(&mut all);
    all
}

struct Search<'s> {
    described: &'s System,
    found: &'s System,
    view: &'s View<'s>,
    names: &'s Names,
}

impl Search<'_> {
    fn links(&self, all: &mut Vec<Difference>) {
        let told = |what: &str, described: Option<String>, found: Option<String>, cost: Option<Cost>| Difference {
            what: what.to_string(),
            field: "link",
            described,
            found,
            cost,
        };
        let joined = |system: &System, link: &system::Link| {
            format!("{} - {}", system.port(link.upper).name, system.port(link.lower).name)
        };
        let mut seen = BTreeSet::new();
        for number in 0..self.found.links.len() {
            let (id, link) = (LinkId(number), self.found.link(LinkId(number)));
            let name = self.names.join(self.found, id);
            let other = self.described.links.iter().find(|other| joined(self.described, other) == name);
            seen.insert(name.clone());
            let speed = link.speed;
            match other {
                None => all.push(told(&name, None, Some(speed.to_string()), None)),
                Some(other) if other.speed != speed => {
                    let at = self.view.model.address_of(id);
                    let cost = at.and_then(|at| self.cost(&self.across(id), &[Mend::Link(at, other.speed)]));
                    all.push(told(&name, Some(other.speed.to_string()), Some(speed.to_string()), cost));
                }
                Some(_) => {}
            }
        }
        for link in &self.described.links {
            let name = joined(self.described, link);
            if !seen.contains(&name) {
                all.push(told(&name, Some(link.speed.to_string()), None, None));
            }
        }
    }

    /// The Max_Payload_Size of ports of switches and root complexes.
    fn payloads(&self, all: &mut Vec<Difference>) {
        for (number, port) in self.found.ports.iter().enumerate() {
            if self.found.part(port.part).kind.is_endpoint() {
                continue;
            }
            let (id, name) = (PortId(number), self.names.whole(self.found, PortId(number)));
            let Some(other) = self.described.ports.iter().position(|other| other.name == name) else { continue };
            let (described, found) = (self.described.mps(PortId(other)), self.found.mps(id));
            if described != found {
                let devices = port.link.map_or_else(Vec::new, |link| self.across(link));
                let first = devices.first().map(|device| Mend::Mps(device.address, described));
                let cost = first.and_then(|mend| self.cost(&devices[..1], &[mend]));
                let [described, found] = [described, found].map(|size| Some(format!("{size} B")));
                all.push(Difference { what: name, field: "Max_Payload_Size", described, found, cost });
            }
        }
    }

    fn devices(&self, all: &mut Vec<Difference>) {
        for device in &self.view.model.devices {
            let name = self.names.device(device);
            let Some(other) = self.described.part_named(name).map(|id| self.described.part(id)) else { continue };
            let found = self.found.part(device.part);
            let mut told = |field, described: String, now: String, cost| {
                let (described, now) = (Some(described), Some(now));
                all.push(Difference { what: name.to_string(), field, described, found: now, cost });
            };
            if other.mps != found.mps {
                let cost = self.cost(&[device], &[Mend::Mps(device.address, other.mps)]);
                told("Max_Payload_Size", format!("{} B", other.mps), format!("{} B", found.mps), cost);
            }
            if other.mrrs != found.mrrs {
                let cost = self.cost(&[device], &[Mend::Mrrs(device.address, other.mrrs)]);
                told("Max_Read_Request_Size", format!("{} B", other.mrrs), format!("{} B", found.mrrs), cost);
            }
            if other.tags != found.tags {
                told("tags", other.tags.to_string(), found.tags.to_string(), None);
            }
        }
    }

    /// The devices below a link.
    fn across(&self, link: LinkId) -> Vec<&Device> {
        let is_below = |part: PartId| self.found.ways_up(part).iter().flatten().any(|&(above, _)| above == link);
        self.view.model.devices.iter().filter(|device| is_below(device.part)).collect()
    }

    /// The greatest cost of one of these devices alone.
    fn cost(&self, devices: &[&Device], mends: &[Mend]) -> Option<Cost> {
        let both = devices.iter().flat_map(|device| [Way::ToMemory, Way::FromMemory].map(|way| (*device, way)));
        let costs = both.filter_map(|(device, way)| {
            let rate = |mends: &[Mend]| Some(self.view.rates.alone(device, way, mends)?.rate);
            Some(Cost { of: self.view.device_name(device), way, now: rate(&[])?, mended: rate(mends)? })
        });
        costs.filter(Cost::is_felt).max_by(|a, b| a.lost().0.total_cmp(&b.lost().0))
    }
}
