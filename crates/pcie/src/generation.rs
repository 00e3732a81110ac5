//! Generations: transfer rates and line encodings.

use std::fmt;

/// The line encoding of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// 8b/10b: ten bits for each byte (2.5 and 5 GT/s).
    E8b10b,
    /// 128b/130b: 130 bits for each block of sixteen bytes (8, 16 and 32 GT/s).
    E128b130b,
}

impl Encoding {
    /// Bits before and after the encoding, of one unit: 8 and 10, or 128 and 130.
    pub const fn ratio(self) -> (u64, u64) {
        match self {
            Encoding::E8b10b => (8, 10),
            Encoding::E128b130b => (128, 130),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Encoding::E8b10b => "8b/10b",
            Encoding::E128b130b => "128b/130b",
        })
    }
}

/// A generation of the standard, named by the transfer rate that it introduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// 2.5 GT/s.
    Gen1,
    /// 5 GT/s.
    Gen2,
    /// 8 GT/s.
    Gen3,
    /// 16 GT/s.
    Gen4,
    /// 32 GT/s.
    Gen5,
}

impl Generation {
    /// All of them, slowest first.
    pub const ALL: [Generation; 5] =
        [Generation::Gen1, Generation::Gen2, Generation::Gen3, Generation::Gen4, Generation::Gen5];

    /// 1 to 5.
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }
    /// The generation with that number; `None` outside 1 to 5.
    pub fn from_number(n: u8) -> Option<Generation> {
        Generation::ALL.into_iter().find(|g| g.number() == n)
    }
    /// The unit interval (one bit on one lane), in femtoseconds.
    pub const fn ui_fs(self) -> u64 {
        match self {
            Generation::Gen1 => 400_000,
            Generation::Gen2 => 200_000,
            Generation::Gen3 => 125_000,
            Generation::Gen4 => 62_500,
            Generation::Gen5 => 31_250,
        }
    }
    /// Transfers per second on one lane.
    pub const fn transfers_per_s(self) -> u64 {
        1_000_000_000_000_000 / self.ui_fs()
    }
    /// The line encoding at this rate.
    pub const fn encoding(self) -> Encoding {
        match self {
            Generation::Gen1 | Generation::Gen2 => Encoding::E8b10b,
            _ => Encoding::E128b130b,
        }
    }
    /// The time of one symbol (one byte on one lane, with its share of the encoding) in 1/64 fs: exact for every
    /// generation.
    pub const fn symbol_fs64(self) -> u64 {
        let (bits, wire) = self.encoding().ratio();
        self.ui_fs() * 8 * 64 * wire / bits
    }
    /// The same of a clock that is `ppm` millionths slower, rounded down.
    pub const fn slow_symbol_fs64(self, ppm: u64) -> u64 {
        let nominal = self.symbol_fs64();
        nominal + nominal * ppm / 1_000_000
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("Gen{}", self.number()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_time_is_exact_in_every_generation() {
        for g in Generation::ALL {
            let (bits, wire) = g.encoding().ratio();
            assert_eq!(g.ui_fs() * 8 * 64 * wire % bits, 0, "{g}");
        }
        assert_eq!(Generation::Gen1.symbol_fs64(), 4_000_000 * 64);
        assert_eq!(Generation::Gen4.symbol_fs64(), 507_812 * 64 + 32);
    }
}
