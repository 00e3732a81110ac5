//! Answers as JSON.

use crate::report::Figure;
use crate::span::Span;
use crate::sweep::Measured;
use crate::theory::Theory;
use crate::unit::ns;
use crate::validate::Comparison;
use limit::FlowLimit;
use pcie::Rate;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sim::FlowOutcome;
use system::{Bottleneck, Budget, FieldType, Flow};

/// One row of `validate`: the columns of a reference with what was found beside them.
#[derive(Serialize)]
struct Line<'a> {
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
    reference_formula: Option<f64>,
    error_percent: f64,
}

/// The rows of `validate` as an array. A value that is a range is text, as it was written.
pub fn comparisons(all: &[Comparison]) -> String {
    let lines: Vec<Line<'_>> = all.iter().map(line).collect();
    pretty(&lines)
}

fn line(comparison: &Comparison) -> Line<'_> {
    let row = &comparison.row;
    let value = number(row.value);
    Line {
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
        reference_formula: comparison.reference_formula,
        error_percent: comparison.error_percent,
    }
}

/// The points of `run` as an array, figures of formulas behind them.
pub fn points(all: &[(&Measured, Vec<Figure>)], theories: &[Theory]) -> String {
    let simulated = all.iter().map(|(measured, figures)| point(measured, figures));
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

/// A number, or a range as text.
fn number(span: Span) -> Value {
    span.single().map_or_else(|| span.to_string().into(), Value::from)
}

fn point(measured: &Measured, figures: &[Figure]) -> Value {
    let (job, outcome) = (&measured.job, &measured.outcome);
    let flows = job.scenario.flows.iter().zip(&outcome.flows).zip(&measured.limits.together);
    let flows = flows.map(|((flow, found), limit)| simulated_flow(measured, flow, found, limit));
    json!({
        "system": job.system,
        "experiment": job.experiment,
        "at": job.at.to_string(),
        "figures": figures.iter().map(figure).collect::<Vec<_>>(),
        "flows": flows.collect::<Vec<_>>(),
        "simulated_time_ns": ns(outcome.end),
        "events": outcome.events,
        "tlp_hops": outcome.tlp_hops,
    })
}

fn figure(figure: &Figure) -> Value {
    let published = figure.published.map(|(span, _)| number(span));
    json!({
        "metric": figure.metric.word(),
        "unit": figure.unit.word(),
        "simulated": figure.simulated,
        "limit": figure.limit,
        "published": published,
        "error_percent": figure.published.map(|(_, error)| error),
    })
}

fn simulated_flow(measured: &Measured, flow: &Flow, found: &FlowOutcome, limit: &FlowLimit) -> Value {
    json!({
        "name": flow.name,
        "operation": flow.operation.print(),
        "bytes": found.bytes,
        "stream_mb_per_s": mb_per_s(found.stream),
        "timer_mb_per_s": mb_per_s(found.timer),
        "app_mb_per_s": mb_per_s(found.app),
        "latency_ns": latency(&found.latency),
        "bottleneck": bottleneck(&found.bottleneck),
        "budget_of": measured.job.scenario.system.direction_name(found.direction),
        "budget": budget(&found.budget),
        "limit": limit_value(measured.job.scenario.system.direction_name(limit.direction), limit),
        "integrity": found.integrity.map(|i| json!({ "compared_bytes": i.compared, "wrong_bytes": i.wrong })),
    })
}

/// The limit of one flow, and the name of the direction that its budget is of.
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

fn bottleneck(bottleneck: &Bottleneck) -> Value {
    json!({ "name": bottleneck.name, "what": bottleneck.what })
}

fn budget(budget: &Budget) -> Value {
    budget.shares().map(|(share, part)| (share.to_string(), Value::from(part))).collect::<Map<_, _>>().into()
}

fn mb_per_s(rate: Rate) -> f64 {
    rate.as_mb_per_s()
}

/// Indented, with a line's end behind it.
pub fn pretty(value: &impl Serialize) -> String {
    // Writing to memory cannot fail, and no map here has keys that are not text.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
