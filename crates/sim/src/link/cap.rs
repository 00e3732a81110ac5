//! What a port passes: payload at a rate, one TLP after another.

use pcie::{Rate, Time};
use system::field::Cap;
use system::{Part, Port};

/// Payload rate that a root port or a downstream port passes.
pub(crate) fn port_cap(part: &Part, port: &Port) -> Option<u64> {
    let (whole, lane) = match (part.kind.host(), part.kind.switch()) {
        (Some(host), _) => (host.port_cap, host.lane_cap),
        (None, Some(switch)) => (switch.port_cap, switch.lane_cap),
        (None, None) => return None,
    };
    let rate = |cap: Cap<Rate>, times: u64| cap.0.map(|rate| (rate.0 * times as f64) as u64);
    match (rate(whole, 1), rate(lane, port.able.width.lanes())) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Server time of `payload` at `rate` bytes a second.
pub(crate) fn cap_time(payload: u32, rate: u64) -> Time {
    Time::from_fs((payload as u128 * 1_000_000_000_000_000 / rate.max(1) as u128) as u64)
}

/// What a root port passes towards memory.
#[derive(Clone, Debug)]
pub(crate) struct PortCap {
    pub rate: Option<u64>,
    pub free: Time,
}

impl PortCap {
    /// When a TLP with `payload` that arrives at `now` has passed.
    pub fn pass(&mut self, now: Time, payload: u32) -> Time {
        let Some(rate) = self.rate else { return now };
        let start = self.free.max(now);
        self.free = start + cap_time(payload, rate);
        start
    }
}
