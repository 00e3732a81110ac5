//! The software of a device on a host: threads that access registers, read and write memory, spend CPU time, and wait
//! for signals.

use crate::software::message::Message;
use crate::software::store::HostMemory;
use pcie::Time;
use system::{PartId, Window};

/// The software of one device on one of its hosts.
pub struct Software {
    /// The host that runs it.
    pub host: PartId,
    /// Its behaviour.
    pub driver: Box<dyn Driver>,
    /// By thread number: the flow (index in the scenario) that the thread's accesses are counted for.
    pub threads: Vec<u32>,
    /// The signals and the threads that they wake. A signal to a thread that does not sleep makes its next sleep return
    /// at once. No two threads may share a message or a byte of memory.
    pub signals: Vec<(Signal, u32)>,
}

/// An action of the device that wakes a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// An interrupt message, seen `interrupt_latency` after it arrived.
    Message(Message),
    /// A write by the device into this memory, other than payload of a flow. On a host that polls, it is seen
    /// `poll_interval` after it is in memory. On a host with interrupts, it stands for the interrupt of a thread
    /// without a message.
    Written(Window),
}

/// The behaviour of a device's software, as a state machine for each of its threads.
///
/// The host calls [`Driver::next`] for a thread when its last step is over. An implementation may read and write the given
/// memory and keep any state. It may access the BARs of its own device only, must not take more than 2^20 steps of one
/// thread without any time passing, and must report the end of each flow that it drives ([`Ask::End`]). The host ends the
/// run with the name of the device for invalid steps (length, flow, number of steps); it does not check addresses.
pub trait Driver {
    /// The next step of thread `thread`. `seen` is the result of its last step. Accesses to `memory` take effect at
    /// once and take no time: the driver asks for the CPU time that they cost ([`Ask::Spend`]).
    fn next(&mut self, thread: u32, seen: Seen, memory: &mut HostMemory) -> Ask;
}

/// A thread that shares no state with the other threads of its device.
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

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The step has no result.
    Done,
    /// The bytes that a load returned, little-endian.
    Loaded(Box<[u8]>),
    /// The time, to [`Ask::Clock`].
    Now(Time),
}

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Spends CPU time.
    Spend(Time),
    /// Waits for the resource that threads use one after another, and occupies it for this long. The thread continues
    /// when its occupancy begins; to wait for the end, it spends that time itself.
    Turn(Time),
    /// Stores to a register. Posted: the thread continues at once.
    Store {
        /// Target address.
        address: u64,
        /// The data, little-endian; at most Max_Payload_Size of the host.
        data: Box<[u8]>,
    },
    /// A store without contents that starts a command. Posted: the thread continues at once.
    Ring {
        /// Target address.
        address: u64,
        /// Length in bytes.
        bytes: u64,
    },
    /// Loads from a register. The thread waits for the completion.
    Load {
        /// Address.
        address: u64,
        /// 1 to 8 bytes, within an aligned block of 8.
        bytes: u64,
    },
    /// Invalidates the pages of a flow in the IOTLB of the host. The driver asks for the CPU time that it costs.
    Invalidate {
        /// The flow.
        flow: u32,
    },
    /// Reads the clock, which takes no time.
    Clock,
    /// Sleeps until a signal ([`Signal`]) has come since the last sleep.
    Sleep,
    /// Reports a latency that the thread measured.
    Timed {
        /// The flow it is counted for.
        flow: u32,
        /// The latency.
        latency: Time,
    },
    /// Reports a command that ended with an error.
    Failed {
        /// The flow it is counted for.
        flow: u32,
        /// Bytes that it should have moved and has not.
        bytes: u64,
    },
    /// Reports the end of a flow, as the application sees it. The thread continues.
    End {
        /// The flow.
        flow: u32,
        /// How many bytes in its memory were wrong.
        wrong: u64,
    },
    /// The thread ends.
    Leave,
}
