//! Simulated rates above what no run exceeds: an error of the program, or of a kind of part of one's own.
//!
//! The rate of a flow is held by its limit alone, and the sum of all by [`limit::Limits::bound`]. A window may hold more
//! than its time allows by what was on its way when it opened, and by what parts had ready when the run began. The former
//! is at most what moves in the longest time of a packet or a command, so that its share of the window is that time over
//! the window's; the latter is what their kinds declare.

use crate::error::Error;
use crate::measured::Measured;
use limit::{FlowLimit, Limits};
use pcie::Rate;
use sim::{FlowOutcome, Outcome};
use std::collections::BTreeMap;
use system::{Flow, PartId, Scenario};

/// What the closed form neglects: where packets meet the grid of starts and the SKPs. The tests of agreement keep it
/// (`TOLERANCE` in `crates/limit/tests/described.rs`).
const COARSE: f64 = 6e-3;

/// A simulated rate above its bound by more than the slack.
#[derive(Clone, Debug, PartialEq)]
pub struct Above {
    /// The name of the flow; `None` for the sum of all flows.
    pub flow: Option<String>,
    /// The simulated rate.
    pub simulated: Rate,
    /// The bound.
    pub bound: Rate,
    /// By which share a rate in this window may be above its bound.
    pub slack: f64,
}

impl std::fmt::Display for Above {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Above { flow, simulated, bound, slack } = self;
        let what = flow.as_deref().unwrap_or("the sum of all flows");
        let over = (simulated.0 / bound.0 - 1.0) * 100.0;
        write!(
            f,
            "{what} is simulated {over:.1} % above its limit, where the ends of the window explain {:.1} %: ",
            slack * 100.0
        )?;
        write!(f, "the limit or the simulation is wrong")
    }
}

/// Checks that no rate of a point is above its bound. Commands that are given one by one are left out: where their last
/// request is shorter than the others, the closed form has them up to 2.5 % too slow (`nfp-t630`, `latency-read`, 1520 bytes).
///
/// # Errors
/// The first that is: an error of this program.
pub fn check(measured: &Measured) -> Result<(), Error> {
    let one_by_one = measured.job.scenario.flows.iter().any(|flow| flow.timed.is_by_command());
    let Some(first) = above(measured).into_iter().next().filter(|_| !one_by_one) else { return Ok(()) };
    let job = &measured.job;
    let of = first.flow.map_or_else(String::new, |flow| format!(" {flow}"));
    let at = format!("{} {} {}{of}", job.system, job.experiment, job.at);
    Err(Error::AboveLimit { at, simulated: first.simulated, limit: first.bound })
}

/// All rates of a point that are above their bounds.
pub fn above(measured: &Measured) -> Vec<Above> {
    of(&measured.job.scenario, &measured.limits, &measured.outcome)
}

/// The same of a run of `scenario`.
pub fn of(scenario: &Scenario, limits: &Limits, outcome: &Outcome) -> Vec<Above> {
    if outcome.window.is_err() {
        return Vec::new();
    }
    let rate = |found: &FlowOutcome| found.stream.map_or(0.0, |rate| rate.0);
    let over = |flow: Option<&str>, flows: &[usize], bound: Rate| {
        let simulated = flows.iter().map(|&flow| rate(&outcome.flows[flow])).sum();
        let slack = COARSE + slack(scenario, outcome, flows, bound.0);
        let above = simulated > bound.0 * (1.0 + slack);
        above.then(|| Above { flow: flow.map(str::to_string), simulated: Rate(simulated), bound, slack })
    };
    let one = |(place, (flow, alone)): (usize, (&Flow, &FlowLimit))| over(Some(&flow.name), &[place], alone.most);
    let each = scenario.flows.iter().zip(&limits.alone).enumerate();
    let mut found: Vec<Above> = each.filter_map(one).collect();
    if outcome.flows.len() > 1 {
        let all: Vec<usize> = (0..outcome.flows.len()).collect();
        found.extend(over(None, &all, limits.bound()));
    }
    found
}

/// By which share `flows`, whose rates come to at most `bound` bytes a second, may be above that in the window of a run:
/// what was on its way when it opened. Infinite where the run has no window.
pub fn slack(scenario: &Scenario, outcome: &Outcome, flows: &[usize], bound: f64) -> f64 {
    let Ok(window) = &outcome.window else { return f64::INFINITY };
    let length = (window.closed - window.opened).as_secs();
    let longest = |flow: usize| outcome.flows[flow].latency.max.as_secs() + call(scenario, &scenario.flows[flow]);
    let longest = flows.iter().map(|&flow| longest(flow)).fold(0.0, f64::max);
    let ready = ready(scenario, flows.iter().map(|&flow| &scenario.flows[flow]));
    if length > 0.0 { (longest + ready / bound) / length } else { f64::INFINITY }
}

/// What a CPU spends on a call of its own loads and stores, in seconds: it may be over when the window opens.
fn call(scenario: &Scenario, flow: &Flow) -> f64 {
    let system = &scenario.system;
    let host = system.part(system.host_for(flow.initiator, flow.target)).kind.host();
    host.filter(|_| flow.operation.is_pio()).map_or(0.0, |host| host.pio_call_cost.as_secs())
}

/// Bytes that the parts of flows may have ready when the window opens: of each part once.
fn ready<'a>(scenario: &Scenario, flows: impl Iterator<Item = &'a Flow>) -> f64 {
    let mut of: BTreeMap<PartId, u64> = BTreeMap::new();
    for flow in flows {
        let bytes = scenario.system.part(flow.initiator).kind.ready(&flow.demand()).0;
        let known = of.entry(flow.initiator).or_default();
        *known = bytes.max(*known);
    }
    of.values().map(|bytes| *bytes as f64).sum()
}
