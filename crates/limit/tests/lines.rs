//! The table of reads and the DRAM channels of a host, on and off, against closed forms computed by hand, beside the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point};

/// A card of one x16 link, without DLLPs and SKPs. Commands lie one after another in a window of 1 MiB.
const MACHINE: &str = "
title: A card at a root port with a table of reads
parts:
  host: { kind: host, mps: 256, completion_bytes: 256, read_latency: 400 ns, slots: { pcie: gen3 x16 }, skp: no, dllps: no }
  card: { kind: dma-card, ports: { pcie: gen3 x16 }, mps: 256, aligned: yes, overlap: yes, skp: no, dllps: no,
          read_requests: 256, bars: 1 MiB }
links: [host.pcie - card.pcie]
settings: { mrrs: 512, mps: 256 }
experiments:
  write: { operation: dma-write, command: 256 B, volume: 4 MiB, window: 1 MiB, pattern: sequential, flows: [card -> host] }
  read: { operation: dma-read, command: 512 B, volume: 4 MiB, window: 1 MiB, pattern: sequential, flows: [host -> card] }
";

/// Bytes a nanosecond of the link.
const LINK: f64 = 16.0 * 128.0 / 130.0;
/// What a line takes of the link when it is written, and when it is read.
const WRITTEN: f64 = (256.0 + 24.0) / 4.0 / LINK;
const READ: f64 = (256.0 + 20.0) / 4.0 / LINK;

/// The simulated time of a line in ns, which is within 1 % of the least by the limit.
fn line(experiment: &str, settings: &[&str]) -> f64 {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    for setting in settings {
        description.set(&setting.replace("here.", &format!("experiments.{experiment}."))).unwrap();
    }
    let scenario = description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!(ran <= 1.004 * limit && ran > 0.99 * limit, "{experiment} {settings:?}: {ran}, limit {limit}");
    64.0 / ran * 1e9
}

/// Checks a time to 1 %.
#[track_caller]
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found} ns, by hand {by_hand} ns");
}

#[test]
fn how_many_lines_are_read_at_once() {
    is(line("read", &["host.read_table=64"]), 400.0 / 64.0);
    is(line("read", &["host.read_table=80"]), 400.0 / 80.0);
    is(line("read", &["host.read_table=64", "host.read_latency=480 ns"]), 480.0 / 64.0);
    is(line("read", &["host.read_table=128"]), READ);
    is(line("read", &[]), READ);
    is(line("write", &["host.read_table=8"]), WRITTEN);
    // A line that is touched counts as one: 33 bytes over the end of a line hold two places.
    let odd = ["host.read_table=16", "here.command=32 B", "here.offset=48", "here.stride=128 B"];
    is(line("read", &odd), 64.0 / 32.0 * 2.0 * 400.0 / 16.0);
}

#[test]
fn what_do_lines_that_are_not_in_the_cache_take_of_dram() {
    for experiment in ["read", "write"] {
        let here = if experiment == "read" { "host.warm=no" } else { "host.direct_io=512 KiB" };
        let dram = |more: &[&str]| line(experiment, &[&["host.dram_line_service=40 ns"], more].concat());
        is(dram(&[here, "host.dram_channels=4"]), 10.0);
        is(dram(&[here, "host.dram_channels=2"]), 20.0);
        let on_link = if experiment == "read" { READ } else { WRITTEN };
        is(dram(&[here, "host.dram_channels=16"]), on_link);
        is(dram(&["host.dram_channels=4"]), on_link);
    }
}
