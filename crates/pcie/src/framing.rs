//! What a link adds to a TLP, and how many bytes the TLP then takes on the link.
//!
//! The [`Shape`] of a TLP is the same on every link. Its size on a link is a function of the shape and of the link's
//! [`Framing`], and is computed here only.

use crate::generation::Encoding;

/// The sequence number that the data link layer gives a TLP (Data Link Layer, Transmission of TLPs).
pub const SEQUENCE_BYTES: u64 = 2;
/// The CRC of the link (Data Link Layer, LCRC).
pub const LCRC_BYTES: u64 = 4;
/// STP or END at 8b/10b (Physical Layer, Framing and Application of Symbols to Lanes).
const SYMBOL_BYTES: u64 = 1;
/// The STP token at 128b/130b, with the sequence number in it (Physical Layer, Framing Tokens).
const STP_TOKEN_BYTES: u64 = 4;
/// The optional end-to-end CRC (Transaction Layer, TLP Digest Rules).
pub const DIGEST_BYTES: u64 = 4;

/// What decides the size of a TLP: its header, its data in whole double words, and its digest if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    header: u32,
    /// Header, data and digest.
    bytes: u32,
}

impl Shape {
    /// A TLP with a header of `header` bytes, followed by `data` bytes padded to double words; no digest.
    pub const fn new(header: u64, data: u64) -> Shape {
        Shape { header: header as u32, bytes: (header + data.next_multiple_of(4)) as u32 }
    }

    /// The same TLP with a digest.
    pub const fn with_digest(self) -> Shape {
        Shape { bytes: self.bytes + DIGEST_BYTES as u32, ..self }
    }

    /// Bytes of the header.
    pub const fn header_bytes(self) -> u64 {
        self.header as u64
    }

    /// Header, data and digest: what the transaction layer gives to the data link layer.
    pub const fn bytes(self) -> u64 {
        self.bytes as u64
    }

    /// Bytes in a replay buffer: the TLP with its sequence number and LCRC.
    pub fn replay_bytes(self) -> u64 {
        #[cfg(feature = "planted")]
        if crate::planted::is(crate::planted::REPLAY_OF_TLP_ONLY) {
            return self.bytes();
        }
        self.bytes() + SEQUENCE_BYTES + LCRC_BYTES
    }
}

/// The LCRC of a TLP with its sequence number, in two bytes with the four high bits zero; its least significant byte is the
/// first on the link. Polynomial, seed and bit order are those of Ethernet's frame check sequence (Data Link Layer, LCRC and
/// Sequence Number Rules; the open DLL of LitePCIe's fork).
pub fn lcrc(sequence: [u8; SEQUENCE_BYTES as usize], tlp: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&sequence);
    hasher.update(tlp);
    hasher.finalize()
}

/// The bytes that a link adds to a TLP, outside FLIT mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    around: u32,
}

impl Framing {
    /// The framing of a link with that encoding.
    pub const fn of(encoding: Encoding) -> Framing {
        let around = match encoding {
            Encoding::E8b10b => SYMBOL_BYTES + SEQUENCE_BYTES + LCRC_BYTES + SYMBOL_BYTES,
            Encoding::E128b130b => STP_TOKEN_BYTES + LCRC_BYTES,
        };
        Framing { around: around as u32 }
    }

    /// Bytes on the link that are not header, data or digest.
    pub const fn around(self) -> u64 {
        self.around as u64
    }

    /// Bytes that a TLP takes on the link.
    pub fn tlp_bytes(self, shape: Shape) -> u64 {
        #[cfg(feature = "planted")]
        if crate::planted::is(crate::planted::NO_LCRC) {
            return self.around() + shape.bytes() - LCRC_BYTES;
        }
        self.around() + shape.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tlp::{FOUR_GIB, HEADER_3DW_BYTES, TlpKind};

    #[test]
    fn sizes_on_the_wire_are_payload_plus_20_or_24() {
        for encoding in [Encoding::E8b10b, Encoding::E128b130b] {
            let bytes = |header: u64, data: u64| Framing::of(encoding).tlp_bytes(Shape::new(header, data));
            assert_eq!(bytes(TlpKind::MemoryWrite.header_bytes(FOUR_GIB - 1), 128), 148);
            assert_eq!(bytes(TlpKind::MemoryWrite.header_bytes(FOUR_GIB), 128), 152);
            assert_eq!(bytes(TlpKind::MemoryRead.header_bytes(0), 0), 20);
            assert_eq!(bytes(HEADER_3DW_BYTES, 5), 28);
            assert_eq!(bytes(HEADER_3DW_BYTES, 4096), 4116);
        }
    }

    #[test]
    fn a_digest_is_four_bytes_on_the_wire_and_in_the_replay_buffer() {
        let shape = Shape::new(TlpKind::CompletionData.header_bytes(u64::MAX), 64);
        assert_eq!((shape.bytes(), shape.replay_bytes()), (76, 82));
        assert_eq!(shape.with_digest().replay_bytes(), 86);
        assert_eq!(Framing::of(Encoding::E8b10b).tlp_bytes(shape.with_digest()), 88);
    }
}
