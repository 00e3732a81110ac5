//! Rows of reads: tags and completion space of the requester, the read gap of the completer, credits for requests,
//! loads of a CPU.

use super::subject::{Subject, dllp_back_fs, fs};
use crate::burst::Starts;
use crate::latency::{round_trip, start_gaps_fs};
use crate::path::flight_fs;
use crate::place::Place;
use crate::plan::Plan;
use crate::resource::NeedTarget;
use crate::steady::is_steady;
use crate::table::{Ahead, Row, Table};
use pcie::Class;
use system::Cause;
use system::cause::Pool;

/// Adds the rows of reads. `data` has the rows of the path of the data.
pub fn add(table: &mut Table, of: &Subject<'_, '_>, data: &Table) {
    let (plan, request) = (of.plan, of.piece);
    let requests = plan.in_flight as f64;
    // The first completion arrives without delay by other completions; the others arrive at the rate that the path of
    // the data allows.
    let (first, all) = round_trip(plan);
    let first = first + shorter_fs(plan);
    // Those of commands at places of their own may be unlike: the rest comes after the one that is first.
    let is_placed = plan.flow.pattern.is_some() || plan.queued.is_some();
    let ahead = plan
        .cut
        .sizes
        .first()
        .filter(|_| is_placed)
        .and_then(|&(size, _)| first_of(plan, size))
        .map(|bytes| bytes as f64);
    let rest = (request - ahead.unwrap_or(of.payload)).max(0.0);
    let streamed = first + data.span(rest, usize::MAX).0;
    // The first load of a call comes `pio_call_cost` after the last load of the call before.
    let loads = if plan.flow.operation.is_pio() { plan.cut.count().max(1.0) } else { f64::INFINITY };
    let gaps_of = |starts: Starts| {
        let of_first = if loads.is_finite() { start_gaps_fs(plan, fs(plan.host.pio_call_cost), starts) } else { 0.0 };
        start_gaps_fs(plan, 0.0, starts) * (1.0 - 1.0 / loads) + of_first / loads
    };
    let one = plan.in_flight == 1;
    let among = if one { gaps_of(Starts::AmongOthers) } else { 0.0 };
    let gaps = if one && is_steady(plan) { among.max(gaps_of(Starts::OnGrid)) } else { among };
    let (longest, payload) = (plan.cut.sizes.first().map_or(0.0, |&(size, _)| size as f64), of.payload);
    let part = if longest > payload { (request - payload).max(0.0) / (longest - payload) } else { 1.0 };
    let round = streamed.max(first + part * (all - first)) + gaps;
    let returns = data.fs_per_byte().max(plan.completer.gap_fs / request);
    if plan.flow.operation.is_pio() {
        // One call of a CPU after another: its time once, then its loads. The place of the last one makes `rounds` of them one
        // after another, where they are alike; the first ones of a call arrive one behind the other.
        let (call, at_once) = (fs(plan.host.pio_call_cost), requests.min(loads));
        let alike = plan.cut.sizes.len() == 1 && (loads - loads.round()).abs() < 1e-9;
        let (rounds, before) = match alike {
            true => ((loads / at_once).ceil(), (loads - 1.0) % at_once),
            false => (loads / at_once, 0.0),
        };
        let bytes = loads * request;
        let alone = rounds * round + before * request * data.fs_per_byte();
        let held = at_once * request;
        let row = Row::of_loop(held, (call + alone) * held / bytes, Place::Host, Cause::Loads(plan.in_flight));
        let among = row.fs_per_byte() - rounds * gaps / bytes;
        table.add(Row { answered: true, ..row }.among_others(among));
    } else {
        let row = Row::of_loop(requests * request, round, Place::Card, Cause::Requests(plan.in_flight));
        // Behind a TLP of another flow, a request may start at once.
        let among = row.fs_per_byte() - gaps / (requests * request);
        table.add(Row { returns, answered: true, ..row }.among_others(among));
    }
    if let Some(buffer) = plan.buffer {
        // A request is sent when the buffer has room for all of its data. `whole` requests fit at once. For the next
        // one, the first of them must be complete as far as room is needed.
        let whole = (buffer as f64 / request).floor().max(1.0);
        let part = (1.0 - (buffer as f64 / request - whole).max(0.0)).clamp(0.0, 1.0);
        let round = first + part * (round - first);
        let row = Row::of_loop(whole * request, round, Place::Card, Cause::CompletionSpace);
        table.add(Row { returns, answered: true, ..row });
    }
    // Requests have left the card while they wait for credits further along.
    let mut ahead = Ahead::default();
    for (i, hop) in plan.requests.iter().enumerate() {
        let bytes = hop.credits.header.map_or(f64::INFINITY, |headers| headers as f64 * request);
        let there = hop.tlp_time(&plan.request) + hop.wire.propagation_fs;
        let held = match (hop.crossing, plan.requests.get(i + 1)) {
            (Some(crossing), Some(next)) => crossing.latency_fs + next.tlp_time(&plan.request),
            _ => plan.completer.latency_fs,
        };
        let place = Place::Way(plan.data.len() + i);
        let cause = Cause::Credits(Class::NonPosted, Pool::Header);
        let round = there + held + dllp_back_fs(hop);
        table.add(Row::of_loop(bytes, round, place, cause).after(0, ahead));
        ahead = ahead.and(Ahead { bytes, round_fs: round });
    }
}

/// The first completion of a request of `size` bytes.
fn first_of(plan: &Plan<'_>, size: u64) -> Option<u64> {
    plan.completions(plan.usual_offset(size), size).next()
}

/// What the round trip of a request is on average less than that of the largest: the first completions of others are shorter.
fn shorter_fs(plan: &Plan<'_>) -> f64 {
    let flight = |&(size, _): &(u64, f64)| {
        let of_first = |bytes| plan.giving_core_fs(bytes) + flight_fs(&plan.data, &plan.data_tlp(bytes));
        first_of(plan, size).map_or(0.0, of_first)
    };
    let Some(largest) = plan.cut.sizes.first().map(flight) else { return 0.0 };
    let less: f64 = plan.cut.sizes.iter().map(|size| size.1 * (flight(size) - largest).min(0.0)).sum();
    less / plan.cut.count().max(1e-12)
}

/// Adds the read gap: the time from the data of one request to that of the next. Requests wait for it at the completer,
/// so it does not delay their departure.
pub fn add_gap(table: &mut Table, of: &Subject<'_, '_>) {
    let gap = of.plan.completer.gap_fs / of.piece;
    table.add(Row::server(gap, Place::Host, Cause::ReadGap).shared(of.need(NeedTarget::Reads, 0, gap)));
}
