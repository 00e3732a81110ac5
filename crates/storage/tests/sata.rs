//! Do SATA drives behind a controller move what their SATA link, their media and the controller's PCIe link allow?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use sim::Outcome;
use system::Scenario;

const MACHINE: &str = "
title: one controller
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen3 x4 } }
  hba: { kind: sata-controller, ports: { pcie: gen3 x4 }, bars: 8 KiB, read_requests: 32 }
links: [host.pcie - hba.pcie]
experiments:
  work:
    { operation: disk-read, drive: software, flows: [hba -> host, hba -> host, hba -> host, hba -> host],
      command: 128 KiB, volume: 64 MiB, queue_depth: 8, measures: [throughput_sum],
      axes: { op: { read: { operation: disk-read }, write: { operation: disk-write } }, drives: [1, 4], block: [128 KiB],
      queue_depth: [8] } }
";

fn scenario(point: &[(&str, &str)], settings: &[&str]) -> Scenario {
    common::scenario(MACHINE, point, settings)
}

/// The sum of all drives, simulated and by the limit, in MB/s; what limits the first one; and the outcome.
fn ran(point: &[(&str, &str)], settings: &[&str]) -> (f64, f64, String, Outcome) {
    let scenario = scenario(point, settings);
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let limits = limit::limit(&scenario);
    let sum = outcome.flows.iter().map(|flow| flow.stream.unwrap().as_mb_per_s()).sum();
    (sum, limits.sum().as_mb_per_s(), limits.together[0].bottleneck.to_string(), outcome)
}

#[test]
fn do_sata_links_carry_what_their_fises_leave() {
    let fast = "hba.media_rate=2 GB/s";
    for (rate, settings) in [
        (150.0, ["hba.sata_rate=150 MB/s", fast]),
        (300.0, ["hba.sata_rate=300 MB/s", fast]),
        (600.0, ["hba.sata_rate=600 MB/s", fast]),
    ] {
        // 16 FISes of 8192 bytes, 16 bytes around each and 300 ns after it, and the FIS of the command.
        let fis = (8192.0 + 16.0) / rate + 0.3;
        let by_hand = 131_072.0 / (16.0 * fis + 32.0 / rate);
        for op in ["read", "write"] {
            let (simulated, limit, by, _) = ran(&[("op", op)], &settings);
            assert!(by.contains("SATA link"), "{by}");
            assert!((simulated / by_hand - 1.0).abs() < 0.005, "{op} {rate}: {simulated}, by hand {by_hand} MB/s");
            assert!(simulated < 1.004 * limit && simulated > 0.99 * limit, "{op} {rate}: {simulated} of {limit}");
        }
    }
}

#[test]
fn do_drives_add_up_until_the_link_of_their_controller_is_full() {
    let (one, limit, by, _) = ran(&[("drives", "1")], &[]);
    assert!((one / 180.0 - 1.0).abs() < 0.01 && one < 1.004 * limit && by.contains("the drive"), "{one} {limit} {by}");
    let (four, limit, ..) = ran(&[("drives", "4")], &[]);
    assert!((four / 720.0 - 1.0).abs() < 0.01 && four < 1.004 * limit, "{four} {limit}");
    let narrow = ["host.slots.pcie=gen1 x1"];
    let (capped, limit, by, _) = ran(&[("drives", "4")], &narrow);
    assert!(capped < 215.0 && capped < 1.004 * limit && capped > 0.97 * limit, "{capped} {limit}");
    assert!(by.contains("Gen1 x1"), "{by}");
}

#[test]
fn does_a_disk_out_of_order_wait_for_its_arm_and_half_a_turn() {
    let random = ["experiments.work.pattern=random", "hba.capacity=16 GiB", "experiments.work.volume=8 MiB"];
    let (_, _, _, outcome) = ran(&[("block", "4 KiB"), ("queue_depth", "1"), ("drives", "1")], &random);
    // The mean of the square root of the distance between two random places is 8/15.
    let by_hand = 0.6 + (18.0 - 0.6) * 8.0 / 15.0 + 8.333 / 2.0;
    let mean = outcome.flows[0].latency.mean.as_ns() / 1e6;
    assert!((mean / by_hand - 1.0).abs() < 0.02, "{mean} ms, by hand {by_hand} ms");
    let ordered = ran(&[("block", "4 KiB"), ("queue_depth", "1"), ("drives", "1")], &[]).3;
    assert!(ordered.flows[0].latency.mean.as_ns() < 0.1e6, "in order, the arm stays");
}

#[test]
fn does_the_arm_decide_what_random_blocks_get_and_does_the_limit_know_it() {
    let random =
        ["experiments.work.pattern=random", "experiments.work.window=1024 GiB", "experiments.work.volume=64 MiB"];
    let by_hand = 0.065_536 / (0.014_05 + 0.065_536 / 180.0);
    for op in ["read", "write"] {
        for depth in ["1", "4"] {
            let point = [("op", op), ("block", "64 KiB"), ("queue_depth", depth), ("drives", "1")];
            let (simulated, limit, by, _) = ran(&point, &random);
            assert!((simulated / by_hand - 1.0).abs() < 0.03, "{op} {depth}: {simulated}, by hand {by_hand} MB/s");
            assert!(simulated < 1.004 * limit && simulated > 0.97 * limit, "{op} {depth}: {simulated} of {limit}");
            assert!(by.contains("the drive") || depth == "1", "{by}");
        }
    }
}

#[test]
fn do_two_commands_of_an_ssd_overlap() {
    let ssd = ["hba.device=ssd", "hba.media_rate=560 MB/s", "experiments.work.pattern=random", "hba.units=32"];
    let rate = |depth| ran(&[("block", "64 KiB"), ("queue_depth", depth), ("drives", "1")], &ssd).0;
    // 80 us in the flash, 117 us on the media, 14 us on the link, 20 us around them: one command alone takes 231 us. Of two,
    // one moves its data while the other is in the flash.
    let (one, two) = (rate("1"), rate("2"));
    assert!((one / 284.0 - 1.0).abs() < 0.08, "{one}");
    assert!(two > 0.95 * 560.0, "{two}");
}

#[test]
fn does_an_adapter_with_messages_do_the_same_with_fewer_accesses() {
    let depth = [("queue_depth", "32"), ("block", "4 KiB"), ("drives", "1")];
    let ssd = ["hba.device=ssd", "hba.media_rate=540 MB/s", "experiments.work.volume=8 MiB"];
    let (ahci, limit, _, by_ports) = ran(&depth, &ssd);
    assert!(ahci < 1.004 * limit, "{ahci} {limit}");
    let (sas, limit, _, by_messages) = ran(&depth, &[&ssd[..], &["hba.protocol=sas"]].concat());
    assert!(sas < 1.004 * limit, "{sas} {limit}");
    assert!(by_messages.tlp_hops < by_ports.tlp_hops, "{} {}", by_messages.tlp_hops, by_ports.tlp_hops);
    assert!((sas / ahci - 1.0).abs() < 0.05, "{sas} {ahci}");
}

#[test]
fn is_the_depth_iops_times_mean_latency() {
    for op in ["read", "write"] {
        let (_, _, _, outcome) = ran(&[("op", op), ("drives", "1")], &["experiments.work.volume=256 MiB"]);
        let (flow, all) = (&outcome.flows[0], outcome.end.as_secs());
        let mean = flow.latency.mean.as_secs();
        let little = flow.latency.count as f64 / all * mean;
        let left = 8.0 * (1.0 - mean / all / 2.0);
        assert!((little / left - 1.0).abs() < 0.005, "{op}: {little} of {left}");
    }
}

#[test]
fn is_what_a_controller_cannot_do_refused_with_what_would_be_right() {
    let error = |point: &[(&str, &str)], settings: &[&str]| {
        sim::run(&scenario(point, settings), &sim::Options::default()).unwrap_err().to_string()
    };
    for (point, settings, told) in [
        (&[("queue_depth", "33")][..], &[][..], "queue_depth"),
        (&[("drives", "4")], &["hba.sata_ports=2"], "sata_ports"),
        (&[("block", "1000 B")], &[], "512"),
        (&[], &["experiments.work.jobs=2"], "jobs: 1"),
    ] {
        let error = error(point, settings);
        assert!(error.contains(told), "{told}: {error}");
    }
}
