//! What a run did.

use crate::engine::latencies::Latency;
use crate::engine::window::{MeasuredWindow, Starved};
use pcie::{Rate, Time};
use system::Budget;
use system::graph::Direction;

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
    pub window: Result<MeasuredWindow, Starved>,
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
