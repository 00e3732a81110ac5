//! Tests that dumps of real machines read as they do for a person who reads them by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{dumps, text};
use lanescope_probe::{Machine, Reach, Tree, Why, lspci};
use pcie::config::cxl::Cxl;
use std::collections::BTreeMap;

/// The machines in the folder, by name.
fn machines(test: &str) -> BTreeMap<String, Machine> {
    dumps(test).into_iter().map(|(name, path)| (name, lspci::parse(&text(&path)))).collect()
}

/// The current rate of a link, the rate that both ends support, and why the two differ, as text.
fn link(machine: &Machine, lower: &str) -> String {
    let tree = Tree::of(machine);
    let link = tree.link_above(lower.parse().unwrap()).unwrap();
    let rate = |rate: Option<lanescope_probe::LinkRate>| rate.map_or("?".to_string(), |rate| rate.to_string());
    format!("{} of {}: {}", rate(link.now), rate(link.possible), link.why)
}

/// The number of functions as counted by hand, and the number of remarks, which is to stay this low.
#[test]
fn does_every_dump_parse() {
    let all = machines("does_every_dump_parse");
    if all.is_empty() {
        return;
    }
    let found: Vec<(&str, usize, usize)> =
        all.iter().map(|(name, machine)| (name.as_str(), machine.functions.len(), machine.remarks.len())).collect();
    let known = [
        ("amlogic-a311d-axg-pcie", 2, 3),
        ("desktop-p45-gtx1650s-idle-gen1", 23, 0),
        ("imx8-pericom-switch-lan7430", 7, 0),
        ("laptop-alderlake-rtx3070ti-2nvme-xxxx", 29, 1),
        ("laptop-nvme-rxerr-aer", 22, 0),
        ("minipc-amd-lucienne-nvme-aspm", 34, 0),
        ("pciutils-cap-dvsec-cxl", 2, 0),
        ("pciutils-cap-exp-lnkcap2", 4, 0),
        ("pciutils-cap-flitmode", 1, 0),
        ("qemu-q35-switch-2nvme.vvv", 12, 0),
        ("qemu-q35-switch-2nvme.xxxx", 12, 0),
        ("rockpro64-rk3399-asm1184e-gtx-xxx", 10, 2),
        ("server-2socket-broadwell-2xP100-2xnvme", 201, 0),
        ("visionfive2-jh7110-gen4nvme-x1", 4, 0),
        ("x58-asus-p6t6-nf200-switch.vvv", 53, 0),
        ("x58-asus-p6t6-nf200-switch.xxxx", 53, 0),
        ("z790-desktop-2nvme-cpu-vs-pch", 26, 0),
    ];
    for dump in known {
        assert!(found.contains(&dump), "{dump:?} in {found:?}");
    }
    // Any other dump in the folder has functions too.
    assert!(all.values().all(|machine| !machine.functions.is_empty()));
}

/// The same machine as text and as bytes: the two do not contradict, and what only one holds is absent in the other.
#[test]
fn do_text_and_bytes_of_one_machine_agree() {
    let all = machines("do_text_and_bytes_of_one_machine_agree");
    for name in ["qemu-q35-switch-2nvme", "x58-asus-p6t6-nf200-switch"] {
        let (Some(told), Some(read)) = (all.get(&format!("{name}.vvv")), all.get(&format!("{name}.xxxx"))) else {
            continue;
        };
        for (address, text) in &told.functions {
            let hex = &read.functions[address];
            let mut text = text.clone();
            text.names = hex.names.clone();
            assert_eq!(hex.clone().join(text), Vec::<String>::new(), "{name} {address}");
            assert!(hex.os.driver.is_none() && hex.os.numa_node.is_none(), "bytes know no driver");
        }
        assert_eq!(told.functions.len(), read.functions.len());
        assert_eq!(Tree::of(told).links(), Tree::of(read).links(), "{name}");
    }
}

#[test]
fn does_the_two_socket_server_read_as_it_is() {
    let all = machines("does_the_two_socket_server_read_as_it_is");
    let Some(server) = all.get("server-2socket-broadwell-2xP100-2xnvme") else { return };
    for gpu in ["04:00.0", "82:00.0"] {
        assert_eq!(link(server, gpu), "8 GT/s x16 of 8 GT/s x16: full");
    }
    for ssd in ["81:00.0", "84:00.0"] {
        assert_eq!(link(server, ssd), "8 GT/s x4 of 8 GT/s x4: device-limited");
        let ssd = server.function(ssd.parse().unwrap()).unwrap();
        assert_eq!((ssd.mps().map(|s| s.bytes()), ssd.mrrs().map(|s| s.bytes())), (Some(256), Some(4096)));
        assert_eq!((ssd.os.numa_node, ssd.os.driver.as_deref()), (Some(1), Some("nvme")));
    }
    assert_eq!(server.function("04:00.0".parse().unwrap()).unwrap().os.numa_node, Some(0));
    // Two onboard network controllers with two lanes, of which the board wires one.
    assert_eq!(link(server, "02:00.0"), "5 GT/s x1 of 5 GT/s x2: as wide as the board wires it");
    assert_eq!(link(server, "01:00.1"), "5 GT/s x1 of 5 GT/s x2: as wide as the board wires it");
    let down = Tree::of(server).links().iter().filter(|link| link.why == Why::Down).count();
    assert_eq!(down, 2, "empty slots: 00:03.2 and 00:1c.0");
}

#[test]
fn does_the_desktop_with_one_ssd_on_the_cpu_and_one_on_the_chipset_read_as_it_is() {
    let all = machines("does_the_desktop_with_one_ssd_on_the_cpu_and_one_on_the_chipset_read_as_it_is");
    let Some(desktop) = all.get("z790-desktop-2nvme-cpu-vs-pch") else { return };
    assert_eq!(link(desktop, "01:00.0"), "16 GT/s x4 of 16 GT/s x4: full");
    assert_eq!(link(desktop, "04:00.0"), "8 GT/s x4 of 8 GT/s x4: device-limited");
    let ssd = desktop.function("01:00.0".parse().unwrap()).unwrap();
    assert_eq!((ssd.mps().map(|s| s.bytes()), ssd.mps_supported().map(|s| s.bytes())), (Some(256), Some(512)));
    let acs = desktop.function("00:06.0".parse().unwrap()).unwrap().capabilities.acs().unwrap().ctl;
    assert_eq!(
        (acs.source_validation(), acs.request_redirect(), acs.direct_translated()),
        (Some(true), Some(true), Some(false))
    );
    assert_eq!(
        desktop.function("00:06.0".parse().unwrap()).unwrap().express().unwrap().dev_cap2.ten_bit_requester(),
        Some(true)
    );
}

#[test]
fn does_the_board_with_a_switch_for_its_slots_read_as_it_is() {
    let all = machines("does_the_board_with_a_switch_for_its_slots_read_as_it_is");
    let Some(board) = all.get("x58-asus-p6t6-nf200-switch.xxxx") else { return };
    assert_eq!(link(board, "02:00.0"), "5 GT/s x16 of 5 GT/s x16: full");
    assert_eq!(link(board, "04:00.0"), "5 GT/s x8 of 5 GT/s x8: device-limited");
    assert_eq!(link(board, "06:00.0"), "2.5 GT/s x16 of 2.5 GT/s x16: device-limited");
    // From the SAS controller: its slot, the switch's upstream port, the root port.
    let tree = Tree::of(board);
    let above: Vec<String> = tree.ancestors("04:00.0".parse().unwrap()).map(|a| a.to_string()).collect();
    assert_eq!(above, ["0000:03:00.0", "0000:02:00.0", "0000:00:03.0"]);
    assert_eq!(tree.links_to_root("04:00.0".parse().unwrap()).len(), 2);
}

#[test]
fn do_the_small_boards_read_as_they_are() {
    let all = machines("do_the_small_boards_read_as_they_are");
    let Some(star) = all.get("visionfive2-jh7110-gen4nvme-x1") else { return };
    assert_eq!(link(star, "0001:01:00.0"), "5 GT/s x1 of 5 GT/s x1: slot-limited");
    let rock = &all["rockpro64-rk3399-asm1184e-gtx-xxx"];
    assert_eq!(
        link(rock, "01:00.0"),
        "2.5 GT/s x1 of 2.5 GT/s x1: slot-limited",
        "the port can 2.5 GT/s x4, the device 5 GT/s x1"
    );
    assert_eq!(link(rock, "04:00.0"), "2.5 GT/s x1 of 5 GT/s x1: idle or asleep");
    let imx = &all["imx8-pericom-switch-lan7430"];
    assert_eq!(link(imx, "05:00.0"), "2.5 GT/s x1 of 2.5 GT/s x1: full");
    let amlogic = &all["amlogic-a311d-axg-pcie"];
    // The dump has two views of it. In the first one it does not answer; what the second one shows is from another time.
    assert_eq!(link(amlogic, "01:00.0"), "5 GT/s x1 of ?: unknown");
    let said: Vec<String> = amlogic.remarks.iter().map(ToString::to_string).collect();
    assert!(
        said.iter().any(|remark| remark.contains("01:00.0 comes again, and differs in whether it answers")),
        "{said:?}"
    );
    // Its root ports report a maximum width of 0: it was never configured.
    let exynos = &all["exynos-dwc-r8169-mps"];
    assert_eq!(link(exynos, "0000:01:00.0"), "5 GT/s x1 of 5 GT/s x1: device-limited");
    assert_eq!(link(exynos, "0001:01:00.0"), "2.5 GT/s x1 of 2.5 GT/s x1: device-limited");
}

#[test]
fn is_what_looks_slow_and_is_not_told_from_what_is() {
    let all = machines("is_what_looks_slow_and_is_not_told_from_what_is");
    let Some(idle) = all.get("desktop-p45-gtx1650s-idle-gen1") else { return };
    assert_eq!(link(idle, "01:00.0"), "2.5 GT/s x16 of 5 GT/s x16: idle or asleep");
    assert_eq!(link(&all["pciutils-cap-exp-lnkcap2"], "09:00.0"), "2.5 GT/s x4 of 2.5 GT/s x4: internal or virtual");
    assert_eq!(link(&all["qemu-q35-switch-2nvme.vvv"], "05:00.0"), "2.5 GT/s x1 of 2.5 GT/s x1: internal or virtual");
    // The card reader that does not answer, which that mail is about.
    let laptop = &all["laptop-alderlake-rtx3070ti-2nvme-xxxx"];
    assert_eq!(laptop.function("2f:00.0".parse().unwrap()).unwrap().reach, Reach::Nothing);
    assert_eq!(link(laptop, "01:00.0"), "16 GT/s x8 of 16 GT/s x8: slot-limited");
    // The SSD with receiver errors, which that mail is about.
    let errors = &all["laptop-nvme-rxerr-aer"];
    let aer = errors.function("02:00.0".parse().unwrap()).unwrap().capabilities.aer().unwrap();
    assert_eq!((aer.correctable.receiver(), aer.correctable.bad_tlp()), (Some(true), Some(false)));
}

#[test]
fn are_registers_of_later_standards_understood() {
    let all = machines("are_registers_of_later_standards_understood");
    let Some(fixture) = all.get("pciutils-cap-flitmode") else { return };
    let endpoint = fixture.functions.values().next().unwrap();
    let express = endpoint.express().unwrap();
    assert_eq!(express.flags.flit(), Some(true), "Flit Mode Supported");
    assert_eq!(express.lnk_sta2.flit(), Some(true), "Flit Mode Status");
    let cxl = &all["pciutils-cap-dvsec-cxl"];
    let device = cxl.functions.values().flat_map(|function| function.capabilities.cxl()).find_map(|cxl| match cxl {
        Cxl::Device(device) => Some(device.clone()),
        Cxl::FlexBus(_) => None,
    });
    let device = device.unwrap();
    assert_eq!((device.cap.io(), device.cap.mem(), device.cap.hdm_count()), (Some(true), Some(true), Some(1)));
}
