//! Answers of `run` as CSV: a line a figure.

use crate::cause::Confirmed;
use crate::metric::Over;
use crate::report::Figure;
use crate::sweep::Measured;
use crate::unit::ns;

const COLUMNS: [&str; 16] = [
    "system",
    "experiment",
    "at",
    "metric",
    "operation",
    "unit",
    "simulated",
    "limit",
    "published",
    "error_percent",
    "bottleneck",
    "latency_median_ns",
    "latency_p99_ns",
    "latency_p999_ns",
    "changed_by",
    "problem",
];

/// All points, with a head line; `changed` says what made the machine another than the one that figures were published
/// of.
pub fn points(all: &[(&Measured, Vec<Figure>)], changed: &[String]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and every record has as many fields as the head.
    let _ = writer.write_record(COLUMNS);
    for (measured, figures) in all {
        for figure in figures {
            let _ = writer.write_record(record(measured, figure, changed));
        }
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn record(measured: &Measured, figure: &Figure, changed: &[String]) -> Vec<String> {
    let job = &measured.job;
    let worst = slowest_of(measured, figure.over);
    let latency = worst.map(|flow| flow.latency).unwrap_or_default();
    let optional = |value: Option<f64>| value.map_or_else(String::new, |v| v.to_string());
    vec![
        job.system.clone(),
        job.experiment.clone(),
        job.at.to_string(),
        figure.metric.word(),
        figure.over.word().to_string(),
        figure.unit.word().to_string(),
        optional(figure.simulated.as_ref().ok().copied()),
        optional(figure.limit),
        figure.published.map_or_else(String::new, |(span, _)| span.to_string()),
        optional(figure.published.and_then(|(_, error)| error)),
        cause_of(measured, figure.over).map_or_else(String::new, ToString::to_string),
        ns(latency.median).to_string(),
        ns(latency.p99).to_string(),
        ns(latency.p999).to_string(),
        changed.join("; "),
        figure.simulated.as_ref().err().map_or_else(String::new, ToString::to_string),
    ]
}

/// The flow that has the least rate: whose bottleneck is told where there is room for one.
pub fn slowest(measured: &Measured) -> Option<&sim::FlowOutcome> {
    slowest_of(measured, Over::All)
}

/// The same of some flows.
pub fn slowest_of(measured: &Measured, over: Over) -> Option<&sim::FlowOutcome> {
    measured.outcome.flows.get(slowest_place(measured, over)?)
}

/// The rate that flows are compared by: while all are active or, where they never are, from first packet to last.
pub fn rate(flow: &sim::FlowOutcome) -> f64 {
    flow.stream.unwrap_or(flow.timer).0
}

/// What holds the slowest flow back, where that was looked for and found.
pub fn cause(measured: &Measured) -> Option<&Confirmed> {
    cause_of(measured, Over::All)
}

/// The same of the slowest of some flows.
pub fn cause_of(measured: &Measured, over: Over) -> Option<&Confirmed> {
    measured.cause(slowest_place(measured, over)?)
}

/// The place of the slowest of some flows.
pub(crate) fn slowest_place(measured: &Measured, over: Over) -> Option<usize> {
    let flows = measured.job.scenario.flows.iter().zip(&measured.outcome.flows).enumerate();
    let chosen = flows.filter(|(_, (flow, _))| over.holds(flow)).map(|(place, (_, found))| (place, rate(found)));
    chosen.reduce(|a, b| if b.1 < a.1 { b } else { a }).map(|(place, _)| place)
}
