//! Where does a packet start that follows idle? In lane 0, also on links wider than x4: against closed forms computed by hand,
//! in the simulation and by the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point};

/// A card at a root port without DLLPs and SKPs. Its link carries 2 bytes a nanosecond, 8 in a symbol time of 4 ns; a TLP behind
/// another one may start every 2 ns.
const MACHINE: &str = "
title: A card at a root port
parts:
  host: { kind: host, mps: 128, completion_bytes: 64, read_latency: 400 ns, slots: { pcie: gen1 x8 }, skp: no, dllps: no, pio_read_cost: 51 ns,
          command_cost: 300 ns, poll_interval: 10 ns }
  card: { kind: dma-card, ports: { pcie: gen1 x8 }, mps: 128, aligned: yes, skp: no, dllps: no, bars: 1 MiB, overlap: no, read_requests: 32,
          tx_latency: 30 ns, rx_latency: 20 ns, command_latency: 13 ns, target_read_latency: 101 ns }
links: [host.pcie - card.pcie]
settings: { mrrs: 512, mps: 128 }
experiments:
  load: { operation: pio-read, command: 4 KiB, volume: 64 KiB, flows: [card -> host] }
  write: { operation: dma-write, command: 64 B, volume: 64 KiB, flows: [card -> host] }
  read: { operation: dma-read, command: 256 KiB, volume: 1 MiB, flows: [host -> card] }
  software: { operation: dma-write, drive: software, command: 64 B, volume: 64 KiB, window: 4 KiB, flows: [card -> host] }
";

/// The simulated time in ns of so many bytes, which is the limit's to a thousandth.
fn each(experiment: &str, bytes: f64, settings: &[&str]) -> f64 {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    settings.iter().for_each(|setting| description.set(setting).unwrap());
    let scenario = description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).alone[0].stream.0);
    assert!((ran / limit - 1.0).abs() < 1e-3, "{experiment} {settings:?}: {ran}, limit {limit}");
    bytes / ran * 1e9
}

/// Checks a time to a thousandth.
#[track_caller]
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 1e-3, "{found} ns, by hand {by_hand} ns");
}

/// The end of the symbol time in which `ns` is.
fn lane_0(ns: f64) -> f64 {
    (ns / 4.0).ceil() * 4.0
}

#[test]
fn does_a_load_wait_for_lane_0_there_and_back() {
    // A request of 20 bytes, and a completion of 8 bytes and 20 around them; the card's ports take 20 and 30 ns.
    let round = |cost: f64, latency: f64| lane_0(cost + lane_0(10.0 + 20.0 + latency + 30.0) + 14.0);
    is(each("load", 8.0, &[]), round(51.0, 101.0));
    is(each("load", 8.0, &["host.pio_read_cost=50 ns"]), round(50.0, 101.0));
    is(each("load", 8.0, &["card.target_read_latency=103 ns"]), round(51.0, 103.0));
    is(each("load", 8.0, &["host.pio_read_cost=47 ns", "card.target_read_latency=102 ns"]), round(47.0, 102.0));
}

#[test]
fn do_commands_of_a_card_start_a_whole_number_of_symbol_times_apart() {
    // 24 bytes around the payload.
    is(each("write", 64.0, &[]), lane_0(44.0 + 13.0));
    is(each("write", 64.0, &["card.command_latency=16 ns"]), lane_0(44.0 + 16.0));
    // At once behind the one before.
    is(each("write", 64.0, &["card.command_latency=0 ns"]), 44.0);
    // Two of eight commands cross a multiple of 128, and have two TLPs: on average they are on no grid.
    let unlike = ["card.command_latency=0 ns", "experiments.write.command=48 B"];
    is(each("write", 48.0, &unlike), (8.0 * 48.0 + 10.0 * 24.0) / 2.0 / 8.0);
}

#[test]
fn does_a_tlp_that_a_cap_keeps_back_start_in_lane_0() {
    // 164.1 ns for 64 bytes.
    is(each("read", 64.0, &["host.port_cap=390 MB/s"]), lane_0(64.0 / 0.39));
}

#[test]
fn do_doorbell_and_data_of_a_command_of_software_wait_for_lane_0() {
    let times = [0.0, 1.0, 2.0, 3.0].map(|more| {
        let cost = format!("host.command_cost={} ns", 300.0 + more);
        each("software", 64.0, &[&cost])
    });
    // Commands begin in lane 0 too, so that they take whole symbol times.
    times.iter().for_each(|&ns| is(ns, lane_0(ns - 0.1)));
    assert!(times[3] - times[0] < 4.1, "{times:?}");
}
