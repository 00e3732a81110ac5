//! How software gives commands to an NVMe SSD: entries in a queue and doorbells, and completion entries with a phase.

use super::entry::{Completion, Submission};
use super::params::DOORBELL_BYTES;
use super::queue::QueuePair;
use crate::block::PAGE_BYTES;
use queues::{Ended, Face, Transfer};
use sim::{Ask, HostMemory, Seen};
use std::collections::VecDeque;
use system::Window;

/// One pair of queues, as software sees it.
#[derive(Debug)]
pub(crate) struct QueueFace {
    pair: QueuePair,
    namespace: u32,
    sgl: bool,
    /// Memory for lists of pages; `None` where no command needs one.
    list: Option<Window>,
    /// Places in the queues, which count on.
    tail: u64,
    head: u64,
    /// The head that the drive knows.
    told: u64,
}

impl QueueFace {
    /// The software of `pair` for a namespace, with SGLs, or with memory for lists of pages where commands need them.
    pub fn new(pair: QueuePair, (namespace, sgl): (u32, bool), list: Option<Window>) -> QueueFace {
        QueueFace { pair, namespace, sgl, list, tail: 0, head: 0, told: 0 }
    }

    fn ring(&self, address: u64, place: u64, plan: &mut VecDeque<Ask>) {
        let data = Box::new((place as u32 % self.pair.entries).to_le_bytes());
        plan.push_back(Ask::Store { address, data });
    }
}

impl Face for QueueFace {
    fn give(&mut self, identifier: u64, transfer: Transfer, memory: &mut HostMemory, plan: &mut VecDeque<Ask>) {
        let Transfer { reads, at, bytes, address } = transfer;
        let second = self.list.map_or(address + PAGE_BYTES, |list| list.base);
        let submission = Submission {
            reads,
            identifier: identifier as u16,
            namespace: self.namespace,
            sgl: self.sgl,
            prp: [address, second],
            at,
            bytes,
        };
        let (at, entry) = (self.pair.submissions().at(self.tail), submission.encode());
        match self.pair.in_drive {
            true => plan.push_back(Ask::Store { address: at, data: Box::new(entry) }),
            false => memory.write(at, &entry),
        }
        self.tail += 1;
        self.ring(self.pair.doorbell, self.tail, plan);
    }

    fn ended(&mut self, _: &Seen, memory: &HostMemory, _: &mut VecDeque<Ask>) -> Option<Ended> {
        let ring = self.pair.completions();
        let entry = Completion::decode(memory.word(ring.at(self.head) + 8));
        if entry.phase != ring.phase(self.head) {
            return None;
        }
        self.head += 1;
        Some(Ended { identifier: u64::from(entry.identifier), failed: entry.status != 0 })
    }

    fn tell(&mut self, plan: &mut VecDeque<Ask>) {
        if self.told != self.head {
            self.told = self.head;
            self.ring(self.pair.doorbell + DOORBELL_BYTES, self.head, plan);
        }
    }

    fn woken(&mut self) {}
}
