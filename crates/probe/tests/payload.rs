//! Tests that limits and findings use the Max_Payload_Size of each device and of the ports above it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::finding::Severity;
use lanescope_probe::together::Together;
use lanescope_probe::{Tree, lspci};
use made::{by_hex, report};
use testing::machine::function::{PortType, class};
use testing::machine::single::{endpoint, machine, port};
use testing::machine::{Function, GeneratedMachine};
use view::machine::show;

/// A drive below a root port, each with its Max_Payload_Size, and the drive's Max_Read_Request_Size, all encoded.
fn drive(number: u8, root: u8, own: u8, requests: u8) -> Vec<Function> {
    let rate = ((3, 4), (3, 4));
    let mut port = port((0, number, 0), (0x8086, 0xa74d), PortType::Root, rate, (number, number));
    let mut drive = endpoint((number, 0, 0), (0x144d, 0xa80a), class::NVME, rate);
    port.express.as_mut().unwrap().payload = (root, root);
    drive.express.as_mut().unwrap().payload = (own, own);
    drive.express.as_mut().unwrap().read_request = requests;
    vec![port, drive]
}

fn one(root: u8, own: u8, requests: u8) -> GeneratedMachine {
    machine(drive(1, root, own, requests))
}

#[test]
fn is_a_port_that_answers_with_more_than_the_device_takes_an_error() {
    let wrong = report(&by_hex(&one(1, 0, 2)));
    let finding = wrong.findings.iter().find(|finding| finding.kind == "mps-mismatch").unwrap();
    assert_eq!(finding.severity, Severity::Error);
    assert_eq!(finding.at[0].to_string(), "0000:01:00.0");
    assert!(finding.remedy[0].contains("setpci -s 00:01.0 CAP_EXP+8.w=0000:00e0"), "{finding:?}");
    // As `pci=pcie_bus_perf` sets it: no read request is larger than what the device accepts.
    assert!(report(&by_hex(&one(1, 0, 0))).findings.iter().all(|finding| finding.kind != "mps-mismatch"));
    assert!(report(&by_hex(&one(1, 1, 2))).findings.is_empty());
}

#[test]
fn are_completions_no_longer_than_the_device_takes() {
    let from_memory = |root, own| {
        let report = report(&by_hex(&one(root, own, 2)));
        report.limits.devices[0].from_memory.rate.as_mb_per_s()
    };
    let (both, mixed, long) = (from_memory(0, 0), from_memory(1, 0), from_memory(1, 1));
    assert!((mixed / both - 1.0).abs() < 0.005, "{mixed:.0} where the device takes 128 bytes, which give {both:.0}");
    assert!(long > 1.04 * both, "{long:.0} with 256 bytes, {both:.0} with 128");
}

#[test]
fn does_one_drive_with_short_payloads_leave_those_below_other_root_ports_alone() {
    let mut functions = drive(1, 0, 0, 2);
    functions.extend(drive(2, 2, 2, 2));
    let machine = by_hex(&machine(functions));
    let tree = Tree::of(&machine);
    let mut report = report(&machine);
    report.ask(&machine, &tree, &["ssds".parse::<Together>().unwrap()]).unwrap();
    let together = &report.together[0];
    for (share, alone) in together.shares.iter().zip(&together.alone) {
        let (share, alone) = (share.from_memory.rate.as_mb_per_s(), alone.from_memory.rate.as_mb_per_s());
        assert!((share / alone - 1.0).abs() < 0.005, "{share:.0} together, {alone:.0} alone");
    }
}

/// A network card with two virtual functions. Device Control of a virtual function is reserved, and reads as 128 bytes.
const VIRTUAL: &str = "3b:00.0 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5]\n\
    \tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\
    \t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0\n\
    \t\tDevCtl:\tCorrErr+ NonFatalErr+ FatalErr+ UnsupReq-\n\
    \t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-\n\
    \t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n\
    \tCapabilities: [180 v1] Single Root I/O Virtualization (SR-IOV)\n\
    \t\tIOVCtl:\tEnable+ Migration- Interrupt- MSE+ ARIHierarchy+\n\
    \t\tInitial VFs: 8, Total VFs: 8, Number of VFs: 2, Function Dependency Link: 00\n\
    \t\tVF offset: 2, stride: 1, Device ID: 1018\n\n\
    3b:00.2 Ethernet controller: Mellanox Technologies MT27800 Family [ConnectX-5]\n\
    \tCapabilities: [60] Express (v2) Endpoint, MSI 00\n\
    \t\tDevCap:\tMaxPayload 512 bytes, PhantFunc 0\n\
    \t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n\
    \t\t\tRlxdOrd- ExtTag- PhantFunc- AuxPwr- NoSnoop- FLReset-\n\
    \t\t\tMaxPayload 128 bytes, MaxReadReq 128 bytes\n";

#[test]
fn is_what_is_reserved_in_a_virtual_function_shown_nowhere() {
    let machine = lspci::parse(VIRTUAL);
    let tree = Tree::of(&machine);
    let facts = |at: &str| {
        let function = machine.function(at.parse().unwrap()).unwrap();
        let facts = show::facts(&[function], &tree);
        facts.into_iter().map(|span| span.text).collect::<Vec<_>>().join(", ")
    };
    assert!(facts("3b:00.0").contains("MPS 256 of 512, MRRS 512, 8-bit tags"), "{}", facts("3b:00.0"));
    assert_eq!(facts("3b:00.2"), "");
    let json = serde_json::to_value(view::machine::json::document(&machine, &tree)).unwrap();
    assert!(json["functions"][0]["mps_bytes"].is_u64() && json["functions"][1]["mps_bytes"].is_null());
}

/// Memory writes to addresses at or above 4 GiB have headers of four double words, those to lower addresses of three: the lower
/// ones are more than 1 % faster.
#[test]
fn do_writes_from_card_to_card_have_headers_as_long_as_the_address_wants() {
    use lanescope_probe::Function;
    use pcie::config::{Bar, BarKind};
    let rate = ((3, 16), (3, 16));
    let gpu = |number: u8| {
        let root = port((0, number, 0), (0x8086, 0x6f04), PortType::Root, rate, (number, number));
        [root, endpoint((number, 0, 0), (0x10de, 0x15f7), class::VGA, rate)]
    };
    let read = by_hex(&machine([gpu(1), gpu(2)].concat()));
    let with = |bars: &[(Option<u64>, Option<u64>)]| {
        let mut read = read.clone();
        let cards = read.functions.values_mut().filter(|function| !function.header.is_bridge());
        let bar = |(index, &(address, size)): (usize, &(Option<u64>, Option<u64>))| Bar {
            index: 2 * index as u8,
            kind: BarKind::Memory { is_64: true, prefetchable: true },
            address,
            size: size.map(pcie::Bytes),
        };
        let set = |function: &mut Function| function.header.bars = bars.iter().enumerate().map(bar).collect();
        cards.for_each(set);
        let report = report(&read);
        (report.limits.peers[0].limited.rate.as_mb_per_s(), report.limits.devices[0].to_memory.rate.as_mb_per_s())
    };
    let (registers, memory) = ((Some(0x9100_0000), Some(16 << 20)), (Some(0x3b8_0000_0000), Some(16 << 30)));
    let (far, to_memory) = with(&[registers, memory]);
    assert!((far / to_memory - 1.0).abs() < 0.005, "{far:.0} to a card, {to_memory:.0} to memory");
    let (near, _) = with(&[registers]);
    assert!(near > 1.01 * far, "{near:.0} below 4 GiB, {far:.0} above");
    // Bytes do not hold sizes; a capture does not hold addresses.
    assert_eq!(with(&[(registers.0, None), (memory.0, None)]).0, far);
    assert_eq!(with(&[(None, registers.1), (None, memory.1)]).0, far);
}
