//! ACS on the ports of a switch: peer-to-peer traffic between its devices goes up to the root complex and down again.

use crate::address::Address;
use crate::finding::{Cost, Finding, Severity};
use crate::model::Device;
use crate::nic;
use crate::rates::Way;
use crate::role::Role;
use crate::view::View;
use pcie::Rate;
use std::collections::BTreeMap;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let mut switches: BTreeMap<Address, Vec<(Address, &Device)>> = BTreeMap::new();
    let takes_part = |device: &&Device| device.role.is_peer() && !view.is_emulated(device) && !is_slow(view, device);
    for device in view.model.devices.iter().filter(takes_part) {
        for (port, switch) in device.ports.iter().filter_map(|&port| Some((port, view.tree.parent(port)?))) {
            if redirects(view, port) {
                switches.entry(switch).or_default().push((port, device));
            }
        }
    }
    // Drives do not send data to each other.
    let talk = |peers: &&Vec<(Address, &Device)>| peers.len() > 1 && peers.iter().any(|(_, d)| d.role.computes());
    let all: Vec<_> = switches.iter().filter(|(_, peers)| talk(peers)).collect();
    // The kernel keeps the last of several such parameters.
    let ports: Vec<String> = all.iter().flat_map(|(_, peers)| peers.iter().map(|&(port, _)| view.name(port))).collect();
    let parameter = format!("The kernel parameter 'pci=disable_acs_redir={}'", ports.join(";"));
    all.iter().map(|&(&switch, peers)| one(view, switch, peers, &parameter)).collect()
}

/// True for a network card whose ports bring less than a card would send to another for.
fn is_slow(view: &View<'_>, device: &Device) -> bool {
    if device.role != Role::Nic {
        return false;
    }
    let ports = view.function(device.main).and_then(nic::ports_of);
    // Nor does a card whose link takes less.
    let link = view.rates.alone(device, Way::ToMemory, &[]).map(|limited| limited.rate.0 * 8.0 / 1e9);
    ports.map(|ports| ports.gbit_per_s).into_iter().chain(link).any(|rate| rate < LEAST_GBIT_PER_S)
}

/// RDMA and its like begin here: below it, a card sends by way of memory and nobody notices.
const LEAST_GBIT_PER_S: f64 = 10.0;

/// True if ACS of a downstream port redirects the peer-to-peer requests from below it to the root complex.
pub(crate) fn redirects(view: &View<'_>, port: Address) -> bool {
    let control = view.function(port).and_then(|function| function.capabilities.acs()).map(|acs| acs.ctl);
    control.is_some_and(|control| control.request_redirect() == Some(true))
}

fn one(view: &View<'_>, switch: Address, peers: &[(Address, &Device)], parameter: &str) -> Finding {
    let devices: Vec<&Device> = peers.iter().map(|&(_, device)| device).collect();
    let names: Vec<String> = devices.iter().map(|device| view.device_name(device)).collect();
    let switch = view.name(switch);
    let what = format!(
        "card to card goes through the root: ACS at the switch {switch} redirects what {} send to one another",
        names.join(" and ")
    );
    // Direct traffic uses the link of each device. Redirected traffic crosses the uplink, like writes to memory.
    let straight = view.rates.ring(&devices);
    let redirected = view.rates.sum(&devices, Way::ToMemory, &[]).0.min(straight.0);
    let cost = Cost {
        of: format!("{} of them in a ring, card to card", devices.len()),
        way: Way::ToMemory,
        now: Rate(redirected),
        mended: straight,
    };
    let at = peers.iter().flat_map(|&(port, device)| [port, device.address]).collect();
    let mut finding = Finding::new("acs-redirect", Severity::Warning, at, what).costs(cost.is_felt().then_some(cost));
    for &(port, _) in peers {
        let completions =
            view.function(port).and_then(|f| f.capabilities.acs()).map(|acs| acs.ctl.completion_redirect());
        let sign = if completions == Some(Some(true)) { "+" } else { "-" };
        finding = finding.shown(port, "ACSCtl", format!("ReqRedir+ CmpltRedir{sign}"));
    }
    let ports: Vec<String> = peers.iter().map(|&(port, _)| view.name(port)).collect();
    finding
        .mended_by(parameter)
        .mended_by(format!("For now: setpci -s {} ECAP_ACS+6.w=0000:000c, and so for the others", ports[0]))
        .mended_by("What a root complex makes of card to card shows in no register: often less than its links.")
        .mended_by("Not where their isolation from one another matters (virtual machines): it ends with this.")
}
