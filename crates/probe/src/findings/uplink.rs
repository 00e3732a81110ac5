//! Several fast devices below one link that is too slow for all of them: the uplink of a switch, or the link of a chipset,
//! which no register of the devices shows.

use crate::address::Address;
use crate::finding::{Cost, Finding, Severity};
use crate::function::Function;
use crate::model::Device;
use crate::rates::{Mend, Way};
use crate::role::Role;
use crate::view::View;

/// A finding requires that the devices get less than this share of what they would get with an unlimited uplink.
const ENOUGH: f64 = 0.9;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    chipset(view).into_iter().chain(switches(view)).chain(hidden(view)).collect()
}

/// Switches whose uplink only root can read: the bus numbers show that devices share it, but not its rate.
fn hidden(view: &View<'_>) -> Vec<Finding> {
    let uplinks = view.machine.functions.values().filter(|function| {
        // Upstream-facing and downstream-facing ports alternate; above an upstream port there is an odd number of bridges.
        let leads_up = view.tree.ancestors(function.address).count() % 2 == 1;
        let unseen = view.tree.link_above(function.address).is_none_or(|link| link.now.is_none());
        leads_up && unseen && view.is_switch(function)
    });
    let ask = |switch: &Function| {
        let below = view.tree.descendants(switch.address);
        let first = |function: &&Function| function.address.bdf.function() == 0;
        let fast = below.iter().filter_map(|&at| view.function(at)).filter(first).filter(|f| Role::of(f).is_fast());
        let devices: Vec<&Function> = fast.collect();
        if devices.len() < 2 || view.machine.is_emulated() {
            return None;
        }
        let name = |function: &&Function| format!("{} {}", Role::of(function), view.name(function.address));
        let what = format!(
            "how fast is the uplink of the switch {}? {} share it",
            view.name(switch.address),
            devices.iter().map(name).collect::<Vec<_>>().join(", ")
        );
        let at = [switch.address].into_iter().chain(devices.iter().map(|device| device.address)).collect();
        let buses = switch.header.buses.map(|buses| format!("{:02x} to {:02x}", buses.secondary, buses.subordinate));
        Some(
            Finding::new("ask-uplink", Severity::Question, at, what)
                .shown(switch.address, "Bus", format!("{} are behind it", buses.unwrap_or_default()))
                .mended_by(
                    "Read again as root (sudo lspci -vvv): what they get at once is what that one link carries.",
                ),
        )
    };
    uplinks.filter_map(ask).collect()
}

fn fast<'m>(view: &View<'m>, devices: impl Iterator<Item = &'m Device>) -> Vec<&'m Device> {
    devices.filter(|device| device.role.is_fast() && !view.is_emulated(device)).collect()
}

/// The cost of a shared uplink: what the devices get at once, and what they would get with an unlimited uplink. `None` if the
/// uplink leaves them [`ENOUGH`].
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

/// Where the speed of a link was read: LnkSta, or the kernel's file, which an unprivileged user can read.
fn source(view: &View<'_>, at: Address) -> &'static str {
    let registers = view.function(at).is_some_and(|function| function.express().is_some());
    if registers { "LnkSta" } else { "current_link_speed" }
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
    let upstream =
        view.real_links().filter(|&(_, lower)| view.function(lower).is_some_and(|function| view.is_switch(function)));
    let finding = |(link, lower): (&crate::link::Link, Address)| {
        let devices = fast(view, view.across(link).into_iter());
        let name = view.name(lower);
        let cost = cost(view, &devices, Mend::Uplink(lower), &format!("the switch {name}"))?;
        let now = link.now?;
        let what = format!("{} share the uplink of the switch {name}: {now}", list(view, &devices));
        let at = [lower].into_iter().chain(link.upper).chain(devices.iter().map(|d| d.address)).collect();
        let mut finding = Finding::new("shared-uplink", Severity::Warning, at, what).costs(Some(cost)).shown(
            lower,
            source(view, lower),
            format!("Speed and width {now}"),
        );
        for device in &devices {
            let own = view.tree.link_above(device.address)?.now?;
            finding = finding.shown(device.address, source(view, device.address), format!("Speed and width {own}"));
        }
        Some(finding.mended_by(
            "By design, where they are not used at once; else move some to other root ports, or the switch to a wider slot.",
        ))
    };
    upstream.filter_map(finding).collect()
}
