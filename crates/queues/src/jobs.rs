//! The software of devices with queues: jobs, each of which keeps a number of blocks in flight until all blocks of its flow have
//! ended. Blocks that are in flight then are left alone: as long as a flow lasts, its queues are as deep as its work says.
//!
//! How commands are given and their ends seen is that of a controller ([`Face`]); which blocks, and when, is here.

use pcie::Time;
use sim::{Ask, Driver, HostMemory, Seen};
use std::collections::VecDeque;
use system::{Flow, Scenario, Window, Work};

/// Data of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// True where it is read from the device.
    pub reads: bool,
    /// First byte on the device.
    pub at: u64,
    /// Bytes to move.
    pub bytes: u64,
    /// Where in host memory.
    pub address: u64,
}

/// A command that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its identifier.
    pub identifier: u64,
    /// True where it has failed, and what it should have moved has not moved.
    pub failed: bool,
}

/// How the software of one job gives commands to its controller and learns of their ends.
pub trait Face {
    /// Gives a command: writes it to memory and adds what tells the controller to the plan. Identifiers are those of
    /// commands that are not in flight.
    fn give(&mut self, identifier: u64, transfer: Transfer, memory: &mut HostMemory, plan: &mut VecDeque<Ask>);
    /// The next command that has ended. `None` where there is none, or where it has added steps to the
    /// plan that have to be taken to know; `seen` is what the last step gave.
    fn ended(&mut self, seen: &Seen, memory: &HostMemory, plan: &mut VecDeque<Ask>) -> Option<Ended>;
    /// Adds what tells the controller that ends have been seen to the plan.
    fn tell(&mut self, plan: &mut VecDeque<Ask>);
    /// The thread has slept and was woken.
    fn woken(&mut self);
}

/// The flows of a job, as numbers in the scenario. One and the same, but where the job mixes reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flows {
    /// That of the blocks that are read.
    pub reads: u32,
    /// That of the blocks that are written.
    pub writes: u32,
}

impl Flows {
    /// The flows of the jobs of flow `number`. `None` where these are the jobs of the flow that it is mixed with.
    pub fn of_jobs(scenario: &Scenario, number: usize) -> Option<Flows> {
        let flow = scenario.flows.get(number).filter(|flow| flow.has_own_jobs())?;
        Some(Flows { reads: number as u32, writes: flow.mixed_with.unwrap_or(number) as u32 })
    }

    /// The flow of a block that is read, or written.
    pub fn of(self, reads: bool) -> u32 {
        if reads { self.reads } else { self.writes }
    }

    /// Each flow once.
    pub fn each(self) -> impl Iterator<Item = u32> {
        [Some(self.reads), (self.writes != self.reads).then_some(self.writes)].into_iter().flatten()
    }
}

/// How many blocks a flow has, with its number.
pub fn blocks_of((number, flow): (usize, &Flow)) -> (u32, u64) {
    (number as u32, flow.commands())
}

/// The blocks of one job.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// Their flows.
    pub flows: Flows,
    /// True where they are read from the device, if they are not mixed.
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
    /// The work of their flows, of which this job does the blocks `first`, `first + jobs` and so on.
    pub work: Work,
    /// See [`Blocks::work`].
    pub first: u64,
    /// CPU time of a block before its doorbell, and after its completion.
    pub costs: (Time, Time),
}

/// Bytes of host memory for the data of one job; longer ones use it repeatedly.
const MOST_BYTES: u64 = 16 << 20;

impl Blocks {
    /// True where block number `given` of the job is read.
    fn reads(&self, given: u64) -> bool {
        if self.flows.reads == self.flows.writes { self.reads } else { self.work.reads(given) }
    }

    /// Bytes of memory for the blocks in flight of `depth`, each `stride` after the one before.
    pub fn memory_bytes(depth: u64, stride: u64) -> u64 {
        depth.min((MOST_BYTES / stride.max(1)).max(1)) * stride
    }
}

/// A block in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// When its place was free: from then on it counts.
    since: Time,
    /// Commands of it that have not ended.
    parts: u64,
    flow: u32,
}

/// What a job does when its plan is done.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Looks for the next end.
    Look,
    /// Knows the time: with `true`, the block of this slot has ended; the next one begins there.
    Next(usize, bool),
}

/// One job: a thread.
#[derive(Debug)]
pub struct Job<F> {
    face: F,
    blocks: Blocks,
    slots: Vec<Slot>,
    given: u64,
    plan: VecDeque<Ask>,
    then: Then,
}

impl<F: Face> Job<F> {
    /// A job that gives commands through `face`.
    pub fn new(face: F, blocks: Blocks) -> Job<F> {
        let slots = vec![Slot::default(); blocks.work.depth as usize];
        Job { face, slots, blocks, given: 0, plan: VecDeque::new(), then: Then::Look }
    }

    fn spend(&mut self, time: Time) {
        if time > Time::ZERO {
            self.plan.push_back(Ask::Spend(time));
        }
    }

    /// Gives the commands of the next block.
    fn give(&mut self, slot: usize, memory: &mut HostMemory) {
        let Blocks { flows, bytes, most, parts, stride, first, work, memory: buffer, .. } = self.blocks;
        let reads = self.blocks.reads(self.given);
        let number = first + self.given * work.jobs;
        self.given += 1;
        let address = buffer.base + slot as u64 * stride % buffer.bytes.max(1);
        let at = work.start(bytes, number);
        for part in 0..parts {
            let offset = part * most;
            let bytes = most.min(bytes - offset);
            let transfer = Transfer { reads, at: at + offset, bytes, address: address + offset };
            self.face.give(slot as u64 * parts + part, transfer, memory, &mut self.plan);
        }
        (self.slots[slot].parts, self.slots[slot].flow) = (parts, flows.of(reads));
    }

    /// The slot of the next block that is complete. `None` where there is none, or where the plan has steps to know it.
    fn completed(&mut self, seen: &Seen, memory: &HostMemory) -> Option<usize> {
        while let Some(Ended { identifier, failed }) = self.face.ended(seen, memory, &mut self.plan) {
            let slot = (identifier / self.blocks.parts) as usize;
            let state = self.slots.get_mut(slot)?;
            if failed {
                let Blocks { bytes, most, parts, .. } = self.blocks;
                let bytes = most.min(bytes - identifier % parts * most);
                self.plan.push_back(Ask::Failed { flow: state.flow, bytes });
            }
            state.parts = state.parts.saturating_sub(1);
            if state.parts == 0 {
                return Some(slot);
            }
        }
        None
    }

    /// Fills the plan, which is empty.
    fn go_on(&mut self, seen: &Seen, memory: &mut HostMemory, left: &mut Left) {
        if let (Then::Next(slot, ends), &Seen::Now(now)) = (self.then, seen) {
            self.then = Then::Look;
            let Slot { since, flow, .. } = self.slots[slot];
            if ends && let Some(ended) = left.less(flow) {
                self.plan.push_back(Ask::Timed { flow, latency: now - since });
                if ended {
                    self.plan.push_back(Ask::End { flow, wrong: 0 });
                }
                if left.none(self.blocks.flows) {
                    return;
                }
            }
            self.slots[slot].since = now;
            self.spend(self.blocks.costs.0);
            return self.give(slot, memory);
        }
        if self.given < self.slots.len() as u64 {
            self.then = Then::Next(self.given as usize, false);
            return self.plan.push_back(Ask::Clock);
        }
        if let Some(slot) = self.completed(seen, memory) {
            self.then = Then::Next(slot, true);
            self.spend(self.blocks.costs.1);
            return self.plan.push_back(Ask::Clock);
        }
        if self.plan.is_empty() {
            self.face.tell(&mut self.plan);
        }
        if self.plan.is_empty() {
            self.face.woken();
            self.plan.push_back(Ask::Sleep);
        }
    }
}

/// Blocks that have not ended, by flow.
#[derive(Debug)]
struct Left(Vec<(u32, u64)>);

impl Left {
    /// A block of `flow` has ended: true if it was the last one. `None` where that was before.
    fn less(&mut self, flow: u32) -> Option<bool> {
        let (_, left) = self.0.iter_mut().find(|(of, left)| *of == flow && *left > 0)?;
        *left -= 1;
        Some(*left == 0)
    }

    /// True where all blocks of these flows have ended.
    fn none(&self, flows: Flows) -> bool {
        self.0.iter().all(|&(of, left)| left == 0 || flows.each().all(|flow| flow != of))
    }
}

/// What the first thread does before any job begins.
pub trait Opening {
    /// Its next step; `None` where it is over. `seen` is the result of its last one.
    fn next(&mut self, seen: &Seen, memory: &mut HostMemory) -> Option<Ask>;
}

/// How often other threads look whether it is over.
const LOOKS: Time = Time::from_us(10);

/// All jobs of a controller.
pub struct Jobs<F> {
    jobs: Vec<Job<F>>,
    left: Left,
    opening: Option<Box<dyn Opening>>,
}

impl<F> Jobs<F> {
    /// The software that does these jobs, one in each thread. `left` are the blocks of each flow.
    pub fn new(jobs: Vec<Job<F>>, left: Vec<(u32, u64)>) -> Jobs<F> {
        Jobs { jobs, left: Left(left), opening: None }
    }

    /// The same software, which begins after `opening`.
    pub fn after(self, opening: Option<Box<dyn Opening>>) -> Jobs<F> {
        Jobs { opening, ..self }
    }
}

impl<F: Face> Driver for Jobs<F> {
    fn next(&mut self, thread: u32, seen: Seen, memory: &mut HostMemory) -> Ask {
        if let Some(opening) = &mut self.opening {
            if thread > 0 {
                return Ask::Spend(LOOKS);
            }
            if let Some(ask) = opening.next(&seen, memory) {
                return ask;
            }
            self.opening = None;
        }
        let Some(job) = self.jobs.get_mut(thread as usize) else { return Ask::Leave };
        if job.plan.is_empty() {
            if self.left.none(job.blocks.flows) {
                return Ask::Leave;
            }
            job.go_on(&seen, memory, &mut self.left);
        }
        job.plan.pop_front().unwrap_or(Ask::Leave)
    }
}
