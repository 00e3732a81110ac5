//! Latency without other traffic: one way for writes, the round trip for reads.

use crate::burst::Burst;
use crate::path::flight_fs;
use crate::plan::Plan;
use pcie::Time;
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
        (true, _) => (0.0, fs(plan.card.rx_latency)),
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
    trip(plan, 0.0, None)
}

/// The time from the decision for a request of the usual size until all of its data is processed.
pub fn round_trip_fs(plan: &Plan<'_>) -> f64 {
    round_trip(plan).1
}

/// Number of round trips, after the first, over which the mean is taken.
const TRIPS: usize = 32;

/// The time that start alignment and DLLPs add to a round trip. Each round trip begins `between_fs` after the end of
/// the one before. The value is the mean of several round trips, each of which continues at the wire position where the
/// one before ended.
pub fn start_gaps_fs(plan: &Plan<'_>, between_fs: f64) -> f64 {
    let pio = plan.flow.operation.is_pio();
    let (tx, rx) =
        if pio { (plan.host.pio_read_cost, Time::ZERO) } else { (plan.card.tx_latency, plan.card.rx_latency) };
    // DLLPs for received TLPs may still be sent between the last completion and the next request, and between the
    // request and its data.
    let since = between_fs + fs(tx) + fs(rx);
    let request = plan.data.last().map_or(0.0, |hop| hop.dllps_at_once(since, since));
    // The credits of a request are freed when its data is ready.
    let answer = plan.requests.last().map_or(0.0, |hop| hop.dllps_at_once(plan.completer.latency_fs, 0.0));
    let next = |time: f64| trip(plan, time + between_fs + request, Some(answer)).1;
    let first = next(0.0);
    let last = (0..TRIPS).fold(first, |time, _| next(time));
    (last - first) / TRIPS as f64 - between_fs - round_trip_fs(plan)
}

/// The round trip of a request of the usual size that is decided at `time`: the times when its first completion and all
/// of its data are processed. With `after_dllps`, its data waits this time for DLLPs and packets start only where the
/// start alignment allows; with `None`, packets start at any time.
fn trip(plan: &Plan<'_>, time: f64, after_dllps: Option<f64>) -> (f64, f64) {
    let on_grid = after_dllps.is_some();
    let pio = plan.flow.operation.is_pio();
    let (tx, rx) = match pio {
        true => (fs(plan.host.pio_read_cost), 0.0),
        false => (fs(plan.card.tx_latency), fs(plan.card.rx_latency)),
    };
    let (_, asked) = Burst::new(&plan.requests, on_grid).send(time + tx, &plan.request);
    let there = asked + plan.completer.latency_fs + after_dllps.unwrap_or(0.0);
    let bytes = plan.cut.sizes.first().map_or(0, |&(size, _)| size);
    let mut burst = Burst::new(&plan.data, on_grid);
    let (mut begun, mut taken) = (None, there);
    for bytes in plan.completions(plan.usual_offset(bytes), bytes) {
        let (first, last) = burst.send(there, &plan.data_tlp(bytes));
        let core = if pio { 0.0 } else { fs(plan.card.core_time(bytes)) };
        taken = (f64::max(taken, first) + core).max(last);
        begun = begun.or(Some(taken));
    }
    (begun.unwrap_or(taken) + rx, taken + rx)
}
