//! What the machine gives on every row, for many trials at once.

use crate::at::At;
use crate::error::Error;
use crate::fit::parameter::Parameter;
use crate::fit::result::{By, FitRow, RowUse};
use crate::machine::DescribedMachine;
use crate::metric;
use crate::reference::Row;
use crate::sweep::RunOptions;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use system::Scenario;

/// See [`Model::negligible`].
const NEGLIGIBLE: f64 = 1e-3;

/// A value for every parameter, as written in a description.
pub(crate) type Trial = Vec<String>;

/// Why no result is returned.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The user interrupted the fit.
    Interrupted,
    /// A point cannot be run.
    Error(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Error(error)
    }
}

/// Values of some rows, by row index; `None` if the machine does not accept the trial.
type Values = Option<Vec<(usize, f64)>>;

/// Reads the value of a row from one run.
type Reader<'s> = Box<dyn Fn(&Row) -> Option<f64> + 's>;

/// A point, and the rows that need it.
struct Place {
    row: usize,
    at: At,
    asked_by: Vec<usize>,
}

/// The machine with its unknown figures, and the rows.
pub(crate) struct Model<'a> {
    pub machine: &'a DescribedMachine,
    pub parameters: &'a [Parameter],
    pub rows: &'a [(Row, RowUse)],
    options: &'a RunOptions<'a>,
    pool: rayon::ThreadPool,
    places: Vec<Place>,
    simulated: AtomicUsize,
}

impl<'a> Model<'a> {
    pub fn new(
        machine: &'a DescribedMachine,
        parameters: &'a [Parameter],
        rows: &'a [(Row, RowUse)],
        options: &'a RunOptions<'a>,
    ) -> Result<Model<'a>, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build();
        let pool = pool.map_err(|error| Error::asked(error, "fewer threads"))?;
        let mut places: Vec<Place> = Vec::new();
        for (number, (row, _)) in rows.iter().enumerate() {
            for at in machine.points_of_row(row)? {
                let same = |p: &&mut Place| p.at == at && rows[p.row].0.experiment == row.experiment;
                match places.iter_mut().find(same) {
                    Some(place) => place.asked_by.push(number),
                    None => {
                        let job = machine.job_of_row(row, at.clone())?;
                        let single = metric::single(row.metric.quality, row.unit, &job.scenario);
                        single.map_err(|(what, right)| row.place.error(what, right))?;
                        places.push(Place { row: number, at, asked_by: vec![number] });
                    }
                }
            }
        }
        Ok(Model { machine, parameters, rows, options, pool, places, simulated: AtomicUsize::new(0) })
    }
    /// The number of points that were simulated.
    pub fn simulated(&self) -> usize {
        self.simulated.load(Ordering::Relaxed)
    }
    /// The rows that are fitted on.
    pub fn fitted_rows(&self) -> Vec<&'a Row> {
        self.rows.iter().filter(|(_, part)| *part == RowUse::Fitted).map(|(row, _)| row).collect()
    }
    /// The number of rows that are fitted on.
    pub fn fitted(&self) -> usize {
        self.rows.iter().filter(|(_, part)| *part == RowUse::Fitted).count()
    }
    /// The share of a figure's expected size below which two values of it are one.
    pub fn negligible(&self) -> f64 {
        NEGLIGIBLE
    }
    fn sets(&self, trial: &Trial) -> Vec<String> {
        self.parameters.iter().zip(trial).flat_map(|(p, value)| p.sets(value)).collect()
    }

    /// ln(found / measured) of every fitted row, for each trial; `None` for a trial that the machine does not accept.
    pub fn residuals(&self, trials: &[Trial], by: By) -> Result<Vec<Option<Vec<f64>>>, Stop> {
        let fitted = |row: usize| self.rows[row].1 == RowUse::Fitted;
        let all = self.found(trials, by, &fitted)?;
        let far = |(row, found): (usize, &Option<f64>)| {
            fitted(row).then(|| {
                let value = self.rows[row].0.value.single().unwrap_or(f64::NAN);
                found.map_or(f64::NAN, |found| (found.max(f64::MIN_POSITIVE) / value).ln())
            })
        };
        let of_trial = |found: Vec<Option<f64>>| found.iter().enumerate().filter_map(far).collect::<Vec<f64>>();
        Ok(all.into_iter().map(|found| found.map(of_trial).filter(|r| r.iter().all(|x| x.is_finite()))).collect())
    }

    /// Every row with the value and the error that a trial gives.
    pub fn compared(&self, trial: &Trial, by: By) -> Result<Vec<FitRow>, Stop> {
        let found = self.found(std::slice::from_ref(trial), by, &|_| true)?.pop().flatten();
        let Some(found) = found else { return Err(Stop::Error(self.complaint(trial))) };
        let one = |(found, (row, part)): (Option<f64>, &(Row, RowUse))| Some(row_of(row, *part, found?));
        Ok(found.into_iter().zip(self.rows).filter_map(one).collect())
    }

    /// The fitted rows, computed from their residuals.
    pub fn left_over(&self, residuals: &[f64]) -> Vec<FitRow> {
        let fitted = self.rows.iter().filter(|(_, part)| *part == RowUse::Fitted).zip(residuals);
        fitted.map(|((row, part), r)| row_of(row, *part, row.value.low * r.exp())).collect()
    }

    /// The values of the rows that `wanted` selects, for each trial.
    fn found(
        &self,
        trials: &[Trial],
        by: By,
        wanted: &(dyn Fn(usize) -> bool + Sync),
    ) -> Result<Vec<Option<Vec<Option<f64>>>>, Stop> {
        let machines: Vec<Option<DescribedMachine>> =
            trials.iter().map(|t| self.machine.with(self.sets(t)).ok()).collect();
        let places: Vec<&Place> = self.places.iter().filter(|p| p.asked_by.iter().any(|&row| wanted(row))).collect();
        let tasks: Vec<(usize, &Place)> =
            (0..trials.len()).flat_map(|trial| places.iter().map(move |&place| (trial, place))).collect();
        let answers: Vec<Result<Values, Stop>> = self.pool.install(|| {
            let one = |&(trial, place): &(usize, &Place)| match &machines[trial] {
                Some(machine) => self.at(machine, place, by),
                None => Ok(None),
            };
            tasks.par_iter().with_max_len(1).map(one).collect()
        });
        let mut all: Vec<Option<Vec<Option<f64>>>> = vec![Some(vec![None; self.rows.len()]); trials.len()];
        for (&(trial, _), answer) in tasks.iter().zip(answers) {
            match answer? {
                Some(values) => values.into_iter().for_each(|(row, found)| self.farther(&mut all[trial], row, found)),
                None => all[trial] = None,
            }
        }
        Ok(all)
    }

    /// If a row has several points, keep the value that lies farthest from the measurement.
    fn farther(&self, values: &mut Option<Vec<Option<f64>>>, row: usize, found: f64) {
        let Some(slot) = values.as_mut().and_then(|values| values.get_mut(row)) else { return };
        let error = |found: f64| self.rows[row].0.metric.error_percent(found, self.rows[row].0.value).abs();
        if slot.is_none_or(|old| error(found) > error(old)) {
            *slot = Some(found);
        }
    }

    /// The values of the rows of one point; `None` if the machine does not accept the trial there.
    fn at(&self, machine: &DescribedMachine, place: &Place, by: By) -> Result<Values, Stop> {
        if self.options.interrupted.load(Ordering::Relaxed) {
            return Err(Stop::Interrupted);
        }
        let Ok(job) = machine.job_of_row(&self.rows[place.row].0, place.at.clone()) else { return Ok(None) };
        let value = self.answer(&job.scenario, by)?;
        (self.options.step)();
        let Some(value) = value else { return Ok(None) };
        let read = |&row: &usize| Some((row, value(&self.rows[row].0)? / job.divisor as f64));
        Ok(Some(place.asked_by.iter().filter_map(read).collect()))
    }

    /// A reader of row values from one run; `None` if nothing moves.
    fn answer<'s>(&self, scenario: &'s Scenario, by: By) -> Result<Option<Reader<'s>>, Stop> {
        if by == By::Limit {
            let limits = limit::limit(scenario);
            return Ok(Some(Box::new(move |row| metric::bounded(row.metric.quality, row.unit, scenario, &limits))));
        }
        self.simulated.fetch_add(1, Ordering::Relaxed);
        let (interrupted, kinds) = (Some(self.options.interrupted), self.options.kinds);
        let sim_options = sim::Options { interrupted, kinds, ..sim::Options::default() };
        match sim::run(scenario, &sim_options) {
            Ok(outcome) if outcome.partial => Err(Stop::Interrupted),
            Ok(outcome) => {
                Ok(Some(Box::new(move |row| metric::simulated(row.metric.quality, row.unit, scenario, &outcome))))
            }
            Err(why) if why.is_internal() => Err(Stop::Error(Error::stuck(self.machine.name().to_string(), why))),
            Err(_) => Ok(None),
        }
    }

    /// The error of a trial that the machine does not accept.
    pub fn complaint(&self, trial: &Trial) -> Error {
        let tried = self.machine.with(self.sets(trial)).and_then(|machine| {
            self.places.iter().try_for_each(|place| {
                let job = machine.job_of_row(&self.rows[place.row].0, place.at.clone())?;
                let sim_options = sim::Options { kinds: self.options.kinds, ..sim::Options::default() };
                let run = sim::run(&job.scenario, &sim_options);
                let at = || format!("{} {} {}", job.system, job.experiment, job.at);
                run.map(drop).map_err(|why| Error::stuck(at(), why))
            })
        });
        tried.err().unwrap_or_else(|| Error::asked("a row reads nothing there", "another start: `--start PATH=VALUE`"))
    }
}

fn row_of(row: &Row, part: RowUse, found: f64) -> FitRow {
    FitRow { row: row.clone(), found, error_percent: row.metric.error_percent(found, row.value), part }
}
