//! Why a run could not be made.

use crate::parts::KindError;
use pcie::{Bytes, Time};

/// Why a run could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SimError {
    /// A flow's target card has no memory BAR.
    #[error("`{part}` has no BAR of a page or more, so that nothing can be written or read there")]
    NoBar {
        /// The card.
        part: String,
    },
    /// A card of an unknown kind, or one that is not possible as described.
    #[error("`{part}`: {why}")]
    Kind {
        /// The card.
        part: String,
        /// Why.
        why: KindError,
    },
    /// A part broke its contract.
    #[error("`{part}` does what no part may: {what}; please tell those who wrote its kind")]
    Part {
        /// Its name.
        part: String,
        /// What it did.
        what: String,
    },
    /// Nothing can move any more, for example because credits never suffice for a TLP.
    #[error("nothing moves any more at {at}: {what}")]
    Stuck {
        /// When.
        at: Time,
        /// Which flow waits for what.
        what: String,
    },
    /// The run would take more simulated time than allowed.
    #[error("it would take more than {longest} of simulated time: by then {moved} of `{flow}` would have arrived")]
    TooLong {
        /// The longest time allowed.
        longest: Time,
        /// A flow that has not ended by then.
        flow: String,
        /// Bytes of it that were delivered.
        moved: Bytes,
    },
    /// An internal error: the reported rates of the flows over a direction exceed what it carried.
    #[error(
        "internal error: the flows over `{direction}` come to {told} MiB/s while it carried {carried} MiB/s ({most} with what was on its way beyond it); please report this"
    )]
    Unbalanced {
        /// The direction.
        direction: String,
        /// Sum of the flows' rates, in MiB/s.
        told: u64,
        /// What the direction carried, in MiB/s.
        carried: u64,
        /// What it carried and what was buffered after it when the window opened, in MiB/s.
        most: u64,
    },
}

impl SimError {
    /// True for an internal error, false for an error of the input.
    pub fn is_internal(&self) -> bool {
        matches!(self, SimError::Unbalanced { .. } | SimError::Part { .. })
    }
}
