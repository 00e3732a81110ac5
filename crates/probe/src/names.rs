//! Names of classes, vendors, devices and subsystems.

use pci_ids::{Class, Classes, Device, FromId, SubSystem, Subclass, Vendor, Vendors};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Names of a function, printed by the tool that made a text, or looked up by id in the PCI ID database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The class (`Non-Volatile memory controller`).
    pub class: Option<String>,
    /// Vendor and device, as one (`Samsung Electronics Co Ltd NVMe SSD Controller PM173X`).
    pub device: Option<String>,
    /// Subsystem vendor and device.
    pub subsystem: Option<String>,
}

/// The name of a class by its code: base class and sub-class.
pub fn class(code: u16) -> Option<String> {
    let [base, sub] = code.to_be_bytes();
    let name = Subclass::from_cid_sid(base, sub).map(Subclass::name);
    name.or_else(|| Class::from_id(base).map(Class::name)).map(str::to_string)
}

/// The code of a class by its printed name.
pub fn class_code(name: &str) -> Option<u16> {
    let exact = Classes::iter().flat_map(Class::subclasses).find(|subclass| subclass.name() == name);
    let code = exact.map(|subclass| {
        let (base, sub) = subclass.as_cid_sid();
        u16::from_be_bytes([base, sub])
    });
    // A class without sub-classes is printed itself.
    code.or_else(|| Classes::iter().find(|class| class.name() == name).map(|class| u16::from_be_bytes([class.id(), 0])))
}

/// The name of vendor and device by their ids; a device without a name is called by its id.
pub fn device(vendor: u16, device: u16) -> Option<String> {
    let name = Vendor::from_id(vendor).map(Vendor::name)?;
    let found = Device::from_vid_pid(vendor, device).map(|device| device.name().to_string());
    Some(format!("{name} {}", found.unwrap_or_else(|| format!("Device {device:04x}"))))
}

/// The ids of a vendor's devices with a name: vendor and device, as a text prints them. Several devices may share a name.
pub fn devices(vendor: u16, name: &str) -> Vec<u16> {
    let Some(found) = Vendor::from_id(vendor) else { return Vec::new() };
    let Some(name) = name.strip_prefix(found.name()).map(str::trim_start) else { return Vec::new() };
    found.devices().filter(|device| device.name() == name).map(Device::id).collect()
}

/// Vendor ids by name. If several have the same name, the one with the most devices.
static VENDORS: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut all: Vec<&Vendor> = Vendors::iter().collect();
    all.sort_by_key(|vendor| vendor.devices().count());
    all.into_iter().map(|vendor| (vendor.name(), vendor.id())).collect()
});

/// The ids in a name that a text printed in place of an unknown one: `Intel Corporation Device a1cb`.
pub fn ids_of(name: &str) -> Option<(u16, u16)> {
    let (vendor, device) = name.rsplit_once(" Device ")?;
    let device = Some(device).filter(|device| device.len() == 4)?;
    Some((*VENDORS.get(vendor)?, u16::from_str_radix(device, 16).ok()?))
}

/// The name of a vendor.
pub fn vendor(id: u16) -> Option<&'static str> {
    Vendor::from_id(id).map(Vendor::name)
}

/// Vendor id and device id by the printed name; `None` if no device has it, or several.
pub fn ids(name: &str) -> Option<(u16, u16)> {
    // The longest name: `Intel` is the beginning of `Intel Corporation`.
    let begins = |vendor: &&Vendor| name.strip_prefix(vendor.name()).is_some_and(|rest| rest.starts_with(' '));
    let vendor = || Vendors::iter().filter(begins).max_by_key(|vendor| vendor.name().len());
    ids_of(name).or_else(|| {
        let vendor = vendor()?.id();
        match devices(vendor, name).as_slice() {
            [device] => Some((vendor, *device)),
            _ => None,
        }
    })
}

/// The name of subsystem vendor and device, by the ids of device and subsystem.
pub fn subsystem(main: (u16, u16), sub: (u16, u16)) -> Option<String> {
    let vendor = Vendor::from_id(sub.0).map(Vendor::name)?;
    let device = Device::from_vid_pid(main.0, main.1);
    let mut known = device.into_iter().flat_map(Device::subsystems);
    let named = |found: &&SubSystem| (found.subvendor(), found.subdevice()) == sub;
    let name = known.find(named).map_or_else(|| format!("Device {:04x}", sub.1), |found| found.name().to_string());
    Some(format!("{vendor} {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_classes_found_by_code_and_by_name() {
        assert_eq!(class(0x0108).as_deref(), Some("Non-Volatile memory controller"));
        assert_eq!(class_code("Non-Volatile memory controller"), Some(0x0108));
        assert_eq!(class_code("PCI bridge"), Some(0x0604));
        assert_eq!(class_code("no such class"), None);
    }

    #[test]
    fn is_a_device_without_a_name_called_by_its_id() {
        assert_eq!(device(0x8086, 0xfffe).as_deref(), Some("Intel Corporation Device fffe"));
        assert_eq!(device(0x0000, 0x0000), None);
    }

    #[test]
    fn are_ids_found_that_a_text_prints_as_a_name() {
        assert_eq!(ids_of("Advanced Micro Devices, Inc. [AMD] Device 14a7"), Some((0x1022, 0x14a7)));
        assert_eq!(ids_of("Intel Corporation Device a1cb"), Some((0x8086, 0xa1cb)));
        assert_eq!(ids_of("Intel Corporation Device a1cb2"), None);
        assert_eq!(ids_of("Nobody Device 1234"), None);
    }

    #[test]
    fn are_both_ids_found_by_what_a_text_prints() {
        assert_eq!(ids("Mellanox Technologies MT27800 Family [ConnectX-5]"), Some((0x15b3, 0x1017)));
        assert_eq!(ids("Advanced Micro Devices, Inc. [AMD] Device 14a7"), Some((0x1022, 0x14a7)));
        assert_eq!((ids("Nobody's Device 14a7"), ids("Intel Corporation"), ids("")), (None, None, None));
    }

    #[test]
    fn are_devices_found_by_the_name_that_a_text_prints() {
        assert_eq!(devices(0x8086, "Intel Corporation 82801JIR (ICH10R) LPC Interface Controller"), [0x3a16]);
        assert!(devices(0x8086, "82801JIR (ICH10R) LPC Interface Controller").is_empty());
    }
}
