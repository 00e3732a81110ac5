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
    is(rate(&["host.pio_loads=4"]), 32.0 / round(8.0));
    is(rate(&["host.pio_loads=10", "host.pio_read_bytes=64"]), 640.0 / round(64.0));
    is(rate(&["host.pio_loads=200", "host.pio_read_bytes=64"]), 64.0 / (84.0 / LINK));
}
