//! Places of commands, times of an engine, cache and combined completions of a host: each on and off, against a closed
//! form computed by hand, beside the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Budget, Description, Point, Scenario, Share, Wait};

/// A card of one x8 link, without DLLPs and SKPs, so that a hand can compute what the link takes.
const MACHINE: &str = "
title: A card at a root port
parts:
  host: { kind: host, mps: 256, read_latency: 400 ns, slots: { pcie: gen3 x8 }, skp: no, dllps: no }
  card: { kind: dma-card, ports: { pcie: gen3 x8 }, mps: 256, aligned: yes, overlap: yes, skp: no, dllps: no, bars: 1 MiB }
links: [host.pcie - card.pcie]
settings: { mrrs: 512, mps: 256 }
experiments:
  write: { operation: dma-write, command: 64 B, volume: 4 MiB, max_commands: 4000, flows: [card -> host], axes: { size: [64] } }
  read: { operation: dma-read, command: 64 B, volume: 4 MiB, max_commands: 4000, flows: [host -> card], axes: { size: [64] } }
  both:
    command: 64 B
    volume: 4 MiB
    max_commands: 4000
    axes: { size: [64] }
    flows: [{ flow: card -> host, operation: dma-write }, { flow: host -> card, operation: dma-read }]
";

/// Bytes a nanosecond of the link.
const LINK: f64 = 8.0 * 128.0 / 130.0;
/// Bytes around the payload of a TLP with 4 DW (a write), and with 3 DW (a completion).
const WRITE: f64 = 24.0;
const ANSWER: f64 = 20.0;

/// The scenario with `size`, and settings.
fn scenario(experiment: &str, size: u64, settings: &[&str]) -> Scenario {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    for setting in settings {
        let (path, value) = setting.split_once('=').unwrap();
        let path = path.replace("here.", &format!("experiments.{experiment}."));
        description.set(&format!("{path}={value}")).unwrap();
    }
    let experiment = description.experiment(experiment).unwrap();
    description.scenario(experiment, &Point::default().with("size", &size.to_string())).unwrap()
}

/// The simulated time of a command of the first flow in ns, which is at the limit or above its time.
fn each(experiment: &str, size: u64, settings: &[&str]) -> f64 {
    let scenario = scenario(experiment, size, settings);
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!(ran <= 1.004 * limit, "{settings:?}: {ran} above {limit}");
    size as f64 / ran * 1e9
}

/// Checks a time to 1 %.
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found} ns, by hand {by_hand} ns");
}

#[test]
fn does_a_command_touch_the_lines_where_it_lies() {
    is(each("write", 256, &[]), (256.0 + WRITE) / LINK);
    // Places of 320 bytes, from an offset of 4 bytes on: each command crosses one multiple of 256.
    let at = |offset: u64| each("write", 256, &[&format!("here.offset={offset}"), "here.window=64 KiB"]);
    is(at(4), (256.0 + 2.0 * WRITE) / LINK);
    is(at(0), (256.0 + WRITE) / LINK);
    // Reads of 64 bytes that cross a line are answered in two completions, where the link decides.
    let read = |offset: u64| each("read", 64, &["card.read_requests=256", &format!("here.offset={offset}")]);
    is(read(0), (64.0 + ANSWER) / LINK);
    is(read(16), (64.0 + 2.0 * ANSWER) / LINK);
}

#[test]
fn does_an_engine_take_its_time_for_commands_and_quanta() {
    let settings = ["card.write_command_time=20 ns", "card.write_quantum=128 B", "card.write_quantum_time=30 ns"];
    is(each("write", 128, &settings), 50.0);
    is(each("write", 132, &settings), 80.0);
    is(each("write", 128, &[]), (128.0 + WRITE) / LINK);
}

#[test]
fn does_an_engine_take_its_time_for_reads() {
    let with = |size, setting: &str| each("read", size, &["card.read_requests=256", setting]);
    is(with(64, "card.read_command_time=40 ns"), 40.0);
    is(with(1024, "card.read_request_time=200 ns"), 400.0);
    is(with(63, "card.read_odd_time=40 ns"), 40.0);
    is(with(64, "card.read_odd_time=40 ns"), (64.0 + ANSWER) / LINK);
}

#[test]
fn do_bytes_stay_free_after_a_tlp() {
    is(each("write", 64, &["card.tlp_gap=32 B"]), (64.0 + WRITE + 32.0) / LINK);
    is(each("write", 64, &["card.tlp_gap=0 B"]), (64.0 + WRITE) / LINK);
}

#[test]
fn do_bytes_stay_free_only_after_a_block_or_a_command() {
    // Four TLPs of 256 bytes in commands of 1 KiB, which lie one after another.
    let of =
        |gaps: f64, settings: &[&str]| is(each("write", 1024, settings), (1024.0 + 4.0 * WRITE + gaps * 64.0) / LINK);
    of(4.0, &["card.tlp_gap=64 B"]);
    of(2.0, &["card.tlp_gap=64 B", "card.gap_block=512 B"]);
    of(1.0, &["card.tlp_gap=64 B", "card.gap_block=4 KiB"]);
    is(each("write", 64, &["card.tlp_gap=64 B", "card.gap_block=512 B"]), (64.0 + WRITE + 64.0) / LINK);
}

#[test]
fn do_commands_of_two_flows_start_in_turn() {
    let slow = ["card.write_command_time=100 ns", "card.read_requests=256"];
    is(each("both", 64, &slow), 100.0);
    let of = |settings: &[&str]| {
        let outcome = sim::run(&scenario("both", 64, settings), &dma::options()).unwrap();
        [0, 1].map(|flow: usize| 64.0 / outcome.flows[flow].stream.unwrap().0 * 1e9)
    };
    let apart = of(&slow);
    assert!(apart[1] < 0.5 * apart[0], "the reading flow goes ahead: {apart:?}");
    let turns = of(&[&slow[..], &["card.in_turn=yes"]].concat());
    is(turns[0], 100.0);
    is(turns[1], 100.0);
}

#[test]
fn is_a_line_found_in_the_cache_or_missed() {
    let one = |more: &[&str]| {
        each("read", 64, &[&["card.read_requests=1", "here.window=1 MiB", "host.miss_latency=1 us"], more].concat())
    };
    let hit = one(&[]);
    is(one(&["host.warm=no"]), hit + 1000.0);
    is(one(&["host.cache=1 MiB"]), hit);
    is(one(&["host.cache=512 KiB"]), hit + 1000.0);
    let half = one(&["host.cache=512 KiB", "here.pattern=random"]);
    assert!((half - hit - 500.0).abs() < 30.0, "half of the lines: {half} ns, all of them {hit} ns");
}

#[test]
fn does_a_miss_delay_no_other_request() {
    let of = |more: &[&str]| {
        let common = ["card.read_requests=16", "here.window=1 MiB", "here.pattern=random", "host.miss_latency=1 us"];
        each("read", 64, &[&common, more].concat())
    };
    let (hit, half) = (of(&[]), of(&["host.cache=512 KiB"]));
    let more = (half - hit) * 16.0;
    assert!((450.0..550.0).contains(&more), "each tag waits for its own lines only: {more} ns a round");
}

#[test]
fn is_a_request_split_that_begins_or_ends_inside_a_line() {
    let one = |size, offset: u64, split: &str| {
        let split = format!("host.split_latency={split}");
        each("read", size, &["card.read_requests=1", &format!("here.offset={offset}"), &split])
    };
    is(one(64, 16, "300 ns"), one(64, 16, "0 ns") + 300.0);
    is(one(16, 0, "300 ns"), one(16, 0, "0 ns"));
    is(one(128, 0, "300 ns"), one(128, 0, "0 ns"));
}

#[test]
fn are_completions_of_long_requests_combined() {
    let read = |size, more: &[&str]| each("read", size, &[&["card.read_requests=64"], more].concat());
    is(read(512, &[]), (512.0 + 8.0 * ANSWER) / LINK);
    is(read(512, &["host.combine_from=512 B"]), (512.0 + 2.0 * ANSWER) / LINK);
    is(read(512, &["host.combine_from=512 B", "host.combined_bytes=128"]), (512.0 + 4.0 * ANSWER) / LINK);
    is(read(256, &["host.combine_from=512 B"]), (256.0 + 4.0 * ANSWER) / LINK);
}

#[test]
fn does_an_ack_for_several_requests_take_the_link_once() {
    // A request of 128 bytes is answered by two completions. The host's ACKs for requests go the same way.
    let with = |habits: &[&str]| each("read", 128, &[&["card.read_requests=256"], habits].concat());
    is(with(&[]), (128.0 + 2.0 * ANSWER) / LINK);
    is(with(&["host.dllps=yes"]), (128.0 + 2.0 * ANSWER + 8.0) / LINK);
    is(with(&["host.dllps=yes", "host.tlps_per_ack=2"]), (128.0 + 2.0 * ANSWER + 8.0 / 2.0) / LINK);
    is(with(&["host.dllps=yes", "host.tlps_per_ack=5"]), (128.0 + 2.0 * ANSWER + 8.0 / 5.0) / LINK);
}

#[test]
fn does_the_link_wait_for_a_slow_core_and_not_for_tags() {
    let slow = scenario("read", 64, &["card.read_requests=256", "card.core_clock=250 MHz", "card.core_width=16 B"]);
    let is_core = |budget: &Budget| {
        assert!(budget.0[Share::Idle(Wait::Core).index()] > 0.2, "{budget:?}");
        assert!(budget.0[Share::Idle(Wait::Tags).index()] < 0.02, "{budget:?}");
    };
    is_core(&sim::run(&slow, &dma::options()).unwrap().flows[0].budget);
    is_core(&limit(&slow).together[0].budget);
}
