//! DLLPs: ACK, NAK and UpdateFC.

use crate::credit::Class;

/// Bytes of a DLLP on the wire: framing 2 (SDP and END, or the SDP token), type 1, content 3, CRC 2.
pub const WIRE_BYTES: u64 = 8;

/// A DLLP that a link in steady state sends (Data Link Layer, Data Link Layer Packet Rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dllp {
    /// Acknowledges all TLPs up to this sequence number (12 bits).
    Ack(u16),
    /// Asks for a replay from the TLP after this sequence number.
    Nak(u16),
    /// Credits granted since initialisation: header modulo 256, data modulo 4096, virtual channel 0.
    UpdateFc {
        /// For which class.
        class: Class,
        /// HdrFC, modulo 256.
        header: u8,
        /// DataFC, modulo 4096.
        data: u16,
    },
}

/// Why six bytes are not a valid DLLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DllpError {
    /// The CRC does not match the content.
    #[error("the CRC of the DLLP is {found:#06x}, its content asks for {expected:#06x}")]
    Crc {
        /// The received CRC.
        found: u16,
        /// The computed CRC.
        expected: u16,
    },
    /// A type other than ACK, NAK and UpdateFC of virtual channel 0.
    #[error("DLLP type {0:#04x} is not decoded here")]
    Type(u8),
}

impl Dllp {
    /// The six bytes between the framing symbols: type, content and CRC.
    pub fn encode(self) -> [u8; 6] {
        let [kind, a, b, c] = match self {
            Dllp::Ack(seq) => [0x00, 0, (seq >> 8) as u8 & 0xf, seq as u8],
            Dllp::Nak(seq) => [0x10, 0, (seq >> 8) as u8 & 0xf, seq as u8],
            Dllp::UpdateFc { class, header, data } => {
                let data = data & 0xfff;
                [0x80 | (class as u8) << 4, header >> 2, header << 6 | (data >> 8) as u8, data as u8]
            }
        };
        let crc = crc16([kind, a, b, c]).to_be_bytes();
        [kind, a, b, c, crc[0], crc[1]]
    }

    /// The inverse of [`Dllp::encode`].
    ///
    /// # Errors
    /// The CRC does not match, or the type is not ACK, NAK or UpdateFC of virtual channel 0.
    pub fn decode(bytes: [u8; 6]) -> Result<Dllp, DllpError> {
        let [kind, a, b, c, hi, lo] = bytes;
        let (found, expected) = (u16::from_be_bytes([hi, lo]), crc16([kind, a, b, c]));
        if found != expected {
            return Err(DllpError::Crc { found, expected });
        }
        let sequence = u16::from_be_bytes([b & 0xf, c]);
        match kind {
            0x00 => Ok(Dllp::Ack(sequence)),
            0x10 => Ok(Dllp::Nak(sequence)),
            0x80 | 0x90 | 0xa0 => Ok(Dllp::UpdateFc {
                class: Class::ALL[(kind >> 4 & 3) as usize],
                header: a << 2 | b >> 6,
                data: u16::from_be_bytes([b & 0xf, c]),
            }),
            other => Err(DllpError::Type(other)),
        }
    }
}

/// The 16-bit CRC of a DLLP, over type and content, in the order of its two bytes (Data Link Layer, DLLP CRC): polynomial
/// 100Bh, seed FFFFh, bit 0 of each byte first, complemented.
pub fn crc16(bytes: [u8; 4]) -> u16 {
    let crc = bytes.iter().fold(0xffffu16, |crc, &byte| crc >> 8 ^ CRC_OF_BYTE[((crc ^ byte as u16) & 0xff) as usize]);
    (!crc).swap_bytes()
}

/// What each byte adds to the CRC.
const CRC_OF_BYTE: [u16; 256] = {
    const REFLECTED: u16 = 0x100bu16.reverse_bits();
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u16;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ REFLECTED } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_decodes_to_itself_and_a_flipped_bit_is_seen() {
        let all = [
            Dllp::Ack(0xabc),
            Dllp::Nak(7),
            Dllp::UpdateFc { class: Class::Posted, header: 0xd5, data: 0xfed },
            Dllp::UpdateFc { class: Class::NonPosted, header: 1, data: 0 },
            Dllp::UpdateFc { class: Class::Completion, header: 0, data: 0x800 },
        ];
        for dllp in all {
            let bytes = dllp.encode();
            assert_eq!(Dllp::decode(bytes), Ok(dllp));
            for bit in 0..48 {
                let mut bad = bytes;
                bad[bit / 8] ^= 1 << (bit % 8);
                assert!(matches!(Dllp::decode(bad), Err(DllpError::Crc { .. })), "{dllp:?} bit {bit}");
            }
        }
    }
}
