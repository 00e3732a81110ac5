//! A network card whose ports together are faster than its link.

use crate::finding::{Finding, Severity};
use crate::function::Function;
use crate::model::Device;
use crate::nic::{Ports, Told, ports};
use crate::rates::Way;
use crate::role::Role;
use crate::view::View;

/// The share of a port's rate that crosses the link: a frame of 1514 bytes takes the time of 1538 bytes (IEEE 802.3:
/// preamble, frame check sequence, interpacket gap).
const OF_A_PORT: f64 = 1514.0 / 1538.0;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let nics = view.of_role(Role::Nic).into_iter().filter(|device| !view.is_emulated(device));
    nics.filter_map(|device| one(view, device)).collect()
}

/// The physical functions of a card: those with the device id of the main function (virtual functions have another one).
/// Partitions of a port that others share are excluded.
fn physical<'m>(view: &View<'m>, device: &Device) -> Vec<&'m Function> {
    let Some(first) = view.function(device.main) else { return Vec::new() };
    let same = |function: &&Function| {
        Role::of(function) == Role::Nic
            && function.header.device == first.header.device
            && function.names.device == first.names.device
    };
    let shared = |function: &&Function| {
        let name = function.names.device.as_deref().unwrap_or("");
        name.contains("Virtual Function") || name.contains("Partition")
    };
    view.functions(device).filter(same).filter(|function| !shared(function)).collect()
}

/// The physical functions of a card whose port rate is known, with their ports.
fn told<'m>(view: &View<'m>, device: &Device) -> Option<Vec<(&'m Function, Ports)>> {
    let lanes = view.tree.link_above(device.address)?.lower_max.and_then(|able| able.width);
    let all = physical(view, device).into_iter();
    Some(all.filter_map(|function| Some((function, ports(function, lanes)?))).collect())
}

/// True for a network card whose link, at `bytes_per_s`, carries the full rate of all its ports: a faster link gains nothing.
pub(super) fn is_enough(view: &View<'_>, device: &Device, bytes_per_s: f64) -> bool {
    let known = told(view, device).filter(|told| told.len() == physical(view, device).len() && !told.is_empty());
    let gbit = |told: Vec<(&Function, Ports)>| told.iter().map(|(_, ports)| ports.gbit_per_s).sum::<f64>();
    device.role == Role::Nic && known.is_some_and(|told| gbit(told) * 1e9 / 8.0 * OF_A_PORT <= bytes_per_s)
}

fn one(view: &View<'_>, device: &Device) -> Option<Finding> {
    let functions = physical(view, device);
    let told = told(view, device)?;
    let gbit: f64 = told.iter().map(|(_, ports)| ports.gbit_per_s).sum();
    let sum = gbit * 1e9 / 8.0 * OF_A_PORT;
    let limited = view.rates.alone(device, Way::ToMemory, &[])?;
    if limited.rate.0 >= sum {
        return None;
    }
    let is_driver = told.iter().all(|(_, ports)| ports.told == Told::Driver);
    let verb = if told.len() == 1 { "runs" } else { "run" };
    let (verb, severity) = if is_driver { (verb, Severity::Warning) } else { ("may run", Severity::Note) };
    let ports = match told.len() {
        1 => format!("port {verb} at {gbit} Gb/s"),
        n => format!("{n} ports {verb} at {gbit} Gb/s together"),
    };
    let what = format!(
        "{}, whose {ports}, brings {:.0} MB/s; its link takes {:.0}",
        view.device_name(device),
        sum / 1e6,
        limited.rate.as_mb_per_s()
    );
    let at = functions.iter().map(|function| function.address).collect();
    let mut finding = Finding::new("nic-ports", severity, at, what);
    for (function, ports) in &told {
        finding = finding.shown(function.address, &ports.shown.0, &ports.shown.1);
    }
    let link = view.tree.link_above(device.address)?;
    let remedy = match (limited.own, link.now == link.lower_max) {
        (true, true) => {
            "By design, where one port stands by for the other; no slot gives the card more than it has now: else the \
             second port on a card of its own."
        }
        (true, false) => {
            "By design, where one port stands by for the other; else a slot with more lanes or of a later generation, or \
             the second port on a card of its own."
        }
        (false, _) => {
            "By design, where one port stands by for the other; else a slot that is not behind that link, or the second \
             port on a card of its own."
        }
    };
    Some(finding.shown(device.address, "limit", &limited.by).mended_by(remedy))
}
