//! The search over hypotheses, and their order.

use super::cause::{Cause, Loss};
use super::evidence::{Evidence, Measurement};
use super::fitting::{At, NOTHING, Rates, sum, with};
use super::hypothesis::{Fitted, Hypothesis};
use super::next;
use super::remedy::remedies;
use super::suspect::{Suspect, each_port, suspects};
use super::verdict::{Alike, DECIDES, FAR, NEAR, Verdict};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Hypotheses to which one more suspect is added.
const SEEDS: usize = 4;
/// Suspects at most.
const MOST: usize = 3;
/// Hypotheses of the answer.
const SHOWN: usize = 6;
/// From the third on, a hypothesis that is so much worse than the first is not told.
const LOST: f64 = 30.0;
/// A figure may lie anywhere between a rate and so many times that.
const RANGE: f64 = 4.0;
/// A gain that counts.
const COUNTS: f64 = 1.02;

/// A time for each 64-byte line, in seconds, that is 1 GB/s.
const SLOW_LINE: f64 = 64e-9;
/// A thread that is busy for more of its time has none left.
const FULL: f64 = 0.95;

/// What devices must give less than their links, for that to be told before that links are full.
const LESS: f64 = 1.1;

/// A hypothesis of the search.
#[derive(Clone)]
pub(super) struct Scored {
    pub set: Vec<At>,
    pub predicted: Vec<f64>,
    chi_squared: f64,
    pub score: f64,
}

/// See the module.
pub(super) struct Rank<'a> {
    pub rates: Rates<'a>,
    suspects: Vec<Suspect>,
    /// How many suspects there were to choose from.
    choices: usize,
    interrupted: &'a AtomicBool,
    found: Vec<Scored>,
}

impl<'a> Rank<'a> {
    pub fn new(evidence: &'a Evidence, interrupted: &'a AtomicBool) -> Rank<'a> {
        let suspects = suspects(evidence);
        Rank { rates: Rates::new(evidence), choices: suspects.len(), suspects, interrupted, found: Vec::new() }
    }

    fn evidence(&self) -> &'a Evidence {
        self.rates.evidence
    }

    /// Fits hypotheses with more and more suspects while these pay; false if it was interrupted.
    pub fn run(&mut self) -> bool {
        self.found.push(self.scored(Vec::new()));
        let nothing = self.rates.squares(&self.found[0].predicted);
        let mut seeds = vec![self.found[0].clone()];
        for count in 1..=MOST {
            let best = self.found.iter().map(|one| one.score).fold(f64::INFINITY, f64::min);
            // One more suspect costs at least so much: where less is left to explain, it cannot pay.
            seeds.retain(|seed| seed.chi_squared > self.least_price());
            let tasks: Vec<(&Scored, &Suspect)> = seeds
                .iter()
                .flat_map(|seed| self.suspects.iter().map(move |suspect| (seed, suspect)))
                .filter(|(seed, suspect)| seed.set.iter().all(|at| at.suspect != **suspect))
                .filter(|(seed, suspect)| self.rates.potential(&seed.predicted, suspect) > self.least_price())
                .collect();
            let fit = |(seed, suspect): &(&Scored, &Suspect)| {
                let go_on = !self.interrupted.load(Ordering::Relaxed);
                go_on.then(|| self.scored(self.rates.fit(&seed.set, suspect)))
            };
            let fitted: Vec<Option<Scored>> = tasks.par_iter().with_max_len(1).map(fit).collect();
            if fitted.iter().any(Option::is_none) {
                return false;
            }
            let mut fitted: Vec<Scored> = fitted.into_iter().flatten().collect();
            if count == 1 {
                // What makes nothing better alone makes rates only lower that others have made lower.
                let pays = |one: &&Scored| nothing - self.rates.squares(&one.predicted) > self.least_price();
                self.suspects = fitted.iter().filter(pays).map(|one| one.set[0].suspect.clone()).collect();
            }
            // Suspects without effect add nothing, and one of several ports that acts at one of them is that of this port.
            fitted
                .retain(|one| one.set.iter().all(|at| self.counts(at, &one.set) > 0 && !self.is_of_one_port(at, one)));
            fitted.sort_by(|a, b| a.score.total_cmp(&b.score));
            // Of what is near the best, figures are looked at once more.
            let near = fitted.first().map_or(0.0, |one| one.score.min(best) + LOST);
            fitted.par_iter_mut().with_max_len(1).filter(|one| one.score < near).for_each(|one| self.look_again(one));
            fitted.sort_by(|a, b| a.score.total_cmp(&b.score));
            fitted.dedup_by(|a, b| a.score == b.score && names(a) == names(b));
            let now = fitted.first().map_or(f64::INFINITY, |one| one.score);
            self.found.extend(fitted.iter().cloned());
            fitted.truncate(SEEDS);
            seeds = fitted;
            if now > best {
                break;
            }
        }
        self.found.sort_by(|a, b| a.score.total_cmp(&b.score));
        true
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

    /// What a figure costs at least. Of a few measurements the logarithm says little: a figure may then fit anything.
    fn least_price(&self) -> f64 {
        (self.rates.count() as f64).ln().max(2.0)
    }

    /// What a figure costs: twice the logarithm of how many times the range in which it may lie is as wide as what the rates
    /// leave of it (Laplace's approximation of the evidence). A figure that the rates tell to one per cent has explained more by
    /// being just there than one that may be anything.
    fn price(&self, error: f64) -> f64 {
        let width = error * (2.0 * std::f64::consts::PI).sqrt();
        (2.0 * (RANGE.ln() / width).ln()).max(self.least_price())
    }

    /// True where a suspect of several ports predicts what it would at one of them.
    fn is_of_one_port(&self, at: &At, of: &Scored) -> bool {
        if !matches!(at.suspect, Suspect::Ports(..) | Suspect::Lanes(_)) {
            return false;
        }
        let alone = |(suspect, times): (Suspect, f64)| {
            let mut set = of.set.clone();
            for one in set.iter_mut().filter(|one| one.suspect == at.suspect) {
                *one =
                    At { suspect: suspect.clone(), figures: at.figures.iter().map(|figure| figure * times).collect() };
            }
            let is_alike =
                |(number, &rate): (usize, &f64)| (self.rates.predicted(number, &set) / rate - 1.0).abs() < NOTHING;
            of.predicted.iter().enumerate().all(is_alike)
        };
        each_port(self.evidence(), &at.suspect).into_iter().any(alone)
    }

    fn scored(&self, set: Vec<At>) -> Scored {
        let predicted = self.rates.all(&set);
        let chi_squared = self.rates.chi_squared(&predicted);
        let of = |at: &At| {
            let moves = (0..at.figures.len()).filter(|&which| self.moves(at, which, &set));
            moves.map(|which| self.price(self.error(at, which, &set, &predicted))).sum::<f64>()
        };
        let figures: f64 = set.iter().map(of).sum();
        let mut ways = 0.0;
        for (taken, _) in set.iter().enumerate() {
            ways += ((self.choices.saturating_sub(taken)).max(1) as f64 / (taken + 1) as f64).ln();
        }
        let rarity: f64 = set.iter().map(|at| self.rarity(at)).sum();
        let score = chi_squared + figures + 2.0 * ways + rarity;
        Scored { set, predicted, chi_squared, score }
    }

    /// What a suspect adds to the score. Of a core that is known to have no time left, or to give all commands, it is usual.
    /// Memory that takes less than any does is rare.
    fn rarity(&self, at: &At) -> f64 {
        let all = &self.evidence().measurements;
        let is_full = all.iter().any(|one| one.busy.is_some_and(|busy| busy > FULL));
        let is_one = all
            .iter()
            .any(|one| one.scenario.flows.len() > 1 && one.scenario.flows.iter().all(|f| f.work.cores == Some(1)));
        match at.suspect {
            Suspect::Core if is_full || is_one => -3.0,
            Suspect::Threads if is_full => -3.0,
            Suspect::Memory if at.figures[0] > SLOW_LINE => at.suspect.rarity() + 8.0,
            _ => at.suspect.rarity(),
        }
    }

    /// The figures of a suspect that change some rate.
    fn counts(&self, at: &At, set: &[At]) -> usize {
        (0..at.figures.len()).filter(|&which| self.moves(at, which, set)).count()
    }

    fn moves(&self, at: &At, which: usize, set: &[At]) -> bool {
        let of_load = at.is_of_load();
        let numbers = (0..self.rates.count()).filter(|&number| !of_load || self.rates.load[number] == which);
        let without: Vec<At> = set.iter().filter(|one| one.suspect != at.suspect).cloned().collect();
        numbers
            .into_iter()
            .any(|number| self.rates.predicted(number, set) < (1.0 - NOTHING) * self.rates.predicted(number, &without))
    }

    /// The measurements of most devices, which an explanation is asked for.
    fn largest(&self) -> Vec<usize> {
        let flows = |measurement: &Measurement| measurement.scenario.flows.len();
        let all = &self.evidence().measurements;
        let most = all.iter().map(flows).max().unwrap_or(0);
        (0..all.len()).filter(|&number| flows(&all[number]) == most).collect()
    }

    /// What holds back the largest measurements under a hypothesis, what costs most first.
    fn losses(&self, of: &Scored) -> Vec<Loss> {
        let largest = self.largest();
        let mut losses: Vec<Loss> = Vec::new();
        for at in &of.set {
            let without: Vec<At> = of.set.iter().filter(|one| one.suspect != at.suspect).cloned().collect();
            let gain = |&number: &usize| (self.rates.predicted(number, &without) / of.predicted[number]).ln();
            let gain = largest.iter().map(gain).sum::<f64>() / largest.len().max(1) as f64;
            losses.push(Loss { cause: Cause::Hidden(at.suspect.clone()), gain: gain.exp() });
        }
        for &number in &largest {
            let measurement = &self.evidence().measurements[number];
            let scenario = with(&measurement.scenario, self.rates.load[number], &of.set);
            for remedy in remedies(scenario.as_ref().unwrap_or(&measurement.scenario)) {
                let gain = (sum(&remedy.scenario) / of.predicted[number]).powf(1.0 / largest.len() as f64);
                match losses.iter_mut().find(|loss| loss.cause == remedy.cause) {
                    Some(known) => known.gain *= gain,
                    None => losses.push(Loss { cause: remedy.cause, gain }),
                }
            }
        }
        losses.retain(|loss| loss.gain > COUNTS);
        losses.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        // What can be mended comes first where it gives three quarters of what the first would; what was bought comes last.
        let asked = |loss: &&Loss| !loss.cause.is_expected();
        let most = losses.iter().find(asked).map_or(1.0, |first| first.gain.powf(0.75));
        losses.sort_by_key(|loss| {
            let (expected, mendable) = (loss.cause.is_expected(), loss.cause.is_mendable());
            // That a device gives less than its link says more than that other links are full.
            let says_more = matches!(loss.cause, Cause::Hidden(_)) && loss.gain > LESS;
            if expected { 3 - u8::from(says_more) } else { u8::from(!(mendable && loss.gain >= most)) }
        });
        if losses.is_empty() {
            let by = largest.first().map(|&number| self.limited_by(number, of));
            losses.extend(by.map(|by| Loss { cause: Cause::Other(by), gain: 1.0 }));
        }
        losses
    }

    fn limited_by(&self, number: usize, of: &Scored) -> String {
        let measurement = &self.evidence().measurements[number];
        let scenario = with(&measurement.scenario, self.rates.load[number], &of.set);
        let limits = limit::limit(scenario.as_ref().unwrap_or(&measurement.scenario));
        limits.together.first().map(|flow| flow.bottleneck.to_string()).unwrap_or_default()
    }

    /// The hypotheses of the answer: of each cause the best one.
    pub fn hypotheses(&self) -> Vec<(&Scored, Hypothesis)> {
        let mut shown: Vec<(&Scored, Hypothesis)> = Vec::new();
        for of in &self.found {
            let losses = self.losses(of);
            let Some(cause) = losses.first().map(|loss| loss.cause.clone()) else { continue };
            // What only `limit` names is no cause beside one that is.
            let says = !matches!(cause, Cause::Other(_)) || shown.is_empty();
            let is_new =
                says && shown.iter().all(|(_, known)| known.cause().is_none_or(|known| !known.is_same(&cause)));
            if is_new {
                shown.push((of, self.told(of, losses)));
            }
            let best = shown.first().map_or(of.score, |(best, _)| best.score);
            if shown.len() >= SHOWN || (shown.len() >= 2 && of.score > best + LOST) {
                break;
            }
        }
        shown
    }

    fn told(&self, of: &Scored, losses: Vec<Loss>) -> Hypothesis {
        let mut fitted = Vec::new();
        for at in &of.set {
            for which in (0..at.figures.len()).filter(|&which| self.moves(at, which, &of.set)) {
                let load = at.is_of_load().then(|| self.rates.load.iter().position(|&load| load == which)).flatten();
                fitted.push(Fitted {
                    suspect: at.suspect.clone(),
                    load: load.map(|number| self.evidence().measurements[number].load.clone()),
                    figure: at.figures[which],
                    error: self.error(at, which, &of.set, &of.predicted),
                });
            }
        }
        let limited_by = (0..self.rates.count()).map(|number| self.limited_by(number, of)).collect();
        let off = (of.chi_squared / self.rates.count().max(1) as f64).sqrt();
        Hypothesis { fitted, losses, predicted: of.predicted.clone(), limited_by, off, score: of.score }
    }

    /// The standard error of a figure, as a share: the noise over how the rates follow it.
    fn error(&self, at: &At, which: usize, set: &[At], predicted: &[f64]) -> f64 {
        const STEP: f64 = 0.02;
        let mut moved = set.to_vec();
        for one in moved.iter_mut().filter(|one| one.suspect == at.suspect) {
            one.figures[which] *= 1.0 - STEP;
        }
        let slope = |number: usize| (predicted[number] / self.rates.predicted(number, &moved)).ln() / STEP;
        let squares: f64 = (0..self.rates.count()).map(|number| slope(number).powi(2)).sum();
        if squares > 0.0 { self.evidence().noise / squares.sqrt() } else { f64::INFINITY }
    }

    /// How the explanation ends.
    pub fn verdict(&self, hypotheses: &[(&Scored, Hypothesis)]) -> Verdict {
        let Some((first, best)) = hypotheses.first() else { return Verdict::Unexplained };
        // A deficit that all rates have alike costs little score, since a model is an upper bound: so much of it, at several
        // rates, is no detail.
        let rest = best.unexplained(self.evidence()).len();
        if best.off > FAR || rest >= SEVERAL && rest == self.rates.count() {
            return Verdict::Unexplained;
        }
        if best.fitted.is_empty() && best.off < NEAR {
            return Verdict::Found;
        }
        match hypotheses.get(1) {
            Some((second, other)) if other.score < best.score + DECIDES => {
                Verdict::Undecided(next::next(&self.rates, &first.set, &second.set))
            }
            _ => Verdict::Found,
        }
    }
}

/// So many rates have something in common.
const SEVERAL: usize = 3;

/// A rate that is so many times the noise above what links allow is not what it is said to be.
const ABOVE: f64 = 2.0;
/// Predictions that differ by less are not told apart by rates with the usual noise.
const ALIKE: f64 = 0.03;

impl Rank<'_> {
    /// The measurements with more than what nothing holds back but what registers show.
    pub fn above(&self) -> Vec<usize> {
        let is_above = |&number: &usize| self.rates.off(number, self.rates.shown[number]) < -ABOVE;
        (0..self.rates.count()).filter(is_above).collect()
    }

    /// The hypotheses that predict what the first one does.
    pub fn alike(&self, hypotheses: &[(&Scored, Hypothesis)]) -> Vec<Alike> {
        let Some((first, best)) = hypotheses.first() else { return Vec::new() };
        // What is more than what registers show needs a reason.
        if best.fitted.is_empty() {
            return Vec::new();
        }
        let is_alike = |(_, other): &&(&Scored, Hypothesis)| {
            best.apart(other).0 < ALIKE && other.fitted.len() <= best.fitted.len()
        };
        let told = |(second, other): &(&Scored, Hypothesis)| {
            Some(Alike { cause: other.cause()?.clone(), next: next::next(&self.rates, &first.set, &second.set) })
        };
        hypotheses[1..].iter().filter(is_alike).filter_map(told).collect()
    }
}

fn names(of: &Scored) -> Vec<&Suspect> {
    let mut names: Vec<&Suspect> = of.set.iter().map(|at| &at.suspect).collect();
    names.sort();
    names
}
