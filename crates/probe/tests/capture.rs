//! Tests that a capture holds what is needed, and nothing that must not leave the machine.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::config::Config;
use common::tree::Sysfs;
use common::{dumps, fresh, text};
use lanescope_probe::sysfs::Folder;
use lanescope_probe::{Machine, Reach, Source, Tree, Why, capture, lspci, read};
use pcie::config::{Body, ConfigSpace};
use std::path::Path;

/// Bytes that must not be in a capture in any form.
const SERIAL: [u8; 8] = [0xd5, 0xc4, 0xb3, 0xa2, 0x91, 0x80, 0x7f, 0x6e];
const BAR: [u8; 4] = [0x00, 0xa0, 0x5c, 0x7b];
const SECRET: [u8; 4] = [0x5e, 0xc2, 0xe7, 0x99];
const MAC: &str = "00c0ffee1234";

fn ssd() -> Config {
    let mut ssd = Config::endpoint(0x1234, 0x0003, 0x0108);
    ssd.bytes[0x10..0x14].copy_from_slice(&[BAR[0] | 4, BAR[1], BAR[2], BAR[3]]);
    ssd.bytes[0x14..0x18].copy_from_slice(&BAR);
    ssd.express(0, (4, 4), (3, 4), (1, 1, 2)).aer(1 << 6, 0);
    ssd.bytes[0x124..0x128].copy_from_slice(&SECRET);
    ssd.capability(0x80, 0x05).u16(0x82, 0x0080);
    ssd.bytes[0x84..0x88].copy_from_slice(&SECRET);
    ssd.capability(0x90, 0x03).capability(0xa0, 0x09);
    ssd.bytes[0xa2] = 0x14;
    ssd.bytes[0xa4..0xac].copy_from_slice(&SERIAL);
    ssd.bytes[0xf0..0xf8].copy_from_slice(&SERIAL);
    ssd.extended(0x148, 3, 1);
    ssd.bytes[0x14c..0x154].copy_from_slice(&SERIAL);
    ssd.extended(0x160, 0x0b, 1).u32(0x164, 0x0141_0001);
    ssd.bytes[0x168..0x170].copy_from_slice(&SERIAL);
    ssd.extended(0x180, 0x7b, 1);
    ssd.bytes[0x184..0x18c].copy_from_slice(&SERIAL);
    ssd.bytes[0x900..0x908].copy_from_slice(&SERIAL);
    ssd
}

/// A sysfs tree with a root port and an SSD below it, whose function also has a network interface. Of each configuration space,
/// `seen` bytes can be read.
fn tree(root: &Path, seen: usize) -> Sysfs {
    let sysfs = Sysfs::new(root);
    let mut port = Config::bridge(0x1234, 0x0002, [0, 1, 1]);
    port.express(4, (4, 4), (3, 4), (2, 1, 0));
    port.u16(0x70, 3);
    port.bytes[0x20..0x24].copy_from_slice(&BAR);
    let port = sysfs.function(&["0000:00:01.0"], &port, seen);
    let folder = sysfs.function(&["0000:00:01.0", "0000:01:00.0"], &ssd(), seen);
    sysfs.file(&format!("{port}/max_link_speed"), b"16.0 GT/s PCIe\n");
    sysfs.file(&format!("{port}/max_link_width"), b"4\n");
    for (name, content) in [
        ("numa_node", "1\n"),
        ("current_link_speed", "8.0 GT/s PCIe\n"),
        ("current_link_width", "4\n"),
        ("max_link_speed", "16.0 GT/s PCIe\n"),
        ("max_link_width", "4\n"),
        ("aer_dev_correctable", "RxErr 0\nBadTLP 7\nTOTAL_ERR_COR 7\n"),
        ("resource", "0x7b5ca0000 0x7b5ca3fff 0x140204\n"),
        ("vpd", "serial number of the drive"),
        ("serial_number", "serial number of the drive"),
    ] {
        sysfs.file(&format!("{folder}/{name}"), content.as_bytes());
    }
    sysfs.link(&format!("{folder}/driver"), "../../../../bus/pci/drivers/nvme");
    sysfs.link(&format!("{folder}/iommu_group"), "../../../../kernel/iommu_groups/15");
    sysfs.file("kernel/iommu_groups/15/type", b"DMA-FQ\n");
    sysfs.file(&format!("{folder}/nvme/nvme0/nvme0n1/wwid"), b"eui.serial number of the drive");
    sysfs.file(&format!("{folder}/nvme/nvme0/model"), b"Example SSD 2 TB   \n");
    sysfs.link(&format!("{folder}/nvme/nvme0/nvme0n1/device"), "../../nvme0");
    sysfs.link("block/nvme0n1", &format!("../{folder}/nvme/nvme0/nvme0n1"));
    sysfs.link(&format!("class/net/enx{MAC}"), &format!("../../{folder}/usb1/net/enx{MAC}"));
    sysfs.file("bus/pci/slots/3/address", b"0000:01:00\n");
    sysfs.file("devices/system/node/node0/cpulist", b"0-7\n");
    sysfs.file("devices/system/node/node0/distance", b"10 21\n");
    sysfs.file("module/pcie_aspm/parameters/policy", b"default performance [powersave] powersupersave\n");
    sysfs.file("class/dmi/id/board_name", b"Example Board\n");
    sysfs.file("class/dmi/id/board_serial", b"serial number of the board\n");
    sysfs
}

fn captured(root: &Path) -> (Vec<u8>, Machine) {
    let packed = capture::capture(&Folder::new(root)).unwrap();
    let file = root.with_extension("tar.zst");
    std::fs::write(&file, &packed).unwrap();
    (read::unzstd(&packed).unwrap(), read(&file).unwrap())
}

#[test]
fn is_everything_that_sysfs_says_of_a_function_there() {
    let root = fresh("sysfs_whole");
    tree(&root, 4096);
    let machine = read(&root).unwrap();
    assert_eq!((machine.source, machine.remarks.len()), (Source::Capture, 0));
    let ssd = &machine.functions[&"01:00.0".parse().unwrap()];
    assert_eq!(
        (ssd.os.numa_node, ssd.os.driver.as_deref(), ssd.os.slot.as_deref()),
        (Some(1), Some("nvme"), Some("3"))
    );
    let iommu = ssd.os.iommu.clone().unwrap();
    assert_eq!((iommu.group, iommu.kind.as_deref()), (15, Some("DMA-FQ")));
    assert_eq!(
        (ssd.os.blocks[0].name.as_str(), ssd.os.blocks[0].model.as_deref()),
        ("nvme0n1", Some("Example SSD 2 TB"))
    );
    assert_eq!(ssd.os.aer.as_ref().map(|aer| aer.correctable("BadTLP")), Some(7));
    assert_eq!(ssd.header.bars[0].size, Some(pcie::Bytes(16 << 10)));
    assert_eq!(
        (machine.aspm_policy.as_deref(), machine.product.as_deref()),
        (Some("powersave"), Some("Example Board"))
    );
    assert_eq!(machine.numa[&0].distances, [10, 21]);
    let tree = Tree::of(&machine);
    let link = tree.link_above(ssd.address).unwrap();
    assert_eq!((link.why, link.now.unwrap().to_string().as_str()), (Why::Target, "8 GT/s x4"));
}

#[test]
fn does_a_plain_user_see_links_and_is_told_what_root_would_add() {
    let root = fresh("sysfs_plain");
    tree(&root, 64);
    let machine = read(&root).unwrap();
    let ssd = &machine.functions[&"01:00.0".parse().unwrap()];
    assert_eq!((ssd.reach, ssd.mps(), ssd.tag_bits()), (Reach::HeaderOnly, None, None));
    let tree = Tree::of(&machine);
    let link = tree.link_above(ssd.address).unwrap();
    assert_eq!(link.possible.unwrap().to_string(), "16 GT/s x4");
    assert_eq!(link.why, Why::Degraded);
    assert!(view::machine::show::hidden(&machine).unwrap().contains("root"));
}

#[test]
fn are_serial_numbers_and_addresses_gone_from_a_capture() {
    let root = fresh("capture_clean");
    tree(&root, 4096);
    let (bytes, _) = captured(&root);
    let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    for secret in [&SERIAL[..], &SERIAL[2..6], &BAR[1..], &SECRET[..], MAC.as_bytes(), b"serial number of", b"7b5ca"] {
        assert!(!holds(secret), "{secret:02x?}");
    }
    // The search itself works: bytes that are kept are found.
    assert!(holds(b"nvme0n1") && holds(b"DMA-FQ") && holds(&[0x34, 0x12, 0x03, 0x00]));
}

#[test]
fn does_a_capture_decode_as_the_machine_it_was_made_of() {
    let root = fresh("capture_same");
    tree(&root, 4096);
    let before = read(&root).unwrap();
    let (_, after) = captured(&root);
    assert_eq!(Tree::of(&before).links(), Tree::of(&after).links());
    for (address, was) in &before.functions {
        let is = &after.functions[address];
        assert_eq!(same(was), same(is), "{address}");
        // Only a name that contains a hardware address changes.
        let mut os = was.os.clone();
        os.nets.iter_mut().for_each(|net| *net = net.replace(MAC, ""));
        assert_eq!(os, is.os, "{address}");
        assert!(is.header.bars.iter().all(|bar| bar.address.is_none()), "absent, not 0");
        assert!(is.header.bars.iter().map(|bar| bar.size).eq(was.header.bars.iter().map(|bar| bar.size)));
    }
    assert_eq!(after.numa, before.numa);
}

/// All registers with all their bits, and the capabilities that exist.
fn same(function: &lanescope_probe::Function) -> Vec<(Option<pcie::config::CapabilityId>, u16, String)> {
    let capability = |c: &pcie::config::Capability| (c.id, c.offset, format!("{:?}", c.body.views()));
    function.capabilities.0.iter().map(capability).collect()
}

#[test]
fn do_the_bytes_of_real_machines_decode_the_same_without_their_serial_numbers() {
    const SERIAL_NUMBER: pcie::config::CapabilityId = pcie::config::CapabilityId::Extended(3);
    let mut scrubbed_serials = 0;
    for (name, path) in dumps("do_the_bytes_of_real_machines_decode_the_same_without_their_serial_numbers") {
        for function in lspci::parse(&text(&path)).functions.into_values() {
            let Some(space) = function.space.clone() else { continue };
            let clean = capture::scrub(&space);
            assert_eq!(clean.len(), space.len());
            let (before, after) = (walked(&space), walked(&clean));
            assert_eq!(before, after, "{name} {}", function.address);
            let serial = function.capabilities.with_id(SERIAL_NUMBER).filter(|c| c.bytes.len() >= 12);
            let serial = serial.map(|c| c.bytes[4..12].to_vec()).filter(|serial| serial.iter().any(|byte| *byte != 0));
            if let Some(serial) = serial {
                scrubbed_serials += 1;
                assert!(!clean.bytes().windows(8).any(|window| window == serial), "{name} {}", function.address);
            }
        }
    }
    println!("{scrubbed_serials} serial numbers gone");
}

/// The registers of every decoded capability. The sizes of resizable BARs are not addresses, and are kept too.
fn walked(space: &ConfigSpace) -> Vec<(Option<pcie::config::CapabilityId>, u16, String)> {
    let (capabilities, _) = pcie::config::walk::capabilities(space);
    let shown = |body: &Body| match body {
        Body::Rebar(rebar) => format!("{rebar:?}"),
        body => format!("{:?}", body.views()),
    };
    capabilities.0.iter().map(|c| (c.id, c.offset, shown(&c.body))).collect()
}
