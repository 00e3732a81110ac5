//! The rate of a card that starts a command while the one before is on its path has no step as its command latency
//! grows.
#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use system::Operation;
use system::kinds::{CardParams, HostParams};

/// Rates of short commands that the card starts itself: simulation and limit, in MiB/s.
fn rates(operation: Operation, command: u64, latency: Time) -> (f64, f64) {
    let card = CardParams {
        overlap: true,
        command_latency: latency,
        tx_latency: Time::from_ns(100),
        rx_latency: Time::from_ns(80),
        read_requests: system::field::Count(8),
        read_request: PayloadSize::new(512).unwrap(),
        ..CardParams::default()
    };
    let mut builder = Builder::new(HostParams::default(), Default::default());
    let card = builder.card(HOST, "gen3 x4", card, Default::default());
    let scenario = scenario(&builder.system, vec![flow(operation, card, HOST, command, (1 << 20) / command)]);
    let simulated = sim::run(&scenario, &dma::options()).unwrap();
    let limit = lanescope_limit::limit(&scenario);
    (mib(simulated.flows[0].stream), mib(limit.alone[0].stream))
}

fn mib(rate: impl Into<Option<pcie::Rate>>) -> f64 {
    rate.into().unwrap().as_mib_per_s()
}

const BOTH: [Operation; 2] = [Operation::DmaWrite, Operation::DmaRead];

#[test]
fn does_a_command_latency_of_a_picosecond_change_next_to_nothing() {
    for operation in BOTH {
        let (none, picosecond) = (rates(operation, 1024, Time::ZERO), rates(operation, 1024, Time::from_ps(1)));
        assert!((none.0 / picosecond.0 - 1.0).abs() < 1e-3, "{operation:?} simulated: {} and {}", none.0, picosecond.0);
        assert!((none.1 / picosecond.1 - 1.0).abs() < 1e-3, "{operation:?} limit: {} and {}", none.1, picosecond.1);
    }
}

#[test]
fn does_the_rate_fall_without_a_step_as_the_command_latency_grows() {
    for operation in BOTH {
        let at = |ns: u64| rates(operation, 1024, Time::from_ns(ns)).0;
        let all: Vec<f64> = (0..=40).map(|step| at(step * 25)).collect();
        for (step, pair) in all.windows(2).enumerate() {
            let (before, after) = (pair[0], pair[1]);
            // 25 ns more for each 1024 bytes cost at most this, and never increase the rate.
            let most = 25e-9 * before * before * 1048576.0 / 1024.0;
            let fell = before - after;
            assert!((-0.01 * before..=1.1 * most + 0.01 * before).contains(&fell), "{operation:?} {step}: {all:?}");
        }
        assert!(all[40] < 0.6 * all[0], "{operation:?}: a microsecond for each KiB counts: {all:?}");
    }
}

#[test]
fn does_the_limit_follow_an_engine_that_begins_early() {
    for operation in BOTH {
        for command in [512, 1024, 4096, 16384] {
            for ns in [1, 40, 150, 400, 1500, 6000] {
                let (simulated, limit) = rates(operation, command, Time::from_ns(ns));
                let off = limit / simulated - 1.0;
                // Where a command has as many requests as there are tags, its last request waits for all data of the
                // command before. The loop of commands is then about as long as the loop of tags. The limit counts only
                // the longer of the two.
                assert!((-0.005..0.12).contains(&off), "{operation:?} {command} B, {ns} ns: {simulated} and {limit}");
            }
        }
    }
}
