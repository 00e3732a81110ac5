//! Arrays in a controller, drives at an expander, and the zones of a disk.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use lab::sweep::RunOptions;
use lab::{At, DescribedMachine};
use pcie::Bytes;
use std::sync::atomic::AtomicBool;
use system::{Description, Scenario};

const MACHINE: &str = "
title: an adapter
parts:
  host: { part: generic/gen4-host, slots: { pcie: gen4 x8 } }
  hba:
    { kind: sata-controller, protocol: sas, ports: { pcie: gen4 x8 }, bars: 8 KiB, read_requests: 64, tag_bits: 8,
      sata_ports: 8, device: ssd, media_rate: 2 GB/s, message_bytes: 128 }
links: [host.pcie - hba.pcie]
experiments:
  work:
    { operation: disk-read, drive: software, command: 128 KiB, volume: 64 MiB, queue_depth: 8, measures: [throughput_sum],
      flows: [hba -> host, hba -> host, hba -> host, hba -> host, hba -> host, hba -> host, hba -> host, hba -> host],
      axes: { op: { read: { operation: disk-read }, write: { operation: disk-write } }, drives: [1, 8], block: [128 KiB],
      queue_depth: [8] } }
";
/// What a SATA link of 6 Gb/s carries in FISes of 8192 bytes: 16 bytes around each and 300 ns after it.
const WIRE: f64 = 8192.0 / ((8192.0 + 16.0) / 600.0 + 0.3);
const DISK: [&str; 2] = ["hba.device=disk", "hba.media_rate=200 MB/s"];

fn described(settings: &[&str]) -> Description {
    common::described(MACHINE, settings)
}

fn scenario(point: &[(&str, &str)], settings: &[&str]) -> Scenario {
    common::scenario(MACHINE, point, settings)
}

/// The sum of all flows, simulated and by the limit, in MB/s, and what limits the first one.
fn ran(point: &[(&str, &str)], settings: &[&str]) -> (f64, f64, String) {
    let scenario = scenario(point, settings);
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let limits = limit::limit(&scenario);
    let sum = outcome.flows.iter().map(|flow| flow.stream.unwrap().as_mb_per_s()).sum();
    (sum, limits.sum().as_mb_per_s(), limits.together[0].bottleneck.to_string())
}

#[test]
fn do_the_disks_of_an_array_add_up_in_both_directions() {
    for op in ["read", "write"] {
        for members in [1.0, 2.0, 4.0, 8.0] {
            let array = format!("hba.members={members}");
            let (simulated, limit, by) =
                ran(&[("op", op), ("drives", "1"), ("block", "1 MiB")], &[DISK[0], DISK[1], &array]);
            let by_hand = members * 200.0;
            assert!((simulated / by_hand - 1.0).abs() < 0.03, "{op} {members}: {simulated} of {by_hand} MB/s");
            assert!(simulated < 1.008 * limit && simulated > 0.96 * limit, "{op} {members}: {simulated} {limit}");
            assert!(by.contains("the drive"), "{by}");
        }
    }
}

#[test]
fn does_a_block_that_lies_on_one_drive_get_no_more_from_an_array() {
    // One block in flight, as long as a chunk: one drive works at a time.
    let point = [("drives", "1"), ("block", "64 KiB"), ("queue_depth", "1")];
    let at = |members: &str| ran(&point, &[DISK[0], DISK[1], members]).0;
    let (one, four) = (at("hba.members=1"), at("hba.members=4"));
    assert!((four / one - 1.0).abs() < 0.02, "{one} {four}");
    // As long as four chunks, it has all four.
    let point = [("drives", "1"), ("block", "256 KiB"), ("queue_depth", "1")];
    let at = |members: &str| ran(&point, &[DISK[0], DISK[1], members]).0;
    let (one, four) = (at("hba.members=1"), at("hba.members=4"));
    assert!(four > 3.0 * one, "{one} {four}");
}

#[test]
fn do_the_lanes_to_an_expander_hold_the_sum_of_its_drives() {
    for (lanes, by_hand, by) in [
        ("1", WIRE, "the lanes to the expander"),
        ("4", 4.0 * WIRE, "the lanes to the expander"),
        ("8", 8.0 * WIRE, "SATA link"),
        ("infinite", 8.0 * WIRE, "SATA link"),
    ] {
        for op in ["read", "write"] {
            let point = [("op", op), ("drives", "8")];
            let (simulated, limit, named) = ran(&point, &[&format!("hba.expander_lanes={lanes}")]);
            assert!((simulated / by_hand - 1.0).abs() < 0.015, "{lanes} {op}: {simulated} of {by_hand} MB/s");
            assert!(simulated < 1.008 * limit && simulated > 0.98 * limit, "{lanes} {op}: {simulated} {limit}");
            assert!(named.contains(by), "{lanes} {op}: {named}");
        }
    }
}

#[test]
fn does_a_drive_with_a_mixed_queue_give_both_kinds_no_more_than_it_has() {
    for (share, flows) in [("50", "1"), ("70", "8")] {
        let share = format!("experiments.work.read_share={share} %");
        let (simulated, limit, by) = ran(&[("drives", flows)], &["hba.media_rate=250 MB/s", &share]);
        let by_hand = 250.0 * flows.parse::<f64>().unwrap();
        assert!(simulated < 1.02 * by_hand && simulated < 1.01 * limit, "{simulated} of {by_hand} MB/s, {limit}");
        assert!((limit / by_hand - 1.0).abs() < 0.01 && by.contains("the drive"), "{limit} of {by_hand}: {by}");
    }
    let names: Vec<String> = scenario(&[("drives", "8")], &["experiments.work.read_share=50"])
        .flows
        .into_iter()
        .map(|flow| flow.name)
        .collect();
    let unlike: std::collections::BTreeSet<&String> = names.iter().collect();
    assert_eq!((names.len(), unlike.len()), (16, 16), "{names:?}");
}

const ZONES: [&str; 5] =
    ["hba.device=disk", "hba.media_rate=200 MB/s", "hba.inner_rate=110 MB/s", "hba.zones=10", "hba.capacity=1000 GB"];

#[test]
fn is_a_disk_slower_in_each_zone_further_in() {
    for op in ["read", "write"] {
        for zone in [0, 4, 9] {
            let (from, long) = (format!("hba.written={} GB", 100 * zone + 1), "experiments.work.volume=256 MiB");
            let settings: Vec<&str> = ZONES.iter().copied().chain([from.as_str(), long]).collect();
            let (simulated, limit, _) = ran(&[("op", op), ("drives", "1"), ("block", "1 MiB")], &settings);
            let by_hand = 200.0 - 10.0 * f64::from(zone);
            assert!((simulated / by_hand - 1.0).abs() < 0.01, "{op} zone {zone}: {simulated} of {by_hand} MB/s");
            assert!(simulated < 1.008 * limit && simulated > 0.98 * limit, "{op} zone {zone}: {simulated} {limit}");
        }
    }
}

#[test]
fn does_a_stream_over_a_whole_disk_have_the_rate_of_each_of_its_zones() {
    let description = described(&ZONES);
    let machine = DescribedMachine::described("disk", description).unwrap();
    let experiment = machine.description().experiment("work").unwrap();
    let at = At::parse("drives=1;block=1MiB").unwrap();
    let job = machine.job(experiment, at).unwrap();
    let (interrupted, step) = (AtomicBool::new(false), || {});
    let options = RunOptions { threads: Some(1), interrupted: &interrupted, step: &step, kinds: &[] };
    let total = Bytes(1_000_000_000_000);
    let found = lab::stream::stream(&job, (total, Bytes(100_000_000_000)), &options).unwrap().unwrap();
    assert_eq!((found.samples.len(), found.rates.len()), (10, 10));
    for (zone, rate) in found.rates.iter().enumerate() {
        let by_hand = 200.0 - 10.0 * zone as f64;
        assert!((rate.as_mb_per_s() / by_hand - 1.0).abs() < 0.01, "zone {zone}: {} MB/s", rate.as_mb_per_s());
    }
    // As much of the disk in each zone: the mean over the time that each takes.
    let time: f64 = (0..10).map(|zone| 1.0 / (200.0 - 10.0 * f64::from(zone))).sum();
    assert!((found.mean.as_mb_per_s() / (10.0 / time) - 1.0).abs() < 0.01, "{}", found.mean.as_mb_per_s());
}

#[test]
fn are_impossible_arrays_refused() {
    let _ = lanescope_storage::register();
    for (setting, expected) in [
        ("hba.members=17", "1 to 16"),
        ("hba.members=0", "1 or more"),
        ("hba.inner_rate=5 GB/s", "no more than `media_rate`"),
    ] {
        let mut description = Description::from_text("hba.yaml", MACHINE).unwrap();
        let error = description.set(setting).and_then(|()| description.system().map(drop)).unwrap_err();
        assert!(error.report().contains(expected), "{setting}: {}", error.report());
    }
    let mut description = described(&["hba.members=2"]);
    description.set("hba.chunk=5000 B").unwrap();
    assert!(description.system().unwrap_err().report().contains("multiple of 8 KiB"));
}

#[test]
fn is_an_expander_at_an_ahci_controller_refused() {
    let error = common::asked(MACHINE, &[], &["hba.protocol=ahci", "hba.expander_lanes=4"]).unwrap_err();
    assert!(error.report().contains("protocol: sas"), "{}", error.report());
}
