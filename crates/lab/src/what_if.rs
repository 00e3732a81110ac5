//! What if one thing were better: each figure of each part, each setting and each link one step better in turn, and
//! what the limit of the flows gains by it.
//!
//! A step is half of a time, double of a rate or of a count, the next payload size, the next generation, double the
//! lanes of a part where its slot has so many, a port that is free, another listed value of an axis, the other word. Which fields there are is read from the kinds themselves, so that a kind that is added later
//! is asked as well. Mechanisms of the standard that can be switched off are no change that anybody could make.

mod figures;
mod links;
mod settings;

use crate::at::At;
use crate::error::Error;
use crate::machine::DescribedMachine;
use limit::Limits;
use rayon::prelude::*;
use system::{Bottleneck, Experiment};

/// Where a change would be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// By whoever sets the machine up: nothing has to be bought.
    Setting,
    /// At a slot, a cable, a link.
    Link,
    /// In a part.
    Part,
}

impl Sort {
    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Sort::Setting => "setting",
            Sort::Link => "link",
            Sort::Part => "part",
        }
    }
}

/// One thing made better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// As in `card.read_requests`, `host.pcie - card.pcie`, `Max_Payload_Size`.
    pub what: String,
    /// Where.
    pub sort: Sort,
    /// As it is.
    pub from: String,
    /// As it would be.
    pub to: String,
    /// What does it, as `--set` takes it.
    pub sets: Vec<String>,
    /// What does it where an axis of the experiment decides.
    pub axis: Option<(String, String)>,
}

/// What a change would bring.
#[derive(Clone, Debug)]
pub struct Gain {
    /// Which.
    pub change: Change,
    /// The sum of the flows' rates, in MB/s, with it: the mean over the points.
    pub then: f64,
    /// So much more than without.
    pub gained: f64,
    /// What would then hold the slowest flow of the first point.
    pub bottleneck: Bottleneck,
}

/// The ranking.
#[derive(Clone, Debug)]
pub struct WhatIf {
    /// The sum of the flows' rates as it is, in MB/s: the mean over the points.
    pub now: f64,
    /// What holds the slowest flow of the first point.
    pub bottleneck: Bottleneck,
    /// All that changes anything for the better, the best first; of what was tried in several ways, the best way.
    pub gains: Vec<Gain>,
    /// How many changes were tried.
    pub tried: usize,
}

/// Gains below this share of the rate are rounding.
const LEAST_GAIN: f64 = 1e-4;

/// Tries everything at some points of an experiment.
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
    // A change that the machine does not take (a size that a buffer cannot hold, a width that does not exist) is none.
    let gains = changes.into_par_iter().filter_map(|change| gain(machine, experiment, points, change, rate));
    let mut gains: Vec<Gain> = gains.filter(|gain| gain.gained > LEAST_GAIN * rate).collect();
    gains.sort_by(|a, b| b.gained.total_cmp(&a.gained).then_with(|| a.change.what.cmp(&b.change.what)));
    let mut seen = std::collections::BTreeSet::new();
    gains.retain(|gain| seen.insert(gain.change.what.clone()));
    Ok(WhatIf { now: rate, bottleneck: bottleneck.clone(), gains, tried })
}

/// Every change, whether it helps or not.
fn changes(machine: &DescribedMachine, experiment: &Experiment, points: &[At]) -> Result<Vec<Change>, Error> {
    let Some(first) = points.first() else { return Ok(Vec::new()) };
    let system = machine.job(experiment, first.clone())?.scenario.system;
    let mut all = figures::changes(&system);
    all.extend(settings::changes(machine, experiment, first, &system)?);
    all.extend(links::changes(machine, experiment, first, &system)?);
    // What an axis of the experiment sets at a point is not to be had by an override.
    for change in &mut all {
        let decides = |axis: &&system::Axis| first.get(&axis.name).is_some() && sets_same(&axis.paths(), &change.sets);
        if let Some(axis) = experiment.axes.iter().find(decides) {
            change.axis = Some((axis.name.clone(), value_of(&change.sets)));
        }
    }
    Ok(all)
}

fn sets_same(paths: &[&str], sets: &[String]) -> bool {
    matches!(sets, [set] if set.split_once('=').is_some_and(|(path, _)| paths.contains(&path)))
}

fn value_of(sets: &[String]) -> String {
    sets.first().and_then(|set| set.split_once('=')).map_or_else(String::new, |(_, value)| value.to_string())
}

fn gain(machine: &DescribedMachine, experiment: &Experiment, points: &[At], change: Change, now: f64) -> Option<Gain> {
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

/// The sum of the flows' rates at a point, in MB/s, and what holds the slowest.
fn answer(machine: &DescribedMachine, experiment: &Experiment, at: &At) -> Result<(f64, Bottleneck), Error> {
    let job = machine.job(experiment, at.clone())?;
    let limits: Limits = limit::limit(&job.scenario);
    let app = experiment.measures.first().is_none_or(|word| ["throughput", "throughput_app"].contains(&word.as_str()));
    let rate = |flow: &limit::FlowLimit| if app { flow.app } else { flow.stream }.as_mb_per_s();
    let slowest = limits.together.iter().min_by(|a, b| rate(a).total_cmp(&rate(b)));
    let none = || Error::asked(format!("no flow runs at {at}"), "a point with flows");
    let bottleneck = slowest.map(|flow| flow.bottleneck.clone()).ok_or_else(none)?;
    let (own, most) = (limits.together.iter().map(|flow| flow.stream.0).sum::<f64>(), limits.sum().0);
    let part = if own > 0.0 { most / own } else { 1.0 };
    // No more than the links between them carry.
    Ok((limits.together.iter().map(rate).sum::<f64>() * part, bottleneck))
}

fn mean(all: &[(f64, Bottleneck)]) -> f64 {
    all.iter().map(|(rate, _)| rate).sum::<f64>() / all.len().max(1) as f64
}
