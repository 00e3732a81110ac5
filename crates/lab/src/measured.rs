//! One point that was run: its limits, its result and what limits its flows.

use crate::confirmed::Confirmed;
use crate::job::Job;
use crate::metric::{self, Beside, Over, Quality};
use crate::unit::Unit;
use limit::Limits;
use pcie::Bytes;
use sim::{Faults, FlowOutcome, Outcome};
use system::Flow;

/// One point that was run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The job that was run.
    pub job: Job,
    /// The limits in closed form.
    pub limits: Limits,
    /// The result of the simulation.
    pub outcome: Outcome,
    /// What limits each flow, after a search ([`crate::cause::find`]); empty before.
    pub causes: Vec<Option<Confirmed>>,
}

impl Measured {
    /// The simulated value of `quality`.
    pub fn simulated(&self, quality: Quality, unit: Unit) -> Option<f64> {
        metric::simulated(quality, unit, &self.job.scenario, &self.outcome).map(|value| self.share(value))
    }
    /// The same over some flows.
    pub fn simulated_over(&self, quality: Quality, over: Over, unit: Unit) -> Option<f64> {
        let found = metric::simulated_over(quality, over, unit, &self.job.scenario, &self.outcome);
        found.map(|value| self.share(value))
    }
    /// What the closed form predicts of `quality`: of a flow alone its limit, of several flows their fair rates.
    pub fn limit(&self, quality: Quality, unit: Unit) -> Option<f64> {
        metric::bounded(quality, unit, &self.job.scenario, &self.limits).map(|value| self.share(value))
    }
    /// The limit of `quality` over some flows, and what is fair.
    pub fn beside(&self, quality: Quality, over: Over, unit: Unit) -> Beside {
        metric::beside(quality, over, unit, &self.job.scenario, &self.limits).divided(self.job.divisor as f64)
    }
    /// The index of the flow with the lowest rate among some flows. Its bottleneck is shown if there is space for only
    /// one.
    pub fn slowest_place(&self, over: Over) -> Option<usize> {
        let flows = self.job.scenario.flows.iter().zip(&self.outcome.flows).enumerate();
        let chosen = flows
            .filter(|(_, (flow, found))| over.holds(flow) && !found.faults.stopped)
            .map(|(place, (_, found))| (place, rate(found)));
        chosen.reduce(|a, b| if b.1 < a.1 { b } else { a }).map(|(place, _)| place)
    }
    /// The outcome of that flow.
    pub fn slowest(&self, over: Over) -> Option<&FlowOutcome> {
        self.outcome.flows.get(self.slowest_place(over)?)
    }
    /// What went wrong with commands, a sentence for each flow and fault.
    pub fn faults(&self) -> Vec<String> {
        let flows = self.job.scenario.flows.iter().zip(&self.outcome.flows);
        let of = |(flow, found): (&Flow, &FlowOutcome)| {
            let count = |number: u64| if number == 1 { "1 command".to_string() } else { format!("{number} commands") };
            let Faults { failed, late, stopped } = found.faults;
            [
                (failed > 0).then(|| format!("{}: {} failed", flow.name, count(failed))),
                (late > 0).then(|| format!("{}: {} answered late", flow.name, count(late))),
                stopped.then(|| {
                    let moved = Bytes(found.bytes);
                    format!(
                        "{} stopped after {moved}: it has no rate, and the others are measured from then on",
                        flow.name
                    )
                }),
            ]
        };
        flows.flat_map(of).flatten().collect()
    }
    /// What limits that flow, if it was found.
    pub fn cause_of(&self, over: Over) -> Option<&Confirmed> {
        self.cause(self.slowest_place(over)?)
    }
    /// What limits `flow`, if it was found.
    pub fn cause(&self, flow: usize) -> Option<&Confirmed> {
        self.causes.get(flow).and_then(Option::as_ref)
    }
    fn share(&self, value: f64) -> f64 {
        value / self.job.divisor as f64
    }
}

/// The rate by which flows are compared: in the window or, if there is no window, from first packet to last packet.
pub fn rate(flow: &FlowOutcome) -> f64 {
    flow.stream.unwrap_or(flow.timer).0
}
