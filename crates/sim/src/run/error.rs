//! Why a run could not be made.

use crate::parts::KindError;
use pcie::{Bytes, Time};

/// Why a run could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// A flow goes to a card without memory behind a BAR.
    #[error("`{part}` has no BAR of a page or more, so that nothing can be written or read there")]
    NoBar {
        /// The card.
        part: String,
    },
    /// A card of a kind that no crate brought, or that cannot be had as described.
    #[error("`{part}`: {why}")]
    Kind {
        /// The card.
        part: String,
        /// Why.
        why: KindError,
    },
    /// A part of a crate above broke its contract.
    #[error("`{part}` does what no part may: {what}; please tell those who wrote its kind")]
    Part {
        /// Which.
        part: String,
        /// What it did.
        what: String,
    },
    /// Nothing can move any more: a credit pool that never holds a TLP, for example.
    #[error("nothing moves any more at {at}: {what}")]
    Stuck {
        /// When.
        at: Time,
        /// Which flow waits for what.
        what: String,
    },
    /// It would take more simulated time than any run may.
    #[error("it would take more than {longest} of simulated time: by then {moved} of `{flow}` would have arrived")]
    TooLong {
        /// That time.
        longest: Time,
        /// A flow that is not at its end then.
        flow: String,
        /// What has arrived of it.
        moved: Bytes,
    },
    /// An error of this program: the rates told of the flows over a direction come to more than it carried and what
    /// was on its way beyond it.
    #[error(
        "internal error: the flows over `{direction}` come to {told} MiB/s while it carried {carried} MiB/s ({most} with what was on its way beyond it); please report this"
    )]
    Unbalanced {
        /// Which.
        direction: String,
        /// Sum of the flows' rates, in MiB/s.
        told: u64,
        /// What the direction carried, in MiB/s.
        carried: u64,
        /// The same with what was buffered beyond it when the window opened.
        most: u64,
    },
}

impl SimError {
    /// True for an error of this program, not of its input.
    pub fn is_internal(&self) -> bool {
        matches!(self, SimError::Unbalanced { .. } | SimError::Part { .. })
    }
}
