//! Cards that read and write each other through a root complex, which sends requests on as they came, divided, or not at
//! all; and through a switch. Each against a closed form computed by hand, beside the limit.

#![allow(clippy::unwrap_used)]

use lanescope_limit::limit;
use system::{Description, Error, Point, Scenario};

/// Two cards at root ports and one pair below a switch, without DLLPs and SKPs, so that a hand can compute what the links
/// take.
const MACHINE: &str = "
title: Cards at root ports and below a switch
parts:
  host: { kind: host, mps: 256, slots: { 'pcie[3]': gen3 x8 }, skp: no, dllps: no }
  card: { kind: dma-card, count: 2, ports: { pcie: gen3 x8 }, mps: 256, target_completion_bytes: 256, read_requests: 256, skp: no, dllps: no, bars: 1 MiB }
  switch: { kind: switch, ports: { up: gen3 x8, 'down[2]': gen3 x8 }, mps: 256, skp: no, dllps: no }
  below: { kind: dma-card, count: 2, ports: { pcie: gen3 x8 }, mps: 256, skp: no, dllps: no, bars: 1 MiB }
links: ['host.pcie[i] - card[i].pcie', 'host.pcie[2] - switch.up', 'switch.down[i] - below[i].pcie']
settings: { mrrs: 512, mps: 256, bars: below 4 GiB }
experiments:
  write: { operation: p2p-write, drive: card, command: 1 MiB, volume: 1 MiB, integrity: yes, flows: ['card[0] -> card[1]'] }
  read: { operation: p2p-read, drive: card, command: 1 MiB, volume: 1 MiB, integrity: yes, flows: ['card[1] -> card[0]'] }
  near: { operation: p2p-write, drive: card, command: 1 MiB, volume: 1 MiB, flows: ['below[0] -> below[1]'] }
";

/// MB/s of the link.
const LINK: f64 = 8000.0 * 128.0 / 130.0;
/// Bytes around the payload of a TLP with a header of 3 DW.
const AROUND: f64 = 20.0;

fn scenario(experiment: &str, settings: &[&str]) -> Result<Scenario, Error> {
    let mut description = Description::from_text("peers.yaml", MACHINE).unwrap();
    settings.iter().try_for_each(|setting| description.set(setting))?;
    description.scenario(description.experiment(experiment).unwrap(), &Point::default())
}

/// The simulated rate in MB/s, which is not above the limit and 1 % below it at most.
fn rate(experiment: &str, settings: &[&str]) -> f64 {
    let scenario = scenario(experiment, settings).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (ran, limit) = (outcome.flows[0].stream.unwrap().0, limit(&scenario).together[0].stream.0);
    assert!(ran <= 1.004 * limit && ran > 0.99 * limit, "{experiment}, {settings:?}: {ran} of {limit}");
    if scenario.integrity {
        assert_eq!(outcome.flows[0].integrity.unwrap().wrong, 0, "{experiment}, {settings:?}");
    }
    ran / 1e6
}

/// Checks a rate to 1 %: TLPs of `payload` bytes on a full link.
#[track_caller]
fn fills(found: f64, payload: f64) {
    let by_hand = LINK * payload / (payload + AROUND);
    assert!((found / by_hand - 1.0).abs() < 0.01, "{found} MB/s, by hand {by_hand}");
}

#[test]
fn are_requests_divided_on_their_way_through_a_root_complex() {
    fills(rate("write", &[]), 256.0);
    fills(rate("write", &["host.p2p_bytes=64 B"]), 64.0);
    fills(rate("write", &["host.p2p_bytes=128 B"]), 128.0);
    fills(rate("read", &[]), 256.0);
    fills(rate("read", &["host.p2p_bytes=64 B"]), 64.0);
    fills(rate("read", &["host.p2p_bytes=128 B"]), 128.0);
}

#[test]
fn do_requests_below_a_switch_stay_as_they_are() {
    let off = rate("near", &[]);
    assert_eq!(rate("near", &["host.p2p_bytes=64 B"]).to_bits(), off.to_bits());
    assert_eq!(rate("near", &["host.p2p=no"]).to_bits(), off.to_bits());
}

/// A card with room for two TLPs waits until all parts of one have left the root complex.
#[test]
fn are_credits_free_when_the_last_part_has_left() {
    let few = ["host.posted_data=32", "host.p2p_latency=1 us"];
    let whole = rate("write", &few);
    let divided = rate("write", &[&few[..], &["host.p2p_bytes=64 B"]].concat());
    // Two TLPs a round. Divided, the last symbol of one leaves 3 headers later.
    let round = 2.0 * 256.0 / whole * 1e3;
    let by_hand = 2.0 * 256.0 / (round + 3.0 * AROUND / LINK * 1e3) * 1e3;
    assert!((divided / by_hand - 1.0).abs() < 0.01, "{divided} MB/s, by hand {by_hand}, whole {whole}");
}

#[test]
fn is_a_flow_refused_that_a_root_complex_does_not_send_on() {
    for experiment in ["write", "read"] {
        let error = scenario(experiment, &["host.p2p=no"]).unwrap_err().to_string();
        assert!(error.contains("`host.p2p: no`"), "{error}");
    }
    let error = scenario("write", &["host.p2p_bytes=100 B"]).unwrap_err();
    assert!(format!("{error:?}").contains("power of two"), "{error:?}");
}
