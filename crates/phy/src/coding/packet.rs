//! Packets as the data link layer hands them over and gets them.

use pcie::framing::lcrc;

/// A TLP without its sequence number and LCRC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TlpBytes<'a> {
    /// 12 bits.
    pub sequence: u16,
    /// Header, data and digest: whole double words.
    pub bytes: &'a [u8],
    /// Ended with EDB and an inverted LCRC: found bad after its start (cut-through), and not to be delivered.
    pub nullified: bool,
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// A TLP.
    Tlp(TlpBytes<'a>),
    /// A DLLP with its CRC.
    Dllp([u8; 6]),
}

/// Why bytes cannot be sent as a TLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a TLP has 12 to 4116 bytes in whole double words, not {0}")]
pub struct Unsendable(pub usize);

/// Header, data and digest of the longest TLP.
pub const MAX_TLP_BYTES: usize = 16 + 4096 + 4;
/// The shortest header.
pub const MIN_TLP_BYTES: usize = 12;

impl TlpBytes<'_> {
    /// Whether such a TLP exists.
    ///
    /// # Errors
    /// Too few bytes, too many, or no whole number of double words.
    pub fn check(&self) -> Result<(), Unsendable> {
        let count = self.bytes.len();
        let exists = count.is_multiple_of(4) && (MIN_TLP_BYTES..=MAX_TLP_BYTES).contains(&count);
        if exists { Ok(()) } else { Err(Unsendable(count)) }
    }

    /// The two bytes of the sequence number.
    pub fn sequence_bytes(&self) -> [u8; 2] {
        (self.sequence & 0xfff).to_be_bytes()
    }

    /// The LCRC as sent: inverted where the TLP is nullified. The four bits above the sequence number count as zero at 128b/130b
    /// too (assumed).
    pub fn lcrc(&self) -> [u8; 4] {
        let crc = lcrc(self.sequence_bytes(), self.bytes);
        (if self.nullified { !crc } else { crc }).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use pcie::dllp::crc16;

    #[test]
    fn have_dllps_the_crc_that_a_real_root_port_and_another_model_give_them() {
        // The first three captured by the tests of ECP5-PCIe, the others printed by pcievhost.
        for (bytes, crc) in [
            ([0x50, 0x08, 0x00, 0x20], 0x12d9),
            ([0x40, 0x08, 0x00, 0xe0], 0xf506),
            ([0x60, 0x00, 0x00, 0x00], 0xd892),
            ([0x00, 0x00, 0x00, 0x1a], 0xf892),
            ([0x80, 0x0c, 0xc4, 0x03], 0xfb50),
        ] {
            assert_eq!(crc16(bytes), crc, "{bytes:x?}");
        }
    }
}
