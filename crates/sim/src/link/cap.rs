//! Port caps: payload passes a port one TLP after another, at a rate or in the cycles of a datapath.

use pcie::Time;
use system::Passing;

/// How long a port is occupied by a TLP with `payload` bytes.
pub(crate) fn cap_time(payload: u32, passing: Passing) -> Time {
    Time::from_fs(passing.fs(u64::from(payload)) as u64)
}

/// A cap, and when it is free.
#[derive(Clone, Debug)]
pub(crate) struct PortCap {
    pub passing: Option<Passing>,
    pub free: Time,
}

impl PortCap {
    /// When a TLP with `payload` bytes that arrives at `now` has passed the port.
    pub fn pass(&mut self, now: Time, payload: u32) -> Time {
        let Some(passing) = self.passing else { return now };
        let start = self.free.max(now);
        self.free = start + cap_time(payload, passing);
        start
    }
}
