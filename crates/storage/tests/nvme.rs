//! Does an NVMe SSD move what its link, its flash and its queues allow, and no more?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use sim::Outcome;
use system::{Description, Point, Scenario};

const MACHINE: &str = "
title: one SSD
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen4 x4 } }
  ssd: { kind: nvme-ssd, ports: { pcie: gen4 x4 }, bars: 16 KiB }
links: [host.pcie - ssd.pcie]
experiments:
  work:
    { operation: disk-read, drive: software, flows: [ssd -> host], command: 4 KiB, volume: 64 MiB, pattern: random,
      measures: [throughput_per_flow], axes: { op: { read: { operation: disk-read }, write: { operation: disk-write } },
      block: [4 KiB], queue_depth: [1, 4, 16, 64, 256], jobs: [1] } }
";

fn scenario(point: &[(&str, &str)], settings: &[&str]) -> Scenario {
    common::scenario(MACHINE, point, settings)
}

fn ran(scenario: &Scenario) -> Outcome {
    sim::run(scenario, &sim::Options::default()).unwrap()
}

fn mb_per_s(outcome: &Outcome, flow: usize) -> f64 {
    outcome.flows[flow].stream.unwrap().as_mb_per_s()
}

/// The rate of its one flow, and what the limit says of it.
fn both(point: &[(&str, &str)], settings: &[&str]) -> (f64, f64, String) {
    let scenario = scenario(point, settings);
    let outcome = ran(&scenario);
    let limit = limit::limit(&scenario).together.remove(0);
    (mb_per_s(&outcome, 0), limit.stream.as_mb_per_s(), limit.bottleneck.to_string())
}

#[test]
fn is_the_depth_iops_times_mean_latency() {
    for op in ["read", "write"] {
        for (block, depth, jobs) in
            [("4 KiB", "1", "1"), ("4 KiB", "32", "4"), ("128 KiB", "8", "2"), ("512 B", "64", "1")]
        {
            let point = [("op", op), ("block", block), ("queue_depth", depth), ("jobs", jobs)];
            let scenario = scenario(&point, &["experiments.work.volume=128 MiB"]);
            let outcome = ran(&scenario);
            let (flow, work) = (&outcome.flows[0], scenario.flows[0].work);
            let iops = flow.latency.count as f64 / outcome.end.as_secs();
            let little = iops * flow.latency.mean.as_secs();
            // Commands that are in flight at the end have no latency yet.
            let left = work.in_flight() as f64 * (1.0 - flow.latency.mean.as_secs() / outcome.end.as_secs() / 2.0);
            assert!((little / left - 1.0).abs() < 0.005, "{op} {block} {depth} x {jobs}: {little} of {left}");
        }
    }
}

#[test]
fn is_a_command_that_is_alone_as_long_as_its_parts() {
    // Polling at once, no CPU time: doorbell, entry, 2 us, a page of 50 us and its way over a channel, data, 1 us, entry.
    let point = [("op", "read"), ("block", "4 KiB"), ("queue_depth", "1")];
    let free = ["host.command_cost=0 s", "host.call_cost=0 s", "host.notice=polling", "host.poll_interval=0 s"];
    let scenario = scenario(&point, &free);
    let latency = ran(&scenario).flows[0].latency.median.as_ns() / 1e3;
    let host = scenario.system.part(scenario.system.host()).kind.host().unwrap().into_owned();
    let inside = 2.0 + 50.0 + 4096.0 / 1.2e9 * 1e6 + 1.0;
    let fetched = 0.2 + host.read_latency.as_ns() / 1e3 + 0.2;
    let by_hand = inside + fetched + 0.2;
    assert!(latency > by_hand && latency < by_hand + 0.4, "{latency} us, without links {by_hand} us");
}

#[test]
fn does_each_mechanism_limit_where_it_should_and_agree_with_the_limit() {
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str);
    let cases: [Case<'_>; 6] = [
        (&[("op", "read"), ("block", "1 MiB"), ("queue_depth", "16")], &[], "Gen4 x4, transmit"),
        (&[("op", "read"), ("block", "4 KiB"), ("queue_depth", "1")], &[], "one command in flight"),
        (&[("op", "read"), ("block", "128 KiB"), ("queue_depth", "16")], &["ssd.dies=8"], "the flash"),
        (&[("op", "read"), ("block", "1 MiB"), ("queue_depth", "16")], &["ssd.datapath=2 GB/s"], "the flash"),
        (&[("op", "write"), ("block", "128 KiB"), ("queue_depth", "16")], &["ssd.program_time=1 ms"], "the flash"),
        (&[("op", "write"), ("block", "512 B"), ("queue_depth", "64")], &["host.command_cost=1 us"], "software"),
    ];
    for (point, settings, by) in cases {
        let (simulated, limit, named) = both(point, settings);
        assert!(named.contains(by), "{point:?}: {named}");
        let near = simulated <= limit * 1.004 && simulated > limit * 0.97;
        assert!(near, "{point:?} {settings:?}: {simulated} of {limit} MB/s ({named})");
    }
}

#[test]
fn do_commands_in_random_order_meet_at_dies_and_those_in_order_do_not() {
    let at = |order: &str| {
        let order = format!("experiments.work.pattern={order}");
        both(
            &[("op", "read"), ("block", "16 KiB"), ("queue_depth", "64")],
            &[&order, "ssd.channel_rate=100 GB/s", "ssd.read_time=400 us", "experiments.work.volume=512 MiB"],
        )
    };
    let ((ordered, ..), (random, limit, _)) = (at("sequential"), at("random"));
    // 64 pieces at 64 dies: in random order 2 - sqrt(2) of them are busy.
    let all = 64.0 * 16384.0 / 400.0;
    assert!((random / all - 0.586).abs() < 0.03, "{random} of {all}");
    assert!(ordered > 0.9 * all, "what is in order uses all dies: {ordered} of {all}");
    assert!(random < 1.004 * limit && random > 0.95 * limit, "{random} {limit}");
}

#[test]
fn does_coalescing_spare_interrupts_and_cost_latency() {
    let at = |settings: &[&str]| {
        let all: Vec<&str> = ["host.notice=interrupt"].iter().chain(settings).copied().collect();
        let outcome = ran(&scenario(&[("op", "read"), ("block", "4 KiB"), ("queue_depth", "4")], &all));
        (outcome.tlp_hops, outcome.flows[0].latency.mean.as_ns())
    };
    let (each, alone) = at(&[]);
    let (few, together) = at(&["ssd.coalesced=4", "ssd.coalescing_time=100 us"]);
    let commands = (64 << 20) as f64 / 4096.0;
    let spared = (each - few) as f64 / commands;
    assert!(spared > 0.7, "of four interrupts, three are spared at least: {spared}");
    assert!(together > alone, "{together} {alone}");
}

/// With fewer commands in flight than an interrupt is for, it comes by its time alone.
#[test]
fn do_few_commands_wait_for_the_time_of_their_interrupt() {
    let settings = ["host.notice=interrupt", "ssd.coalesced=4", "ssd.coalescing_time=100 us"];
    for (op, depth) in [("read", 1), ("read", 2), ("read", 3), ("write", 1), ("write", 2), ("write", 3)] {
        let depth_text = depth.to_string();
        let scenario = scenario(&[("op", op), ("queue_depth", &depth_text)], &settings);
        let (rate, limits) = (mb_per_s(&ran(&scenario), 0), limit::limit(&scenario));
        let (fair, most) = (limits.together[0].stream.as_mb_per_s(), limits.alone[0].most.as_mb_per_s());
        assert!((rate / fair - 1.0).abs() < 0.01, "{op}, {depth} in flight: {rate} MB/s, fair {fair}");
        assert!(rate < 1.001 * most, "{op}, {depth} in flight: {rate} MB/s, limit {most}");
        // One alone waits as long as the first of several, so that its limit is near, too.
        assert!(depth > 1 || rate > 0.98 * most, "{op}: {rate} MB/s, limit {most}");
    }
}

#[test]
fn does_polling_change_no_rate_and_burn_a_core() {
    let at = |notice: &str| {
        let point = [("op", "read"), ("block", "128 KiB"), ("queue_depth", "16")];
        let scenario = scenario(&point, &[&format!("host.notice={notice}")]);
        let outcome = ran(&scenario);
        (mb_per_s(&outcome, 0), outcome.flows[0].cores.unwrap(), outcome, scenario)
    };
    let ((polled, one, ..), (told, few, outcome, scenario)) = (at("polling"), at("interrupt"));
    assert!((polled / told - 1.0).abs() < 0.01, "{polled} {told} MB/s");
    assert!((one - 1.0).abs() < 1e-9, "a thread that polls never rests: {one}");
    // By hand: each command costs its submission, and each interrupt its own time.
    let host = scenario.system.part(scenario.system.host()).kind.host().unwrap().into_owned();
    let commands = outcome.flows[0].latency.count as f64 / outcome.end.as_secs();
    let least = commands * host.command_cost.as_secs();
    assert!(
        few > least && few < least + commands * (host.call_cost + host.interrupt_latency).as_secs() + 0.01,
        "{few} {least}"
    );
}

#[test]
fn does_a_drive_read_host_memory_when_it_is_written() {
    let scenario = scenario(&[("op", "write"), ("block", "128 KiB"), ("queue_depth", "16")], &[]);
    assert_eq!(scenario.flows[0].name, "host -> ssd");
    let outcome = ran(&scenario);
    let (down, rate) = outcome.directions.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0)).unwrap();
    assert!(!down.up, "its payload comes down, in completions");
    assert!((rate.as_mb_per_s() / mb_per_s(&outcome, 0) - 1.0).abs() < 0.02);
}

#[test]
fn is_what_a_drive_cannot_do_refused_with_what_would_be_right() {
    let _ = lanescope_storage::register();
    let text = |from: &str, to: &str| {
        let text = MACHINE.replace(from, to);
        let description = Description::from_text("ssd.yaml", &text).map_err(|error| error.report())?;
        let work = description.experiment("work").map_err(|error| error.report())?;
        let scenario = description.scenario(work, &Point::default()).map_err(|error| error.report())?;
        sim::run(&scenario, &sim::Options::default()).map_err(|error| error.to_string())
    };
    for (from, to, told) in [
        ("drive: software", "drive: card", "drive: software"),
        ("command: 4 KiB", "command: 1000 B", "512"),
        ("bars: 16 KiB", "bars: 4 KiB", "BAR"),
        ("queue_depth: [1, 4, 16, 64, 256]", "queue_depth: [70000]", "65535"),
        ("bars: 16 KiB", "bars: 16 KiB, write_buffer: 64 KiB", "write_buffer"),
        ("operation: disk-read, drive", "operation: dma-read, drive", "dma-read"),
    ] {
        let error = text(from, to).unwrap_err();
        assert!(error.contains(told), "{to}: {error}");
    }
}
