//! What all lanes of one direction carry.

use crate::coding::bits::{BLOCK_BITS, Bits};
use pcie::LinkSpeed;

/// A word of [`Lanes::Codes`] on a lane that carries nothing.
pub const ELECTRICAL_IDLE: u16 = 1 << 15;

/// The lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// 8b/10b: for each symbol time a code of ten bits for each lane, or [`ELECTRICAL_IDLE`].
    Codes(Vec<u16>),
    /// 128b/130b: the bits of each lane.
    Bits(Vec<Bits>),
}

/// A window of one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Generation and width.
    pub speed: LinkSpeed,
    /// Its lanes, lane 0 first.
    pub lanes: Lanes,
}

impl Stream {
    /// How many lanes.
    pub fn width(&self) -> usize {
        self.speed.width.lanes() as usize
    }

    /// Symbols on a lane, of the longest lane; sync headers are none.
    pub fn symbol_times(&self) -> usize {
        match &self.lanes {
            Lanes::Codes(rows) => rows.len() / self.width(),
            Lanes::Bits(lanes) => lanes.iter().map(Bits::len).max().unwrap_or(0) / BLOCK_BITS * 16,
        }
    }
}
