//! The outcome of a run.

use crate::engine::faults::Faults;
use crate::engine::latencies::Latency;
use crate::engine::window::{MeasuredWindow, Starved};
use pcie::{Rate, Time};
use system::Budget;
use system::graph::Direction;

/// The comparison of delivered payload with what was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integrity {
    /// Bytes compared.
    pub compared: u64,
    /// Bytes that differed.
    pub wrong: u64,
}

/// The outcome of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowOutcome {
    /// Payload bytes delivered.
    pub bytes: u64,
    /// Payload rate at the receiver while all flows were active; `None` where they never were ([`Outcome::window`] says
    /// why).
    pub stream: Option<Rate>,
    /// Payload rate from the flow's own first packet to its last, as a timer in the card measures it.
    pub timer: Rate,
    /// Volume divided by the time that the application measures.
    pub app: Rate,
    /// Latencies.
    pub latency: Latency,
    /// The distribution of latencies: (share, the latency that this share of them does not exceed). Empty where none
    /// was measured.
    pub distribution: Vec<(f64, Time)>,
    /// Busy cores of the host that runs the software of a drive: its CPU time over the time until its application saw the
    /// end, or all its threads where they poll. `None` for other flows.
    pub cores: Option<f64>,
    /// What went wrong with its commands.
    pub faults: Faults,
    /// The direction of the budget: the busiest one that carries payload of the flow.
    pub direction: Direction,
    /// Where the time of that direction went while all flows were active.
    pub budget: Budget,
    /// `Some` where the run carried payload bytes.
    pub integrity: Option<Integrity>,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// In the order of the scenario.
    pub flows: Vec<FlowOutcome>,
    /// The window in which all flows were active, to which `stream`, `directions`, `busy` and the budgets refer. Where
    /// a flow starves: that flow, and the last three then refer to the whole run.
    pub window: Result<MeasuredWindow, Starved>,
    /// Payload rate on each direction that carried payload in the window.
    pub directions: Vec<(Direction, Rate)>,
    /// Share of the window in which anything of a flow, or for it, was on each direction: TLPs, DLLPs, SKPs and
    /// alignment gaps, but no waiting.
    pub busy: Vec<(Direction, f64)>,
    /// The budget of each direction in the window, for the payload of all flows together.
    pub budgets: Vec<(Direction, Budget)>,
    /// The simulated time at the end of the last flow; for a partial run, at the interruption.
    pub end: Time,
    /// Events handled, including those of a run with extended flows.
    pub events: u64,
    /// The largest number of pending events.
    pub most_pending: usize,
    /// The sum over all TLPs of the links that each crossed.
    pub tlp_hops: u64,
    /// True where the run was interrupted.
    pub partial: bool,
}
