//! What a driver of an NVMe SSD may choose: its bring-up, data pointers, where queues lie, and namespaces.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use sim::Outcome;
use system::Scenario;

const MACHINE: &str = "
title: one SSD
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen4 x4 }, poll_interval: 100 ns }
  ssd: { kind: nvme-ssd, ports: { pcie: gen4 x4 }, bars: 1 MiB, dies: 256 }
links: [host.pcie - ssd.pcie]
experiments:
  work:
    { operation: disk-read, drive: software, flows: [ssd -> host, ssd -> host], command: 4 KiB, volume: 16 MiB, pattern: random,
      measures: [throughput_sum], axes: { op: { read: { operation: disk-read }, write: { operation: disk-write } },
      block: [4 KiB], queue_depth: [1, 32], jobs: [1], flows: [1, 2] } }
";

fn scenario(point: &[(&str, &str)], settings: &[&str]) -> Scenario {
    common::scenario(MACHINE, point, settings)
}

fn ran(point: &[(&str, &str)], settings: &[&str]) -> Outcome {
    sim::run(&scenario(point, settings), &sim::Options::default()).unwrap()
}

fn sum(outcome: &Outcome) -> f64 {
    outcome.flows.iter().map(|flow| flow.stream.unwrap().as_mb_per_s()).sum()
}

/// The rate over its limit.
fn near(point: &[(&str, &str)], settings: &[&str]) -> f64 {
    sum(&ran(point, settings)) * 1e6 / limit::limit(&scenario(point, settings)).sum().0
}

#[test]
fn does_bring_up_come_before_the_first_command_and_change_no_rate() {
    for notice in ["host.notice=polling", "host.notice=interrupt"] {
        for jobs in ["1", "3"] {
            let point = [("queue_depth", "32"), ("jobs", jobs), ("flows", "1")];
            let plain = ran(&point, &[notice]);
            let at = |ready: &str| ran(&point, &[notice, "ssd.bring_up=yes", ready]);
            let (quick, slow) = (at("ssd.ready_latency=2 ms"), at("ssd.ready_latency=20 ms"));
            assert!((sum(&quick) / sum(&plain) - 1.0).abs() < 0.01, "{} {}", sum(&quick), sum(&plain));
            let later = |from: &Outcome, to: &Outcome| (to.end.as_ns() - from.end.as_ns()) / 1e6;
            // Registers and admin commands take some microseconds each, and the status is looked at every 100 us.
            assert!((2.0..2.5).contains(&later(&plain, &quick)), "{} ms", later(&plain, &quick));
            assert!((later(&quick, &slow) - 18.0).abs() < 0.15, "{} ms", later(&quick, &slow));
            let latency = |outcome: &Outcome| outcome.flows[0].latency.mean.as_ns();
            assert!((latency(&quick) / latency(&plain) - 1.0).abs() < 0.02, "no command waits for it");
        }
    }
}

#[test]
fn are_the_tlps_of_bring_up_those_of_its_steps() {
    let point = [("queue_depth", "1"), ("flows", "1")];
    let hops = |settings: &[&str]| ran(&point, settings).tlp_hops;
    let with = ["ssd.bring_up=yes", "ssd.ready_latency=0 s", "host.notice=polling"];
    let brought = hops(&with) - hops(&with[2..]);
    // By hand, at one link: loads of CAP and of CSTS twice, with their answers; stores of CC, AQA, ASQ, ACQ and CC; and five
    // admin commands, each a doorbell, an entry with its answer, a completion and a doorbell, two of them with 4096 bytes in
    // TLPs of Max_Payload_Size.
    let mps = scenario(&point, &[]).system.parts.iter().map(|part| part.mps.bytes()).min().unwrap();
    let by_hand = 3 * 2 + 5 + 5 * 5 + 2 * 4096 / mps;
    // A look at the status that came too early is a load and its answer.
    assert!((by_hand..=by_hand + 4).contains(&brought), "{brought}, by hand {by_hand}");
    let more = hops(&["ssd.bring_up=yes", "ssd.ready_latency=0 s", "host.notice=polling", "ssd.namespaces=3"]);
    assert_eq!(more - hops(&with), 2 * (5 + 4096 / mps), "two more namespaces are identified");
}

#[test]
fn does_an_sgl_spare_the_list_of_pages() {
    let point = [("block", "128 KiB"), ("queue_depth", "1"), ("flows", "1")];
    let latency = |pointer: &str| ran(&point, &[pointer]).flows[0].latency.median.as_ns();
    let (list, one) = (latency("ssd.data_pointer=prp"), latency("ssd.data_pointer=sgl"));
    let host = scenario(&point, &[]).system;
    let read = host.part(host.host()).kind.host().unwrap().read_latency.as_ns();
    // A read of the list, which has 31 entries of 8 bytes, takes what memory and the ends of the link take.
    assert!(list - one > read + 400.0 && list - one < read + 700.0, "{list} {one} ns");
    let small = [("block", "8 KiB"), ("queue_depth", "1"), ("flows", "1")];
    let latency = |pointer: &str| ran(&small, &[pointer]).flows[0].latency.median;
    assert_eq!(latency("ssd.data_pointer=prp"), latency("ssd.data_pointer=sgl"), "two pages need no list");
    for pointer in ["ssd.data_pointer=prp", "ssd.data_pointer=sgl"] {
        let near = near(&point, &[pointer]);
        assert!(near < 1.004 && near > 0.97, "{pointer}: {near} of its limit");
    }
}

#[test]
fn does_a_queue_in_the_drive_spare_the_fetch_of_entries() {
    let point = [("queue_depth", "1"), ("flows", "1")];
    let latency = |place: &str| ran(&point, &[place]).flows[0].latency.median.as_ns();
    let (fetched, stored) = (latency("ssd.queues_in=host"), latency("ssd.queues_in=drive"));
    let host = scenario(&point, &[]).system;
    let read = host.part(host.host()).kind.host().unwrap().read_latency.as_ns();
    assert!(fetched - stored > read && fetched - stored < read + 700.0, "{fetched} {stored} ns");
    for depth in ["1", "32"] {
        for op in ["read", "write"] {
            let near = near(&[("op", op), ("queue_depth", depth), ("flows", "1")], &["ssd.queues_in=drive"]);
            assert!(near < 1.01 && near > 0.95, "{op} {depth}: {near} of its limit");
        }
    }
    // 32 entries of 64 bytes, brought up as any other queue.
    let brought = ran(&[("queue_depth", "32"), ("jobs", "4")], &["ssd.queues_in=drive", "ssd.bring_up=yes"]);
    assert!(sum(&brought) > 0.0);
    let lean = scenario(&[("queue_depth", "32"), ("jobs", "4")], &["ssd.queues_in=drive", "ssd.bars=16 KiB"]);
    let error = sim::run(&lean, &sim::Options::default()).unwrap_err().to_string();
    assert!(error.contains("no room for submission queues"), "{error}");
}

#[test]
fn do_namespaces_share_the_drive() {
    let one = ran(&[("queue_depth", "32"), ("flows", "2")], &[]);
    let two = ran(&[("queue_depth", "32"), ("flows", "2")], &["ssd.namespaces=2"]);
    assert!((sum(&two) / sum(&one) - 1.0).abs() < 0.02, "{} {}", sum(&two), sum(&one));
    // In order, flows read pages of their own, of one namespace or of two: no page is read once for both.
    let at = |namespaces: &str| {
        let flash = ["ssd.dies=16", "ssd.page=16 KiB", "ssd.read_time=50 us"];
        let settings = [&flash[..], &["experiments.work.pattern=sequential", namespaces]].concat();
        ran(&[("block", "16 KiB"), ("queue_depth", "16"), ("flows", "2")], &settings)
    };
    let (same, apart) = (sum(&at("ssd.namespaces=1")), sum(&at("ssd.namespaces=2")));
    assert!((same / apart - 1.0).abs() < 0.02, "{same} {apart}");
    let page = 16.0 * 1024.0 * 16.0 / 50e-6 / 1e6;
    assert!(same <= page * 1.03, "{same}, and 16 dies read {page} MB/s");
}
