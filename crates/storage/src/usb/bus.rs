//! The bus: transactions in microframes, one after another.

use super::wire::{BusReserve, MICROFRAME};
use pcie::Time;

/// What a controller leaves of the bus to bulk transfers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bus {
    pub reserve: BusReserve,
    /// Percent of the bus that are left, where it keeps a part.
    pub percent: u64,
}

impl Bus {
    /// True where bulk transfers have microframe `number`.
    fn is_open(self, number: u64) -> bool {
        let until = |number: u64| number * self.percent / 100;
        self.reserve != BusReserve::Frames || until(number + 1) > until(number)
    }

    /// How far in each microframe bulk transactions begin: periodic ones come first.
    pub fn opens(self) -> Time {
        match self.reserve {
            BusReserve::Microframe => Time::from_fs(MICROFRAME.as_fs() / 100 * (100 - self.percent)),
            _ => Time::ZERO,
        }
    }

    /// When a transaction that takes `time` begins, of one that could begin at `from`: it ends in the microframe where it
    /// begins.
    pub fn start(self, from: Time, time: Time) -> Time {
        let mut number = from.as_fs() / MICROFRAME.as_fs();
        loop {
            let begins = Time::from_fs(number * MICROFRAME.as_fs());
            let start = from.max(begins + self.opens());
            if self.is_open(number) && start + time <= begins + MICROFRAME {
                return start;
            }
            number += 1;
        }
    }

    /// The next boundary of so many microframes that is not before `time`.
    pub fn boundary(time: Time, microframes: u64) -> Time {
        let step = MICROFRAME.as_fs() * microframes;
        Time::from_fs(time.as_fs().div_ceil(step) * step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usb::wire::transaction;

    fn packets(reserve: BusReserve, microframes: u64) -> u64 {
        let bus = Bus { reserve, percent: 80 };
        let (mut now, mut count) = (Time::ZERO, 0);
        loop {
            now = bus.start(now, transaction(512)) + transaction(512);
            if now > Time::from_fs(MICROFRAME.as_fs() * microframes) {
                return count;
            }
            count += 1;
        }
    }

    #[test]
    fn how_many_packets_fit_into_a_microframe() {
        // 7500 byte times, and 567 for a packet of 512: 13, with 129 left.
        assert_eq!(packets(BusReserve::Nothing, 1), 13);
        assert_eq!(packets(BusReserve::Nothing, 100), 1300);
        // 80 % are 6000 byte times: 10.
        assert_eq!(packets(BusReserve::Microframe, 100), 1000);
        assert_eq!(packets(BusReserve::Frames, 100), 1040);
    }
}
