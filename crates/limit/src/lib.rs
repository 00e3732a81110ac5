//! The limit: the rate that a described system allows: each server and loop in closed form, and where several of them
//! meet, by the recurrence of the flow's own TLPs.
//!
//! Every stationary term of a flow is in it: the wire, tags times latency, page waits, command costs, memory
//! service, credits and acknowledgements in flight, shares of full links. Only queueing and start-up are the
//! simulation's alone. The definitions are those of `docs/model.md`; no code is shared with `sim`.

pub mod bound;
pub mod budget;
pub mod latency;
pub mod link;
pub mod load;
mod loopback;
pub mod path;
pub mod plan;
pub mod share;
pub mod sink;
pub mod solve;
pub mod stage;
pub mod timeline;
pub mod tlps;
pub mod together;
pub mod train;
pub mod transmitter;
pub mod wire;

use budget::{Others, fullest};
use load::loads;
use pcie::{Rate, Time};
use solve::{Solved, solve};
use system::graph::{Direction, LinkId};
use system::{Bottleneck, Budget, Flow, Operation, Scenario};

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
    let flows = loopback::halves(&scenario.flows);
    let system = &scenario.system;
    let mut solved: Vec<Solved<'_>> = flows.iter().map(|flow| solve(system, flow)).collect();
    solve::pass_on(&mut solved);
    let by_itself = solved.iter().map(alone).collect();
    let together = together::together(system, &solved);
    let mut limits = Limits {
        alone: loopback::whole(&scenario.flows, by_itself),
        together: loopback::whole(&scenario.flows, together),
    };
    for (flow, alone) in scenario.flows.iter().zip(&mut limits.alone) {
        if flow.operation == Operation::Loopback {
            *alone = loop_alone(scenario, flow).unwrap_or_else(|| alone.clone());
        }
    }
    limits
}

/// A loopback with nothing beside it: its halves share what both of them use.
fn loop_alone(scenario: &Scenario, flow: &Flow) -> Option<FlowLimit> {
    let halves = loopback::halves(std::slice::from_ref(flow));
    let mut solved: Vec<Solved<'_>> = halves.iter().map(|half| solve(&scenario.system, half)).collect();
    solve::pass_on(&mut solved);
    let together = together::together(&scenario.system, &solved);
    loopback::whole(std::slice::from_ref(flow), together).pop()
}

/// A flow by itself.
pub(crate) fn alone(solved: &Solved<'_>) -> FlowLimit {
    let loads = loads(&solved.plan);
    let direction = fullest(&loads).map_or(NO_DIRECTION, |load| load.wire.direction);
    FlowLimit {
        stream: Rate(1e15 / solved.fs_per_byte),
        app: Rate(solved.volume() / solved.seen_fs * 1e15),
        latency: Time::from_fs(solved.latency_fs.max(0.0).round() as u64),
        bottleneck: solved.bottleneck(),
        direction,
        budget: budget::budget(solved, direction, solved.fs_per_byte, Others::default()),
    }
}

/// For a flow that crosses no link.
const NO_DIRECTION: Direction = Direction { link: LinkId(0), up: false };
