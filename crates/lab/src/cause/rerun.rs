//! Reruns a point with steps made. The run is as short as possible while it still gives the same rates, and all reruns of
//! a point together handle no more events than the run itself.

use crate::cause::change::with_steps;
use crate::cause::options::{Effort, SearchOptions};
use crate::cause::shorter::{Enough, shorter};
use crate::confirmed::Step;
use crate::measured::Measured;
use crate::metric::Moves;
use limit::Limits;
use sim::{Brief, MeasuredWindow, Options, Outcome};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use system::Scenario;
use system::graph::Direction;

/// A shorter run is accepted if its rates differ from those of the whole run by less than this share.
const SAME: f64 = 0.005;

/// The same for a run with a shorter window: it is the same run, but what is at the edges of the window counts more.
const SAME_WINDOW: f64 = 0.05;

/// The same for a window that opens earlier.
const SAME_EARLY: f64 = 0.015;

/// The windows that are tried: when they open, and what they need, both as parts of what a whole run needs.
const PARTS: [(u64, u64); 3] = [(6, 4), (1, 4), (1, 1)];

/// A run that is not accepted is repeated with this many times the volume.
const LONGER: f64 = 3.0;

/// The events of all reruns of a point, as a share of those of its run. What is left pays for building the machines.
const SHARE: f64 = 0.8;

/// Events that the reruns of a point may always handle: a few tenths of a second.
pub const ALWAYS: u64 = 4_000_000;

type Rates = Vec<Option<f64>>;

/// A point and its rates, with which a change is compared.
pub(crate) struct Base<'a> {
    measured: &'a Measured,
    scenario: Scenario,
    brief: Option<Brief>,
    rates: Rates,
    /// Events of one rerun.
    cost: u64,
    /// Events that may still be handled.
    left: AtomicU64,
    handled: AtomicU64,
    is_spent: AtomicBool,
    moves: Moves,
    search: &'a SearchOptions<'a>,
    /// What was tried, by the steps: a rerun gives the rates of all flows.
    known: Mutex<HashMap<String, Option<Rates>>>,
    stated: Mutex<HashMap<String, Option<Limits>>>,
}

impl<'a> Base<'a> {
    /// Builds the base from a point that was run; `None` if interrupted.
    pub fn new(measured: &'a Measured, moves: Moves, search: &'a SearchOptions<'a>) -> Option<Base<'a>> {
        let rates: Rates = measured.outcome.flows.iter().map(|flow| moves.rate(flow)).collect();
        let all = measured.outcome.events;
        let left = match search.effort {
            Effort::AsTheRun => ((all as f64 * SHARE) as u64).max(ALWAYS),
            Effort::Nothing => 0,
            Effort::Full => u64::MAX,
        };
        let (known, stated) = Default::default();
        let (left, handled, is_spent) = (AtomicU64::new(left), AtomicU64::new(0), AtomicBool::new(false));
        let scenario = measured.job.scenario.clone();
        let (brief, cost) = (None, all);
        let mut base =
            Base { measured, scenario, brief, rates, cost, left, handled, is_spent, moves, search, known, stated };
        base.shorten()?;
        Some(base)
    }

    /// Takes the shortest run that gives the rates of the whole run; `None` if interrupted.
    fn shorten(&mut self) -> Option<()> {
        let whole = std::mem::take(&mut self.rates);
        for (scenario, brief, share) in self.shorter(&whole) {
            // A shorter run and at least one change.
            let cost = (share * self.measured.outcome.events as f64) as u64;
            if cost.saturating_mul(2) > self.left() {
                continue;
            }
            let Some((rates, events)) = self.run(&scenario, brief, &[]) else { continue };
            let same = match brief {
                None => SAME,
                Some(brief) if brief.warm_part > 1 => SAME_EARLY,
                Some(_) => SAME_WINDOW,
            };
            if rates.iter().zip(&whole).all(|(a, b)| is_near(*a, *b, same)) {
                (self.scenario, self.brief, self.rates, self.cost) = (scenario, brief, rates, events);
                return Some(());
            }
        }
        self.rates = whole;
        (!self.is_interrupted()).then_some(())
    }

    /// Shorter runs, the shortest first, each with its share of the whole.
    fn shorter(&self, rates: &Rates) -> Vec<(Scenario, Option<Brief>, f64)> {
        let enough = Enough::of(self.search.effort);
        let volumes = |size| {
            let (scenario, share) = shorter(self.measured, rates, self.moves, enough, size)?;
            Some((scenario, None, share))
        };
        let sizes = std::iter::successors(Some(1.0), |size| Some(size * LONGER));
        if self.search.effort == Effort::Full || self.moves == Moves::App {
            return sizes.map_while(volumes).collect();
        }
        let Ok(MeasuredWindow { prolonged, .. }) = self.measured.outcome.window else {
            return sizes.map_while(volumes).collect();
        };
        let windows = PARTS.map(|(warm_part, part)| {
            let brief = Brief { prolonged, warm_part, part, most_events: self.measured.outcome.events };
            (self.measured.job.scenario.clone(), Some(brief), 1.0 / (warm_part * part) as f64)
        });
        volumes(1.0).into_iter().chain(windows).collect()
    }

    /// Runs `scenario`; `None` if interrupted, or if it cannot be run.
    fn run(&self, scenario: &Scenario, brief: Option<Brief>, faster: &[Direction]) -> Option<(Rates, u64)> {
        let SearchOptions { interrupted, kinds, .. } = *self.search;
        let brief = brief.map(|brief| Brief { most_events: self.left().min(brief.most_events), ..brief });
        let options = Options { faster, interrupted: Some(interrupted), kinds, brief, ..Options::default() };
        let outcome: Outcome = sim::run(scenario, &options).ok()?;
        self.left.fetch_sub(outcome.events.min(self.left()), Ordering::Relaxed);
        self.handled.fetch_add(outcome.events, Ordering::Relaxed);
        let rates = outcome.flows.iter().map(|flow| self.moves.rate(flow)).collect();
        (!outcome.partial).then_some((rates, outcome.events))
    }

    fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// The rates with `steps` made; `None` if interrupted, if the point cannot be run with them, or if no more may be
    /// run.
    fn rates(&self, steps: &[Step]) -> Option<Rates> {
        let key = key(steps);
        if let Some(rates) = held(&self.known).get(&key) {
            return rates.clone();
        }
        if self.cost > self.left() {
            self.is_spent.store(true, Ordering::Relaxed);
            return None;
        }
        let (scenario, faster) = with_steps(&self.scenario, steps)?;
        let rates = self.run(&scenario, self.brief, &faster).map(|(rates, _)| rates);
        held(&self.known).insert(key, rates.clone());
        rates
    }

    /// The relative gain of the rate of `flow` with `steps` made; 0 if that cannot be run.
    pub fn gain(&self, steps: &[Step], flow: usize) -> f64 {
        let before = self.rates.get(flow).copied().flatten();
        let after = self.rates(steps).and_then(|rates| rates.get(flow).copied().flatten());
        before.zip(after).map_or(0.0, |(before, after)| after / before - 1.0)
    }

    /// The relative gain of the limit of `flow` with `steps` made; `None` if they are of links, or cannot be made.
    pub fn stated_gain(&self, steps: &[Step], flow: usize) -> Option<f64> {
        let key = key(steps);
        let known = held(&self.stated).get(&key).cloned();
        let limits = known.unwrap_or_else(|| {
            let changed = with_steps(&self.measured.job.scenario, steps).filter(|(_, faster)| faster.is_empty());
            let limits = changed.map(|(scenario, _)| limit::limit(&scenario));
            held(&self.stated).insert(key, limits.clone());
            limits
        });
        let of = |limits: &Limits| limits.together.get(flow).map(|limit| self.moves.bound(limit));
        Some(of(&limits?)? / of(&self.measured.limits)? - 1.0)
    }

    /// True if the limit of `flow` is so near to what was simulated that it knows what holds the flow back.
    pub fn is_explained(&self, flow: usize) -> bool {
        let limit = self.measured.limits.together.get(flow).map(|limit| self.moves.bound(limit));
        let found = self.measured.outcome.flows.get(flow).and_then(|flow| self.moves.rate(flow));
        found.zip(limit).is_some_and(|(found, limit)| (found / limit - 1.0).abs() < EXPLAINED)
    }

    /// True if only few more reruns can be made.
    pub fn is_scarce(&self) -> bool {
        self.left() / self.cost.max(1) < SCARCE
    }

    /// The events of all reruns so far.
    pub fn events(&self) -> u64 {
        self.handled.load(Ordering::Relaxed)
    }

    /// Which rate is compared.
    pub fn moves(&self) -> Moves {
        self.moves
    }

    /// How much may be tried.
    pub fn effort(&self) -> Effort {
        self.search.effort
    }

    /// True if the flow has a rate.
    pub fn has_rate(&self, flow: usize) -> bool {
        self.rates.get(flow).copied().flatten().is_some()
    }

    /// True if the search was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.search.interrupted.load(Ordering::Relaxed)
    }

    /// True if a rerun was not made because all that may be run has been run.
    pub fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// True if it was interrupted, or if a rerun was not made because all that may be run has been run.
    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.is_spent()
    }
}

/// So many reruns are few.
const SCARCE: u64 = 10;

/// A limit explains a rate that differs from it by less than this share.
const EXPLAINED: f64 = 0.1;

fn is_near(a: Option<f64>, b: Option<f64>, same: f64) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a / b - 1.0).abs() < same,
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn key(steps: &[Step]) -> String {
    steps.iter().map(|step| format!("{:?} {};", step.thing, step.to)).collect()
}

/// Nothing is half-done in there when a thread panics.
fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
