//! Tests that the report says how much of a machine was judged, and gives the reason for everything else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::report::Report;
use lanescope_probe::{Machine, Tree, lspci};
use made::{by_files, by_hex, report};
use std::collections::BTreeSet;
use testing::machine::function::{PortType, class};
use testing::machine::single::{endpoint, integrated, machine, port};
use testing::machine::{Function, healthy};

fn said(machine: &Machine) -> (Report, String) {
    let report = report(machine);
    let text = made::said(machine, &report);
    (report, text)
}

/// A root port of `vendor` with a drive below it: emulated (QEMU, VMware) or on a board.
fn pair(vendor: u16) -> Vec<Function> {
    let rate = ((3, 4), (3, 4));
    vec![
        port((0, 1, 0), (vendor, 0x000c), PortType::Root, rate, (1, 1)),
        endpoint((1, 0, 0), (0x144d, 0xa80a), class::NVME, rate),
    ]
}

const PLAIN: &str = "00:00.0 Host bridge: Intel Corporation Device 4660 (rev 02)\n\
    00:06.0 PCI bridge: Intel Corporation 12th Gen Core Processor PCI Express x4 Controller #0 (rev 02)\n\
    01:00.0 Non-Volatile memory controller: Samsung Electronics Co Ltd NVMe SSD Controller PM9A1/PM9A3/980PRO\n";

const ONE_V: &str = "00:06.0 PCI bridge: Intel Corporation 12th Gen Core Processor PCI Express x4 Controller #0 (rev 02)\n\
    \tFlags: bus master, fast devsel, latency 0, IRQ 122\n\
    \tBus: primary=00, secondary=01, subordinate=01, sec-latency=0\n\
    \tCapabilities: <access denied>\n\
    \tKernel driver in use: pcieport\n\n\
    01:00.0 Non-Volatile memory controller: Samsung Electronics Co Ltd NVMe SSD Controller PM9A1/PM9A3/980PRO\n\
    \tFlags: bus master, fast devsel, latency 0, IRQ 16, NUMA node 0\n\
    \tCapabilities: <access denied>\n\
    \tKernel driver in use: nvme\n";

#[test]
fn is_nothing_called_well_where_nothing_was_judged() {
    let mut bare = by_files(&machine(pair(0x8086)));
    for function in bare.functions.values_mut() {
        (function.capabilities, function.reach) = (Default::default(), lanescope_probe::Reach::HeaderOnly);
        function.os.link = Default::default();
    }
    let all = [
        ("QEMU", by_hex(&machine(pair(0x1b36)))),
        ("VMware", by_hex(&machine(pair(0x15ad)))),
        ("sysfs without link files", bare),
        ("lspci", lspci::parse(PLAIN)),
        ("lspci -v", lspci::parse(ONE_V)),
    ];
    for (name, machine) in all {
        let (report, text) = said(&machine);
        assert_eq!((report.judged.links, report.judged.devices), (0, 0), "{name}");
        assert!(!text.contains("nothing wrong") && text.contains("nothing can be said"), "{name}: {text}");
        assert!(text.contains("01:00.0"), "{name}: the drive is not told of: {text}");
    }
    assert!(said(&by_hex(&machine(pair(0x8086)))).1.contains("nothing wrong: 1 link and 1 device were judged"));
}

#[test]
fn is_a_device_without_its_root_port_named_with_the_reason() {
    let mut all = machine(pair(0x8086));
    all.functions.remove(0);
    let (report, text) = said(&by_hex(&all));
    assert_eq!(report.judged.left_out.len(), 1, "{text}");
    assert!(text.contains("01:00.0: the port above it was not seen"), "{text}");
}

#[test]
fn is_a_chipset_that_no_table_has_told_with_what_shares_its_link() {
    let drives = |lpc: u16| {
        let rate = ((3, 4), (3, 4));
        let mut all = vec![integrated((0, 0x1f, 0), (0x8086, lpc), class::ISA)];
        for (device, bus) in [(0x1c, 1), (0x1d, 2)] {
            all.push(port((0, device, 0), (0x8086, 0x51b8), PortType::Root, rate, (bus, bus)));
            all.push(endpoint((bus, 0, 0), (0x144d, 0xa80a), class::NVME, rate));
        }
        by_hex(&machine(all))
    };
    // Alder Lake PCH-P: in the processor's package, with a link that no table has.
    let (report, text) = said(&drives(0x5182));
    assert!(text.contains("whose link to the processor is not known: SSD 01:00.0, SSD 02:00.0 share it"), "{text}");
    assert_eq!(report.limits.sets[0].behind_unknown, 2);
    assert!(!text.contains("nothing: each has its limit"), "{text}");
    // Z690, which the table has.
    assert!(said(&drives(0x7a84)).0.judged.left_out.iter().all(|left| !left.why.contains("not known")));
}

/// Every device either has a limit or is listed as not judged, never both.
#[test]
fn is_every_device_of_200_machines_accounted_for() {
    for seed in 0..100 {
        let all = healthy(seed);
        for machine in [by_files(&all), by_hex(&all)] {
            let report = report(&machine);
            let place = |at: lanescope_probe::Address| (at.domain, at.bdf.bus(), at.bdf.device());
            let limited: BTreeSet<_> = report.limits.devices.iter().map(|device| place(device.at)).collect();
            let left: BTreeSet<_> = report.judged.left_out.iter().map(|left| place(left.at)).collect();
            assert_eq!(limited.len(), report.judged.devices);
            for function in machine.functions.values().filter(|function| !function.header.is_bridge()) {
                let at = place(function.address);
                assert!(
                    limited.contains(&at) != left.contains(&at),
                    "seed {seed}: {} {text}",
                    function.address,
                    text = said(&machine).1
                );
            }
            assert!(Tree::of(&machine).links().len() >= report.judged.links);
        }
    }
}
