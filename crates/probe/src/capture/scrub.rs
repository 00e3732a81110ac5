//! Configuration space without serial numbers and addresses. Only registers that are known to hold neither are kept; all
//! other bytes are zero. The lists of capabilities stay complete.

use pcie::config::{CapabilityId, ConfigSpace, Header, HeaderKind, walk};
use std::ops::Range;

/// A copy of the space, of the same length, with zeros in all registers that may hold serial numbers or addresses.
pub fn scrub(space: &ConfigSpace) -> ConfigSpace {
    let header = Header::decode(space);
    if !header.answered() {
        return space.clone();
    }
    let mut kept = Kept { source: space.bytes(), bytes: vec![0; space.len()] };
    kept.header(header.kind);
    let (capabilities, _) = walk::capabilities(space);
    for capability in &capabilities.0 {
        let Some(id) = capability.id else { continue };
        let revision = capability.bytes.get(2).copied().unwrap_or(0);
        let vendor = capability.bytes.get(4..10).unwrap_or(&[]);
        let (first, more) = ranges(id, revision, vendor);
        for range in std::iter::once(0..first).chain(more) {
            let end = range.end.min(capability.bytes.len());
            let start = usize::from(capability.offset);
            kept.copy(start + range.start.min(end)..start + end);
        }
    }
    ConfigSpace::new(kept.bytes)
}

struct Kept<'a> {
    source: &'a [u8],
    bytes: Vec<u8>,
}

impl Kept<'_> {
    fn copy(&mut self, range: Range<usize>) {
        self.mask(range, 0xff);
    }
    /// Keeps the bits of `mask` in each byte of the range.
    fn mask(&mut self, range: Range<usize>, mask: u8) {
        for at in range.start..range.end.min(self.source.len()) {
            self.bytes[at] |= self.source[at] & mask;
        }
    }
    /// Keeps ids, Command, Status, class and header type, then registers by header layout. Of a base address
    /// only the type bits are kept.
    fn header(&mut self, kind: Option<HeaderKind>) {
        self.copy(0x00..0x10);
        self.copy(0x34..0x35);
        self.copy(0x3c..0x40);
        match kind {
            Some(HeaderKind::Endpoint) => {
                self.base_addresses(6);
                self.copy(0x2c..0x30);
                self.mask(0x30..0x31, 1);
            }
            Some(HeaderKind::Bridge) => {
                self.base_addresses(2);
                self.copy(0x18..0x1c);
                for types in [0x1c, 0x1d, 0x20, 0x22, 0x24, 0x26] {
                    self.mask(types..types + 1, 0x0f);
                }
                self.copy(0x1e..0x20);
                self.mask(0x38..0x39, 1);
            }
            Some(HeaderKind::CardBus) => self.copy(0x14..0x1c),
            Some(HeaderKind::Other(_)) | None => {}
        }
    }
    fn base_addresses(&mut self, count: usize) {
        let mut index = 0;
        while index < count {
            let at = 0x10 + 4 * index;
            let low = self.source.get(at).copied().unwrap_or(0);
            self.mask(at..at + 1, if low & 1 == 1 { 0x03 } else { 0x0f });
            // The upper half of a 64-bit base address has no type bits.
            index += if low & 7 == 4 { 2 } else { 1 };
        }
    }
}

/// The bytes of a capability that are kept: a number of bytes from its start, and a range after a gap. `revision` is its third
/// byte, `vendor` its bytes 4 to 9.
fn ranges(id: CapabilityId, revision: u8, vendor: &[u8]) -> (usize, Option<Range<usize>>) {
    match id {
        CapabilityId::Standard(id) => (standard(id, revision), None),
        // AER: the first two double words of the header log (type of TLP, requester) are kept. The other two hold the address.
        CapabilityId::Extended(0x01) => (0x24, Some(0x2c..0x38)),
        CapabilityId::Extended(id) => (extended(id, vendor), None),
    }
}

fn standard(id: u8, flags: u8) -> usize {
    const ROOT_PORT: u8 = 4;
    match id {
        0x01 | 0x0d | 0x12 => 8,
        // MSI: the control register, without address and data.
        0x05 | 0x08 => 4,
        0x09 => 3,
        // Version 1 ends after the registers that the port type has.
        0x10 if flags & 0xf == 1 => {
            if flags >> 4 >= ROOT_PORT {
                0x24
            } else {
                0x14
            }
        }
        0x10 => 0x3c,
        0x11 => 12,
        0x13 => 6,
        _ => 2,
    }
}

fn extended(id: u16, vendor: &[u8]) -> usize {
    const CXL: [u8; 2] = [0x98, 0x1e];
    match id {
        0x02 | 0x09 => 0x1c,
        // Vendor-specific: the header with id and length, without the content.
        0x0b | 0x0d | 0x0e | 0x0f | 0x18 | 0x1b | 0x27 => 8,
        // SR-IOV: the registers before the base addresses.
        0x10 => 0x24,
        0x15 | 0x24 => 0x34,
        0x16 => 0x30,
        0x17 | 0x1d | 0x1f | 0x25 => 0x0c,
        0x19 => 0x4c,
        0x1e => 0x14,
        // CXL devices and Flex Bus ports: the first three registers. The ranges after them are addresses.
        0x23 if vendor.starts_with(&CXL) && matches!(vendor[4..], [0 | 7, 0]) => 0x10,
        0x23 => 0x0a,
        0x26 => 0x30,
        0x2a | 0x31 => 0x20,
        0x2f => 0x10,
        _ => 4,
    }
}
