//! A burst of TLPs over an idle path: each transmitter sends them in their order, and nothing else delays them.

use crate::path::Hop;
use crate::tlps::Tlp;

/// Tolerance for rounding when a time becomes a start position, in units of the start alignment.
const ROUNDING: f64 = 1e-6;

/// A path, with the times at which each of its transmitters and capped ports is free again.
pub struct Burst<'a> {
    hops: &'a [Hop],
    on_grid: bool,
    free: Vec<f64>,
    /// The times at which the cap before each link is free, and the cap after it.
    caps: Vec<(f64, f64)>,
}

impl<'a> Burst<'a> {
    /// The state before the first TLP. With `on_grid`, TLPs start only where the start alignment allows; otherwise at
    /// any time.
    pub fn new(hops: &'a [Hop], on_grid: bool) -> Burst<'a> {
        Burst { hops, on_grid, free: vec![0.0; hops.len()], caps: vec![(0.0, 0.0); hops.len()] }
    }

    /// Sends a TLP that is ready at `ready`. Returns the times at which its first and its last symbol have passed the
    /// last port.
    pub fn send(&mut self, ready: f64, tlp: &Tlp) -> (f64, f64) {
        self.send_over(self.hops.len(), None, ready, tlp)
    }

    /// Like [`Burst::send`], for a TLP that takes only the first `hops` of the path and `then` another one.
    pub fn send_over(&mut self, hops: usize, then: Option<&Hop>, ready: f64, tlp: &Tlp) -> (f64, f64) {
        let (mut ready, mut passed) = (ready, (ready, ready));
        for (i, hop) in self.hops[..hops].iter().enumerate() {
            let (before, after) = &mut self.caps[i];
            let start = ready.max(self.free[i]).max(*before);
            *before = start + hop.caps_fs(tlp.payload).0;
            let grid = hop.wire.time(hop.wire.tlp_align as f64);
            let start = if self.on_grid { (start / grid - ROUNDING).ceil() * grid } else { start };
            self.free[i] = start + hop.wire.start_to_start_fs(tlp.shape);
            let first = start + hop.wire.propagation_fs;
            let last = first + hop.tlp_time(tlp);
            let next = then.filter(|_| i + 1 == hops).or(self.hops.get(i + 1));
            let on = match (hop.crossing, next) {
                (Some(crossing), Some(next)) => crossing.ready(first, last, next.tlp_time(tlp)),
                _ => last,
            };
            ready = on.max(*after);
            passed = (first.max(ready - hop.tlp_time(tlp)), ready);
            *after = ready + hop.caps_fs(tlp.payload).1;
        }
        passed
    }
}
