//! A small rig for tests: a host, a switch, two cards with gateware under it; and the eight-card rig with it.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use cosim::Cosim;
use pcie::Bytes;
use sim::{FlowOutcome, Options, Outcome, run};
use system::description::Description;
use system::experiment::Point;
use system::{Flow, Operation, Scenario};

const RIG: &str = r#"
title: two cards with gateware behind a switch
parts:
  host: { kind: host, ports: { pcie: gen2 x4 }, mps: 512 B, completion_bytes: 512, posted_headers: 64, posted_data: 512, notice: interrupt }
  switch: { kind: switch, ports: { up: gen2 x4, "down[2]": gen2 x4 }, mps: 512 B, latency: 100 ns, posted_headers: 64, posted_data: 512 }
  card: { part: lanescope/virtex7-pcie-dma, count: 2 }
links:
  - host.pcie - switch.up
  - switch.down[i] - card[i].pcie
settings: { mps: 128, mrrs: 512 }
experiments:
  calls-in: { operation: dma-write, drive: software, command: 8 KiB, volume: 64 KiB, flows: ["card[0] -> host"], axes: {}, integrity: yes }
  calls-out: { operation: dma-read, drive: software, command: 8 KiB, volume: 64 KiB, flows: ["host -> card[0]"], axes: {}, integrity: yes }
  long-calls-in: { operation: dma-write, drive: software, command: 512 KiB, volume: 1 MiB, flows: ["card[0] -> host"], axes: {}, integrity: yes }
  long-calls-out: { operation: dma-read, drive: software, command: 512 KiB, volume: 1 MiB, flows: ["host -> card[0]"], axes: {}, integrity: yes }
  write: { operation: dma-write, drive: card, command: 64 KiB, volume: 128 KiB, flows: ["card[0] -> host"], axes: {}, integrity: yes }
  read: { operation: dma-read, drive: card, command: 64 KiB, volume: 128 KiB, flows: ["host -> card[0]"], axes: {}, integrity: yes }
  peer: { operation: p2p-write, drive: card, command: 64 KiB, volume: 128 KiB, flows: ["card[0] -> card[1]"], axes: {}, integrity: yes }
  peers: { operation: p2p-write, drive: card, command: 64 KiB, volume: 128 KiB, flows: ["card[0] -> card[1]", "card[1] -> card[0]"], axes: {}, integrity: yes }
  ping-pong: { operation: p2p-write, drive: software, command: 8 B, volume: 128 B, flows: ["card[0] -> card[1]", "card[1] -> card[0]"], set: { card.design: ping-pong }, axes: {} }
  loopback: { operation: loopback, drive: card, command: 64 KiB, volume: 128 KiB, flows: ["host -> card[0]"], axes: {}, integrity: yes }
  stores: { operation: pio-write, drive: software, command: 4 KiB, volume: 16 KiB, flows: ["host -> card[0]"], axes: {}, integrity: yes }
"#;

/// The rig's scenario for `experiment`, with `path=value` overrides.
pub fn scenario(experiment: &str, overrides: &[&str]) -> Scenario {
    at(Description::from_text("rig.yaml", RIG).unwrap(), experiment, "", overrides)
}

/// A point of the eight-card rig with gateware in every card, cut to `volume` bytes a flow.
pub fn rosta(experiment: &str, point: &str, volume: u64, overrides: &[&str]) -> Scenario {
    let all = [&["card.part=lanescope/virtex7-pcie-dma"], overrides].concat();
    let mut scenario = at(Description::bundled("rosta-rb8v7").unwrap(), experiment, point, &all);
    for flow in &mut scenario.flows {
        (flow.command, flow.volume) = (Bytes(volume), Bytes(volume));
    }
    scenario
}

fn at(mut description: Description, experiment: &str, point: &str, overrides: &[&str]) -> Scenario {
    for assignment in overrides {
        description.supersede(assignment).unwrap_or_else(|e| panic!("{assignment}: {e}"));
    }
    let experiment = description.experiment(experiment).unwrap();
    let point = if point.is_empty() { Point::default() } else { Point::parse(point).unwrap() };
    description.scenario(experiment, &point).unwrap_or_else(|e| panic!("{overrides:?}: {e}"))
}

/// Runs it with `cosim`.
pub fn run_with(scenario: &Scenario, cosim: &Cosim) -> Outcome {
    run(scenario, &Options { kinds: &[cosim, &dma::Cards], ..Options::default() }).unwrap()
}

/// Runs it.
pub fn outcome(scenario: &Scenario) -> Outcome {
    run_with(scenario, &Cosim::default())
}

/// True, and says so, where no engine is compiled in.
pub fn absent(test: &str) -> bool {
    if !cosim::is_there() {
        testing::skip(test, cosim::INSTALL);
    }
    !cosim::is_there()
}

/// Asserts that all bytes of the flow came and none is wrong.
#[track_caller]
pub fn assert_whole(flow: &FlowOutcome, volume: u64) {
    let integrity = flow.integrity.unwrap();
    assert_eq!((flow.bytes, integrity.compared, integrity.wrong), (volume, volume, 0));
}

/// Asserts that `a` is within `percent` of `b`.
#[track_caller]
pub fn assert_near(a: f64, b: f64, percent: f64) {
    assert!((a / b - 1.0).abs() * 100.0 <= percent, "{a} is not within {percent} % of {b}");
}

/// A flow that passes on what flow `from` brings.
pub fn fed(operation: Operation, of: &Flow, from: usize) -> Flow {
    Flow { name: format!("{} on", of.name), operation, fed_by: Some(from), ..of.clone() }
}
