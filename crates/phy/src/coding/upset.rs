//! Errors of the line: what a test or a study does to a stream that arrives.

use crate::coding::bits::{BLOCK_BITS, Bits};
use crate::coding::stream::{Lanes, Stream};

/// One error on one lane. Places are symbols of the lane from the beginning of the stream; at 128b/130b, the places of a
/// stream of whole blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upset {
    /// A bit is inverted: bits 0 to 9 of a code, or 0 to 7 of a symbol of a block.
    Flip {
        /// Bit of the symbol.
        bit: usize,
    },
    /// A bit of the sync header of the symbol's block is inverted (128b/130b).
    Header {
        /// 0 or 1.
        bit: usize,
    },
    /// The symbol is lost; the lane is a symbol earlier from here on.
    Lose,
    /// The symbol arrives twice.
    Double,
    /// A bit is lost, so that blocks begin a bit earlier from here on (128b/130b).
    Slip,
    /// The whole block of the symbol is lost (128b/130b).
    LoseBlock,
    /// The whole block of the symbol arrives twice (128b/130b).
    DoubleBlock,
}

impl Upset {
    /// Its name in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Upset::Flip { .. } => "bit flipped",
            Upset::Header { .. } => "sync header bit flipped",
            Upset::Lose => "symbol lost",
            Upset::Double => "symbol doubled",
            Upset::Slip => "bit lost",
            Upset::LoseBlock => "block lost",
            Upset::DoubleBlock => "block doubled",
        }
    }

    /// The stream with this error at symbol `place` of `lane`. Unchanged where there is no such symbol, or no such error in
    /// this coding.
    pub fn strike(self, stream: &Stream, lane: usize, place: usize) -> Stream {
        let mut struck = stream.clone();
        let width = stream.width();
        match &mut struck.lanes {
            Lanes::Codes(rows) => self.strike_codes(rows, width, lane, place),
            Lanes::Bits(lanes) => {
                if let Some(bits) = lanes.get_mut(lane) {
                    *bits = self.strike_bits(bits, place);
                }
            }
        }
        struck
    }

    fn strike_codes(self, rows: &mut [u16], width: usize, lane: usize, place: usize) {
        let times = rows.len() / width;
        if place >= times || lane >= width {
            return;
        }
        let at = |time: usize| time * width + lane;
        match self {
            Upset::Flip { bit } => rows[at(place)] ^= 1 << (bit % 10),
            Upset::Lose => (place..times - 1).for_each(|time| rows[at(time)] = rows[at(time + 1)]),
            Upset::Double => (place + 1..times).rev().for_each(|time| rows[at(time)] = rows[at(time - 1)]),
            Upset::Header { .. } | Upset::Slip | Upset::LoseBlock | Upset::DoubleBlock => {}
        }
    }

    fn strike_bits(self, bits: &Bits, place: usize) -> Bits {
        let block = place / 16 * BLOCK_BITS;
        let symbol = block + 2 + place % 16 * 8;
        let without = |from: usize, count: usize| joined(bits, from, from + count);
        let twice = |from: usize, count: usize| joined(bits, from + count, from);
        match self {
            Upset::Flip { bit } => flipped(bits, symbol + bit % 8),
            Upset::Header { bit } => flipped(bits, block + bit % 2),
            Upset::Lose => without(symbol, 8),
            Upset::Double => twice(symbol, 8),
            Upset::Slip => without(symbol, 1),
            Upset::LoseBlock => without(block, BLOCK_BITS),
            Upset::DoubleBlock => twice(block, BLOCK_BITS),
        }
    }
}

fn flipped(bits: &Bits, at: usize) -> Bits {
    let mut bits = bits.clone();
    bits.flip(at);
    bits
}

/// The bits up to `end`, then those from `begin` on.
fn joined(bits: &Bits, end: usize, begin: usize) -> Bits {
    let mut out = Bits::default();
    out.extend(bits, 0, end);
    out.extend(bits, begin, bits.len());
    out
}
