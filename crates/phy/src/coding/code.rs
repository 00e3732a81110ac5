//! 8b/10b: the code of A. X. Widmer and P. A. Franaszek, "A DC-Balanced, Partitioned-Block, 8B/10B Transmission Code" (IBM
//! Journal of Research and Development 27, 1983; US patent 4,486,739).
//!
//! A symbol is nine bits: a byte, and K for a control symbol. A code is ten bits; bit 0 is the first on the wire.

/// The K bit of a symbol.
pub const K: u16 = 0x100;

/// COM, K28.5: starts an ordered set.
pub const COM: u16 = K | 0xbc;
/// STP, K27.7: starts a TLP.
pub const STP: u16 = K | 0xfb;
/// SDP, K28.2: starts a DLLP.
pub const SDP: u16 = K | 0x5c;
/// END, K29.7: ends a TLP or a DLLP.
pub const END: u16 = K | 0xfd;
/// EDB, K30.7: ends a nullified TLP.
pub const EDB: u16 = K | 0xfe;
/// PAD, K23.7: fills lanes behind the end of a packet, and unassigned numbers in TS1 and TS2.
pub const PAD: u16 = K | 0xf7;
/// SKP, K28.0.
pub const SKP: u16 = K | 0x1c;
/// FTS, K28.1.
pub const FTS: u16 = K | 0x3c;
/// IDL, K28.3: electrical idle.
pub const IDL: u16 = K | 0x7c;
/// EIE, K28.7: exit from electrical idle.
pub const EIE: u16 = K | 0xfc;

/// The twelve control symbols.
pub const CONTROLS: [u16; 12] = [0x11c, 0x13c, 0x15c, 0x17c, 0x19c, 0x1bc, 0x1dc, 0x1fc, 0x1f7, 0x1fb, 0x1fd, 0x1fe];

/// Six bits `abcdei` for each value of five, as they follow negative running disparity; `a` is the highest bit.
const SIX: [u8; 32] = [
    0b100111, 0b011101, 0b101101, 0b110001, 0b110101, 0b101001, 0b011001, 0b111000, 0b111001, 0b100101, 0b010101,
    0b110100, 0b001101, 0b101100, 0b011100, 0b010111, 0b011011, 0b100011, 0b010011, 0b110010, 0b001011, 0b101010,
    0b011010, 0b111010, 0b110011, 0b100110, 0b010110, 0b110110, 0b001110, 0b101110, 0b011110, 0b101011,
];
/// The six bits of K28.
const SIX_K28: u8 = 0b001111;
/// Four bits `fghj` for each value of three in data, after negative running disparity; `f` is the highest bit.
const FOUR: [u8; 8] = [0b1011, 0b1001, 0b0101, 0b1100, 0b1101, 0b1010, 0b0110, 0b1110];
/// The other four bits of 7, which avoid runs of five with the six bits before them.
const FOUR_A7: u8 = 0b0111;
/// The same in K28, whose balanced ones alternate too.
const FOUR_K: [u8; 8] = [0b1011, 0b0110, 0b1010, 0b1100, 0b1101, 0b0101, 0b1001, 0b0111];

/// The ten bits of a symbol that follows a running disparity, and whether the disparity then changes.
const fn code(symbol: u16, positive: bool) -> (u16, bool) {
    let (byte, control) = (symbol as u8, symbol & K != 0);
    let (five, three) = ((byte & 31) as usize, (byte >> 5) as usize);
    let k28 = control && five == 28;
    let six = if k28 { SIX_K28 } else { SIX[five] };
    let unbalanced = six.count_ones() != 3;
    let six = if positive && (unbalanced || five == 7) { !six & 0x3f } else { six };
    let after = positive != unbalanced;
    let alternate = match (control, after) {
        (true, _) => true,
        (false, false) => matches!(five, 17 | 18 | 20),
        (false, true) => matches!(five, 11 | 13 | 14),
    };
    let four = match (k28, three) {
        (true, _) => FOUR_K[three],
        (false, 7) if alternate => FOUR_A7,
        _ => FOUR[three],
    };
    let tilts = four.count_ones() != 2;
    let turns = tilts || three == 3 || k28;
    let four = if after && turns { !four & 0xf } else { four };
    let bits = (six as u16) << 4 | four as u16;
    (bits.reverse_bits() >> 6, unbalanced != tilts)
}

const fn is_control(symbol: u16) -> bool {
    let mut n = 0;
    while n < CONTROLS.len() {
        if CONTROLS[n] == symbol {
            return true;
        }
        n += 1;
    }
    false
}

/// By symbol: the code after negative disparity, that after positive disparity from bit 10 on, and in bit 20 whether the
/// disparity changes. Zero where there is no such symbol.
pub(crate) static CODES: [u32; 512] = {
    let mut table = [0; 512];
    let mut symbol = 0;
    while symbol < 512 {
        if symbol < K || is_control(symbol) {
            let ((negative, turns), (positive, _)) = (code(symbol, false), code(symbol, true));
            table[symbol as usize] = negative as u32 | (positive as u32) << 10 | (turns as u32) << 20;
        }
        symbol += 1;
    }
    table
};

/// No code: see [`SYMBOLS`].
pub(crate) const VIOLATION: u16 = 1 << 9;
/// The code does not follow negative disparity; the next bit: positive.
pub(crate) const NOT_NEGATIVE: u16 = 1 << 10;
/// After this code the disparity is that before it.
pub(crate) const KEEPS: u16 = 1 << 12;
/// After this code the disparity is positive.
pub(crate) const POSITIVE: u16 = 1 << 13;

/// By code: the symbol, and the flags above.
pub(crate) static SYMBOLS: [u16; 1024] = {
    let mut table = [VIOLATION; 1024];
    let mut symbol = 0u16;
    while symbol < 512 {
        let entry = CODES[symbol as usize];
        if entry != 0 {
            let (negative, positive) = ((entry & 0x3ff) as usize, (entry >> 10 & 0x3ff) as usize);
            if negative == positive {
                table[negative] = symbol;
            } else {
                table[negative] = symbol | NOT_NEGATIVE << 1;
                table[positive] = symbol | NOT_NEGATIVE;
            }
        }
        symbol += 1;
    }
    let mut code = 0;
    while code < 1024 {
        let ones = (code as u16).count_ones();
        table[code] |= match ones {
            5 => KEEPS,
            6.. => POSITIVE,
            _ => 0,
        };
        code += 1;
    }
    table
};

/// The running disparity of a transmitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Disparity {
    positive: bool,
}

impl Disparity {
    /// Negative, as a transmitter may begin, or positive.
    pub const fn new(positive: bool) -> Disparity {
        Disparity { positive }
    }

    /// True where more ones than zeros were sent.
    pub const fn is_positive(self) -> bool {
        self.positive
    }

    /// The code of `symbol`; `None` for a control symbol that does not exist.
    pub fn encode(&mut self, symbol: u16) -> Option<u16> {
        let entry = CODES.get(symbol as usize).copied().filter(|&entry| entry != 0)?;
        let code = entry >> (10 * self.positive as u32) & 0x3ff;
        self.positive ^= entry >> 20 & 1 == 1;
        Some(code as u16)
    }

    /// The symbol of `code`, and whether the code fits the disparity. The disparity is then that which the code leaves, so
    /// that one wrong code is told once.
    ///
    /// # Errors
    /// No symbol has that code.
    pub fn decode(&mut self, code: u16) -> Result<(u16, bool), NoSymbol> {
        let entry = SYMBOLS[(code & 0x3ff) as usize];
        let fits = entry & NOT_NEGATIVE << self.positive as u16 == 0;
        self.positive = entry & POSITIVE != 0 || (self.positive && entry & KEEPS != 0);
        if entry & VIOLATION != 0 { Err(NoSymbol) } else { Ok((entry & 0x1ff, fits)) }
    }
}

/// Ten bits that no symbol has: a code violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no symbol has this code")]
pub struct NoSymbol;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_every_symbol_come_back_in_both_disparities_and_no_other_code_exist() {
        let mut seen = vec![false; 2048];
        for symbol in (0..256).chain(CONTROLS) {
            for positive in [false, true] {
                let (mut out, mut back) = (Disparity::new(positive), Disparity::new(positive));
                let code = out.encode(symbol).unwrap();
                assert_eq!(back.decode(code), Ok((symbol, true)), "{symbol:#x} {positive}");
                assert_eq!(out, back);
                seen[code as usize * 2 + positive as usize] = true;
            }
        }
        for code in 0..1024u16 {
            for positive in [false, true] {
                let fits = matches!(Disparity::new(positive).decode(code), Ok((_, true)));
                assert_eq!(fits, seen[code as usize * 2 + positive as usize], "{code:#05x}");
            }
        }
        assert!(Disparity::default().encode(K | 1).is_none());
    }

    #[test]
    fn is_com_the_published_comma() {
        // K28.5 is 0011111010 after negative disparity, first bit first.
        assert_eq!(Disparity::default().encode(COM), Some(0b0101111100));
        assert_eq!(Disparity::new(true).encode(COM), Some(0b1010000011));
    }

    #[test]
    fn is_never_more_sent_of_one_bit_than_the_disparity_says() {
        let (mut disparity, mut sum) = (Disparity::default(), -1i32);
        for n in 0..10_000u32 {
            let code = disparity.encode((n.wrapping_mul(2_654_435_761) >> 24) as u16).unwrap();
            sum += 2 * code.count_ones() as i32 - 10;
            assert_eq!(sum, if disparity.is_positive() { 1 } else { -1 });
        }
    }
}
