//! Tests of what holds for any input.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{machine, text};
use lanescope_probe::report::Report;
use lanescope_probe::{Machine, Tree, capture, lspci, read};
use pcie::config::{ConfigSpace, walk};
use proptest::prelude::*;
use view::machine::{json, show, svg};

/// Asserts everything that must hold for a machine.
fn hold(machine: &Machine) {
    let tree = Tree::of(machine);
    let rows = show::rows(machine, &tree, true);
    let shown = rows.iter().filter(|row| row.address.is_some()).count();
    assert_eq!(shown, machine.functions.len(), "every function is shown once");
    for function in machine.functions.values() {
        assert!(tree.ancestors(function.address).count() < machine.functions.len(), "no cycles");
        let mut joined = function.clone();
        assert_eq!(joined.join(function.clone()), Vec::<String>::new(), "nothing contradicts itself");
        assert_eq!(joined, *function, "and joined with itself it is the same");
    }
    assert!(serde_json::to_string(&json::document(machine, &tree)).is_ok());
    let report = Report::of(machine, &tree, false);
    assert!(svg::draw(machine, &tree, &report).ends_with("</svg>\n"));
}

/// The words of a dump in any order.
fn words() -> impl Strategy<Value = String> {
    let all = text(&machine("traps.txt"));
    let mut known: Vec<String> = all.split_whitespace().map(str::to_string).collect();
    known.extend(["\n", "\n\t", "\n\n", "00:00.0", "10: 00 01", "Capabilities: [100 v1]"].map(str::to_string));
    proptest::collection::vec(proptest::sample::select(known), 0..300).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn do_random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..5000)) {
        hold(&read::of_bytes(bytes).unwrap_or_default());
    }

    #[test]
    fn do_the_words_of_a_dump_in_any_order_never_panic(text in words()) {
        hold(&lspci::parse(&text));
    }

    #[test]
    fn does_a_dump_with_a_piece_missing_never_panic(from in 0.0..1.0_f64, length in 0..400_usize) {
        let whole = text(&machine("traps.txt"));
        let at = |n: usize| (0..=n.min(whole.len())).rev().find(|n| whole.is_char_boundary(*n)).unwrap();
        let start = at((from * whole.len() as f64) as usize);
        let cut = format!("{}{}", &whole[..start], &whole[at(start + length)..]);
        hold(&lspci::parse(&cut));
    }

    #[test]
    fn are_the_lists_of_any_configuration_space_walked_to_an_end(bytes in proptest::collection::vec(any::<u8>(), 0..4096)) {
        let mut bytes = bytes;
        // Sets Capabilities List in Status, so that there is a list to walk.
        if bytes.len() > 0x34 {
            bytes[6] |= 0x10;
        }
        let space = ConfigSpace::new(bytes);
        let (capabilities, _) = walk::capabilities(&space);
        prop_assert!(capabilities.0.len() <= 64 + 1024);
        let scrubbed = capture::scrub(&space);
        prop_assert_eq!(capture::scrub(&scrubbed), scrubbed.clone());
        prop_assert_eq!(scrubbed.len(), space.len());
        let (again, _) = walk::capabilities(&scrubbed);
        let ids = |all: &pcie::config::Capabilities| all.0.iter().map(|c| (c.id, c.offset)).collect::<Vec<_>>();
        if space.u16(0) != Some(0xffff) {
            prop_assert_eq!(ids(&again), ids(&capabilities), "every capability is still seen");
        }
    }
}

/// Lists of capabilities whose pointers form a cycle.
#[test]
fn does_a_list_that_goes_round_end_with_a_remark() {
    let mut config = common::config::Config::endpoint(0x1234, 1, 0x0108);
    config.capability(0x40, 0x01).capability(0x50, 0x05);
    config.bytes[0x51] = 0x40;
    config.extended(0x100, 1, 1).extended(0x140, 0x0d, 1).extended(0x100, 0, 0);
    config.u32(0x100, 0x1401_0001).u32(0x140, 0x1001_000d);
    let (found, broken) = walk::capabilities(&ConfigSpace::new(config.bytes));
    assert_eq!(found.0.len(), 4);
    let said: Vec<String> = broken.iter().map(ToString::to_string).collect();
    assert_eq!(said, ["the list of capabilities comes back to 0x040", "the list of capabilities comes back to 0x100"]);
}

/// Bridges that claim each other's buses.
#[test]
fn do_bridges_that_claim_each_other_make_no_circle() {
    let bridge = |at: &str, secondary: &str| {
        format!("{at} PCI bridge: Example\n\tBus: primary=00, secondary={secondary}, subordinate=ff, sec-latency=0\n\n")
    };
    let text =
        bridge("01:00.0", "02") + &bridge("02:00.0", "01") + &bridge("03:00.0", "03") + "03:01.0 Device: Example\n";
    let machine = lspci::parse(&text);
    let paths = "01:00.0/02:00.0 PCI bridge: Example\n\n02:00.0/01:00.0 PCI bridge: Example\n";
    hold(&machine);
    hold(&lspci::parse(paths));
    assert_eq!(Tree::of(&machine).roots(), ["01:00.0".parse().unwrap()]);
}
