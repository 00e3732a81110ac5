//! Whether the limit is a bound, and how close it is, over random machines that nobody looked at: `judge_limit [COUNT] [FIRST]`.
//!
//! Each system of `testing::described::wide` is simulated. Compared with their limits are the rate of each flow, the sum of
//! the flows over every direction of a link that several of them use, the sum of all, and the slowest flow; a flow of a
//! system with several is simulated by itself, too. A window may hold more than its time allows by what was on its way
//! when it opened: the allowance is printed.
//!
//! How close the limits are, and how good a prediction the fair shares are, is judged over longer runs of the same
//! systems, in which what is on its way at the ends of the window is next to nothing; rates above limits are looked for there, too.
//!
//! `judge_limit show SEED` prints a system. With LANESCOPE_EACH set, each flow that is far off is named. Exit code 1 where
//! any rate is above its limit or a bound of the tightness is missed.

#![allow(clippy::print_stdout)]

mod random;

use lanescope_lab::above;
use limit::Limits;
use limit::place::Way;
use random::{cpu, number, scenario, shown};
use sim::Outcome;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use system::Scenario;
use system::graph::Direction;
use testing::described::wide;

/// What each figure of a share must keep: the median of the errors, and 95 % of them.
const FAIR: (f64, f64) = (0.01, 0.08);
/// What the median of simulated over limit must be for sums.
const SUMS: f64 = 0.90;
/// How near a flow alone must be to its limit in this share of the cases, where one row decides.
const ALONE: (f64, f64) = (0.005, 0.97);
/// CPU time of a run beyond which a system is left out: the flows of such a one differ in rate by far.
const LONGEST: Duration = Duration::from_secs(2);
/// One row decides where the next one would allow so much more.
const DECIDES: f64 = 1.25;
/// A run is steady where what was on its way at the ends of the window is no more than this of any rate.
const STEADY: f64 = 0.01;

/// Runs a scenario; `None` where it takes longer than [`LONGEST`], or cannot be run.
fn run(scenario: &Scenario) -> Option<Outcome> {
    let (begun, stop) = (cpu(), AtomicBool::new(false));
    let watch = |_: sim::Told| stop.fetch_or(cpu() - begun > LONGEST, Ordering::Relaxed);
    let told = |told| {
        watch(told);
    };
    let options = sim::Options { interrupted: Some(&stop), watch: Some(sim::Watch(&told)), ..dma::options() };
    let outcome = sim::run(scenario, &options).ok()?;
    (!stop.load(Ordering::Relaxed)).then_some(outcome)
}

/// A scenario with its limits and what its run found.
struct Judged {
    scenario: Scenario,
    limits: Limits,
    outcome: Outcome,
}

impl Judged {
    /// `None` where the run takes too long.
    fn new(scenario: Scenario) -> Option<Judged> {
        let (limits, outcome) = (limit::limit(&scenario), run(&scenario)?);
        Some(Judged { scenario, limits, outcome })
    }

    fn rate(&self, flow: usize) -> f64 {
        self.outcome.flows[flow].stream.map_or(0.0, |rate| rate.0)
    }

    fn slack(&self, flows: &[usize], bound: f64) -> f64 {
        above::slack(&self.scenario, &self.outcome, flows, bound)
    }

    fn flows(&self) -> std::ops::Range<usize> {
        0..self.scenario.flows.len()
    }

    /// With so many times the volume that the ends of the window add at most [`STEADY`] to any rate; `None` where that
    /// takes too long.
    fn steady(&self) -> Option<Judged> {
        let settled = |run: &Judged, flow: usize| run.slack(&[flow], run.rate(flow)) <= STEADY;
        let mut longer =
            Judged { scenario: self.scenario.clone(), limits: self.limits.clone(), outcome: self.outcome.clone() };
        while !longer.flows().all(|flow| settled(&longer, flow)) {
            longer.scenario.flows.iter_mut().for_each(|flow| flow.volume.0 *= 4);
            longer = Judged::new(longer.scenario)?;
        }
        Some(longer)
    }
}

/// Directions that several flows use, with these flows.
fn cuts(scenario: &Scenario) -> BTreeMap<(usize, bool), Vec<usize>> {
    let mut users: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
    for (number, flow) in scenario.flows.iter().enumerate() {
        let way = Way::new(&scenario.system, flow);
        for Direction { link, up } in way.directions {
            let users = users.entry((link.0, up)).or_default();
            if users.last() != Some(&number) {
                users.push(number);
            }
        }
    }
    users.retain(|_, users| users.len() > 1);
    users
}

/// What was found over all systems.
#[derive(Default)]
struct Found {
    systems: usize,
    left_out: usize,
    /// Runs that were not long enough for their rates to be steady in the time that they have.
    unsteady: usize,
    rates: usize,
    wrong: Vec<String>,
    /// Simulated over limit of flows alone, where one row decides, and where several do.
    alone: (Vec<f64>, Vec<f64>),
    /// Simulated over limit, of sums of all flows.
    sums: Vec<f64>,
    /// Flows that have no steady share, because a queue before them grows.
    growing: usize,
    /// By how much the share of each flow among others differs from its rate.
    fair: Vec<f64>,
    slack: Vec<f64>,
}

impl Found {
    fn compare(&mut self, what: impl Fn() -> String, simulated: f64, bound: f64, slack: f64) {
        self.rates += 1;
        self.slack.push(slack);
        if simulated > bound * (1.0 + slack) {
            let over = 100.0 * (simulated / bound - 1.0);
            self.wrong.push(format!("{}: {over:.2} % above its limit, allowed {:.2} %", what(), 100.0 * slack));
        }
    }

    fn bounds(&mut self, seed: u64, run: &Judged) {
        let flows = &run.scenario.flows;
        for (flow, alone) in run.limits.alone.iter().enumerate() {
            let bound = alone.most.0;
            let name = || format!("seed {seed}: flow {flow} {} of {}", flows[flow].name, flows.len());
            self.compare(name, run.rate(flow), bound, run.slack(&[flow], bound));
        }
        let all: Vec<usize> = run.flows().collect();
        if all.len() == 1 {
            return;
        }
        for (cut, flows) in cuts(&run.scenario) {
            let bound = run.limits.most.sum_of(|flow| flows.contains(&flow)).0;
            let sum = flows.iter().map(|&flow| run.rate(flow)).sum();
            self.compare(
                || format!("seed {seed}: sum over {cut:?} of {flows:?}"),
                sum,
                bound,
                run.slack(&flows, bound),
            );
        }
        let (bound, sum) = (run.limits.bound().0, run.flows().map(|flow| run.rate(flow)).sum::<f64>());
        self.compare(|| format!("seed {seed}: sum of all"), sum, bound, run.slack(&all, bound));
        let slowest = run.flows().map(|flow| run.rate(flow)).fold(f64::INFINITY, f64::min);
        let bound = run.limits.slowest().0;
        let allowed = run.flows().map(|flow| run.slack(&[flow], bound)).fold(0.0, f64::max);
        self.compare(|| format!("seed {seed}: slowest"), slowest, bound, allowed);
    }

    /// How near the limits of a steady run are.
    fn near(&mut self, seed: u64, run: &Judged) {
        self.sums.push(run.flows().map(|flow| run.rate(flow)).sum::<f64>() / run.limits.bound().0);
        for (flow, share) in run.limits.together.iter().enumerate().filter(|(flow, _)| run.rate(*flow) > 0.0) {
            // No share is shown there.
            if run.limits.growing[flow].is_some() {
                self.growing += 1;
                continue;
            }
            let error = share.stream.0 / run.rate(flow) - 1.0;
            self.fair.push(error.abs());
            if std::env::var_os("LANESCOPE_EACH").is_some() && error.abs() > FAIR.1 {
                let held = share.bottleneck.told(&|rate| format!("{:.0} MB/s", rate.0 / 1e6));
                println!("seed {seed}: flow {flow} of {}: {:+.1} %, {held}", run.flows().len(), 100.0 * error);
            }
        }
    }

    fn alone(&mut self, seed: u64, scenario: &Scenario, flow: usize) {
        let Some(drawn) = Judged::new(Scenario { flows: vec![scenario.flows[flow].clone()], ..scenario.clone() })
        else {
            return;
        };
        self.bounds(seed, &drawn);
        let Some(steady) = drawn.steady() else {
            self.unsteady += 1;
            return;
        };
        self.bounds(seed, &steady);
        let limit = &steady.limits.alone[0];
        let ratio = steady.rate(0) / limit.most.0;
        let decides = limit.next.is_none_or(|next| next.0 >= DECIDES * limit.most.0);
        let near = if decides { &mut self.alone.0 } else { &mut self.alone.1 };
        near.push(ratio);
        if std::env::var_os("LANESCOPE_EACH").is_some() && decides && ratio < 1.0 - ALONE.0 {
            let held = limit.bottleneck.told(&|rate| format!("{:.0} MB/s", rate.0 / 1e6));
            println!("seed {seed}: flow {flow} alone {:.2} % below, {held}", 100.0 * (1.0 - ratio));
        }
    }

    fn tell(mut self) -> bool {
        println!(
            "{} systems ({} more took too long, {} runs were not steady in time), {} rates, {} above their limits",
            self.systems,
            self.left_out,
            self.unsteady,
            self.rates,
            self.wrong.len()
        );
        self.wrong.iter().for_each(|wrong| println!("  {wrong}"));
        println!(
            "allowed by the ends of the window: median {:.2} %, 95 % {:.2} %",
            100.0 * at(&mut self.slack, 0.5),
            100.0 * at(&mut self.slack, 0.95)
        );
        let near = |all: &[f64]| {
            all.iter().filter(|ratio| (**ratio - 1.0).abs() <= ALONE.0).count() as f64 / all.len().max(1) as f64
        };
        let (one, several) = (near(&self.alone.0), near(&self.alone.1));
        println!(
            "alone, one row decides: {} flows, {:.1} % within {} %; several rows: {} flows, {:.1} %",
            self.alone.0.len(),
            100.0 * one,
            100.0 * ALONE.0,
            self.alone.1.len(),
            100.0 * several
        );
        let sums = at(&mut self.sums, 0.5);
        println!("sums: {} systems, median of simulated / limit {sums:.3}", self.sums.len());
        let fair = (at(&mut self.fair, 0.5), at(&mut self.fair, 0.95));
        println!(
            "fair: {} flows ({} more have none), median error {:.2} %, 95 % within {:.2} %",
            self.fair.len(),
            self.growing,
            100.0 * fair.0,
            100.0 * fair.1
        );
        self.wrong.is_empty() && one >= ALONE.1 && sums >= SUMS && fair.0 <= FAIR.0 && fair.1 <= FAIR.1
    }
}

/// The value that a share of all are not above.
fn at(all: &mut [f64], share: f64) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(((all.len() as f64 * share) as usize).min(all.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

fn main() -> ExitCode {
    if let Err(error) = storage::register() {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    if let Some(seed) = shown() {
        print!("{}", wide(seed));
        return ExitCode::SUCCESS;
    }
    let (count, first) = (number(1, 1000), number(2, 0));
    let mut found = Found::default();
    for seed in first..first + count {
        let Some(scenario) = scenario(&wide(seed)) else { continue };
        let Some(drawn) = Judged::new(scenario) else {
            found.left_out += 1;
            continue;
        };
        found.systems += 1;
        found.bounds(seed, &drawn);
        if drawn.flows().len() > 1 {
            match drawn.steady() {
                Some(steady) => {
                    found.bounds(seed, &steady);
                    found.near(seed, &steady);
                }
                None => found.unsteady += 1,
            }
        }
        found.alone(seed, &drawn.scenario, (seed as usize) % drawn.flows().len());
    }
    if found.tell() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
