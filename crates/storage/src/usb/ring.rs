//! The rings of a controller in host memory, with the interrupt of its events: where they lie, which both sides know.

use super::params::Interface;
use queues::Ring;
use sim::Message;

/// See the module. Entries are a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rings {
    /// The flow of its transfers.
    pub flow: u32,
    pub interface: Interface,
    /// Pieces of transfers.
    pub pieces: Ring,
    /// Events of an xHCI.
    pub events: Ring,
    /// The doorbell of an xHCI.
    pub doorbell: u64,
    /// The message of its interrupt.
    pub message: Message,
}
