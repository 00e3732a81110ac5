//! How fast the simulation is: TLP-hops a second on the eight-card rig with every mechanism on, beside a bare loop
//! over the standard library's heap timed in the same run. `make bench` prints both.

use lanescope_sim::{Outcome, run};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::Instant;
use system::description::Description;
use system::experiment::Point;

/// Events that the bare loop handles.
const BARE_EVENTS: u64 = 20_000_000;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rig = Vec::new();
    let mut bare = Vec::new();
    let (mut pending, mut events_per_hop) = (0, 0.0);
    for _ in 0..ROUNDS {
        let (seconds, outcome) = rig_run()?;
        pending = outcome.most_pending;
        events_per_hop = outcome.events as f64 / outcome.tlp_hops as f64;
        rig.push(outcome.tlp_hops as f64 / seconds);
        bare.push(bare_events_rate(pending as u64) / events_per_hop);
    }
    let best = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    let median = |rates: &mut Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let (rig_best, bare_best) = (best(&rig), best(&bare));
    println!(
        "eight cards to the host, 128-byte TLPs, every mechanism on: {:.2} M TLP-hops/s (median {:.2})",
        rig_best * 1e-6,
        median(&mut rig) * 1e-6
    );
    println!(
        "bare BinaryHeap<(u64, u32)>, {events_per_hop:.2} events a hop as above, {pending} pending: {:.2} M hops/s (median {:.2})",
        bare_best * 1e-6,
        median(&mut bare) * 1e-6
    );
    println!("ratio {:.3}", rig_best / bare_best);
    Ok(())
}

/// Seconds that the rig took, and what it did.
fn rig_run() -> Result<(f64, Outcome), Box<dyn std::error::Error>> {
    let description = Description::bundled("rosta-rb8v7")?;
    let experiment = description.experiment("host-write-many")?;
    let point = Point::parse("devices=8").ok_or("a point is axis=value pairs")?;
    let scenario = description.scenario(experiment, &point)?;
    let started = Instant::now();
    let outcome = run(&scenario, &dma::options())?;
    Ok((started.elapsed().as_secs_f64(), outcome))
}

/// Events a second, with as many pending as the rig has.
fn bare_events_rate(pending: u64) -> f64 {
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = (0..pending).map(|n| Reverse((n * 7919, n as u32))).collect();
    let started = Instant::now();
    let mut random = 1u64;
    for _ in 0..BARE_EVENTS {
        let Some(Reverse((time, what))) = heap.pop() else { break };
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        heap.push(Reverse((time + 1 + (random >> 44), what)));
    }
    black_box(&heap);
    BARE_EVENTS as f64 / started.elapsed().as_secs_f64()
}
