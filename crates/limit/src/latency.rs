//! Latency with nothing in the way: one way for writes, there and back for reads.

use crate::path::{Hop, flight_fs};
use crate::plan::Plan;
use crate::sink::Sink;
use crate::stage::{Stage, send_through};
use system::kinds::CardParams;

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// From the engine's decision (the CPU's store) to the engine (or memory) that has the first TLP of a command; of
/// a read, from the decision to its last byte.
pub fn latency_fs(plan: &Plan<'_>) -> f64 {
    if plan.reads() {
        // The CPU decides when it is done with the load before.
        let cpu = if plan.flow.operation.is_pio() { fs(plan.host.pio_read_cost) } else { 0.0 };
        return round_trip_fs(plan) - cpu;
    }
    let bytes = plan.cut.sizes.first().map_or(0, |&(size, _)| size);
    let there = flight_fs(&plan.data, &plan.data_tlp(bytes));
    let (before, behind) = match (plan.flow.operation.is_pio(), &plan.target_card) {
        (true, _) => (0.0, fs(plan.card.rx_latency)),
        (_, Some(card)) => (fs(plan.card.tx_latency), beyond_last_symbol(plan, card, bytes) + fs(card.rx_latency)),
        (_, None) => (fs(plan.card.tx_latency), plan.memory_fs(0, bytes)),
    };
    before + there + behind
}

/// What a core takes for a TLP after its last symbol: it begins with the first.
fn beyond_last_symbol(plan: &Plan<'_>, card: &CardParams, bytes: u64) -> f64 {
    let streamed = plan.data.last().map_or(0.0, |hop| hop.tlp_time(&plan.data_tlp(bytes)));
    (fs(card.core_time(bytes)) - streamed).max(0.0)
}

/// From the decision for a request of the usual size to the time when all of its data is known.
pub fn round_trip_fs(plan: &Plan<'_>) -> f64 {
    let (tx, rx) = match plan.flow.operation.is_pio() {
        true => (fs(plan.host.pio_read_cost), 0.0),
        false => (fs(plan.card.tx_latency), fs(plan.card.rx_latency)),
    };
    let there = tx + flight_fs(&plan.requests, &plan.request) + plan.completer.latency_fs;
    there + answer_fs(plan).unwrap_or(0.0) + rx
}

/// From the time that a request's data is there to the time when the core has the last of it.
fn answer_fs(plan: &Plan<'_>) -> Option<f64> {
    let bytes = plan.cut.sizes.first()?.0;
    let quiet = |hop: &Hop| Stage::new(&Hop { refreshed_pools: 0, ..hop.clone() }, false);
    let mut stages: Vec<Stage> = plan.data.iter().map(quiet).collect();
    let mut sink = if plan.flow.operation.is_pio() { Sink::Register } else { Sink::core(&plan.card) };
    let mut taken = 0.0;
    for bytes in plan.completions(0, bytes) {
        let tlp = plan.data_tlp(bytes);
        let passage = send_through(&mut stages, 0.0, &tlp)?;
        taken = sink.take((passage.begun, passage.arrived), plan, (0, 0), &tlp);
        stages.last_mut()?.freed(taken, &tlp);
    }
    Some(taken)
}
