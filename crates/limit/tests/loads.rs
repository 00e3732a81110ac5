//! CPU reads of a card: the round trip with one and with several loads in flight, against a closed form computed by
//! hand, beside the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point};

/// A card behind a switch, without DLLPs and SKPs, so that a hand can compute what the links take.
const MACHINE: &str = "
title: A CPU reads a card
parts:
  host: { kind: host, slots: { pcie: gen3 x8 }, skp: no, dllps: no, pio_read_cost: 20 ns }
  switch: { kind: switch, ports: { up: gen3 x8, down: gen3 x8 }, latency: 100 ns, skp: no, dllps: no }
  card: { kind: dma-card, ports: { pcie: gen3 x8 }, target_read_latency: 500 ns, skp: no, dllps: no, bars: 1 MiB }
links: [host.pcie - switch.up, switch.down - card.pcie]
experiments:
  read: { operation: pio-read, command: 4 KiB, volume: 64 KiB, flows: [card -> host] }
";

/// Bytes a nanosecond of a link.
const LINK: f64 = 8.0 * 128.0 / 130.0;

/// The rate in bytes a ns.
fn rate(settings: &[&str]) -> f64 {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    settings.iter().for_each(|setting| description.set(setting).unwrap());
    let scenario = description.scenario(description.experiment("read").unwrap(), &Point::default()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, most) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!(ran <= 1.004 * most, "{settings:?}: {ran} above {most}");
    assert!((ran / most - 1.0).abs() < 0.01, "{settings:?}: {ran}, and {most} by the limit");
    ran / 1e9
}

/// Checks a value to 1 %.
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found}, by hand {by_hand}");
}

/// From a load of `bytes` to the next in its place: requests of 20 bytes, completions with 20 bytes around their payload.
/// A switch passes the first symbol on after its latency.
fn round(bytes: f64) -> f64 {
    20.0 + (20.0 / LINK + 100.0) + 500.0 + ((bytes + 20.0) / LINK + 100.0)
}

#[test]
fn does_a_cpu_wait_for_each_load() {
    is(rate(&[]), 8.0 / round(8.0));
    is(rate(&["host.pio_read_bytes=64"]), 64.0 / round(64.0));
    is(rate(&["card.target_read_latency=1500 ns"]), 8.0 / (round(8.0) + 1000.0));
    is(rate(&["switch.latency=600 ns"]), 8.0 / (round(8.0) + 1000.0));
}

#[test]
fn do_several_loads_share_a_round() {
    // A call of 4 KiB: 128 rounds of four loads, seven of ten of which the last has four, one of 64.
    is(rate(&["host.pio_loads=4"]), 4096.0 / (128.0 * round(8.0) + 3.0 * 28.0 / LINK));
    let wide = "host.pio_read_bytes=64";
    is(rate(&["host.pio_loads=10", wide]), 4096.0 / (7.0 * round(64.0) + 3.0 * 84.0 / LINK));
    let long = "experiments.read.volume=1 MiB";
    is(rate(&["host.pio_loads=200", wide, long]), 4096.0 / (round(64.0) + 63.0 * 84.0 / LINK));
}

#[test]
fn does_each_term_of_the_round_trip_count() {
    // On the way there and back: the CPU's core, the card's ports and core (1 cycle of 10 MHz for 8 bytes).
    is(rate(&["host.core_latency=100 ns"]), 8.0 / (round(8.0) + 200.0));
    is(rate(&["card.rx_latency=150 ns"]), 8.0 / (round(8.0) + 150.0));
    is(rate(&["card.tx_latency=250 ns"]), 8.0 / (round(8.0) + 250.0));
    is(rate(&["card.core_clock=10 MHz"]), 8.0 / (round(8.0) + 100.0));
    // Eight cycles of a core of 8 bytes for 64 bytes; with all loads of a call in flight, they pass it one after another.
    is(rate(&["card.core_clock=10 MHz", "host.pio_read_bytes=64"]), 64.0 / (round(64.0) + 800.0));
    is(
        rate(&["card.core_clock=10 MHz", "host.pio_read_bytes=64", "host.pio_loads=64"]),
        4096.0 / (round(64.0) + 64.0 * 800.0),
    );
    // An engine's own pace is no pace of loads.
    is(rate(&["card.read_request_time=5 us", "card.read_command_time=5 us"]), 8.0 / round(8.0));
}

#[test]
fn do_calls_of_a_cpu_come_one_after_another() {
    let ten = ["host.pio_loads=10", "host.pio_read_bytes=64"];
    let costly = ["host.pio_call_cost=9 us"];
    let call = |bytes: u64, more: &[&str]| {
        let size = format!("experiments.read.command={bytes} B");
        rate(&[&ten[..], &[&size], more].concat()) / bytes as f64
    };
    // One load, ten at once, and two rounds.
    is(call(64, &costly), 1.0 / (9000.0 + round(64.0)));
    is(call(640, &costly), 1.0 / (9000.0 + round(64.0) + 9.0 * 84.0 / LINK));
    is(call(64, &[]), 1.0 / round(64.0));
    is(
        call(1024, &[costly[0], "card.target_read_latency=9 us"]),
        1.0 / (9000.0 + 2.0 * (round(64.0) + 8500.0) + 5.0 * 84.0 / LINK),
    );
}

#[test]
fn do_two_cpus_read_twice_as_fast() {
    let two = MACHINE.replace("flows: [card -> host]", "flows: [card -> host, card -> host]");
    let description = Description::from_text("two.yaml", &two).unwrap();
    let scenario = description.scenario(description.experiment("read").unwrap(), &Point::default()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let sum: f64 = outcome.flows.iter().map(|flow| flow.stream.unwrap().0).sum();
    is(sum / 1e9, 2.0 * 8.0 / round(8.0));
}
