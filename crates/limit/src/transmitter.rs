//! A transmitter of the recurrence: what it has sent so far is one position on its wire.

use crate::wire::Wire;
use std::collections::VecDeque;

/// Room for rounding when a time becomes a position, in bytes.
const SLACK_BYTES: f64 = 1e-6;

/// The two kinds of packet, each of which starts at most once in a symbol time.
#[derive(Clone, Copy)]
enum Packet {
    Tlp,
    Dllp,
}

/// One transmitter.
#[derive(Clone, Debug)]
pub struct Transmitter {
    wire: Wire,
    free: u64,
    last_symbol: [Option<u64>; 2],
    skp_due: u64,
    /// DLLPs that it owes for what comes the other way: when each falls due, in order, and whether it is an ACK.
    charges: VecDeque<(f64, bool)>,
    /// Finite pools that it advertises again: when each is due.
    refreshes: Vec<f64>,
}

/// From one advertisement of a pool to the next.
const REFRESH_FS: f64 = pcie::timing::UPDATE_FC_REFRESH_FS as f64;

impl Transmitter {
    /// On `wire`, which advertises `refreshed` pools again and again.
    pub fn new(wire: &Wire, refreshed: u64) -> Transmitter {
        Transmitter {
            free: 0,
            last_symbol: [None; 2],
            skp_due: wire.skp.map_or(u64::MAX, |skp| skp.interval),
            charges: VecDeque::new(),
            refreshes: vec![REFRESH_FS; refreshed as usize],
            wire: wire.clone(),
        }
    }

    /// The wire.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// When the last packet ends.
    pub fn free_fs(&self) -> f64 {
        self.wire.time(self.free as f64)
    }

    /// A DLLP falls due at `time`.
    pub fn charge(&mut self, time: f64, is_ack: bool) {
        let behind = self.charges.iter().rev().take_while(|(t, _)| *t > time).count();
        self.charges.insert(self.charges.len() - behind, (time, is_ack));
    }

    /// Sends what is owed by `now`; a DLLP due while another packet passes goes next, and stands for all of its
    /// kind that fall due before it starts.
    fn send_owed(&mut self, now: f64) {
        while let Some(&(due, is_ack)) = self.charges.front().filter(|(due, _)| *due <= now.max(self.free_fs())) {
            self.charges.pop_front();
            let (start, _) = self.dllp(due);
            let covered = self.charges.iter().take_while(|(due, _)| *due <= start).count();
            if covered > 0 {
                let mut seen = 0;
                self.charges.retain(|(_, ack)| {
                    seen += 1;
                    seen > covered || *ack != is_ack
                });
            }
        }
        for i in 0..self.refreshes.len() {
            while self.refreshes[i] <= now.max(self.free_fs()) {
                let (start, _) = self.dllp(self.refreshes[i]);
                self.refreshes[i] = start + REFRESH_FS;
            }
        }
    }

    /// When a TLP that is ready at `ready` could start, as far as the packet before it goes.
    pub fn candidate(&mut self, ready: f64) -> f64 {
        self.send_owed(ready);
        ready.max(self.free_fs())
    }

    /// Sends a TLP no sooner than `ready`: its start and its end.
    pub fn tlp(&mut self, ready: f64, bytes: u64) -> (f64, f64) {
        self.send_owed(ready);
        let align = self.wire.tlp_align;
        self.place(ready, bytes, align, Packet::Tlp)
    }

    /// Sends a DLLP no sooner than `ready`: its start and its end.
    pub fn dllp(&mut self, ready: f64) -> (f64, f64) {
        if self.wire.dllp_bytes == 0 {
            return (ready, ready);
        }
        let (bytes, align) = (self.wire.dllp_bytes, self.wire.dllp_align);
        self.place(ready, bytes, align, Packet::Dllp)
    }

    fn place(&mut self, ready: f64, bytes: u64, align: u64, packet: Packet) -> (f64, f64) {
        let asked = (ready / self.wire.byte_fs - SLACK_BYTES).ceil().max(0.0) as u64;
        let at = self.behind_skps(asked.max(self.free));
        let lanes = self.wire.lanes();
        let mut start = at.next_multiple_of(align);
        if self.last_symbol[packet as usize] == Some(start / lanes) {
            start = ((start / lanes + 1) * lanes).next_multiple_of(align);
        }
        self.last_symbol[packet as usize] = Some(start / lanes);
        self.free = start + bytes;
        (self.wire.time(start as f64), self.wire.time(self.free as f64))
    }

    /// Where a packet that could go at `at` can go for the SKPs that are due by then.
    fn behind_skps(&mut self, mut at: u64) -> u64 {
        let Some(skp) = self.wire.skp else { return at };
        if self.skp_due > self.free && at > self.skp_due + 2 * skp.interval {
            // Those before fell into idle time.
            self.skp_due += ((at - self.skp_due) / skp.interval - 1) * skp.interval;
        }
        let mut busy = self.free;
        while self.skp_due <= at {
            let from = busy.max(self.skp_due);
            busy = (from + skp.token).next_multiple_of(skp.grid) + skp.length;
            at = at.max(busy);
            self.skp_due += skp.interval;
        }
        at
    }
}
