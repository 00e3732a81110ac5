//! What a hypothesis of the search says: its figures, and what holds rates back under it.

use super::applied::sum;
use super::cause::{Cause, Explained, Loss};
use super::evidence::Measurement;
use super::hypothesis::{Fitted, Hypothesis};
use super::rank::{LOST, Rank, Scored};
use super::remedy::remedies;
use crate::unit::Unit;
use system::Bottleneck;

/// Hypotheses of the answer.
const SHOWN: usize = 6;
/// A gain that counts where the most devices work.
const COUNTS: f64 = 1.02;
/// A gain that is much where the most devices work: noise and models are less.
const MUCH: f64 = 1.1;
/// A cause explains a rate that is so many times as much without it.
const EXPLAINS: f64 = 1.05;
/// What devices must give less than their links, for that to be told before that links are full.
const LESS: f64 = 1.1;

impl Rank<'_> {
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

    fn limited_by(&self, number: usize, of: &Scored) -> Option<Bottleneck> {
        let measurement = &self.evidence().measurements[number];
        let scenario = self.rates.run(number).with(&of.set);
        let limits = limit::limit(scenario.as_ref().unwrap_or(&measurement.scenario));
        limits.together.into_iter().next().map(|flow| flow.bottleneck)
    }

    /// The measurements of most devices, which an explanation is asked for.
    fn largest(&self) -> Vec<usize> {
        let flows = |measurement: &Measurement| measurement.scenario.flows.len();
        let all = &self.evidence().measurements;
        let most = all.iter().map(flows).max().unwrap_or(0);
        (0..all.len()).filter(|&number| flows(&all[number]) == most).collect()
    }

    /// Everything that holds some rate back under a hypothesis, with the rates that it explains.
    fn held(&self, of: &Scored) -> Vec<Loss> {
        let mut losses: Vec<Loss> = Vec::new();
        let mut add = |cause: Cause, number: usize, gain: f64| {
            let explained = (gain > COUNTS).then_some(Explained { measurement: number, gain });
            match losses.iter_mut().find(|loss| loss.cause.is_of_same(&cause)) {
                Some(known) => {
                    known.cause.join(cause);
                    known.explains.extend(explained);
                }
                None => losses.push(Loss { cause, gain: 1.0, explains: explained.into_iter().collect() }),
            }
        };
        for (number, predicted) in of.predicted.iter().enumerate() {
            for at in &of.set {
                let without: Vec<_> = of.set.iter().filter(|one| one.suspect != at.suspect).cloned().collect();
                let gain = self.rates.predicted(number, &without) / predicted;
                add(Cause::Hidden(at.suspect.clone()), number, gain);
            }
            let scenario = self.rates.run(number).with(&of.set);
            let scenario = scenario.as_ref().unwrap_or(&self.evidence().measurements[number].scenario);
            for remedy in remedies(scenario) {
                add(remedy.cause, number, sum(&remedy.scenario) / predicted);
            }
        }
        losses
    }

    /// What holds rates back under a hypothesis: what costs the most devices at once most first, then what acts on others only.
    fn losses(&self, of: &Scored) -> Vec<Loss> {
        let largest = self.largest();
        let mut losses = self.held(of);
        for loss in &mut losses {
            let at_most = loss.explains.iter().filter(|one| largest.contains(&one.measurement));
            let gain = at_most.map(|one| one.gain.ln()).sum::<f64>() / largest.len().max(1) as f64;
            loss.gain = gain.exp();
            loss.explains.retain(|one| one.gain > EXPLAINS);
        }
        losses.retain(|loss| loss.gain > COUNTS || !loss.explains.is_empty());
        // A link that is narrower than both ends can is full as well.
        let narrow: Vec<Cause> = losses.iter().map(|loss| loss.cause.clone()).filter(Cause::is_mendable).collect();
        losses.retain(|loss| loss.cause.is_mendable() || !narrow.iter().any(|known| known.is_same(&loss.cause)));
        let costs = |loss: &Loss| if loss.gain > MUCH { loss.gain } else { 1.0 };
        losses.sort_by(|a, b| costs(b).total_cmp(&costs(a)).then(b.explained().total_cmp(&a.explained())));
        order(&mut losses);
        if losses.first().is_none_or(|first| first.gain <= COUNTS) {
            let by = largest.first().and_then(|&number| self.limited_by(number, of));
            let by = by.map(|by| by.told(&|rate| Unit::MbPerS.told(rate)));
            let other = by.map(|by| Loss { cause: Cause::Other(by), gain: 1.0, explains: Vec::new() });
            losses.splice(0..0, other.filter(|_| losses.is_empty()));
        }
        losses
    }
}

/// What can be mended comes first where it gives three quarters of what the first would; what was bought comes last, except before
/// sizes of payloads and requests that give less. What costs the most devices little, and explains less of all rates than another
/// cause, comes after all that.
fn order(losses: &mut [Loss]) {
    let asked = |loss: &&Loss| !loss.cause.is_expected();
    let most = losses.iter().find(asked).map_or(1.0, |first| first.gain.powf(0.75));
    let explained = losses.iter().filter(asked).map(Loss::explained).fold(0.0, f64::max);
    losses.sort_by_key(|loss| {
        let (expected, mendable) = (loss.cause.is_expected(), loss.cause.is_mendable());
        // That a device gives less than its link says more than that other links are full.
        let says_more = matches!(loss.cause, Cause::Hidden(_)) && loss.gain > LESS;
        let class = if expected { 3 - u8::from(says_more) } else { u8::from(!(mendable && loss.gain >= most)) };
        let is_more = !expected && loss.explained() > 0.5 * explained;
        let is_minor = loss.gain <= if expected { COUNTS } else { MUCH } && !is_more;
        (is_minor, class)
    });
    let Some(first) = losses.first().filter(|first| first.cause.is_size()) else { return };
    if let Some(place) = losses.iter().position(|loss| loss.cause.is_expected() && loss.gain > first.gain) {
        losses[..=place].rotate_right(1);
    }
}
