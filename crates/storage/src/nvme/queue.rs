//! A pair of queues: where it lies, which both sides know, and how far the drive is in it.

use super::params::{COMPLETION_BYTES, DOORBELL_BYTES, DOORBELLS, NvmeParams, SUBMISSION_BYTES};
use crate::nvme::entry::Completion;
use queues::{Flows, Moderation, Reader, Ring};
use sim::Message;
use system::Window;

/// The place of a pair of queues. Both have the same number of entries, a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePair {
    /// The flows of its commands.
    pub flows: Flows,
    /// True where its commands take the blocks of the drive in order.
    pub in_order: bool,
    /// True where the submission queue lies in the drive.
    pub in_drive: bool,
    /// True where the commands that create the queues say where they lie. Until then they lie nowhere.
    pub is_found: bool,
    /// The submission queue.
    pub submission: Window,
    /// The completion queue.
    pub completion: Window,
    /// Entries of each.
    pub entries: u32,
    /// The doorbell of the submission queue's tail; that of the completion queue's head follows it.
    pub doorbell: u64,
    /// The message of its interrupt; `None` where its software polls.
    pub message: Option<Message>,
}

impl QueuePair {
    /// Bytes of both queues.
    pub fn bytes(entries: u32) -> (u64, u64) {
        (u64::from(entries) * SUBMISSION_BYTES, u64::from(entries) * COMPLETION_BYTES)
    }

    /// The doorbell of pair `number` of a drive whose registers are at `registers`. Pair 0 is that of the admin queues.
    pub fn doorbell(registers: u64, number: u32) -> u64 {
        registers + DOORBELLS + u64::from(number + 1) * 2 * DOORBELL_BYTES
    }

    /// The pair and the queue of it that `address` is the doorbell of: true for the completion queue.
    pub fn rung(registers: u64, address: u64) -> Option<(usize, bool)> {
        let place = address.checked_sub(registers + DOORBELLS)? / DOORBELL_BYTES;
        Some(((place / 2).checked_sub(1)? as usize, place % 2 == 1))
    }

    /// The submission queue, as a ring.
    pub fn submissions(&self) -> Ring {
        Ring::new(self.submission, u64::from(self.entries), SUBMISSION_BYTES)
    }

    /// The completion queue, as a ring.
    pub fn completions(&self) -> Ring {
        Ring::new(self.completion, u64::from(self.entries), COMPLETION_BYTES)
    }
}

/// How far a drive is in a pair of queues.
#[derive(Debug)]
pub(crate) struct QueueState {
    pub pair: QueuePair,
    /// Its submission queue.
    pub reader: Reader,
    /// Completion entries that it has written.
    pub completed: u64,
    /// Reads of entries in flight.
    pub fetching: u64,
    /// When its software is interrupted.
    pub moderation: Moderation,
    /// The submission queue, where it lies in the drive.
    pub stored: Box<[u8]>,
}

impl QueueState {
    pub fn new(pair: QueuePair, params: &NvmeParams) -> QueueState {
        let stored = if pair.in_drive { pair.submission.bytes } else { 0 };
        QueueState {
            pair,
            reader: Reader::default(),
            completed: 0,
            fetching: 0,
            moderation: Moderation::new(params.coalesced.0, params.coalescing_time),
            stored: vec![0; stored as usize].into_boxed_slice(),
        }
    }

    /// The same queue, which was created anew: nothing has passed it.
    pub fn begin(&mut self, pair: QueuePair) {
        (self.pair, self.reader, self.completed, self.fetching) = (pair, Reader::default(), 0, 0);
    }

    /// Software has stored `data` at `address` of the drive: true where that is an entry of this queue.
    pub fn put(&mut self, address: u64, data: &[u8]) -> bool {
        let at = address.checked_sub(self.pair.submission.base).map(|at| at as usize);
        let Some(place) = at.and_then(|at| self.stored.get_mut(at..at + data.len())) else { return false };
        place.copy_from_slice(data);
        true
    }

    /// The next entry that software has told of, in the memory of the drive.
    pub fn take(&mut self) -> Option<&[u8]> {
        let ring = self.pair.submissions();
        if self.reader.next(&ring, 1) == 0 {
            return None;
        }
        let at = (ring.at(self.reader.ask(1)) - self.pair.submission.base) as usize;
        self.reader.arrive();
        self.stored.get(at..at + SUBMISSION_BYTES as usize)
    }

    /// Software has stored a new tail.
    pub fn rung(&mut self, tail: u32) {
        self.reader.rung(&self.pair.submissions(), u64::from(tail));
    }

    /// The next completion entry, for command `identifier`, and its address.
    pub fn complete(&mut self, number: u16, identifier: u16, status: u8) -> (u64, Box<[u8]>) {
        let ring = self.pair.completions();
        let head = (self.reader.arrived() % ring.entries()) as u16;
        let entry = Completion { head, queue: number + 1, identifier, phase: ring.phase(self.completed), status };
        let address = ring.at(self.completed);
        self.completed += 1;
        (address, Box::new(entry.encode()))
    }
}
