//! Port caps: a payload rate that a port can pass, one TLP after another.

use pcie::Time;
use system::{PortId, System};

/// The payload rate of a root port or downstream port, bytes per second; `None` without a cap.
pub(crate) fn port_cap(system: &System, port: PortId) -> Option<u64> {
    system.port_cap(port).map(|rate| rate as u64)
}

/// How long a port with `rate` bytes per second is occupied by `payload` bytes.
pub(crate) fn cap_time(payload: u32, rate: u64) -> Time {
    Time::from_fs((payload as u128 * 1_000_000_000_000_000 / rate.max(1) as u128) as u64)
}

/// The cap of a root port towards memory.
#[derive(Clone, Debug)]
pub(crate) struct PortCap {
    pub rate: Option<u64>,
    pub free: Time,
}

impl PortCap {
    /// When a TLP with `payload` bytes that arrives at `now` has passed the port.
    pub fn pass(&mut self, now: Time, payload: u32) -> Time {
        let Some(rate) = self.rate else { return now };
        let start = self.free.max(now);
        self.free = start + cap_time(payload, rate);
        start
    }
}
