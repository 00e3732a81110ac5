//! Latency with nothing in the way: one way for writes, there and back for reads.

use crate::burst::Burst;
use crate::path::flight_fs;
use crate::plan::Plan;
use pcie::Time;
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
    let (before, after) = match (plan.flow.operation.is_pio(), &plan.target_card) {
        (true, _) => (0.0, fs(plan.card.rx_latency)),
        (_, Some(card)) => (fs(plan.card.tx_latency), after_last_symbol(plan, card, bytes) + fs(card.rx_latency)),
        (_, None) => (fs(plan.card.tx_latency), plan.memory_fs(0, bytes)),
    };
    before + there + after
}

/// What a core takes for a TLP after its last symbol: it begins with the first.
fn after_last_symbol(plan: &Plan<'_>, card: &CardParams, bytes: u64) -> f64 {
    let streamed = plan.data.last().map_or(0.0, |hop| hop.tlp_time(&plan.data_tlp(bytes)));
    (fs(card.core_time(bytes)) - streamed).max(0.0)
}

/// From the decision for a request of the usual size to the time when its first completion is known, and to that when all of
/// its data is.
pub fn round_trip(plan: &Plan<'_>) -> (f64, f64) {
    trip(plan, 0.0, None)
}

/// From the decision for a request of the usual size to the time when all of its data is known.
pub fn round_trip_fs(plan: &Plan<'_>) -> f64 {
    round_trip(plan).1
}

/// Trips of which the mean is taken, after the first.
const TRIPS: usize = 32;

/// What the starts of packets on multiples of some bytes, and the DLLPs before them, add to a round trip, where one begins
/// `between_fs` after the end of the one before: the mean over some of them, each of which finds the wire where the one before
/// left it.
pub fn start_gaps_fs(plan: &Plan<'_>, between_fs: f64) -> f64 {
    let pio = plan.flow.operation.is_pio();
    let (tx, rx) =
        if pio { (plan.host.pio_read_cost, Time::ZERO) } else { (plan.card.tx_latency, plan.card.rx_latency) };
    // From the last completion to the next request, and from the request to its data, DLLPs for what has come may still leave.
    let request = plan.data.last().map_or(0.0, |hop| hop.dllps_at_once(between_fs + fs(tx) + fs(rx)));
    let answer = plan.requests.last().map_or(0.0, |hop| hop.dllps_at_once(plan.completer.latency_fs));
    let next = |time: f64| trip(plan, time + between_fs + request, Some(answer)).1;
    let first = next(0.0);
    let last = (0..TRIPS).fold(first, |time, _| next(time));
    (last - first) / TRIPS as f64 - between_fs - round_trip_fs(plan)
}

/// A request of the usual size that is decided at `time`: when its first completion and when all of its data is known. Packets
/// start at any time; or where what its data waits for DLLPs is given, on the bytes on which they may.
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
    for bytes in plan.completions(0, bytes) {
        let (first, last) = burst.send(there, &plan.data_tlp(bytes));
        let core = if pio { 0.0 } else { fs(plan.card.core_time(bytes)) };
        taken = (f64::max(taken, first) + core).max(last);
        begun = begun.or(Some(taken));
    }
    (begun.unwrap_or(taken) + rx, taken + rx)
}
