//! One point of an experiment, ready to run, and what is measured at it.

use crate::at::At;
use crate::metric::Quality;
use crate::unit::Unit;
use system::Scenario;

/// A quantity that an experiment measures, and the unit of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The quantity.
    pub quality: Quality,
    /// The unit.
    pub unit: Unit,
}

/// One point to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name of the machine.
    pub system: String,
    /// The name of the experiment.
    pub experiment: String,
    /// The point: a value for every axis.
    pub at: At,
    /// The machine settled at the point, and its flows.
    pub scenario: Scenario,
    /// The divisor of each measured value: 2 for a round trip, otherwise mostly 1.
    pub divisor: u64,
}

impl Job {
    /// The payload that its flows move, in bytes.
    pub fn bytes(&self) -> u64 {
        self.scenario.flows.iter().fold(0, |sum, flow| sum.saturating_add(flow.volume.0))
    }
}
