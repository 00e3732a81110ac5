//! Answers as JSON. `docs/json.md` names every field.

mod searched;
mod written;

pub use searched::{calibration, fit, needs, tuned};
pub use written::{SCHEMA, numbered, plain, pretty};

use lab::cause::{Confirmed, Named};
use lab::report::PointFigure;
use lab::sweep::Measured;
use lab::theory::Theory;
use lab::unit::ns;
use lab::validate::Comparison;
use limit::{FlowLimit, Limits};
use pcie::Rate;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sim::FlowOutcome;
use system::{Bottleneck, Budget, Flow, Origin, System};
use written::number;

/// One row of `validate`: the columns of a reference, with the results beside them.
#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    system: &'a str,
    experiment: &'a str,
    at: String,
    metric: String,
    value: Value,
    unit: &'a str,
    source: &'a str,
    note: &'a str,
    simulated: Option<f64>,
    limit: Option<f64>,
    fair: Option<f64>,
    reference_formula: Option<f64>,
    error_percent: f64,
    /// Why the limit differs from the simulation or from the published value, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_differs: Option<String>,
}

/// The rows of `validate` as an array. A range of values is text, as it was written.
pub fn comparisons(all: &[Comparison]) -> String {
    let lines: Vec<Line<'_>> = all.iter().map(line).collect();
    plain(&lines)
}

fn line(comparison: &Comparison) -> Line<'_> {
    let row = &comparison.row;
    let value = number(row.value);
    Line {
        schema: SCHEMA,
        system: &row.system,
        experiment: &row.experiment,
        at: row.at.to_string(),
        metric: row.metric.word(),
        value,
        unit: row.unit.word(),
        source: &row.source,
        note: &row.note,
        simulated: comparison.simulated,
        limit: comparison.limit,
        fair: comparison.fair,
        reference_formula: comparison.reference_formula,
        error_percent: comparison.error_percent,
        limit_differs: comparison.difference.as_ref().map(crate::difference::reason),
    }
}

/// The points of `run` as an array, followed by the figures of formulas. `changed` lists the options that make the
/// machine differ from the published one.
pub fn points(all: &[(&Measured, Vec<PointFigure>)], theories: &[Theory], changed: &[String]) -> String {
    let simulated = all.iter().map(|(measured, figures)| {
        let mut value = point(measured, figures);
        if !changed.is_empty() {
            value["changed_by"] = changed.into();
        }
        value
    });
    pretty(&simulated.chain(theories.iter().map(theory)).collect::<Vec<_>>())
}

fn theory(theory: &Theory) -> Value {
    json!({
        "system": theory.system,
        "experiment": theory.experiment,
        "at": theory.at.to_string(),
        "figures": [{
            "metric": theory.quantity.word(),
            "unit": theory.quantity.unit(),
            "simulated": null,
            "reference_formula": theory.answer.formula,
            "limit": theory.answer.standard,
            "published": theory.published.map(|(span, _)| number(span)),
            "error_percent": theory.published.map(|(_, error)| error),
        }],
        "flows": [],
    })
}

fn point(measured: &Measured, figures: &[PointFigure]) -> Value {
    let (job, outcome) = (&measured.job, &measured.outcome);
    let limits = &measured.limits;
    let flows = job.scenario.flows.iter().zip(&outcome.flows).zip(&limits.alone);
    let flows = flows.enumerate().map(|(number, ((flow, found), limit))| {
        let mut value = simulated_flow(measured, flow, found, limit, measured.cause(number));
        value["burst"] = measured.burst(number).map_or(
            Value::Null,
            |burst| json!({ "part": burst.part, "lasts_ns": ns(burst.lasts), "until_bytes": burst.until.0 }),
        );
        value["fair"] = Value::Null;
        if job.scenario.flows.len() > 1 {
            let fair = &limits.together[number];
            value["fair"] = limit_value(job.scenario.system.direction_name(fair.direction), fair);
            set_growing(&mut value["fair"], &job.scenario.system, limits, number);
        }
        value
    });
    json!({
        "system": job.system,
        "experiment": job.experiment,
        "at": job.at.to_string(),
        "figures": figures.iter().map(figure).collect::<Vec<_>>(),
        "flows": flows.collect::<Vec<_>>(),
        "window": window(&outcome.window),
        "above_limit": lab::above::above(measured).iter().map(above).collect::<Vec<_>>(),
        "simulated_time_ns": ns(outcome.end),
        "events": outcome.events,
        "tlp_hops": outcome.tlp_hops,
    })
}

/// A rate above its bound: an error of the program, or of a kind of part of one's own.
fn above(above: &lab::above::Above) -> Value {
    json!({
        "flow": above.flow,
        "simulated_mb_per_s": mb_per_s(above.simulated),
        "limit_mb_per_s": mb_per_s(above.bound),
        "slack": above.slack,
    })
}

/// The time in which all flows were active, or the reason why there was none.
fn window(window: &Result<sim::MeasuredWindow, sim::Starved>) -> Value {
    match window {
        Ok(window) => json!({
            "opened_ns": ns(window.opened),
            "closed_ns": ns(window.closed),
            "prolonged": window.prolonged,
        }),
        Err(starved) => json!({ "problem": starved.to_string(), "starves": starved.flow }),
    }
}

fn figure(figure: &PointFigure) -> Value {
    let published = figure.published.map(|(span, _)| number(span));
    json!({
        "metric": figure.metric.word(),
        "unit": figure.unit.word(),
        "operation": figure.over.operation().map(|_| figure.over.word()),
        "simulated": figure.simulated.as_ref().ok(),
        "problem": figure.simulated.as_ref().err().map(ToString::to_string),
        "limit": figure.beside.limit,
        "fair": figure.beside.fair,
        "published": published,
        "error_percent": figure.published.and_then(|(_, error)| error),
    })
}

fn simulated_flow(
    measured: &Measured,
    flow: &Flow,
    found: &FlowOutcome,
    limit: &FlowLimit,
    cause: Option<&Confirmed>,
) -> Value {
    let mut value = json!({
        "name": flow.name,
        "operation": flow.operation.word(),
        "bytes": flow.volume.0,
        "moved_bytes": found.bytes,
        "stream_mb_per_s": found.stream.map(mb_per_s),
        "timer_mb_per_s": mb_per_s(found.timer),
        "app_mb_per_s": mb_per_s(found.app),
        "latency_ns": latency(&found.latency),
        "bottleneck": cause.map(confirmed),
        "budget_of": measured.job.scenario.system.direction_name(found.direction),
        "budget": budget(&found.budget),
        "limit": bound_value(measured.job.scenario.system.direction_name(limit.direction), limit),
        "integrity": found.integrity.map(|i| json!({ "compared_bytes": i.compared, "wrong_bytes": i.wrong })),
    });
    if found.faults.any() {
        let sim::Faults { failed, late, stopped } = found.faults;
        value["faults"] = json!({ "failed_commands": failed, "late_commands": late, "stopped": stopped });
    }
    if let Some(cores) = found.cores {
        value["cpu_cores"] = json!(cores);
    }
    value
}

/// Adds to the limit of a flow beside others where a queue grows as long as the flows run; null where none does. Where
/// one does, there is no steady rate, and the rates become null.
pub fn set_growing(limit: &mut Value, system: &System, limits: &Limits, flow: usize) {
    let at = limits.growing.get(flow).copied().flatten().map(|at| system.direction_name(at));
    if at.is_some() {
        limit["stream_mb_per_s"] = Value::Null;
        limit["app_mb_per_s"] = Value::Null;
    }
    limit["queue_grows_at"] = at.into();
}

/// The same with what no run exceeds.
pub fn bound_value(direction: String, limit: &FlowLimit) -> Value {
    limit_value(direction, &FlowLimit { stream: limit.most, ..limit.clone() })
}

/// The limit of one flow. `direction` is the name of the direction of its budget.
pub fn limit_value(direction: String, limit: &FlowLimit) -> Value {
    json!({
        "stream_mb_per_s": mb_per_s(limit.stream),
        "app_mb_per_s": mb_per_s(limit.app),
        "latency_ns": ns(limit.latency),
        "bottleneck": bottleneck(&limit.bottleneck),
        "budget_of": direction,
        "budget": budget(&limit.budget),
    })
}

fn latency(latency: &sim::Latency) -> Value {
    json!({
        "count": latency.count,
        "min": ns(latency.min),
        "median": ns(latency.median),
        "p99": ns(latency.p99),
        "p999": ns(latency.p999),
        "max": ns(latency.max),
    })
}

/// What limits a flow, with the change that proved it. If there is more than one cause, only all of them together
/// change the rate. If none is proved, it is what the limit names.
fn confirmed(cause: &Confirmed) -> Value {
    let thing = |thing: &Named| {
        json!({
            "name": thing.name,
            "what": thing.what,
            "origin": thing.origin.as_ref().map(Origin::word),
            "from": thing.step.from,
            "changed_to": thing.step.to,
        })
    };
    let joined = |of: fn(&Named) -> &str| cause.things.iter().map(of).collect::<Vec<_>>().join(", ");
    let (name, what) = match cause.is_proved() {
        true => (joined(|thing| &thing.name), joined(|thing| &thing.what)),
        false => (cause.stated.name.clone(), cause.stated.what()),
    };
    json!({
        "name": name,
        "what": what,
        "proved": cause.is_proved(),
        "things": cause.things.iter().map(thing).collect::<Vec<_>>(),
        "gain_percent": cause.is_proved().then_some(cause.gain * 100.0),
        "tried": cause.tried,
    })
}

fn bottleneck(bottleneck: &Bottleneck) -> Value {
    json!({ "name": bottleneck.name, "what": bottleneck.what() })
}

fn budget(budget: &Budget) -> Value {
    budget.shares().map(|(share, part)| (share.to_string(), Value::from(part))).collect::<Map<_, _>>().into()
}

fn mb_per_s(rate: Rate) -> f64 {
    rate.as_mb_per_s()
}
