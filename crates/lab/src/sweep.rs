//! Simulates points of experiments in parallel.

use crate::error::Error;
pub use crate::job::Job;
pub use crate::measured::{Measured, rate};
use rayon::prelude::*;
use sim::parts::Provider;
use sim::{Options, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Options of a run.
pub struct RunOptions<'a> {
    /// The number of points run in parallel; `None`: the number of cores.
    pub threads: Option<usize>,
    /// Set to true to end the run early, with the points finished so far.
    pub interrupted: &'a AtomicBool,
    /// Called after each point.
    pub step: &'a (dyn Fn() + Sync),
    /// Providers of parts whose kinds the simulation does not have itself.
    pub kinds: &'a [&'a dyn Provider],
}

/// The points that were run.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The finished points, in the order of the jobs. If interrupted, some are missing.
    pub done: Vec<Measured>,
    /// False if interrupted.
    pub complete: bool,
}

/// Runs all jobs. The results and their order do not depend on the number of threads.
///
/// # Errors
/// The first job, in their order, that could not be run; threads that cannot be started.
pub fn run(jobs: Vec<Job>, options: &RunOptions<'_>) -> Result<Sweep, Error> {
    run_watched(jobs, options, &|_| ())
}

/// As [`run`]. Reports progress to `watch`, in bytes of payload. The sum over each finished job is [`Job::bytes`], plus
/// the additional work that was reported for it.
///
/// # Errors
/// As [`run`].
pub fn run_watched(jobs: Vec<Job>, options: &RunOptions<'_>, watch: &(dyn Fn(Work) + Sync)) -> Result<Sweep, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| Error::asked(error, "fewer threads"))?;
    let total = jobs.len();
    let results: Vec<Option<Result<Measured, Error>>> =
        pool.install(|| jobs.into_par_iter().with_max_len(1).map(|job| one(job, options, watch)).collect());
    let done: Vec<Measured> = results.into_iter().flatten().collect::<Result<_, _>>()?;
    let complete = done.len() == total;
    Ok(Sweep { done, complete })
}

/// Runs one job and reports every event to `sink`.
///
/// # Errors
/// A job that could not be run.
pub fn run_traced(
    job: Job,
    kinds: &[&dyn Provider],
    interrupted: &AtomicBool,
    sink: &mut impl sim::trace::Sink,
) -> Result<Sweep, Error> {
    let limits = limit::limit(&job.scenario);
    let sim_options = Options { interrupted: Some(interrupted), kinds, ..Options::default() };
    match sim::run_traced(&job.scenario, &sim_options, sink) {
        Ok(outcome) if outcome.partial => Ok(Sweep { done: Vec::new(), complete: false }),
        Ok(outcome) => Ok(Sweep { done: vec![Measured { job, limits, outcome, causes: Vec::new() }], complete: true }),
        Err(source) => Err(stuck(&job, source)),
    }
}

fn stuck(job: &Job, why: sim::SimError) -> Error {
    Error::stuck(format!("{} {} {}", job.system, job.experiment, job.at), why)
}

/// Runs one job; `None` if it was not finished.
fn one(job: Job, options: &RunOptions<'_>, watch: &(dyn Fn(Work) + Sync)) -> Option<Result<Measured, Error>> {
    if options.interrupted.load(Ordering::Relaxed) {
        return None;
    }
    let limits = limit::limit(&job.scenario);
    let shares = Shares::new(job.bytes(), watch);
    let tell = |told: sim::Told| shares.tell(told);
    let sim_options = Options {
        interrupted: Some(options.interrupted),
        kinds: options.kinds,
        watch: Some(Watch(&tell)),
        ..Options::default()
    };
    let outcome = sim::run(&job.scenario, &sim_options);
    if outcome.as_ref().is_ok_and(|outcome| !outcome.partial) {
        shares.end();
    }
    (options.step)();
    match outcome {
        Ok(outcome) if outcome.partial => None,
        Ok(outcome) => Some(Ok(Measured { job, limits, outcome, causes: Vec::new() })),
        Err(source) => Some(Err(stuck(&job, source))),
    }
}

/// Progress since the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The additional work that is done.
    pub done: u64,
    /// The additional work that is to do, beyond what was known.
    pub more: u64,
}

/// The progress of one run. Each share is reported once.
pub(crate) struct Shares<'a> {
    /// The work of the whole run, as known at first; then as known now.
    at_first: u64,
    whole: AtomicU64,
    told: AtomicU64,
    watch: &'a (dyn Fn(Work) + Sync),
}

impl<'a> Shares<'a> {
    /// The progress of a run whose work is `whole`.
    pub fn new(whole: u64, watch: &'a (dyn Fn(Work) + Sync)) -> Shares<'a> {
        Shares { at_first: whole, whole: AtomicU64::new(whole), told: AtomicU64::new(0), watch }
    }

    /// Reports the progress of the simulation.
    pub fn tell(&self, told: sim::Told) {
        let worth = |bytes: u64| {
            let worth = u128::from(self.at_first) * u128::from(bytes) / u128::from(told.at_first.max(1));
            u64::try_from(worth).unwrap_or(u64::MAX)
        };
        self.now(worth(told.done.min(told.of)), worth(told.of));
    }

    /// Reports the end of the run.
    pub fn end(&self) {
        let whole = self.whole.load(Ordering::Relaxed);
        self.now(whole, whole);
    }

    fn now(&self, done: u64, of: u64) {
        let more = of.saturating_sub(self.whole.fetch_max(of, Ordering::Relaxed));
        let done = done.saturating_sub(self.told.fetch_max(done, Ordering::Relaxed));
        if (done, more) != (0, 0) {
            (self.watch)(Work { done, more });
        }
    }
}
