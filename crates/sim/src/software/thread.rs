//! Software of a foreign kind on a CPU: a thread that stores to and loads from registers, reads and writes memory,
//! takes CPU time and waits for the card.

use crate::engine::answer::{RequestOf, request};
use crate::engine::tlp::{Held, Use};
use crate::link::exit::Exit;
use crate::link::fabric::Fabric;
use crate::software::store::HostMemory;
use pcie::{Bdf, Time};
use system::Wait;

/// Software on a host: asked for its next step when the one before is over.
pub trait Driver {
    /// What the thread does next. `seen` is what its last step gave; `memory` is read and written at once: what
    /// that costs is the driver's to ask for.
    fn next(&mut self, seen: Seen, memory: &mut HostMemory) -> Ask;
    /// True where the card sends interrupts beside what it writes into memory. Where it does not, a write that tells of the
    /// end stands for its interrupt too.
    fn is_interrupted(&self) -> bool {
        true
    }
}

/// What a step gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It is over.
    Done,
    /// What a load read.
    Loaded(Box<[u8]>),
}

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// CPU time.
    Spend(Time),
    /// Waits for its turn where threads go one after another, and has it for so long: the thread goes on when that begins,
    /// and what it does then is its to ask for.
    Turn(Time),
    /// A store to a register: posted, the thread goes on at once.
    Store {
        /// Where to.
        address: u64,
        /// Little endian.
        data: Box<[u8]>,
    },
    /// A store of so many bytes that starts a command: posted, the thread goes on at once.
    Ring {
        /// Where to.
        address: u64,
        /// How many.
        bytes: u64,
    },
    /// A load from a register: the thread waits for the completion.
    Load {
        /// Where from.
        address: u64,
        /// 1 to 8.
        bytes: u64,
    },
    /// Sleeps until the card has told something that this thread has not seen yet: an interrupt, or where the host
    /// polls, a record in memory.
    Sleep,
    /// A latency of the thread's flow that it has read off the card.
    Timed(Time),
    /// Nothing more: the card drives itself, and tells the end by itself.
    Leave,
    /// The application has its end; `wrong` bytes of its memory were not as they should be.
    End {
        /// How many.
        wrong: u64,
    },
}

/// A thread with its driver.
pub(crate) struct Thread {
    pub flow: u32,
    /// The root port's direction down, and the thread's source there.
    pub direction: u32,
    pub source: u32,
    /// The host's ID.
    pub requester: Bdf,
    /// The host, and the wake-up of this thread.
    pub part: u32,
    pub token: u32,
    pub driver: Box<dyn Driver>,
    asleep: bool,
    told: bool,
}

impl Thread {
    /// The thread of `flow` on the host `part`, whose stores and loads leave at `exit`.
    pub fn new(flow: u32, exit: Exit, (part, token): (u32, u32), driver: Box<dyn Driver>) -> Thread {
        let Exit { direction, source, requester } = exit;
        Thread { flow, direction, source, requester, part, token, driver, asleep: false, told: false }
    }

    /// Goes on until the thread waits for something.
    pub fn step(&mut self, fabric: &mut Fabric, memory: &mut HostMemory, bus_free: &mut Time, mut seen: Seen) {
        loop {
            match self.driver.next(seen, memory) {
                Ask::Spend(time) => return self.resume_at(fabric, fabric.now + time),
                Ask::Turn(time) => {
                    let begins = (*bus_free).max(fabric.now);
                    *bus_free = begins + time;
                    if begins > fabric.now {
                        return self.resume_at(fabric, begins);
                    }
                }
                Ask::Store { address, data } => {
                    let bytes = data.len() as u64;
                    self.access(fabric, Use::Register, address, (bytes, 0), Some(data));
                }
                Ask::Ring { address, bytes } => self.access(fabric, Use::Doorbell, address, (bytes, 0), None),
                Ask::Load { address, bytes } => {
                    return self.access(fabric, Use::Register, address, (0, bytes), None);
                }
                Ask::Sleep if std::mem::take(&mut self.told) => {}
                Ask::Sleep => {
                    self.asleep = true;
                    return;
                }
                Ask::Timed(latency) => fabric.flows.timed(self.flow, latency),
                Ask::Leave => return,
                Ask::End { wrong } => {
                    fabric.flows.accounts[self.flow as usize].wrong += wrong;
                    fabric.flows.ended(self.flow, fabric.now);
                    return;
                }
            }
            seen = Seen::Done;
        }
    }

    /// The card has told something; true where the thread slept and goes on.
    pub fn told(&mut self) -> bool {
        self.told = !self.asleep;
        std::mem::take(&mut self.asleep)
    }

    fn resume_at(&self, fabric: &mut Fabric, at: Time) {
        fabric.wake(self.part, self.token, at);
    }

    /// A store of `bytes`, or a load of what it `asks` for.
    fn access(&self, fabric: &mut Fabric, used: Use, address: u64, (bytes, asks): (u64, u64), data: Option<Box<[u8]>>) {
        let of = RequestOf {
            used,
            flow: self.flow,
            offset: 0,
            requester: self.requester,
            tag: 0,
            born: fabric.now,
            ready: fabric.now,
            held: Held { by: Wait::Software, until: fabric.now, then: Wait::Software },
            notify: false,
        };
        let mut tlp = request(of, address, bytes, asks);
        tlp.data = data;
        fabric.enqueue(self.direction, self.source, tlp);
    }
}
