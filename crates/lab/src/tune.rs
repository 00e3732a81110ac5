//! The best settings within what the devices allow: Max_Payload_Size, Max_Read_Request_Size, tags, and whatever else a
//! driver chooses (the fields that their kinds call `chosen`), found by simulation, and how to set them.
//!
//! Knobs that move nothing are left alone. What is left is tried in full where that is not too much, and otherwise by
//! pairs of knobs, again and again from several starts, until no pair makes it faster. Of settings that are equally
//! good, those that change least are taken.

mod knob;
mod registers;
mod search;

pub use knob::Knob;
pub use registers::Write;

use crate::at::At;
use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::metric::Quality;
use crate::reference::Reference;
use crate::report::Measure;
use crate::sweep::RunOptions;
use pcie::PayloadSize;
use search::{Search, Stop};
use system::Experiment;

/// Rates that lie nearer than this share count as equal.
pub const EQUAL: f64 = 5e-4;

/// A knob that is turned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// As in `Max_Payload_Size`, `card.read_requests`.
    pub what: String,
    /// As it was.
    pub from: String,
    /// As it should be.
    pub to: String,
    /// What does it in a description, as `--set` takes it.
    pub sets: Vec<String>,
}

/// What the search came to.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// What is made best.
    pub measure: Measure,
    /// As it was: the mean over the points, in the measure's unit.
    pub before: f64,
    /// With everything turned.
    pub after: f64,
    /// What to turn; empty where it is at its best already.
    pub turns: Vec<Turn>,
    /// Knobs that were tried, with how many values each.
    pub knobs: Vec<(String, usize)>,
    /// How to set registers: a `setpci` line each.
    pub writes: Vec<Write>,
    /// What to know before it is done.
    pub notes: Vec<String>,
    /// Settings that were simulated.
    pub tried: usize,
    /// False where interrupted: the best so far.
    pub complete: bool,
}

/// Looks for the best settings for the flows of an experiment at some points.
///
/// # Errors
/// A point that the machine does not have or that cannot be run.
pub fn tune(
    machine: &DescribedMachine,
    experiment: &Experiment,
    points: &[At],
    references: &[Reference],
    options: &RunOptions<'_>,
) -> Result<Tuned, Error> {
    let Some(first) = points.first() else {
        return Err(Error::asked("there is no point to tune for", "an experiment with points"));
    };
    let measure = machine.measures(experiment, references)?.remove(0);
    let scenario = machine.job(experiment, first.clone())?.scenario;
    let knobs = knob::knobs(machine, experiment, first, &scenario)?;
    let mut search = Search::new(machine, experiment, points, measure, &knobs, options)?;
    let complete = match search.run() {
        Ok(()) => true,
        Err(Stop::Interrupted) => false,
        Err(Stop::Error(error)) => return Err(error),
    };
    let Some((best, after)) = search.best() else {
        return Err(Error::asked("interrupted before anything was tried", "more time"));
    };
    let turns = turns(&knobs, &best);
    let sets: Vec<String> = turns.iter().flat_map(|turn| turn.sets.clone()).collect();
    let tuned = machine.with(&sets)?.job(experiment, first.clone())?.scenario.system;
    Ok(Tuned {
        measure,
        before: search.before().unwrap_or(after),
        after,
        turns,
        knobs: knobs.iter().map(|knob| (knob.what.clone(), knob.values.len())).collect(),
        writes: registers::writes(&scenario.system, &tuned),
        notes: registers::notes(&scenario, &tuned),
        tried: search.tried(),
        complete,
    })
}

fn turns(knobs: &[Knob], best: &[usize]) -> Vec<Turn> {
    let turned = knobs.iter().zip(best).filter(|(knob, place)| **place != knob.now);
    let turn = |(knob, &place): (&Knob, &usize)| Turn {
        what: knob.what.clone(),
        from: knob.values[knob.now].0.clone(),
        to: knob.values[place].0.clone(),
        sets: knob.values[place].1.clone(),
    };
    turned.map(turn).collect()
}

/// True where less is better.
fn less_is_better(measure: Measure) -> bool {
    measure.quality == Quality::LATENCY
}

/// All sizes up to `most`.
fn sizes(most: PayloadSize) -> impl Iterator<Item = PayloadSize> {
    PayloadSize::ALL.into_iter().filter(move |&size| size <= most)
}
