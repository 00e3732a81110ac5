//! Commands that are given one by one: each time of theirs on and off, against a closed form computed by hand, beside
//! the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point};

/// A card of one x8 link, without DLLPs and SKPs, so that a hand can compute what the link takes.
const MACHINE: &str = "
title: A card at a root port
parts:
  host: { kind: host, mps: 256, read_latency: 400 ns, slots: { pcie: gen3 x8 }, skp: no, dllps: no }
  card:
    kind: dma-card
    ports: { pcie: gen3 x8 }
    mps: 256
    aligned: yes
    overlap: yes
    tx_latency: 80 ns
    rx_latency: 60 ns
    skp: no
    dllps: no
    bars: 1 MiB
links: [host.pcie - card.pcie]
settings: { mrrs: 512, mps: 256 }
experiments:
  read: { operation: dma-read, timed: commands, volume: 4 MiB, max_commands: 500, flows: [host -> card], axes: { size: [64] } }
  write-read: { operation: dma-read, timed: write-read, volume: 4 MiB, max_commands: 500, flows: [host -> card], axes: { size: [64] } }
";

/// Bytes a nanosecond of the link.
const LINK: f64 = 8.0 * 128.0 / 130.0;
/// Bytes of a request, and bytes around the payload of a write and of a completion.
const ASK: f64 = 24.0;
const WRITE: f64 = 24.0;
const ANSWER: f64 = 20.0;

/// The simulated latency of a command in ns, which is at the limit's or above it.
fn latency(experiment: &str, size: u64, settings: &[&str]) -> f64 {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    for setting in settings {
        let setting = setting.replace("here.", &format!("experiments.{experiment}."));
        description.set(&setting).unwrap();
    }
    let experiment = description.experiment(experiment).unwrap();
    let scenario = description.scenario(experiment, &Point::default().with("size", &size.to_string())).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let ran = outcome.flows[0].latency.median.as_fs() as f64 / 1e6;
    let limits = limit(&scenario);
    let least = limits.together[0].latency.as_fs() as f64 / 1e6;
    assert!(least <= 1.004 * ran, "{settings:?}: {ran} ns, and {least} ns by the limit");
    let (rate, most) = (outcome.flows[0].stream.unwrap().0, limits.together[0].stream.0);
    assert!(rate <= 1.004 * most, "{settings:?}: {rate} above {most}");
    ran
}

/// Checks a time to 1 %.
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found} ns, by hand {by_hand} ns");
}

/// The round trip of a read of one line, from its decision on.
const LINE: f64 = 80.0 + ASK / LINK + 400.0 + (64.0 + ANSWER) / LINK + 60.0;

#[test]
fn is_a_read_timed_from_giving_it_until_its_end_is_known() {
    is(latency("read", 64, &[]), LINE);
    is(latency("read", 64, &["card.handover_latency=200 ns"]), LINE + 200.0);
    is(latency("read", 64, &["card.read_done_latency=200 ns"]), LINE + 200.0);
    // Two requests, and eight completions for each, one after another.
    let long = 80.0 + ASK / LINK + 400.0 + 16.0 * (64.0 + ANSWER) / LINK + 60.0;
    is(latency("read", 1024, &[]), long);
}

#[test]
fn does_a_direct_command_go_past_the_engine() {
    let engine = ["card.read_store_latency=100 ns", "card.write_quantum=128 B", "card.read_quantum_time=20 ns"];
    is(latency("read", 64, &engine), LINE + 120.0);
    let long = latency("read", 1024, &[]);
    is(latency("read", 1024, &engine), long + 100.0 + 8.0 * 20.0);
    is(latency("read", 64, &[&engine[..], &["card.direct=yes"]].concat()), LINE);
}

#[test]
fn does_a_read_follow_the_write_before_it() {
    // It is given as soon as the write waits for the link, and follows it there.
    is(latency("write-read", 64, &[]), LINE + (64.0 + WRITE) / LINK);
    is(latency("write-read", 64, &["card.handover_latency=200 ns"]), LINE + 400.0);
    is(latency("write-read", 64, &["card.write_done_latency=200 ns"]), LINE + 200.0);
    let fetched = ["card.write_fetch_latency=100 ns", "card.write_command_time=50 ns"];
    is(latency("write-read", 64, &[&fetched[..], &["card.write_done_latency=50 ns"]].concat()), LINE + 200.0);
    // The eight TLPs of a long write occupy the link longer than the read takes to be given.
    let (long, write) = (latency("read", 2048, &[]), 8.0 * (256.0 + WRITE) / LINK);
    is(latency("write-read", 2048, &["card.handover_latency=100 ns"]), long + 100.0 + write);
}

#[test]
fn has_a_write_ended_at_its_hand_over_or_at_its_last_symbol() {
    let (long, write) = (latency("read", 2048, &[]), 8.0 * (256.0 + WRITE) / LINK);
    let of = |done: &str| latency("write-read", 2048, &["card.handover_latency=500 ns", done]);
    is(of("card.write_done=handed-over"), long + 1000.0);
    is(of("card.write_done=sent"), long + 1000.0 + 80.0 + write);
}

#[test]
fn does_the_read_wait_until_memory_has_served_the_write() {
    let served = ["host.write_service=300 ns"];
    is(latency("write-read", 64, &served), LINE + (64.0 + WRITE) / LINK + 300.0 - ASK / LINK);
}

#[test]
fn which_lines_that_a_card_wrote_are_in_the_cache() {
    let of = |size, more: &[&str]| {
        let common = ["here.window=4 MiB", "here.pattern=random", "host.warm=no"];
        latency("write-read", size, &[&common, more].concat())
    };
    let (part, whole) = (of(8, &[]), of(64, &[]));
    let missed = |size, direct: &str| of(size, &["host.miss_latency=300 ns", &format!("host.direct_io={direct}")]);
    // The median of 500 lines changes where half of them are found.
    is(missed(8, "4 MiB"), part);
    is(missed(8, "3 MiB"), part);
    is(missed(8, "1 MiB"), part + 300.0);
    is(missed(64, "1 MiB"), whole);
    is(of(8, &["host.direct_io=1 MiB"]), part);
}

#[test]
fn is_a_gate_part_of_no_latency_of_a_read() {
    let text = MACHINE.replace("timed: commands", "command: 64 B").replace("overlap: yes", "overlap: no");
    let of = |latency: &str| {
        let mut description = Description::from_text("one.yaml", &text).unwrap();
        description.set(&format!("card.command_latency={latency}")).unwrap();
        let point = Point::default().with("size", "64");
        let scenario = description.scenario(description.experiment("read").unwrap(), &point).unwrap();
        let outcome = sim::run(&scenario, &dma::options()).unwrap();
        outcome.flows[0].latency.median.as_fs() as f64 / 1e6
    };
    is(of("0 ns"), LINE);
    is(of("1 us"), LINE);
}
