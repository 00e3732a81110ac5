//! Sockets and I/O hubs: each mechanism on and off, against a closed form computed by hand, beside the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Point, Scenario};

/// Two cards at two root ports, without DLLPs and SKPs, so that a hand can compute what the links take.
const MACHINE: &str = "
title: Two cards at two root ports
parts:
  host:
    kind: host
    mps: 256
    read_latency: 400 ns
    slots: { a: gen3 x8, b: gen3 x8 }
    skp: no
    dllps: no
  card:
    kind: dma-card
    count: 2
    ports: { pcie: gen3 x8 }
    mps: 256
    aligned: yes
    overlap: yes
    skp: no
    dllps: no
    bars: 1 MiB
links: [\"host.a - card[0].pcie\", \"host.b - card[1].pcie\"]
settings: { mrrs: 512, mps: 256 }
experiments:
  write: { operation: dma-write, command: 256 B, volume: 1 MiB, flows: [\"card[0] -> host\"] }
  writes: { operation: dma-write, command: 256 B, volume: 1 MiB, flows: [\"card[0] -> host\", \"card[1] -> host\"] }
  read: { operation: dma-read, timed: commands, command: 64 B, volume: 32 KiB, flows: [\"host -> card[0]\"] }
  reads: { operation: dma-read, command: 256 B, volume: 1 MiB, flows: [\"host -> card[0]\"], set: { card.read_requests: 256 } }
  write-read: { operation: dma-read, timed: write-read, command: 64 B, volume: 32 KiB, flows: [\"host -> card[0]\"] }
  p2p: { operation: p2p-write, command: 256 B, volume: 1 MiB, flows: [\"card[0] -> card[1]\"] }
";

/// Bytes a nanosecond of a link.
const LINK: f64 = 8.0 * 128.0 / 130.0;

fn scenario(experiment: &str, settings: &[&str]) -> Scenario {
    let mut description = Description::from_text("two.yaml", MACHINE).unwrap();
    for setting in settings {
        description.set(&setting.replace("here.", &format!("experiments.{experiment}."))).unwrap();
    }
    description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap()
}

/// The simulated latency of the first flow in ns, and its rate in bytes a ns; neither is better than the limit's.
fn both(experiment: &str, settings: &[&str]) -> (f64, f64) {
    let scenario = scenario(experiment, settings);
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limits) = (&outcome.flows[0], limit(&scenario));
    let (rate, most) = (ran.stream.unwrap().0, limits.alone[0].stream.0);
    assert!(rate <= 1.004 * most, "{settings:?}: {rate} above {most}");
    let (latency, least) = (ran.latency.min.as_fs() as f64, limits.alone[0].latency.as_fs() as f64);
    assert!(least <= 1.004 * latency, "{settings:?}: {latency} fs, and {least} fs by the limit");
    (latency / 1e6, rate / 1e9)
}

fn latency(experiment: &str, settings: &[&str]) -> f64 {
    both(experiment, settings).0
}

/// Checks a value to 1 %.
fn is(found: f64, by_hand: f64) {
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found}, by hand {by_hand}");
}

/// A read of one line, from its decision on; and a write of 256 bytes.
const READ: f64 = 24.0 / LINK + 400.0 + 84.0 / LINK;
const WRITE: f64 = 280.0 / LINK;
/// The same to a BAR below 4 GiB.
const PEER: f64 = 276.0 / LINK;

#[test]
fn what_does_memory_at_the_other_socket_take() {
    let far = ["host.socket_latency=100 ns", "host.memory_socket=1"];
    is(latency("read", &[]), READ);
    is(latency("read", &["host.socket_latency=100 ns"]), READ);
    is(latency("read", &far), READ + 200.0);
    is(latency("write", &far), WRITE + 100.0);
    // The other root port belongs to the other socket.
    is(latency("read", &[&far[..], &["host.a.socket=1"]].concat()), READ);
}

#[test]
fn does_the_cache_of_the_other_socket_count() {
    let far = ["host.socket_latency=100 ns", "host.memory_socket=1", "host.miss_latency=300 ns"];
    is(latency("read", &far), READ + 200.0);
    is(latency("read", &[&far[..], &["host.far_cache=no"]].concat()), READ + 500.0);
    is(latency("read", &["host.miss_latency=300 ns", "host.far_cache=no"]), READ);
}

#[test]
fn is_what_a_card_has_just_written_at_its_own_socket() {
    let far = ["host.socket_latency=100 ns", "host.memory_socket=1", "host.far_cache=no", "host.miss_latency=300 ns"];
    let near = latency("write-read", &[]);
    is(near, READ + 88.0 / LINK);
    is(latency("write-read", &far), near);
    // Sequential places of a window that the ways do not hold.
    let spilled = ["here.window=64 KiB", "host.direct_io=32 KiB"];
    is(latency("write-read", &[&far[..], &spilled].concat()), near + 500.0);
    is(latency("write-read", &spilled), near);
}

#[test]
fn what_does_the_link_between_the_sockets_pass() {
    let rate = |experiment, more: &[&str]| both(experiment, &[&["host.socket_rate=2 GB/s"], more].concat()).1;
    is(rate("write", &[]), 256.0 / WRITE);
    is(rate("write", &["host.memory_socket=1"]), 2.0);
    is(rate("reads", &["host.memory_socket=1"]), 2.0);
    is(rate("p2p", &["host.b.socket=1"]), 2.0);
    is(rate("p2p", &[]), 256.0 / PEER);
    // Two cards share it; one at the socket of the memory does not pass it.
    let sum = |more: &[&str]| {
        let scenario = scenario("writes", &[&["host.socket_rate=2 GB/s", "host.memory_socket=1"], more].concat());
        let outcome = sim::run(&scenario, &dma::options()).unwrap();
        let (ran, limits) = (outcome.flows.iter().map(|flow| flow.stream.unwrap().0).sum::<f64>(), limit(&scenario));
        assert!(ran <= 1.004 * limits.sum().0, "{ran} above {}", limits.sum().0);
        ran / 1e9
    };
    is(sum(&[]), 2.0);
    is(sum(&["host.b.socket=1"]), 2.0 + 256.0 / WRITE);
}

#[test]
fn what_does_a_peer_at_the_other_socket_take() {
    let near = latency("p2p", &["host.p2p_latency=300 ns"]);
    is(near, 2.0 * PEER + 300.0);
    let far = ["host.p2p_latency=300 ns", "host.socket_latency=100 ns", "host.b.socket=1"];
    is(latency("p2p", &far), near + 100.0);
}

#[test]
fn what_does_an_io_hub_take() {
    let hub = ["host.hub_latency=60 ns", "host.a.hub=yes"];
    is(latency("read", &hub), READ + 120.0);
    is(latency("write", &hub), WRITE + 60.0);
    is(latency("read", &["host.hub_latency=60 ns", "host.b.hub=yes"]), READ);
    is(latency("write-read", &hub), READ + 88.0 / LINK + 120.0);
    let rate = |experiment, more: &[&str]| both(experiment, &[&["host.hub_rate=2 GB/s"], more].concat()).1;
    is(rate("write", &["host.a.hub=yes"]), 2.0);
    is(rate("reads", &["host.a.hub=yes"]), 2.0);
    is(rate("write", &["host.b.hub=yes"]), 256.0 / WRITE);
    is(rate("p2p", &["host.b.hub=yes"]), 2.0);
}

/// The latency in ns and the rate in bytes a ns of the published host with two sockets.
fn published(experiment: &str, point: &str) -> (f64, f64) {
    let description = Description::bundled("nfp-t620v2").unwrap();
    let experiment = description.experiment(experiment).unwrap();
    let scenario = description.scenario(experiment, &Point::parse(point).unwrap()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let flow = &outcome.flows[0];
    (flow.latency.median.as_fs() as f64 / 1e6, flow.stream.unwrap().0 / 1e9)
}

#[test]
fn is_far_memory_of_the_published_host_as_far_as_published() {
    let of = |experiment, size, memory| {
        published(experiment, &format!("size={size};window=8192;pattern=random;cache=warm;memory={memory};iommu=off"))
    };
    let within = |found: f64, published: f64, part: f64| {
        assert!((found / published - 1.0).abs() < part, "{found}, published {published}");
    };
    let longer = |experiment, size| of(experiment, size, "near").1 / of(experiment, size, "far").1;
    let later = |experiment, size| of(experiment, size, "far").0 - of(experiment, size, "near").0;
    within(longer("dma-read", 64), 1.27, 0.06);
    within(later("latency-read", 64), 107.0, 0.06);
    within(longer("dma-read", 512), 1.0, 0.02);
    within(longer("dma-write", 64), 1.0, 0.02);
    within(longer("dma-write", 512), 1.0, 0.02);
    assert!(later("latency-write-read", 64).abs() < 0.02 * of("latency-write-read", 64, "near").0);
}
