//! The way from the start to the best trial: a wide scan by the closed form, then downhill, then what lies beside the
//! counts and words; at last the same by simulation from there.

use crate::error::Error;
use crate::fit::least::{Best, least};
use crate::fit::model::{Model, Stop, Trial};
use crate::fit::uncertainty::Known;
use crate::fit::{By, Found};

/// A value beside is taken when it lessens the sum of squares by this share.
const WORTH: f64 = 0.02;
/// Steps from one count or word to the next, at most.
const MOST_STEPS: usize = 24;
/// A value beside that is so many times worse by the closed form is not simulated.
const HOPELESS: f64 = 9.0;

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
        self.scan()?;
        self.scan()?;
        self.down(By::Limit)?;
        self.step_by_step(By::Limit)?;
        if by == By::Simulation {
            let trial = self.best().clone();
            // From here on, what the closed form said no longer counts.
            let fallback = self.best.take();
            let simulated = least(self.model, by, &trial, &mut self.best);
            if self.best.is_none() {
                self.best = fallback;
            }
            if simulated?.is_none() {
                return Err(Stop::Error(self.model.complaint(&trial)));
            }
            self.step_by_step(by)?;
        }
        Ok(())
    }

    /// Each parameter over its whole range, one after another.
    fn scan(&mut self) -> Result<(), Stop> {
        for n in 0..self.model.parameters.len() {
            let trials: Vec<Trial> =
                self.model.parameters[n].scan().into_iter().map(|value| self.with(n, &value)).collect();
            let all = self.model.residuals(&trials, By::Limit)?;
            for (trial, residuals) in trials.into_iter().zip(all) {
                self.take(residuals.map(|residuals| Best { trial, residuals }));
            }
        }
        Ok(())
    }

    fn down(&mut self, by: By) -> Result<(), Stop> {
        let trial = self.best().clone();
        let found = least(self.model, by, &trial, &mut self.best)?;
        self.take(found);
        Ok(())
    }

    /// Counts and words: what lies beside each, with the continuous ones found anew, as long as that is better.
    fn step_by_step(&mut self, by: By) -> Result<(), Stop> {
        let stepped = |n: &usize| !self.model.parameters[*n].is_continuous();
        let numbers: Vec<usize> = (0..self.model.parameters.len()).filter(stepped).collect();
        for _ in 0..MOST_STEPS {
            let mut moved = false;
            for &n in &numbers {
                moved |= self.beside(n, by)?;
            }
            if !moved {
                break;
            }
        }
        Ok(())
    }

    /// True where a value beside is better, which is then taken.
    fn beside(&mut self, n: usize, by: By) -> Result<bool, Stop> {
        let here = self.cost();
        let values = self.model.parameters[n].scale.beside(&self.best()[n]);
        let mut found: Vec<Best> = Vec::new();
        let rough = self.rough()?;
        for value in values {
            let Some(near) = least(self.model, By::Limit, &self.with(n, &value), &mut None)? else { continue };
            if by == By::Limit {
                found.push(near);
            } else if near.cost() < HOPELESS * rough {
                found.extend(least(self.model, by, &near.trial, &mut None)?);
            }
        }
        let Some(best) = found.into_iter().min_by(|a, b| a.cost().total_cmp(&b.cost())) else { return Ok(false) };
        if best.cost() < (1.0 - WORTH) * here {
            let old = self.best()[n].clone();
            self.next[n] = Some((old, here));
            self.best = Some(best);
            return Ok(true);
        }
        self.next[n] = Some((best.trial[n].clone(), best.cost()));
        Ok(false)
    }

    /// The sum of squares of the best by the closed form.
    fn rough(&self) -> Result<f64, Stop> {
        Ok(least(self.model, By::Limit, self.best(), &mut None)?.map_or(f64::INFINITY, |best| best.cost()))
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
