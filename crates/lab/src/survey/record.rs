//! Records of a survey, one figure each.

use crate::error::Error;
use crate::job::Job;
use crate::job::Measure;
use crate::measured::Measured;
use crate::metric::{self, Over};
use crate::report::PointFigure;
use crate::survey::dimension::Dimension;
use crate::survey::point::Point;
use crate::unit::ns;
use limit::Limits;

/// The fields of one record, in the order of [`columns`]; a missing value is empty.
pub type Record = Vec<String>;

const BEFORE: [&str; 3] = ["system", "experiment", "at"];
const BEHIND: [&str; 11] = [
    "metric",
    "operation",
    "unit",
    "simulated",
    "limit",
    "fair",
    "bottleneck",
    "latency_median_ns",
    "latency_p99_ns",
    "latency_p999_ns",
    "problem",
];

/// The names of the fields. The swept dimensions stand between the point and the figures.
pub fn columns(dimensions: &[Dimension]) -> Vec<String> {
    let names = dimensions.iter().map(|dimension| dimension.name.clone());
    BEFORE.map(String::from).into_iter().chain(names).chain(BEHIND.map(String::from)).collect()
}

/// True for a column of numbers.
pub fn is_number(column: &str) -> bool {
    ["simulated", "limit", "fair", "latency_median_ns", "latency_p99_ns", "latency_p999_ns"].contains(&column)
}

fn start(point: &Point, system: &str) -> Record {
    let place = [system.to_string(), point.experiment.clone(), point.at.to_string()];
    place.into_iter().chain(point.values.iter().cloned()).collect()
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

pub(crate) fn simulated(point: &Point, measured: &Measured, figure: &PointFigure) -> Record {
    let worst = measured.slowest(figure.over);
    let latency = worst.map(|flow| flow.latency).filter(|latency| latency.count > 0);
    let time = |of: fn(&sim::Latency) -> pcie::Time| optional(latency.as_ref().map(|latency| ns(of(latency))));
    let mut record = start(point, &measured.job.system);
    record.extend([
        figure.metric.word(),
        figure.over.word().to_string(),
        figure.unit.word().to_string(),
        optional(figure.simulated.as_ref().ok().copied()),
        optional(figure.beside.limit),
        optional(figure.beside.fair),
        measured.cause_of(figure.over).map_or_else(String::new, ToString::to_string),
        time(|latency| latency.median),
        time(|latency| latency.p99),
        time(|latency| latency.p999),
        figure.simulated.as_ref().err().map_or_else(String::new, ToString::to_string),
    ]);
    record
}

/// The records by the closed form alone, one for each group of flows that the quantity covers.
pub(crate) fn bounded(point: &Point, system: &str, measure: &Measure, job: &Job, limits: &Limits) -> Vec<Record> {
    let slowest = limits.together.iter().min_by(|a, b| a.stream.0.total_cmp(&b.stream.0));
    let line = |over: Over| {
        let beside = metric::beside(measure.quality, over, measure.unit, &job.scenario, limits);
        let beside = beside.divided(job.divisor as f64);
        let mut record = start(point, system);
        record.extend([
            measure.quality.word().to_string(),
            over.word().to_string(),
            measure.unit.word().to_string(),
            String::new(),
            optional(beside.limit),
            optional(beside.fair),
            slowest.map_or_else(String::new, |flow| flow.bottleneck.to_string()),
        ]);
        record.resize(record.len() + 4, String::new());
        record
    };
    metric::over(measure.quality, &job.scenario).into_iter().map(line).collect()
}

/// The record of a point whose values the machine does not accept, or in which nothing moves.
pub(crate) fn impossible(point: &Point, system: &str, error: &Error) -> Record {
    let mut record = start(point, system);
    record.resize(record.len() + BEHIND.len() - 1, String::new());
    record.push(error.to_string());
    record
}
