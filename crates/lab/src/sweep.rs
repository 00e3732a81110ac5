//! Simulates points of experiments in parallel.

use crate::at::At;
use crate::cause::Confirmed;
use crate::error::Error;
use crate::metric::{self, Over, Quality};
use crate::unit::Unit;
use limit::Limits;
use rayon::prelude::*;
use sim::parts::Provider;
use sim::{FlowOutcome, Options, Outcome, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use system::Scenario;

/// One point to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name of the machine.
    pub system: String,
    /// The name of the experiment.
    pub experiment: String,
    /// The point: a value for every axis.
    pub at: At,
    /// The machine settled at the point, and its flows.
    pub scenario: Scenario,
    /// The divisor of each measured value: 2 for a round trip, otherwise mostly 1.
    pub divisor: u64,
}

impl Job {
    /// The payload that its flows move, in bytes.
    pub fn bytes(&self) -> u64 {
        self.scenario.flows.iter().fold(0, |sum, flow| sum.saturating_add(flow.volume.0))
    }
}

/// One point that was run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The job that was run.
    pub job: Job,
    /// The limits in closed form.
    pub limits: Limits,
    /// The result of the simulation.
    pub outcome: Outcome,
    /// What limits each flow, after a search ([`crate::cause::find`]); empty before.
    pub causes: Vec<Option<Confirmed>>,
}

impl Measured {
    /// The simulated value of `quality`.
    pub fn simulated(&self, quality: Quality, unit: Unit) -> Option<f64> {
        metric::simulated(quality, unit, &self.job.scenario, &self.outcome).map(|value| self.share(value))
    }
    /// The same over some flows.
    pub fn simulated_over(&self, quality: Quality, over: Over, unit: Unit) -> Option<f64> {
        let found = metric::simulated_over(quality, over, unit, &self.job.scenario, &self.outcome);
        found.map(|value| self.share(value))
    }
    /// The bound of `quality` from the limits.
    pub fn limit(&self, quality: Quality, unit: Unit) -> Option<f64> {
        metric::bounded(quality, unit, &self.job.scenario, &self.limits).map(|value| self.share(value))
    }
    /// The same over some flows.
    pub fn limit_over(&self, quality: Quality, over: Over, unit: Unit) -> Option<f64> {
        let bound = metric::bounded_over(quality, over, unit, &self.job.scenario, &self.limits);
        bound.map(|value| self.share(value))
    }
    /// The index of the flow with the lowest rate among some flows. Its bottleneck is shown if there is space for only
    /// one.
    pub fn slowest_place(&self, over: Over) -> Option<usize> {
        let flows = self.job.scenario.flows.iter().zip(&self.outcome.flows).enumerate();
        let chosen = flows.filter(|(_, (flow, _))| over.holds(flow)).map(|(place, (_, found))| (place, rate(found)));
        chosen.reduce(|a, b| if b.1 < a.1 { b } else { a }).map(|(place, _)| place)
    }
    /// The outcome of that flow.
    pub fn slowest(&self, over: Over) -> Option<&FlowOutcome> {
        self.outcome.flows.get(self.slowest_place(over)?)
    }
    /// What limits that flow, if it was found.
    pub fn cause_of(&self, over: Over) -> Option<&Confirmed> {
        self.cause(self.slowest_place(over)?)
    }
    /// What limits `flow`, if it was found.
    pub fn cause(&self, flow: usize) -> Option<&Confirmed> {
        self.causes.get(flow).and_then(Option::as_ref)
    }
    fn share(&self, value: f64) -> f64 {
        value / self.job.divisor as f64
    }
}

/// The rate by which flows are compared: in the window or, if there is no window, from first packet to last packet.
pub fn rate(flow: &FlowOutcome) -> f64 {
    flow.stream.unwrap_or(flow.timer).0
}

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
