//! How an explanation ends.

use super::cause::Cause;
use super::next::Next;

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
