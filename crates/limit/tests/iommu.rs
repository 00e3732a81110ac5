//! An IOMMU at a host, on and off, against closed forms computed by hand, beside the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point};

/// A card of one x8 link, without DLLPs and SKPs, so that a hand can compute what the link takes. Commands lie at random
/// places of a window of 64 MiB: 16,384 pages, of which the IOTLB holds 64.
const MACHINE: &str = "
title: A card at a root port with an IOMMU
parts:
  host: { kind: host, mps: 256, read_latency: 400 ns, slots: { pcie: gen3 x8 }, skp: no, dllps: no }
  card: { kind: dma-card, ports: { pcie: gen3 x8 }, mps: 256, aligned: yes, overlap: yes, skp: no, dllps: no, bars: 1 MiB }
links: [host.pcie - card.pcie]
settings: { mrrs: 512, mps: 256 }
experiments:
  write: { operation: dma-write, command: 64 B, volume: 4 MiB, max_commands: 20000, window: 64 MiB, pattern: random, flows: [card -> host] }
  read: { operation: dma-read, command: 64 B, volume: 4 MiB, max_commands: 20000, window: 64 MiB, pattern: random, flows: [host -> card] }
  software: { operation: dma-write, drive: software, command: 4 KiB, volume: 4 MiB, flows: [card -> host] }
";

/// Bytes a nanosecond of the link.
const LINK: f64 = 8.0 * 128.0 / 130.0;
/// Bytes around the payload of a TLP with 4 DW (a write), and with 3 DW (a completion).
const WRITE: f64 = 24.0;
const ANSWER: f64 = 20.0;
/// The share of commands whose page is not in the IOTLB.
const MISSED: f64 = 1.0 - 64.0 / 16384.0;

/// The simulated time of 64 bytes in ns, and the least by the limit, which is no more than 0.4 % above it.
fn times(experiment: &str, settings: &[&str]) -> (f64, f64) {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    for setting in settings {
        description.set(&setting.replace("here.", &format!("experiments.{experiment}."))).unwrap();
    }
    let scenario = description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!(ran <= 1.004 * limit, "{settings:?}: {ran} above {limit}");
    (64.0 / ran * 1e9, 64.0 / limit * 1e9)
}

/// The simulated time of a command of 64 bytes in ns.
fn each(experiment: &str, settings: &[&str]) -> f64 {
    times(experiment, settings).0
}

/// Checks a time to 1 %.
#[track_caller]
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found} ns, by hand {by_hand} ns");
}

const ON: [&str; 2] = ["host.iommu=yes", "card.read_requests=256"];

fn on(experiment: &str, settings: &[&str]) -> f64 {
    each(experiment, &[&ON[..], settings].concat())
}

#[test]
fn do_walks_begin_one_after_another() {
    is(on("read", &["host.walk_gap=50 ns"]), MISSED * 50.0);
    is(on("write", &["host.walk_gap=50 ns"]), MISSED * 50.0);
    is(on("read", &["host.walk_gap=0 ns"]), (64.0 + ANSWER) / LINK);
    is(on("write", &["host.walk_gap=0 ns"]), (64.0 + WRITE) / LINK);
    let off = ["host.walk_gap=50 ns", "card.read_requests=256"];
    is(each("read", &off), (64.0 + ANSWER) / LINK);
    is(each("write", &off), (64.0 + WRITE) / LINK);
}

#[test]
fn does_a_read_wait_for_its_walk_and_for_no_other() {
    let one = |settings: &[&str]| each("read", &[&["card.read_requests=1"], settings].concat());
    let found = one(&[]);
    is(one(&["host.iommu=yes", "host.walk_latency=1 us"]), found + MISSED * 1000.0);
    // A quarter of the pages is in the IOTLB.
    let quarter = ["host.iommu=yes", "host.walk_latency=1 us", "here.window=1 MiB"];
    is(one(&quarter), found + 750.0);
    let many = each("read", &[&["card.read_requests=16"], &quarter[..]].concat());
    // Some find a page for which a walk is on its way, and wait for the rest of it.
    let more = many * 16.0 / (found + 750.0);
    assert!((1.0..1.03).contains(&more), "{many} ns, by hand {} ns or 3 % more", (found + 750.0) / 16.0);
}

#[test]
fn does_a_write_wait_for_those_before_it() {
    let one =
        |settings: &[&str]| each("write", &[&["host.posted_headers=1", "host.update_fc=each"], settings].concat());
    let found = one(&[]);
    is(one(&["host.iommu=yes", "host.walk_latency=1 us"]), found + MISSED * 1000.0);
    // With room for eight, all of them wait while one does: a walk for each round in which any page is missed.
    let eight = ["host.posted_headers=8", "host.iommu=yes", "host.walk_latency=1 us", "here.window=1 MiB"];
    let (alone, least) = times("write", &[&eight[..], &["host.update_fc=each"]].concat());
    assert!(alone > 750.0 / 8.0, "{alone} ns: the eight do not wait in parallel");
    // The limit counts what each waits for its own walk.
    assert!(
        least > 750.0 / 8.0 && least < 1.1 * (found + 750.0) / 8.0 && least < 1.004 * alone,
        "{least} ns, {alone} ns"
    );
}

#[test]
fn is_what_the_iotlb_reaches_walked_once() {
    for experiment in ["read", "write"] {
        let off = each(experiment, &["card.read_requests=256"]);
        is(on(experiment, &["here.window=256 KiB", "host.walk_gap=50 ns"]), off);
        is(on(experiment, &["host.iotlb_entries=16384", "here.window=1 MiB", "host.walk_gap=50 ns"]), off);
        is(on(experiment, &["host.iommu_page=2 MiB", "host.walk_gap=50 ns"]), off);
        // Nor do superpages push one another out of sets: all of 8 and of 32 stay.
        for window in ["here.window=16 MiB", "here.window=64 MiB"] {
            let sets = ["host.iommu_page=2 MiB", "host.iotlb_ways=1", "host.walk_gap=50 ns", window];
            is(on(experiment, &sets), off);
        }
    }
}

#[test]
fn is_a_page_walked_once_where_commands_lie_one_after_another() {
    // 64 commands of 64 bytes to a page.
    let page = ["here.pattern=sequential", "host.walk_gap=2 us"];
    is(on("read", &page), 2000.0 / 64.0);
    is(on("write", &page), 2000.0 / 64.0);
}

#[test]
fn are_only_pages_walked_that_commands_touch() {
    for experiment in ["read", "write"] {
        let gap = "host.walk_gap=50 ns";
        let off = each(experiment, &["card.read_requests=256"]);
        // 64 places, each in a page of its own, are in the IOTLB; their window has 1024 pages.
        is(on(experiment, &["here.window=4 MiB", "here.stride=64 KiB", gap]), off);
        is(on(experiment, &["here.window=4 MiB", "here.stride=64 KiB", "here.pattern=sequential", gap]), off);
        // Half of 128 places is.
        is(on(experiment, &["here.window=1 MiB", "here.stride=8 KiB", gap]), 25.0);
        // One walk for each of them, where they are used in turn.
        is(on(experiment, &["here.window=1 MiB", "here.stride=8 KiB", "here.pattern=sequential", gap]), 50.0);
    }
}

#[test]
fn is_each_page_of_a_long_command_walked() {
    let long = ["here.command=16 KiB", "here.pattern=sequential", "here.volume=64 MiB", "host.walk_gap=2 us"];
    for experiment in ["read", "write"] {
        let (ran, least) = times(experiment, &[&ON[..], &long].concat());
        is(ran, 2000.0 / 64.0);
        is(least, 2000.0 / 64.0);
    }
}

#[test]
fn does_a_card_wait_for_walks_of_its_writes_only_where_credits_end() {
    let rate = |settings: &[&str]| {
        let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
        for setting in [&["host.iommu=yes", "host.walk_gap=50 ns"], settings].concat() {
            description.set(setting).unwrap();
        }
        let scenario = description.scenario(description.experiment("write").unwrap(), &Point::default()).unwrap();
        let (outcome, limits) = (sim::run(&scenario, &dma::options()).unwrap(), limit(&scenario));
        let (ran, most) = (outcome.flows[0].app.0, limits.together[0].app.0);
        assert!(ran <= 1.004 * most, "{settings:?}: {ran} above {most}");
        64.0 / ran * 1e9
    };
    is(rate(&[]), (64.0 + WRITE) / LINK);
    is(rate(&["host.posted_headers=64", "host.update_fc=each"]), MISSED * 50.0);
}

#[test]
fn does_software_pay_for_each_invalidation_or_for_every_eighth() {
    // `each` counts for 64 bytes; a command has 4 KiB.
    let command = |settings: &[&str]| 64.0 * each("software", settings);
    let on = ["host.iommu=yes", "host.walk_latency=0 ns", "host.invalidation_cost=3 us"];
    let found = command(&on[..2]);
    is(command(&on), found + 3000.0);
    is(command(&[&on[..], &["host.invalidation_commands=8"]].concat()), found + 3000.0 / 8.0);
    is(command(&["host.iommu=no", on[2]]), found);
}

#[test]
fn what_do_sets_of_one_page_miss() {
    // 1024 pages in 64 sets, which all hold one; 128 pages, of which exp(-2) of the sets hold none.
    let sets = ["host.iotlb_ways=1", "host.walk_gap=50 ns"];
    is(on("write", &[&sets[..], &["here.window=4 MiB"]].concat()), 50.0 * (1.0 - 64.0 / 1024.0));
    let found = on("write", &[&sets[..], &["here.window=512 KiB"]].concat());
    let by_hand = 50.0 * (1.0 - 64.0 * (1.0 - (-2.0_f64).exp()) / 128.0);
    // The sets that hold none differ with the hash: by two standard deviations.
    let deviation = 50.0 / 128.0 * (64.0 * (-2.0_f64).exp() * (1.0 - (-2.0_f64).exp())).sqrt();
    assert!((found - by_hand).abs() < 2.0 * deviation, "{found} ns, by hand {by_hand} ns within {deviation}");
    let any = on("write", &["here.window=512 KiB", sets[1]]);
    assert!((any - 25.0).abs() < 0.5, "{any} ns where any page may be in any entry");
}

#[test]
fn what_do_the_lines_of_a_read_take_of_the_walks() {
    let long = ["here.command=256 B", "host.walk_gap=50 ns"];
    let each = |experiment: &str, more: &[&str]| 4.0 * on(experiment, &[&long[..], more].concat());
    is(each("read", &[]), MISSED * 50.0);
    is(each("read", &["host.line_lookup=5 ns"]), MISSED * 50.0 + 4.0 * 5.0);
    is(each("write", &["host.line_lookup=5 ns"]), MISSED * 50.0);
    // What is in the IOTLB waits for no walk.
    let off = 4.0 * self::each("read", &["card.read_requests=256", "here.command=256 B"]);
    is(each("read", &["host.line_lookup=5 ns", "here.window=256 KiB"]), off);
}

#[test]
fn how_many_walks_run_at_once() {
    for experiment in ["read", "write"] {
        let walk = "host.walk_latency=400 ns";
        is(on(experiment, &[walk, "host.walkers=4"]), MISSED * 100.0);
        is(on(experiment, &[walk, "host.walkers=8"]), MISSED * 50.0);
        is(on(experiment, &[walk, "host.walkers=8", "host.walk_gap=70 ns"]), MISSED * 70.0);
    }
    is(on("write", &["host.walk_latency=40 ns", "host.walkers=8"]), (64.0 + WRITE) / LINK);
}

#[test]
fn what_does_a_walk_wait_for_its_page_table() {
    // 64 MiB have 32 tables of 512 pages.
    let tables = ["host.walkers=4", "host.walk_latency=400 ns", "host.table_latency=200 ns"];
    let with = |cache: &'static str| on("read", &[&tables[..], &[cache]].concat());
    is(with("host.walk_cache=32"), MISSED * 100.0);
    is(with("host.walk_cache=8"), MISSED * (100.0 + 0.75 * 50.0));
    is(with("host.walk_cache=infinite"), MISSED * 100.0);
}

#[test]
fn which_pages_are_walked_again_after_an_invalidation() {
    // Commands of 256 bytes in one page, which stays in the IOTLB until software invalidates it.
    let page = ["here.command=256 B", "here.window=4 KiB", "host.iommu=yes", "host.walk_latency=2 us"];
    let command = |settings: &[&str]| 4.0 * each("software", &[&page[..], settings].concat());
    let found = command(&[]);
    let cost = "host.invalidation_cost=3 us";
    is(command(&[cost]), found + 3000.0 + 2000.0);
    is(command(&[cost, "host.invalidation_commands=8"]), found + (3000.0 + 2000.0) / 8.0);
}
