//! The framing tokens of 128b/130b.
//!
//! The check bits of STP are a polynomial and a parity that nobody prints freely (assumed). One value is public and
//! independent of how they are computed: EDS, `1F 80 90 00`, is an STP of one double word with sequence number 0.

/// Logical idle.
pub const IDL: u8 = 0x00;
/// The first two bytes of a DLLP.
pub const SDP: [u8; 2] = [0xf0, 0xac];
/// The last double word of a data stream before an ordered set.
pub const EDS: [u8; pcie::timing::EDS_BYTES as usize] = [0x1f, 0x80, 0x90, 0x00];
/// After the LCRC of a nullified TLP.
pub const EDB: [u8; 4] = [0xc0; 4];

/// The low nibble of the first byte of STP and EDS.
const START: u8 = 0xf;
/// Bits of the length.
const LENGTH_BITS: u32 = 11;
/// Double words of the longest TLP: token, header, 4096 bytes, digest, LCRC.
pub const MAX_LENGTH: u16 = 1 + 4 + 1024 + 1 + 1;
/// Double words of the shortest: token, three of header, LCRC.
pub const MIN_LENGTH: u16 = 1 + 3 + 1;

/// The four check bits of a length: x^4 + x + 1, bit 0 of the length first (assumed; EDS agrees).
pub const fn length_crc(length: u16) -> u8 {
    const TAPS: u8 = 0b0011;
    let (mut crc, mut bit) = (0u8, 0);
    while bit < LENGTH_BITS {
        let high = crc >> 3 ^ (length >> bit) as u8;
        crc = crc << 1 & 0xf ^ if high & 1 == 1 { TAPS } else { 0 };
        bit += 1;
    }
    crc
}

/// The parity of a length and its check bits: even over all of them (assumed).
const fn parity(length: u16, crc: u8) -> u8 {
    ((length.count_ones() + crc.count_ones()) & 1) as u8
}

/// The token that starts a TLP of `length` double words, this token and the LCRC included.
pub const fn stp(length: u16, sequence: u16) -> [u8; 4] {
    let crc = length_crc(length);
    [
        START | ((length & 0xf) as u8) << 4,
        (length >> 4 & 0x7f) as u8 | parity(length, crc) << 7,
        (sequence >> 8 & 0xf) as u8 | crc << 4,
        sequence as u8,
    ]
}

/// What four bytes at the place of a token are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A TLP of so many double words, and its sequence number.
    Stp {
        /// Double words, the token and the LCRC included.
        length: u16,
        /// 12 bits.
        sequence: u16,
    },
    /// The end of the data stream.
    Eds,
    /// A DLLP.
    Sdp,
    /// The end of a nullified TLP.
    Edb,
    /// Idle.
    Idle,
}

impl Token {
    /// The token that begins with these bytes; `None` where they are none.
    pub fn read(bytes: [u8; 4]) -> Option<Token> {
        let [a, b, c, d] = bytes;
        if a == IDL {
            return Some(Token::Idle);
        }
        if [a, b] == SDP {
            return Some(Token::Sdp);
        }
        if bytes == EDB {
            return Some(Token::Edb);
        }
        if a & 0xf != START {
            return None;
        }
        let length = (a >> 4) as u16 | (b as u16 & 0x7f) << 4;
        let crc = length_crc(length);
        if c >> 4 != crc || b >> 7 != parity(length, crc) {
            return None;
        }
        let sequence = (c as u16 & 0xf) << 8 | d as u16;
        match length {
            1 if sequence == 0 => Some(Token::Eds),
            MIN_LENGTH..=MAX_LENGTH => Some(Token::Stp { length, sequence }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_eds_the_stp_of_one_double_word() {
        assert_eq!(stp(1, 0), EDS);
        assert_eq!(Token::read(EDS), Some(Token::Eds));
    }

    #[test]
    fn is_every_length_read_and_every_flipped_bit_of_it_seen() {
        for length in MIN_LENGTH..=MAX_LENGTH {
            let good = stp(length, 0xabc);
            assert_eq!(Token::read(good), Some(Token::Stp { length, sequence: 0xabc }));
            let others = (0..16).chain(20..24).flat_map(|a| (0..a).map(move |b| (a, b)));
            for (a, b) in others.chain((0..16).map(|a| (a, a))) {
                let mut bad = good;
                bad[a / 8] ^= 1 << (a % 8);
                if a != b {
                    bad[b / 8] ^= 1 << (b % 8);
                }
                if !(16..20).contains(&b) {
                    assert!(!matches!(Token::read(bad), Some(Token::Stp { .. })), "{length} {a} {b}");
                }
            }
        }
    }
}
