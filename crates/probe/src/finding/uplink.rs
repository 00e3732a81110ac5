//! Several fast devices behind one link that is too small for all of them: the uplink of a switch, or that of a chipset,
//! which no register of theirs shows.

use super::{Cost, Finding, Severity};
use crate::address::Address;
use crate::model::Device;
use crate::rates::{Mend, Way};
use crate::view::View;
use pcie::config::PortType;

/// Less than this share of what the devices could have is worth a word.
const ENOUGH: f64 = 0.9;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    chipset(view).into_iter().chain(switches(view)).collect()
}

fn fast<'m>(view: &View<'m>, devices: impl Iterator<Item = &'m Device>) -> Vec<&'m Device> {
    devices.filter(|device| device.role.is_fast() && !view.is_emulated(device)).collect()
}

/// What devices get at once, and what they would get if the uplink were in nobody's way; `None` where that is the same.
fn cost(view: &View<'_>, devices: &[&Device], uplink: Mend, of: &str) -> Option<Cost> {
    if devices.len() < 2 {
        return None;
    }
    let now = view.rates.sum(devices, Way::ToMemory, &[]);
    let mended = view.rates.sum(devices, Way::ToMemory, &[uplink]);
    (now.0 < ENOUGH * mended.0).then(|| Cost {
        of: format!("{} devices behind {of}", devices.len()),
        way: Way::ToMemory,
        now,
        mended,
    })
}

fn list(view: &View<'_>, devices: &[&Device]) -> String {
    devices.iter().map(|device| view.device_name(device)).collect::<Vec<_>>().join(", ")
}

fn chipset(view: &View<'_>) -> Option<Finding> {
    let uplink = view.model.uplink.as_ref()?;
    let devices = fast(view, view.model.below_chipset().into_iter());
    let cost = cost(view, &devices, Mend::NoChipset, "the chipset")?;
    let link = uplink.chipset.link;
    let what = format!(
        "{} hang below the chipset ({}) and share its {link} to the processor, which none of their own links shows",
        list(view, &devices),
        uplink.chipset.name
    );
    let at = devices.iter().flat_map(|device| device.root().into_iter().chain([device.address])).collect();
    let mut finding = Finding::new("chipset-uplink", Severity::Warning, at, what).costs(Some(cost));
    for device in &devices {
        let root = device.root().unwrap_or_default();
        finding =
            finding.shown(device.address, "bus", format!("below {}, a root port of the chipset", view.name(root)));
    }
    let lpc = Address::new(pcie::Bdf::new(0, 0x1f, 0).unwrap_or_default());
    let title = view.function(lpc).map_or(String::new(), |function| function.title());
    Some(
        finding
            .shown(lpc, "device", format!("{title}: {link} ({})", uplink.chipset.source))
            .mended_by("Move one of them to a slot of the processor; the board's manual tells which those are."),
    )
}

fn switches(view: &View<'_>) -> Vec<Finding> {
    let upstream = view.real_links().filter(|&(_, lower)| {
        view.function(lower).is_some_and(|function| function.port_type() == Some(PortType::UpstreamPort))
    });
    let finding = |(link, lower): (&crate::link::Link, Address)| {
        let devices = fast(view, view.across(link).into_iter());
        let name = view.name(lower);
        let cost = cost(view, &devices, Mend::Uplink(lower), &format!("the switch {name}"))?;
        let now = link.now?;
        let what = format!("{} share the uplink of the switch {name}: {now}", list(view, &devices));
        let at = [lower].into_iter().chain(link.upper).chain(devices.iter().map(|d| d.address)).collect();
        let mut finding = Finding::new("shared-uplink", Severity::Warning, at, what).costs(Some(cost)).shown(
            lower,
            "LnkSta",
            format!("Speed and width {now}"),
        );
        for device in &devices {
            let own = view.tree.link_above(device.address)?.now?;
            finding = finding.shown(device.address, "LnkSta", format!("Speed and width {own}"));
        }
        Some(finding.mended_by(
            "By design, where they are not used at once; else move some to other root ports, or the switch to a wider slot.",
        ))
    };
    upstream.filter_map(finding).collect()
}
