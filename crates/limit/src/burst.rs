//! A burst of TLPs over an idle path: each transmitter sends them in their order, and nothing else delays them.

use crate::path::Hop;
use crate::tlps::Tlp;

/// Tolerance for rounding when a time becomes a symbol time.
const ROUNDING: f64 = 1e-6;

/// Tolerance for rounding when two times are compared, in femtoseconds.
const ROUNDING_FS: f64 = 1e-2;

/// A path, with the times at which each of its transmitters and capped ports is free again.
pub struct Burst<'a> {
    hops: &'a [Hop],
    starts: Starts,
    /// Of each link: when the last packet on it ends, and when the next TLP may start behind it.
    free: Vec<(f64, f64)>,
    /// When the last DLLP started on the first link.
    dllp: f64,
    /// The times at which the cap before each link is free, and the cap after it.
    caps: Vec<(f64, f64)>,
}

/// When a TLP may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// At any time.
    Anywhere,
    /// Where the start alignment allows; behind idle in lane 0.
    OnGrid,
    /// Where the start alignment allows, as if packets of other flows ended wherever that lets a TLP start sooner.
    AmongOthers,
}

impl<'a> Burst<'a> {
    /// The state before the first TLP.
    pub fn new(hops: &'a [Hop], starts: Starts) -> Burst<'a> {
        let none = vec![(f64::NEG_INFINITY, f64::NEG_INFINITY); hops.len()];
        Burst { hops, starts, free: none.clone(), dllp: f64::NEG_INFINITY, caps: none }
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
            let start = self.start(i, ready.max(self.caps[i].0));
            let (before, after) = &mut self.caps[i];
            *before = start + hop.caps_fs(tlp.payload).0;
            self.free[i] = (start + hop.tlp_time(tlp), start + hop.wire.start_to_start_fs(tlp.shape));
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

    /// Where a TLP starts on link `i` that is ready at `ready`.
    fn start(&self, i: usize, ready: f64) -> f64 {
        let (wire, (ended, free)) = (&self.hops[i].wire, self.free[i]);
        let idle = ready > ended + ROUNDING_FS;
        match self.starts {
            Starts::Anywhere => ready.max(free),
            Starts::OnGrid if idle => wire.on_grid_fs(ready, true).max(free),
            Starts::OnGrid | Starts::AmongOthers => wire.on_grid_fs(ready.max(free), false),
        }
    }

    /// Puts a DLLP that is due at `due` on the first link. Behind idle it starts in lane 0, as a TLP does, and in another
    /// symbol time than the one before.
    pub fn send_dllp(&mut self, due: f64) {
        let (Some(hop), Some((ended, free))) = (self.hops.first(), self.free.first_mut()) else { return };
        let wire = &hop.wire;
        let idle = due > *ended + ROUNDING_FS;
        let start = due.max(*ended);
        let start = match self.starts {
            Starts::Anywhere => start,
            Starts::OnGrid if idle => wire.round_up_fs(start, wire.dllp_align.max(wire.lanes())),
            Starts::OnGrid | Starts::AmongOthers => wire.round_up_fs(start, wire.dllp_align),
        };
        let symbol = wire.time(wire.lanes() as f64);
        let other = ((self.dllp / symbol + ROUNDING).floor() + 1.0) * symbol;
        let start = start.max(other);
        self.dllp = start;
        *ended = start + wire.time(wire.dllp_bytes as f64);
        *free = free.max(*ended);
    }
}
