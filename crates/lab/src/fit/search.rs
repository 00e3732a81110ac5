//! The search from several starts to the best trial, and how far it can be trusted.
//!
//! 1. **By the closed form**: from the given start after a wide scan, then from samples of the ranges, the best first.
//!    From each, the continuous figures descend, then every value of counts and words is tried. This ends when the best
//!    minimum was reached from two starts. If that does not happen, the search has not converged.
//! 2. **By simulation**: from the best of these minima, and from others that are promising. Then from a trial beside the
//!    best, to see whether the descent comes back.
//!
//! A descent is a least-squares method that follows derivatives, and a bracketed search along lines, which needs none,
//! where kinks and plateaus of the model stop the first. It has settled when the lines find nothing better.

use crate::error::Error;
use crate::fit::least::{Best, least};
use crate::fit::line;
use crate::fit::model::{Model, Stop, Trial};
use crate::fit::result::{By, Warning};
use crate::fit::starts::{is_near, starts};

/// Two minima are equally good if their sums of squares are within this share of each other.
const EVEN: f64 = 0.02;
/// A descent has settled if the lines improve the sum of squares by less than this share.
const SETTLED: f64 = 0.005;
/// The largest number of rounds of a descent.
const MOST_ROUNDS: usize = 6;
/// Roots of the mean square of the residuals below this count as zero.
const ZERO: f64 = 1e-4;
/// The number of starts that must reach the best minimum.
const ENOUGH: usize = 2;
/// The number of minima found by the closed form that are refined by simulation.
const MOST_VALLEYS: usize = 3;
/// A minimum found by the closed form is not refined if its simulated sum of squares is this many times that of the
/// best.
const HOPELESS: f64 = 4.0;
/// The largest number of rounds of descents and choices.
const MOST_CHANGES: usize = 4;
/// The second descent by simulation starts at this factor from the best, upwards and downwards in turn.
const ASIDE: f64 = 1.2;

/// A search in progress.
pub(crate) struct FitSearch<'m, 'a> {
    pub(crate) model: &'m Model<'a>,
    pub(crate) best: Option<Best>,
    trial: Trial,
    /// For counts and words: the next best value, and its sum of squares.
    pub(crate) next: Vec<Option<(String, f64)>>,
    /// Other minima that are as good.
    even: Vec<Trial>,
    /// The number of starts by the closed form.
    pub starts: usize,
    /// The number of these that reached the best minimum.
    pub reached: usize,
    /// The improvement of the sum of squares by the last round of the descent, as a share; zero once it has settled.
    pub falling: f64,
}

impl<'m, 'a> FitSearch<'m, 'a> {
    pub fn new(model: &'m Model<'a>) -> FitSearch<'m, 'a> {
        let trial = model.parameters.iter().map(|p| p.start.clone()).collect();
        let next = vec![None; model.parameters.len()];
        FitSearch { model, best: None, trial, next, even: Vec::new(), starts: 0, reached: 0, falling: 0.0 }
    }
    /// The best trial so far.
    pub fn best(&self) -> &Trial {
        self.best.as_ref().map_or(&self.trial, |best| &best.trial)
    }
    /// The residuals of the best trial on the fitted rows.
    pub fn residuals(&self) -> &[f64] {
        self.best.as_ref().map_or(&[], |best| &best.residuals)
    }
    /// Other minima that are as good as the best.
    pub fn even(&self) -> &[Trial] {
        &self.even
    }
    /// True if too few starts reached the best minimum.
    pub fn is_alone(&self) -> bool {
        self.reached < ENOUGH.min(self.starts)
    }
    /// True if the sum of squares is as good as that of the best.
    pub fn is_even(&self, cost: f64) -> bool {
        cost <= (1.0 + EVEN) * self.cost().max(self.zero())
    }

    /// Runs the search. True if it completed, false if interrupted.
    pub fn run(&mut self, by: By) -> Result<bool, Error> {
        match self.go(by) {
            Ok(()) => Ok(true),
            Err(Stop::Interrupted) => Ok(false),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn go(&mut self, by: By) -> Result<(), Stop> {
        let start = self.model.residuals(std::slice::from_ref(&self.trial), By::Limit)?.pop().flatten();
        let residuals = start.ok_or_else(|| Stop::Error(self.model.complaint(&self.trial)))?;
        self.best = Some(Best { trial: self.trial.clone(), residuals });
        let mut valleys = self.valleys()?;
        valleys.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        self.reached = valleys.iter().filter(|valley| self.is_even(valley.cost())).count();
        if by == By::Limit {
            self.even = valleys.iter().filter(|v| self.is_even(v.cost())).map(|v| v.trial.clone()).collect();
            return Ok(());
        }
        self.by_simulation(valleys)
    }

    /// The minima that the closed form has from the given start and from samples, until the best was reached from
    /// [`ENOUGH`] of them.
    fn valleys(&mut self) -> Result<Vec<Best>, Stop> {
        self.scan()?;
        self.scan()?;
        let mut valleys: Vec<Best> = Vec::new();
        let mut from = vec![self.best().clone()];
        from.extend(starts(self.model)?);
        for trial in from {
            let so_far = self.best.take();
            let next = std::mem::replace(&mut self.next, vec![None; self.model.parameters.len()]);
            let falling = self.falling;
            let descended = self.descend(By::Limit, &trial);
            valleys.extend(self.best.clone());
            if so_far.as_ref().is_some_and(|before| before.cost() <= self.cost()) {
                (self.best, self.next) = (so_far, next);
                self.falling = falling;
            }
            descended?;
            self.starts += 1;
            if valleys.iter().filter(|valley| self.is_even(valley.cost())).count() >= ENOUGH {
                break;
            }
        }
        Ok(valleys)
    }

    fn by_simulation(&mut self, mut valleys: Vec<Best>) -> Result<(), Stop> {
        // From here on, results of the closed form no longer count.
        let by = By::Simulation;
        let first = self.best.take();
        let way = first.as_ref().map_or_else(|| self.trial.clone(), |best| best.trial.clone());
        let simulated = self.model.residuals(std::slice::from_ref(&way), by);
        let residuals = match simulated {
            Ok(mut all) => all.pop().flatten(),
            Err(stop) => {
                self.best = first;
                return Err(stop);
            }
        };
        let residuals = residuals.ok_or_else(|| Stop::Error(self.model.complaint(&way)))?;
        self.best = Some(Best { trial: way.clone(), residuals });
        valleys.retain(|valley| !is_near(self.model, &valley.trial, &way));
        valleys.truncate(MOST_VALLEYS);
        let others = self.promising(valleys, HOPELESS)?;
        self.descend(by, &way)?;
        let mut ends = Vec::new();
        for other in others {
            ends.extend(least(self.model, by, &other, &mut None)?);
        }
        for _ in 0..MOST_CHANGES {
            ends.extend(least(self.model, by, &self.aside(), &mut None)?);
            let better = ends.iter().filter(|end| end.cost() < (1.0 - SETTLED) * self.cost().max(self.zero()));
            let Some(better) = better.min_by(|a, b| a.cost().total_cmp(&b.cost())).cloned() else { break };
            self.best = Some(better.clone());
            self.descend(by, &better.trial)?;
        }
        self.even = ends.into_iter().filter(|end| self.is_even(end.cost())).map(|end| end.trial).collect();
        Ok(())
    }

    /// A trial beside the best: continuous figures larger and smaller by a factor, in turn.
    fn aside(&self) -> Trial {
        let mut trial = self.best().clone();
        let continuous = (0..trial.len()).filter(|&n| self.model.parameters[n].is_continuous());
        for (turn, n) in continuous.enumerate() {
            let parameter = &self.model.parameters[n];
            let factor = if turn % 2 == 0 { ASIDE } else { 1.0 / ASIDE };
            let number = parameter.scale.number(&trial[n]).unwrap_or(0.0);
            trial[n] = parameter.scale.write(parameter.clamp(number * factor));
        }
        trial
    }

    /// Descends from `trial`, with the choices, until nothing is better. Better trials are kept as they are found, so
    /// that an interrupted search has a result.
    fn descend(&mut self, by: By, trial: &Trial) -> Result<(), Stop> {
        let mut from = trial.clone();
        for _ in 0..MOST_CHANGES {
            self.settle(by, &from)?;
            if !self.choose(by)? {
                break;
            }
            from.clone_from(self.best());
        }
        Ok(())
    }

    /// Finds the continuous figures from `trial`: derivatives, then lines, until the lines find nothing better.
    fn settle(&mut self, by: By, trial: &Trial) -> Result<(), Stop> {
        let mut from = trial.clone();
        for _ in 0..MOST_ROUNDS {
            let found = least(self.model, by, &from, &mut self.best)?;
            self.take(found);
            let Some(best) = self.best.clone() else { return Ok(()) };
            let before = best.cost();
            let better = line::better(self.model, by, &best)?;
            self.take(Some(better));
            let after = self.cost();
            self.falling = if before <= self.zero() { 0.0 } else { 1.0 - after / before };
            if self.falling < SETTLED {
                self.falling = 0.0;
                return Ok(());
            }
            from.clone_from(self.best());
        }
        Ok(())
    }

    /// The sum of squares that counts as zero.
    fn zero(&self) -> f64 {
        self.model.fitted().max(1) as f64 * ZERO * ZERO
    }

    /// Tries each parameter over its whole range, one after another.
    fn scan(&mut self) -> Result<(), Stop> {
        for n in 0..self.model.parameters.len() {
            let parameter = &self.model.parameters[n];
            let values = if parameter.is_continuous() { parameter.scan() } else { parameter.grid() };
            let trials: Vec<Trial> = values.into_iter().map(|value| self.with(n, &value)).collect();
            let all = self.model.residuals(&trials, By::Limit)?;
            for (trial, residuals) in trials.into_iter().zip(all) {
                self.take(residuals.map(|residuals| Best { trial, residuals }));
            }
        }
        Ok(())
    }

    pub(crate) fn cost(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, Best::cost)
    }
    pub(crate) fn with(&self, n: usize, value: &str) -> Trial {
        let mut trial = self.best().clone();
        trial[n] = value.to_string();
        trial
    }
    fn take(&mut self, new: Option<Best>) {
        if let Some(new) = new.filter(|new| new.cost() < self.cost()) {
            self.best = Some(new);
        }
    }

    /// The warning of a count or a word of which another value is as good.
    pub fn as_good(&self, n: usize) -> Option<Warning> {
        let (value, cost) = self.next[n].as_ref()?;
        let path = self.model.parameters[n].path.clone();
        self.is_even(*cost).then(|| Warning::AsGood { path, value: value.clone() })
    }
}
