//! The credits that a transmitter has left: granted minus used.

use pcie::credit::data_credits;
use pcie::{Class, Credits, Time};
use std::collections::VecDeque;

/// The credits of one class in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// Granted and used, where finite.
    header: Option<(u64, u64)>,
    data: Option<(u64, u64)>,
    /// Grants in flight: when they arrive, and the credits granted in all.
    coming: VecDeque<(Time, u64, u64)>,
}

/// Header and data credits left, where finite.
pub(crate) type Left = (Option<u64>, Option<u64>);

impl Pool {
    pub fn new(credits: Credits) -> Pool {
        let of = |count: Option<u32>| count.map(|count| (count as u64, 0));
        Pool { header: of(credits.header), data: of(credits.data), coming: VecDeque::new() }
    }

    /// An UpdateFC arrives at `at`.
    pub fn grant(&mut self, at: Time, header: u64, data: u64) {
        self.coming.push_back((at, header, data));
    }

    /// Applies the oldest grant that has arrived by `now`: its time, and the credits left then.
    pub fn settle(&mut self, now: Time) -> Option<(Time, Left)> {
        let &(at, header, data) = self.coming.front().filter(|(at, ..)| *at <= now)?;
        self.coming.pop_front();
        self.header = self.header.map(|(_, used)| (header, used));
        self.data = self.data.map(|(_, used)| (data, used));
        Some((at, self.left()))
    }

    /// A TLP with `payload` bytes leaves; the credits left after it.
    pub fn take(&mut self, payload: u64) -> Left {
        let take = |pool: Option<(u64, u64)>, n| pool.map(|(granted, used)| (granted, used + n));
        self.header = take(self.header, 1);
        self.data = take(self.data, data_credits(payload));
        self.left()
    }

    /// The credits left now.
    pub fn left(&self) -> Left {
        let left = |(granted, used): (u64, u64)| granted.saturating_sub(used);
        (self.header.map(left), self.data.map(left))
    }
}

/// The name of a counter, as in `posted`.
pub(crate) fn name(class: Class, data: bool) -> String {
    format!("{class} {} credits left", if data { "data" } else { "header" })
}
