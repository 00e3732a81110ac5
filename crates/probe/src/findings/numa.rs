//! NUMA nodes: a device whose node the firmware does not report, or accelerators with all data sources on another node.

use crate::finding::{Finding, Severity};
use crate::model::Device;
use crate::role::Role;
use crate::view::View;
use std::collections::BTreeSet;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    if nodes(view).len() < 2 {
        return Vec::new();
    }
    let devices = || view.model.devices.iter().filter(|device| device.role.is_fast() && !device.is_virtual);
    let unknown = devices().filter(|device| node(view, device).is_none()).map(|device| homeless(view, device));
    unknown.chain(nodes(view).into_iter().filter_map(|node| apart(view, node))).collect()
}

/// The nodes that functions are on.
pub(super) fn nodes(view: &View<'_>) -> BTreeSet<u32> {
    view.machine.functions.values().filter_map(|function| function.os.numa_node).collect()
}

/// The node of a device.
pub(super) fn node(view: &View<'_>, device: &Device) -> Option<u32> {
    view.function(device.main)?.os.numa_node
}

fn homeless(view: &View<'_>, device: &Device) -> Finding {
    let near = device.ports.iter().find_map(|&port| view.function(port)?.os.numa_node);
    let what = format!(
        "{} is on a node that nobody knows: the kernel puts its memory and interrupts anywhere",
        view.device_name(device)
    );
    let finding =
        Finding::new("numa-unknown", Severity::Warning, vec![device.main], what).shown(device.main, "numa_node", "-1");
    let address = device.main;
    match near {
        Some(near) => finding
            .shown(device.root().unwrap_or_default(), "numa_node", near)
            .mended_by(format!("echo {near} > /sys/bus/pci/devices/{address}/numa_node")),
        None => finding.mended_by("The firmware's setting for NUMA, or a newer firmware."),
    }
}

/// The accelerators of a node, if the machine has drives or network cards, but none of them on that node.
fn apart(view: &View<'_>, own: u32) -> Option<Finding> {
    let on = |device: &Device| node(view, device) == Some(own);
    let devices = || view.model.devices.iter().filter(|device| !device.is_virtual);
    let accelerators: Vec<&Device> = devices().filter(|device| device.role.computes() && on(device)).collect();
    let is_source = |device: &&Device| matches!(device.role, Role::Ssd | Role::Nic | Role::Storage);
    let sources: Vec<&Device> = devices().filter(is_source).filter(|device| node(view, device).is_some()).collect();
    let (first, nearest) = (accelerators.first()?, sources.first()?);
    if sources.iter().any(|device| on(device)) {
        return None;
    }
    let list = |devices: &[&Device]| devices.iter().map(|d| view.device_name(d)).collect::<Vec<_>>().join(", ");
    let what = format!(
        "On node {own} is {}, and all that could feed it is on another: {}",
        list(&accelerators),
        list(&sources)
    );
    let at = accelerators.iter().map(|device| device.main).chain([nearest.main]).collect();
    let other = node(view, nearest)?;
    Some(
        Finding::new("numa-apart", Severity::Warning, at, what)
            .shown(first.main, "numa_node", own)
            .shown(nearest.main, "numa_node", other)
            .mended_by("Move one of them to a slot of the other's socket.")
            .mended_by("What the way between sockets costs shows in no register: measure a copy from either node."),
    )
}
