//! The software of drives: jobs, each of which keeps a number of blocks in flight until all blocks of its flow have ended.
//! Blocks that are in flight then are left alone: as long as a flow lasts, its queues are as deep as its work says.

use crate::nvme::entry::{Completion, Submission};
use crate::nvme::queue::QueuePair;
use pcie::Time;
use sim::{Ask, Driver, HostMemory, Seen};
use std::collections::VecDeque;
use system::{Window, Work};

/// The blocks of one job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// True where they are read from the drive.
    pub reads: bool,
    /// Bytes of a block, and of the largest command.
    pub bytes: u64,
    /// See [`Blocks::bytes`].
    pub most: u64,
    /// Commands of a block.
    pub parts: u64,
    /// Memory for data, used repeatedly, and how far apart blocks lie there.
    pub memory: Window,
    /// See [`Blocks::memory`].
    pub stride: u64,
    /// Memory for lists of pages; `None` where no command needs one.
    pub list: Option<Window>,
    /// The flow's work, of which this job does the blocks `first`, `first + jobs` and so on.
    pub work: Work,
    /// See [`Blocks::work`].
    pub first: u64,
}

/// A block in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// When its place was free: from then on it counts.
    since: Time,
    /// Commands of it that have not ended.
    parts: u64,
}

/// What a job does when its plan is done.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Looks for the next completion.
    Look,
    /// Has spent the time of a completion, or none, and knows the time: the block of this slot ends, or one begins.
    Next(usize, bool),
}

/// One job: a thread with a pair of queues.
#[derive(Debug)]
pub(crate) struct Job {
    pair: QueuePair,
    blocks: Blocks,
    /// CPU time of a block before its doorbell, and after its completion.
    costs: (Time, Time),
    slots: Vec<Slot>,
    given: u64,
    /// Places in the queues, which count on.
    tail: u32,
    head: u32,
    /// The head that the drive knows.
    told: u32,
    plan: VecDeque<Ask>,
    then: Then,
}

impl Job {
    /// A job with the queues `pair`.
    pub fn new(pair: QueuePair, blocks: Blocks, costs: (Time, Time)) -> Job {
        Job {
            pair,
            slots: vec![Slot::default(); blocks.work.depth as usize],
            blocks,
            costs,
            given: 0,
            tail: 0,
            head: 0,
            told: 0,
            plan: VecDeque::new(),
            then: Then::Look,
        }
    }

    fn spend(&mut self, time: Time) {
        if time > Time::ZERO {
            self.plan.push_back(Ask::Spend(time));
        }
    }

    /// Writes the entries of the next block into the queue.
    fn give(&mut self, slot: usize, memory: &mut HostMemory) {
        let Blocks { reads, bytes, most, parts, stride, first, work, .. } = self.blocks;
        let number = first + self.given * work.jobs;
        self.given += 1;
        let buffer = self.blocks.memory.base + slot as u64 * stride % self.blocks.memory.bytes.max(1);
        let at = work.start(bytes, number);
        for part in 0..parts {
            let offset = part * most;
            let submission = Submission {
                reads,
                identifier: (slot as u64 * parts + part) as u16,
                prp: [buffer + offset, self.blocks.list.map_or(buffer + offset + 4096, |list| list.base)],
                at: at + offset,
                bytes: most.min(bytes - offset),
            };
            memory.write(self.pair.submission_at(self.tail), &submission.encode());
            self.tail = self.tail.wrapping_add(1);
            self.ring(self.pair.doorbell, self.tail);
        }
        self.slots[slot].parts = parts;
    }

    fn ring(&mut self, address: u64, place: u32) {
        let data = Box::new((place % self.pair.entries).to_le_bytes());
        self.plan.push_back(Ask::Store { address, data });
    }

    /// The slot of the next block that is complete, taking completions up to that.
    fn completed(&mut self, memory: &HostMemory) -> Option<usize> {
        loop {
            let entry = Completion::decode(memory.word(self.pair.completion_at(self.head) + 8));
            let expected = (self.head / self.pair.entries).is_multiple_of(2);
            if entry.phase != expected {
                return None;
            }
            self.head = self.head.wrapping_add(1);
            let slot = (u64::from(entry.identifier) / self.blocks.parts) as usize;
            let state = self.slots.get_mut(slot)?;
            state.parts = state.parts.saturating_sub(1);
            if state.parts == 0 {
                return Some(slot);
            }
        }
    }

    /// Fills the plan, which is empty. `left` are the blocks of the flow that have not ended.
    fn go_on(&mut self, seen: &Seen, memory: &mut HostMemory, left: &mut u64) {
        if let (Then::Next(slot, ends), &Seen::Now(now)) = (self.then, seen) {
            self.then = Then::Look;
            if ends {
                let latency = now - self.slots[slot].since;
                self.plan.push_back(Ask::Timed { flow: self.pair.flow, latency });
                *left -= 1;
                if *left == 0 {
                    return self.plan.push_back(Ask::End { flow: self.pair.flow, wrong: 0 });
                }
            }
            self.slots[slot].since = now;
            self.spend(self.costs.0);
            return self.give(slot, memory);
        }
        if self.given < self.slots.len() as u64 {
            self.then = Then::Next(self.given as usize, false);
            self.plan.push_back(Ask::Clock);
        } else if let Some(slot) = self.completed(memory) {
            self.then = Then::Next(slot, true);
            self.spend(self.costs.1);
            self.plan.push_back(Ask::Clock);
        } else if self.told != self.head {
            self.told = self.head;
            self.ring(self.pair.doorbell + 4, self.head);
        } else {
            self.plan.push_back(Ask::Sleep);
        }
    }
}

/// All jobs of a drive.
#[derive(Debug)]
pub(crate) struct Jobs {
    jobs: Vec<Job>,
    /// Blocks that have not ended, by flow.
    left: Vec<(u32, u64)>,
}

impl Jobs {
    /// The software that does these jobs, one in each thread. `left` are the blocks of each flow.
    pub fn new(jobs: Vec<Job>, left: Vec<(u32, u64)>) -> Jobs {
        Jobs { jobs, left }
    }
}

impl Driver for Jobs {
    fn next(&mut self, thread: u32, seen: Seen, memory: &mut HostMemory) -> Ask {
        let Some(job) = self.jobs.get_mut(thread as usize) else { return Ask::Leave };
        let Some((_, left)) = self.left.iter_mut().find(|(flow, _)| *flow == job.pair.flow) else { return Ask::Leave };
        if job.plan.is_empty() {
            if *left == 0 {
                return Ask::Leave;
            }
            job.go_on(&seen, memory, left);
        }
        job.plan.pop_front().unwrap_or(Ask::Leave)
    }
}
