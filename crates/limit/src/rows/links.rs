//! Rows of links and their ports: each direction of the path, caps, credits, replay buffers.

use super::subject::{Subject, dllp_back_fs, fs};
use crate::load::{Group, Load, dllps_after, refreshes};
use crate::path::Hop;
use crate::place::Place;
use crate::resource::{Need, NeedTarget, Via};
use crate::table::{Ahead, Row, Table};
use pcie::Class;
use pcie::credit::data_credits;
use std::collections::VecDeque;
use std::ops::Range;
use system::Cause;
use system::cause::Pool;
use system::graph::Direction;

/// Adds the rows of `directions`, counted from the first that carries payload.
pub fn add(table: &mut Table, of: &Subject<'_, '_>, directions: Range<usize>) {
    let plan = of.plan;
    let carry = of.loads.iter().filter(|load| !load.data.is_empty());
    let slowest = carry.map(|load| load.full_fs(0.0)).fold(0.0, f64::max);
    let mut through =
        of.loads.get(directions.start).map_or_else(Vec::new, |load| load.first_sources(plan, directions.start));
    for i in directions {
        let (load, ahead) = (&of.loads[i], before(of, i));
        let then = |via: Option<Via>| through.iter().copied().chain(via).collect();
        let need = |target, stage, fs_per_byte, via| Need { target, stage, load: i, fs_per_byte, through: then(via) };
        let arrives = Via::ingress(i, load.tlps(), load.hop.credits.is_infinite());
        let row = wire(of, i, slowest).after(i, ahead);
        table.add(row.shared(need(NeedTarget::Wire(i), 3 * i + 1, load.full_fs(0.0), None)));
        if let Some(hop) = plan.data.get(i) {
            let behind = cap_behind(load, hop);
            let caps = [
                (cap_before(of, load, hop), Place::Before(i), NeedTarget::CapBefore(i), 3 * i, i, None),
                ((behind, behind), Place::Behind(i), NeedTarget::CapBehind(i), 3 * i + 2, i + 1, Some(arrives)),
            ];
            for ((fs_per_byte, among), place, target, stage, hops, via) in caps {
                let cause = Cause::Port(Some(pcie::Rate(1e15 / fs_per_byte)));
                let row = Row::server(fs_per_byte, place, cause).after(hops, before(of, hops)).among_others(among);
                table.add(row.shared(need(target, stage, fs_per_byte, via)));
            }
            credits(table, of, i, ahead);
            replay(table, of, i, ahead);
        }
        through.push(arrives);
    }
}

/// The buffers before hop `i` of a write. For a read there are none: its end is at the end of its path.
pub fn before(of: &Subject<'_, '_>, i: usize) -> Ahead {
    let before = if of.plan.reads() { 0 } else { i };
    (0..before).map(|hop| buffered(of, hop)).fold(Ahead::default(), Ahead::and)
}

/// The receive buffer at the far end of hop `i`.
pub fn buffered(of: &Subject<'_, '_>, i: usize) -> Ahead {
    let hop = &of.plan.data[i];
    let bytes = credit_bytes(of, i).into_iter().map(|(bytes, _)| bytes).fold(f64::INFINITY, f64::min);
    Ahead { bytes, round_fs: freed_fs(of, i) + dllp_back_fs(hop) }
}

/// The row of a full direction. `slowest` is the time for a byte on the slowest direction that carries payload.
fn wire(of: &Subject<'_, '_>, i: usize, slowest: f64) -> Row {
    let load = &of.loads[i];
    // Requests that all leave before their data comes cause DLLPs while the link is idle.
    let plan = of.plan;
    let ahead = (plan.in_flight as f64 * of.piece / plan.cut.bytes as f64).min(1.0);
    let idle = if plan.reads() && plan.commands > 1 { ahead } else { 0.0 };
    let with = |beside: f64| {
        let once = load.full_fs(beside * dllps_after(load, of.loads, slowest.max(load.full_fs(0.0))));
        if load.pauses.is_some() { 0.0 } else { beside * dllps_after(load, of.loads, once.max(slowest)) }
    };
    // The requests of one command leave while the data of others comes.
    let in_turn = plan.queued.is_none() || plan.flow.work.in_flight() == 1;
    let least = with(1.0 - idle);
    let dllps = if in_turn { least } else { with(1.0) };
    let full = load.full_fs(dllps);
    let (speed, asks) = (load.wire.speed, load.data.is_empty());
    let cause = if asks { Cause::ReadRequests(speed) } else { Cause::Transmit(speed) };
    let row = Row::server(full, Place::Way(i), cause);
    let row = if in_turn { row } else { row.at_least(load.full_fs(least)) };
    let wait = row.wait.filter(|_| asks || full < slowest);
    Row { dllps, wait, ..row }
}

/// Payload that the credits of hop `i` allow, for each pool.
fn credit_bytes(of: &Subject<'_, '_>, i: usize) -> Vec<(f64, Pool)> {
    let credits = &of.plan.data[i].credits;
    let payload = 1.0 / of.loads[i].data_tlps();
    let headers = credits.header.map(|count| (count as f64 * payload, Pool::Header));
    let data = credits.data.map(|count| (of.held(count.into(), data_credits), Pool::Data));
    [headers, data].into_iter().flatten().collect()
}

/// Time for each byte under the cap before a hop: a TLP starts on a byte on which it may, that much after the one before,
/// which a SKP may have delayed. Alone, and among other flows, whose packets may end wherever that lets a TLP start sooner.
///
/// Where the cap takes longer than the TLP, the link is idle before the next one, which then starts in lane 0. It does not
/// behind a DLLP, or a TLP without payload, that ends in the same symbol time. Then this TLP, and the one after it, may be
/// sooner by the difference of the two grids at most: TLPs with such a packet before them, and the first without, which is in
/// lane 0 again, take their slots on the finer grid at least.
fn cap_before(of: &Subject<'_, '_>, load: &Load, hop: &Hop) -> (f64, f64) {
    let wire = &hop.wire;
    let slot = |payload: u64, grid: u64| {
        let bytes = wire.time(grid as f64);
        (hop.caps_fs(payload).0 / bytes - 1e-6).ceil() * grid as f64
    };
    let each = |group: &Group, idle: bool| {
        let behind = slot(group.payload, wire.tlp_align);
        let slot = if idle && behind > group.wire as f64 { slot(group.payload, wire.idle_align()) } else { behind };
        wire.capped_slot_fs(slot, (slot - group.wire as f64).max(0.0))
    };
    let sum = |idle: bool| load.data.iter().map(|group| group.per_byte * each(group, idle)).sum::<f64>();
    let sooner = |group: &Group| each(group, true) - each(group, false);
    let most = load.data.iter().map(sooner).fold(0.0, f64::max);
    let (idle, among) = (sum(true), sum(false));
    (among.max(idle - 2.0 * most * between(of, load, idle)), among)
}

/// The most packets of the flow that may stand between its TLPs with payload on the direction of `load`, for each byte: TLPs
/// without, an ACK and an UpdateFC for each TLP of the other way, and UpdateFCs that are sent again.
fn between(of: &Subject<'_, '_>, load: &Load, fs_per_byte: f64) -> f64 {
    let reverse = Direction { up: !load.wire.direction.up, ..load.wire.direction };
    let back = of.loads.iter().filter(|other| other.wire.direction == reverse);
    let dllps = 2.0 * back.map(Load::tlps).sum::<f64>() + refreshes(&load.hop, 0) * fs_per_byte;
    load.tlps() - load.data_tlps() + if load.wire.dllp_bytes > 0 { dllps } else { 0.0 }
}

/// Time for each byte under the cap after a hop.
fn cap_behind(load: &Load, hop: &Hop) -> f64 {
    load.data.iter().map(|group| group.per_byte * hop.caps_fs(group.payload).1).sum()
}

/// Adds the loops of the credits of hop `i`. The credits of a TLP are back when they are freed and their UpdateFC has
/// arrived.
fn credits(table: &mut Table, of: &Subject<'_, '_>, i: usize, ahead: Ahead) {
    let hop = &of.plan.data[i];
    let (freed, dllp) = (freed_fs(of, i), dllp_back_fs(hop));
    // The ACK of a TLP goes before its UpdateFC, where that does not wait.
    let since_arrival = freed - hop.wire.propagation_fs - hop.tlp_time(&of.tlp());
    let ack = if hop.tlps_per_ack == 1 { dllp - hop.back.propagation_fs - since_arrival } else { 0.0 };
    let class = if of.plan.reads() { Class::Completion } else { Class::Posted };
    let slot = of.loads[i].full_fs(0.0) * of.payload;
    for (bytes, pool) in credit_bytes(of, i) {
        let tlps = (bytes / of.payload).round() as usize;
        let timer = if hop.update_each { 0.0 } else { hop.update_timer_fs };
        let round = on_demand(tlps, slot, freed, dllp, timer).unwrap_or(freed + dllp + ack.max(0.0));
        table.add(Row::of_loop(bytes, round, Place::Way(i), Cause::Credits(class, pool)).after(i, ahead));
    }
}

/// The mean round of credits for `tlps` TLPs. Each TLP takes `slot` on the link and is freed `freed` after its start.
/// An UpdateFC is due `timer` after the first freed TLP, or as soon as the transmitter has no credits left, and takes
/// `back` to arrive. Credits freed while the transmitter still sends wait until it has none left. Returns `None` where
/// no UpdateFC waits.
fn on_demand(tlps: usize, slot: f64, freed: f64, back: f64, timer: f64) -> Option<f64> {
    let sent_meanwhile = tlps as f64 * slot;
    if timer == 0.0 || sent_meanwhile <= freed || sent_meanwhile >= freed + back + timer {
        return None;
    }
    let due = |out: &VecDeque<f64>, now: f64, left: usize| {
        let first = *out.front()?;
        Some(if left == 0 { first.max(now).min(first + timer) } else { first + timer })
    };
    mean_round(tlps, slot, freed, back, due)
}

/// The mean round of a replay buffer, as in [`on_demand`]. An ACK is due with the last TLP of a `group`, or `timer`
/// after the first.
fn acknowledged(tlps: usize, slot: f64, arrived: f64, back: f64, (group, timer): (usize, f64)) -> Option<f64> {
    let due = |out: &VecDeque<f64>, _: f64, _: usize| {
        let late = *out.front()? + timer;
        Some(out.get(group - 1).map_or(late, |&enough| enough.min(late)))
    };
    if group <= 1 || tlps as f64 * slot > arrived + back + timer + group as f64 * slot {
        return None;
    }
    mean_round(tlps, slot, arrived, back, due)
}

/// The mean time for `tlps` TLPs of a transmitter that may have `tlps` in flight and starts one each `slot`. The
/// receiver frees each TLP `freed` after its start and reports it with a DLLP that takes `back`. `due` returns the time
/// of that DLLP from the unreported TLPs, the current time, and the number of TLPs that may still be sent.
fn mean_round(
    tlps: usize,
    slot: f64,
    freed: f64,
    back: f64,
    due: impl Fn(&VecDeque<f64>, f64, usize) -> Option<f64>,
) -> Option<f64> {
    let (mut out, mut landing): (VecDeque<f64>, VecDeque<(f64, usize)>) = Default::default();
    let (mut now, mut left, mut sent, mut begun) = (0.0, tlps, 0, 0.0);
    while sent < ROUNDS * tlps {
        while let Some(&(_, count)) = landing.front().filter(|(at, _)| *at <= now) {
            landing.pop_front();
            left += count;
        }
        // While the transmitter has to wait, all reports that fall due are sent.
        while let Some(at) = due(&out, now, left) {
            let until = if left > 0 { now } else { landing.front().map_or(f64::INFINITY, |(at, _)| *at) };
            if at > until {
                break;
            }
            let told = out.iter().take_while(|free| **free <= at).count();
            out.drain(..told);
            landing.push_back((at + back, told));
        }
        if left == 0 {
            now = now.max(landing.front()?.0);
            continue;
        }
        (left, sent) = (left - 1, sent + 1);
        out.push_back(now + freed);
        now += slot;
        if sent == tlps {
            begun = now;
        }
    }
    Some((now - begun) / (ROUNDS - 1) as f64)
}

/// Number of rounds; the first is not counted.
const ROUNDS: usize = 16;

/// From the start of a TLP on hop `i` to the time when its credits are freed.
fn freed_fs(of: &Subject<'_, '_>, i: usize) -> f64 {
    let (plan, tlp, hop) = (of.plan, of.tlp(), &of.plan.data[i]);
    let last = hop.wire.propagation_fs + hop.tlp_time(&tlp);
    match (hop.crossing, plan.data.get(i + 1)) {
        (Some(crossing), Some(next)) => {
            crossing.ready(hop.wire.propagation_fs, last, next.tlp_time(&tlp)) + next.tlp_time(&tlp)
        }
        // A core starts at the first symbol.
        _ if plan.reads() || plan.target_card.is_some() => last + (service_fs(of) - hop.tlp_time(&tlp)).max(0.0),
        _ => last + plan.way_fs + walked_fs(of) + service_fs(of),
    }
}

/// What a write waits for its own walk of the host's IOMMU, on average; that it also waits for those before it is left out.
fn walked_fs(of: &Subject<'_, '_>) -> f64 {
    let writes = of.plan.target_card.is_none() && !of.plan.flow.operation.is_pio();
    if writes { (of.plan.walks * of.payload).min(1.0) * fs(of.plan.flow.walk_time(&of.plan.host)) } else { 0.0 }
}

/// The service time of memory or a core for a TLP.
fn service_fs(of: &Subject<'_, '_>) -> f64 {
    let (plan, bytes) = (of.plan, of.whole());
    match (plan.flow.operation.is_pio(), plan.reads(), &plan.target_card) {
        (true, ..) => 0.0,
        (_, true, _) => fs(plan.card.core_time(bytes)),
        (_, _, Some(card)) => fs(card.core_time(bytes)),
        _ => plan.memory_fs(0, bytes),
    }
}

/// Adds the loop of the replay buffer of hop `i`. A TLP stays in it until its ACK has arrived.
fn replay(table: &mut Table, of: &Subject<'_, '_>, i: usize, ahead: Ahead) {
    let (hop, tlp) = (&of.plan.data[i], of.tlp());
    let Some(room) = hop.replay else { return };
    let mut fills = of.fills(room, |payload| of.plan.data_tlp(payload).shape.replay_bytes());
    let bytes = fills.iter().map(|(_, bytes)| bytes).sum::<f64>() / fills.len().max(1) as f64;
    let (arrived, back) = (hop.tlp_time(&tlp) + hop.wire.propagation_fs, dllp_back_fs(hop));
    let slot = of.loads[i].full_fs(0.0) * of.payload;
    let habit = (hop.tlps_per_ack as usize, hop.ack_timer_fs);
    let of_tlps = |tlps: usize| acknowledged(tlps, slot, arrived, back, habit).unwrap_or(arrived + back);
    // Of unlike TLPs, enough for an ACK are there sometimes only.
    fills.sort_by_key(|&(tlps, _)| tlps);
    let each =
        fills.chunk_by(|a, b| a.0 == b.0).map(|same| of_tlps(same[0].0) * same.len() as f64 / fills.len() as f64);
    let round = each.sum::<f64>().min(of_tlps((bytes / of.payload).round() as usize));
    table.add(Row::of_loop(bytes, round, Place::Way(i), Cause::Replay).after(i, ahead));
}
