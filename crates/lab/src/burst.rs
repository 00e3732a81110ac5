//! Rates that hold only for a while: until what a drive has been given makes its state turn.
//!
//! Buffers and caches that are full at the start of a run are not here: the simulation begins as a run that has lasted,
//! and its window opens when all that is in flight together has moved.

use crate::measured::{Measured, rate};
use crate::stream::turning;
use pcie::{Bytes, Time};

/// A rate that does not last.
#[derive(Clone, Debug, PartialEq)]
pub struct Burst {
    /// The name of the drive whose state turns.
    pub part: String,
    /// How long the rate lasts from the start of the run.
    pub lasts: Time,
    /// What the drive has been given until then, in the run.
    pub until: Bytes,
}

impl std::fmt::Display for Burst {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seconds = self.lasts.as_secs();
        let lasts = if seconds < 0.1 { format!("{:.3} ms", seconds * 1e3) } else { format!("{seconds:.2} s") };
        f.pad(&format!("lasts {lasts}, until {} has been given {}; then its state turns", self.part, self.until))
    }
}

impl Measured {
    /// How long the rate of `flow` lasts; `None` if nothing is known to end it.
    pub fn burst(&self, flow: usize) -> Option<Burst> {
        let scenario = &self.job.scenario;
        let asked = scenario.flows.get(flow)?;
        let drives = turning(scenario, |other| other.operation.reads() == asked.operation.reads());
        let (part, before, turns) = drives.into_iter().find(|(part, ..)| *part == asked.initiator)?;
        let until = turns.into_iter().map(|turn| turn.0.saturating_sub(before)).filter(|&left| left > 0).min()?;
        let flows = scenario.flows.iter().zip(&self.outcome.flows);
        let given: f64 = flows
            .filter(|(other, _)| other.initiator == part && other.operation.reads() == asked.operation.reads())
            .map(|(_, found)| rate(found))
            .sum();
        let lasts = Time::from_secs_f64(until as f64 / given)?;
        Some(Burst { part: scenario.system.part(part).name.clone(), lasts, until: Bytes(until) })
    }
}
