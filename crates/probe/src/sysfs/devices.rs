//! Block devices, network interfaces, graphics cards and slots. Each is found in its own list, and belongs to the
//! last function on its path.

use crate::address::Address;
use crate::machine::Machine;
use crate::os::BlockDevice;
use crate::sysfs::files::{Files, text};

/// Adds the names of devices and slots to their functions.
pub fn read(files: &dyn Files, machine: &mut Machine) {
    // `class/block` also has the partitions; `block` has whole devices only.
    each(files, "block", |name, address| {
        let found = machine.functions.get_mut(&address)?;
        let device = BlockDevice { name: block_name(name), model: text(files, &format!("block/{name}/device/model")) };
        if !found.os.blocks.iter().any(|known| known.name == device.name) {
            found.os.blocks.push(device);
        }
        Some(())
    });
    each(files, "class/net", |name, address| {
        let os = &mut machine.functions.get_mut(&address)?.os;
        os.nets.push(name.to_string());
        // Without a link the speed is -1, or cannot be read.
        let speed = text(files, &format!("class/net/{name}/speed")).and_then(|speed| speed.parse().ok());
        os.net_speeds.extend(speed.filter(|mbit| *mbit > 0).map(|mbit| (name.to_string(), mbit)));
        Some(())
    });
    each(files, "class/drm", |name, address| {
        // `card0-HDMI-A-1` is a connector, `renderD128` a second device file of the same card.
        let whole = name.starts_with("card") && !name.contains('-');
        machine.functions.get_mut(&address).filter(|_| whole)?.os.cards.push(name.to_string());
        Some(())
    });
    each(files, "class/infiniband", |name, address| {
        machine.functions.get_mut(&address)?.os.cards.push(name.to_string());
        Some(())
    });
    slots(files, machine);
}

/// Calls `put` for every entry of a list, with the address of its function.
fn each(files: &dyn Files, list: &str, mut put: impl FnMut(&str, Address) -> Option<()>) {
    for name in files.list(list) {
        let target = files.link(&format!("{list}/{name}"));
        let address = target.and_then(|target| target.split('/').filter_map(|part| part.parse().ok()).next_back());
        address.and_then(|address| put(&name, address));
    }
}

/// The name by which programs open a block device. An NVMe namespace with several paths shows each path as
/// `nvme0c1n2`; the device is `nvme0n2`.
fn block_name(name: &str) -> String {
    let rest = name.strip_prefix("nvme");
    let parts = rest
        .and_then(|rest| rest.split_once('c'))
        .and_then(|(subsystem, rest)| Some((subsystem, rest.split_once('n')?)));
    match parts {
        Some((subsystem, (path, namespace))) if path.bytes().all(|b| b.is_ascii_digit()) => {
            format!("nvme{subsystem}n{namespace}")
        }
        _ => name.to_string(),
    }
}

/// Adds the names of slots. `bus/pci/slots/<name>/address` is `0000:03:00`, without a function: all functions of
/// the device are in the slot.
fn slots(files: &dyn Files, machine: &mut Machine) {
    for name in files.list("bus/pci/slots") {
        let Some(device) = text(files, &format!("bus/pci/slots/{name}/address")) else { continue };
        let Ok(first) = format!("{device}.0").parse::<Address>() else { continue };
        let last = Address { bdf: pcie::Bdf::from_bits(first.bdf.bits() | 7), ..first };
        for (_, function) in machine.functions.range_mut(first..=last) {
            function.os.slot = Some(name.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_path_of_a_namespace_called_as_the_namespace() {
        assert_eq!(
            ["nvme0c1n2", "nvme0n1", "sda", "nvme0c", "vdc"].map(block_name),
            ["nvme0n2", "nvme0n1", "sda", "nvme0c", "vdc"]
        );
    }
}
