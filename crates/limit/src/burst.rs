//! TLPs that follow one another over an idle way, with nothing else to hold them: each transmitter takes them in their order.

use crate::path::Hop;
use crate::tlps::Tlp;

/// Room for rounding when a time becomes a place on the wire, in starts.
const ROUNDING: f64 = 1e-6;

/// A way, and when each of its transmitters and ports is free again.
pub struct Burst<'a> {
    hops: &'a [Hop],
    on_grid: bool,
    free: Vec<f64>,
    /// Of the cap before each link, and after it.
    caps: Vec<(f64, f64)>,
}

impl<'a> Burst<'a> {
    /// Before the first TLP; each starts on the bytes on which it may where `on_grid`, and else at any time.
    pub fn new(hops: &'a [Hop], on_grid: bool) -> Burst<'a> {
        Burst { hops, on_grid, free: vec![0.0; hops.len()], caps: vec![(0.0, 0.0); hops.len()] }
    }

    /// A TLP that is ready at `ready`: when its first and its last symbol have passed the last port of the way.
    pub fn send(&mut self, ready: f64, tlp: &Tlp) -> (f64, f64) {
        self.send_over(self.hops.len(), ready, tlp)
    }

    /// The same for a TLP that takes the first `hops` of the way.
    pub fn send_over(&mut self, hops: usize, ready: f64, tlp: &Tlp) -> (f64, f64) {
        let (mut ready, mut passed) = (ready, (ready, ready));
        for (i, hop) in self.hops[..hops].iter().enumerate() {
            let (before, after) = &mut self.caps[i];
            let start = ready.max(self.free[i]).max(*before);
            *before = start + tlp.payload as f64 * hop.cap_before;
            let grid = hop.wire.time(hop.wire.tlp_align as f64);
            let start = if self.on_grid { (start / grid - ROUNDING).ceil() * grid } else { start };
            self.free[i] = start + hop.wire.start_to_start_fs(tlp.shape);
            let first = start + hop.wire.propagation_fs;
            let last = first + hop.tlp_time(tlp);
            let on = match (hop.crossing, self.hops.get(i + 1)) {
                (Some(crossing), Some(next)) => crossing.ready(first, last, next.tlp_time(tlp)),
                _ => last,
            };
            ready = on.max(*after);
            passed = (first.max(ready - hop.tlp_time(tlp)), ready);
            *after = ready + tlp.payload as f64 * hop.cap_behind;
        }
        passed
    }
}
