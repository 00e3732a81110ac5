//! The way from the start to the best trial: from where the figures are described and from several other places a wide
//! scan by the closed form, then downhill, then every value that a count or a word may have; at last the same by
//! simulation from the best of them.

use crate::error::Error;
use crate::fit::least::{Best, least};
use crate::fit::model::{Model, Stop, Trial};
use crate::fit::starts::{is_near, starts};
use crate::fit::uncertainty::Known;
use crate::fit::{By, Found};
use std::collections::BTreeSet;

/// A value beside is taken when it lessens the sum of squares by this share.
const WORTH: f64 = 0.02;
/// A valley that does not begin where somebody says is taken when it lessens the sum of squares to this share: figures
/// that take each other's place have many that are as good.
const ELSEWHERE: f64 = 0.5;
/// Rows that are met so well, in the root of the mean square, leave nothing to look for elsewhere.
const NEAR: f64 = 0.002;
/// Steps from one count or word to the next, at most.
const MOST_STEPS: usize = 24;
/// What is so many times worse than the best, simulated as the closed form found it, is not brought downhill.
const HOPELESS: f64 = 9.0;
/// So many values of a count are looked at closely, besides those that lie beside it.
const MOST_SIMULATED: usize = 8;
/// So many pairs of values of two counts are asked of the closed form, evenly over all that there are.
const MOST_PAIRS: usize = 512;
/// So many valleys that the closed form found are looked at by simulation.
const MOST_VALLEYS: usize = 3;

/// What a way downhill came to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    /// A trial that the machine takes.
    Something,
    /// None.
    Nothing,
}

/// A search under way.
pub(crate) struct Search<'m, 'a> {
    model: &'m Model<'a>,
    best: Option<Best>,
    trial: Trial,
    /// Of counts and words: the next best value and the sum of squares that it leaves.
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
    /// What the best leaves over on the fitted rows.
    pub fn residuals(&self) -> &[f64] {
        self.best.as_ref().map_or(&[], |best| &best.residuals)
    }

    /// True at the end, false where interrupted.
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
        // From here on, what the closed form said no longer counts.
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

    /// Downhill from the best so far, after a scan.
    fn valley(&mut self) -> Result<Best, Stop> {
        self.scan()?;
        self.scan()?;
        let trial = self.best().clone();
        self.down(By::Limit, &trial)?;
        let none = || Best { trial, residuals: vec![f64::INFINITY] };
        Ok(self.best.clone().unwrap_or_else(none))
    }

    /// Takes the best valley; the first one, where another is not better by much, for it is where somebody began.
    fn choose(&mut self, valleys: &mut [Best]) {
        let first = valleys[0].cost();
        let order = |best: &Best| if best.cost() < ELSEWHERE * first { best.cost() } else { best.cost().max(first) };
        valleys.sort_by(|a, b| order(a).total_cmp(&order(b)));
        self.best = valleys.first().cloned();
    }

    /// Each parameter over its whole range, one after another.
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

    /// What is met on the way is kept, so that an interrupted search has something to tell.
    fn down(&mut self, by: By, trial: &Trial) -> Result<Met, Stop> {
        let found = least(self.model, by, trial, &mut self.best)?;
        let met = if found.is_some() { Met::Something } else { Met::Nothing };
        self.take(found);
        Ok(met)
    }

    /// Counts and words: every value that each may have, with the continuous ones found anew, as long as that is better.
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

    /// True where another value is better, which is then taken.
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

    /// Other values of a count or a word that are worth a search of their own: those beside it, and of all others the
    /// best as they stand.
    fn others(&self, n: usize, old: &str) -> Result<Vec<Trial>, Stop> {
        let parameter = &self.model.parameters[n];
        let mut trials: Vec<Trial> = parameter.scale.beside(old).iter().map(|value| self.with(n, value)).collect();
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

    /// Other values of a count or a word together with others of another one: two may take each other's place, so that
    /// neither gets better alone.
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

    /// Of what the closed form found, that which the simulation misses by less than so many times what the best leaves.
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

    /// What is told of one parameter.
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
