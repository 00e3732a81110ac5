//! Does what is said of one device, with nothing else of its machine, hold for the whole machine, or is it put as a question?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;
mod made;

use common::{dumps, text};
use lanescope_probe::address::Address;
use lanescope_probe::finding::Severity;
use lanescope_probe::limits::SetLimit;
use lanescope_probe::model::twins;
use lanescope_probe::{Machine, Tree, Why, lspci};
use made::{by_hex, report, said};
use std::collections::BTreeSet;
use testing::machine::function::PortType;
use testing::machine::{Function, GeneratedMachine, healthy};

/// The functions of one device alone.
fn alone(machine: &Machine, at: Address) -> Machine {
    let functions = twins(machine, at).map(|function| (function.address, function.clone())).collect();
    Machine { functions, ..machine.clone() }
}

/// Looks at each device of a machine that has a limit. Returns how many were looked at.
fn look(name: &str, machine: &Machine) -> usize {
    let whole = report(machine);
    let (tree, mut looked) = (Tree::of(machine), 0);
    for device in &whole.limits.devices {
        let model = whole.model.device(device.at).unwrap();
        let part = alone(machine, model.address);
        let cut = report(&part);
        let place = format!("{name} {}: {}", device.at, said(&part, &cut));
        // A device that a kernel names beside a register that only root reads has no link here.
        let Some(link) = Tree::of(&part).link_above(model.address).cloned() else { continue };
        if link.why != Why::OneEnd {
            continue;
        }
        let limit = cut.limits.devices.iter().find(|other| other.at == device.at).unwrap_or_else(|| panic!("{place}"));
        let (own, seen) = (limit.to_memory.rate.0, device.to_memory.rate.0);
        // What is above may take more, and lets no more through.
        let same = tree.link_above(model.address).is_some_and(|whole| whole.now == link.now);
        assert!(!same || own >= seen * 0.999, "{own} here, {seen} there: {place}");
        let settled = cut.findings.iter().filter(|finding| finding.severity != Severity::Question);
        for finding in settled {
            let known =
                whole.findings.iter().any(|other| other.kind == finding.kind && other.at.contains(&finding.at[0]));
            assert!(known, "{finding:?} is not said of the whole: {place}");
        }
        assert!(!place.contains("nothing can be said"), "{place}");
        looked += 1;
    }
    looked
}

#[test]
fn does_what_is_said_of_one_generated_device_hold_for_its_machine() {
    let looked: usize = (0..200).map(|seed| look(&format!("machine {seed}"), &by_hex(&healthy(seed)))).sum();
    assert!(looked > 400, "{looked}");
}

#[test]
fn does_what_is_said_of_one_device_of_a_dump_hold_for_its_machine() {
    let (mut looked, mut all) = (0, 0);
    for (name, path) in dumps("does_what_is_said_of_one_device_of_a_dump_hold_for_its_machine") {
        looked += look(&name, &lspci::parse(&text(&path)));
        all += 1;
    }
    assert!(looked >= all, "{looked} devices of {all} machines");
}

/// Gives each switch an uplink of one lane, which all below it share.
fn narrow(machine: &mut GeneratedMachine) {
    let is_upstream = |f: &Function| f.express.as_ref().is_some_and(|express| express.port_type == PortType::Upstream);
    for place in 0..machine.functions.len() {
        let above = machine.above(&machine.functions[place]).map(Function::name);
        let Some(above) = above.filter(|_| is_upstream(&machine.functions[place])) else { continue };
        for end in [Some(place), machine.place(&above)].into_iter().flatten() {
            let link = machine.functions[end].link_mut().unwrap();
            (link.width, link.max_width) = (1, 1);
        }
    }
}

fn members(set: &SetLimit) -> BTreeSet<Address> {
    set.shares.iter().map(|(at, _)| *at).collect()
}

/// A machine of which a bridge was not printed, or neither it nor any bridge above or below it: what is said to share nothing else
/// must share nothing in the whole machine.
fn without_bridges(name: &str, machine: &Machine) -> usize {
    let (whole, tree) = (report(machine), Tree::of(machine));
    let bridges: Vec<Address> =
        machine.functions.values().filter(|f| f.header.is_bridge()).map(|f| f.address).collect();
    let is_above = |upper: Address, lower: Address| tree.ancestors(lower).any(|at| at == upper);
    for (bridge, all) in bridges.iter().flat_map(|&bridge| [(bridge, false), (bridge, true)]) {
        let mut part = machine.clone();
        let is_cut = |at: Address| at == bridge || all && (is_above(at, bridge) || is_above(bridge, at));
        bridges.iter().filter(|&&at| is_cut(at)).for_each(|at| drop(part.functions.remove(at)));
        let cut = report(&part);
        let place = || format!("{name} without {bridge} {all}: {}", said(&part, &cut));
        for set in cut.limits.sets.iter().filter(|set| !set.is_unseen && set.behind_unknown == 0) {
            let same =
                whole.limits.sets.iter().filter(|other| members(other) == members(set) && other.behind_unknown == 0);
            for known in same {
                assert!(
                    set.sum.0 <= known.sum.0 * 1.001,
                    "{} {} for {}: {}",
                    set.name,
                    set.sum.0,
                    known.sum.0,
                    place()
                );
            }
        }
        for finding in cut.findings.iter().filter(|finding| finding.severity <= Severity::Warning) {
            let known = whole.findings.iter().any(|other| other.kind == finding.kind);
            assert!(known, "{finding:?} is not said of the whole: {}", place());
        }
    }
    bridges.len()
}

#[test]
fn does_what_is_said_without_bridges_hold_for_the_whole_machine() {
    let machine = |seed: u64| {
        let mut machine = healthy(seed);
        narrow(&mut machine);
        by_hex(&machine)
    };
    let looked: usize = (0..120).map(|seed| without_bridges(&format!("machine {seed}"), &machine(seed))).sum();
    assert!(looked > 400, "{looked}");
}
