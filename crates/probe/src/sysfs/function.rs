//! The folder of one function.

use crate::address::Address;
use crate::function::{Function, Reach};
use crate::os::{Iommu, Os, OsLink};
use crate::remark::{Place, Remark};
use crate::sysfs::files::{Files, link_name, text};
use crate::sysfs::{DEVICES, aer};
use pcie::config::{Bar, BarKind, Body, ConfigSpace, Speed};
use pcie::units::Bytes;

/// Reads `bus/pci/devices/<name>`.
pub fn read(files: &dyn Files, name: &str, address: Address, remarks: &mut Vec<Remark>) -> Function {
    let folder = format!("{DEVICES}/{name}");
    let place = Place::File(format!("{folder}/config"));
    let mut function = match files.read(&format!("{folder}/config")).filter(|bytes| !bytes.is_empty()) {
        Some(bytes) => Function::of_space(address, ConfigSpace::new(bytes), remarks, &place),
        None => Function { address, place: Some(place), ..Function::default() },
    };
    function.path = path(files, &folder);
    fill_ids(files, &folder, &mut function);
    fill_resources(files, &folder, &mut function);
    function.os = os(files, &folder);
    function.is_virtual = files.link(&format!("{folder}/physfn")).is_some();
    function
}

/// The bridges above, by the target of the link: `../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0`.
fn path(files: &dyn Files, folder: &str) -> Option<Vec<Address>> {
    let target = files.link(folder)?;
    let mut steps: Vec<Address> = target.split('/').filter_map(|part| part.parse().ok()).collect();
    steps.pop()?;
    Some(steps)
}

/// Fills in ids from files of their own: they hold the ids even if the function is asleep and its bytes are not readable.
fn fill_ids(files: &dyn Files, folder: &str, function: &mut Function) {
    let number = |name: &str| hex(&text(files, &format!("{folder}/{name}"))?);
    let id = |name: &str| number(name).and_then(|id| u16::try_from(id).ok());
    let header = &mut function.header;
    header.vendor = header.vendor.or_else(|| id("vendor"));
    header.device = header.device.or_else(|| id("device"));
    header.revision = header.revision.or_else(|| number("revision").and_then(|revision| u8::try_from(revision).ok()));
    let subsystem = id("subsystem_vendor").zip(id("subsystem_device")).filter(|ids| *ids != (0, 0));
    header.subsystem = header.subsystem.or(subsystem);
    if let Some(class) = number("class").filter(|class| *class <= 0xff_ffff) {
        header.class = header.class.or(u16::try_from(class >> 8).ok());
        header.interface = header.interface.or(Some((class & 0xff) as u8));
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Fills in the sizes of the BARs, which configuration space does not hold, from lines of start, end and flags.
fn fill_resources(files: &dyn Files, folder: &str, function: &mut Function) {
    const IO: u64 = 0x100;
    const PREFETCH: u64 = 0x2000;
    const WIDE: u64 = 0x10_0000;
    let Some(text) = text(files, &format!("{folder}/resource")) else { return };
    for (index, line) in text.lines().take(6).enumerate() {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(hex).collect();
        let [start, end, flags] = numbers[..] else { continue };
        let Some(size) = end.checked_sub(start).and_then(|size| size.checked_add(1)).filter(|_| end > 0) else {
            continue;
        };
        let kind = if flags & IO != 0 {
            BarKind::Io
        } else {
            BarKind::Memory { is_64: flags & WIDE != 0, prefetchable: flags & PREFETCH != 0 }
        };
        let index = index as u8;
        match function.header.bars.iter_mut().find(|bar| bar.index == index) {
            Some(bar) => bar.size = Some(Bytes(size)),
            None => {
                let address = (start > 0).then_some(start);
                function.header.bars.push(Bar { index, kind, address, size: Some(Bytes(size)) });
            }
        }
    }
    function.header.bars.sort_by_key(|bar| bar.index);
}

fn os(files: &dyn Files, folder: &str) -> Os {
    let file = |name: &str| text(files, &format!("{folder}/{name}"));
    Os {
        numa_node: file("numa_node").and_then(|node| node.parse().ok()),
        local_cpus: file("local_cpulist"),
        iommu: iommu(files, folder),
        driver: link_name(files, &format!("{folder}/driver")),
        label: file("label"),
        aer: aer::read(files, folder),
        link: link(files, folder),
        power_state: file("power_state"),
        runtime_status: file("power/runtime_status"),
        enabled: file("enable").and_then(|count| count.parse::<u32>().ok()).map(|count| count > 0),
        ..Os::default()
    }
}

fn iommu(files: &dyn Files, folder: &str) -> Option<Iommu> {
    let group = link_name(files, &format!("{folder}/iommu_group"))?;
    let kind = text(files, &format!("kernel/iommu_groups/{group}/type"));
    Some(Iommu { group: group.parse().ok()?, kind })
}

/// The link by its files: speeds as in `8.0 GT/s PCIe`, or `Unknown`; a width of 255 stands for unknown.
fn link(files: &dyn Files, folder: &str) -> OsLink {
    let speed = |name: &str| text(files, &format!("{folder}/{name}")).and_then(|text| Speed::parse(&text));
    let width = |name: &str| {
        let width = text(files, &format!("{folder}/{name}"))?.parse::<u32>().ok();
        width.filter(|width| *width <= 32)
    };
    OsLink {
        speed: speed("current_link_speed"),
        width: width("current_link_width"),
        max_speed: speed("max_link_speed"),
        max_width: width("max_link_width").filter(|width| *width > 0),
    }
}

impl Function {
    /// Removes addresses: a capture has zeros in their place, which were not observed.
    pub fn forget_addresses(&mut self) {
        self.header.bars.iter_mut().for_each(|bar| bar.address = None);
        for capability in &mut self.capabilities.0 {
            if let Body::Aer(aer) = &mut capability.body {
                // The third and fourth double words of a TLP's header hold its address.
                aer.header_log[2..].fill(None);
            }
        }
    }
    /// How much of the configuration space was hidden, in words; `None` if nothing was.
    pub fn hidden(&self) -> Option<&'static str> {
        match self.reach {
            Reach::HeaderOnly => Some("capabilities hidden: root sees them"),
            Reach::Conventional => Some("extended capabilities not in the dump"),
            Reach::Nothing => Some("does not answer"),
            Reach::Whole | Reach::Printed | Reach::Named => None,
        }
    }
}
