//! The hex dump of a function: `10: 04 00 80 fc ...`.

use crate::remark::{Place, Remark};
use pcie::config::ConfigSpace;

/// One line of up to sixteen bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexLine {
    /// Its line number in the text.
    pub line: usize,
    /// The offset of its first byte.
    pub offset: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl HexLine {
    /// Reads a line of bytes; `None` for any other line.
    pub fn read(line: usize, text: &str) -> Option<HexLine> {
        let colon = text.as_bytes().iter().take(4).position(|byte| *byte == b':').filter(|at| *at >= 2)?;
        let (offset, rest) = text.split_at(colon);
        let mut bytes = Vec::with_capacity(16);
        for word in rest[1..].split_ascii_whitespace() {
            let [high, low] = *word.as_bytes() else { return None };
            bytes.push((digit(high)? << 4) | digit(low)?);
        }
        let is_row = rest[1..].starts_with(' ') && (1..=16).contains(&bytes.len());
        Some(HexLine { line, offset: usize::from_str_radix(offset, 16).ok()?, bytes }).filter(|_| is_row)
    }
}

/// The value of a hex digit.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The configuration space: the bytes from offset 0 up to the first gap.
pub fn space(lines: &[HexLine], remarks: &mut Vec<Remark>) -> Option<ConfigSpace> {
    let mut bytes: Vec<u8> = Vec::new();
    for line in lines {
        let known = &bytes[bytes.len().min(line.offset)..];
        let what = if line.offset > bytes.len() {
            format!("bytes before {:#05x} are missing: those from here on are not read", line.offset)
        } else if line.offset < bytes.len() && !known.starts_with(&line.bytes) {
            format!("the bytes at {:#05x} come again, and differ: the first stand", line.offset)
        } else {
            if line.offset == bytes.len() {
                bytes.extend(&line.bytes);
            }
            continue;
        };
        remarks.push(Remark { place: Place::Line(line.line), what });
        if line.offset > bytes.len() {
            break;
        }
    }
    (!bytes.is_empty()).then(|| ConfigSpace::new(bytes))
}
