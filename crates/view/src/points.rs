//! Results of `run` as CSV: one line for each figure.

use crate::csv;
use lab::report::PointFigure;
use lab::sweep::Measured;
use lab::unit::ns;

const COLUMNS: [&str; 18] = [
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
    "burst_ns",
    "changed_by",
    "problem",
    "fair",
];

/// All points, with a head line. `changed` lists the options that make the machine differ from the published one.
pub fn points(all: &[(&Measured, Vec<PointFigure>)], changed: &[String]) -> String {
    let records =
        all.iter().flat_map(|(measured, figures)| figures.iter().map(|figure| record(measured, figure, changed)));
    csv::text(&COLUMNS, records)
}

fn record(measured: &Measured, figure: &PointFigure, changed: &[String]) -> Vec<String> {
    let job = &measured.job;
    let worst = measured.slowest(figure.over);
    let latency = worst.map(|flow| flow.latency).unwrap_or_default();
    vec![
        job.system.clone(),
        job.experiment.clone(),
        job.at.to_string(),
        figure.metric.word(),
        figure.over.word().to_string(),
        figure.unit.word().to_string(),
        csv::number(figure.simulated.as_ref().ok().copied()),
        csv::number(figure.beside.limit),
        figure.published.map_or_else(String::new, |(span, _)| span.to_string()),
        csv::number(figure.published.and_then(|(_, error)| error)),
        measured.cause_of(figure.over).map_or_else(String::new, ToString::to_string),
        ns(latency.median).to_string(),
        ns(latency.p99).to_string(),
        ns(latency.p999).to_string(),
        measured
            .slowest_place(figure.over)
            .and_then(|flow| measured.burst(flow))
            .map_or_else(String::new, |burst| ns(burst.lasts).to_string()),
        changed.join("; "),
        figure.simulated.as_ref().err().map_or_else(String::new, ToString::to_string),
        csv::number(figure.beside.fair),
    ]
}
