//! The bytes of one function's configuration space, as far as they were observed.

use crate::config::register::Register;

/// Bytes of configuration space: 4096 (PCI Express Enhanced Configuration Access Mechanism).
pub const SIZE: usize = 4096;

/// Up to 4096 bytes from offset 0. Users without privileges read 64, conventional access reads 256, an administrator
/// reads all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigSpace {
    bytes: Vec<u8>,
}

impl ConfigSpace {
    /// Takes the first bytes of a function. Bytes beyond 4096 are dropped.
    pub fn new(mut bytes: Vec<u8>) -> ConfigSpace {
        bytes.truncate(SIZE);
        ConfigSpace { bytes }
    }
    /// The observed bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// The number of observed bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
    /// True where no byte was observed.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
    /// One byte.
    pub fn u8(&self, offset: u16) -> Option<u8> {
        self.bytes.get(usize::from(offset)).copied()
    }
    /// Two bytes, little-endian.
    pub fn u16(&self, offset: u16) -> Option<u16> {
        self.slice(offset, 2).map(|b| u16::from_le_bytes([b[0], b[1]]))
    }
    /// Four bytes, little-endian.
    pub fn u32(&self, offset: u16) -> Option<u32> {
        self.slice(offset, 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }
    /// A register of `size` bytes (1, 2 or 4). The bits of observed bytes are known.
    pub fn register(&self, offset: u16, size: u8) -> Register {
        (0..u16::from(size.min(4))).fold(Register::UNKNOWN, |register, i| match self.u8(offset.saturating_add(i)) {
            Some(byte) => register.or(Register::new(u32::from(byte) << (8 * i), 0xff << (8 * i))),
            None => register,
        })
    }
    /// `size` bytes at an offset, or as many of them as were observed.
    pub fn seen(&self, offset: u16, size: usize) -> &[u8] {
        let start = usize::from(offset).min(self.bytes.len());
        let end = (start + size).min(self.bytes.len());
        &self.bytes[start..end]
    }

    fn slice(&self, offset: u16, size: usize) -> Option<&[u8]> {
        self.bytes.get(usize::from(offset)..usize::from(offset) + size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_register_at_the_edge_of_what_was_seen_known_in_part() {
        let space = ConfigSpace::new(vec![0x11, 0x22, 0x33]);
        assert_eq!(space.u32(0), None);
        assert_eq!(space.register(0, 4), Register::new(0x33_2211, 0xff_ffff));
        assert_eq!(space.register(3, 4), Register::UNKNOWN);
        assert_eq!(space.register(u16::MAX, 4), Register::UNKNOWN);
    }
}
