//! The declaration of a measured quantity.

use super::over::Over;
use crate::unit::Unit;
use limit::{FlowLimit, Limits};
use sim::{FlowOutcome, Outcome};
use system::{Flow, Scenario};

/// The declaration by a crate of a quantity that it measures.
#[derive(Debug)]
pub struct MetricDeclaration {
    /// The word of the quantity. It must be unique.
    pub word: &'static str,
    /// A short description.
    pub about: &'static str,
    /// True if it is a mean over flows. The flows must then have one operation.
    pub is_mean: bool,
    /// True if it is measured in the window, in which all flows are active.
    pub is_of_window: bool,
    /// The rate of a flow that it depends on. A search for bottlenecks compares this rate.
    pub moves: Moves,
    /// True if a unit fits.
    pub takes: fn(Unit) -> bool,
    /// The simulated value, in the unit asked for (bytes a second for IOPS); `None` if there is none.
    pub simulated: for<'a> fn(&Simulated<'a>) -> Option<f64>,
    /// The value in closed form: of a flow alone its limit, of several flows what arbiters give them when all run, the
    /// fair rates: a prediction.
    pub bounded: for<'a> fn(&Bounded<'a>) -> Option<f64>,
    /// The limit of several flows at once, however arbiters divide what they have in common: a bound; `None` where none
    /// is known.
    pub most: Option<for<'a> fn(&Bounded<'a>) -> Option<f64>>,
}

/// The rate of a flow that a quantity depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// The rate in the window, in which all flows are active.
    Stream,
    /// The rate that the application measures.
    App,
    /// The reciprocal of the latency.
    Latency,
}

/// A simulation from which a quantity is taken.
#[derive(Clone, Copy, Debug)]
pub struct Simulated<'a> {
    /// The scenario that was run.
    pub scenario: &'a Scenario,
    /// The result of the run.
    pub outcome: &'a Outcome,
    /// The flows that are measured.
    pub over: Over,
    /// The unit of the result.
    pub unit: Unit,
}

impl<'a> Simulated<'a> {
    /// The flows that are measured, without those that stopped.
    pub fn flows(&self) -> impl Iterator<Item = (&'a Flow, &'a FlowOutcome)> {
        let over = self.over;
        let all = self.scenario.flows.iter().zip(&self.outcome.flows);
        all.filter(move |(flow, found)| over.holds(flow) && !found.faults.stopped)
    }
}

/// A limit from which a quantity is taken.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Its limits.
    pub limits: &'a Limits,
    /// The flows that are measured.
    pub over: Over,
    /// The unit of the result.
    pub unit: Unit,
}

impl<'a> Bounded<'a> {
    /// The flows that are measured.
    pub fn flows(&self) -> impl Iterator<Item = (&'a Flow, &'a FlowLimit)> {
        let over = self.over;
        self.scenario.flows.iter().zip(&self.limits.together).filter(move |(flow, _)| over.holds(flow))
    }

    /// The places of these flows.
    pub fn holds(&self) -> impl Fn(usize) -> bool + 'a {
        let (over, flows) = (self.over, &self.scenario.flows);
        move |place| flows.get(place).is_some_and(|flow| over.holds(flow))
    }

    /// The same; `None` where one of them has no steady rate among the others ([`Limits::growing`]).
    pub fn steady(&self) -> Option<impl Iterator<Item = (&'a Flow, &'a FlowLimit)>> {
        let flows = self.scenario.flows.iter().zip(&self.limits.growing);
        let grows = flows.filter(|(flow, _)| self.over.holds(flow)).any(|(_, growing)| growing.is_some());
        (!grows).then(|| self.flows())
    }
}
