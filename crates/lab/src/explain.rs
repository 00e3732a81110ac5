//! Why measured rates are what they are: which causes fit the rates of devices alone and together, and which do not.
//!
//! A machine shows its links, its payload sizes and its bridges in registers; what a drive gives, what a chipset passes, what
//! memory, an IOMMU or a core costs, it does not show. Each hypothesis is the machine as it shows itself, with no *suspect*, one
//! or a few of them, each of which has a figure. [`limit`] predicts all measured rates under it, and its figures are those for
//! which the predictions come nearest. The hypotheses are ranked by a *score*:
//!
//! ```text
//! score = sum over the measurements of (ln(predicted / measured) / noise)^2
//!         + what each figure costs                           (Laplace's approximation of the evidence)
//!         + 2 * ln(number of ways to choose so many suspects) (extended BIC)
//!         + how rare each of its suspects is
//! ```
//!
//! A difference of [`DECIDES`] in the score is odds of 20 to 1. Where two hypotheses with different causes are nearer than that,
//! the answer is *undecided*, with a measurement for which they predict different rates.
//!
//! What it is not: it does not measure, it does not simulate, and where no hypothesis is near the rates it says so and names no
//! cause.
//!
//! | word | meaning |
//! |---|---|
//! | measurement | the rate of some flows at once, and the scenario of them |
//! | load | what measurements have in common that differ only in which devices take part: operation, block size, depth |
//! | suspect | something that no register shows and that holds rates back, with a figure: a cap, or a time |
//! | remedy | something that registers show and that a change makes better: a link, MPS, MRRS |
//! | cause | the suspect or the remedy that, taken away, makes the rate of the most devices at once rise most |

mod applied;
mod cause;
mod evidence;
mod fitting;
mod hypothesis;
mod known;
mod next;
mod rank;
mod remedy;
pub mod rows;
mod score;
mod suspect;
mod told;
mod twins;
mod verdict;

pub use cause::{Cause, Explained, Loss};
pub use evidence::{Evidence, Measurement};
pub use hypothesis::{Fitted, Hypothesis};
pub use next::{Next, NextRates};
pub use suspect::Suspect;
pub use verdict::{Alike, DECIDES, FAR, NEAR, Verdict};

use crate::error::Error;
use rank::Rank;
use std::sync::atomic::AtomicBool;

/// What was found.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The hypotheses, the best first, each with a cause of its own.
    pub hypotheses: Vec<Hypothesis>,
    /// How it ends.
    pub verdict: Verdict,
    /// Where the verdict is found: hypotheses that predict the same rates, and are ranked lower only since they are less usual.
    pub alike: Vec<Alike>,
    /// Measurements, by their places, whose rates are above what the machine allows as it shows itself.
    pub above: Vec<usize>,
    /// Figures of the description that were fitted, which are unknown here.
    pub unknown: Vec<String>,
    /// False where it was interrupted.
    pub complete: bool,
}

impl Explanation {
    /// How many hypotheses, each with a cause of its own, fit about as well as the first, which is one of them.
    pub fn undecided(&self) -> usize {
        let best = self.hypotheses.first().map_or(0.0, |best| best.score);
        self.hypotheses.iter().filter(|one| one.score < best + DECIDES).count()
    }
}

/// Options of [`explain`].
pub struct ExplainOptions<'a> {
    /// Threads; `None` for one a core.
    pub threads: Option<usize>,
    /// Set to true to end early.
    pub interrupted: &'a AtomicBool,
}

/// Ranks what may explain the measurements.
///
/// # Errors
/// No measurement, or none of whose flows `limit` knows a rate; more threads than there can be.
pub fn explain(evidence: &Evidence, options: &ExplainOptions<'_>) -> Result<Explanation, Error> {
    if evidence.measurements.is_empty() {
        return Err(Error::asked("there is no measurement to explain", "give a result of `bench disk`, or --measured"));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build();
    let pool = pool.map_err(|error| Error::asked(error, "fewer threads"))?;
    let unknown = evidence.unknown.clone();
    pool.install(|| {
        let mut rank = Rank::new(evidence, options.interrupted);
        let complete = rank.run();
        let hypotheses = rank.hypotheses();
        let verdict = rank.verdict(&hypotheses);
        let alike = if matches!(verdict, Verdict::Found) { rank.alike(&hypotheses) } else { Vec::new() };
        let above = rank.above();
        let hypotheses = hypotheses.into_iter().map(|(_, hypothesis)| hypothesis).collect();
        Ok(Explanation { hypotheses, verdict, alike, above, unknown, complete })
    })
}
