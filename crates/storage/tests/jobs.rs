//! What the jobs of drives share: cores, and queues in which reads and writes are mixed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use limit::Limits;
use sim::Outcome;
use system::Scenario;

const MACHINE: &str = "
title: eight SSDs
parts:
  host:
    part: generic/gen4-host
    slots: { \"m2[8]\": gen4 x4 }
    notice: interrupt
    interrupt_latency: 2 us
    command_cost: 600 ns
    call_cost: 600 ns
  ssd: { kind: nvme-ssd, count: 8, ports: { pcie: gen4 x4 }, bars: 16 KiB, commands: 1024, datapath: 3.5 GB/s }
links: [\"host.m2[i] - ssd[i].pcie\"]
experiments:
  work:
    operation: disk-read
    drive: software
    flows: [\"ssd[i] -> host\"]
    command: 4 KiB
    volume: 16 MiB
    window: 1 GiB
    pattern: random
    measures: [throughput_sum]
    axes:
      op: { read: { operation: disk-read }, write: { operation: disk-write }, mixed: { read_share: 70 % } }
      block: [4 KiB]
      queue_depth: [1, 32]
      jobs: [1]
      cores: [1]
      read_share: [0, 50, 100]
      devices: [1, 8]
";

fn asked(point: &[(&str, &str)], settings: &[&str]) -> Result<Scenario, system::Error> {
    common::asked(MACHINE, point, settings)
}

/// The run, its limits, and its rate over the sum of these.
fn ran(point: &[(&str, &str)], settings: &[&str]) -> (Outcome, Limits, f64) {
    let scenario = asked(point, settings).unwrap();
    let (outcome, limits) = (sim::run(&scenario, &sim::Options::default()).unwrap(), limit::limit(&scenario));
    let near = sum(&outcome) / (limits.sum().0 / 1e6);
    (outcome, limits, near)
}

fn sum(outcome: &Outcome) -> f64 {
    outcome.flows.iter().map(|flow| flow.stream.unwrap().as_mb_per_s()).sum()
}

fn cores(outcome: &Outcome) -> f64 {
    outcome.flows.iter().filter_map(|flow| flow.cores).sum()
}

#[test]
fn does_one_submitting_thread_drive_eight_drives_with_half_a_core() {
    let at = |cores: &str, notice: &str| {
        let point = [("devices", "8"), ("block", "64 KiB"), ("queue_depth", "32"), ("cores", cores)];
        ran(&point, &["experiments.work.pattern=sequential", "experiments.work.volume=64 MiB", notice])
    };
    let ((one, _, near), (eight, ..)) = (at("1", "host.notice=interrupt"), at("8", "host.notice=interrupt"));
    // Each block costs 1.2 us: 8 x 3.5 GB/s are 427 thousand blocks of 64 KiB a second.
    let by_hand = 8.0 * 3.5e9 / 65536.0 * 1.2e-6;
    assert!((by_hand - 0.51_f64).abs() < 0.01 && (cores(&one) / by_hand - 1.0).abs() < 0.05, "{}", cores(&one));
    assert!((sum(&one) / sum(&eight) - 1.0).abs() < 0.005, "{} {}", sum(&one), sum(&eight));
    assert!((near - 1.0).abs() < 0.01, "{near} of its limit");
    let (polled, ..) = at("1", "host.notice=polling");
    assert!((cores(&polled) - 1.0).abs() < 1e-9, "one core polls: {}", cores(&polled));
    assert!((sum(&polled) / sum(&one) - 1.0).abs() < 0.01, "polling changes no rate: {} {}", sum(&polled), sum(&one));
}

#[test]
fn is_a_core_that_several_drives_share_the_limit_of_all_of_them() {
    for (count, expected) in [("1", 1.0), ("2", 2.0), ("8", 4.0)] {
        let point = [("devices", "4"), ("queue_depth", "32"), ("jobs", "2"), ("cores", count)];
        let (outcome, limits, near) = ran(&point, &["ssd.dies=512", "ssd.datapath=infinite"]);
        // 1.2 us a block of 4 KiB on each core.
        let all = expected * 4096.0 / 1.2;
        let (rate, by) = (sum(&outcome), limits.together[0].bottleneck.to_string());
        if count != "8" {
            assert!((rate / all - 1.0).abs() < 0.01 && (near - 1.0).abs() < 0.01, "{count}: {rate} of {all}, {near}");
            assert!(by.contains("software"), "{by}");
            let flows = &outcome.flows;
            let most = flows.iter().map(|flow| flow.stream.unwrap().0).fold(0.0, f64::max);
            let least = flows.iter().map(|flow| flow.stream.unwrap().0).fold(f64::INFINITY, f64::min);
            assert!(least > 0.98 * most, "each drive gets its part: {least} {most}");
        }
        assert!(cores(&outcome) < 1.001 * count.parse::<f64>().unwrap(), "{count}: {} cores busy", cores(&outcome));
    }
}

#[test]
fn do_mixed_commands_come_as_the_share_says_and_fill_the_queue() {
    for (share, depth) in [("10", "1"), ("50", "32"), ("70", "32"), ("95", "8")] {
        let point = [("devices", "2"), ("read_share", share), ("queue_depth", depth)];
        let (outcome, limits, near) = ran(&point, &["experiments.work.volume=64 MiB"]);
        let flows = asked(&point, &[]).unwrap().flows;
        let names: Vec<&str> = flows.iter().map(|flow| flow.name.as_str()).collect();
        assert_eq!(names, ["ssd[0] -> host", "host -> ssd[0]", "ssd[1] -> host", "host -> ssd[1]"]);
        let part: f64 = share.parse::<f64>().unwrap() / 100.0;
        for pair in outcome.flows.chunks(2) {
            let (reads, writes) = (pair[0].stream.unwrap().0, pair[1].stream.unwrap().0);
            assert!((reads / (reads + writes) - part).abs() < 0.01, "{share} %: {reads} {writes}");
        }
        // Little's law: the commands in flight are those that are read and those that are written.
        let (end, flows) = (outcome.end.as_secs(), &outcome.flows[..2]);
        let spent: f64 = flows.iter().map(|flow| flow.latency.count as f64 * flow.latency.mean.as_secs()).sum();
        let count: f64 = flows.iter().map(|flow| flow.latency.count as f64).sum();
        // Those that are in flight at the end have no latency yet.
        let left = depth.parse::<f64>().unwrap() * (1.0 - spent / count / end / 2.0);
        assert!((spent / end / left - 1.0).abs() < 0.02, "{share} % {depth}: {} of {left} in flight", spent / end);
        assert!(near < 1.004, "{share} %: {near} of its limit");
        let rates = &limits.together;
        assert!((rates[0].stream.0 / (rates[0].stream.0 + rates[1].stream.0) - part).abs() < 1e-6);
    }
}

#[test]
fn is_a_mix_of_one_kind_that_kind() {
    for (share, op) in [("100", "read"), ("0", "write")] {
        let mixed = ran(&[("devices", "1"), ("read_share", share), ("queue_depth", "32")], &[]);
        let plain = ran(&[("devices", "1"), ("op", op), ("queue_depth", "32")], &[]);
        assert_eq!((sum(&mixed.0), mixed.0.flows.len()), (sum(&plain.0), 1));
    }
}

#[test]
fn do_reads_that_are_mixed_with_writes_wait_for_programs() {
    let at = |program: &str| {
        let point = [("devices", "1"), ("op", "mixed"), ("queue_depth", "16")];
        ran(&point, &[&format!("ssd.program_time={program}")]).0.flows[0].latency.mean
    };
    let (long, short) = (at("600 us"), at("1 us"));
    assert!(long.as_ns() > 1.2 * short.as_ns(), "{long} {short}");
}

#[test]
fn are_wrong_mixes_and_cores_refused() {
    let told = |point: &[(&str, &str)]| {
        let error = lab::Error::from(asked(point, &[]).unwrap_err());
        format!("{error}: {}", error.right())
    };
    assert!(told(&[("read_share", "101")]).contains("0 to 100"));
    assert!(told(&[("cores", "0")]).contains("1 to 1024"));
    let twice = told(&[("op", "write"), ("read_share", "50")]);
    assert!(twice.contains("`read_share` is for flows that read a drive"), "{twice}");
}
