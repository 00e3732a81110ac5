//! The best settings within what the devices support, found by simulation, and how to set them. The settings are
//! Max_Payload_Size, Max_Read_Request_Size, tags, and everything else that a driver chooses (fields that their kinds
//! mark as `chosen`).
//!
//! Knobs without effect are not changed. All combinations of the others are tried if there are not too many. Otherwise
//! pairs of knobs are tried, repeatedly and from several starts, until no pair improves the result. Of equally good
//! settings, those with the fewest changes are taken.

mod knob;
mod registers;
mod search;

pub use knob::Knob;
pub use registers::RegisterWrite;
pub use search::EQUAL;

use crate::at::At;
use crate::error::Error;
use crate::job::Measure;
use crate::machine::DescribedMachine;
use crate::reference::Reference;
use crate::sweep::RunOptions;
use search::{Stop, TuneSearch};
use system::Experiment;

/// A change of one knob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The knob, as in `Max_Payload_Size`, `card.read_requests`.
    pub what: String,
    /// The present value.
    pub from: String,
    /// The recommended value.
    pub to: String,
    /// The overrides that set it in a description, as `--set` takes them.
    pub sets: Vec<String>,
}

/// The result of the search.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The quantity that is optimised.
    pub measure: Measure,
    /// Its value before: the mean over the points, in the measure's unit.
    pub before: f64,
    /// Its value with all changes.
    pub after: f64,
    /// The changes; empty if the present settings are the best.
    pub turns: Vec<Turn>,
    /// The knobs that were tried, each with its number of values.
    pub knobs: Vec<(String, usize)>,
    /// The register writes: one `setpci` line each.
    pub writes: Vec<RegisterWrite>,
    /// Notes to be read before the registers are written.
    pub notes: Vec<String>,
    /// The number of settings that were simulated.
    pub tried: usize,
    /// False if interrupted: the result is then the best so far.
    pub complete: bool,
}

/// Searches for the best settings for the flows of an experiment at some points.
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
    let mut search = TuneSearch::new(machine, experiment, points, measure, &knobs, options)?;
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
    let writes = registers::writes(&scenario.system, &tuned);
    Ok(Tuned {
        measure,
        before: search.before().unwrap_or(after),
        after,
        turns,
        knobs: knobs.iter().map(|knob| (knob.what.clone(), knob.values.len())).collect(),
        notes: registers::notes(&writes, &scenario, &tuned),
        writes,
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
