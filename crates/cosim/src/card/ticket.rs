//! What the card knows of the TLPs that it has received and of the requests that it has out.

use pcie::Time;
use sim::parts::{Hold, Label};

/// Kept for a received TLP until the engine has taken it.
#[derive(Debug)]
pub struct Ticket {
    pub hold: Hold,
    pub label: Label,
    pub what: What,
}

/// The type of a received TLP.
#[derive(Clone, Copy, Debug)]
pub enum What {
    Completion { tag: u16, bytes: u64 },
    Read,
    Write,
}

/// A read request of the engine in flight.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub label: Label,
    pub born: Time,
    pub left: u64,
}
