//! The search from the start to the best trial. It starts at the described figures and at several other points. From
//! each it makes a wide scan by the closed form, then minimises the continuous parameters, then tries every value of
//! counts and words. Finally it repeats this by simulation from the best of these trials.

use crate::error::Error;
use crate::fit::least::{Best, least};
use crate::fit::model::{Model, Stop, Trial};
use crate::fit::starts::{is_near, starts};
use crate::fit::uncertainty::Known;
use crate::fit::{By, Found};
use std::collections::BTreeSet;

/// A neighbouring value is accepted if it reduces the sum of squares by this share.
const WORTH: f64 = 0.02;
/// A minimum that was not reached from the given start is accepted if it reduces the sum of squares to this share.
/// Figures that can take each other's place have many equally good minima.
const ELSEWHERE: f64 = 0.5;
/// If the root of the mean square of the residuals is below this, no other start is tried.
const NEAR: f64 = 0.002;
/// The largest number of rounds over the counts and words.
const MOST_STEPS: usize = 24;
/// A trial found by the closed form is not refined if its simulated sum of squares is this many times that of the best.
const HOPELESS: f64 = 9.0;
/// The number of values of a count that are refined, besides the neighbours.
const MOST_SIMULATED: usize = 8;
/// The largest number of pairs of values of two counts that the closed form computes, evenly spaced over all pairs.
const MOST_PAIRS: usize = 512;
/// The number of minima found by the closed form that are simulated.
const MOST_VALLEYS: usize = 3;

/// The result of a minimisation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    /// The machine accepts the trial.
    Something,
    /// The machine does not accept the trial.
    Nothing,
}

/// A search in progress.
pub(crate) struct Search<'m, 'a> {
    model: &'m Model<'a>,
    best: Option<Best>,
    trial: Trial,
    /// For counts and words: the next best value, and its sum of squares.
    next: Vec<Option<(String, f64)>>,
}

impl<'m, 'a> Search<'m, 'a> {
    pub fn new(model: &'m Model<'a>) -> Search<'m, 'a> {
        let trial = model.parameters.iter().map(|p| p.start.clone()).collect();
        Search { model, best: None, trial, next: vec![None; model.parameters.len()] }
    }
    /// The best trial so far.
    pub fn best(&self) -> &Trial {
        self.best.as_ref().map_or(&self.trial, |best| &best.trial)
    }
    /// The residuals of the best trial on the fitted rows.
    pub fn residuals(&self) -> &[f64] {
        self.best.as_ref().map_or(&[], |best| &best.residuals)
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
        let mut valleys = vec![self.valley()?];
        let far = self.cost() > self.model.fitted() as f64 * NEAR * NEAR;
        for trial in if far { starts(self.model)? } else { Vec::new() } {
            valleys.extend(least(self.model, By::Limit, &trial, &mut None)?);
        }
        self.choose(&mut valleys);
        self.step_by_step(By::Limit)?;
        if by == By::Limit {
            return Ok(());
        }
        // From here on, results of the closed form no longer count.
        let first = self.best.take();
        let way = first.as_ref().map_or_else(|| self.trial.clone(), |best| best.trial.clone());
        let down = self.down(by, &way);
        if self.best.is_none() {
            self.best = first;
        }
        if down? == Met::Nothing {
            return Err(Stop::Error(self.model.complaint(&way)));
        }
        valleys.retain(|valley| !is_near(self.model, &valley.trial, &way));
        valleys.truncate(MOST_VALLEYS);
        for valley in self.promising(valleys, 1.0)? {
            let found = least(self.model, by, &valley, &mut None)?;
            let here = self.cost();
            self.take(found.filter(|found| found.cost() < ELSEWHERE * here));
        }
        self.step_by_step(by)
    }

    /// The minimum reached from the best trial so far, after two scans.
    fn valley(&mut self) -> Result<Best, Stop> {
        self.scan()?;
        self.scan()?;
        let trial = self.best().clone();
        self.down(By::Limit, &trial)?;
        let none = || Best { trial, residuals: vec![f64::INFINITY] };
        Ok(self.best.clone().unwrap_or_else(none))
    }

    /// Takes the best minimum. The first, from the given start, is kept unless another is much better.
    fn choose(&mut self, valleys: &mut [Best]) {
        let first = valleys[0].cost();
        let order = |best: &Best| if best.cost() < ELSEWHERE * first { best.cost() } else { best.cost().max(first) };
        valleys.sort_by(|a, b| order(a).total_cmp(&order(b)));
        self.best = valleys.first().cloned();
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

    /// Minimises from `trial`. Better trials are kept as they are found, so that an interrupted search has a result.
    fn down(&mut self, by: By, trial: &Trial) -> Result<Met, Stop> {
        let found = least(self.model, by, trial, &mut self.best)?;
        let met = if found.is_some() { Met::Something } else { Met::Nothing };
        self.take(found);
        Ok(met)
    }

    /// Tries every value of each count and word, each time with the continuous parameters found anew, while that
    /// improves the fit.
    fn step_by_step(&mut self, by: By) -> Result<(), Stop> {
        let stepped = |n: &usize| !self.model.parameters[*n].is_continuous();
        let numbers: Vec<usize> = (0..self.model.parameters.len()).filter(stepped).collect();
        for _ in 0..MOST_STEPS {
            let mut moved = false;
            for &n in &numbers {
                moved |= self.other(n, by)?;
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    /// Tries other values of parameter `n`. True if one is better; it is then accepted.
    fn other(&mut self, n: usize, by: By) -> Result<bool, Stop> {
        let here = self.cost();
        let old = self.best()[n].clone();
        let mut found: Vec<Best> = Vec::new();
        for trial in self.others(n, &old)? {
            found.extend(least(self.model, By::Limit, &trial, &mut None)?);
        }
        if by == By::Simulation {
            found.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
            found.truncate(MOST_SIMULATED);
            let promising = self.promising(found, HOPELESS)?;
            found = Vec::new();
            for trial in promising {
                found.extend(least(self.model, by, &trial, &mut None)?);
            }
        }
        let Some(best) = found.into_iter().min_by(|a, b| a.cost().total_cmp(&b.cost())) else { return Ok(false) };
        if best.cost() < (1.0 - WORTH) * here {
            self.next[n] = Some((old, here));
            self.best = Some(best);
            return Ok(true);
        }
        self.next[n] = Some((best.trial[n].clone(), best.cost()));
        Ok(false)
    }

    /// Trials with other values of a count or a word that are worth refining: its neighbours, and of all other values
    /// those that are best without refinement.
    fn others(&self, n: usize, old: &str) -> Result<Vec<Trial>, Stop> {
        let parameter = &self.model.parameters[n];
        let mut trials: Vec<Trial> = parameter.beside(old).iter().map(|value| self.with(n, value)).collect();
        let mut seen: BTreeSet<String> = trials.iter().map(|trial| trial[n].clone()).collect();
        seen.insert(old.to_string());
        let rest = parameter.grid().into_iter().filter(|value| seen.insert(value.clone()));
        let mut rest: Vec<Trial> = rest.map(|value| self.with(n, &value)).collect();
        rest.extend(self.pairs(n, old));
        let cost = |residuals: &[f64]| residuals.iter().map(|r| r * r).sum::<f64>();
        let all = self.model.residuals(&rest, By::Limit)?;
        let mut legal: Vec<(f64, Trial)> =
            rest.into_iter().zip(all).filter_map(|(trial, residuals)| Some((cost(&residuals?), trial))).collect();
        legal.sort_by(|a, b| a.0.total_cmp(&b.0));
        trials.extend(legal.into_iter().take(MOST_SIMULATED).map(|(_, trial)| trial));
        Ok(trials)
    }

    /// Trials that change a count or a word together with another one. Two may take each other's place, so that neither
    /// improves the fit alone.
    fn pairs(&self, n: usize, old: &str) -> Vec<Trial> {
        let parameters = &self.model.parameters;
        let mut all = Vec::new();
        for m in (n + 1..parameters.len()).filter(|&m| !parameters[m].is_continuous()) {
            let (ours, theirs) = (parameters[n].grid(), parameters[m].grid());
            let every = (ours.len() * theirs.len()).div_ceil(MOST_PAIRS);
            for (number, value) in ours.iter().enumerate().filter(|(_, value)| *value != old) {
                for other in theirs.iter().skip(number % every).step_by(every) {
                    let mut trial = self.with(n, value);
                    trial[m].clone_from(other);
                    all.push(trial);
                }
            }
        }
        all
    }

    /// The trials of `found` whose simulated sum of squares is less than `times` that of the best.
    fn promising(&self, found: Vec<Best>, times: f64) -> Result<Vec<Trial>, Stop> {
        let trials: Vec<Trial> = found.into_iter().map(|best| best.trial).collect();
        let all = self.model.residuals(&trials, By::Simulation)?;
        let cost = |residuals: &[f64]| residuals.iter().map(|r| r * r).sum::<f64>();
        let worth = |residuals: &[f64]| cost(residuals) < times * self.cost();
        let kept = trials.into_iter().zip(all).filter(|(_, residuals)| residuals.as_deref().is_some_and(worth));
        Ok(kept.map(|(trial, _)| trial).collect())
    }

    fn cost(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, Best::cost)
    }
    fn with(&self, n: usize, value: &str) -> Trial {
        let mut trial = self.best().clone();
        trial[n] = value.to_string();
        trial
    }
    fn take(&mut self, new: Option<Best>) {
        if let Some(new) = new.filter(|new| new.cost() < self.cost()) {
            self.best = Some(new);
        }
    }

    /// The result for one parameter.
    pub fn found(&self, n: usize, value: &str, known: Option<&Known>) -> Found {
        let parameter = self.model.parameters[n].clone();
        let rows = self.model.fitted().max(1) as f64;
        let percent = |cost: f64| 100.0 * (cost / rows).sqrt();
        Found {
            number: parameter.scale.number(value),
            value: value.to_string(),
            uncertainty: known.and_then(|known| known.error(n)),
            global_correlation: known.map_or(0.0, |known| known.global(n)),
            at_bound: known.is_some_and(|known| known.is_at_bound(n)),
            next: self.next[n].as_ref().map(|(value, cost)| (value.clone(), percent(*cost))),
            parameter,
        }
    }
}
