//! Transfers on a bus without anything else, in closed form, for the limit: packets and microframes.
//!
//! The simulation does not use it.

use super::wire::{BusReserve, MICROFRAME, PACKET_BYTES, transaction};
use pcie::{Rate, Time};

/// A transfer on the bus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    bytes: u64,
    /// Full packets, and the time of a last one that is not full or empty.
    full: u64,
    short: Time,
    /// Full packets of a microframe, and its time for them.
    fit: u64,
    open: Time,
    /// Share of microframes that bulk transfers have.
    share: f64,
    device: Time,
}

impl Layout {
    /// A transfer of `bytes`, on a bus of which so much is kept, `percent` of it for bulk transfers. With `zero_packet`, an
    /// empty packet ends it where all are full. `device` is the time of the device for each transfer.
    pub fn new(bytes: u64, (reserve, percent): (BusReserve, u64), zero_packet: bool, device: Time) -> Layout {
        let (full, rest) = (bytes / PACKET_BYTES, bytes % PACKET_BYTES);
        let part = percent.min(100);
        let (open, share) = match reserve {
            BusReserve::Nothing => (MICROFRAME, 1.0),
            BusReserve::Microframe => (Time::from_fs(MICROFRAME.as_fs() / 100 * part), 1.0),
            BusReserve::Frames => (MICROFRAME, part as f64 / 100.0),
        };
        let empty = zero_packet && rest == 0;
        let short = if rest > 0 || empty { transaction(rest) } else { Time::ZERO };
        let fit = (open.as_fs() / transaction(PACKET_BYTES).as_fs()).max(1);
        Layout { bytes, full, short, fit, open, share, device }
    }

    /// The rate of transfers that are always queued: packets are put into microframes one after another, as early as
    /// they can be, which no delay can better.
    pub fn rate(&self) -> Rate {
        let microframe = MICROFRAME.as_fs();
        if self.full > PACKETS {
            let most = self.fit as f64 * PACKET_BYTES as f64 / MICROFRAME.as_secs();
            return Rate(most * self.share);
        }
        // Time of open microframes alone.
        let opens = microframe - self.open.as_fs();
        let mut now = opens;
        let put = |now: u64, time: Time| {
            let at = now.max(now / microframe * microframe + opens);
            let end = (at / microframe + 1) * microframe;
            if at + time.as_fs() <= end { at + time.as_fs() } else { end + opens + time.as_fs() }
        };
        let (transfers, one) = (PACKETS.div_ceil(self.full + 1), transaction(PACKET_BYTES));
        for _ in 0..transfers {
            now = (0..self.full).fold(now, |now, _| put(now, one));
            now = if self.short > Time::ZERO { put(now, self.short) } else { now };
            now += self.device.as_fs();
        }
        // The start of the first and the end of the last can be one microframe off.
        let taken = (now - opens).saturating_sub(self.device.as_fs()) as f64;
        let whole = (taken / microframe as f64).floor().max(1.0) * microframe as f64;
        Rate(transfers as f64 * self.bytes as f64 / whole * 1e15 * self.share)
    }

    /// The least time of a transfer on a bus that is free, from the start of the first packet to the end of the last,
    /// wherever in a microframe it begins.
    pub fn alone(&self) -> Time {
        (0..=self.fit.min(self.full)).map(|first| self.from(first)).min().unwrap_or(Time::ZERO)
    }

    /// The same where so many of its packets are in the microframe where it begins, up to the end of that.
    fn from(&self, first: u64) -> Time {
        let one = transaction(PACKET_BYTES);
        let before = Time::from_fs(one.as_fs() * first);
        let left = self.full - first;
        if left == 0 {
            return before + self.short;
        }
        let opens = if first > 0 { MICROFRAME - self.open } else { Time::ZERO };
        let whole = (left - 1) / self.fit;
        let skipped = ((whole.saturating_sub(1)) as f64 / self.share).floor() as u64;
        let last = one.as_fs() * (left - whole * self.fit);
        let between = MICROFRAME.as_fs() * whole.max(skipped);
        before + opens + Time::from_fs(between + last) + self.short
    }

    /// Least time from one transfer to the next where each has microframes of its own: those that are kept count.
    pub fn least_round(&self) -> Time {
        let packets = self.full + u64::from(self.short > Time::ZERO);
        let microframes = packets.div_ceil(self.fit + 1).max(1);
        Time::from_fs((microframes as f64 / self.share * MICROFRAME.as_fs() as f64) as u64)
    }
}

/// Packets after which a longer transfer is no different.
const PACKETS: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_fast_are_transfers_that_are_always_queued() {
        let rate = |reserve, bytes| Layout::new(bytes, (reserve, 80), false, Time::ZERO).rate().as_mb_per_s();
        for bytes in [512, 65_536, 16 << 20] {
            for (reserve, most) in
                [(BusReserve::Nothing, 53.248), (BusReserve::Microframe, 40.96), (BusReserve::Frames, 42.598)]
            {
                let rate = rate(reserve, bytes);
                assert!(
                    (rate / most - 1.0).abs() < 0.004 && rate >= most * 0.9999,
                    "{bytes} B {reserve:?}: {rate} MB/s"
                );
            }
        }
    }
}
