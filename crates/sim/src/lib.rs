//! The simulation: every TLP timed by itself over every link. See `docs/model.md` for what it carries out.

mod engine;
mod link;
pub mod parts;
mod run;
mod software;

use parts::{KindError, Kinds};
use pcie::{Bytes, Rate, Time};
use std::sync::atomic::AtomicBool;
use system::Budget;
use system::graph::Direction;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Directions whose symbols take 1/1.05 of their time: for seeing whether a link holds a flow back.
    pub faster: &'a [Direction],
    /// Looked at now and then: true ends the run with what there is.
    pub interrupted: Option<&'a AtomicBool>,
    /// The TLP, counted from 1 over all links, that is to have a bit of its payload flipped: for seeing that the
    /// comparison of payload can fail. Zero for none.
    pub flip: u64,
    /// Kinds that crates above bring.
    pub kinds: Option<&'a dyn Kinds>,
    /// Told now and then how far the run is.
    pub watch: Option<Watch<'a>>,
}

/// Who is told how far a run is.
#[derive(Clone, Copy)]
pub struct Watch<'a>(pub &'a (dyn Fn(Told) + Sync));

/// How far a run is, in bytes of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where they go.
    pub done: u64,
    /// Of so many.
    pub of: u64,
    /// Of so many at first: where the flows have no window together, they are run once more, and there is more to do.
    pub at_first: u64,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

/// Latencies of a flow's TLPs (of a read's requests).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    /// How many were timed.
    pub count: u64,
    /// The least.
    pub min: Time,
    /// Half are below.
    pub median: Time,
    /// 99 % are below.
    pub p99: Time,
    /// 99.9 % are below.
    pub p999: Time,
    /// The greatest.
    pub max: Time,
}

/// Payload compared at its end with what was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integrity {
    /// Bytes compared.
    pub compared: u64,
    /// Bytes that differed.
    pub wrong: u64,
}

/// What one flow did.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowOutcome {
    /// Payload delivered.
    pub bytes: u64,
    /// Payload rate at the receiving end while all flows were active; `None` where they never were
    /// ([`Outcome::window`] says why).
    pub stream: Option<Rate>,
    /// Payload rate from its own first packet to its own last, as a timer in the card sees it.
    pub timer: Rate,
    /// Volume over the time that the application sees.
    pub app: Rate,
    /// Latencies.
    pub latency: Latency,
    /// The same, share by share: so large a share of them is at most so long. Empty where none was timed.
    pub distribution: Vec<(f64, Time)>,
    /// The direction that the budget is of: the busiest that carries the flow's payload.
    pub direction: Direction,
    /// Where that direction's time went while all flows were active.
    pub budget: Budget,
    /// Where payload bytes travelled.
    pub integrity: Option<Integrity>,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// In the scenario's order.
    pub flows: Vec<FlowOutcome>,
    /// When all flows were active, which `stream`, `directions`, `busy` and the budgets are of; where one of them
    /// starves, which, and the three latter are of the whole run.
    pub window: Result<Window, Starved>,
    /// Payload rate over each direction while all flows were active, of those that carried any.
    pub directions: Vec<(Direction, Rate)>,
    /// Share of that time in which something of any flow, or for it, was on each direction: TLPs, DLLPs, SKP and gaps
    /// that alignment makes, but no waiting.
    pub busy: Vec<(Direction, f64)>,
    /// Where the time of each direction went while all flows were active, the payload of all of them together.
    pub budgets: Vec<(Direction, Budget)>,
    /// When the last flow was over, in simulated time; of a partial run, how far it came.
    pub end: Time,
    /// Events handled, those of a run in which flows went on included.
    pub events: u64,
    /// The most events pending at once.
    pub most_pending: usize,
    /// TLPs times links that each crossed.
    pub tlp_hops: u64,
    /// True where the run was interrupted.
    pub partial: bool,
}

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
        matches!(self, SimError::Unbalanced { .. })
    }
}

pub use engine::trace;
pub use engine::window::{Starvation, Starved, Window};
pub use run::{run, run_traced};
pub use software::store::HostMemory;
pub use software::thread::{Ask, Driver, Seen};
