//! The result of a measurement as JSON.

use super::limit::{PathLimit, limit_of};
use super::pairs::card;
use super::prepared::{Changes, Prepared, Watched};
use super::served::{self, Served};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bench::{CAUSES, Direction, DriveKind, DriveRun, Latencies, Order, Pair, Run, Spent, Steadiness};
use lab::Unit;
use pcie::Time;
use probe::Address;
use probe::diff::Change;
use serde_json::{Value, json};

/// The schema, which a later form would have another number of.
pub(crate) const SCHEMA: &str = "lanescope-bench/1";

/// The result as JSON.
pub fn value(
    prepared: &Prepared,
    watched: &Watched,
    (changes, limits): (&Changes, &[Option<PathLimit>]),
    runs: &[Run],
    complete: bool,
) -> Value {
    let drives = prepared.drives.iter().zip(&prepared.ways).map(|(drive, way)| {
        json!({
            "path": drive.path,
            "name": drive.name,
            "kind": kind(drive.kind),
            "bytes": drive.direction().is_none().then_some(drive.bytes),
            "logical_block": drive.direction().is_none().then_some(drive.logical),
            "way": way.iter().map(Address::to_string).collect::<Vec<_>>(),
        })
    });
    let none = Served::default();
    let each = runs.iter().enumerate().map(|(at, run)| {
        let limit = limit_of(prepared, limits, run);
        let pair = run.point.pair.and_then(|at| prepared.plan.pairs.get(at));
        let served = watched.served.get(at).unwrap_or(&none);
        let interrupts = |at: usize| served::value(served.drives.get(at).map_or(&[], Vec::as_slice));
        json!({
            "subset": run.point.subset,
            "block": run.point.load.block,
            "depth": run.point.load.depth,
            "pattern": run.point.load.pattern.word(),
            "reads_percent": run.point.load.reads,
            "asked_mb_per_s": run.point.load.rate.map(|rate| rate as f64 / 1e6),
            "time_s": run.time.as_secs_f64(),
            "mb_per_s": Unit::MbPerS.rate(run.rate()),
            "iops": run.iops(),
            "limit_mb_per_s": limit.as_ref().map(|limit| Unit::MbPerS.rate(limit.rate)),
            "limit_by": limit.map(|limit| limit.by),
            "latency": latency(&run.latency),
            "polled": run.polled,
            "from": pair.map(|pair| of_pair(prepared, pair).0),
            "to": pair.map(|pair| of_pair(prepared, pair).1),
            "calls": run.point.load.calls.map(|calls| json!({
                "in_turn": calls.order.map(Order::words),
                "poll_us": calls.poll_us,
            })),
            "interrupts_on_one_core": served.only_core.map(|(core, _)| core),
            "drives": (0..).zip(&run.drives).map(|(at, drive)| of_drive(prepared, drive, interrupts(at))).collect::<Vec<_>>(),
        })
    });
    let pairs = prepared.plan.pairs.iter().enumerate().map(|(at, pair)| {
        let refused = watched.refused.iter().find(|(refused, _)| *refused == at);
        json!({ "from": of_pair(prepared, pair).0, "to": of_pair(prepared, pair).1, "refused": refused.map(|(_, why)| why) })
    });
    json!({
        "schema": SCHEMA,
        "complete": complete,
        "reads_percent": prepared.plan.reads,
        "time_s": prepared.plan.time.as_secs_f64(),
        "warm_up_s": prepared.plan.warm_up.as_secs_f64(),
        "drives": drives.collect::<Vec<_>>(),
        "card_to_card": pairs.collect::<Vec<_>>(),
        "changed_under_load": changes.under_load.iter().map(changed).collect::<Vec<_>>(),
        "changed_after": changes.after.iter().map(changed).collect::<Vec<_>>(),
        "runs": each.collect::<Vec<_>>(),
        "capture": watched.capture.as_ref().map(|bytes| STANDARD.encode(bytes)),
    })
}

/// The names of both cards.
fn of_pair<'a>(prepared: &'a Prepared, pair: &Pair) -> (&'a str, &'a str) {
    let name = |drive: usize| prepared.drives.get(drive).map_or("", card);
    (name(pair.from), name(pair.to))
}

/// The kind of a drive as the JSON has it: [`CHANNEL`] and others.
fn kind(of: DriveKind) -> &'static str {
    match of {
        DriveKind::Block => "block device",
        DriveKind::File => "file",
        DriveKind::Channel(Direction::ToHost) => "channel to the host",
        DriveKind::Channel(Direction::ToCard) => "channel to the card",
    }
}

/// How the kinds of channels begin.
pub(crate) const CHANNEL: &str = "channel";

fn changed(change: &Change) -> Value {
    let Change { at, field, before, after, .. } = change;
    json!({ "at": at.to_string(), "field": field, "before": before, "then": after })
}

/// Without blocks it has no times.
fn latency(of: &Latencies) -> Value {
    let ns = |time: Time| (of.count > 0).then(|| time.as_ns());
    let mut value = json!({
        "count": of.count,
        "mean_ns": ns(of.mean),
        "min_ns": ns(of.least),
        "max_ns": ns(of.greatest),
    });
    for (share, time) in of.percentiles {
        value[format!("p{share}_ns")] = json!(ns(time));
    }
    value
}

/// The cycles of an engine, by the names of the driver's files.
fn engine(spent: &Spent) -> Value {
    let each = CAUSES.into_iter().zip(spent.cycles).chain([("span", spent.span)]);
    each.map(|(name, cycles)| (format!("{name}_cycles"), json!(cycles))).collect::<serde_json::Map<_, _>>().into()
}

fn of_drive(prepared: &Prepared, run: &DriveRun, interrupts: Value) -> Value {
    json!({
        "name": prepared.drives.get(run.drive).map(|drive| drive.name.clone()),
        "mb_per_s": Unit::MbPerS.rate(run.rate),
        "iops": run.iops,
        "written_mb_per_s": Unit::MbPerS.rate(run.written),
        "parts_mb_per_s": run.parts.iter().map(|&rate| Unit::MbPerS.rate(rate)).collect::<Vec<_>>(),
        "steady": run.steady == Steadiness::Steady,
        "latency": latency(&run.latency),
        "busy": run.busy,
        "cpu_ns_per_block": run.cpu_per_block.as_ns(),
        "calls_per_block": run.calls_per_block,
        "registered_buffers": run.registered,
        "numa_node": run.node,
        "celsius": run.celsius,
        "engine": run.engine.as_ref().map(engine),
        "interrupts": interrupts,
    })
}
