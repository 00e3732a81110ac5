//! Latency without other traffic: one way for writes, the round trip for reads.

use crate::burst::{Burst, Starts};
use crate::path::{Hop, flight_fs};
use crate::plan::Plan;
use system::kinds::CardParams;

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// The latency of a flow. For a write, from the engine's decision (or the CPU's store) to the time when the engine (or
/// memory) has the first TLP of a command. For a read, from the decision to the last byte of the request's data.
pub fn latency_fs(plan: &Plan<'_>) -> f64 {
    if plan.reads() {
        // The CPU decides when the load before is complete.
        let cpu = if plan.flow.operation.is_pio() { fs(plan.host.pio_read_cost) } else { 0.0 };
        return round_trip_fs(plan) - cpu;
    }
    let bytes = plan.cut.sizes.first().map_or(0, |&(size, _)| size);
    let there = flight_fs(&plan.data, &plan.data_tlp(bytes));
    let (before, after) = match (plan.flow.operation.is_pio(), &plan.target_card) {
        (true, _) => (fs(plan.host.core_latency), fs(plan.card.rx_latency)),
        (_, Some(card)) => (fs(plan.card.tx_latency), after_last_symbol(plan, card, bytes) + fs(card.rx_latency)),
        (_, None) => (fs(plan.card.tx_latency), plan.way_fs + plan.memory_fs(0, bytes)),
    };
    before + there + after
}

/// The time that a core needs for a TLP after its last symbol. The core starts at the first symbol.
fn after_last_symbol(plan: &Plan<'_>, card: &CardParams, bytes: u64) -> f64 {
    let streamed = plan.data.last().map_or(0.0, |hop| hop.tlp_time(&plan.data_tlp(bytes)));
    (fs(card.core_time(bytes)) - streamed).max(0.0)
}

/// The round trip of a request of the usual size. Returns the time from the decision until its first completion is
/// processed, and until all of its data is.
pub fn round_trip(plan: &Plan<'_>) -> (f64, f64) {
    trip(plan, 0.0, &[], Starts::Anywhere)
}

/// The time from the decision for a request of the usual size until all of its data is processed.
pub fn round_trip_fs(plan: &Plan<'_>) -> f64 {
    round_trip(plan).1
}

/// Number of round trips, after the first, over which the mean is taken.
const TRIPS: usize = 32;

/// The time that DLLPs and the places where packets may start add to a round trip. Each round trip begins `between_fs`
/// after the end of the one before. The value is the mean of several round trips, each of which continues at the wire
/// position where the one before ended.
pub fn start_gaps_fs(plan: &Plan<'_>, between_fs: f64, starts: Starts) -> f64 {
    let next = |ended: f64| {
        let before: Vec<f64> = dllps_of_answer(plan, ended).collect();
        trip(plan, ended + between_fs, &before, starts).1
    };
    let first = next(0.0);
    let last = (0..TRIPS).fold(first, |time, _| next(time));
    (last - first) / TRIPS as f64 - between_fs - round_trip_fs(plan)
}

/// When the DLLPs are due for data that has been processed by `ended`: they may still be sent between the last completion and
/// the next request.
pub fn dllps_of_answer(plan: &Plan<'_>, ended: f64) -> impl Iterator<Item = f64> {
    let rx = if plan.flow.operation.is_pio() { fs(plan.host.core_latency) } else { fs(plan.card.rx_latency) };
    dllps_at_once(plan.data.last(), ended - rx, ended - rx)
}

/// When the DLLPs are due for a TLP that came by `hop` and whose credits were freed.
fn dllps_at_once(hop: Option<&Hop>, came: f64, freed: f64) -> impl Iterator<Item = f64> {
    let acks = hop.filter(|hop| hop.acks_at_once()).map(|_| came);
    acks.into_iter().chain(hop.filter(|hop| hop.updates_at_once()).map(|_| freed))
}

/// The round trip of a request of the usual size that is decided at `decided`: the times when its first completion and all
/// of its data are processed. `before` are the times when DLLPs are due on the way of the request. With
/// [`Starts::Anywhere`], data waits for none.
pub fn trip(plan: &Plan<'_>, decided: f64, before: &[f64], starts: Starts) -> (f64, f64) {
    let pio = plan.flow.operation.is_pio();
    let (tx, rx) = match pio {
        true => (fs(plan.host.pio_read_cost) + fs(plan.host.core_latency), fs(plan.host.core_latency)),
        false => (fs(plan.card.tx_latency), fs(plan.card.rx_latency)),
    };
    let (mut asks, mut answers) = (Burst::new(&plan.requests, starts), Burst::new(&plan.data, starts));
    before.iter().for_each(|&due| asks.send_dllp(due));
    let (_, asked) = asks.send(decided + tx, &plan.request);
    let there = asked + plan.completer.latency_fs;
    // The credits of a request are freed when its data is ready.
    if starts != Starts::Anywhere {
        dllps_at_once(plan.requests.last(), asked, there).for_each(|due| answers.send_dllp(due));
    }
    let bytes = plan.cut.sizes.first().map_or(0, |&(size, _)| size);
    let (mut begun, mut taken, mut passed) = (None, there, there);
    for bytes in plan.completions(plan.usual_offset(bytes), bytes) {
        passed += plan.giving_core_fs(bytes);
        let (first, last) = answers.send(passed + plan.completer.out_fs, &plan.data_tlp(bytes));
        let core = if pio { 0.0 } else { fs(plan.card.core_time(bytes)) };
        taken = (f64::max(taken, first) + core).max(last);
        begun = begun.or(Some(taken));
    }
    (begun.unwrap_or(taken) + rx, taken + rx)
}
