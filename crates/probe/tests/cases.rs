//! Are the cases named that no planted fault stands for, and asked about where no dump can show them?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::finding::{Finding, Severity};
use made::{by_files, report};
use testing::machine::function::class;
use testing::machine::{Function, Machine, healthy};

/// The findings of a kind, of the first healthy machine that `change` applies to.
fn found(kind: &str, change: impl Fn(&mut Machine) -> Option<()>) -> Vec<Finding> {
    let machine = (0..500).map(healthy).find_map(|mut machine| change(&mut machine).map(|()| machine)).unwrap();
    let all = report(&by_files(&machine)).findings;
    all.into_iter().filter(|finding| finding.kind == kind).collect()
}

/// The first function that fits, with the port above it, each to be changed.
fn with_port(machine: &mut Machine, fits: impl Fn(&Function) -> bool) -> Option<(usize, usize)> {
    let place = machine.functions.iter().position(|function| fits(function) && function.express.is_some())?;
    let above = machine.above(&machine.functions[place])?.name();
    Some((place, machine.place(&above)?))
}

fn set_link(machine: &mut Machine, at: usize, (speed, width): (u8, u8), able: (u8, u8)) {
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

#[test]
fn is_the_node_of_a_program_asked_about_with_two_sockets_only() {
    let two = found("ask-node", |machine| (machine.nodes == 2).then_some(()));
    let one = found("ask-node", |machine| (machine.nodes == 1).then_some(()));
    assert_eq!((two.len(), one.len()), (1, 0));
}
