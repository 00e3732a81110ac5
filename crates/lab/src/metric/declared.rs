//! What is declared of a quantity that is measured.

use super::over::Over;
use crate::unit::Unit;
use limit::{FlowLimit, Limits};
use sim::{FlowOutcome, Outcome};
use system::{Flow, Scenario};

/// What a crate declares of a quantity that it measures.
#[derive(Debug)]
pub struct Declaration {
    /// As it is written; that of no other.
    pub word: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// True where it is a mean over flows, which are then to be alike.
    pub is_mean: bool,
    /// True where it is of the time in which all flows are active.
    pub is_of_window: bool,
    /// What of a flow it tells: what a change has to move for it.
    pub moves: Moves,
    /// True where a unit fits.
    pub takes: fn(Unit) -> bool,
    /// As a simulation found it, in the unit asked for (bytes a second for IOPS); `None` where it found none.
    pub simulated: for<'a> fn(&Simulated<'a>) -> Option<f64>,
    /// As the limit bounds it: no less than any simulation finds.
    pub bounded: for<'a> fn(&Bounded<'a>) -> Option<f64>,
}

/// What of a flow a quantity tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// While all are active.
    Stream,
    /// As the application sees it.
    App,
    /// The reverse of the latency.
    Latency,
}

/// A simulation that a quantity is taken from.
#[derive(Clone, Copy, Debug)]
pub struct Simulated<'a> {
    /// What was run.
    pub scenario: &'a Scenario,
    /// How it went.
    pub outcome: &'a Outcome,
    /// Of which flows.
    pub over: Over,
    /// In what it is told.
    pub unit: Unit,
}

impl<'a> Simulated<'a> {
    /// The flows that it is of.
    pub fn flows(&self) -> impl Iterator<Item = (&'a Flow, &'a FlowOutcome)> {
        let over = self.over;
        self.scenario.flows.iter().zip(&self.outcome.flows).filter(move |(flow, _)| over.holds(flow))
    }
}

/// A limit that a quantity is taken from.
#[derive(Clone, Copy, Debug)]
pub struct Bounded<'a> {
    /// What is limited.
    pub scenario: &'a Scenario,
    /// By how much.
    pub limits: &'a Limits,
    /// Of which flows.
    pub over: Over,
    /// In what it is told.
    pub unit: Unit,
}

impl<'a> Bounded<'a> {
    /// The flows that it is of.
    pub fn flows(&self) -> impl Iterator<Item = (&'a Flow, &'a FlowLimit)> {
        let over = self.over;
        self.scenario.flows.iter().zip(&self.limits.together).filter(move |(flow, _)| over.holds(flow))
    }
}
