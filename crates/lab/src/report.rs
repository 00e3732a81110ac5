//! The figures of a point, with their limits and published values.

use crate::error::Error;
use crate::job::Job;
pub use crate::job::Measure;
use crate::machine::DescribedMachine;
use crate::measured::Measured;
use crate::metric::{self, Beside, Metric, Over, Stated};
use crate::reference::{Reference, Row};
use crate::span::Span;
use crate::unit::Unit;
use sim::Starved;
use system::{Experiment, Scenario};

/// One figure of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointFigure {
    /// The metric.
    pub metric: Metric,
    /// The flows that it covers.
    pub over: Over,
    /// The unit of all values.
    pub unit: Unit,
    /// The simulated value; if a flow starves, so that there is no rate, which one.
    pub simulated: Result<f64, Starved>,
    /// Its limit, a bound, and what is fair, a prediction.
    pub beside: Beside,
    /// The published value, and the error of the simulation against it in per cent.
    pub published: Option<(Span, Option<f64>)>,
}

impl PointFigure {
    /// The name, as in `throughput_per_flow`, or `throughput_per_flow of dma-read` if flows have several operations.
    pub fn name(&self) -> String {
        let word = self.metric.quality.word();
        if self.over == Over::All { word.to_string() } else { format!("{word} of {}", self.over.word()) }
    }
}

/// The published rows that apply to a point. A row may omit axes that the point names. It applies if the machine and
/// the flows at its point are the same.
///
/// # Errors
/// A row that names something that the machine does not have.
pub fn published<'a>(
    references: &'a [Reference],
    machine: &DescribedMachine,
    experiment: &Experiment,
    job: &Job,
) -> Result<Vec<&'a Row>, Error> {
    let mut found = Vec::new();
    for row in references.iter().flat_map(|reference| &reference.rows) {
        if row.experiment != job.experiment || !row.at.covers(&job.at) || !machine.is_called(&row.system) {
            continue;
        }
        let whole = row.at.pairs().count() == job.at.pairs().count();
        if whole || alike(&machine.job(experiment, row.at.clone())?.scenario, &job.scenario) {
            metric::single(row.metric.quality, row.unit, &job.scenario)
                .map_err(|(what, right)| row.place.error(what, right))?;
            found.push(row);
        }
    }
    Ok(found)
}

/// True if two scenarios have the same values. The origins of the values are not compared.
fn alike(a: &Scenario, b: &Scenario) -> bool {
    let parts = |s: &Scenario| s.system.parts.len();
    let same = a.system.parts.iter().zip(&b.system.parts).all(|(a, b)| {
        a.kind == b.kind && a.habits == b.habits && a.mps == b.mps && a.mrrs == b.mrrs && a.tags == b.tags
    });
    let port =
        |port: &system::Port| (port.mps, port.own.iter().map(|own| (own.field, own.value.clone())).collect::<Vec<_>>());
    let ports = a.system.ports.iter().map(port).eq(b.system.ports.iter().map(port));
    let links = a
        .system
        .links
        .iter()
        .zip(&b.system.links)
        .all(|(a, b)| a.speed == b.speed && a.propagation == b.propagation && a.sris == b.sris);
    parts(a) == parts(b) && same && ports && links && a.flows == b.flows
}

/// The figures for what the experiment measures, then for everything else that was published for this point.
pub fn figures(measured: &Measured, measures: &[Measure], rows: &[&Row]) -> Vec<PointFigure> {
    let mut figures: Vec<PointFigure> = Vec::new();
    for measure in measures {
        let plain = Metric { quality: measure.quality, stated: Stated::Is };
        match rows.iter().find(|row| row.metric.quality == measure.quality) {
            Some(row) => figures.extend(figure(measured, row.metric, Over::All, row.unit, Some(row))),
            None => {
                let over = metric::over(measure.quality, &measured.job.scenario);
                figures.extend(over.into_iter().filter_map(|over| figure(measured, plain, over, measure.unit, None)));
            }
        }
    }
    let others = rows.iter().filter(|row| measures.iter().all(|m| m.quality != row.metric.quality));
    figures.extend(others.filter_map(|row| figure(measured, row.metric, Over::All, row.unit, Some(row))));
    figures
}

fn figure(measured: &Measured, metric: Metric, over: Over, unit: Unit, row: Option<&Row>) -> Option<PointFigure> {
    let quality = metric.quality;
    let simulated = match (measured.simulated_over(quality, over, unit), &measured.outcome.window) {
        (Some(value), _) => Ok(value),
        (None, Err(starved)) if quality.is_of_window() => Err(starved.clone()),
        (None, _) => return None,
    };
    let error = |row: &Row| simulated.as_ref().ok().map(|&found| metric.error_percent(found, row.value));
    Some(PointFigure {
        metric,
        over,
        unit,
        beside: measured.beside(quality, over, unit),
        published: row.map(|row| (row.value, error(row))),
        simulated,
    })
}
