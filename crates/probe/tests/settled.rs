//! Is the machine that findings compare with the one that the registers of both ends allow, link by link?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_probe::link::LinkRate;
use lanescope_probe::model::Model;
use lanescope_probe::view::View;
use lanescope_probe::{Tree, lspci};
use testing::machine::fault::plant;
use testing::machine::{Fault, healthy};

/// Compares the links and devices of one machine; their number.
fn compared(text: &str) -> usize {
    let machine = lspci::parse(text);
    let tree = Tree::of(&machine);
    let model = Model::of(&machine, &tree);
    let view = View::new(&machine, &tree, &model);
    let whole = |end: Option<LinkRate>| end.and_then(LinkRate::modelled).is_some();
    let links = tree.links().iter().filter(|link| whole(link.upper_max) && whole(link.lower_max));
    let known = links.filter(|link| link.lower.is_some_and(|lower| model.link(lower).is_some()));
    let both = known.map(|link| assert_eq!(view.settled(link), link.possible, "{link:?}")).count();
    let devices = model.devices.iter().filter(|device| {
        let way = view.way(device);
        let Some(least) = way.iter().map(|f| f.mps_supported()).collect::<Option<Vec<_>>>() else { return false };
        assert_eq!(Some(model.settled.part(device.part).mps), least.into_iter().min(), "{}", device.address);
        true
    });
    both + devices.count()
}

#[test]
fn is_what_findings_compare_with_what_both_ends_of_each_link_allow() {
    let count: usize = (0..40).map(|seed| compared(&healthy(seed).hex())).sum();
    assert!(count > 200, "only {count} links and devices");
    let faults = Fault::ALL.into_iter().flat_map(|fault| (1..4).map(move |seed| plant(fault, seed).machine.hex()));
    assert!(faults.map(|text| compared(&text)).sum::<usize>() > 100);
}
