//! The byte clock of one direction: where a packet starts and ends on the wire.
//!
//! Positions are bytes across all lanes since an epoch. Converting a position into a time rounds once, even where a
//! symbol is not a whole number of femtoseconds. Internal times are `u64` femtoseconds.

use crate::engine::placed::Placed;
use pcie::timing::{self, BLOCK_SYMBOLS, EDS_BYTES};
use pcie::{Encoding, LinkSpeed, Time};

/// Positions are moved to a new epoch before their products could exceed 64 bits.
const REBASE_FS: u64 = 1 << 50;

/// The schedule of SKP ordered sets, in positions.
#[derive(Clone, Copy, Debug)]
struct SkpSchedule {
    interval: u64,
    length: u64,
    /// Where one may start: at any symbol, or at the block boundary after an EDS token.
    grid: u64,
    token: u64,
    due: u64,
}

/// Bytes of a direction after its last packet, up to a time: see [`Wire::until`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    /// Bytes of the last packet that come after that time.
    pub beyond: u64,
    pub idle: u64,
    pub skp: u64,
}

/// Division by a link's width. Widths are powers of two, except x12.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    shift: u32,
    /// The odd factor of the divisor: 1 on all links but x12.
    odd: u64,
}

impl Divisor {
    fn new(value: u64) -> Divisor {
        let shift = value.trailing_zeros();
        Divisor { shift, odd: value >> shift }
    }

    #[inline(always)]
    fn divide(self, n: u64) -> u64 {
        let n = n >> self.shift;
        if self.odd == 1 { n } else { n / self.odd }
    }
}

/// The next multiple of `step`, which is a power of two except for x12.
fn round_up(n: u64, step: u64) -> u64 {
    if step.is_power_of_two() { (n + step - 1) & !(step - 1) } else { n.next_multiple_of(step) }
}

/// Maps bytes of one direction to times.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    /// The time of one symbol on a lane, in 1/64 fs.
    symbol: u64,
    lanes: u64,
    by_lanes: Divisor,
    by_lanes64: Divisor,
    epoch: u64,
    /// The end of the last packet, as a position and as a time.
    free: u64,
    free_at: Time,
    skp: Option<SkpSchedule>,
    /// Bytes that stay free of TLPs after a TLP, and where they end after the last one. With a block, writes that end
    /// neither a command nor a block of that many bytes have no gap.
    tlp_gap: u64,
    gap_block: u64,
    gap_end: u64,
    /// The symbol times in which the last TLP and the last DLLP started.
    last_start: [u64; 2],
    /// The sum of all epoch changes, to count bytes over the whole run.
    origin: u64,
}

/// The two kinds of packet. At most one of each kind may start in a symbol time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    Tlp,
    Dllp,
}

impl Wire {
    /// `skp_interval` is in symbol times; `None` leaves SKPs out.
    pub fn new(speed: LinkSpeed, slow_ppm: u64, skp_interval: Option<u64>) -> Wire {
        let lanes = speed.width.lanes();
        let encoding = speed.generation.encoding();
        let (grid, token) = match encoding {
            Encoding::E8b10b => (lanes, 0),
            Encoding::E128b130b => (BLOCK_SYMBOLS * lanes, EDS_BYTES),
        };
        let length = timing::skp(encoding, false).length_symbols * lanes;
        let skp = skp_interval.map(|symbols| {
            let interval = (symbols * lanes).max(length + grid + token);
            SkpSchedule { interval, length, grid, token, due: interval }
        });
        let symbol = speed.generation.slow_symbol_fs64(slow_ppm);
        let (by_lanes, by_lanes64) = (Divisor::new(lanes), Divisor::new(lanes * 64));
        let free_at = Time::ZERO;
        Wire {
            symbol,
            lanes,
            by_lanes,
            by_lanes64,
            epoch: 0,
            free: 0,
            free_at,
            skp,
            tlp_gap: 0,
            gap_block: 0,
            gap_end: 0,
            last_start: [u64::MAX; 2],
            origin: 0,
        }
    }

    /// Makes all symbols shorter. Called before the first packet.
    pub fn hasten(&mut self, percent: u64) {
        self.symbol = self.symbol * 100 / (100 + percent);
    }

    /// Leaves `bytes` free of TLPs after each TLP; where `block` is not 0, of writes only after those that end a command or a
    /// block of `block` bytes. Called before the first packet.
    pub fn leave_free(&mut self, bytes: u64, block: u64) {
        (self.tlp_gap, self.gap_block) = (bytes, if bytes > 0 { block } else { 0 });
    }

    /// The blocks whose last write a gap follows; 0 where one follows each TLP.
    pub fn gap_block(&self) -> u64 {
        self.gap_block
    }

    /// The last TLP has no gap after it.
    #[cold]
    pub fn close_up(&mut self) {
        self.gap_end = 0;
    }

    /// When the last packet ends.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// Bytes from the start of the run to the end of the last packet.
    #[cfg(test)]
    pub fn passed(&self) -> u64 {
        self.origin + self.free
    }

    /// Wire time of `bytes`, rounded down.
    pub fn duration(&self, bytes: u64) -> Time {
        Time::from_fs(self.by_lanes64.divide(bytes * self.symbol))
    }

    fn time(&self, position: u64) -> Time {
        Time::from_fs(self.epoch + self.by_lanes64.divide(position * self.symbol))
    }

    /// The first position not before `time`.
    fn position(&mut self, time: Time) -> u64 {
        if time.as_fs().saturating_sub(self.epoch) > REBASE_FS {
            self.rebase(time);
        }
        (time.as_fs().saturating_sub(self.epoch) * self.lanes * 64).div_ceil(self.symbol)
    }

    /// Moves the epoch to just before `time`, by whole symbols. The times of positions do not change.
    #[cold]
    fn rebase(&mut self, time: Time) {
        let steps = (time.as_fs() - self.epoch) / self.symbol;
        let back = steps * self.lanes * 64;
        self.epoch += steps * self.symbol;
        self.origin += back;
        self.free = self.free.saturating_sub(back);
        self.gap_end = self.gap_end.saturating_sub(back);
        if let Some(skp) = &mut self.skp {
            let behind = back.saturating_sub(skp.due).div_ceil(skp.interval);
            skp.due = skp.due + behind * skp.interval - back;
        }
        for last in &mut self.last_start {
            *last = last.checked_sub(steps * 64).unwrap_or(u64::MAX);
        }
    }

    /// Puts a packet of `bytes` on the wire, not before `ready`, at a multiple of `alignment`; in lane 0 behind idle, as the
    /// standard asks of links wider than x4 too (OpenSPARC T2's model of a link, `pl_top.cpp`, at 8b/10b; MindShare, PCI Express
    /// Technology, Transmitter Framing Requirements, at 128b/130b).
    #[inline(always)]
    pub fn place(&mut self, ready: Time, bytes: u64, alignment: u64, packet: Packet) -> Placed {
        let free_at = self.free_at;
        // A position may begin a new epoch, from which the end of the last packet is counted then.
        let asked = if ready <= free_at { 0 } else { self.position(ready) };
        let before = self.free;
        let asked = asked.max(before);
        let (at, skp) = self.pass_skps(asked);
        // A SKP that a packet waited for ends at lane 0.
        let mut start = round_up(at, if asked > before { alignment.max(self.lanes) } else { alignment });
        if packet == Packet::Tlp && self.tlp_gap > 0 {
            start = self.after_gap(start, bytes, alignment);
        }
        let mut symbol = self.by_lanes.divide(start);
        let last = &mut self.last_start[packet as usize];
        if symbol == *last {
            start = round_up((symbol + 1) * self.lanes, alignment);
            symbol = self.by_lanes.divide(start);
        }
        *last = symbol;
        self.free = start + bytes;
        self.free_at = self.time(self.free);
        let starts = if start == before { free_at } else { self.time(start) };
        Placed { start: starts, end: self.free_at, idle: at - before - skp, skp, alignment: start - at }
    }

    /// The start of a TLP of `bytes` that could start at `start`, after the gap of the TLP before it.
    #[cold]
    fn after_gap(&mut self, start: u64, bytes: u64, alignment: u64) -> u64 {
        let start = start.max(round_up(self.gap_end, alignment));
        self.gap_end = start + bytes + self.tlp_gap;
        start
    }

    /// The bytes between the end of the last packet and `time`, or the bytes of the packet after `time`.
    pub fn until(&self, time: Time) -> Passed {
        let since = time.as_fs().saturating_sub(self.epoch) as u128;
        let at = (since * self.lanes as u128 * 64).div_ceil(self.symbol as u128) as u64;
        if at <= self.free {
            return Passed { beyond: self.free - at, ..Passed::default() };
        }
        let (clear, skp) = self.clone().pass_skps(at);
        let skp = skp.saturating_sub(clear - at).min(at - self.free);
        Passed { beyond: 0, idle: at - self.free - skp, skp }
    }

    /// Where a packet that could start at `at` starts after all SKPs due by then, and the bytes of those SKPs.
    #[inline(always)]
    fn pass_skps(&mut self, at: u64) -> (u64, u64) {
        match &self.skp {
            Some(skp) if skp.due <= at => self.pass_due(at),
            _ => (at, 0),
        }
    }

    #[cold]
    fn pass_due(&mut self, mut at: u64) -> (u64, u64) {
        let Some(skp) = &mut self.skp else { return (at, 0) };
        let mut taken = 0;
        // Those long past fell into idle time and delayed nobody.
        if at > skp.due + 2 * skp.interval && skp.due > self.free {
            let passed = (at - skp.due) / skp.interval - 1;
            skp.due += passed * skp.interval;
            taken += passed * (skp.token + skp.length);
        }
        let mut busy_to = self.free;
        while skp.due <= at {
            let idles = skp.due > busy_to;
            let from = skp.due.max(busy_to);
            let start = round_up(from + skp.token, skp.grid);
            busy_to = start + skp.length;
            // Where nothing was on the link, what is left of the block before the token is idle time.
            taken += if idles { skp.token + skp.length } else { busy_to - from };
            at = at.max(busy_to);
            skp.due += skp.interval;
        }
        (at, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wire(link: &str, skp: Option<u64>) -> Wire {
        Wire::new(link.parse().unwrap(), 0, skp)
    }

    #[test]
    fn packets_follow_one_another_at_the_rate_of_the_link() {
        let mut wire = wire("gen2 x4", None);
        let first = wire.place(Time::ZERO, 148, 4, Packet::Tlp);
        let second = wire.place(Time::ZERO, 148, 4, Packet::Tlp);
        assert_eq!((first.start, first.end), (Time::ZERO, Time::from_ns(74)));
        assert_eq!((second.start, second.end), (Time::from_ns(74), Time::from_ns(148)));
    }

    #[test]
    fn a_start_every_eight_bytes_makes_152_of_148() {
        let mut wire = wire("gen2 x4", None);
        let starts = [0; 3].map(|_| wire.place(Time::ZERO, 148, 8, Packet::Tlp));
        assert_eq!(starts.map(|p| p.start), [0, 76, 152].map(Time::from_ns));
        assert_eq!(starts.map(|p| p.alignment), [0, 4, 4]);
    }

    #[test]
    fn a_packet_starts_in_lane_0_behind_idle_and_in_any_fourth_behind_a_packet() {
        let mut wire = wire("gen3 x16", None);
        let symbol = |count: f64| Time::from_fs((count * wire.symbol as f64 / 64.0) as u64);
        let (idle, later) = (symbol(0.3), symbol(5.3));
        let first = wire.place(idle, 20, 4, Packet::Tlp);
        let behind = wire.place(idle, 8, 4, Packet::Dllp);
        let again = wire.place(later, 20, 4, Packet::Tlp);
        let at = |bytes: u64| wire.duration(bytes);
        assert_eq!([first, behind, again].map(|placed| placed.start), [at(16), at(16 + 20), at(6 * 16)]);
    }

    #[test]
    fn two_short_tlps_do_not_start_in_one_symbol_time_of_x32() {
        let mut wire = wire("gen3 x32", None);
        let starts = [0; 3].map(|_| wire.place(Time::ZERO, 20, 4, Packet::Tlp));
        let symbol = wire.duration(32);
        assert_eq!(starts.map(|p| p.start), [Time::ZERO, symbol, wire.duration(64)]);
    }

    #[test]
    fn a_skp_waits_for_the_end_of_the_packet_and_delays_the_next() {
        let mut wire = wire("gen1 x1", Some(1180));
        let placed: Vec<Placed> = (0..9).map(|_| wire.place(Time::ZERO, 148, 1, Packet::Tlp)).collect();
        assert_eq!(placed[8].skp, 4, "due at 1180, sent at 1184");
        assert_eq!(placed[8].start, Time::from_ns((8 * 148 + 4) * 4));
        assert!(placed[..8].iter().all(|p| p.skp == 0));
    }

    #[test]
    fn skps_on_an_idle_link_delay_only_who_meets_one() {
        let mut wire = wire("gen1 x1", Some(1180));
        let clear = wire.place(Time::from_ns(4 * 118_000 + 16), 20, 1, Packet::Tlp);
        assert_eq!(clear.start, Time::from_ns(4 * 118_000 + 16));
        assert_eq!(clear.skp, 100 * 4);
        let met = wire.place(Time::from_ns(4 * 1180 * 101 + 4), 20, 1, Packet::Tlp);
        assert_eq!(met.start, Time::from_ns(4 * 1180 * 101 + 16));
    }

    proptest! {
        #[test]
        fn every_byte_of_the_wire_is_accounted_for_once(
            link in prop::sample::select(vec!["gen1 x1", "gen2 x8", "gen3 x4", "gen4 x12", "gen5 x32"]),
            packets in prop::collection::vec((0u64..3_000_000_000, 20u64..4200, prop::bool::ANY), 1..60),
            slow in 0u64..3000,
        ) {
            let mut wire = Wire::new(link.parse().unwrap(), slow, Some(1180 * 5));
            let (mut now, mut sum, mut end) = (0, 0, Time::ZERO);
            for (gap, bytes, dllp) in packets {
                now += gap;
                let packet = if dllp { Packet::Dllp } else { Packet::Tlp };
                let placed = wire.place(Time::from_fs(now), bytes, 4, packet);
                prop_assert!(placed.start >= end && placed.start >= Time::from_fs(now));
                end = placed.end;
                sum += placed.idle + placed.skp + placed.alignment + bytes;
                prop_assert_eq!(sum, wire.passed());
            }
        }

        #[test]
        fn a_new_epoch_moves_no_packet(link in prop::sample::select(vec!["gen1 x1", "gen4 x12", "gen5 x2"])) {
            let far = Time::from_fs(3 << 50);
            let mut wire = Wire::new(link.parse().unwrap(), 0, None);
            wire.place(far, 100, 4, Packet::Tlp);
            let placed = wire.place(far, 100, 4, Packet::Tlp);
            let exact = (far.as_fs() as f64 + wire.duration(100).as_fs() as f64) - placed.start.as_fs() as f64;
            prop_assert!(exact.abs() <= wire.duration(8).as_fs() as f64);
        }
    }
}
