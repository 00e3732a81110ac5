//! The points of a simulation, with their bottlenecks and figures: `lanescope run`.

use crate::error::Error;
use lab::cause::{Moves, SearchOptions};
use lab::report::PointFigure;
use lab::sweep::{Job, Measured};
use lab::theory::Theory;
use lab::{DescribedMachine, Reference};
use system::Experiment;

/// Finds the bottlenecks of the flows that `search` names.
///
/// # Errors
/// A simulation that fails.
pub fn causes(
    mut done: Vec<Measured>,
    machine: &DescribedMachine,
    references: &[Reference],
    search: &SearchOptions<'_>,
) -> Result<Vec<Measured>, Error> {
    let moves = |measured: &Measured| {
        let experiment = machine.description().experiment(&measured.job.experiment).ok();
        let measures = experiment.and_then(|experiment| machine.measures(experiment, references).ok());
        Moves::of(&measures.unwrap_or_default())
    };
    lab::cause::find(&mut done, moves, search)?;
    Ok(done)
}

/// The points to simulate, and the figures of formulas.
///
/// # Errors
/// An axis that is wrong.
pub fn jobs(
    machine: &DescribedMachine,
    experiments: &[&Experiment],
    references: &[Reference],
    axes: &[(String, Vec<String>)],
) -> Result<(Vec<Job>, Vec<Theory>), Error> {
    let (mut jobs, mut theories) = (Vec::new(), Vec::new());
    for experiment in experiments {
        let points = machine.points(experiment, axes)?;
        if experiment.formula.is_some() {
            theories.extend(lab::theory::figures(machine, experiment, &points, references)?);
        } else {
            for at in points {
                jobs.push(machine.job(experiment, at)?);
            }
        }
    }
    Ok((jobs, theories))
}

/// The figures of a point, with what is published.
///
/// # Errors
/// A metric or row that is wrong.
pub fn figures(
    measured: &Measured,
    machine: &DescribedMachine,
    references: &[Reference],
) -> Result<Vec<PointFigure>, Error> {
    let experiment = machine.description().experiment(&measured.job.experiment)?;
    let measures = machine.measures(experiment, references)?;
    let rows = lab::report::published(references, machine, experiment, &measured.job)?;
    Ok(lab::report::figures(measured, &measures, &rows))
}

/// The overrides that make the machine differ from the one of the published figures. Overrides of experiments do not
/// count.
pub fn changed(sets: &[String]) -> Vec<String> {
    sets.iter().filter(|set| !set.trim_start().starts_with("experiments.")).cloned().collect()
}
