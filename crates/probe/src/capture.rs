//! Captures: the parts of sysfs that [`crate::sysfs`] reads, saved as a compressed tar without serial numbers and
//! addresses, so that another person can inspect the machine.
//!
//! A capture holds only the files and registers that are listed here. The content of an unknown vendor register
//! cannot leave the machine.

mod pack;
mod scrub;

pub use scrub::scrub;

use crate::archive;
use crate::error::Problem;
use crate::sysfs::files::link_name;
use crate::sysfs::{DEVICES, FORMAT, Files, MANIFEST, text};
use pack::Pack;
use pcie::config::ConfigSpace;

/// Files of a function that are kept as they are.
const KEPT: [&str; 30] = [
    "vendor",
    "device",
    "subsystem_vendor",
    "subsystem_device",
    "class",
    "revision",
    "current_link_speed",
    "current_link_width",
    "max_link_speed",
    "max_link_width",
    "numa_node",
    "local_cpulist",
    "enable",
    "label",
    "power_state",
    "power/runtime_status",
    "power/control",
    "d3cold_allowed",
    "msi_bus",
    "sriov_numvfs",
    "sriov_totalvfs",
    "link/l0s_aspm",
    "link/l1_aspm",
    "aer_dev_correctable",
    "aer_dev_nonfatal",
    "aer_dev_fatal",
    "aer_rootport_total_err_cor",
    "aer_rootport_total_err_nonfatal",
    "aer_rootport_total_err_fatal",
    "reset_method",
];

/// Files of the whole machine that are kept as they are.
const KEPT_OF_MACHINE: [&str; 6] = [
    "class/dmi/id/board_vendor",
    "class/dmi/id/board_name",
    "class/dmi/id/product_name",
    "module/pcie_aspm/parameters/policy",
    "kernel/osrelease",
    "kernel/uptime",
];

/// Where the kernel has files of a capture that are not below `/sys`.
const BESIDE: [(&str, &str); 2] =
    [("kernel/osrelease", "../proc/sys/kernel/osrelease"), ("kernel/uptime", "../proc/uptime")];

/// Folders of links, one for each device, and the folder of the function that holds the devices. The path of each link
/// contains the address of the function.
const LISTS: [(&str, &str); 4] =
    [("block", "block"), ("class/net", "net"), ("class/drm", "drm"), ("class/infiniband", "infiniband")];

/// Makes a capture; gives the bytes of a `.tar.zst`.
///
/// # Errors
/// The tree has no list of PCI functions.
pub fn capture(files: &dyn Files) -> Result<Vec<u8>, Problem> {
    if !files.is_folder(DEVICES) {
        return Err(Problem::NoSysfs);
    }
    let mut pack = Pack::new();
    pack.file(MANIFEST, format!("format {FORMAT}\nserial numbers and addresses were left out\n").as_bytes());
    for name in files.list(DEVICES) {
        function(files, &mut pack, &name);
    }
    machine(files, &mut pack);
    Ok(archive::zstd(&pack.finish()?))
}

fn function(files: &dyn Files, pack: &mut Pack, name: &str) {
    let listed = format!("{DEVICES}/{name}");
    let folder = match files.link(&listed).and_then(|target| below_devices(&target)) {
        Some(folder) => {
            pack.link(&listed, &folder);
            folder
        }
        None => listed.clone(),
    };
    for file in KEPT {
        if let Some(text) = text(files, &format!("{listed}/{file}")) {
            pack.file(&format!("{folder}/{file}"), format!("{text}\n").as_bytes());
        }
    }
    if let Some(config) = files.read(&format!("{listed}/config")) {
        pack.file(&format!("{folder}/config"), scrub(&ConfigSpace::new(config)).bytes());
    }
    if let Some(resources) = text(files, &format!("{listed}/resource")) {
        pack.file(&format!("{folder}/resource"), sizes(&resources).as_bytes());
    }
    if let Some(driver) = link_name(files, &format!("{listed}/driver")) {
        pack.link(&format!("{folder}/driver"), &format!("bus/pci/drivers/{driver}"));
    }
    if let Some(physical) = link_name(files, &format!("{listed}/physfn")) {
        let beside = folder.rsplit_once('/').map_or("", |(above, _)| above);
        pack.link(&format!("{folder}/physfn"), &format!("{beside}/{physical}"));
    }
    if let Some(group) = link_name(files, &format!("{listed}/iommu_group")) {
        pack.link(&format!("{folder}/iommu_group"), &format!("kernel/iommu_groups/{group}"));
        if let Some(kind) = text(files, &format!("kernel/iommu_groups/{group}/type")) {
            pack.file(&format!("kernel/iommu_groups/{group}/type"), format!("{kind}\n").as_bytes());
        }
    }
}

/// The target of a link such as `../../../devices/pci0000:00/...`, as a path from the root. `None` outside of `devices`, or
/// if a part of the path has other characters than addresses of functions and buses have.
fn below_devices(target: &str) -> Option<String> {
    let path = target.trim_start_matches("../").trim_start_matches('/');
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b".:_-@".contains(&b)) && part != "..";
    (path.starts_with("devices/") && path.split('/').all(plain)).then(|| path.to_string())
}

/// The lines of `resource` (start, end, flags) with each start moved to 0: the size stays, the address does not.
fn sizes(resources: &str) -> String {
    let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let line = |line: &str| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(number).collect();
        let [start, end, flags] = numbers[..] else { return "0x0 0x0 0x0\n".to_string() };
        format!("{:#018x} {:#018x} {flags:#018x}\n", 0, end.saturating_sub(start))
    };
    resources.lines().map(line).collect()
}

fn machine(files: &dyn Files, pack: &mut Pack) {
    for file in KEPT_OF_MACHINE {
        let source = BESIDE.iter().find(|(kept, _)| *kept == file).map_or(file, |(_, source)| source);
        if let Some(text) = text(files, file).or_else(|| text(files, source)) {
            pack.file(file, format!("{text}\n").as_bytes());
        }
    }
    for name in files.list("devices/system/node").into_iter().filter(|name| name.starts_with("node")) {
        for file in ["cpulist", "distance"] {
            let path = format!("devices/system/node/{name}/{file}");
            if let Some(text) = text(files, &path) {
                pack.file(&path, format!("{text}\n").as_bytes());
            }
        }
    }
    for name in files.list("bus/pci/slots") {
        let path = format!("bus/pci/slots/{name}/address");
        if let Some(text) = text(files, &path) {
            pack.file(&path, format!("{text}\n").as_bytes());
        }
    }
    LISTS.iter().for_each(|list| devices(files, pack, *list));
}

/// Adds each entry of a list as a link that leads through its function. Further parts of the original path (ports of a disk's
/// cable, its world-wide name) are left out.
fn devices(files: &dyn Files, pack: &mut Pack, (list, own): (&str, &str)) {
    for name in files.list(list) {
        let path = format!("{list}/{name}");
        let Some(target) = files.link(&path) else { continue };
        let parts: Vec<&str> = target.split('/').collect();
        let is_address = |part: &&str| part.parse::<crate::Address>().is_ok();
        let Some(last) = parts.iter().rposition(is_address) else { continue };
        let Some(folder) = below_devices(&parts[..=last].join("/")) else { continue };
        let shown = free_name(pack, list, &without_mac(&name));
        let device = format!("{folder}/{own}/{shown}");
        pack.link(&format!("{list}/{shown}"), &device);
        if let Some(speed) = text(files, &format!("{path}/speed")).filter(|_| own == "net") {
            pack.file(&format!("{device}/speed"), format!("{speed}\n").as_bytes());
        }
        if let Some(model) = text(files, &format!("{path}/device/model")).filter(|_| own == "block") {
            pack.file(&format!("{device}/device/model"), format!("{model}\n").as_bytes());
        }
    }
}

/// The name, with a number where two interfaces would have one name without their hardware addresses.
fn free_name(pack: &Pack, list: &str, name: &str) -> String {
    let numbered = |number: u32| if number == 0 { name.to_string() } else { format!("{name}-{number}") };
    (0..).map(numbered).find(|name| !pack.has(&format!("{list}/{name}"))).unwrap_or_default()
}

/// The name of an interface without a hardware address in it (`enx0011223344ff`).
fn without_mac(name: &str) -> String {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_hexdigit()).len();
    if digits >= 12 { name[..name.len() - digits].to_string() } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_hardware_address_taken_out_of_a_name() {
        assert_eq!(
            ["enx0011223344ff", "wlx001122334455", "enp3s0f1", "nvme0n1"].map(without_mac),
            ["enx", "wlx", "enp3s0f1", "nvme0n1"]
        );
    }

    #[test]
    fn does_a_resource_keep_its_size_and_lose_its_place() {
        let moved = sizes("0x00000000fc800000 0x00000000fc803fff 0x0000000000140204\n");
        assert_eq!(moved, "0x0000000000000000 0x0000000000003fff 0x0000000000140204\n");
    }

    #[test]
    fn is_a_link_that_leads_elsewhere_not_followed() {
        assert_eq!(
            below_devices("../../../devices/pci0000:00/0000:00:01.0").as_deref(),
            Some("devices/pci0000:00/0000:00:01.0")
        );
        assert_eq!(below_devices("../../../devices/../../etc"), None);
        assert_eq!(below_devices("../../home/me"), None);
    }
}
