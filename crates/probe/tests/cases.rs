//! Tests of findings that no planted fault covers, and of questions about what no dump can show.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::finding::{Finding, Severity};
use made::{by_files, report};
use testing::machine::function::class;
use testing::machine::{Function, GeneratedMachine, healthy};

/// The findings of a kind, on the first healthy machine that `change` applies to.
fn found(kind: &str, change: impl Fn(&mut GeneratedMachine) -> Option<()>) -> Vec<Finding> {
    let machine = (0..500).map(healthy).find_map(|mut machine| change(&mut machine).map(|()| machine)).unwrap();
    let all = report(&by_files(&machine)).findings;
    all.into_iter().filter(|finding| finding.kind == kind).collect()
}

/// The first function with a link that `fits`, and the port above it, by their places in the machine.
fn with_port(machine: &mut GeneratedMachine, fits: impl Fn(&Function) -> bool) -> Option<(usize, usize)> {
    let place = machine.functions.iter().position(|function| fits(function) && function.express.is_some())?;
    let above = machine.above(&machine.functions[place])?.name();
    Some((place, machine.place(&above)?))
}

fn set_link(machine: &mut GeneratedMachine, at: usize, (speed, width): (u8, u8), able: (u8, u8)) {
    let link = machine.functions[at].link_mut().unwrap();
    (link.speed, link.width) = (speed, width);
    (link.max_speed, link.max_width) = able;
    link.target = able.0;
}

#[test]
fn is_strict_invalidation_named_from_one_device_on() {
    let strict = found("iommu-strict", |machine| {
        machine.group_type = "DMA";
        machine.functions.iter().any(Function::is_ssd).then_some(())
    });
    assert_eq!(strict.len(), 1);
}

#[test]
fn is_a_graphics_card_at_2_5_gts_asked_about_and_no_fault() {
    let idle = found("idle", |machine| {
        let (gpu, port) = with_port(machine, Function::is_gpu)?;
        let bus = machine.functions[gpu].bdf.0;
        machine
            .functions
            .iter_mut()
            .filter(|f| f.bdf.0 == bus)
            .filter_map(Function::link_mut)
            .for_each(|l| l.speed = 1);
        machine.functions[port].link_mut()?.speed = 1;
        Some(())
    });
    assert_eq!(idle.iter().map(|finding| finding.severity).collect::<Vec<_>>(), [Severity::Question]);
}

#[test]
fn is_relaxed_ordering_that_is_off_named_on_a_network_card_of_100_gbs() {
    let off = |relaxed: bool| {
        found("relaxed-ordering", move |machine| {
            let (nic, port) = with_port(machine, Function::is_nic)?;
            [nic, port].into_iter().for_each(|at| set_link(machine, at, (4, 16), (4, 16)));
            machine.functions[nic].express.as_mut()?.relaxed = relaxed;
            Some(())
        })
    };
    assert_eq!((off(false).len(), off(true).len()), (1, 0));
}

#[test]
fn is_a_sata_controller_with_one_lane_told_apart_from_its_drives() {
    let short = found("controller", |machine| {
        let (ssd, port) = with_port(machine, Function::is_ssd)?;
        machine.functions[ssd].class = class::SATA;
        set_link(machine, ssd, (2, 1), (3, 1));
        set_link(machine, port, (2, 1), (2, 1));
        Some(())
    });
    assert_eq!(short.len(), 1);
    assert!(short[0].what.contains("MB/s for all its drives"), "{}", short[0].what);
}

#[test]
fn is_a_board_known_whose_port_is_slower_by_default() {
    let slow = found("board-default", |machine| {
        let (ssd, port) = with_port(machine, Function::is_ssd)?;
        machine.functions[port].id = (0x14e4, 0x2712);
        set_link(machine, ssd, (2, 1), (4, 4));
        set_link(machine, port, (2, 1), (2, 1));
        Some(())
    });
    assert!(slow[0].cost.as_ref().unwrap().share() > 0.4, "{slow:?}");
    assert!(slow[0].remedy[0].contains("pciex1_gen=3"));
}

/// Bit numbers of the Correctable Error Status register.
const RX_ERR: u8 = 0;
const BAD_TLP: u8 = 6;
const TIMEOUT: u8 = 12;

/// The findings on errors at both ends of a drive's link, in the status registers and in the counters.
fn errors(below: &'static [u8], above: &'static [u8], aspm: u8) -> Vec<Finding> {
    found("aer", move |machine| {
        let (ssd, port) = with_port(machine, Function::is_ssd)?;
        for (at, bits) in [(ssd, below), (port, above)] {
            machine.functions[at].link_mut()?.aspm = (2, aspm);
            let aer = machine.functions[at].aer.as_mut()?;
            aer.correctable = bits.iter().map(|bit| 1 << bit).sum();
            aer.counted = bits.iter().map(|&bit| (bit, 3)).collect();
        }
        Some(())
    })
}

#[test]
fn are_errors_at_both_ends_of_a_link_one_finding_that_names_both() {
    let both = errors(&[TIMEOUT], &[BAD_TLP], 0);
    assert_eq!((both.len(), both[0].at.len()), (1, 2), "{both:?}");
    assert!(
        both[0].what.starts_with("the link between ") && both[0].what.ends_with("BadTLP, Timeout"),
        "{}",
        both[0].what
    );
    assert_eq!(both[0].severity, Severity::Error, "what one end sent again the other had found bad");
    assert!(!both[0].remedy.iter().any(|remedy| remedy.contains("l1_aspm")));
    assert_eq!(errors(&[], &[BAD_TLP], 0)[0].severity, Severity::Warning);
}

#[test]
fn is_l1_named_where_it_is_on_at_a_link_with_errors() {
    let asleep = errors(&[RX_ERR], &[BAD_TLP], 2);
    assert!(asleep[0].evidence.iter().any(|e| e.source == "LnkCtl" && e.value == "ASPM L1 Enabled"), "{asleep:?}");
    assert!(asleep[0].remedy.iter().any(|remedy| remedy.contains("/link/l1_aspm")), "{asleep:?}");
}

#[test]
fn are_receiver_errors_bad_tlps_and_timeouts_of_one_link_an_error_whatever_is_below_it() {
    let of_usb = |above: &'static [u8]| {
        found("aer", move |machine| {
            let (ssd, port) = with_port(machine, Function::is_ssd)?;
            machine.functions[ssd].class = class::USB;
            machine.functions[ssd].blocks.clear();
            for (at, bits) in [(ssd, &[TIMEOUT][..]), (port, above)] {
                let aer = machine.functions[at].aer.as_mut()?;
                aer.counted = bits.iter().map(|&bit| (bit, 2)).collect();
            }
            Some(())
        })
    };
    let severity = |found: Vec<Finding>| found.iter().map(|finding| finding.severity).collect::<Vec<_>>();
    assert_eq!(severity(of_usb(&[RX_ERR, BAD_TLP])), [Severity::Error]);
    assert_eq!(severity(of_usb(&[RX_ERR])), [Severity::Warning]);
}

/// The findings on a network card with two ports of 100 Gb/s each.
fn two_ports(link: (u8, u8)) -> Vec<Finding> {
    found("nic-ports", move |machine| {
        let (nic, port) = with_port(machine, Function::is_nic)?;
        [nic, port].into_iter().for_each(|at| set_link(machine, at, link, (4, 16)));
        machine.functions[nic].id = (0x15b3, 0x1019);
        machine.functions[nic].multi = true;
        let mut second = machine.functions[nic].clone();
        second.bdf.2 = 1;
        machine.functions.retain(|f| f.bdf.0 != second.bdf.0 || f.bdf == machine_bdf(&second));
        machine.functions.insert(0, second);
        machine.functions.sort_by_key(|f| (f.domain, f.bdf));
        Some(())
    })
}

/// The address of function 0 of a function's device.
fn machine_bdf(function: &Function) -> (u8, u8, u8) {
    (function.bdf.0, function.bdf.1, 0)
}

#[test]
fn are_two_ports_that_bring_more_than_their_slot_takes_named_by_their_device_id() {
    let narrow = two_ports((3, 16));
    assert_eq!((narrow.len(), narrow[0].severity, narrow[0].at.len()), (1, Severity::Note, 2), "{narrow:?}");
    assert!(narrow[0].what.contains("whose 2 ports may run at 200 Gb/s together"), "{}", narrow[0].what);
    assert!(narrow[0].evidence[0].value.contains("ConnectX-5 Ex: 100 Gb/s a port"), "{narrow:?}");
    assert_eq!(two_ports((4, 16)), []);
}

#[test]
fn is_a_shared_uplink_named_to_a_plain_user_too() {
    use testing::machine::sysfs::Entry;
    let planted = testing::machine::fault::plant(testing::machine::Fault::Uplink, 2);
    let root = report(&by_files(&planted.machine)).findings;
    let folder = made::fresh("plain_user");
    planted.machine.write_sysfs(&folder).unwrap();
    for (path, entry) in planted.machine.sysfs() {
        if let Entry::File(bytes) = entry
            && path.file_name().is_some_and(|name| name == "config")
        {
            std::fs::write(folder.join(path), &bytes[..64]).unwrap();
        }
    }
    let plain = report(&lanescope_probe::live(&folder).unwrap()).findings;
    std::fs::remove_dir_all(&folder).unwrap();
    let shared = |all: &[Finding]| {
        all.iter().find(|f| f.kind == "shared-uplink").map(|f| (f.at.clone(), f.evidence[0].source.clone()))
    };
    let (at, source) = shared(&root).unwrap();
    assert_eq!(source, "LnkSta");
    assert_eq!(shared(&plain), Some((at, "current_link_speed".to_string())), "{plain:?}");
}

/// Without root, `lspci -v` prints no port types and no speeds: only the bus numbers show the switch.
#[test]
fn is_an_uplink_that_only_buses_show_asked_about() {
    let bridge = |at: &str, buses: (u8, u8)| {
        let (first, last) = buses;
        format!(
            "{at} PCI bridge: Example Corp. Port (prog-if 00 [Normal decode])\n\
             \tBus: primary=00, secondary={first:02x}, subordinate={last:02x}, sec-latency=0\n\
             \tCapabilities: <access denied>\n\n"
        )
    };
    let drive = |at: &str| {
        format!("{at} Non-Volatile memory controller: Example Corp. SSD\n\tCapabilities: <access denied>\n\n")
    };
    let text = bridge("00:01.0", (1, 4))
        + &bridge("01:00.0", (2, 4))
        + &bridge("02:00.0", (3, 3))
        + &bridge("02:01.0", (4, 4));
    let asked = |text: &str| {
        let machine = lanescope_probe::lspci::parse(text);
        report(&machine)
            .findings
            .into_iter()
            .filter(|f| f.kind == "ask-uplink")
            .map(|f| (f.severity, f.what))
            .collect::<Vec<_>>()
    };
    let two = asked(&format!("{text}{}{}", drive("03:00.0"), drive("04:00.0")));
    let says = "how fast is the uplink of the switch 01:00.0? SSD 03:00.0, SSD 04:00.0 share it";
    assert_eq!(two, [(Severity::Question, says.to_string())]);
    assert_eq!(asked(&format!("{text}{}", drive("03:00.0"))), []);
}

#[test]
fn is_the_way_of_card_to_card_said_in_words_where_acs_redirects_it() {
    let planted = testing::machine::fault::plant(testing::machine::Fault::Acs, 6);
    let machine = by_files(&planted.machine);
    let all = report(&machine).findings;
    let acs = all.iter().find(|finding| finding.kind == "acs-redirect").unwrap();
    assert!(acs.what.starts_with("card to card goes through the root: "), "{}", acs.what);
    let rows = view::machine::show::rows(&machine, &lanescope_probe::Tree::of(&machine), false);
    let facts: Vec<String> = rows.iter().flat_map(|row| row.facts.iter().map(|fact| fact.text.clone())).collect();
    assert!(facts.iter().any(|fact| fact == "card to card goes through the root (ACS)"), "{facts:?}");
}

#[test]
fn is_the_node_of_a_program_asked_about_with_two_sockets_only() {
    let two = found("ask-node", |machine| (machine.nodes == 2).then_some(()));
    let one = found("ask-node", |machine| (machine.nodes == 1).then_some(()));
    assert_eq!((two.len(), one.len()), (1, 0));
}
