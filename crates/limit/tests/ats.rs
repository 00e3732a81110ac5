//! Address Translation Services, on and off, against closed forms computed by hand, beside the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point};

/// A card of one x8 link, without DLLPs and SKPs, so that a hand can compute what the link takes. Commands of 4 KiB lie one
/// after another, so that each has a page of its own.
const MACHINE: &str = "
title: A card with an Address Translation Cache at a root port with an IOMMU
parts:
  host: { kind: host, mps: 256, completion_bytes: 256, read_latency: 400 ns, slots: { pcie: gen3 x8 }, skp: no, dllps: no, iommu: yes,
          iotlb_entries: 1, walk_latency: 1900 ns, translation_latency: 100 ns }
  card: { kind: dma-card, ports: { pcie: gen3 x8 }, mps: 256, aligned: yes, overlap: yes, skp: no, dllps: no, bars: 1 MiB,
          ats: yes, read_requests: 256, tx_latency: 30 ns, rx_latency: 20 ns }
links: [host.pcie - card.pcie]
settings: { mrrs: 512, mps: 256 }
experiments:
  write: { operation: dma-write, command: 4 KiB, volume: 16 MiB, flows: [card -> host] }
  read: { operation: dma-read, command: 4 KiB, volume: 16 MiB, flows: [host -> card] }
  software: { operation: dma-write, drive: software, command: 256 B, volume: 256 KiB, window: 4 KiB, flows: [card -> host] }
";

/// Bytes a nanosecond of the link.
const LINK: f64 = 8.0 * 128.0 / 130.0;
/// Bytes around the payload of a TLP with 4 DW (a request), and with 3 DW (a completion).
const WRITE: f64 = 24.0;
const ANSWER: f64 = 20.0;
/// From asking for a translation to having it, ns: the card's latencies, the two TLPs, `translation_latency` and the walk.
const ROUND: f64 = 30.0 + WRITE / LINK + 100.0 + 1900.0 + (ANSWER + 8.0) / LINK + 20.0;

/// The simulated time of a command in ns, which is within 1 % of the least by the limit.
fn each(experiment: &str, settings: &[&str]) -> f64 {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    for setting in settings {
        description.set(&setting.replace("here.", &format!("experiments.{experiment}."))).unwrap();
    }
    let scenario = description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap();
    let bytes = scenario.flows[0].command.0 as f64;
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!(ran <= 1.004 * limit && ran > 0.98 * limit, "{experiment} {settings:?}: {ran}, limit {limit}");
    bytes / ran * 1e9
}

/// Checks a time to 1 %.
#[track_caller]
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found} ns, by hand {by_hand} ns");
}

#[test]
fn does_each_page_wait_for_its_translation() {
    is(each("write", &[]), ROUND);
    is(each("read", &[]), ROUND);
    is(each("write", &["host.walk_latency=1700 ns"]), ROUND - 200.0);
}

#[test]
fn do_translations_that_are_asked_for_ahead_hide_the_round_trip() {
    is(each("write", &["card.translation_requests=2"]), ROUND / 2.0);
    is(each("read", &["card.translation_requests=2"]), ROUND / 2.0);
    // A page takes the link longer than a quarter of the round trip.
    is(each("write", &["card.translation_requests=4"]), 16.0 * (256.0 + WRITE) / LINK);
}

#[test]
fn is_what_the_cache_of_the_card_holds_asked_for_once() {
    let on_link = 16.0 * (256.0 + WRITE) / LINK;
    is(each("write", &["here.window=64 KiB", "card.atc_entries=16"]), on_link);
    is(each("write", &["here.window=64 KiB", "card.atc_entries=15"]), ROUND);
    is(each("write", &["here.window=64 KiB", "card.atc_entries=15", "host.iommu_page=2 MiB"]), on_link);
}

#[test]
fn does_a_card_without_it_leave_the_walks_to_the_host() {
    // Posted writes wait for their walks, and so do no others: the link is full.
    is(each("write", &["card.ats=no"]), 16.0 * (256.0 + WRITE) / LINK);
    is(
        each(
            "read",
            &["card.ats=no", "card.read_requests=1", "here.command=256 B", "here.stride=4 KiB", "here.window=16 MiB"],
        ),
        each(
            "read",
            &[
                "card.ats=no",
                "host.iommu=no",
                "card.read_requests=1",
                "here.command=256 B",
                "here.stride=4 KiB",
                "here.window=16 MiB",
            ],
        ) + 1900.0,
    );
}

#[test]
fn does_the_card_forget_what_software_invalidates() {
    let strict = ["host.invalidation_cost=3 us", "card.translation_requests=1"];
    let found = each("software", &[]);
    is(each("software", &strict), found + 3000.0 + ROUND);
    is(each("software", &["card.ats=no", strict[0]]), found + 3000.0 + 1900.0);
}
