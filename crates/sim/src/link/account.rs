//! What a transmitter may still send: the receiver's credits, and the room in its own replay buffer.

use crate::engine::fifo::Fifo;
use pcie::{Credits, Time};

/// The credits of one class, as the transmitter counts them. Infinite credits have a limit that is never reached.
#[derive(Clone, Debug)]
pub(crate) struct CreditPool {
    header: Credit,
    data: Credit,
    arriving: Fifo<Granted>,
}

/// Credits used since the start, and the limit granted.
#[derive(Clone, Copy, Debug)]
struct Credit {
    used: u64,
    limit: u64,
}

/// An UpdateFC: when it arrives, and the credits granted since the start.
#[derive(Clone, Copy, Debug, Default)]
struct Granted {
    time: Time,
    header: u64,
    data: u64,
}

const ENDLESS: u64 = u64::MAX;

impl Credit {
    fn new(count: Option<u32>) -> Credit {
        Credit { used: 0, limit: count.map_or(ENDLESS, u64::from) }
    }

    fn granted(&mut self, limit: u64) {
        self.limit = if self.limit == ENDLESS { ENDLESS } else { limit };
    }
}

impl CreditPool {
    pub fn new(credits: Credits) -> CreditPool {
        CreditPool { header: Credit::new(credits.header), data: Credit::new(credits.data), arriving: Fifo::default() }
    }

    /// An UpdateFC that arrives at `time` grants this many credits since the start. Of those that have arrived by
    /// `now`, the last counts.
    pub fn grant(&mut self, now: Time, time: Time, header: u64, data: u64) {
        while self.arriving.get(1).is_some_and(|next| next.time <= now) {
            self.arriving.pop_front();
        }
        self.arriving.push_back(Granted { time, header, data });
    }

    fn holds(&self, data: u64) -> bool {
        self.header.used < self.header.limit && self.data.used + data <= self.data.limit
    }

    /// True where one header credit and `data` data credits are available at `now`.
    #[inline]
    pub fn allows(&mut self, data: u64, now: Time) -> bool {
        self.holds(data) || self.take_grants(data, now)
    }

    fn take_grants(&mut self, data: u64, now: Time) -> bool {
        while !self.holds(data) {
            let Some(granted) = self.arriving.pop_front_if(|granted| granted.time <= now) else { return false };
            self.header.granted(granted.header);
            self.data.granted(granted.data);
        }
        true
    }

    /// Consumes the credits that [`CreditPool::allows`] found.
    pub fn take(&mut self, data: u64) {
        self.header.used += 1;
        self.data.used += data;
    }

    /// When one header credit and `data` data credits will be available, according to the UpdateFCs in flight;
    /// [`Time::NEVER`] where these do not suffice.
    #[inline]
    pub fn when(&self, data: u64) -> Time {
        if self.holds(data) { Time::ZERO } else { self.when_granted(data) }
    }

    fn when_granted(&self, data: u64) -> Time {
        let brings = |granted: &&Granted| {
            (self.header.limit == ENDLESS || self.header.used < granted.header)
                && (self.data.limit == ENDLESS || self.data.used + data <= granted.data)
        };
        self.arriving.iter().find(brings).map_or(Time::NEVER, |granted| granted.time)
    }
}

/// The replay buffer.
#[derive(Clone, Debug)]
pub(crate) struct Replay {
    capacity: u64,
    used: u64,
    /// ACKs in flight: arrival time, and the bytes acknowledged.
    arriving: Fifo<(Time, u64)>,
}

impl Replay {
    pub fn new(capacity: Option<u64>) -> Replay {
        Replay { capacity: capacity.unwrap_or(ENDLESS), used: 0, arriving: Fifo::default() }
    }

    /// An ACK that arrives at `time` acknowledges `bytes`.
    pub fn acknowledged(&mut self, time: Time, bytes: u64) {
        if self.is_limited() {
            self.arriving.push_back((time, bytes));
        }
    }

    /// True where a TLP of `bytes` fits at `now`. An empty buffer always accepts one TLP.
    #[inline]
    pub fn allows(&mut self, bytes: u64, now: Time) -> bool {
        while self.used + bytes > self.capacity && self.used > 0 {
            let Some((_, freed)) = self.arriving.pop_front_if(|(time, _)| *time <= now) else { return false };
            self.used -= freed;
        }
        true
    }

    /// True for a finite buffer.
    pub fn is_limited(&self) -> bool {
        self.capacity != ENDLESS
    }

    /// Occupies `bytes`, for which [`Replay::allows`] found room.
    pub fn keep(&mut self, bytes: u64) {
        if self.is_limited() {
            self.used += bytes;
        }
    }

    /// When the next ACK in flight arrives; [`Time::NEVER`] where there is none.
    pub fn next_ack(&self) -> Time {
        self.arriving.front().map_or(Time::NEVER, |&(time, _)| time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_grant_count_from_its_arrival_and_not_before() {
        let mut pool = CreditPool::new(Credits { header: Some(1), data: None });
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
        replay.acknowledged(Time::from_ns(50), 146);
        assert!(!replay.allows(146, Time::from_ns(49)));
        assert!(replay.allows(146, Time::from_ns(50)));
    }
}
