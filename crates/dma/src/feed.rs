//! The FIFO of a card between an arriving flow and a leaving flow: loopback, and chains of cards.

use crate::pop::pop_front_if;
use pcie::Time;
use sim::parts::{Hold, Payload};
use std::collections::VecDeque;

/// Payload that has arrived and is not yet known to the engine.
#[derive(Clone, Debug)]
pub struct Arriving {
    pub known: Time,
    pub data: Payload,
}

/// A posted TLP that does not fit into the FIFO. It keeps its credits.
#[derive(Debug)]
pub struct Stalled {
    pub hold: Hold,
    pub data: Payload,
}

/// See the module.
#[derive(Debug)]
pub struct Feed {
    /// The flow that fills the FIFO.
    pub from: u32,
    capacity: u64,
    /// Bytes in the FIFO, or on their way into it.
    used: u64,
    arriving: VecDeque<Arriving>,
    waiting: VecDeque<Stalled>,
    /// Payload bytes of each TLP that has started to leave.
    leaving: VecDeque<u64>,
    /// Bytes that the engine may send on.
    available: u64,
    data: VecDeque<u8>,
}

impl Feed {
    pub fn new(from: u32, capacity: u64) -> Feed {
        Feed {
            from,
            capacity,
            used: 0,
            arriving: VecDeque::new(),
            waiting: VecDeque::new(),
            leaving: VecDeque::new(),
            available: 0,
            data: VecDeque::new(),
        }
    }

    /// True where `bytes` more fit. An empty FIFO always accepts one TLP.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.used == 0 || self.used + bytes <= self.capacity
    }

    /// The same, where data that finds the FIFO full may wait in `ahead` bytes of a completion buffer.
    pub fn has_room_ahead(&self, bytes: u64, ahead: u64) -> bool {
        self.used == 0 || self.used + bytes <= self.capacity + ahead
    }

    /// `bytes` are on their way into the FIFO.
    pub fn reserve(&mut self, bytes: u64) {
        self.used += bytes;
    }

    /// A posted TLP arrived. Returns it where it fits; otherwise it waits.
    pub fn admit(&mut self, tlp: Stalled) -> Option<Stalled> {
        if !self.waiting.is_empty() || !self.has_room(u64::from(tlp.data.bytes())) {
            self.waiting.push_back(tlp);
            return None;
        }
        self.reserve(u64::from(tlp.data.bytes()));
        Some(tlp)
    }

    pub fn push(&mut self, arriving: Arriving) {
        self.arriving.push_back(arriving);
    }

    /// What is known by `now` may be sent on.
    pub fn settle(&mut self, now: Time) {
        while let Some(arriving) = pop_front_if(&mut self.arriving, |a| a.known <= now) {
            self.available += u64::from(arriving.data.bytes());
            if let Payload::Bytes(bytes) = arriving.data {
                self.data.extend(bytes);
            }
        }
    }

    pub fn available(&self) -> u64 {
        self.available
    }

    /// Takes `bytes` to send them on.
    pub fn take(&mut self, bytes: u64) -> Payload {
        self.available -= bytes;
        match self.data.len() >= bytes as usize {
            true => Payload::Bytes(self.data.drain(..bytes as usize).collect()),
            false => Payload::Length(bytes as u32),
        }
    }

    /// A TLP with `bytes` starts to leave.
    pub fn leaves(&mut self, bytes: u64) {
        self.leaving.push_back(bytes);
    }

    /// The oldest leaving TLP has left. Returns the waiting posted TLPs that now fit.
    pub fn left(&mut self) -> Vec<Stalled> {
        self.used -= self.leaving.pop_front().unwrap_or(0);
        let mut admitted = Vec::new();
        while let Some(next) = self.waiting.front()
            && self.has_room(u64::from(next.data.bytes()))
        {
            self.reserve(u64::from(next.data.bytes()));
            admitted.extend(self.waiting.pop_front());
        }
        admitted
    }
}
