//! The place of a packet on the wire of a link.

use pcie::Time;

/// The place of a packet on the wire, and the bytes between it and the packet before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub start: Time,
    pub end: Time,
    /// Bytes of idle time.
    pub idle: u64,
    pub skp: u64,
    pub alignment: u64,
}
