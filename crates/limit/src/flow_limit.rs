//! What the limit says of one flow.

use pcie::{Rate, Time};
use system::graph::Direction;
use system::{Bottleneck, Budget};

/// The limit of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowLimit {
    /// Payload rate while the flow is active, as `docs/model.md` measures `stream`.
    pub stream: Rate,
    /// What no run exceeds, whoever runs beside it: more than `stream` where what decides is known on average only.
    pub most: Rate,
    /// Volume over the time that the application sees, as `docs/model.md` measures `app`.
    pub app: Rate,
    /// From the engine's decision to whoever has the data, nothing in the way.
    pub latency: Time,
    /// The rate that the second slowest row allows; `None` where nothing else limits the flow.
    pub next: Option<Rate>,
    /// What sets the rate.
    pub bottleneck: Bottleneck,
    /// The direction that the budget is of: the one nearest to full that carries the flow's payload.
    pub direction: Direction,
    /// Where that direction's time goes.
    pub budget: Budget,
}

/// A share by which two ways to compute a rate differ.
const ROUNDING: f64 = 1e-9;

impl FlowLimit {
    /// True where `stream` is a mean, or what arbiters give, and a run may have more.
    pub fn is_prediction(&self) -> bool {
        self.most.0 > self.stream.0 * (1.0 + ROUNDING)
    }
}
