//! An operation that a kind of part declares is simulated and bounded by its behaviour, independent of its name.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_limit::limit;
use system::operation::{End, Moves, Operation};
use system::{Description, Point, Scenario};

const MACHINE: &str = "
title: one card
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen3 x4 } }
  card: { part: generic/gen3-card }
links: [host.pcie - card.pcie]
experiments:
  pio-read: { operation: pio-read, flows: [card -> host], command: 64 B, volume: 8 KiB }
  pio-write: { operation: pio-write, flows: [host -> card], command: 4 KiB, volume: 256 KiB }
  dma-read: { operation: dma-read, flows: [host -> card], command: 64 KiB, volume: 256 KiB }
  dma-write: { operation: dma-write, flows: [card -> host], command: 64 KiB, volume: 256 KiB }
";

const OWN: [(&str, Operation); 4] = [
    ("pio-read", Operation::new("peek", (End::Card, End::Host), Moves::Reads, "a card to a host")),
    ("pio-write", Operation::new("poke", (End::Host, End::Card), Moves::Writes, "a host to a card")),
    ("dma-read", Operation::new("load", (End::Host, End::Card), Moves::Reads, "a host to a card")),
    ("dma-write", Operation::new("save", (End::Card, End::Host), Moves::Writes, "a card to a host")),
];

fn figures(scenario: &Scenario) -> (f64, f64, f64) {
    let flow = &sim::run(scenario, &dma::options()).unwrap().flows[0];
    let bound = &limit(scenario).alone[0];
    (flow.app.0, bound.app.0, bound.latency.as_secs())
}

#[test]
fn is_an_operation_of_the_same_shape_as_ours_as_fast_and_as_limited() {
    let description = Description::from_text("one.yaml", MACHINE).unwrap();
    for (ours, own) in OWN {
        let scenario = description.scenario(description.experiment(ours).unwrap(), &Point::default()).unwrap();
        let mut other = scenario.clone();
        other.flows[0].operation = own;
        assert_eq!(figures(&other), figures(&scenario), "{ours} and {}", own.word());
    }
}
