//! How the software of a job posts batches of packets and learns of their ends.

use queues::{Ended, Face, Ring, Transfer};
use sim::{Ask, HostMemory, Seen};
use std::collections::VecDeque;

/// One descriptor ring with its completions, as software sees it.
#[derive(Debug)]
pub struct RingFace {
    pub ring: Ring,
    pub completions: Ring,
    pub doorbell: u64,
    /// Bytes from one packet to the next in a buffer, and packets of a batch.
    pub stride: u64,
    pub packets: u64,
    /// Descriptors posted, and completions seen; the batches in between, which end in order.
    pub posted: u64,
    pub seen: u64,
    pub in_flight: VecDeque<u64>,
}

impl Face for RingFace {
    fn give(&mut self, identifier: u64, batch: Transfer, memory: &mut HostMemory, plan: &mut VecDeque<Ask>) {
        for packet in 0..self.packets {
            let buffer = batch.address + packet * self.stride;
            memory.write(self.ring.at(self.posted), &buffer.to_le_bytes());
            self.posted += 1;
        }
        self.in_flight.push_back(identifier);
        let data = Box::new((self.posted % self.ring.entries()).to_le_bytes());
        plan.push_back(Ask::Store { address: self.doorbell, data });
    }

    fn ended(&mut self, _: &Seen, memory: &HostMemory, _: &mut VecDeque<Ask>) -> Option<Ended> {
        while memory.word(self.completions.at(self.seen)) == self.seen + 1 {
            self.seen += 1;
            if self.seen.is_multiple_of(self.packets) {
                return self.in_flight.pop_front().map(|identifier| Ended { identifier, failed: false });
            }
        }
        None
    }

    fn tell(&mut self, _: &mut VecDeque<Ask>) {}

    fn woken(&mut self) {}
}
