//! Counts and words: values that are tried one by one, each time with the continuous figures found anew.

use crate::fit::least::{Best, least};
use crate::fit::model::{Stop, Trial};
use crate::fit::result::By;
use crate::fit::search::FitSearch;
use std::collections::BTreeSet;

/// A neighbouring value is accepted if it reduces the sum of squares by this share.
const WORTH: f64 = 0.02;
/// The largest number of rounds over the counts and words.
const MOST_STEPS: usize = 24;
/// A trial found by the closed form is not refined if its simulated sum of squares is this many times that of the best.
const HOPELESS: f64 = 9.0;
/// The largest number of trials that are refined by the closed form, of those beside the best and of the others.
const MOST_REFINED: usize = 3;
/// The largest number of them that are refined by simulation.
const MOST_SIMULATED: usize = 4;
/// The largest number of pairs of values of two counts that the closed form computes, evenly spaced over all pairs.
const MOST_PAIRS: usize = 512;
/// If the counts and words have no more combinations than this, every combination is tried.
const MOST_COMBINATIONS: usize = 64;

impl FitSearch<'_, '_> {
    fn counts(&self) -> Vec<usize> {
        (0..self.model.parameters.len()).filter(|&n| !self.model.parameters[n].is_continuous()).collect()
    }

    /// Tries other values of counts and words until none is better. True if the best trial changed.
    pub(crate) fn choose(&mut self, by: By) -> Result<bool, Stop> {
        let counts = self.counts();
        let grids: Vec<Vec<String>> = counts.iter().map(|&n| self.model.parameters[n].grid()).collect();
        let combinations = grids.iter().try_fold(1usize, |product, grid| product.checked_mul(grid.len()));
        if counts.is_empty() {
            return Ok(false);
        }
        if combinations.is_some_and(|number| number <= MOST_COMBINATIONS) {
            return self.every(&counts, &grids, by);
        }
        let mut changed = false;
        for _ in 0..MOST_STEPS {
            let mut moved = false;
            for &n in &counts {
                moved |= self.other(n, by)?;
            }
            changed |= moved;
            if !moved {
                break;
            }
        }
        Ok(changed)
    }

    /// Tries every combination of the values of all counts and words.
    fn every(&mut self, counts: &[usize], grids: &[Vec<String>], by: By) -> Result<bool, Stop> {
        let here = self.best().clone();
        let mut trials = vec![here.clone()];
        for (&n, grid) in counts.iter().zip(grids) {
            let with = |trial: Trial| grid.iter().map(move |value| replaced(&trial, n, value));
            trials = trials.into_iter().flat_map(with).collect();
        }
        trials.retain(|trial| *trial != here);
        let beside = |trial: &Trial| counts.iter().filter(|&&n| trial[n] != here[n]).count() == 1;
        let (near, far): (Vec<Trial>, Vec<Trial>) = trials.into_iter().partition(beside);
        let mut trials = self.nearest(near)?;
        trials.extend(self.nearest(far)?);
        let mut found = self.refined(trials, by)?;
        let cost = self.cost();
        found.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        let better = found.first().is_some_and(|best| best.cost() < (1.0 - WORTH) * cost);
        found.extend(self.best.clone());
        if better {
            self.best = found.first().cloned();
        }
        for &n in counts {
            let other = found.iter().filter(|trial| trial.trial[n] != self.best()[n]);
            let next = other.min_by(|a, b| a.cost().total_cmp(&b.cost()));
            self.next[n] = next.map(|next| (next.trial[n].clone(), next.cost()));
        }
        Ok(better)
    }

    /// The trials that are best without refinement, by the closed form.
    fn nearest(&self, trials: Vec<Trial>) -> Result<Vec<Trial>, Stop> {
        let cost = |residuals: &[f64]| residuals.iter().map(|r| r * r).sum::<f64>();
        let all = self.model.residuals(&trials, By::Limit)?;
        let mut legal: Vec<(f64, Trial)> =
            trials.into_iter().zip(all).filter_map(|(trial, residuals)| Some((cost(&residuals?), trial))).collect();
        legal.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(legal.into_iter().take(MOST_REFINED).map(|(_, trial)| trial).collect())
    }

    /// The trials with their continuous figures found anew: by the closed form, and the promising ones by `by`.
    fn refined(&self, trials: Vec<Trial>, by: By) -> Result<Vec<Best>, Stop> {
        let mut found: Vec<Best> = Vec::new();
        for trial in trials {
            found.extend(least(self.model, By::Limit, &trial, &mut None)?);
        }
        if by == By::Limit {
            return Ok(found);
        }
        found.sort_by(|a, b| a.cost().total_cmp(&b.cost()));
        found.truncate(MOST_SIMULATED);
        let mut refined = Vec::new();
        for trial in self.promising(found, HOPELESS)? {
            refined.extend(least(self.model, by, &trial, &mut None)?);
        }
        Ok(refined)
    }

    /// Tries other values of parameter `n`. True if one is better; it is then accepted.
    fn other(&mut self, n: usize, by: By) -> Result<bool, Stop> {
        let here = self.cost();
        let old = self.best()[n].clone();
        let found = self.refined(self.others(n, &old)?, by)?;
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
        trials.extend(self.nearest(rest)?);
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
    pub(crate) fn promising(&self, found: Vec<Best>, times: f64) -> Result<Vec<Trial>, Stop> {
        let trials: Vec<Trial> = found.into_iter().map(|best| best.trial).collect();
        let all = self.model.residuals(&trials, By::Simulation)?;
        let cost = |residuals: &[f64]| residuals.iter().map(|r| r * r).sum::<f64>();
        let worth = |residuals: &[f64]| cost(residuals) < times * self.cost();
        let kept = trials.into_iter().zip(all).filter(|(_, residuals)| residuals.as_deref().is_some_and(worth));
        Ok(kept.map(|(trial, _)| trial).collect())
    }
}

fn replaced(trial: &Trial, n: usize, value: &str) -> Trial {
    let mut trial = trial.clone();
    trial[n] = value.to_string();
    trial
}
