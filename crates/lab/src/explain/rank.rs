//! The search over hypotheses, and their order.

use super::applied::At;
use super::evidence::Evidence;
use super::fitting::Rates;
use super::suspect::{Suspect, suspects};
use super::twins::Twins;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// Suspects of which all pairs are tried: those that explain most alone.
const PAIRED: usize = 12;
/// Suspects of which all pairs are tried where one of them explains the rates within the noise.
const FEW: usize = 3;
/// Pairs of which figures far from those alone are tried.
const AGAIN: usize = 10;
/// Hypotheses of two to which a third suspect is added.
const SEEDS: usize = 6;
/// Suspects at most.
const MOST: usize = 3;
/// A hypothesis that is so much worse than the first is not looked at once more, and from the third on it is not told.
pub(super) const LOST: f64 = 30.0;

/// A hypothesis of the search.
#[derive(Clone)]
pub(super) struct Scored {
    pub set: Vec<At>,
    pub predicted: Vec<f64>,
    pub chi_squared: f64,
    pub score: f64,
}

/// See the module.
pub(super) struct Rank<'a> {
    pub rates: Rates<'a>,
    suspects: Vec<Suspect>,
    /// How many suspects there were to choose from.
    pub choices: usize,
    interrupted: &'a AtomicBool,
    pub found: Vec<Scored>,
}

impl<'a> Rank<'a> {
    pub fn new(evidence: &'a Evidence, interrupted: &'a AtomicBool) -> Rank<'a> {
        let suspects = suspects(evidence);
        Rank { rates: Rates::new(evidence), choices: suspects.len(), suspects, interrupted, found: Vec::new() }
    }

    pub fn evidence(&self) -> &'a Evidence {
        self.rates.evidence
    }

    /// Fits hypotheses with more and more suspects while these pay; false if it was interrupted.
    pub fn run(&mut self) -> bool {
        self.found.push(self.scored(Vec::new()));
        let Some(alone) = self.alone() else { return false };
        let nearest: Vec<At> = alone.iter().flat_map(|one| one.set.iter().cloned()).collect();
        let twins = Twins::among(&self.rates, &mut self.suspects, &nearest);
        let firsts = |one: &&Scored| self.suspects.contains(&one.set[0].suspect);
        let mut seeds: Vec<Scored> = alone.iter().filter(firsts).cloned().collect();
        self.keep(alone);
        let count = self.rates.count() as f64;
        // What one suspect leaves is noise: of its squares, the mean is their number, and their variance twice that.
        let is_noise = |one: &Scored| one.chi_squared < count + 2.0 * (2.0 * count).sqrt();
        let few = self.found.iter().any(is_noise);
        seeds.sort_by(|a, b| self.rates.squares(&a.predicted).total_cmp(&self.rates.squares(&b.predicted)));
        seeds.truncate(if few { FEW } else { PAIRED });
        for count in 2..=MOST {
            let best = self.best();
            let Some(fitted) = self.one_more(seeds, &twins) else { return false };
            seeds = self.keep(fitted);
            seeds.truncate(SEEDS);
            // Of two causes, each alone may be no better than none.
            if count > 2 && self.best() >= best {
                break;
            }
        }
        self.found.sort_by(|a, b| a.score.total_cmp(&b.score));
        true
    }

    fn best(&self) -> f64 {
        self.found.iter().map(|one| one.score).fold(f64::INFINITY, f64::min)
    }

    /// Each suspect alone; from then on, only those are looked at that make something better. What makes nothing better alone
    /// makes rates only lower that others have made lower.
    fn alone(&mut self) -> Option<Vec<Scored>> {
        let none = self.found[0].clone();
        let nothing = self.rates.squares(&none.predicted);
        if none.chi_squared <= self.least_price() {
            self.suspects.clear();
        }
        let fit = |suspect: &Suspect| self.fit(&none, suspect);
        let fitted: Option<Vec<Option<Scored>>> = self.suspects.par_iter().with_max_len(1).map(fit).collect();
        let fitted: Vec<Scored> = fitted?.into_iter().flatten().collect();
        let pays = |one: &&Scored| nothing - self.rates.squares(&one.predicted) > self.least_price();
        self.suspects = fitted.iter().filter(pays).map(|one| one.set[0].suspect.clone()).collect();
        Some(fitted.into_iter().filter(|one| self.suspects.contains(&one.set[0].suspect)).collect())
    }

    /// Each seed with each suspect more: each set once, and then with twins of its suspects.
    fn one_more(&self, mut seeds: Vec<Scored>, twins: &Twins) -> Option<Vec<Scored>> {
        // One more suspect costs at least so much: where less is left to explain, it cannot pay.
        seeds.retain(|seed| seed.chi_squared > self.least_price());
        let mut tasks: Vec<(&Scored, &Suspect)> = Vec::new();
        let mut known: BTreeSet<Vec<&Suspect>> = BTreeSet::new();
        for (seed, suspect) in seeds.iter().flat_map(|seed| self.suspects.iter().map(move |suspect| (seed, suspect))) {
            let mut set = names(seed);
            let is_more =
                !set.contains(&suspect) && self.rates.potential(&seed.predicted, suspect) > self.least_price();
            set.push(suspect);
            set.sort();
            if is_more && known.insert(set) {
                tasks.push((seed, suspect));
            }
        }
        let fitted: Option<Vec<Option<Scored>>> =
            tasks.par_iter().with_max_len(1).map(|(seed, suspect)| self.fit(seed, suspect)).collect();
        let mut fitted: Vec<Scored> = fitted?.into_iter().flatten().collect();
        fitted.sort_by(|a, b| a.score.total_cmp(&b.score));
        let again = fitted.par_iter_mut().take(AGAIN).with_max_len(1);
        again.for_each(|one| {
            if let Some(far) = self.rates.fit_far(&one.set) {
                *one = self.scored(far);
            }
        });
        fitted.sort_by(|a, b| a.score.total_cmp(&b.score));
        let more = |one: &Scored| twins.of(&self.rates, &one.set).into_iter().map(|set| self.scored(set));
        let more: Vec<Scored> = fitted.iter().take(SEEDS).flat_map(more).collect();
        fitted.extend(more);
        Some(fitted)
    }

    /// A hypothesis with one more suspect; `None` if it was interrupted, nothing where the suspect changes nothing.
    fn fit(&self, seed: &Scored, suspect: &Suspect) -> Option<Option<Scored>> {
        if self.interrupted.load(Ordering::Relaxed) {
            return None;
        }
        Some(self.rates.fit(&seed.set, suspect).map(|set| self.scored(set)))
    }

    /// Adds hypotheses to those that were found, without what adds nothing; those that were added, the best first.
    fn keep(&mut self, mut fitted: Vec<Scored>) -> Vec<Scored> {
        // Suspects without effect add nothing, and one of several ports that acts at one of them is that of this port.
        fitted.retain(|one| one.set.iter().all(|at| self.counts(at, &one.set) > 0 && !self.is_of_one_port(at, one)));
        // Of what is near the best, figures are looked at once more.
        let near = fitted.iter().map(|one| one.score).fold(self.best(), f64::min) + LOST;
        fitted.par_iter_mut().with_max_len(1).filter(|one| one.score < near).for_each(|one| self.look_again(one));
        fitted.sort_by(|a, b| a.score.total_cmp(&b.score));
        fitted.dedup_by(|a, b| a.score == b.score && names(a) == names(b));
        self.found.extend(fitted.iter().cloned());
        fitted
    }

    /// Moves the figures of a hypothesis together, and makes those of a suspect one for all loads where that is better.
    fn look_again(&self, of: &mut Scored) {
        let mut set = of.set.clone();
        self.rates.move_together(&mut set);
        *of = self.scored(set);
        for one in 0..of.set.len() {
            let tied = self.rates.with_one_figure(&of.set, one).map(|set| self.scored(set));
            if let Some(tied) = tied.filter(|tied| tied.score < of.score) {
                *of = tied;
            }
        }
    }
}

fn names(of: &Scored) -> Vec<&Suspect> {
    let mut names: Vec<&Suspect> = of.set.iter().map(|at| &at.suspect).collect();
    names.sort();
    names
}
