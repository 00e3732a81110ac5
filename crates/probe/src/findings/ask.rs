//! Questions about what no register shows, asked only where they apply to the machine.

use super::numa::{node, nodes};
use crate::finding::{Finding, Severity};
use crate::model::Device;
use crate::rates::Way;
use crate::role::Role;
use crate::view::View;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    [socket(view), load(view)].into_iter().flatten().collect()
}

/// Asks on which node a program runs: no register shows it.
fn socket(view: &View<'_>) -> Option<Finding> {
    let devices = view.model.devices.iter().filter(|device| device.role.is_fast() && node(view, device).is_some());
    let rate = |device: &Device| view.rates.alone(device, Way::ToMemory, &[]).map_or(0.0, |limited| limited.rate.0);
    // Accelerators first, then the highest limit, then the lowest address.
    let before = |a: &&Device, b: &&Device| {
        let computes = b.role.computes().cmp(&a.role.computes());
        computes.then(rate(b).total_cmp(&rate(a))).then(a.address.cmp(&b.address))
    };
    let device = devices.min_by(before)?;
    let own = node(view, device)?;
    if nodes(view).len() < 2 {
        return None;
    }
    let what = format!(
        "Does the program that feeds {} run on node {own}? From another socket it gets a fraction",
        view.device_name(device)
    );
    let remedy =
        format!("numactl --cpunodebind={own} --membind={own} PROGRAM; other devices: the node in the tree above");
    Some(
        Finding::new("ask-node", Severity::Question, vec![device.main], what)
            .shown(device.main, "numa_node", own)
            .mended_by(remedy),
    )
}

/// Asks how the load is made: no register shows it.
fn load(view: &View<'_>) -> Option<Finding> {
    let drives = view.of_role(Role::Ssd);
    if drives.len() < 2 {
        return None;
    }
    let what = format!(
        "Slower than the limits of {} drives together? One job over several drives is bound by its CPU, and small transfers \
         by the time of a system call (tens of microseconds), not by any link",
        drives.len()
    );
    let at = drives.iter().map(|device| device.main).collect();
    let remedy =
        "A job for each drive, each on its drive's node, with several requests in flight (fio: --numjobs, --iodepth).";
    Some(Finding::new("ask-load", Severity::Question, at, what).mended_by(remedy))
}
