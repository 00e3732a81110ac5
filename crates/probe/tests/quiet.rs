//! Tests that no unnecessary finding is reported, and that nothing printed with a cost contradicts it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::Machine;
use lanescope_probe::finding::{Finding, Severity};
use lanescope_probe::limits::DeviceLimit;
use made::{by_files, by_hex, report};
use testing::machine::Fault;
use testing::machine::fault::plant;
use testing::machine::function::{PortType, class};
use testing::machine::single::{endpoint, machine, port};

fn of(machine: &Machine, kind: &str) -> Vec<Finding> {
    report(machine).findings.into_iter().filter(|finding| finding.kind == kind).collect()
}

/// A display controller with read requests of 128 bytes.
fn display(id: (u16, u16), lanes: u8) -> Machine {
    let rate = ((2, lanes), (2, lanes));
    let mut vga = endpoint((1, 0, 0), id, class::VGA, rate);
    vga.express.as_mut().unwrap().read_request = 0;
    by_hex(&machine(vec![port((0, 1, 0), (0x8086, 0xa110), PortType::Root, rate, (1, 1)), vga]))
}

#[test]
fn are_the_requests_of_a_management_controllers_display_left_alone() {
    for id in [(0x1a03, 0x2000), (0x102b, 0x0538)] {
        assert!(of(&display(id, 1), "mrrs").is_empty(), "{id:x?}");
    }
    // A graphics card with such requests is reported.
    assert_eq!(of(&display((0x10de, 0x2684), 16), "mrrs").len(), 1);
}

#[test]
fn is_the_node_asked_about_for_the_card_that_moves_most() {
    let nic = |number: u8, id: u16, rate: (u8, u8), node: i32| {
        let mut port = port((0, number, 0), (0x8086, 0x347a), PortType::Root, (rate, rate), (number, number));
        let mut card = endpoint((number, 0, 0), (0x15b3, id), class::ETHERNET, (rate, rate));
        (port.node, card.node) = (node, node);
        [port, card]
    };
    let cards = [nic(1, 0x1017, (2, 1), 0), nic(2, 0x1019, (4, 16), 1)].concat();
    let mut all = machine(cards);
    all.nodes = 2;
    let asked = of(&by_files(&all), "ask-node");
    assert!(asked[0].what.contains("feeds NIC 02:00.0 run on node 1"), "{}", asked[0].what);
}

#[test]
fn is_a_question_dropped_whose_answer_would_change_nothing() {
    // A graphics card that idles at 2.5 GT/s x1 below a switch whose uplink is as slow.
    let (slow, able) = ((1, 1), (2, 1));
    let below = |up: (u8, u8)| {
        by_hex(&machine(vec![
            port((0, 1, 0), (0x1d87, 0x0100), PortType::Root, (up, up), (1, 3)),
            port((1, 0, 0), (0x1b21, 0x1184), PortType::Upstream, (able, up), (2, 3)),
            port((2, 3, 0), (0x1b21, 0x1184), PortType::Downstream, (able, slow), (3, 3)),
            endpoint((3, 0, 0), (0x10de, 0x11c4), class::VGA, ((3, 16), slow)),
        ]))
    };
    assert!(of(&below(slow), "idle").is_empty());
    assert_eq!(of(&below(able), "idle").len(), 1);
}

#[test]
fn does_no_finding_cost_nothing_or_say_that_nothing_is_wrong() {
    for seed in 0..60 {
        let machine = by_hex(&testing::machine::healthy(seed));
        let report = report(&machine);
        let text = made::said(&machine, &report);
        assert!(!text.contains("costs  0 MB/s") && !text.contains("Nothing is wrong"), "{text}");
        let notes = report.findings.iter().filter(|finding| finding.severity.word() == "note");
        assert!(notes.into_iter().all(|note| note.cost.as_ref().is_none_or(|cost| cost.is_felt())), "{text}");
    }
}

#[test]
fn is_a_device_that_does_not_answer_told() {
    let rate = ((3, 4), (3, 4));
    let port = port((0, 1, 0), (0x8086, 0xa110), PortType::Root, rate, (1, 1));
    let mut read = by_hex(&machine(vec![port, endpoint((1, 0, 0), (0x17a0, 0x9755), class::SYSTEM, rate)]));
    let silent = read.functions.values_mut().next_back().unwrap();
    silent.reach = lanescope_probe::Reach::Nothing;
    assert_eq!(of(&read, "silent").len(), 1);
    assert!(report(&read).limits.devices.is_empty(), "what does not answer moves nothing");
    read.functions.values_mut().next_back().unwrap().os.runtime_status = Some("suspended".to_string());
    assert!(of(&read, "silent").is_empty(), "it sleeps");
}

/// Bad DLLPs at an upstream port came over the link above it. A function inside the root complex has no link.
#[test]
fn is_a_link_blamed_only_where_there_is_one_and_the_right_one() {
    let rate = ((3, 4), (3, 4));
    let aer = |mut function: testing::machine::Function, bit: u8| {
        function.aer = Some(testing::machine::function::Aer { correctable: 1 << bit, ..Default::default() });
        function
    };
    let switch = |kind, bdf, buses| port(bdf, (0x10b5, 0x9797), kind, rate, buses);
    let found = of(
        &by_hex(&machine(vec![
            port((0, 1, 0), (0x8086, 0x347a), PortType::Root, rate, (1, 3)),
            aer(switch(PortType::Upstream, (1, 0, 0), (2, 3)), 7),
            switch(PortType::Downstream, (2, 0, 0), (3, 3)),
            endpoint((3, 0, 0), (0x144d, 0xa80a), class::NVME, rate),
        ])),
        "aer",
    );
    let said = format!("{} {}", found[0].what, found[0].remedy.join(" "));
    assert!(!said.contains("below 01:00.0") && said.contains("below 00:01.0"), "{said}");
    let mut inside = aer(endpoint((0, 0x1e, 0), (0x8086, 0x7a60), class::USB, rate), 7);
    let express = inside.express.as_mut().unwrap();
    (express.port_type, express.link) = (PortType::Integrated, None);
    assert!(of(&by_hex(&machine(vec![inside.clone()])), "aer").is_empty());
    // Errors that are not of a link are reported without naming one.
    inside.aer.as_mut().unwrap().uncorrectable = 1 << 14;
    let told = of(&by_hex(&machine(vec![inside])), "aer");
    let said = format!("{} {}", told[0].what, told[0].remedy.join(" "));
    assert!(!said.contains("link") && said.contains("CmpltTO") && !said.contains("BadDLLP"), "{said}");
}

/// A card with two ports of 1 Gb/s, on one lane at 5 GT/s, that could use two lanes. Its ports need half of what its link carries.
#[test]
fn is_no_faster_slot_told_to_a_card_whose_ports_bring_less_than_its_link() {
    let card = |id: u16| {
        let slot = ((3, 1), (2, 1));
        let mut nic = endpoint((1, 0, 0), (0x15b3, id), class::ETHERNET, ((2, 2), (2, 1)));
        nic.multi = true;
        by_hex(&machine(vec![port((0, 1, 0), (0x8086, 0xa110), PortType::Root, slot, (1, 1)), nic]))
    };
    let mut known = card(0x1015);
    known.functions.values_mut().next_back().unwrap().names.device = Some("Example 1 Gigabit Ethernet".to_string());
    assert!(of(&known, "slot-limited").is_empty(), "{:?}", of(&known, "slot-limited"));
    known.functions.values_mut().next_back().unwrap().names.device = Some("Example 10 Gigabit Ethernet".to_string());
    assert_eq!(of(&known, "slot-limited").len(), 1);
    // A name without a number: 1 Gb/s for each port.
    for name in ["Example 2-port Gigabit Ethernet", "Example I210 Gigabit Network Connection"] {
        known.functions.values_mut().next_back().unwrap().names.device = Some(name.to_string());
        assert!(of(&known, "slot-limited").is_empty(), "{name}");
    }
    known.functions.values_mut().next_back().unwrap().names.device = Some("Example Multi-Gigabit Ethernet".to_string());
    assert_eq!(of(&known, "slot-limited").len(), 1);
}

/// A card with two ports of 100 Gb/s at its maximum width and speed, and the same card on half its lanes.
#[test]
fn is_a_better_slot_told_only_to_a_card_that_can_use_it() {
    let told = |lanes: u8| {
        let slot = ((4, lanes), (3, lanes));
        let root = port((0, 1, 0), (0x8086, 0x347a), PortType::Root, slot, (1, 1));
        let card = |function: u8| endpoint((1, 0, function), (0x15b3, 0x1017), class::ETHERNET, ((3, 16), (3, lanes)));
        let mut card = [card(0), card(1)];
        card[0].multi = true;
        of(&by_hex(&machine([vec![root], card.to_vec()].concat())), "nic-ports").remove(0).remedy.join(" ")
    };
    assert!(!told(16).contains("more lanes") && told(16).contains("no slot gives the card more"), "{}", told(16));
    assert!(told(8).contains("a slot with more lanes"), "{}", told(8));
}

/// A SATA controller with one lane, below a switch whose uplink is slower than that lane, or faster.
#[test]
fn is_a_controller_with_more_lanes_told_only_where_its_own_are_in_the_way() {
    let told = |up: (u8, u8)| {
        let own = ((2, 1), (2, 1));
        let all = vec![
            port((0, 1, 0), (0x1d87, 0x0100), PortType::Root, (up, up), (1, 3)),
            port((1, 0, 0), (0x1b21, 0x1184), PortType::Upstream, (up, up), (2, 3)),
            port((2, 3, 0), (0x1b21, 0x1184), PortType::Downstream, own, (3, 3)),
            endpoint((3, 0, 0), (0x1b4b, 0x9123), class::SATA, own),
        ];
        of(&by_hex(&machine(all)), "controller").remove(0).remedy.join(" ")
    };
    assert!(!told((1, 1)).contains("more lanes") && told((1, 1)).contains("not behind"), "{}", told((1, 1)));
    assert!(told((2, 4)).contains("A controller with more lanes"), "{}", told((2, 4)));
}

/// The link of a device that lost its power goes down. What its port reported then does not mean a failing cable.
#[test]
fn is_a_timeout_at_the_port_of_a_device_that_is_gone_part_of_that() {
    let rate = ((3, 1), (3, 1));
    let with = |bit: u8, down: bool| {
        let mut port = port((0, 1, 0), (0x8086, 0x51be), PortType::Root, rate, (1, 1));
        port.aer = Some(testing::machine::function::Aer { correctable: 1 << bit, ..Default::default() });
        let link = port.express.as_mut().unwrap().link.as_mut().unwrap();
        link.active = !down;
        let mut read = by_hex(&machine(vec![port, endpoint((1, 0, 0), (0x17a0, 0x9755), class::SYSTEM, rate)]));
        if down {
            read.functions.values_mut().next_back().unwrap().reach = lanescope_probe::Reach::Nothing;
        }
        read
    };
    const TIMEOUT: u8 = 12;
    const BAD_TLP: u8 = 6;
    let gone = with(TIMEOUT, true);
    assert!(of(&gone, "aer").is_empty());
    let evidence = format!("{:?}", of(&gone, "silent")[0].evidence);
    assert!(evidence.contains("Timeout+"), "{evidence}");
    assert_eq!(of(&with(TIMEOUT, false), "aer").len(), 1);
    // A bad TLP arrived while the device was still there.
    assert_eq!(of(&with(BAD_TLP, true), "aer").len(), 1);
}

/// The header of a request is logged where it arrives. A request whose completion never came is in no log.
#[test]
fn is_no_log_promised_that_does_not_hold_the_request() {
    let mut device = endpoint((0, 0x1e, 0), (0x8086, 0x7a60), class::USB, ((3, 4), (3, 4)));
    let express = device.express.as_mut().unwrap();
    (express.port_type, express.link) = (PortType::Integrated, None);
    let told = |bit: u8| {
        let mut device = device.clone();
        device.aer = Some(testing::machine::function::Aer { uncorrectable: 1 << bit, ..Default::default() });
        of(&by_hex(&machine(vec![device])), "aer").remove(0).remedy.join(" ")
    };
    const POISONED: u8 = 12;
    const COMPLETION_TIMEOUT: u8 = 14;
    assert!(told(COMPLETION_TIMEOUT).contains("not which request"), "{}", told(COMPLETION_TIMEOUT));
    assert!(told(POISONED).contains("says which request it was"), "{}", told(POISONED));
}

/// The cost of a question is printed for the answer "if not".
#[test]
fn does_a_question_put_its_cost_to_the_answer_that_has_it() {
    let rate = ((3, 16), (1, 16));
    let gpu = endpoint((1, 0, 0), (0x10de, 0x2184), class::VGA, rate);
    let read = by_hex(&machine(vec![port((0, 1, 0), (0x8086, 0x2e21), PortType::Root, rate, (1, 1)), gpu]));
    let text = made::said(&read, &report(&read));
    assert!(text.contains("is it idle?") && text.contains("if not it costs"), "{text}");
}

/// Bits of a link that sleeps, above a port of Fast Ethernet: that it happened once costs nothing. What a counter says goes on.
#[test]
fn are_bits_of_a_link_to_a_slow_wire_that_sleeps_a_note() {
    const TIMEOUT_AND_BAD_DLLP: u32 = 1 << 12 | 1 << 7;
    let rate = ((1, 1), (1, 1));
    let severity = |device: u16, sleeps: bool, counted: u64| {
        let mut all = vec![
            port((0, 0x1c, 0), (0x8086, 0x51be), PortType::Root, rate, (1, 1)),
            endpoint((1, 0, 0), (0x10ec, device), class::ETHERNET, rate),
        ];
        all[1].aer = Some(testing::machine::function::Aer { correctable: TIMEOUT_AND_BAD_DLLP, ..Default::default() });
        for function in &mut all {
            function.express.as_mut().unwrap().link.as_mut().unwrap().aspm = (3, if sleeps { 2 } else { 0 });
        }
        let mut read = by_hex(&machine(all));
        let counters = lanescope_probe::AerCounters {
            correctable: [("BadTLP".to_string(), counted)].into_iter().collect(),
            ..Default::default()
        };
        read.functions.values_mut().next_back().unwrap().os.aer = (counted > 0).then_some(counters);
        of(&read, "aer").remove(0).severity
    };
    const FAST_ETHERNET: u16 = 0x8136;
    const GIGABIT: u16 = 0x8168;
    assert_eq!(severity(FAST_ETHERNET, true, 0), Severity::Note);
    assert_eq!(severity(FAST_ETHERNET, false, 0), Severity::Warning, "nothing wakes there");
    assert_eq!(severity(FAST_ETHERNET, true, 5), Severity::Warning);
    assert_eq!(severity(GIGABIT, true, 0), Severity::Error);
}

/// A display card and a gigabit NIC below one switch never talk; two cards that compute, or a card and a fast NIC, may.
#[test]
fn is_acs_told_only_where_cards_may_send_to_one_another() {
    let rate = ((3, 8), (3, 8));
    let told = |nic: (u16, u16), second: u32| {
        let mut ports = [
            port((2, 0, 0), (0x10b5, 0x8747), PortType::Downstream, rate, (3, 3)),
            port((2, 1, 0), (0x10b5, 0x8747), PortType::Downstream, rate, (4, 4)),
        ];
        ports.iter_mut().for_each(|port| port.acs = Some((0x1f, 0x1d)));
        let others = vec![
            port((0, 1, 0), (0x8086, 0x352a), PortType::Root, rate, (1, 4)),
            port((1, 0, 0), (0x10b5, 0x8747), PortType::Upstream, rate, (2, 4)),
            endpoint((3, 0, 0), (0x10de, 0x1cb3), class::VGA, rate),
            endpoint((4, 0, 0), nic, second, rate),
        ];
        of(&by_hex(&machine([others, ports.to_vec()].concat())), "acs-redirect").len()
    };
    assert_eq!(told((0x8086, 0x1533), class::ETHERNET), 0, "I210 Gigabit Network Connection");
    assert_eq!(told((0x15b3, 0x1017), class::ETHERNET), 1, "ConnectX-5");
    assert_eq!(told((0x10ec, 0xffff), class::ETHERNET), 1, "of one that nobody knows, its link decides");
    assert_eq!(told((0x10de, 0x1cb3), class::VGA), 1);
}

/// What a finding says that devices below one bridge get now is what the table of those at once says.
#[test]
fn does_the_cost_of_several_devices_stand_beside_the_same_figure_of_the_table() {
    let mut looked = 0;
    for (number, fault) in Fault::ALL.into_iter().cycle().take(120).enumerate() {
        let report = report(&by_files(&plant(fault, number as u64).machine));
        let name = |bdf: &str| report.limits.sets.iter().find(|set| set.name == format!("all behind {bdf}"));
        for finding in &report.findings {
            let Some(cost) = &finding.cost else { continue };
            let named = |limit: &&DeviceLimit| {
                let (whole, short) = (limit.at.to_string(), limit.at.bdf.to_string());
                [whole, short].iter().any(|at| cost.of == format!("{} {at}", limit.role))
            };
            let of_device = report.limits.devices.iter().filter(named).collect::<Vec<_>>();
            if let [limit] = *of_device {
                assert_eq!(cost.now, limit.way(cost.way).rate, "{finding:#?}");
                looked += 1;
            }
            let below = ["below ", "behind the switch "].into_iter().find_map(|word| cost.of.split_once(word));
            if let Some(set) = below.and_then(|(_, bdf)| name(bdf)) {
                assert_eq!(cost.now, set.sum, "{finding:#?} beside {set:#?}");
                looked += 1;
            }
        }
    }
    assert!(looked > 60, "{looked}");
}

/// The graphics of an Intel Arc card read 2.5 GT/s x1 inside the card, whatever the card's link does.
#[test]
fn is_a_card_with_a_switch_of_its_own_judged_by_the_link_of_the_card() {
    let (slot, inner) = (((4, 16), (4, 16)), ((1, 1), (1, 1)));
    let card = endpoint((3, 0, 0), (0x8086, 0x56a0), class::VGA, inner);
    let sound = endpoint((4, 0, 0), (0x8086, 0x4f90), class::AUDIO, inner);
    let all = vec![
        port((0, 1, 0), (0x8086, 0xa70d), PortType::Root, slot, (1, 4)),
        port((1, 0, 0), (0x8086, 0x4fa0), PortType::Upstream, slot, (2, 4)),
        port((2, 1, 0), (0x8086, 0x4fa4), PortType::Downstream, inner, (3, 3)),
        port((2, 4, 0), (0x8086, 0x4fa4), PortType::Downstream, inner, (4, 4)),
        card.clone(),
        sound,
    ];
    let whole = report(&by_hex(&machine(all)));
    for limit in &whole.limits.devices {
        let rate = limit.to_memory.rate.as_mb_per_s();
        assert!(rate > 25e3, "{} has {rate} MB/s: {:?}", limit.at, whole.findings);
    }
    assert_eq!(whole.findings.iter().filter(|finding| finding.severity <= Severity::Warning).count(), 0);
    let alone = report(&by_hex(&machine(vec![card])));
    assert!(alone.limits.devices.is_empty(), "{:?}", alone.limits.devices);
}

/// Without the port above it, a function on 16 lanes is inside a processor where its maker has it nowhere else.
#[test]
fn are_functions_of_processors_told_from_cards_without_their_ports() {
    let rate = ((4, 16), (4, 16));
    type Place = (u8, u8, u8);
    let limits = |functions: &[(Place, (u16, u16), u32)]| {
        let all = functions.iter().map(|&(bdf, id, class)| endpoint(bdf, id, class, rate)).collect();
        report(&by_hex(&machine(all))).limits.devices.len()
    };
    assert_eq!(limits(&[((3, 0, 0), (0x1022, 0x15b6), class::USB)]), 0);
    assert_eq!(limits(&[((3, 0, 0), (0x1d94, 0x55b7), 0x03_8000)]), 1, "a Hygon DCU is a card");
    assert_eq!(limits(&[((0xc4, 0, 0), (0x1002, 0x15bf), class::VGA)]), 1, "it may be a card");
    let apu = [((0xc4, 0, 0), (0x1002, 0x15bf), class::VGA), ((0xc4, 0, 2), (0x1022, 0x15c7), 0x10_8000)];
    assert_eq!(limits(&apu), 0);
}

#[test]
fn is_a_link_inside_a_card_told_from_the_one_to_its_slot() {
    let (slow, able) = ((1, 1), (4, 16));
    let inside = |up: (u8, u8)| {
        let card = by_hex(&machine(vec![
            port((0, 1, 0), (0x8086, 0x347a), PortType::Root, (able, up), (1, 3)),
            port((1, 0, 0), (0x1002, 0x1478), PortType::Upstream, (able, up), (2, 3)),
            port((2, 0, 0), (0x1002, 0x1479), PortType::Downstream, (able, able), (3, 3)),
            endpoint((3, 0, 0), (0x1002, 0x73df), class::VGA, (able, able)),
        ]));
        of(&card, "inside-card")
    };
    let found = inside(slow).remove(0);
    assert!(found.what.contains("inside the card") && found.what.contains("2.5 GT/s x1 to its slot"), "{}", found.what);
    assert!(inside(able).is_empty());
}
