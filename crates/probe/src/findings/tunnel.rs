//! Devices that are reached through a Thunderbolt or USB4 cable: their own link runs at its full rate, and does not
//! show the rate of the cable.

use crate::address::Address;
use crate::finding::{Finding, Severity};
use crate::model::Device;
use crate::rates::Way;
use crate::thunderbolt::Tunnel;
use crate::view::View;
use std::collections::BTreeMap;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let mut by_shared: BTreeMap<Address, Vec<(&Device, &Tunnel)>> = BTreeMap::new();
    for device in &view.model.devices {
        if let Some(tunnel) = &device.tunnel {
            by_shared.entry(tunnel.shared()).or_default().push((device, tunnel));
        }
    }
    by_shared.into_values().filter_map(|devices| one(view, &devices)).collect()
}

fn one(view: &View<'_>, devices: &[(&Device, &Tunnel)]) -> Option<Finding> {
    let fast: Vec<&Device> = devices.iter().map(|&(device, _)| device).filter(|d| d.role.is_fast()).collect();
    let &(_, tunnel) = devices.iter().find(|(device, _)| device.role.is_fast())?;
    let names: Vec<String> = fast.iter().map(|device| view.device_name(device)).collect();
    let feed = match &tunnel.feed {
        Some(feed) => {
            let rate = feed.now.map_or("a link that was not to be read".to_string(), |now| now.to_string());
            let lower = feed.lower.map_or(String::new(), |lower| view.name(lower));
            format!("whose controller {lower} has {rate} to the host for all that is behind it")
        }
        None => "whose controller is inside the processor".to_string(),
    };
    let is = if fast.len() == 1 { "is" } else { "are" };
    let what = format!("{} {is} behind Thunderbolt or USB4, {feed}", names.join(", "));
    let at = fast.iter().map(|device| device.address).chain([tunnel.to, tunnel.from]).collect();
    let mut finding = Finding::new("tunnel", Severity::Note, at, what);
    for device in &fast {
        let own = view.tree.link_above(device.address).and_then(|link| link.now);
        finding = finding.shown(device.address, "LnkSta", own.map_or("not read".to_string(), |now| now.to_string()));
    }
    let reads = view.tree.link_above(tunnel.to).and_then(|link| link.now);
    if let Some(reads) = reads {
        finding = finding.shown(tunnel.to, "LnkSta", format!("{reads}, whatever the cable carries"));
    }
    if let Some((feed, lower)) = tunnel.feed.as_ref().and_then(|feed| Some((feed.now?, feed.lower?))) {
        finding = finding.shown(lower, "LnkSta", feed);
    }
    // The limit of the physical links above the devices. In the model the tunnel is no bottleneck; the real one may carry less.
    let most: f64 = view.rates.together(&fast, Way::ToMemory, &[]).iter().map(|limited| limited.rate.0).sum();
    let together = if fast.len() == 1 { "" } else { " together" };
    finding = finding.mended_by(format!(
        "Count on no more than {:.0} MB/s{together}, which is what the wires on the way leave. What the tunnel gives shows in no \
         register: it shares the cable with screens, USB and all else that is plugged in there.",
        most / 1e6
    ));
    Some(
        finding
            .mended_by("Measure it; unplug what shares the cable; a port of another controller has a link of its own."),
    )
}
