//! The driver of the engine: what a kernel module would do, register by register, for an application that calls read()
//! or write(). `docs/driver.md` describes it.

use crate::registers::{
    CONTROL, Channel, Descriptor, ENABLE, ENTRY_BYTES, IDENTITY, LSCP, MOST_PUSHED, MSIX_TABLE, PUSH, RECORD_BASE,
    RECORDS, RING, RING_BASE, Record, STATE, TAIL, control,
};
use crate::wiring::Memory;
use pcie::Time;
use sim::parts::pattern;
use sim::{Ask, HostMemory, Seen, Thread};
use std::collections::VecDeque;

/// The task of a channel, and the CPU time of its steps.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Which direction.
    pub channel: Channel,
    /// Its flow, and the flow whose bytes it moves.
    pub flow: u32,
    /// See [`Task::flow`].
    pub origin: u32,
    /// Where BAR 0 is.
    pub registers: u64,
    /// Its host memory and its interrupt message. Without a message, the driver polls the records.
    pub memory: Memory,
    /// Bytes of one call, and of all calls.
    pub call: u64,
    /// See [`Task::call`].
    pub volume: u64,
    /// Bytes of one descriptor.
    pub page: u64,
    /// True: descriptors go into a ring in memory. False: into registers, one by one.
    pub ring: bool,
    /// CPU time of a call before the doorbell, and after the end.
    pub command_cost: Time,
    /// See [`Task::command_cost`].
    pub call_cost: Time,
    /// CPU time to write one descriptor into the card, and whether threads do that one after another.
    pub descriptor_cost: Time,
    /// See [`Task::descriptor_cost`].
    pub in_turn: bool,
}

/// The state of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Probe,
    Set,
    Call,
    Push,
    Room,
    Sleep,
    Over,
}

/// log2 of the number of entries of both rings.
const RING_LOG2: u64 = 12;
const RING_ENTRIES: u64 = 1 << RING_LOG2;
/// Clocks after which an incomplete record is written, 10 us at 250 MHz. The application may wait for such a record at
/// the end of a call.
const RECORD_CLOCKS: u64 = 2500;

/// See the module.
#[derive(Debug)]
pub struct PcieDma {
    task: Task,
    phase: Phase,
    plan: VecDeque<Ask>,
    /// Bytes of all calls given to the card so far.
    offset: u64,
    /// Descriptors given to the card, and those known to be done.
    posted: u64,
    done: u64,
    /// Where the present call ends.
    until: u64,
    /// Records seen.
    records: u64,
    failed: bool,
}

impl PcieDma {
    /// Software for `task`.
    pub fn new(task: Task) -> PcieDma {
        PcieDma {
            task,
            phase: Phase::Probe,
            plan: VecDeque::new(),
            offset: 0,
            posted: 0,
            done: 0,
            until: 0,
            records: 0,
            failed: false,
        }
    }

    fn store(&mut self, register: u64, value: u64) {
        let address = self.task.registers + register;
        self.plan.push_back(Ask::Store { address, data: value.to_le_bytes().into() });
    }

    fn load(&mut self, register: u64) {
        self.plan.push_back(Ask::Load { address: self.task.registers + register, bytes: 8 });
    }

    /// Plans the next steps when all planned ones are done.
    fn go_on(&mut self, seen: &Seen, memory: &mut HostMemory) {
        match self.phase {
            Phase::Probe => {
                if self.task.channel == Channel::HostToCard {
                    fill(&self.task, memory);
                }
                self.load(IDENTITY);
                self.phase = Phase::Set;
            }
            Phase::Set => {
                self.failed |= word(seen) as u32 != LSCP;
                self.set();
                self.phase = Phase::Call;
            }
            Phase::Call => self.call(memory),
            Phase::Push => self.push(),
            Phase::Room => {
                self.done = word(seen) >> 32;
                self.phase = Phase::Push;
                self.push();
            }
            Phase::Sleep => self.look(memory),
            Phase::Over => self.plan.push_back(Ask::Leave),
        }
    }

    /// Sets up the channel and enables it.
    fn set(&mut self) {
        let Task { channel, memory, .. } = self.task;
        let (base, vector) = (channel.base(), channel.vector());
        if let Some(message) = memory.message {
            self.store(MSIX_TABLE + 16 * vector, message.address);
            self.store(MSIX_TABLE + 16 * vector + 8, u64::from(message.data));
        }
        self.store(base + RING_BASE, memory.ring.base);
        self.store(base + RECORD_BASE, memory.records.base);
        let bits = ENABLE | RECORDS | if self.task.ring { RING } else { 0 };
        let pages = self.task.call.div_ceil(self.task.page);
        self.store(base + CONTROL, control(bits, RING_LOG2, vector, every(pages), RECORD_CLOCKS));
    }

    /// Starts a call of the application.
    fn call(&mut self, memory: &mut HostMemory) {
        if self.offset == self.task.volume || self.failed {
            self.over(memory);
            return;
        }
        self.plan.push_back(Ask::Spend(self.task.command_cost));
        self.until = self.offset + self.task.call;
        if self.task.ring {
            self.post(memory);
        } else {
            self.phase = Phase::Push;
        }
    }

    /// Writes as many descriptors into the ring as fit, writes the doorbell, and sleeps.
    fn post(&mut self, memory: &mut HostMemory) {
        while self.posted - self.done < RING_ENTRIES - 1
            && let Some(descriptor) = self.next_descriptor()
        {
            let at = self.task.memory.ring.base + (self.posted % RING_ENTRIES) * ENTRY_BYTES;
            for (word, at) in descriptor.words().into_iter().zip([at, at + 8]) {
                memory.write(at, &word.to_le_bytes());
            }
            self.posted += 1;
        }
        self.store(self.task.channel.base() + TAIL, self.posted % RING_ENTRIES);
        self.phase = Phase::Sleep;
        self.plan.push_back(Ask::Sleep);
    }

    /// The descriptor of the next page of the call.
    fn next_descriptor(&mut self) -> Option<Descriptor> {
        let left = self.until - self.offset;
        if left == 0 {
            return None;
        }
        let bytes = left.min(self.task.page);
        let descriptor = Descriptor {
            address: self.task.memory.data.base + self.offset,
            bytes: bytes as u32,
            first: left == self.task.call,
            last: bytes == left,
            interrupt: self.task.memory.message.is_some() && (bytes == left || self.half_a_ring()),
        };
        self.offset += bytes;
        Some(descriptor)
    }

    /// True where the next descriptor ends half of the ring. An interrupt there lets a call longer than the ring
    /// continue while the card works.
    fn half_a_ring(&self) -> bool {
        self.task.ring && (self.posted + 1).is_multiple_of(RING_ENTRIES / 2)
    }

    /// Writes the next descriptor into the card's registers, where its queue has room.
    fn push(&mut self) {
        let base = self.task.channel.base();
        if self.posted - self.done >= MOST_PUSHED && self.offset < self.until {
            self.load(base + STATE);
            self.phase = Phase::Room;
            return;
        }
        let Some(descriptor) = self.next_descriptor() else {
            self.phase = Phase::Sleep;
            self.plan.push_back(Ask::Sleep);
            return;
        };
        let cost = self.task.descriptor_cost;
        if self.task.in_turn {
            self.plan.push_back(Ask::Turn(cost));
        }
        self.plan.push_back(Ask::Spend(cost));
        let [address, rest] = descriptor.words();
        self.store(base + PUSH, address);
        self.store(base + PUSH + 8, rest);
        self.posted += 1;
    }

    /// Reads the new records.
    fn look(&mut self, memory: &mut HostMemory) {
        while let Some(record) = self.next_record(memory) {
            self.records += 1;
            self.done = u64::from(record.done);
            self.failed |= record.cause != 0;
        }
        let half_free = self.posted - self.done <= RING_ENTRIES / 2;
        if self.task.ring && self.offset < self.until && half_free && !self.failed {
            self.post(memory);
            return;
        }
        if self.done < self.posted && !self.failed {
            self.plan.push_back(Ask::Sleep);
            return;
        }
        self.plan.push_back(Ask::Spend(self.task.call_cost));
        self.phase = Phase::Call;
    }

    fn next_record(&self, memory: &HostMemory) -> Option<Record> {
        let at = self.task.memory.records.base + (self.records % RING_ENTRIES) * ENTRY_BYTES;
        let record = Record::of([memory.word(at), memory.word(at + 8)]);
        let round = (self.records / RING_ENTRIES).is_multiple_of(2);
        (record.phase == round).then_some(record)
    }

    /// The application sees the end of the call, and checks its data.
    fn over(&mut self, memory: &mut HostMemory) {
        let wrong = match self.task.channel {
            _ if self.failed => self.task.volume,
            Channel::HostToCard => 0,
            Channel::CardToHost => differing(&self.task, memory),
        };
        self.plan.push_back(Ask::End { flow: self.task.flow, wrong });
        self.phase = Phase::Over;
    }
}

impl Thread for PcieDma {
    fn next(&mut self, seen: Seen, memory: &mut HostMemory) -> Ask {
        loop {
            if let Some(ask) = self.plan.pop_front() {
                return ask;
            }
            self.go_on(&seen, memory);
        }
    }
}

/// The software of a card that drives itself: it only prepares memory.
#[derive(Debug)]
pub struct Prepare {
    /// What the card reads.
    pub reads: Task,
}

impl Thread for Prepare {
    fn next(&mut self, _: Seen, memory: &mut HostMemory) -> Ask {
        fill(&self.reads, memory);
        Ask::Leave
    }
}

/// Descriptors for each record: as many as the register allows, dividing the descriptors of a call.
fn every(pages: u64) -> u64 {
    (1..=255).rev().find(|every| pages.is_multiple_of(*every)).unwrap_or(1)
}

fn fill(task: &Task, memory: &mut HostMemory) {
    let data: Vec<u8> = (0..task.volume).map(|at| pattern(task.origin, at)).collect();
    memory.write(task.memory.data.base, &data);
}

fn differing(task: &Task, memory: &HostMemory) -> u64 {
    let data = memory.bytes(task.memory.data.base, task.volume as usize);
    data.iter().zip(0..).filter(|&(byte, at)| *byte != pattern(task.origin, at)).count() as u64
}

fn word(seen: &Seen) -> u64 {
    match seen {
        Seen::Loaded(data) => data.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
        Seen::Done | Seen::Now(_) => 0,
    }
}
