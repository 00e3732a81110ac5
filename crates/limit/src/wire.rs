//! One direction of a link in bytes: where packets start, what SKPs take, the time of a byte.
//!
//! Positions are bytes across all lanes. Times are femtoseconds in floating point: limits are rates and need not be
//! exact to the femtosecond.

use pcie::generation::Encoding;
use pcie::timing::{self, BLOCK_SYMBOLS, EDS_BYTES};
use pcie::{Framing, LinkSpeed, Rate, Shape, dllp};
use system::System;
use system::graph::{Direction, LinkId, PartId};

/// Tolerance for rounding when a time becomes a start position, in units of the grid.
const ROUNDING: f64 = 1e-6;

/// SKP ordered sets of a direction; all values in bytes of the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skp {
    /// Distance from one to the next.
    pub interval: u64,
    /// Length of one.
    pub length: u64,
    /// Grid of its start: a whole symbol (8b/10b) or a whole block (128b/130b).
    pub grid: u64,
    /// Bytes that must precede it: the EDS token at 128b/130b.
    pub token: u64,
}

impl Skp {
    /// Position of the end of a SKP that waited for a packet that ended at `end`.
    fn end_after(&self, end: u64) -> u64 {
        (end + self.token).next_multiple_of(self.grid) + self.length
    }

    /// SKPs at a distance of `symbols` on a link of `speed`.
    fn every(symbols: u64, speed: LinkSpeed, sris: bool) -> Skp {
        let (lanes, encoding) = (speed.width.lanes(), speed.generation.encoding());
        let (grid, token) = match encoding {
            Encoding::E8b10b => (lanes, 0),
            Encoding::E128b130b => (BLOCK_SYMBOLS * lanes, EDS_BYTES),
        };
        let length = timing::skp(encoding, sris).length_symbols * lanes;
        Skp { interval: (symbols * lanes).max(grid + token + length), length, grid, token }
    }
}

/// One direction of a link, with the habits of its transmitter.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The direction.
    pub direction: Direction,
    /// Generation and width that the link trained to.
    pub speed: LinkSpeed,
    /// The part that transmits.
    pub from: PartId,
    /// The part that receives.
    pub to: PartId,
    /// Time of one byte on the link, after encoding.
    pub byte_fs: f64,
    /// TLPs start at multiples of this many bytes behind another packet; behind idle at those of [`Wire::idle_align`].
    pub tlp_align: u64,
    /// Bytes that stay free of TLPs after a TLP.
    pub tlp_gap: u64,
    /// Where not 0, writes inside a command and a block of this many bytes have no such gap.
    pub gap_block: u64,
    /// DLLPs start at multiples of this many bytes.
    pub dllp_align: u64,
    /// The framing of TLPs.
    pub framing: Framing,
    /// Bytes of a DLLP; 0 where the model omits DLLPs.
    pub dllp_bytes: u64,
    /// SKP ordered sets; `None` where the model omits them.
    pub skp: Option<Skp>,
    /// Propagation time from end to end.
    pub propagation_fs: f64,
}

impl Wire {
    /// The wire of `direction` in `system`.
    pub fn new(system: &System, direction: Direction) -> Wire {
        let (tx, rx) = system.ends(direction);
        let (from, to) = (system.port(tx).part, system.port(rx).part);
        let (link, habits) = (system.link(direction.link), system.habits(tx));
        let lanes = link.speed.width.lanes();
        let symbol = link.speed.generation.symbol_fs64() as f64 / 64.0 * (1.0 + system.clock_slow_ppm as f64 * 1e-6);
        let standard = link.speed.start_alignment_bytes();
        Wire {
            direction,
            speed: link.speed,
            from,
            to,
            byte_fs: symbol / lanes as f64,
            tlp_align: habits.start_alignment.bytes(standard, lanes),
            tlp_gap: habits.tlp_gap.0,
            gap_block: habits.gap_block.0,
            dllp_align: standard,
            framing: Framing::of(link.speed.generation.encoding()),
            dllp_bytes: if habits.dllps { dllp::WIRE_BYTES } else { 0 },
            skp: system.skp_interval(tx, link).map(|interval| Skp::every(interval, link.speed, link.sris)),
            propagation_fs: link.propagation.as_fs() as f64,
        }
    }

    /// A link of `speed` outside any system, with TLPs as close together as the standard allows.
    pub fn of_speed(speed: LinkSpeed) -> Wire {
        let standard = speed.start_alignment_bytes();
        let usual = timing::skp(speed.generation.encoding(), false).interval_symbols;
        Wire {
            direction: Direction { link: LinkId(0), up: false },
            speed,
            from: PartId(0),
            to: PartId(0),
            byte_fs: speed.generation.symbol_fs64() as f64 / 64.0 / speed.width.lanes() as f64,
            tlp_align: standard,
            tlp_gap: 0,
            gap_block: 0,
            dllp_align: standard,
            framing: Framing::of(speed.generation.encoding()),
            dllp_bytes: dllp::WIRE_BYTES,
            skp: Some(Skp::every(usual, speed, false)),
            propagation_fs: 0.0,
        }
    }

    /// Bytes of one symbol time: the number of lanes.
    pub fn lanes(&self) -> u64 {
        self.speed.width.lanes()
    }

    /// The time of `bytes` on the wire.
    pub fn time(&self, bytes: f64) -> f64 {
        bytes * self.byte_fs
    }

    /// TLPs behind idle start at multiples of this many bytes: in lane 0, also on links wider than x4.
    pub fn idle_align(&self) -> u64 {
        self.tlp_align.max(self.lanes())
    }

    /// The least time of at least `fs` between two starts that the start alignment allows. With `idle`, nothing is on the
    /// link before either of them.
    pub fn on_grid_fs(&self, fs: f64, idle: bool) -> f64 {
        self.round_up_fs(fs, if idle { self.idle_align() } else { self.tlp_align })
    }

    /// The first time not before `fs` that is a whole multiple of `bytes` from time 0.
    pub fn round_up_fs(&self, fs: f64, bytes: u64) -> f64 {
        let grid = self.time(bytes as f64);
        (fs / grid - ROUNDING).ceil() * grid
    }

    /// The time from the start of a TLP to the earliest start of the next.
    pub fn start_to_start_fs(&self, shape: Shape) -> f64 {
        let gap = if self.gap_block > 0 { 0 } else { self.tlp_gap };
        self.time((self.framing.tlp_bytes(shape) + gap).next_multiple_of(self.tlp_align) as f64)
    }

    /// The start of the next TLP after one of `wire` bytes that started at `start` and is followed by `dllps` DLLPs and
    /// by `gap` bytes without TLPs. In one symbol time at most one TLP starts, and at most one DLLP.
    fn next_start(&self, start: u64, (wire, gap): (u64, u64), dllps: u64) -> u64 {
        let end = if dllps == 0 { start + wire } else { self.end_of_dllps(start + wire, dllps) };
        end.max((start / self.lanes() + 1) * self.lanes()).max(start + wire + gap).next_multiple_of(self.tlp_align)
    }

    /// The end of `dllps` DLLPs in a row, at least one, the first of which starts at `from` or later. Where they start
    /// within the grid of their starts and of the symbol times repeats after a few of them, so that the work does not
    /// grow with their number.
    fn end_of_dllps(&self, from: u64, dllps: u64) -> u64 {
        let grid = self.dllp_grid();
        let (mut at, mut left) = (from.next_multiple_of(self.dllp_align), dllps - 1);
        // After as many as the grid has places, whatever comes has come before.
        for _ in 0..left.min(grid) {
            (at, left) = (self.next_dllp(at), left - 1);
        }
        if left > 0 {
            let (count, bytes) = self.dllp_round(at);
            at += left / count * bytes;
            for _ in 0..left % count {
                at = self.next_dllp(at);
            }
        }
        at + self.dllp_bytes
    }

    /// The start of the DLLP after one that started at `at`: on the grid, and in another symbol time.
    fn next_dllp(&self, at: u64) -> u64 {
        let (lanes, next) = (self.lanes(), (at + self.dllp_bytes).next_multiple_of(self.dllp_align));
        if next / lanes == at / lanes { (at / lanes + 1) * lanes } else { next }
    }

    /// The bytes after which starts of DLLPs have the same place in a symbol time and on the grid of their alignment.
    fn dllp_grid(&self) -> u64 {
        let (mut a, mut b) = (self.dllp_align, self.lanes());
        while b > 0 {
            (a, b) = (b, a % b);
        }
        self.dllp_align / a * self.lanes()
    }

    /// DLLPs until one starts at the same place of the grid as that at `at`, and their bytes.
    fn dllp_round(&self, at: u64) -> (u64, u64) {
        let (grid, mut next, mut count) = (self.dllp_grid(), self.next_dllp(at), 1);
        while next % grid != at % grid && count < grid {
            (next, count) = (self.next_dllp(next), count + 1);
        }
        (count, next - at)
    }

    /// Bytes from the start of one TLP of `wire` bytes to the start of the next, without pauses and without SKPs, with
    /// `dllps` DLLPs for each TLP on average. A gap follows the share `gapped` of the TLPs.
    pub fn slot(&self, wire: u64, dllps: f64, gapped: f64) -> f64 {
        let of = |gap: u64, share: f64| if share > 0.0 { share * self.slot_and_gap(wire, gap, dllps) } else { 0.0 };
        if self.tlp_gap == 0 { of(0, 1.0) } else { of(self.tlp_gap, gapped) + of(0, 1.0 - gapped) }
    }

    fn slot_and_gap(&self, wire: u64, gap: u64, dllps: f64) -> f64 {
        const TLPS: u64 = 64;
        // From here on the grid that the TLP itself starts on is less than a millionth of the slot.
        const MANY_DLLPS: f64 = 1e6;
        if dllps * (TLPS as f64) < 1.0 && wire >= self.lanes() {
            return (wire + gap).next_multiple_of(self.tlp_align) as f64;
        }
        if self.dllp_bytes == 0 {
            return self.next_start(0, (wire, gap), 0) as f64;
        }
        if dllps > MANY_DLLPS {
            let (count, bytes) = self.dllp_round(0);
            return (wire + gap) as f64 + dllps * bytes as f64 / count as f64;
        }
        let (mut at, mut owed) = (0, 0.0);
        for _ in 0..TLPS {
            owed += dllps;
            let now = (owed + 1e-9).floor();
            owed -= now;
            at = self.next_start(at, (wire, gap), now as u64);
        }
        at as f64 / TLPS as f64
    }

    /// The share of a full direction's time that SKPs take. The direction carries slots of `slot` bytes; the last `gap`
    /// bytes of each are empty.
    pub fn skp_share(&self, slot: f64, gap: f64) -> f64 {
        let Some(skp) = self.skp else { return 0.0 };
        let (whole, empty) = (slot.round() as u64, gap.round() as u64);
        let cost = if (slot - whole as f64).abs() < 1e-9 && whole > empty {
            self.skp_cost_of_even_slots(&skp, whole, empty)
        } else {
            // The end of a packet is equally likely at each multiple of 4 bytes.
            let (grid, step) = (skp.grid as f64, self.dllp_align.min(skp.grid) as f64);
            let wait = if skp.token > 0 { (grid + step) / 2.0 } else { (grid - step) / 2.0 };
            skp.length as f64 + wait
        };
        (cost / skp.interval as f64).min(1.0)
    }

    /// The time of a SKP, without what it waits for.
    pub fn skp_fs(&self) -> f64 {
        self.skp.map_or(0.0, |skp| self.time((skp.token + skp.length) as f64))
    }

    /// SKPs that are due within `fs`, on average.
    pub fn skps_within(&self, fs: f64) -> f64 {
        self.skp.map_or(0.0, |skp| fs / self.time(skp.interval as f64))
    }

    /// Mean cost of a SKP between slots of `slot` bytes, in bytes. SKPs are due on a fixed grid; the packet end at
    /// which each is sent follows from that, over several intervals.
    fn skp_cost_of_even_slots(&self, skp: &Skp, slot: u64, gap: u64) -> f64 {
        const SKPS: u64 = 48;
        let (mut at, mut due, mut cost) = (0, skp.interval, 0);
        for _ in 0..SKPS {
            if at < due {
                at += (due - at).div_ceil(slot) * slot;
            }
            let end = (at - gap.min(at)).max(due);
            let next = skp.end_after(end).next_multiple_of(self.tlp_align).max(at);
            cost += next - at;
            at = next;
            due += skp.interval;
        }
        cost as f64 / SKPS as f64
    }

    /// The time of a slot of `bytes` on a full direction, SKPs included; its last `gap` bytes are empty.
    pub fn full_slot_fs(&self, bytes: f64, gap: f64) -> f64 {
        self.time(bytes) / (1.0 - self.skp_share(bytes, gap)).max(1e-6)
    }

    /// The same of slots that a cap makes longer than their packets. DLLPs shift the packets against the SKPs, so that no
    /// slot is later than where a SKP comes at any time of it: it delays the next one where it does not fit into the gap.
    pub fn capped_slot_fs(&self, bytes: f64, gap: f64) -> f64 {
        let Some(skp) = self.skp else { return self.time(bytes) };
        let length = (skp.token + skp.length) as f64;
        // By how much it overlaps the next slot: one that is due in the packet starts at its end, others where they are due.
        let (fits, packet) = (gap.min(length), (bytes - gap).max(0.0));
        let overlap = ((length - gap).max(0.0) * packet + length * fits - fits * fits / 2.0) / bytes;
        let share = (overlap / skp.interval as f64).min(self.skp_share(bytes, gap));
        self.time(bytes) / (1.0 - share).max(1e-6)
    }

    /// The signalled rate: bits on the wire as bytes a second, slowed by the clock deviation.
    pub fn signalled(&self) -> Rate {
        let (bits, wire) = self.speed.generation.encoding().ratio();
        Rate(1e15 / self.byte_fs * wire as f64 / bits as f64)
    }

    /// The share of the signalled bits that remains after the line encoding.
    pub fn encoded_share(&self) -> f64 {
        let (bits, wire) = self.speed.generation.encoding().ratio();
        bits as f64 / wire as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcie::{Generation, LinkSpeed, Width};

    /// As `end_of_dllps`, one by one.
    fn one_by_one(wire: &Wire, from: u64, dllps: u64) -> u64 {
        let first = from.next_multiple_of(wire.dllp_align);
        (1..dllps).fold(first, |at, _| wire.next_dllp(at)) + wire.dllp_bytes
    }

    #[test]
    fn do_many_dllps_end_where_they_end_one_by_one() {
        for generation in [Generation::Gen1, Generation::Gen3] {
            for width in Width::ALL {
                for align in [1, 2, 3, 4, 8, 12, 16] {
                    let speed = LinkSpeed { generation, width };
                    let wire = Wire { dllp_align: align, ..Wire::of_speed(speed) };
                    for from in 0..40 {
                        for dllps in [1, 2, 3, 7, 40, 1000] {
                            let (closed, counted) = (wire.end_of_dllps(from, dllps), one_by_one(&wire, from, dllps));
                            assert_eq!(closed, counted, "{speed:?} {align} {from} {dllps}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn does_a_slot_with_any_number_of_dllps_take_bounded_work_and_grow_with_them() {
        let wire = Wire::of_speed(LinkSpeed { generation: Generation::Gen3, width: Width::ALL[3] });
        let slots: Vec<f64> = (0..300).map(|power| wire.slot(24, 10f64.powi(power), 1.0)).collect();
        assert!(slots.windows(2).all(|two| two[0] < two[1] && two[1].is_finite()), "{slots:?}");
    }
}
