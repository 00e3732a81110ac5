//! What a transmitter may still send: credits of the receiver, and room in its own replay buffer.

use crate::pop::pop_front_if;
use pcie::{Credits, Time};
use std::collections::VecDeque;

/// Credits of one pool as the transmitter counts them.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    header: Option<(u64, u64)>,
    data: Option<(u64, u64)>,
    arriving: VecDeque<(Time, u64, u64)>,
}

impl Pool {
    pub fn new(credits: Credits) -> Pool {
        let pair = |count: Option<u32>| count.map(|c| (0, c as u64));
        Pool { header: pair(credits.header), data: pair(credits.data), arriving: VecDeque::new() }
    }

    /// An UpdateFC that arrives at `time` grants so much in all. Of those that had arrived by `now` the last counts.
    pub fn grant(&mut self, now: Time, time: Time, header: u64, data: u64) {
        while self.arriving.get(1).is_some_and(|&(time, ..)| time <= now) {
            self.arriving.pop_front();
        }
        self.arriving.push_back((time, header, data));
    }

    fn holds(&self, data: u64) -> bool {
        self.header.is_none_or(|(used, limit)| used < limit)
            && self.data.is_none_or(|(used, limit)| used + data <= limit)
    }

    /// True where one header credit and `data` data credits are there at `now`.
    pub fn allows(&mut self, data: u64, now: Time) -> bool {
        while !self.holds(data) {
            let Some((_, header, data)) = pop_front_if(&mut self.arriving, |(time, ..)| *time <= now) else {
                return false;
            };
            self.header = self.header.map(|(used, _)| (used, header));
            self.data = self.data.map(|(used, _)| (used, data));
        }
        true
    }

    /// Takes what [`Pool::allows`] found.
    pub fn take(&mut self, data: u64) {
        if let Some((used, _)) = &mut self.header {
            *used += 1;
        }
        if let Some((used, _)) = &mut self.data {
            *used += data;
        }
    }

    /// When one header credit and `data` data credits are there, by the UpdateFCs on their way; [`Time::NEVER`] where those
    /// do not bring them.
    pub fn when(&self, data: u64) -> Time {
        if self.holds(data) {
            return Time::ZERO;
        }
        let brings = |&&(_, header, limit): &&(Time, u64, u64)| {
            self.header.is_none_or(|(used, _)| used < header) && self.data.is_none_or(|(used, _)| used + data <= limit)
        };
        self.arriving.iter().find(brings).map_or(Time::NEVER, |&(time, ..)| time)
    }
}

/// The replay buffer.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    capacity: Option<u64>,
    used: u64,
    kept: VecDeque<u32>,
    arriving: VecDeque<(Time, u64)>,
}

/// Sequence number and LCRC, which are kept with header and payload.
pub(crate) const REPLAY_OVERHEAD_BYTES: u64 = 6;

impl Replay {
    pub fn new(capacity: Option<u64>) -> Replay {
        Replay { capacity, used: 0, kept: VecDeque::new(), arriving: VecDeque::new() }
    }

    /// An ACK that arrives at `time` acknowledges `count` TLPs more.
    pub fn acknowledged(&mut self, time: Time, count: u64) {
        if self.capacity.is_some() {
            self.arriving.push_back((time, count));
        }
    }

    /// True where a TLP that takes `bytes` finds room at `now`.
    pub fn allows(&mut self, bytes: u64, now: Time) -> bool {
        let Some(capacity) = self.capacity else { return true };
        while self.used + bytes > capacity && !self.kept.is_empty() {
            let Some((_, count)) = pop_front_if(&mut self.arriving, |(time, _)| *time <= now) else { return false };
            for _ in 0..count {
                self.used -= self.kept.pop_front().map_or(0, u64::from);
            }
        }
        // A buffer smaller than one TLP holds one all the same.
        true
    }

    /// True where it is finite.
    pub fn is_limited(&self) -> bool {
        self.capacity.is_some()
    }

    /// Keeps what [`Replay::allows`] found room for.
    pub fn keep(&mut self, bytes: u64) {
        if self.capacity.is_some() {
            self.used += bytes;
            self.kept.push_back(bytes as u32);
        }
    }

    /// When the next ACK arrives, of those on their way; [`Time::NEVER`] where none is.
    pub fn next_ack(&self) -> Time {
        self.arriving.front().map_or(Time::NEVER, |&(time, _)| time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_grant_count_from_its_arrival_and_not_before() {
        let mut pool = Pool::new(Credits { header: Some(1), data: None });
        assert!(pool.allows(8, Time::ZERO));
        pool.take(8);
        pool.grant(Time::ZERO, Time::from_ns(100), 2, 0);
        assert_eq!(pool.when(8), Time::from_ns(100));
        assert!(!pool.allows(8, Time::from_ns(99)));
        assert!(pool.allows(8, Time::from_ns(100)));
    }

    #[test]
    fn does_a_tlp_hold_its_place_in_the_replay_buffer_until_its_ack_arrives() {
        let mut replay = Replay::new(Some(300));
        replay.keep(146);
        replay.keep(146);
        assert!(!replay.allows(146, Time::ZERO));
        replay.acknowledged(Time::from_ns(50), 1);
        assert!(!replay.allows(146, Time::from_ns(49)));
        assert!(replay.allows(146, Time::from_ns(50)));
    }
}
