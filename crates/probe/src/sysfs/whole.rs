//! The files of sysfs about the machine as a whole.

use crate::machine::{Machine, NumaNode};
use crate::remark::{Place, Remark};
use crate::sysfs::files::{Files, text};

/// Reads NUMA nodes, kernel, product and the policy of ASPM. A capture holds what `proc` says of the kernel itself: beside the folder
/// that it was unpacked into is the `proc` of another machine, if any.
pub fn read(files: &dyn Files, captured: bool, machine: &mut Machine) {
    for name in files.list("devices/system/node") {
        let Some(number) = name.strip_prefix("node").and_then(|number| number.parse().ok()) else { continue };
        let file = |file: &str| text(files, &format!("devices/system/node/{name}/{file}"));
        let distances = file("distance").unwrap_or_default();
        let distances = distances.split_whitespace().filter_map(|distance| distance.parse().ok()).collect();
        machine.numa.insert(number, NumaNode { cpus: file("cpulist"), distances });
    }
    let of_kernel = |file: &str, beside: &str| text(files, file).or_else(|| text(files, beside).filter(|_| !captured));
    machine.kernel = of_kernel("kernel/osrelease", "../proc/sys/kernel/osrelease");
    let uptime = of_kernel("kernel/uptime", "../proc/uptime");
    machine.uptime =
        uptime.and_then(|uptime| uptime.split_whitespace().next()?.parse().ok()).filter(|s: &f64| s.is_finite());
    let dmi = |name: &str| text(files, &format!("class/dmi/id/{name}"));
    machine.product = match (dmi("board_vendor"), dmi("board_name")) {
        (Some(vendor), Some(name)) => Some(format!("{vendor} {name}")),
        (vendor, name) => vendor.or(name).or_else(|| dmi("product_name")),
    };
    machine.aspm_policy = text(files, "module/pcie_aspm/parameters/policy").and_then(|policies| chosen(&policies));
}

/// The policy in brackets: `default performance [powersave] powersupersave`.
fn chosen(policies: &str) -> Option<String> {
    let (_, rest) = policies.split_once('[')?;
    rest.split_once(']').map(|(policy, _)| policy.to_string())
}

/// Adds a remark on a file that was not understood.
pub fn remark(machine: &mut Machine, file: &str, what: String) {
    machine.remarks.push(Remark { place: Place::File(file.to_string()), what });
}
