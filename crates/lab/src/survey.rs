//! Surveys: any fields and axes over any values, all combinations or samples. Every finished point is written to disk
//! at once.
//!
//! What it is not: `sweep` runs points in parallel and does not use files. A survey chooses the points and stores the
//! results. An interrupted survey that is resumed gives the same bytes as one that was not interrupted.

mod dimension;
mod journal;
mod point;
mod record;

pub use dimension::{Dimension, Values};
pub use journal::Journal;
pub use point::Point;
pub use record::{Record, columns, is_number};

use crate::at::At;
use crate::cause::{self, Effort, Moves, SearchOptions, Whose};
use crate::error::Error;
use crate::fit::By;
use crate::machine::DescribedMachine;
use crate::measured::Measured;
use crate::reference::Reference;
use crate::report::{self, PointFigure};
use crate::sweep::{RunOptions, Shares, Work};
use rayon::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use system::Experiment;

/// The largest number of points; more are taken as a mistake.
const MOST_POINTS: usize = 1_000_000;
/// The length of the sequence of samples (`sobol_burley`).
const MOST_SAMPLES: usize = 1 << 16;
/// The work that one point counts for in progress reports.
pub const WHOLE_POINT: u64 = 1000;
/// The option that asks for a dimension.
const OPTION: &str = "--over";

/// How the values of the dimensions are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueChoice {
    /// Every combination.
    Full,
    /// Samples of a scrambled Sobol sequence. The first n samples do not depend on the number of samples.
    Sampled {
        /// The number of samples.
        count: usize,
        /// The seed. Another seed gives other samples.
        seed: u32,
    },
}

/// All points, and the machine that they are run on.
pub struct Survey<'a> {
    machine: &'a DescribedMachine,
    dimensions: &'a [Dimension],
    /// The points, ordered by experiment, then by described point.
    pub points: Vec<Point>,
    by: By,
}

impl<'a> Survey<'a> {
    /// Builds the points of some experiments, over some dimensions.
    ///
    /// # Errors
    /// An axis or a field that does not exist, a range without a number of values, too many points.
    pub fn new(
        machine: &'a DescribedMachine,
        experiments: &[&Experiment],
        dimensions: &'a [Dimension],
        choice: ValueChoice,
        by: By,
    ) -> Result<Survey<'a>, Error> {
        let combinations = combinations(dimensions, choice)?;
        let swept = swept(machine, dimensions, &combinations)?;
        let mut points = Vec::new();
        for experiment in experiments.iter().filter(|experiment| experiment.formula.is_none()) {
            check_axes(experiment, dimensions)?;
            let mut described = machine.points(experiment, &[])?;
            for axis in dimensions.iter().filter(|dimension| dimension.is_axis()) {
                described = described.into_iter().map(|at| at.without(&axis.name)).collect();
            }
            let mut seen = std::collections::BTreeSet::new();
            described.retain(|at| seen.insert(at.clone()));
            if described.len().saturating_mul(combinations.len()) > MOST_POINTS {
                let what = format!("{} x {} points are too many", described.len(), combinations.len());
                return Err(Error::asked(what, format!("at most {MOST_POINTS}: fewer values, or --sample")));
            }
            for at in described {
                let of = |values: &Vec<String>| Point {
                    experiment: experiment.name.clone(),
                    at: placed(&at, dimensions, values),
                    values: values.clone(),
                };
                for point in combinations.iter().map(of) {
                    swept.agree(experiment, &point.at)?;
                    points.push(point);
                }
            }
        }
        Ok(Survey { machine, dimensions, points, by })
    }

    /// A text that identifies this survey and the machine as it is described now.
    pub fn fingerprint(&self) -> String {
        let mut hasher = DefaultHasher::new();
        env!("CARGO_PKG_VERSION").hash(&mut hasher);
        format!("{:?} {:?}", self.machine, self.by).hash(&mut hasher);
        record::columns(self.dimensions).hash(&mut hasher);
        self.points.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Runs the points that `journal` does not have yet. True if completed, false if interrupted.
    ///
    /// # Errors
    /// A journal that cannot be written; threads that cannot be started; an internal error; two settings of one field.
    pub fn run(
        &self,
        journal: &mut Journal,
        references: &[Reference],
        options: &RunOptions<'_>,
    ) -> Result<bool, Error> {
        self.run_watched(journal, references, options, &|_| ())
    }

    /// As [`Survey::run`]. Reports progress to `watch`: each point counts as [`WHOLE_POINT`], or more if its work
    /// grows.
    ///
    /// # Errors
    /// As [`Survey::run`].
    pub fn run_watched(
        &self,
        journal: &mut Journal,
        references: &[Reference],
        options: &RunOptions<'_>,
        watch: &(dyn Fn(Work) + Sync),
    ) -> Result<bool, Error> {
        self.run_of(0..self.points.len(), journal, references, options, watch)
    }

    /// As [`Survey::run_watched`], of the points with these numbers only.
    ///
    /// # Errors
    /// As [`Survey::run`].
    pub fn run_of(
        &self,
        numbers: impl Iterator<Item = usize>,
        journal: &mut Journal,
        references: &[Reference],
        options: &RunOptions<'_>,
        watch: &(dyn Fn(Work) + Sync),
    ) -> Result<bool, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build();
        let pool = pool.map_err(|error| Error::asked(error, "fewer threads"))?;
        let open: Vec<usize> = numbers.filter(|&number| number < self.points.len() && !journal.has(number)).collect();
        let kept = Mutex::new(journal);
        let one = |&number: &usize| {
            if options.interrupted.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let shares = Shares::new(WHOLE_POINT, watch);
            let Some(records) = self.records(&self.points[number], references, options, &shares)? else {
                return Ok(false);
            };
            shares.end();
            let mut journal = kept.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            journal.keep(number, records)?;
            (options.step)();
            Ok(true)
        };
        let done: Vec<Result<bool, Error>> = pool.install(|| open.par_iter().with_max_len(1).map(one).collect());
        let done = done.into_iter().collect::<Result<Vec<bool>, Error>>()?;
        Ok(done.into_iter().all(|finished| finished))
    }

    /// The records of one point; `None` if interrupted. A point that the machine does not accept gives a record with
    /// the reason.
    fn records(
        &self,
        point: &Point,
        references: &[Reference],
        options: &RunOptions<'_>,
        shares: &Shares<'_>,
    ) -> Result<Option<Vec<Record>>, Error> {
        let fields = self.dimensions.iter().zip(&point.values).filter(|(dimension, _)| !dimension.is_axis());
        let sets = fields.map(|(dimension, value)| format!("{}={value}", dimension.name));
        let run = || -> Result<Option<Vec<Record>>, Error> {
            let machine = self.machine.asked(OPTION, sets)?;
            let experiment = machine.description().experiment(&point.experiment)?;
            let job = machine.job(experiment, point.at.clone())?;
            let measures = machine.measures(experiment, references)?;
            let limits = limit::limit(&job.scenario);
            if self.by == By::Limit {
                let of = |m: &report::Measure| record::bounded(point, self.machine.name(), m, &job, &limits);
                return Ok(Some(measures.iter().flat_map(of).collect()));
            }
            let tell = |told: sim::Told| shares.tell(told);
            let watch = Some(sim::Watch(&tell));
            let sim_options = sim::Options {
                interrupted: Some(options.interrupted),
                kinds: options.kinds,
                watch,
                ..sim::Options::default()
            };
            let outcome = sim::run(&job.scenario, &sim_options)
                .map_err(|why| Error::stuck(format!("{} {}", job.experiment, job.at), why))?;
            if outcome.partial {
                return Ok(None);
            }
            let mut measured = Measured { job, limits, outcome, causes: Vec::new() };
            let (interrupted, kinds) = (options.interrupted, options.kinds);
            let search =
                SearchOptions { threads: None, interrupted, kinds, whose: Whose::Slowest, effort: Effort::AsTheRun };
            cause::of(&mut measured, Moves::of(&measures), &search);
            if options.interrupted.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let figures: Vec<PointFigure> = report::figures(&measured, &measures, &[]);
            Ok(Some(figures.iter().map(|f| record::simulated(point, &measured, f)).collect()))
        };
        match run() {
            Ok(records) => Ok(records),
            Err(error) if error.is_internal() || error.is_of_two_settings() => Err(error),
            Err(error) => Ok(Some(vec![record::impossible(point, self.machine.name(), &error)])),
        }
    }
}

/// Every combination of values, or the samples.
fn combinations(dimensions: &[Dimension], choice: ValueChoice) -> Result<Vec<Vec<String>>, Error> {
    if let ValueChoice::Sampled { count, seed } = choice {
        if count > MOST_SAMPLES || dimensions.len() > 256 {
            let right = format!("at most {MOST_SAMPLES} samples of 256 dimensions");
            return Err(Error::asked(format!("{count} samples are too many"), right));
        }
        let sample = |number: usize| {
            let of = |(place, dimension): (usize, &Dimension)| {
                dimension.at(f64::from(sobol_burley::sample(number as u32, place as u32, seed)))
            };
            dimensions.iter().enumerate().map(of).collect()
        };
        return Ok((0..count).map(sample).collect());
    }
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for dimension in dimensions {
        let Values::Listed(values) = &dimension.values else {
            let what = format!("nobody says how many values `{}` has", dimension.name);
            return Err(Error::asked(what, "write LOW..HIGH/9 or LOW..HIGH..STEP, or --sample N"));
        };
        if all.len().saturating_mul(values.len()) > MOST_POINTS {
            let right = format!("at most {MOST_POINTS} points: fewer values, or --sample");
            return Err(Error::asked("too many combinations", right));
        }
        let with = |known: &Vec<String>| {
            let known = known.clone();
            values.iter().map(move |value| [known.clone(), vec![value.clone()]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    Ok(all)
}

/// The machine with the swept fields at their first values. Refuses a dimension that is given twice, or that has
/// another setting.
fn swept(
    machine: &DescribedMachine,
    dimensions: &[Dimension],
    combinations: &[Vec<String>],
) -> Result<DescribedMachine, Error> {
    for (number, dimension) in dimensions.iter().enumerate() {
        if dimensions[..number].iter().any(|other| other.name == dimension.name) {
            let what = format!("`{OPTION} {}=...` stands twice", dimension.name);
            return Err(Error::asked(what, format!("all values in one: `{OPTION} {}=1,2,4`", dimension.name)));
        }
    }
    let first = dimensions.iter().zip(combinations.first().into_iter().flatten());
    let fields = first.filter(|(dimension, _)| !dimension.is_axis());
    machine.asked(OPTION, fields.map(|(dimension, value)| format!("{}={value}", dimension.name)))
}

/// The point of the experiment, with the axes that are dimensions.
fn placed(at: &At, dimensions: &[Dimension], values: &[String]) -> At {
    let axes = dimensions.iter().zip(values).filter(|(dimension, _)| dimension.is_axis());
    axes.fold(at.clone(), |at, (axis, value)| at.with(&axis.name, value))
}

fn check_axes(experiment: &Experiment, dimensions: &[Dimension]) -> Result<(), Error> {
    for dimension in dimensions.iter().filter(|dimension| dimension.is_axis()) {
        experiment.axis(&dimension.name)?;
    }
    Ok(())
}
