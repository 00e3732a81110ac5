//! What must hold whatever the figures are: every byte arrives once and as it was sent, the budget adds up, a run
//! can be repeated, and nothing gets stuck.

mod common;
use lanescope_sim::run;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const EXPERIMENTS: [&str; 12] = [
    "write",
    "writes",
    "read",
    "reads",
    "peers",
    "peer-read",
    "once",
    "commands",
    "both-commands",
    "stores",
    "short-stores",
    "loads",
];

const FIGURES: [&str; 46] = [
    "host.ports.pcie=gen1 x1",
    "host.ports.pcie=gen3 x16",
    "switch.ports.up=gen3 x2",
    "switch.ports.down=gen1 x4",
    "switch.ports.down=gen3 x12",
    "card.ports.pcie=gen3 x8",
    "host.posted_headers=1",
    "host.posted_data=32",
    "switch.posted_headers=2",
    "switch.posted_data=33",
    "switch.nonposted_headers=1",
    "switch.completion_headers=1",
    "switch.completion_data=32",
    "card.posted_headers=1",
    "card.completion_headers=2",
    "card.replay_buffer=1 KiB",
    "switch.replay_buffer=1 KiB",
    "card.tlps_per_ack=7",
    "switch.tlps_per_ack=3",
    "card.update_fc=each",
    "switch.update_fc=each",
    "card.start_alignment=8 B",
    "switch.start_alignment=lane 0",
    "switch.forwarding=store-and-forward",
    "host.serve_reads=in-turn",
    "host.completion_bytes=128",
    "host.rcb=128",
    "host.read_latency=2 us",
    "host.read_gap=300 ns",
    "host.partial_line_service=50 ns",
    "host.page_service=200 ns",
    "host.port_cap=150 MB/s",
    "switch.lane_cap=90 MB/s",
    "host.notice=interrupt",
    "host.pio_buffers=1",
    "host.pio_gap=7 ns",
    "card.payload=36",
    "card.read_request=128 B",
    "card.read_requests=1",
    "card.completion_buffer=256 B",
    "card.fifo=64 B",
    "card.core_clock=33 MHz",
    "card.descriptor_wait=100 ns",
    "card.descriptors=ring",
    "card.ring_ahead=1",
    "links.1.propagation=333 ns",
];

#[test]
fn does_every_byte_arrive_once_and_does_the_budget_add_up() {
    let points = (prop::sample::select(&EXPERIMENTS[..]), prop::sample::subsequence(&FIGURES[..], 0..8));
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 150, failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let holds = runner.run(&points, |(experiment, figures)| {
        let mut scenario = common::scenario(experiment, &figures);
        scenario.integrity = true;
        for flow in &mut scenario.flows {
            flow.volume.0 = flow.volume.0.min(64 << 10).max(flow.command.0);
        }
        let outcome = run(&scenario, &dma::options()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        for (flow, done) in scenario.flows.iter().zip(&outcome.flows) {
            let integrity = done.integrity.unwrap_or_default();
            prop_assert_eq!(done.bytes, flow.volume.0);
            prop_assert_eq!((integrity.compared, integrity.wrong), (flow.volume.0, 0));
            prop_assert!((done.budget.sum() - 1.0).abs() < 1e-9, "{}", done.budget.sum());
            prop_assert!(done.budget.0.iter().all(|share| *share >= 0.0), "{:?}", done.budget);
        }
        prop_assert_eq!(run(&scenario, &dma::options()).ok(), Some(outcome));
        Ok(())
    });
    holds.unwrap_or_else(|e| panic!("{e}"));
}
