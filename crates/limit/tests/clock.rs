//! Latencies in cycles of a clock that follows the link, at two generations, and in time of the same length: each
//! against a closed form by hand, in the simulation and in the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point, Scenario};

/// A card with a soft core of 64 bits at a root port, and one behind a soft switch. One request is in flight, so that a
/// read takes a round trip. Without DLLPs and SKPs, a hand can compute the wire.
const MACHINE: &str = "
title: Soft cores
parts:
  host: { kind: host, mps: 256, read_latency: 400 ns, completion_bytes: 256, slots: { a: gen3 x4, b: gen3 x4 }, skp: no, dllps: no }
  switch: { kind: switch, mps: 256, ports: { up: gen3 x4, down: gen3 x4 }, latency: 100 ns, forwarding: store-and-forward, skp: no, dllps: no }
  near: { kind: dma-card, ports: { pcie: gen3 x4 }, mps: 256, read_requests: 1, read_request: 256 B, bars: 1 MiB, skp: no, dllps: no, overlap: yes, tx_latency: 20 ns }
  far: { kind: dma-card, ports: { pcie: gen3 x4 }, mps: 256, read_requests: 1, read_request: 256 B, bars: 1 MiB, skp: no, dllps: no, overlap: yes }
links:
  - { join: host.a - near.pcie, gen: gen1 }
  - { join: host.b - switch.up, gen: gen1 }
  - { join: switch.down - far.pcie, gen: gen2 }
experiments:
  near: { operation: dma-read, drive: card, command: 64 KiB, volume: 64 KiB, flows: [host -> near], axes: { size: [65536] } }
  far: { operation: dma-read, drive: card, command: 64 KiB, volume: 64 KiB, flows: [host -> far], axes: { size: [65536] } }
  load: { operation: pio-read, drive: software, command: 4 KiB, volume: 4 KiB, flows: [near -> host], axes: { size: [4096] } }
";

/// Bytes of a read request with 4 DW, and around the payload of a completion: framing, sequence number, header, LCRC.
const REQUEST: f64 = 24.0;
const ANSWER: f64 = 20.0;

fn scenario(experiment: &str, settings: &[&str]) -> Scenario {
    let mut description = Description::from_text("soft.yaml", MACHINE).unwrap();
    settings.iter().for_each(|setting| description.set(setting).unwrap());
    let experiment = description.experiment(experiment).unwrap();
    description.scenario(experiment, &Point::default()).unwrap()
}

/// Nanoseconds for each read of `bytes`, simulated; the limit is at that time, or 0.4 % above it at most.
fn round(experiment: &str, bytes: f64, settings: &[&str]) -> f64 {
    let scenario = scenario(experiment, settings);
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!((ran / limit - 1.0).abs() < 0.004, "{settings:?}: {ran} beside {limit}");
    bytes / ran * 1e9
}

/// Checks a time to 1 %.
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found} ns, by hand {by_hand} ns");
}

const FOLLOWS: [&str; 4] =
    ["near.clock_follows_link=yes", "near.core_width=8 B", "near.tx_latency_cycles=30", "near.rx_latency_cycles=50"];

#[test]
fn is_a_round_trip_as_long_as_its_cycles_at_the_clock_of_the_link() {
    // Bytes a nanosecond of four lanes, and the cycle of 8 bytes: 2.5, 5 and 8 GT/s.
    for (generation, rate, cycle) in [("gen1", 1.0, 8.0), ("gen2", 2.0, 4.0), ("gen3", 4.0 * 128.0 / 130.0, 2.0)] {
        let held = format!("links.0.gen={generation}");
        let wire = (REQUEST + 256.0 + ANSWER) / rate;
        let off = wire + 20.0 + 400.0;
        is(round("near", 256.0, &[&held]), off);
        let core = round("near", 256.0, &[&held, "near.clock_follows_link=yes", "near.core_width=8 B"]);
        is(core, off);
        let settings: Vec<&str> = FOLLOWS.into_iter().chain([held.as_str()]).collect();
        is(round("near", 256.0, &settings), off + 80.0 * cycle);
    }
}

#[test]
fn is_a_narrow_link_as_slow_in_the_core_as_on_the_wire_and_no_slower_than_the_least_clock() {
    let one: Vec<&str> = FOLLOWS.into_iter().chain(["links.0.lanes=1"]).collect();
    // A lane of Gen1: 0.25 bytes a nanosecond, 31.25 MHz.
    let wire = (REQUEST + 256.0 + ANSWER) / 0.25;
    is(round("near", 256.0, &one), wire + 20.0 + 400.0 + 80.0 * 32.0);
    let least: Vec<&str> = one.into_iter().chain(["near.core_clock=62.5 MHz"]).collect();
    is(round("near", 256.0, &least), wire + 20.0 + 400.0 + 80.0 * 16.0);
}

#[test]
fn are_cycles_of_a_fixed_clock_the_same_at_each_generation() {
    for (generation, rate) in [("gen1", 1.0), ("gen2", 2.0)] {
        let held = format!("links.0.gen={generation}");
        let fixed = ["near.core_clock=250 MHz", "near.core_width=16 B", "near.tx_latency_cycles=25", &held];
        is(round("near", 256.0, &fixed), (REQUEST + 256.0 + ANSWER) / rate + 20.0 + 400.0 + 100.0);
    }
}

#[test]
fn is_a_switch_slow_by_the_cycles_of_the_link_by_which_a_tlp_comes() {
    // Up: Gen1 x4, a byte a nanosecond. Down: Gen2 x4. Requests come by the link below, completions by the one above.
    let wire = (REQUEST + 256.0 + ANSWER) * (1.0 + 0.5);
    let off = wire + 2.0 * 100.0 + 400.0;
    is(round("far", 256.0, &[]), off);
    let cycles = 20.0 * (4.0 + 8.0);
    is(round("far", 256.0, &["switch.latency_cycles=20", "switch.core_width=8 B"]), off + cycles);
}

#[test]
fn is_a_load_of_the_cpu_answered_after_the_cycles_of_the_cards_core() {
    let settings = ["near.clock_follows_link=yes", "near.core_width=8 B", "near.target_read_latency_cycles=40"];
    // Its BAR is below 4 GiB: a request of 3 DW.
    let wire = (REQUEST - 4.0) + 8.0 + ANSWER;
    let off = round("load", 8.0, &[]);
    // `tx_latency`, and one cycle of the core.
    is(off, wire + 20.0);
    is(round("load", 8.0, &settings), wire + 20.0 + 41.0 * 8.0);
    let faster: Vec<&str> = settings.into_iter().chain(["links.0.gen=gen2"]).collect();
    is(round("load", 8.0, &faster), wire / 2.0 + 20.0 + 41.0 * 4.0);
}

#[test]
fn is_the_clock_of_the_core_listed_with_its_reason_and_the_cycles_as_they_were_given() {
    let settings: Vec<&str> = FOLLOWS.into_iter().chain(["links.0.gen=gen2"]).collect();
    let mut system = scenario("near", &settings).system;
    let near = system.part_named("near").unwrap();
    let figure = |system: &system::System, field: &str| {
        let all = &system.part(near).figures;
        all.iter().find(|figure| figure.field == field).map(|figure| (figure.value.clone(), figure.origin.to_string()))
    };
    let clock = figure(&system, "core clock").unwrap();
    assert_eq!(clock, ("250 MHz".into(), "settled: Gen2 x4, 8 B a cycle".into()));
    assert_eq!(figure(&system, "tx_latency").unwrap().0, "20 ns");
    assert_eq!(system.engine(near).unwrap().tx_latency, pcie::Time::from_ns(20 + 30 * 4));
    let slower = "gen1 x1".parse().unwrap();
    let origin = system::Origin::Override("a test".into());
    system.amend(system::Change::Speed(system::LinkId(0), slower), origin).unwrap();
    assert_eq!(figure(&system, "core clock").unwrap().0, "31.25 MHz");
    assert_eq!(system.engine(near).unwrap().tx_latency, pcie::Time::from_ns(20 + 30 * 32));
}
