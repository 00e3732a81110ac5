//! The search for the best settings: first finds the knobs that have an effect, then tries all settings, or pairs of
//! knobs in turn.

use crate::at::At;
use crate::error::Error;
use crate::job::Measure;
use crate::machine::DescribedMachine;
use crate::metric::{self, Quality};
use crate::sweep::RunOptions;
use crate::tune::knob::Knob;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use system::Experiment;

/// Rates that differ by less than this share count as equal.
pub const EQUAL: f64 = 5e-4;

/// The largest number of settings that are all tried.
const MOST_SETTINGS: usize = 768;

/// Why the search ends early.
pub(crate) enum Stop {
    Interrupted,
    Error(Error),
}

/// The index of a value for each knob.
type Setting = Vec<usize>;

pub(crate) struct TuneSearch<'a> {
    machine: &'a DescribedMachine,
    experiment: &'a Experiment,
    points: &'a [At],
    measure: Measure,
    knobs: &'a [Knob],
    options: &'a RunOptions<'a>,
    pool: rayon::ThreadPool,
    /// The result of each setting; `None` if the machine does not accept it.
    known: BTreeMap<Setting, Option<f64>>,
}

impl<'a> TuneSearch<'a> {
    pub fn new(
        machine: &'a DescribedMachine,
        experiment: &'a Experiment,
        points: &'a [At],
        measure: Measure,
        knobs: &'a [Knob],
        options: &'a RunOptions<'a>,
    ) -> Result<TuneSearch<'a>, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build();
        let pool = pool.map_err(|error| Error::asked(error, "fewer threads"))?;
        Ok(TuneSearch { machine, experiment, points, measure, knobs, options, pool, known: BTreeMap::new() })
    }
    pub fn tried(&self) -> usize {
        self.known.len()
    }
    fn now(&self) -> Setting {
        self.knobs.iter().map(|knob| knob.now).collect()
    }
    /// The result of the present setting.
    pub fn before(&self) -> Option<f64> {
        self.known.get(&self.now()).copied().flatten()
    }

    /// The best setting so far. Of equal ones, the one with the fewest changes.
    pub fn best(&self) -> Option<(Setting, f64)> {
        let all = || self.known.iter().filter_map(|(setting, value)| Some((setting, (*value)?)));
        let best = all().map(|(_, value)| value).reduce(|a, b| if self.is_better(b, a) { b } else { a })?;
        let now = self.now();
        let equal = all().filter(|(_, value)| (value / best - 1.0).abs() <= EQUAL);
        let turned = |setting: &Setting| setting.iter().zip(&now).filter(|(a, b)| a != b).count();
        let far = |setting: &Setting| setting.iter().zip(&now).map(|(a, b)| a.abs_diff(*b)).sum::<usize>();
        let least = equal.min_by_key(|(setting, _)| (turned(setting), far(setting), (*setting).clone()));
        least.map(|(setting, value)| (setting.clone(), value))
    }

    fn is_better(&self, a: f64, b: f64) -> bool {
        if less_is_better(self.measure) { a < b } else { a > b }
    }

    pub fn run(&mut self) -> Result<(), Stop> {
        let now = self.now();
        let most: Setting = self.knobs.iter().map(|knob| knob.values.len() - 1).collect();
        let least: Setting = vec![0; self.knobs.len()];
        self.try_all(vec![now.clone()])?;
        if let Some(error) = self.complaint(&now) {
            return Err(Stop::Error(error));
        }
        let starts = [now, most, least];
        let moving = self.moving(&starts)?;
        let settings = moving.iter().map(|&knob| self.knobs[knob].values.len()).product::<usize>();
        if settings <= MOST_SETTINGS {
            let all = self.product(&starts[0], &moving);
            return self.try_all(all);
        }
        for start in starts {
            self.by_pairs(start, &moving)?;
        }
        Ok(())
    }

    /// The error if the present setting gives no result.
    fn complaint(&self, now: &Setting) -> Option<Error> {
        match self.known.get(now) {
            Some(None) => Some(Error::asked("the machine as it is does not run there", "see `lanescope run`")),
            _ => None,
        }
    }

    /// The knobs that have an effect from at least one of the starts.
    fn moving(&mut self, starts: &[Setting]) -> Result<Vec<usize>, Stop> {
        let mut moving = Vec::new();
        for knob in 0..self.knobs.len() {
            let mut all: Vec<Setting> = Vec::new();
            for start in starts {
                all.extend((0..self.knobs[knob].values.len()).map(|place| with(start, knob, place)));
            }
            self.try_all(all)?;
            let values = |start: &Setting| -> Vec<Option<f64>> {
                let settings = (0..self.knobs[knob].values.len()).map(|place| with(start, knob, place));
                settings.map(|setting| self.known.get(&setting).copied().flatten()).collect()
            };
            if starts.iter().any(|start| differ(&values(start))) {
                moving.push(knob);
            }
        }
        Ok(moving)
    }

    /// Every combination of values of some knobs, the others as in `base`.
    fn product(&self, base: &Setting, knobs: &[usize]) -> Vec<Setting> {
        knobs.iter().fold(vec![base.clone()], |all, &knob| {
            let places = 0..self.knobs[knob].values.len();
            all.iter().flat_map(|setting| places.clone().map(move |place| with(setting, knob, place))).collect()
        })
    }

    /// From `start`, changes pairs of knobs until no pair improves the result.
    fn by_pairs(&mut self, start: Setting, moving: &[usize]) -> Result<(), Stop> {
        let mut here = start;
        loop {
            let mut better = false;
            for (number, &a) in moving.iter().enumerate() {
                for &b in &moving[number + 1..] {
                    let all = self.product(&here, &[a, b]);
                    self.try_all(all.clone())?;
                    let value = |setting: &Setting| self.known.get(setting).copied().flatten();
                    let best = all.into_iter().filter(|s| value(s).is_some()).reduce(|best, setting| {
                        match (value(&setting), value(&best)) {
                            (Some(x), Some(y)) if self.is_better(x, y) => setting,
                            _ => best,
                        }
                    });
                    let Some(best) = best else { continue };
                    let worth = match (value(&best), value(&here)) {
                        (Some(x), Some(y)) => self.is_better(x, y) && (x / y - 1.0).abs() > EQUAL,
                        (found, _) => found.is_some(),
                    };
                    if worth {
                        here = best;
                        better = true;
                    }
                }
            }
            if !better {
                return Ok(());
            }
        }
    }

    /// Simulates the settings whose results are not known yet.
    fn try_all(&mut self, settings: Vec<Setting>) -> Result<(), Stop> {
        let new: BTreeSet<Setting> = settings.into_iter().filter(|s| !self.known.contains_key(s)).collect();
        let new: Vec<Setting> = new.into_iter().collect();
        let found: Vec<Result<Option<f64>, Stop>> =
            self.pool.install(|| new.par_iter().with_max_len(1).map(|setting| self.one(setting)).collect());
        for (setting, value) in new.into_iter().zip(found) {
            let value = value?;
            self.known.insert(setting, value);
        }
        Ok(())
    }

    /// The mean over the points: the geometric mean, so that a point with a low rate counts as much as others.
    fn one(&self, setting: &Setting) -> Result<Option<f64>, Stop> {
        let sets = self.knobs.iter().zip(setting).flat_map(|(knob, &place)| knob.values[place].1.iter());
        let Ok(machine) = self.machine.with(sets) else { return Ok(None) };
        let mut sum = 0.0;
        for at in self.points {
            if self.options.interrupted.load(Ordering::Relaxed) {
                return Err(Stop::Interrupted);
            }
            let Ok(job) = machine.job(self.experiment, at.clone()) else { return Ok(None) };
            let (interrupted, kinds) = (Some(self.options.interrupted), self.options.kinds);
            let sim_options = sim::Options { interrupted, kinds, ..sim::Options::default() };
            let outcome = match sim::run(&job.scenario, &sim_options) {
                Ok(outcome) => outcome,
                Err(why) if why.is_internal() => {
                    return Err(Stop::Error(Error::stuck(format!("{} {}", job.experiment, job.at), why)));
                }
                Err(_) => return Ok(None),
            };
            if outcome.partial {
                return Err(Stop::Interrupted);
            }
            let value = metric::simulated(self.measure.quality, self.measure.unit, &job.scenario, &outcome);
            let Some(value) = value.filter(|value| *value > 0.0) else { return Ok(None) };
            sum += (value / job.divisor as f64).ln();
            (self.options.step)();
        }
        Ok(Some((sum / self.points.len() as f64).exp()))
    }
}

fn with(setting: &Setting, knob: usize, place: usize) -> Setting {
    let mut new = setting.clone();
    new[knob] = place;
    new
}

/// True if values differ by more than [`EQUAL`], or if some are missing.
fn differ(values: &[Option<f64>]) -> bool {
    let numbers: Vec<f64> = values.iter().copied().flatten().collect();
    let (low, high) = numbers.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &n| (low.min(n), high.max(n)));
    numbers.len() < values.len() || high > low * (1.0 + EQUAL)
}

/// True if lower values are better.
fn less_is_better(measure: Measure) -> bool {
    measure.quality == Quality::LATENCY
}
