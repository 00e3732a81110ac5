//! Errors that a test can plant in the simulation: see [`pcie::planted`].

pub use pcie::planted::{Planted, is, with};

/// No direction sends SKP ordered sets.
pub const NO_SKP: Planted = Planted("SKP dropped");

/// The header of each TLP with payload is one double word short.
pub const SHORT_HEADER: Planted = Planted("a header DW less");

/// A reader has one tag more than its settings allow. `dma` has the code.
pub const ONE_MORE_TAG: Planted = Planted("one tag more");

/// Of two ACKs only the second is sent; it acknowledges the TLPs of both.
pub const HALF_THE_ACKS: Planted = Planted("an ACK in two not sent");
