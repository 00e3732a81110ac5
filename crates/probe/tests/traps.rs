//! Tests of texts that are difficult to read: wrapped lines, brackets, old spellings, repeated functions, prose.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{machine, text};
use lanescope_probe::{Function, Machine, Reach, Tree, Why, lspci, read};
use pcie::config::{CapabilityId, PortType};

fn traps() -> Machine {
    lspci::parse(&text(&machine("traps.txt")))
}

fn function(machine: &Machine, address: &str) -> Function {
    machine.function(address.parse().unwrap()).unwrap().clone()
}

#[test]
fn are_heads_read_with_brackets_domains_paths_and_wrapped() {
    let machine = traps();
    let addresses: Vec<String> = machine.functions.keys().map(ToString::to_string).collect();
    assert_eq!(addresses, ["0000:00:00.0", "0000:00:1c.4", "0000:00:1d.0", "0000:07:00.0", "10000:e1:00.0"]);
    let port = function(&machine, "00:1c.4");
    assert_eq!((port.header.vendor, port.header.device, port.header.class), (Some(0x1234), Some(2), Some(0x0604)));
    assert_eq!((port.header.revision, port.header.interface), (Some(4), Some(0)));
    assert_eq!(port.names.device.as_deref(), Some("Example Corp. Root Port"));
    assert_eq!(function(&machine, "00:00.0").header.subsystem, Some((0x1234, 0x1111)));
    assert_eq!(function(&machine, "07:00.0").path, Some(vec!["00:1c.4".parse().unwrap()]));
}

#[test]
fn is_what_was_hidden_or_silent_absent_and_said_to_be() {
    let machine = traps();
    assert_eq!(function(&machine, "00:00.0").reach, Reach::HeaderOnly);
    assert_eq!(function(&machine, "10000:e1:00.0").reach, Reach::Nothing);
    assert!(machine.needs_root());
    let port = function(&machine, "00:1c.4");
    let express = port.express().unwrap();
    // This text does not have these fields.
    assert_eq!(express.dev_cap2.ten_bit_requester(), None);
    assert_eq!(express.lnk_cap.clock_pm(), None);
    assert_eq!(port.tag_bits(), Some(5));
    assert_eq!(port.os.numa_node, None);
}

#[test]
fn are_wrapped_lines_and_old_spellings_the_fields_that_they_are() {
    let machine = traps();
    let port = function(&machine, "00:1c.4");
    let express = port.express().unwrap();
    assert_eq!(express.port_type(), Some(PortType::RootPort));
    assert_eq!((express.lnk_cap.l0s_exit(), express.lnk_cap.l1_exit()), (Some(4), Some(4)));
    assert_eq!((express.lnk_ctl.disabled(), express.dev_ctl.unsupported_reporting()), (Some(false), Some(true)));
    assert_eq!((port.mps().map(|s| s.bytes()), port.mps_supported().map(|s| s.bytes())), (Some(256), Some(256)));
    let correctable = port.capabilities.aer().unwrap().correctable;
    assert_eq!(
        (correctable.bad_tlp(), correctable.timeout(), correctable.advisory()),
        (Some(true), Some(true), Some(false))
    );
    assert_eq!(function(&machine, "00:00.0").header.command.serr(), Some(true));
}

#[test]
fn are_unknown_capabilities_kept() {
    let port = function(&traps(), "00:1c.4");
    assert!(port.capabilities.with_id(CapabilityId::Extended(0x7b)).is_some());
    let last = port.capabilities.0.last().unwrap();
    assert_eq!((last.id, last.offset, last.version), (None, 0x150, Some(1)));
    assert!(last.text.starts_with("A capability that nobody"));
}

#[test]
fn does_a_function_that_comes_twice_fill_the_first_and_contradictions_stay_the_first() {
    let machine = traps();
    let port = function(&machine, "00:1d.0");
    // The second block has ASPM, which the first one lacks, and a speed, which the first one prints as unknown.
    assert_eq!(port.aspm().map(|aspm| aspm.to_string()).as_deref(), Some("off"));
    assert_eq!(port.link_now().and_then(|now| now.width), Some(0));
    let doubled = text(&common::machine("traps.txt")).replace("Speed 2.5GT/s, Width x0", "Speed 2.5GT/s, Width x2");
    let machine = lspci::parse(&doubled);
    assert_eq!(function(&machine, "00:1d.0").link_now().and_then(|now| now.width), Some(0));
    assert_eq!(function(&machine, "00:1d.0").aspm(), None);
    let said: Vec<String> = machine.remarks.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|remark| remark.contains("differs in LnkSta Width")), "{said:?}");
}

#[test]
fn do_links_say_why_they_are_as_they_are() {
    let machine = traps();
    let tree = Tree::of(&machine);
    let link = tree.link_above("07:00.0".parse().unwrap()).unwrap();
    assert_eq!((link.why, link.now.unwrap().to_string().as_str()), (Why::Target, "5 GT/s x4"));
    assert_eq!(link.possible.unwrap().to_string(), "8 GT/s x4");
    assert_eq!(tree.link_below("00:1d.0".parse().unwrap()).unwrap().why, Why::Down);
}

/// A device that does not answer in the first print of a text, but does in a later one.
#[test]
fn is_a_second_print_that_contradicts_the_silence_of_the_first_told() {
    let silent = "01:00.0 Network controller: Example Corp. Card (rev 1a)\n\t!!! Unknown header type 7f\n\n";
    let answers = "01:00.0 Network controller: Example Corp. Card (rev 1a)\n\tLatency: 0\n\
                   \tCapabilities: [40] Express (v2) Endpoint, MSI 00\n\
                   \t\tLnkSta:\tSpeed 5GT/s, Width x1\n\n";
    let list = "01:00.0 Network controller: Example Corp. Card (rev 1a)\n";
    let remarks = |text: String| lspci::parse(&text).remarks.iter().map(ToString::to_string).collect::<Vec<_>>();
    let told = remarks(format!("{silent}{answers}"));
    assert!(told.len() == 1 && told[0].contains("whether it answers"), "{told:?}");
    assert!(remarks(format!("{silent}{list}")).is_empty(), "a list does not ask");
}

/// A root port whose maximum width was never configured. It supports a higher speed than the device.
#[test]
fn is_a_width_of_no_lanes_one_that_nobody_told() {
    let machine = lspci::parse(
        "00:00.0 PCI bridge: Example Corp. Port\n\
         \tBus: primary=00, secondary=01, subordinate=ff, sec-latency=0\n\
         \tCapabilities: [70] Express (v2) Root Port (Slot-), MSI 00\n\
         \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x0, ASPM L1\n\
         \t\tLnkSta:\tSpeed 5GT/s (downgraded), Width x1 (strange)\n\n\
         01:00.0 USB controller: Example Corp. USB\n\
         \tCapabilities: [a0] Express (v2) Endpoint, MSI 00\n\
         \t\tLnkCap:\tPort #0, Speed 5GT/s, Width x1, ASPM L0s L1\n\
         \t\tLnkSta:\tSpeed 5GT/s (ok), Width x1 (ok)\n",
    );
    let tree = Tree::of(&machine);
    let link = tree.link_above("01:00.0".parse().unwrap()).unwrap();
    assert_eq!((link.why, link.possible.unwrap().to_string().as_str()), (Why::DeviceLimited, "5 GT/s x1"));
    assert_eq!(link.upper_max.unwrap().width, None);
    let rows = view::machine::show::rows(&machine, &tree, false);
    let said = format!("{rows:?}");
    assert!(said.contains("device-limited: the port can 8 GT/s\""), "{said}");
}

#[test]
fn do_remarks_name_their_lines() {
    let remarks = traps().remarks;
    assert_eq!(remarks[0].to_string(), "line 1: a line that belongs to no function");
    assert_eq!(remarks.len(), 1, "{remarks:?}");
}

/// Older versions of pciutils use other words for some flags.
#[test]
fn are_the_words_of_old_pciutils_the_flags_that_they_are() {
    let machine = lspci::parse(
        "01:00.0 Non-Volatile memory controller: Example Corp. SSD\n\
         \tCapabilities: [70] Express (v2) Endpoint, MSI 00\n\
         \t\tDevCtl:\tReport errors: Correctable+ Non-Fatal- Fatal+ Unsupported+\n\
         \t\t\tRlxdOrd+ ExtTag- PhantFunc- AuxPwr- NoSnoop+ FLReset-\n\
         \t\t\tMaxPayload 128 bytes, MaxReadReq 512 bytes\n\
         \t\tDevSta:\tCorrErr- UncorrErr+ FatalErr- UnsuppReq+ AuxPwr- TransPend-\n",
    );
    assert!(machine.remarks.is_empty(), "{:?}", machine.remarks);
    let function = function(&machine, "01:00.0");
    let (control, status) = (function.express().unwrap().dev_ctl, function.express().unwrap().dev_sta);
    let reporting = (
        control.correctable_reporting(),
        control.nonfatal_reporting(),
        control.fatal_reporting(),
        control.unsupported_reporting(),
    );
    assert_eq!(reporting, (Some(true), Some(false), Some(true), Some(true)));
    assert_eq!((status.nonfatal(), status.unsupported()), (Some(true), Some(true)));
    assert_eq!(function.mps().map(|size| size.bytes()), Some(128));
}

#[test]
fn is_a_sentence_that_begins_with_an_address_no_function() {
    for text in [
        "59:00.0 was runtime suspended between the following two prints\n\nsee there\n",
        "01:00.0 GPU: it should run at x16\nand does not\n",
        "00:1c.0 and 00:1d.0 are root ports: both are empty\n",
    ] {
        let machine = lspci::parse(text);
        assert_eq!((machine.functions.len(), machine.remarks.len()), (0, 1), "{text}");
    }
    // A line with an unknown class name is a head if lines of a function follow.
    let machine = lspci::parse("01:00.0 Quantum controller: Example Corp.\n\tNUMA node: 1\n");
    assert_eq!(function(&machine, "01:00.0").os.numa_node, Some(1));
    let listed = lspci::parse("01:00.0 Quantum controller: Example Corp.\n02:00.0 Quantum controller: Example Corp.\n");
    assert_eq!(listed.functions.len(), 2);
}

#[test]
fn is_what_stands_behind_the_last_line_no_part_of_it() {
    let text = "01:00.0 Non-Volatile memory controller: Example Corp. SSD\n\tKernel driver in use: nvme\n\
                \tKernel modules: nvme,\nvfio-pci\n  Thanks, and it is at x2 now\n";
    let last = function(&lspci::parse(text), "01:00.0");
    assert_eq!((last.os.driver.as_deref(), last.os.modules), (Some("nvme"), vec!["nvme".into(), "vfio-pci".into()]));
    let listed = lspci::parse("01:00.0 Non-Volatile memory controller: Example Corp. SSD\nThanks for any help\n");
    assert_eq!(function(&listed, "01:00.0").names.device.as_deref(), Some("Example Corp. SSD"));
    assert_eq!(listed.remarks.len(), 1);
}

#[test]
fn is_a_device_without_a_name_called_by_its_id_where_brackets_hold_ids() {
    let text = "00:1c.0 PCI bridge [0604]: Intel Corporation Device [8086:06b8]\n\
                \tSubsystem: Dell Device [1028:0af3]\n\n02:00.0 Network controller [0280]: Example Corp. Device [fff0:06b8]\n";
    let machine = lspci::parse(text);
    let known = function(&machine, "00:1c.0");
    assert!(known.title().starts_with("Intel Corporation Comet Lake PCIe Root Port"), "{}", known.title());
    assert_eq!(known.names.subsystem.as_deref(), Some("Dell Device 0af3"));
    assert_eq!(function(&machine, "02:00.0").title(), "Example Corp. Device 06b8");
}

#[test]
fn does_no_control_character_of_a_name_reach_a_terminal() {
    let machine = lspci::parse(
        "01:00.0 Non-Volatile memory controller: Evil\u{1b}]0;owned\u{7} \u{1b}[2JCorp. \u{9b}31mSSD\u{202e}\n\
         \tPhysical Slot: \u{8}1\n\tCapabilities: [50] \u{1b}[5mUnknown \u{7f}\n",
    );
    let shown = format!("{:?} {:?}", view::machine::show::rows(&machine, &Tree::of(&machine), true), machine.remarks);
    let json = serde_json::to_string(&view::machine::json::document(&machine, &Tree::of(&machine))).unwrap();
    for text in [shown, json] {
        assert!(text.contains("Evil"), "{text}");
        let bad = text.chars().find(|c| c.is_control() || *c == '\u{202e}');
        assert!(bad.is_none() && !text.contains("\\u{"), "{bad:?} in {text}");
    }
}

#[test]
fn is_a_file_told_by_its_content_and_refused_with_what_would_be_right() {
    let folder = common::fresh("by_content");
    let misnamed = folder.join("text.tar.zst");
    std::fs::copy(machine("traps.txt"), &misnamed).unwrap();
    assert_eq!(read(&misnamed).unwrap().functions.len(), 5);
    let wide: Vec<u8> = text(&machine("traps.txt")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&misnamed, [&[0xff, 0xfe][..], &wide].concat()).unwrap();
    assert_eq!(read(&misnamed).unwrap().functions.len(), 5);
    for (content, words) in [
        (&b"\x1f\x8b\x08"[..], "damaged"),
        (b"BZh9", "bzip2"),
        (b"no dump", "no function"),
        (b"\x28\xb5\x2f\xfd?", "damaged"),
    ] {
        std::fs::write(&misnamed, content).unwrap();
        let error = read(&misnamed).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert!(miette::Diagnostic::help(&error).is_some());
    }
    assert!(read(&folder).unwrap_err().to_string().contains("bus/pci/devices"));
    assert!(read(&folder.join("absent")).is_err());
}
