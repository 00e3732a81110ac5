//! Software of a device on a host: threads that store to and load from registers, read and write memory, take CPU time and
//! wait to be told something.

use crate::software::message::Message;
use crate::software::store::HostMemory;
use pcie::Time;
use system::{PartId, Window};

/// Software of one device on one of its hosts.
pub struct Software {
    /// Where it runs.
    pub host: PartId,
    /// What it does.
    pub driver: Box<dyn Driver>,
    /// Its threads, by number: for which flow (its place in the scenario) the accesses of each are counted.
    pub threads: Vec<u32>,
    /// What tells a thread something: who sleeps goes on, who does not sleeps no next time. A message, and a byte of memory,
    /// tell one thread.
    pub signals: Vec<(Signal, u32)>,
}

/// What tells a thread that its device has done something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// An interrupt, `interrupt_latency` after its message came.
    Message(Message),
    /// A write of the device into this memory that carries no payload of a flow, where the host polls: `poll_interval` after
    /// it is in memory. Where the host is interrupted, and the thread has no message, the write stands for the interrupt.
    Written(Window),
}

/// What the threads of a device do.
pub trait Driver {
    /// What thread `thread` does next. `seen` is what its last step gave; `memory` is read and written at once: what that costs
    /// is the driver's to ask for.
    fn next(&mut self, thread: u32, seen: Seen, memory: &mut HostMemory) -> Ask;
}

/// A thread that shares nothing with the others of its device.
pub trait Thread {
    /// As [`Driver::next`].
    fn next(&mut self, seen: Seen, memory: &mut HostMemory) -> Ask;
}

impl<T: Thread + ?Sized> Thread for Box<T> {
    fn next(&mut self, seen: Seen, memory: &mut HostMemory) -> Ask {
        (**self).next(seen, memory)
    }
}

impl<T: Thread> Driver for Vec<T> {
    fn next(&mut self, thread: u32, seen: Seen, memory: &mut HostMemory) -> Ask {
        self.get_mut(thread as usize).map_or(Ask::Leave, |own| own.next(seen, memory))
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
        /// Little endian; at most Max_Payload_Size of the host.
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
        /// 1 to 8, within 8 that begin at a multiple of 8.
        bytes: u64,
    },
    /// Sleeps until the thread has been told something ([`Signal`]) since it slept last.
    Sleep,
    /// A latency that the thread has read off the device.
    Timed {
        /// Of which flow.
        flow: u32,
        /// How long.
        latency: Time,
    },
    /// The application of a flow has its end; the thread goes on.
    End {
        /// Which.
        flow: u32,
        /// So many bytes of its memory were not as they should be.
        wrong: u64,
    },
    /// Nothing more.
    Leave,
}
