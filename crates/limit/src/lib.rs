//! The limit: the rate that a described system allows at most, in closed form, and what sets it.
//!
//! Each flow has a table of servers and loops ([`table`]): what takes a time for each byte, and what lets so many bytes go in each round.
//! The slowest row gives the rate of the flow alone; flows that meet share the rows that are servers of both ([`share`]). Every
//! stationary term is a row: the wire, tags times latency, page waits, commands, memory service, credits and acknowledgements
//! in flight. Queueing and start-up are the simulation's alone. Where several rows hold a flow back at about the same rate, the
//! limit counts the slowest of them and may be a few per cent generous. The definitions are those of `docs/model.md`; no code is
//! shared with `sim`.
//!
//! Flows of one *class* (the same operation over like links between like parts) are solved once.

mod beside;
pub mod budget;
mod burst;
pub mod class;
pub mod command;
pub mod completer;
pub mod crowd;
mod flow_limit;
pub mod inside;
pub mod latency;
pub mod link;
pub mod load;
mod loopback;
mod meet;
pub mod most;
pub mod near;
pub mod path;
pub mod place;
pub mod plan;
mod queued;
pub mod resource;
pub mod rows;
pub mod share;
mod simplex;
mod software;
pub mod solve;
pub mod split;
mod steady;
pub mod table;
mod timed;
pub mod tlps;
pub mod together;
mod translated;
pub mod wire;

use budget::{Others, fullest};
use class::Classes;
use crowd::Crowd;
pub use flow_limit::FlowLimit;
use most::Most;
use pcie::{Rate, Time};
use place::{By, Way};
use resource::Uses;
use solve::{Solved, solve};
use system::graph::{Direction, LinkId};
use system::loopback::Halves;
use system::{Budget, Flow, Scenario, System};

/// The limits of a scenario's flows, in the scenario's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Each as if the others were not there.
    pub alone: Vec<FlowLimit>,
    /// All at once: the share of each flow, one division of what they have in common. No direction, memory or core has
    /// to carry more than it can for these rates. A share is no bound: where others do not take all of theirs, a flow
    /// gets more.
    pub together: Vec<FlowLimit>,
    /// Of each flow: the direction at whose start a queue grows as long as the flows run, where its limit among the
    /// others depends on that. Writes without finite credits fill such a queue, and reads wait in it; there is no steady
    /// rate.
    pub growing: Vec<Option<Direction>>,
    /// What no sum of rates exceeds.
    pub most: Most,
}

impl Limits {
    /// The most that all flows come to while all are active: no run exceeds it.
    pub fn bound(&self) -> Rate {
        self.most.sum_of(|_| true)
    }
    /// What the slowest flow does not exceed while all are active.
    pub fn slowest(&self) -> Rate {
        self.most.slowest()
    }
    /// What the shares of all flows come to while all are active: a prediction. The bound is [`Limits::bound`].
    pub fn sum(&self) -> Rate {
        self.sum_of(|_| true)
    }
    /// The same of some flows, by their places.
    pub fn sum_of(&self, holds: impl Fn(usize) -> bool) -> Rate {
        let of = |(place, limit): (usize, &FlowLimit)| if holds(place) { limit.stream.0 } else { 0.0 };
        Rate(self.together.iter().enumerate().map(of).sum())
    }
}

/// The limits of `scenario`.
pub fn limit(scenario: &Scenario) -> Limits {
    let given = scenario.given();
    let scenario = given.as_ref();
    let halves = Halves::new(&scenario.flows);
    let (by_itself, together, growing, most) = of_halves(&scenario.system, &halves);
    let mut limits = Limits {
        alone: loopback::whole(&halves, &by_itself),
        together: loopback::whole(&halves, &together),
        growing: halves.last.iter().enumerate().map(|(reads, &writes)| growing[reads].or(growing[writes])).collect(),
        most,
    };
    for (flow, alone) in scenario.flows.iter().zip(&mut limits.alone) {
        if flow.operation.is_loop() {
            *alone = loop_alone(scenario, flow).unwrap_or_else(|| alone.clone());
        }
    }
    limits
}

/// A loopback with nothing beside it: its halves share what both of them use.
fn loop_alone(scenario: &Scenario, flow: &Flow) -> Option<FlowLimit> {
    let halves = Halves::new(std::slice::from_ref(flow));
    let (_, together, _, most) = of_halves(&scenario.system, &halves);
    let limit = loopback::whole(&halves, &together).pop()?;
    // Its halves have one rate, which is no half's own.
    Some(FlowLimit { most: Rate(most.sum_of(|_| true).0.max(limit.stream.0)), ..limit })
}

/// The limits of halves: each alone, all together, where queues grow, and the most that sums come to.
fn of_halves(system: &System, halves: &Halves) -> (Vec<FlowLimit>, Vec<FlowLimit>, Vec<Option<Direction>>, Most) {
    let flows = &halves.flows;
    let ways: Vec<Way> = flows.iter().map(|flow| Way::new(system, flow)).collect();
    let classes = Classes::new(system, flows, &ways);
    let mut solved: Vec<Solved<'_>> = classes.first.iter().map(|&flow| solve(system, &flows[flow])).collect();
    if flows.len() > 1 {
        solved = solved.into_iter().map(Solved::among).collect();
    }
    solve::pass_on(system, &mut solved, &classes, &ways);
    let examples: Vec<Alone> = solved.iter().map(Alone::new).collect();
    let alone: Vec<FlowLimit> =
        ways.iter().zip(&classes.of).map(|(way, &class)| examples[class].limit(system, way)).collect();
    let uses = Uses::new(system, |class| solved[class].table.needs(), &classes.of, &ways);
    let crowd = Crowd { solved: &solved, classes: &classes.of, ways: &ways, uses: &uses };
    let (together, growing) = together::together(system, &crowd, &alone);
    (alone, together, growing, Most::new(&crowd, &halves.whole))
}

/// The limit of flows of one class by themselves, before it has names.
struct Alone {
    stream: Rate,
    most: Rate,
    next: Option<Rate>,
    app: Rate,
    latency: Time,
    by: By,
    /// The load that the budget is of.
    at: Option<usize>,
    budget: Budget,
}

impl Alone {
    fn new(solved: &Solved<'_>) -> Alone {
        let at = fullest(&solved.loads);
        Alone {
            stream: Rate(1e15 / solved.fs_per_byte),
            most: Rate(1e15 / solved.least_fs),
            next: solved.table.rows.get(1).map(|row| Rate(1e15 / row.fs_per_byte())),
            app: Rate(solved.volume() / solved.seen_fs * 1e15),
            latency: Time::from_fs(solved.latency_fs.max(0.0).round() as u64),
            by: solved.bottleneck(),
            at,
            budget: budget::budget(solved, at, solved.fs_per_byte, Others::default()),
        }
    }

    fn limit(&self, system: &System, way: &Way) -> FlowLimit {
        let direction = self.at.and_then(|at| way.directions.get(at).copied()).unwrap_or(NO_DIRECTION);
        FlowLimit {
            stream: self.stream,
            most: self.most,
            next: self.next,
            app: self.app,
            latency: self.latency,
            bottleneck: way.name(system, &self.by),
            direction,
            budget: self.budget.clone(),
        }
    }
}

/// For a flow that crosses no link.
const NO_DIRECTION: Direction = Direction { link: LinkId(0), up: false };
