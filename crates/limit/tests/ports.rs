//! Fields of one port apply to that port only, in the limit and in the simulation.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Change, Description, Origin, Point, Scenario};

/// A host with three slots: two with a card each, the third with a switch and two cards.
const MACHINE: &str = "
parts:
  host:
    part: generic/gen3-host
    completion_bytes: 256
    line_service: 3.5 ns
    slots: { a: gen3 x4, b: gen3 x4, c: gen3 x8 }
    AT_HOST
  switch: { part: generic/gen3-switch, AT_SWITCH }
  left: { part: generic/gen3-card, completion_buffer: infinite, read_requests: 64 }
  right: { part: generic/gen3-card, completion_buffer: infinite, read_requests: 64 }
  below: { part: generic/gen3-card, count: 2, completion_buffer: infinite, read_requests: 64 }
links:
  - { join: host.a - left.pcie, lanes: 4 }
  - { join: host.b - right.pcie, lanes: 4 }
  - host.c - switch.up
  - { join: 'switch.down[i] - below[i].pcie', lanes: 2 }
experiments:
  write: { operation: dma-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: [left -> host, right -> host] }
  read: { operation: dma-read, drive: card, command: 1 MiB, volume: 4 MiB, flows: [host -> left, host -> right] }
  behind: { operation: dma-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: ['below[0] -> host', 'below[1] -> host'] }
  of: { operation: dma-read, drive: card, command: 1 MiB, volume: 4 MiB, flows: ['host -> below[0]', 'host -> below[1]'] }
";

fn described(at_host: &str, at_switch: &str) -> Description {
    let text = MACHINE.replace("AT_HOST", at_host).replace("AT_SWITCH", at_switch);
    Description::from_text("ports.yaml", &text).unwrap()
}

fn scenario(at_host: &str, at_switch: &str, experiment: &str) -> Scenario {
    let description = described(at_host, at_switch);
    description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap()
}

/// The rate of each of two flows by the limit, in MB/s, after a check that the simulation gives the same.
fn rates(scenario: &Scenario) -> [f64; 2] {
    let limits = limit(scenario).together;
    let outcome = sim::run(scenario, &dma::options()).unwrap();
    let both = limits.iter().zip(outcome.flows).map(|(limit, ran)| {
        let (limit, ran) = (limit.stream.as_mb_per_s(), ran.stream.unwrap().as_mb_per_s());
        assert!(
            ran < 1.006 * limit && ran > 0.97 * limit,
            "{}: {ran} simulated, {limit} at most",
            scenario.system.name
        );
        limit
    });
    both.collect::<Vec<_>>().try_into().unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

#[test]
fn does_a_cap_of_one_slot_hold_what_is_below_it_and_leave_the_other_slot_alone() {
    for experiment in ["write", "read"] {
        let free = rates(&scenario("", "", experiment));
        let held = rates(&scenario("at: { a: { port_cap: 800 MB/s } }", "", experiment));
        assert!((held[0] / 800.0 - 1.0).abs() < 0.005 && free[0] > 2000.0, "{experiment}: {held:?}, without {free:?}");
        assert!(near(held[1], free[1]), "{experiment}: {held:?}, without {free:?}");
        let whole = rates(&scenario(
            "port_cap: 800 MB/s, at: { b: { port_cap: infinite } }".replace(", at", "\n    at").as_str(),
            "",
            experiment,
        ));
        assert!(near(whole[0], held[0]) && near(whole[1], free[1]), "an exception to what is said of all: {whole:?}");
    }
}

#[test]
fn does_a_cap_of_one_port_of_a_switch_hold_there_and_is_it_named() {
    let free = rates(&scenario("", "", "behind"));
    let scenario = scenario("", "at: { 'down[1]': { lane_cap: 100 MB/s } }", "behind");
    let lanes = scenario.system.ports.iter().find(|port| port.name == "switch.down[1]").unwrap().able.width.lanes();
    let held = rates(&scenario);
    assert!(near(held[0], free[0]) && near(held[1], 100.0 * lanes as f64), "{held:?}, without {free:?}");
    assert!(limit(&scenario).together[1].bottleneck.name.contains("switch.down[1]"));
}

#[test]
fn do_credits_of_one_root_port_hold_what_is_written_there() {
    let (free, few) = (rates(&scenario("", "", "write")), "posted_headers: 1, posted_data: 32");
    let one = rates(&scenario(&format!("at: {{ a: {{ {few} }} }}"), "", "write"));
    let all = rates(&scenario(&few.replace(", ", "\n    "), "", "write"));
    assert!(near(one[0], all[0]) && near(one[1], free[1]), "{one:?}, of all {all:?}, of none {free:?}");
    assert!(one[0] < 0.9 * free[0], "{one:?}, without {free:?}");
}

#[test]
fn are_completions_of_one_root_port_as_long_as_it_cuts_them() {
    let free = rates(&scenario("", "", "read"));
    let all = rates(&scenario("", "", "read").with("completion_bytes", "64"));
    let one = rates(&scenario("at: { a: { completion_bytes: 64 } }", "", "read"));
    assert!(near(one[0], all[0]) && near(one[1], free[1]), "{one:?}, of all {all:?}, of none {free:?}");
    assert!(one[0] < 0.9 * free[0], "{one:?}, without {free:?}");
}

#[test]
fn does_mps_of_one_root_port_bound_what_it_sends_and_nothing_else() {
    let free = rates(&scenario("", "", "read"));
    let by_hand = "at: { a: { setpci: { mps: 128 } } }";
    let one = rates(&scenario(by_hand, "", "read"));
    let all = rates(&scenario("setpci: { mps: 128 }", "", "read"));
    assert!(near(one[0], all[0]) && near(one[1], free[1]), "{one:?}, of all {all:?}, of none {free:?}");
    assert!(one[0] < 0.95 * free[0], "{one:?}, without {free:?}");
    // Two cards below one root port share its MPS.
    let behind = rates(&scenario("at: { c: { setpci: { mps: 128 } } }", "", "of"));
    let before = rates(&scenario("", "", "of"));
    assert!(behind.iter().zip(before).all(|(one, all)| *one < 0.97 * all), "{behind:?}, before {before:?}");
}

#[test]
fn does_a_change_of_one_port_of_a_settled_machine_do_what_its_description_would() {
    let by = || Origin::Override("a test".into());
    let mut changed = scenario("", "", "read");
    let port = changed.system.port_towards(changed.flows[0].target, changed.flows[0].initiator).unwrap();
    changed.system.amend(Change::PortField(port, "port_cap", "800 MB/s".into()), by()).unwrap();
    assert_eq!(rates(&changed), rates(&scenario("at: { a: { port_cap: 800 MB/s } }", "", "read")));
    assert_eq!(changed.system.port(port).own[0].origin, by());
}

/// Makes a machine that differs in one field of the host.
trait With {
    fn with(self, field: &'static str, value: &str) -> Self;
}

impl With for Scenario {
    fn with(mut self, field: &'static str, value: &str) -> Scenario {
        let host = self.system.host();
        self.system.amend(Change::Field(host, field, value.into()), Origin::Override("a test".into())).unwrap();
        self
    }
}
