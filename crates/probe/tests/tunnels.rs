//! Tests that links inside chips and tunnels are distinguished from physical links.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::{Machine, Tree, Unreal, lspci};
use made::{by_hex, report};
use testing::machine::Function;
use testing::machine::function::{Other, PortType, class};
use testing::machine::single::{endpoint, machine, port};

fn unreal(machine: &Machine, lower: &str) -> Option<Unreal> {
    Tree::of(machine).link_above(lower.parse().unwrap()).unwrap().unreal
}

const FULL: ((u8, u8), (u8, u8)) = ((5, 16), (5, 16));

/// A machine with AMD's root port `id`, with or without a slot, and the functions `below` it.
fn amd(id: u16, slot: bool, below: &[(u16, u16)]) -> Machine {
    let mut port = port((0, 7, 1), (0x1022, id), PortType::Root, FULL, (1, 1));
    port.express.as_mut().unwrap().slot = port.express.as_ref().unwrap().slot.filter(|_| slot);
    let mut all = vec![port];
    for (function, &id) in (0u8..).zip(below) {
        let mut one = endpoint((1, 0, function), id, class::USB, FULL);
        one.multi = below.len() > 1;
        all.push(one);
    }
    by_hex(&machine(all))
}

#[test]
fn are_amds_ports_to_what_is_inside_known_by_their_id() {
    let inside = amd(0x14a7, true, &[(0x1022, 0x14ac)]);
    assert_eq!(unreal(&inside, "01:00.0"), Some(Unreal::Inside));
    assert!(report(&inside).limits.devices.is_empty());
    // With an older database, `lspci` prints the id in place of the name.
    let printed = "00:07.1 PCI bridge: Advanced Micro Devices, Inc. [AMD] Device 14a7 (rev 01)\n\
        \tBus: primary=00, secondary=0a, subordinate=0a, sec-latency=0\n\
        \tCapabilities: [58] Express (v2) Root Port (Slot+), MSI 00\n\
        \t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L0s L1\n\
        \t\tLnkSta:\tSpeed 32GT/s, Width x16\n\n\
        0a:00.0 Non-Essential Instrumentation [1300]: Nobody Device 0001\n\
        \tCapabilities: [64] Express (v2) Endpoint, MSI 00\n\
        \t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L0s L1\n\
        \t\tLnkSta:\tSpeed 32GT/s, Width x16\n";
    assert_eq!(unreal(&lspci::parse(printed), "0a:00.0"), Some(Unreal::Inside));
}

#[test]
fn are_amds_ports_to_what_is_inside_known_by_their_shape() {
    // Ids that no database has.
    let below = [(0x1022, 0xfffd), (0x1002, 0xfffc)];
    assert_eq!(unreal(&amd(0xfffe, false, &below), "01:00.0"), Some(Unreal::Inside));
    // These are cards: what is in a slot, what another vendor sells, and a graphics card alone.
    assert_eq!(unreal(&amd(0xfffe, true, &below), "01:00.0"), None);
    assert_eq!(unreal(&amd(0xfffe, false, &[(0x10de, 0x2684)]), "01:00.0"), None);
    assert_eq!(unreal(&amd(0xfffe, false, &[(0x1002, 0x744c)]), "01:00.0"), None);
}

/// A Thunderbolt controller on two lanes below a root port, its own device, and an enclosure with a graphics card and a drive.
fn enclosure() -> Vec<Function> {
    let tunnel = ((1, 4), (1, 4));
    let mark = |mut function: Function| {
        function.others.push(Other::Thunderbolt);
        function
    };
    let router = |bdf, kind, rate, buses| mark(port(bdf, (0x8086, 0x15da), kind, rate, buses));
    vec![
        port((0, 0x1c, 0), (0x8086, 0xa110), PortType::Root, ((3, 4), (3, 2)), (1, 9)),
        router((1, 0, 0), PortType::Upstream, ((3, 2), (3, 2)), (2, 9)),
        router((2, 0, 0), PortType::Downstream, tunnel, (3, 3)),
        mark(endpoint((3, 0, 0), (0x8086, 0x15d9), class::SYSTEM, tunnel)),
        router((2, 1, 0), PortType::Downstream, tunnel, (4, 9)),
        router((4, 0, 0), PortType::Upstream, tunnel, (5, 9)),
        router((5, 1, 0), PortType::Downstream, ((3, 4), (3, 4)), (6, 6)),
        endpoint((6, 0, 0), (0x10de, 0x2684), class::VGA, ((4, 16), (3, 4))),
        router((5, 4, 0), PortType::Downstream, ((3, 4), (3, 1)), (7, 7)),
        endpoint((7, 0, 0), (0x144d, 0xa80a), class::NVME, ((3, 4), (3, 1))),
    ]
}

#[test]
fn are_the_wires_of_a_thunderbolt_controller_and_its_enclosure_real() {
    let machine = by_hex(&machine(enclosure()));
    let found = ["01:00.0", "03:00.0", "04:00.0", "06:00.0", "07:00.0"].map(|at| unreal(&machine, at));
    assert_eq!(found, [None, Some(Unreal::Inside), Some(Unreal::Tunnel), None, None]);
    // A physical link with too few lanes is a fault, also below a tunnel.
    let report = report(&machine);
    let width = report.findings.iter().find(|finding| finding.kind == "width").unwrap();
    assert_eq!(width.at[0].to_string(), "0000:07:00.0");
    assert!(width.cost.is_none(), "what the tunnel leaves of it is not known: {width:?}");
}

#[test]
fn is_a_device_behind_thunderbolt_said_to_be_so_with_what_feeds_it() {
    let report = report(&by_hex(&machine(enclosure())));
    let finding = report.findings.iter().find(|finding| finding.kind == "tunnel").unwrap();
    assert_eq!(
        finding.what,
        "GPU 06:00.0, SSD 07:00.0 are behind Thunderbolt or USB4, whose controller 01:00.0 has 8 GT/s x2 to the host for all \
         that is behind it"
    );
    // Both together get no more than the two lanes that feed the controller.
    assert!(finding.remedy[0].starts_with("Count on no more than 17"), "{}", finding.remedy[0]);
    assert!(report.limits.devices.is_empty(), "no figure through a tunnel: {:?}", report.limits.devices);
    let why: Vec<&str> = report.judged.left_out.iter().map(|left| left.why.as_str()).collect();
    assert_eq!(why.iter().filter(|why| why.contains("what a tunnel gives")).count(), 2, "{why:?}");
}
