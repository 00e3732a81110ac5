//! Systems with several hosts, a card with ports at two hosts, and a root port inside an FPGA. The simulation gives the
//! rate of the limit, and paths that no TLP can take are refused.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Error, Point, Scenario};

/// A card with a port at each of two hosts; and `fpga`, whose other half `inside` is a root complex with a card below
/// it.
const MACHINE: &str = "
title: Two hosts, and a root port inside an FPGA
parts:
  left: { part: generic/gen3-host, slots: { 'pcie[3]': gen3 x4 } }
  right: { part: generic/gen4-host, slots: { 'pcie[2]': gen4 x4 } }
  a: { part: generic/gen3-card }
  b: { part: generic/gen3-card }
  both: { part: generic/gen3-card, ports: { pcie: gen3 x4, other: gen3 x2 } }
  fpga: { part: generic/gen3-card }
  inside: { kind: host, mps: 256, read_latency: 400 ns, slots: { root: gen3 x2 } }
  drive: { part: generic/gen3-card }
links:
  - left.pcie[0] - a.pcie
  - left.pcie[1] - both.pcie
  - left.pcie[2] - fpga.pcie
  - right.pcie[0] - b.pcie
  - right.pcie[1] - both.other
  - inside.root - drive.pcie
experiments:
  write:
    { operation: dma-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: [a -> left, b -> right, drive -> inside] }
  both:
    { operation: dma-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: [both -> left, both -> right] }
  read:
    { operation: dma-read, drive: software, command: 256 KiB, volume: 4 MiB, flows: [left -> a, right -> b, right -> both, inside -> drive] }
  across:
    { operation: p2p-write, drive: card, command: 1 MiB, volume: 1 MiB, flows: [a -> b] }
  near:
    { operation: p2p-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: [a -> both, both -> b] }
  store:
    { operation: pio-write, command: 4 KiB, volume: 256 KiB, flows: [right -> both] }
";

fn scenario(experiment: &str) -> Result<Scenario, Error> {
    let description = Description::from_text("hosts.yaml", MACHINE).unwrap();
    description.scenario(description.experiment(experiment).unwrap(), &Point::default())
}

#[test]
fn is_each_flow_at_its_limit() {
    for experiment in ["write", "both", "read", "near", "store"] {
        let scenario = scenario(experiment).unwrap();
        let limits = limit(&scenario).together;
        let outcome = sim::run(&scenario, &dma::options()).unwrap();
        for ((flow, limit), ran) in scenario.flows.iter().zip(limits).zip(outcome.flows) {
            let (limit, ran) = (limit.stream.0, ran.stream.unwrap().0);
            assert!(ran <= 1.001 * limit && ran > 0.97 * limit, "{experiment}, {}: {ran} of {limit}", flow.name);
        }
    }
}

#[test]
fn do_flows_of_two_hosts_leave_one_another_alone() {
    let rate = |scenario: &Scenario| {
        let outcome = sim::run(scenario, &dma::options()).unwrap();
        outcome.flows.iter().map(|flow| flow.stream.unwrap().0).collect::<Vec<_>>()
    };
    let all = scenario("write").unwrap();
    for (number, together) in rate(&all).into_iter().enumerate() {
        let alone = Scenario { flows: vec![all.flows[number].clone()], ..all.clone() };
        let alone = rate(&alone)[0];
        assert!((together / alone - 1.0).abs() < 0.005, "{}: {together}, alone {alone}", all.flows[number].name);
    }
}

#[test]
fn are_functions_at_two_hosts_placed_and_numbered_at_each() {
    let system = scenario("both").unwrap().system;
    let [left, right, both] = ["left", "right", "both"].map(|name| system.part_named(name).unwrap());
    let [at_left, at_right] = [left, right].map(|host| system.largest_bar_from(host, both).unwrap());
    assert!(at_left.bytes == at_right.bytes && at_left.bytes > 0);
    assert_eq!(system.part(both).bars.len(), 2, "a BAR at each port");
    assert_ne!(system.bdf_towards(both, left).segment(), system.bdf_towards(both, right).segment());
    assert_eq!(system.part(both).mps, system.part(left).mps.min(system.part(right).mps));
}

#[test]
fn does_a_card_whose_second_port_is_joined_ask_as_that_one() {
    let text = MACHINE
        .replace("  - left.pcie[1] - both.pcie\n", "")
        .replace("flows: [both -> left, both -> right]", "flows: [both -> right]");
    let text = text.replace("near:\n    { operation: p2p-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: [a -> both, both -> b] }", "near:\n    { operation: p2p-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: [both -> b] }");
    let description = Description::from_text("hosts.yaml", &text).unwrap();
    let scenario = description.scenario(description.experiment("both").unwrap(), &Point::default()).unwrap();
    let both = scenario.flows[0].initiator;
    assert_eq!(scenario.system.bdf(both).segment(), 1, "below the second host");
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!(ran <= 1.001 * limit && ran > 0.97 * limit, "{ran} of {limit}");
}

#[test]
fn is_what_no_tlp_can_do_refused() {
    let error = scenario("across").unwrap_err().report();
    assert!(error.contains("hang below different hosts"), "{error}");
    let text = "title: x\nparts:\n  one: { part: generic/gen3-host, slots: { pcie: gen3 x4 } }\n  two: { part: generic/gen3-host }\n  card: { part: generic/gen3-card }\nlinks: [one.pcie - card.pcie]\n";
    let error = Description::from_text("x.yaml", text).unwrap().system().unwrap_err().report();
    assert!(error.contains("nothing hangs below it"), "{error}");
}
