//! The limit: the rate that a described system allows, in closed form.
//!
//! Every stationary term of a flow is in it: the wire, tags times latency, page waits, command costs, memory
//! service, credits and acknowledgements in flight, shares of full links. Only queueing and start-up are the
//! simulation's alone. The definitions are those of `docs/model.md`; no code is shared with `sim`.

pub mod path;
pub mod plan;
pub mod sink;
pub mod stage;
pub mod tlps;
pub mod train;
pub mod transmitter;
pub mod wire;

use pcie::{Rate, Time};
use system::graph::Direction;
use system::{Bottleneck, Budget, Scenario};

/// The limit of one flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowLimit {
    /// Payload rate while the flow is active, as `docs/model.md` measures `stream`.
    pub stream: Rate,
    /// Volume over the time that the application sees, as `docs/model.md` measures `app`.
    pub app: Rate,
    /// From the engine's decision to whoever has the data, nothing in the way.
    pub latency: Time,
    /// What sets the rate.
    pub bottleneck: Bottleneck,
    /// The direction that the budget is of: the one nearest to full that carries the flow's payload.
    pub direction: Direction,
    /// Where that direction's time goes.
    pub budget: Budget,
}

/// The limits of a scenario's flows, in the scenario's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Each as if the others were not there.
    pub alone: Vec<FlowLimit>,
    /// All at once.
    pub together: Vec<FlowLimit>,
}

/// The limits of `scenario`.
pub fn limit(scenario: &Scenario) -> Limits {
    let _ = scenario;
    Limits { alone: Vec::new(), together: Vec::new() }
}
