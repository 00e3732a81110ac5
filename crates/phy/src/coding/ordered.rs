//! Ordered sets, one lane at a time.

use crate::coding::code::{COM, EIE, FTS, IDL, K, PAD, SKP};
use pcie::Generation;

/// An ordered set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// Training sequence 1.
    Ts1,
    /// Training sequence 2.
    Ts2,
    /// Clock compensation.
    Skp,
    /// Start of a data stream (128b/130b).
    Sds,
    /// Exit from electrical idle.
    Eieos,
    /// Entry to electrical idle.
    Eios,
    /// Fast training sequence.
    Fts,
}

impl Set {
    /// All.
    pub const ALL: [Set; 7] = [Set::Ts1, Set::Ts2, Set::Skp, Set::Sds, Set::Eieos, Set::Eios, Set::Fts];

    /// As `docs/symbols.md` writes it.
    pub const fn word(self) -> &'static str {
        match self {
            Set::Ts1 => "ts1",
            Set::Ts2 => "ts2",
            Set::Skp => "skp",
            Set::Sds => "sds",
            Set::Eieos => "eieos",
            Set::Eios => "eios",
            Set::Fts => "fts",
        }
    }
}

/// What TS1 and TS2 carry. `None` is PAD: a number not yet assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Training {
    /// The number of the link.
    pub link: Option<u8>,
    /// The number of the lane.
    pub lane: Option<u8>,
    /// FTS ordered sets that the receiver asks for.
    pub fts: u8,
    /// Supported rates: bit 1 is 2.5 GT/s, bit 5 32 GT/s.
    pub rates: u8,
    /// Training control.
    pub control: u8,
}

impl Training {
    /// Lane `lane` of link 0, of a port that supports `generation` and all before it.
    pub const fn of_lane(lane: u8, generation: Generation) -> Training {
        let rates = ((1u16 << (generation.number() + 1)) - 2) as u8;
        Training { link: Some(0), lane: Some(lane), fts: 0xff, rates, control: 0 }
    }
}

/// The identifier of TS1 at 8b/10b, in symbols 6 to 15, and in symbols 10 to 15 at 128b/130b: D10.2.
pub const TS1_SYMBOL: u8 = 0x4a;
/// That of TS2: D5.2.
pub const TS2_SYMBOL: u8 = 0x45;

/// Symbols of TS1 and TS2.
pub const TS_SYMBOLS: usize = 16;

/// The symbols of an ordered set at 8b/10b; SDS does not exist there and has none.
pub fn symbols(set: Set, training: Training) -> Vec<u16> {
    match set {
        Set::Ts1 | Set::Ts2 => {
            let number = |n: Option<u8>| n.map_or(PAD, u16::from);
            let Training { link, lane, fts, rates, control } = training;
            let head = [COM, number(link), number(lane), fts.into(), rates.into(), control.into()];
            let id = if set == Set::Ts1 { TS1_SYMBOL } else { TS2_SYMBOL };
            head.into_iter().chain([id.into(); TS_SYMBOLS - 6]).collect()
        }
        Set::Skp => vec![COM, SKP, SKP, SKP],
        Set::Eios => vec![COM, IDL, IDL, IDL],
        Set::Fts => vec![COM, FTS, FTS, FTS],
        Set::Eieos => std::iter::once(COM).chain([EIE; 14]).chain([u16::from(TS1_SYMBOL)]).collect(),
        Set::Sds => Vec::new(),
    }
}

/// The first symbol of a SKP ordered set at 128b/130b; 99h from 32 GT/s on.
pub const fn skp_symbol(generation: Generation) -> u8 {
    if matches!(generation, Generation::Gen5) { 0x99 } else { 0xaa }
}

/// SKP_END: the last four symbols of a SKP ordered set begin with it.
pub const SKP_END: u8 = 0xe1;
/// SKP_END_CTL: those of a control SKP ordered set (16 GT/s and more) begin with it.
pub const SKP_END_CTL: u8 = 0x78;

/// The last three symbols of a SKP ordered set behind a data block: the parity of the data since the last one, and the
/// register of the scrambler.
pub const fn skp_content(parity: bool, register: u32) -> [u8; 3] {
    [(parity as u8) << 7 | (register >> 16) as u8 & 0x7f, (register >> 8) as u8, register as u8]
}

/// A SKP ordered set of 16 symbols. Behind an ordered set, `parity` is the highest bit of the register, inverted.
pub fn skp_block(generation: Generation, parity: bool, register: u32) -> [u8; 16] {
    let mut block = [skp_symbol(generation); 16];
    block[12] = SKP_END;
    block[13..].copy_from_slice(&skp_content(parity, register));
    block
}

/// The first symbol of EIEOS is 00h and its period in symbols is this many times two.
const fn eieos_run(generation: Generation) -> usize {
    match generation {
        Generation::Gen5 => 4,
        Generation::Gen4 => 2,
        _ => 1,
    }
}

/// EIEOS at 128b/130b.
pub fn eieos(generation: Generation) -> [u8; 16] {
    std::array::from_fn(|n| if (n / eieos_run(generation)).is_multiple_of(2) { 0x00 } else { 0xff })
}

/// The sixteen symbols of an ordered set at 128b/130b before scrambling; those of SKP depend on the scrambler and are
/// [`skp_block`]. Of FTS only the first is known.
pub fn block(set: Set, training: Training, generation: Generation) -> Option<[u8; 16]> {
    let block = match set {
        Set::Ts1 | Set::Ts2 => {
            let number = |n: Option<u8>| n.unwrap_or(PAD as u8 & !(K as u8));
            let (first, id) = if set == Set::Ts1 { (0x1e, TS1_SYMBOL) } else { (0x2d, TS2_SYMBOL) };
            let Training { link, lane, fts, rates, control } = training;
            let mut block = [id; 16];
            block[..10].copy_from_slice(&[first, number(link), number(lane), fts, rates, control, 0, 0, 0, 0]);
            block
        }
        Set::Sds => {
            let mut block = [if generation == Generation::Gen5 { 0x87 } else { 0x55 }; 16];
            block[0] = 0xe1;
            block
        }
        Set::Eieos => eieos(generation),
        Set::Eios => [0x66; 16],
        Set::Fts => return None,
        Set::Skp => skp_block(generation, true, 0),
    };
    Some(block)
}

/// What a block with the sync header of ordered sets is, by its first symbol.
pub fn of_block(first: u8, generation: Generation) -> Option<Set> {
    Some(match first {
        0x1e => Set::Ts1,
        0x2d => Set::Ts2,
        0xe1 => Set::Sds,
        0x00 => Set::Eieos,
        0x66 => Set::Eios,
        0x55 => Set::Fts,
        _ if first == skp_symbol(generation) => Set::Skp,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::scrambler::long_seed;

    #[test]
    fn does_a_skp_carry_the_register_as_another_core_sends_it() {
        // An open Gen3 transmitter prints the last four symbols of the SKP behind its first EIEOS, on lane 0: E1 9D BF BC.
        let register = long_seed(0);
        let block = skp_block(Generation::Gen3, register >> 22 == 0, register);
        assert_eq!(block[12..], [0xe1, 0x9d, 0xbf, 0xbc]);
    }

    #[test]
    fn is_each_block_known_by_its_first_symbol() {
        for generation in [Generation::Gen3, Generation::Gen4, Generation::Gen5] {
            for set in Set::ALL {
                let block = block(set, Training::of_lane(3, generation), generation);
                let Some([first, ..]) = block else { continue };
                assert_eq!(of_block(first, generation), Some(set), "{generation} {set:?}");
            }
        }
    }
}
