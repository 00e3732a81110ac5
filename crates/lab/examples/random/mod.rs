//! What both judges of random machines need.

use std::time::Duration;
use system::{Description, Point, Scenario};

/// Experiment `e` of a description, where the machine makes sense.
pub fn scenario(text: &str) -> Option<Scenario> {
    let description = Description::from_text("random.yaml", text).ok()?;
    description.scenario(description.experiment("e").ok()?, &Point::default()).ok()
}

/// CPU time of this thread.
pub fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// The argument at `place`, a number.
pub fn number(place: usize, otherwise: u64) -> u64 {
    std::env::args().nth(place).and_then(|word| word.parse().ok()).unwrap_or(otherwise)
}

/// The seed of `show SEED`, if that was asked for.
pub fn shown() -> Option<u64> {
    std::env::args().nth(1).is_some_and(|word| word == "show").then(|| number(2, 0))
}
