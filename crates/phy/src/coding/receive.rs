//! The receiver: from what arrives on the lanes to packets, ordered sets, and what was wrong.
//!
//! It finds everything by itself: where symbols and blocks begin, which lanes are inverted, their order, and how far they
//! arrive apart. It delivers a TLP where its LCRC fits and a DLLP where its CRC fits, and nothing else.

mod blocks;
mod codes;
mod ends;
mod frames;
mod tokens;

use crate::coding::event::Receiver;
use crate::coding::stream::{Lanes, Stream};

/// Receives all of `stream`.
pub fn receive(stream: &Stream, to: &mut dyn Receiver) {
    match &stream.lanes {
        Lanes::Codes(rows) => codes::receive(rows, stream.width(), to),
        Lanes::Bits(lanes) => blocks::receive(lanes, stream.speed.generation, to),
    }
}
