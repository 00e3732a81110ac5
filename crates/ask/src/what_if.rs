//! What would make the flows faster: `lanescope limit --what-if`.

use crate::axes;
use crate::error::Error;
use lab::what_if::{Gain, WhatIf, what_if};
use lab::{At, DescribedMachine};
use serde_json::{Value, json};
use system::Experiment;

/// One experiment with its points and its result.
pub type Answer<'a> = (&'a Experiment, Vec<At>, WhatIf);

/// The changes for the named experiment, or for all that are no formula.
///
/// # Errors
/// An experiment or axis that is wrong.
pub fn of<'a>(
    machine: &'a DescribedMachine,
    experiment: Option<&str>,
    axes: &[(String, Vec<String>)],
) -> Result<Vec<Answer<'a>>, Error> {
    let mut answers = Vec::new();
    for experiment in axes::chosen(machine, experiment)? {
        if experiment.formula.is_none() {
            let points = machine.points(experiment, axes)?;
            let found = what_if(machine, experiment, &points)?;
            answers.push((experiment, points, found));
        }
    }
    Ok(answers)
}

/// The changes of one experiment, the best first.
pub fn value(machine: &DescribedMachine, (experiment, points, found): &Answer<'_>) -> Value {
    let gain = |gain: &Gain| {
        let change = &gain.change;
        json!({
            "what": change.what,
            "where": change.sort.word(),
            "from": change.from,
            "to": change.to,
            "sets": change.sets,
            "axis": change.axis.as_ref().map(|(axis, value)| format!("{axis}={value}")),
            "gained_mb_per_s": gain.gained,
            "then_mb_per_s": gain.then,
            "then_held_by": gain.bottleneck.to_string(),
        })
    };
    json!({
        "system": machine.name(),
        "experiment": experiment.name,
        "points": points.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "now_mb_per_s": found.now,
        "held_by": found.bottleneck.to_string(),
        "tried": found.tried,
        "gains": found.gains.iter().map(gain).collect::<Vec<_>>(),
    })
}
