//! What each single improvement would gain: each figure of each part, each setting and each link is made one step
//! better in turn, and the limit of the flows is computed again.
//!
//! A step is: half of a time, double a rate or a count, the next payload size, the next generation, double the lanes of
//! a part if its slot has them, a free port anywhere, another listed value of an axis, or the other word. The fields are read
//! from the kinds, so that kinds that are added later are included. Mechanisms of the standard that can be switched off
//! in the model are not tried, because no such change can be made to a machine.

mod change;
mod figures;
mod links;
mod settings;

pub use change::{Improvement, Sort};

use crate::at::At;
use crate::error::Error;
use crate::machine::DescribedMachine;
use limit::Limits;
use rayon::prelude::*;
use system::{Bottleneck, Experiment};

/// The effect of a change.
#[derive(Clone, Debug)]
pub struct Gain {
    /// The change.
    pub change: Improvement,
    /// The sum of the flows' rates with the change, in MB/s: the mean over the points.
    pub then: f64,
    /// The increase of that sum, in MB/s.
    pub gained: f64,
    /// The bottleneck of the slowest flow at the first point, with the change.
    pub bottleneck: Bottleneck,
}

/// The changes, ranked by what they cost a person, and by gain.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The sum of the flows' rates without a change, in MB/s: the mean over the points.
    pub now: f64,
    /// The bottleneck of the slowest flow at the first point.
    pub bottleneck: Bottleneck,
    /// All changes with a gain: settings first, then free slots, links and new parts; of each sort the largest gain first. If
    /// several ways to make a change were tried, only the best is listed.
    pub gains: Vec<Gain>,
    /// The number of changes that were tried.
    pub tried: usize,
}

/// Gains below this share of the rate are rounding errors.
const LEAST_GAIN: f64 = 1e-4;

/// Tries every change at some points of an experiment.
///
/// # Errors
/// A point that the machine does not have.
pub fn what_if(machine: &DescribedMachine, experiment: &Experiment, points: &[At]) -> Result<WhatIf, Error> {
    let now = points.iter().map(|at| answer(machine, experiment, at)).collect::<Result<Vec<_>, _>>()?;
    let Some((_, bottleneck)) = now.first() else {
        return Err(Error::asked("there is no point to ask about", "an experiment with points"));
    };
    let rate = mean(&now);
    let changes = changes(machine, experiment, points)?;
    let tried = changes.len();
    // Changes that the machine does not accept (a size that a buffer cannot hold, a width that does not exist) are left
    // out.
    let gains = changes.into_par_iter().filter_map(|change| gain(machine, experiment, points, change, rate));
    let mut gains: Vec<Gain> = gains.filter(|gain| gain.gained > LEAST_GAIN * rate).collect();
    let cost = |gain: &Gain| gain.change.sort;
    let by_gain = |a: &Gain, b: &Gain| b.gained.total_cmp(&a.gained).then_with(|| a.change.what.cmp(&b.change.what));
    gains.sort_by(|a, b| cost(a).cmp(&cost(b)).then_with(|| by_gain(a, b)));
    let mut seen = std::collections::BTreeSet::new();
    gains.retain(|gain| seen.insert(gain.change.what.clone()));
    Ok(WhatIf { now: rate, bottleneck: bottleneck.clone(), gains, tried })
}

/// All changes, with or without a gain.
fn changes(machine: &DescribedMachine, experiment: &Experiment, points: &[At]) -> Result<Vec<Improvement>, Error> {
    let Some(first) = points.first() else { return Ok(Vec::new()) };
    let system = machine.job(experiment, first.clone())?.scenario.system;
    let mut all = figures::changes(&system);
    all.extend(settings::changes(machine, experiment, first, &system)?);
    all.extend(links::changes(machine, experiment, first, &system)?);
    // An override cannot change what an axis of the experiment sets at the point.
    for change in &mut all {
        let decides = |axis: &&system::Axis| first.get(&axis.name).is_some() && sets_same(&axis.paths(), &change.sets);
        if let Some(axis) = experiment.axes.iter().find(decides) {
            change.axis = Some((axis.name.clone(), value_of(&change.sets)));
        }
    }
    // Two names for one change are one change: the first that is listed.
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|change| {
        let mut sets = change.sets.clone();
        sets.sort();
        seen.insert((sets, change.axis.clone()))
    });
    Ok(all)
}

fn sets_same(paths: &[&str], sets: &[String]) -> bool {
    matches!(sets, [set] if set.split_once('=').is_some_and(|(path, _)| paths.contains(&path)))
}

fn value_of(sets: &[String]) -> String {
    sets.first().and_then(|set| set.split_once('=')).map_or_else(String::new, |(_, value)| value.to_string())
}

fn gain(
    machine: &DescribedMachine,
    experiment: &Experiment,
    points: &[At],
    change: Improvement,
    now: f64,
) -> Option<Gain> {
    let better = machine.with(&change.sets).ok()?;
    let at = |at: &At| match &change.axis {
        Some((axis, value)) => at.with(axis, value),
        None => at.clone(),
    };
    let then =
        points.iter().map(|point| answer(&better, experiment, &at(point))).collect::<Result<Vec<_>, _>>().ok()?;
    let bottleneck = then.first()?.1.clone();
    let rate = mean(&then);
    Some(Gain { change, then: rate, gained: rate - now, bottleneck })
}

/// The sum of the flows' rates at a point, in MB/s, and the bottleneck of the slowest flow.
fn answer(machine: &DescribedMachine, experiment: &Experiment, at: &At) -> Result<(f64, Bottleneck), Error> {
    let job = machine.job(experiment, at.clone())?;
    let limits: Limits = limit::limit(&job.scenario);
    let app = experiment.measures.first().is_none_or(|word| ["throughput", "throughput_app"].contains(&word.as_str()));
    let rate = |flow: &limit::FlowLimit| if app { flow.app } else { flow.stream }.as_mb_per_s();
    let slowest = limits.together.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)));
    let none = || Error::asked(format!("no flow runs at {at}"), "a point with flows");
    let bottleneck = slowest.map(|flow| flow.bottleneck.clone()).ok_or_else(none)?;
    Ok((limits.together.iter().map(rate).sum::<f64>(), bottleneck))
}

fn mean(all: &[(f64, Bottleneck)]) -> f64 {
    all.iter().map(|(rate, _)| rate).sum::<f64>() / all.len().max(1) as f64
}
