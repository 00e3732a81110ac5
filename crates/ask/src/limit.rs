//! The limits of a machine's experiments: `lanescope limit`.

use crate::axes;
use crate::error::Error;
use lab::DescribedMachine;
use lab::sweep::Job;
use limit::Limits;
use serde_json::{Value, json};
use system::Experiment;

/// A point and its limits.
pub type Answer = (Job, Limits);

/// The limits of the named experiment, or of all, one list for each that is no formula.
///
/// # Errors
/// An experiment or axis that is wrong.
pub fn of<'a>(
    machine: &'a DescribedMachine,
    experiment: Option<&str>,
    axes: &[(String, Vec<String>)],
) -> Result<Vec<(&'a Experiment, Vec<Answer>)>, Error> {
    let mut found = Vec::new();
    for experiment in axes::chosen(machine, experiment)? {
        if experiment.formula.is_some() {
            continue;
        }
        let one = |at| machine.job(experiment, at).map(|job| (limit::limit(&job.scenario), job)).map(|(l, j)| (j, l));
        let answers = machine.points(experiment, axes)?.into_iter().map(one).collect::<Result<_, _>>()?;
        found.push((experiment, answers));
    }
    Ok(found)
}

/// A point with the limits of its flows.
pub fn value((job, limits): &Answer) -> Value {
    let system = &job.scenario.system;
    let one = |limit: &limit::FlowLimit| view::json::limit_value(system.direction_name(limit.direction), limit);
    let flows = job.scenario.flows.iter().zip(limits.alone.iter().zip(&limits.together));
    let flows = flows.enumerate().map(|(number, (flow, (alone, together)))| {
        let mut fair = one(together);
        view::json::set_growing(&mut fair, system, limits, number);
        let limit = view::json::bound_value(system.direction_name(alone.direction), alone);
        json!({ "name": flow.name, "limit": limit, "fair": fair })
    });
    json!({
        "system": job.system,
        "experiment": job.experiment,
        "at": job.at.to_string(),
        "flows": flows.collect::<Vec<_>>(),
        "sum_mb_per_s": limits.bound().as_mb_per_s(),
        "slowest_mb_per_s": limits.slowest().as_mb_per_s(),
    })
}
