//! A card's FIFO between one flow that arrives and another that leaves: loopback, and chains of cards.

use pcie::Time;
use std::collections::VecDeque;

/// Payload that has arrived and is not known to the engine yet.
#[derive(Clone, Debug)]
pub(crate) struct Arriving {
    pub known: Time,
    pub bytes: u64,
    pub data: Option<Box<[u8]>>,
}

/// A posted TLP that finds no room: it keeps its credits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub came_by: u32,
    pub payload: u32,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Feed {
    /// The flow that fills it.
    pub from: u32,
    capacity: u64,
    /// Bytes in it, or on their way into it.
    used: u64,
    arriving: VecDeque<Arriving>,
    waiting: VecDeque<Waiting>,
    /// Bytes that the engine may write on.
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
            available: 0,
            data: VecDeque::new(),
        }
    }

    /// True where `bytes` more may come; an empty FIFO always takes one TLP.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.used == 0 || self.used + bytes <= self.capacity
    }

    /// `bytes` are on their way.
    pub fn reserve(&mut self, bytes: u64) {
        self.used += bytes;
    }

    /// A posted TLP came: true where it has room, else it waits.
    pub fn admit(&mut self, tlp: Waiting) -> bool {
        let room = self.waiting.is_empty() && self.has_room(tlp.payload as u64);
        if room {
            self.reserve(tlp.payload as u64);
        } else {
            self.waiting.push_back(tlp);
        }
        room
    }

    pub fn push(&mut self, arriving: Arriving) {
        self.arriving.push_back(arriving);
    }

    /// What is known by `now` may be written on.
    pub fn settle(&mut self, now: Time) {
        while let Some(arriving) = self.arriving.pop_front_if(|a| a.known <= now) {
            self.available += arriving.bytes;
            self.data.extend(arriving.data.iter().flatten());
        }
    }

    pub fn available(&self) -> u64 {
        self.available
    }

    /// Takes `bytes` to write them on; their data where it travels.
    pub fn take(&mut self, bytes: u64) -> Option<Box<[u8]>> {
        self.available -= bytes;
        let there = self.data.len().min(bytes as usize);
        (there > 0).then(|| self.data.drain(..there).collect())
    }

    /// `bytes` have left: the TLPs that waited and now have room.
    pub fn left(&mut self, bytes: u64) -> Vec<Waiting> {
        self.used -= bytes;
        let mut admitted = Vec::new();
        while let Some(&next) = self.waiting.front() {
            if !self.has_room(next.payload as u64) {
                break;
            }
            self.reserve(next.payload as u64);
            self.waiting.pop_front();
            admitted.push(next);
        }
        admitted
    }
}
