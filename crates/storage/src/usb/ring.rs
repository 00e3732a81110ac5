//! A ring of entries in host memory, with the interrupt of its events: where it lies, which both sides know.

use super::params::{EVENT_BYTES, Interface};
use sim::Message;
use system::Window;

/// See the module. Places count on; entries are a power of two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    /// The flow of its transfers.
    pub flow: u32,
    pub interface: Interface,
    /// Pieces of transfers.
    pub entries: Window,
    pub count: u32,
    /// Events of an xHCI.
    pub events: Window,
    pub event_count: u32,
    /// The doorbell of an xHCI.
    pub doorbell: u64,
    /// The message of its interrupt.
    pub message: Message,
}

impl Ring {
    /// The address of an entry.
    pub fn entry_at(&self, place: u32) -> u64 {
        self.entries.base + u64::from(place % self.count) * self.interface.entry_bytes()
    }

    /// The cycle bit of an entry, which changes with each pass.
    pub fn cycle(&self, place: u32) -> bool {
        (place / self.count).is_multiple_of(2)
    }

    /// The address of an event.
    pub fn event_at(&self, place: u32) -> u64 {
        self.events.base + u64::from(place % self.event_count) * EVENT_BYTES
    }

    /// The cycle bit of an event.
    pub fn event_cycle(&self, place: u32) -> bool {
        (place / self.event_count).is_multiple_of(2)
    }
}
