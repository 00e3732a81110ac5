//! The points that a search for the best settings is about: `lanescope tune`.

use lab::{At, DescribedMachine};
use system::Experiment;

/// The points, each once. An axis of payload sizes is removed unless it was requested, so that the payload follows
/// Max_Payload_Size.
///
/// # Errors
/// An axis that the experiment does not have, or a value that is not legal.
pub fn points(
    machine: &DescribedMachine,
    experiment: &Experiment,
    axes: &[(String, Vec<String>)],
) -> Result<Vec<At>, lab::Error> {
    let free = |axis: &&system::Axis| axis.is_payload() && axes.iter().all(|(name, _)| *name != axis.name);
    let payload = experiment.axes.iter().find(free);
    let mut points = machine.points(experiment, axes)?;
    if let Some(axis) = payload {
        points = points.into_iter().map(|at| at.without(&axis.name)).collect();
        let mut seen = std::collections::BTreeSet::new();
        points.retain(|at| seen.insert(at.clone()));
    }
    Ok(points)
}
