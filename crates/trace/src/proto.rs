//! Writes Protocol Buffers field by field into one buffer (Protocol Buffers, Encoding).
//!
//! A trace has about ten messages for every TLP. No tree of messages is built, and no length is computed before its
//! message; in a general library these take most of the time of a trace. A test with Perfetto's own definitions checks
//! the result (`tests/tracks.rs`).

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const DELIMITED: u64 = 2;

/// A buffer that bytes are appended to.
pub(crate) trait Buffer {
    fn push(&mut self, byte: u8);
    fn extend(&mut self, bytes: &[u8]);
    fn len(&self) -> usize;
    /// Ends the message whose length byte is at `at`.
    fn close(&mut self, at: usize);
}

impl Buffer for Vec<u8> {
    fn push(&mut self, byte: u8) {
        self.push(byte);
    }
    fn extend(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
    fn len(&self) -> usize {
        self.len()
    }
    fn close(&mut self, at: usize) {
        let length = self.len() - at - 1;
        if length < 128 {
            self[at] = length as u8;
        } else {
            lengthen(self, at, length as u64);
        }
    }
}

/// A message of less than 128 bytes, built here and then appended to others.
#[derive(Debug)]
pub(crate) struct Short {
    /// As large as the index type, so that no index is outside.
    bytes: [u8; 256],
    len: u8,
}

impl Default for Short {
    fn default() -> Short {
        Short { bytes: [0; 256], len: 0 }
    }
}

impl Short {
    pub fn clear(&mut self) {
        self.len = 0;
    }
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len as usize]
    }
}

impl Buffer for Short {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.bytes[self.len as usize] = byte;
        self.len = self.len.wrapping_add(1);
    }
    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.push(byte);
        }
    }
    #[inline]
    fn len(&self) -> usize {
        self.len as usize
    }
    #[inline]
    fn close(&mut self, at: usize) {
        let length = self.len.wrapping_sub(at as u8 + 1);
        debug_assert!(length < 128);
        self.bytes[at] = length;
    }
}

/// A message being written at the end of a buffer. Field numbers are those of its definition.
pub(crate) struct Message<'a, B: Buffer>(pub &'a mut B);

impl<B: Buffer> Message<'_, B> {
    /// A non-negative number, an enum value, or a bool.
    #[inline]
    pub fn uint(&mut self, field: u64, value: u64) {
        varint(self.0, field << 3 | VARINT);
        varint(self.0, value);
    }

    /// A fixed64.
    #[inline]
    pub fn fixed64(&mut self, field: u64, value: u64) {
        varint(self.0, field << 3 | FIXED64);
        self.0.extend(&value.to_le_bytes());
    }

    /// A string.
    pub fn text(&mut self, field: u64, text: &str) {
        varint(self.0, field << 3 | DELIMITED);
        varint(self.0, text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    /// A nested message.
    #[inline]
    pub fn message(&mut self, field: u64, fill: impl FnOnce(&mut Message<'_, B>)) {
        varint(self.0, field << 3 | DELIMITED);
        let at = self.0.len();
        // Nearly all are shorter than 128 bytes, and their length takes one byte.
        self.0.push(0);
        fill(&mut Message(self.0));
        self.0.close(at);
    }
}

/// Makes room for a length of more than one byte.
#[cold]
fn lengthen(out: &mut Vec<u8>, at: usize, length: u64) {
    let mut prefix = Vec::new();
    varint(&mut prefix, length);
    out.splice(at..=at, prefix);
}

/// A varint: seven bits in each byte, the lowest first; the high bit marks that more follow.
#[inline]
fn varint(out: &mut impl Buffer, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_long_message_get_its_long_length() {
        let mut out = Vec::new();
        Message(&mut out).message(1, |m| m.message(2, |m| m.text(3, &"x".repeat(300))));
        assert_eq!(out[..10], [0x0a, 0xb2, 2, 0x12, 0xaf, 2, 0x1a, 0xac, 2, b'x']);
        assert_eq!(out.len(), 309);
    }

    #[test]
    fn is_a_short_message_the_same_as_in_a_long_buffer() {
        fn fill(message: &mut Message<'_, impl Buffer>) {
            message.message(11, |m| {
                m.uint(30, u64::MAX);
                m.message(4, |m| m.fixed64(47, 0x0102_0304_0506_0708));
                m.text(1, &"x".repeat(80));
            });
        }
        let (mut short, mut out) = (Short::default(), Vec::new());
        fill(&mut Message(&mut out));
        for _ in 0..2 {
            short.clear();
            fill(&mut Message(&mut short));
            assert_eq!(short.bytes(), out);
        }
    }
}
