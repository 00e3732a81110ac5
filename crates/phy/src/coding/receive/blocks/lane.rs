//! One lane at 128b/130b: where its blocks begin, whether it is inverted, which lane of the transmitter it is.

use crate::coding::bits::{BLOCK_BITS, Bits, ORDERED};
use crate::coding::ordered::{self, Set, TS1_SYMBOL, TS2_SYMBOL};
use crate::coding::scrambler::{LONG_SEEDS, Long};
use pcie::Generation;

/// A SKP ordered set: its symbols, and the three behind SKP_END.
pub(super) struct Found {
    pub symbols: usize,
    pub content: Option<[u8; 3]>,
}

pub(super) struct Lane<'a> {
    bits: &'a Bits,
    generation: Generation,
    /// The bit at which the next block begins.
    pub at: usize,
    invert: u128,
    /// By seed, the register of the scrambler, until a TS tells which it is.
    registers: [u32; 8],
    pub register: u32,
    pub number: u8,
    pub parity: u128,
    /// The ordered sets of its training, from the last EIEOS before the first TS on.
    pub told: Vec<Set>,
}

impl<'a> Lane<'a> {
    pub fn new(bits: &'a Bits, generation: Generation) -> Lane<'a> {
        Lane {
            bits,
            generation,
            at: 0,
            invert: 0,
            registers: LONG_SEEDS,
            register: 0,
            number: 0,
            parity: 0,
            told: Vec::new(),
        }
    }

    /// Nothing is left.
    pub fn exhaust(&mut self) {
        self.at = self.bits.len();
    }

    /// Sync header and payload of the next block.
    #[inline(always)]
    pub fn block(&self) -> Option<(u8, u128)> {
        let (header, payload) = self.bits.block(self.at)?;
        Some((header ^ (self.invert as u8 & 3), payload ^ self.invert))
    }

    /// Goes to the first block of the next data stream; false where there is none.
    pub fn train(&mut self) -> bool {
        self.told.clear();
        let mut known = false;
        while self.find_eieos() {
            if !known {
                self.told.clear();
            }
            while let Some((header, payload)) = self.block() {
                let set = ordered::of_block(payload as u8, self.generation).filter(|_| header == ORDERED);
                let Some(set) = set else { break };
                match set {
                    Set::Skp => {
                        if self.skp().is_none() {
                            break;
                        }
                    }
                    _ => self.at += BLOCK_BITS,
                }
                self.told.push(set);
                match set {
                    Set::Eieos => self.registers = LONG_SEEDS,
                    Set::Skp => {}
                    Set::Ts1 | Set::Ts2 => known |= self.training(payload),
                    _ => self.step(),
                }
                if set == Set::Sds && known {
                    self.parity = 0;
                    self.register = self.registers[usize::from(self.number % 8)];
                    return true;
                }
            }
            (known, self.at) = (false, self.at + 1);
        }
        false
    }

    fn step(&mut self) {
        for register in &mut self.registers {
            *register = Long::default().block(*register).0;
        }
    }

    /// Reads a TS1 or TS2; true where one of the seeds gives one.
    fn training(&mut self, payload: u128) -> bool {
        let reads = |&register: &u32| {
            let symbols = (payload ^ Long::default().block(register).1).to_le_bytes();
            let id = symbols[10..14].iter().all(|&symbol| symbol == symbols[10]);
            (id && matches!(symbols[10], TS1_SYMBOL | TS2_SYMBOL)).then_some(symbols[2])
        };
        let seed = self.registers.iter().enumerate().find_map(|(seed, register)| Some((seed, reads(register)?)));
        self.step();
        let Some((seed, number)) = seed.filter(|&(seed, number)| usize::from(number % 8) == seed) else {
            return false;
        };
        self.number = number;
        self.register = self.registers[seed];
        true
    }

    /// Goes to the next EIEOS, inverted or not.
    fn find_eieos(&mut self) -> bool {
        let eieos = u128::from_le_bytes(ordered::eieos(self.generation));
        let begin = (eieos << 2) as u64 | u64::from(ORDERED);
        while self.at + BLOCK_BITS <= self.bits.len() {
            let word = self.bits.word(self.at);
            if word == begin || word == !begin {
                self.invert = if word == begin { 0 } else { u128::MAX };
                if self.block() == Some((ORDERED, eieos)) {
                    return true;
                }
            }
            self.at += 1;
        }
        self.exhaust();
        false
    }

    /// Reads a SKP ordered set of 8 to 24 symbols and goes behind it; `None` where it does not end.
    pub fn skp(&mut self) -> Option<Found> {
        for symbols in (8..=24).step_by(4) {
            let end = self.at + 2 + 8 * symbols;
            if end > self.bits.len() {
                return None;
            }
            let last = (self.bits.word(end - 32) as u32 ^ self.invert as u32).to_le_bytes();
            match last[0] {
                ordered::SKP_END => {
                    self.at = end;
                    return Some(Found { symbols, content: Some([last[1], last[2], last[3]]) });
                }
                ordered::SKP_END_CTL => {
                    self.at = end;
                    return Some(Found { symbols, content: None });
                }
                _ => {}
            }
        }
        None
    }
}
