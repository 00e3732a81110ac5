//! A small rig for tests: a host, a switch, two cards under it; figures are overridden field by field.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use lanescope_sim::{FlowOutcome, Outcome, run};
use system::Scenario;
use system::description::Description;
use system::experiment::Point;

const RIG: &str = r#"
title: two cards behind a switch
parts:
  host: { kind: host, ports: { pcie: gen2 x4 }, mps: 512 B, completion_bytes: 512, posted_headers: 64, posted_data: 512 }
  switch: { kind: switch, ports: { up: gen2 x4, "down[2]": gen2 x4 }, mps: 512 B, latency: 100 ns, posted_headers: 64, posted_data: 512 }
  card: { kind: dma-card, ports: { pcie: gen2 x4 }, bars: 1 MiB, mps: 512 B, count: 2, fifo: 64 KiB }
links:
  - host.pcie - switch.up
  - switch.down[i] - card[i].pcie
settings: { mps: 128 }
experiments:
  write: { operation: dma-write, drive: card, command: 512 KiB, volume: 512 KiB, flows: ["card[0] -> host"], axes: {} }
  writes: { operation: dma-write, drive: card, command: 512 KiB, volume: 512 KiB, flows: ["card[0] -> host", "card[1] -> host"], axes: {} }
  read: { operation: dma-read, drive: card, command: 512 KiB, volume: 512 KiB, flows: ["host -> card[0]"], axes: {} }
  reads: { operation: dma-read, drive: card, command: 512 KiB, volume: 512 KiB, flows: ["host -> card[0]", "host -> card[1]"], axes: {} }
  peers: { operation: p2p-write, drive: card, command: 512 KiB, volume: 512 KiB, flows: ["card[0] -> card[1]", "card[1] -> card[0]"], axes: {} }
  peer: { operation: p2p-write, drive: card, command: 512 KiB, volume: 512 KiB, flows: ["card[0] -> card[1]"], axes: {} }
  peer-read: { operation: p2p-read, drive: card, command: 512 KiB, volume: 512 KiB, flows: ["card[1] -> card[0]"], axes: {} }
  once: { operation: dma-write, drive: card, command: 128 B, volume: 128 B, flows: ["card[0] -> host"], axes: {} }
  commands: { operation: dma-write, drive: software, command: 4 KiB, volume: 256 KiB, flows: ["card[0] -> host"], axes: {} }
  both-commands: { operation: dma-write, drive: software, command: 64 KiB, volume: 64 KiB, flows: ["card[0] -> host", "card[1] -> host"], axes: {} }
  stores: { operation: pio-write, drive: software, command: 4 KiB, volume: 256 KiB, flows: ["host -> card[0]"], axes: {} }
  short-stores: { operation: pio-write, drive: software, command: 64 B, volume: 64 KiB, flows: ["host -> card[0]"], axes: {} }
  loads: { operation: pio-read, drive: software, command: 64 B, volume: 8 KiB, flows: ["card[0] -> host"], axes: {} }
"#;

/// The rig's scenario for `experiment`, with `path=value` overrides.
pub fn scenario(experiment: &str, overrides: &[&str]) -> Scenario {
    let mut description = Description::from_text("rig.yaml", RIG).unwrap();
    for assignment in overrides {
        description.supersede(assignment).unwrap_or_else(|e| panic!("{assignment}: {e}"));
    }
    let experiment = description.experiment(experiment).unwrap();
    description.scenario(experiment, &Point::default()).unwrap_or_else(|e| panic!("{overrides:?}: {e}"))
}

/// Runs it.
pub fn outcome(experiment: &str, overrides: &[&str]) -> Outcome {
    run(&scenario(experiment, overrides), &dma::options()).unwrap()
}

/// What its first flow did.
pub fn flow(experiment: &str, overrides: &[&str]) -> FlowOutcome {
    outcome(experiment, overrides).flows.swap_remove(0)
}

/// The first flow's payload rate, in MB/s.
pub fn rate(experiment: &str, overrides: &[&str]) -> f64 {
    stream(&flow(experiment, overrides))
}

/// A flow's payload rate while all were active, in MB/s.
pub fn stream(flow: &FlowOutcome) -> f64 {
    flow.stream.expect("all flows are active together").as_mb_per_s()
}

/// The rate that the application sees, in MB/s.
pub fn app_rate(experiment: &str, overrides: &[&str]) -> f64 {
    flow(experiment, overrides).app.as_mb_per_s()
}

/// Nanoseconds of the first flow's median latency.
pub fn latency_ns(experiment: &str, overrides: &[&str]) -> f64 {
    flow(experiment, overrides).latency.median.as_ns()
}

/// True where `a` is within `percent` of `b`.
pub fn near(a: f64, b: f64, percent: f64) -> bool {
    (a / b - 1.0).abs() * 100.0 <= percent
}

/// Asserts [`near`] with both figures in the message.
#[track_caller]
pub fn assert_near(a: f64, b: f64, percent: f64) {
    assert!(near(a, b, percent), "{a} is not within {percent} % of {b}");
}
