//! How an explanation ends.

use super::cause::Cause;
use super::hypothesis::Hypothesis;
use super::next::{Next, next};
use super::rank::{Rank, Scored};

/// A difference of scores that decides: 2 ln 20.
pub const DECIDES: f64 = 6.0;
/// A hypothesis whose predictions are so many times the noise off, as a root mean square, explains nothing.
pub const FAR: f64 = 3.0;
/// What registers show explains rates where its predictions are no more than so many times the noise off: nothing that they do
/// not show is then looked for.
pub const NEAR: f64 = 1.5;

/// A hypothesis with the predictions of the first one.
#[derive(Clone, Debug)]
pub struct Alike {
    /// Its cause.
    pub cause: Cause,
    /// A measurement for which it predicts something else.
    pub next: Option<Next>,
}

/// How an explanation ends.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The first hypothesis is true, or none that was thought of.
    Found,
    /// The first two are as good; a measurement that would tell, if there is one among those that were tried.
    Undecided(Option<Next>),
    /// None is near the rates.
    Unexplained,
}

/// So many rates have something in common.
const SEVERAL: usize = 3;

/// A rate that is so many times the noise above what links allow is not what it is said to be.
const ABOVE: f64 = 3.0;
/// Predictions that differ by less are not told apart by rates with the usual noise.
const ALIKE: f64 = 0.03;

impl Rank<'_> {
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
                Verdict::Undecided(next(&self.rates, &first.set, &second.set))
            }
            _ => Verdict::Found,
        }
    }

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
            Some(Alike { cause: other.cause()?.clone(), next: next(&self.rates, &first.set, &second.set) })
        };
        hypotheses[1..].iter().filter(is_alike).filter_map(told).collect()
    }
}
