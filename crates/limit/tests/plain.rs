//! For one card that reads or writes, the limit is above the simulation and near it, at any speed and with any number
//! of requests.
#![allow(clippy::unwrap_used)] // a panic is a failure

mod common;
use common::*;
use system::Operation;
use system::field::Count;
use system::kinds::card::TagBits;
use system::kinds::{CardParams, HostParams, PortParams};

/// The limit and the simulation of a card with `tags`, in MiB/s.
fn rates(link: &str, (mps, mrrs): (u64, u64), completion: u64, tags: u64, operation: Operation) -> (f64, f64) {
    let habits = PortParams { mps: PayloadSize::new(mps).unwrap(), ..PortParams::default() };
    let host = HostParams { completion_bytes: Count(completion), ..HostParams::default() };
    let card = CardParams {
        read_requests: Count(tags),
        tag_bits: TagBits::Ten,
        read_request: PayloadSize::new(mrrs).unwrap(),
        ..CardParams::default()
    };
    let mut builder = Builder::new(host, habits.clone());
    let card = builder.card(HOST, link, card, habits);
    let scenario = scenario(&builder.system, vec![flow(operation, card, HOST, 8 << 20, 1)]);
    let simulated = sim::run(&scenario, &dma::options()).unwrap();
    let limit = lanescope_limit::limit(&scenario).alone[0].stream.as_mib_per_s();
    (limit, simulated.flows[0].stream.unwrap().as_mib_per_s())
}

#[test]
fn is_the_limit_of_a_plain_card_above_what_it_gets_and_near_it() {
    let mut apart = Vec::new();
    let mut count = 0;
    for link in ["gen1 x1", "gen1 x4", "gen1 x16", "gen2 x8", "gen3 x4", "gen3 x16", "gen4 x4", "gen5 x8"] {
        for (mps, mrrs) in [(128, 512), (256, 512), (512, 4096)] {
            for (tags, completion) in [(32, 64), (32, mps), (256, 64), (256, mps)] {
                let (limit, sim) = rates(link, (mps, mrrs), completion, tags, Operation::DmaRead);
                count += 1;
                let off = 100.0 * (limit / sim - 1.0);
                if !(-0.4..3.0).contains(&off) {
                    apart.push(format!("{link} {mps}/{mrrs} {tags} tags, completions of {completion}: {off:+.2} %"));
                }
            }
            let (limit, sim) = rates(link, (mps, mrrs), 64, 32, Operation::DmaWrite);
            count += 1;
            let off = 100.0 * (limit / sim - 1.0);
            if !(-0.4..0.5).contains(&off) {
                apart.push(format!("{link} {mps} written: {off:+.2} %"));
            }
        }
    }
    assert!(apart.is_empty(), "{} of {count}: {apart:#?}", apart.len());
}
