//! TLPs: their types, and their headers as bytes. [`framing`](crate::framing) computes how many bytes a TLP takes on a
//! link.
//!
//! The codec serves runs that carry payload bytes, traces, and gateware.

use crate::bdf::Bdf;
use crate::credit::Class;

/// Bytes of a header of three double words.
pub const HEADER_3DW_BYTES: u64 = 12;
/// Bytes of a header of four double words.
pub const HEADER_4DW_BYTES: u64 = 16;
/// Requests below this address use the 3 DW header, all others the 4 DW header (Transaction Layer, Address Based
/// Routing Rules).
pub const FOUR_GIB: u64 = 1 << 32;
/// The Read Completion Boundary of all completers but a root complex, which uses 64 or 128 bytes (Transaction Layer,
/// Data Return for Read Requests).
pub const RCB_ENDPOINT_BYTES: u64 = 128;
/// No request may cross a multiple of this many bytes (Transaction Layer, Transaction Layer Protocol).
pub const REQUEST_BOUNDARY_BYTES: u64 = 4096;

/// The types of TLP that transfer data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TlpKind {
    /// Memory Read Request (MRd).
    MemoryRead,
    /// Memory Write Request (MWr).
    MemoryWrite,
    /// Completion with Data (CplD).
    CompletionData,
    /// Completion without Data (Cpl).
    Completion,
}

impl TlpKind {
    /// The credit type that it consumes, and its class in the ordering rules.
    pub const fn class(self) -> Class {
        match self {
            TlpKind::MemoryWrite => Class::Posted,
            TlpKind::MemoryRead => Class::NonPosted,
            TlpKind::CompletionData | TlpKind::Completion => Class::Completion,
        }
    }
    /// True where a payload follows the header.
    pub const fn has_data(self) -> bool {
        matches!(self, TlpKind::MemoryWrite | TlpKind::CompletionData)
    }
    /// Bytes of the header. `address` matters for requests only.
    pub const fn header_bytes(self, address: u64) -> u64 {
        match self {
            TlpKind::MemoryRead | TlpKind::MemoryWrite if address >= FOUR_GIB => HEADER_4DW_BYTES,
            _ => HEADER_3DW_BYTES,
        }
    }
}

/// The status of a completion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Successful Completion (SC).
    #[default]
    Success,
    /// Unsupported Request (UR).
    UnsupportedRequest,
    /// Completer Abort (CA).
    CompleterAbort,
}

impl Status {
    fn bits(self) -> u8 {
        match self {
            Status::Success => 0,
            Status::UnsupportedRequest => 1,
            Status::CompleterAbort => 4,
        }
    }
}

/// The header fields that traffic of this project uses. Attributes and traffic class are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// MRd or MWr.
    Request {
        /// Read or write.
        write: bool,
        /// First byte.
        address: u64,
        /// Bytes, 1 to 4096, from `address` on.
        bytes: u64,
        /// Who asks.
        requester: Bdf,
        /// Up to 10 bits.
        tag: u16,
    },
    /// Cpl or CplD.
    Completion {
        /// Who answers.
        completer: Bdf,
        /// Who asked.
        requester: Bdf,
        /// As in the request.
        tag: u16,
        /// How it ended.
        status: Status,
        /// Bytes of the request still to come, this completion included.
        remaining: u64,
        /// The low seven bits of the address of the first byte.
        lower_address: u8,
        /// Bytes in this completion.
        bytes: u64,
    },
}

/// Why bytes are not a valid header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// Fewer bytes than the format needs.
    #[error("the header ends after {0} bytes")]
    Short(usize),
    /// A format and type other than MRd, MWr, Cpl and CplD.
    #[error("format and type {0:#04x} are not decoded here")]
    Type(u8),
    /// A completion status that the standard reserves.
    #[error("completion status {0} is reserved")]
    Status(u8),
    /// Byte enables that the standard forbids for this length.
    #[error("first byte enable {first:#x} and last byte enable {last:#x} do not fit a length of {length} DW")]
    ByteEnables {
        /// First DW.
        first: u8,
        /// Last DW.
        last: u8,
        /// In double words.
        length: u16,
    },
}

impl Header {
    /// The type of TLP that this header belongs to.
    pub fn kind(&self) -> TlpKind {
        match *self {
            Header::Request { write: true, .. } => TlpKind::MemoryWrite,
            Header::Request { write: false, .. } => TlpKind::MemoryRead,
            Header::Completion { bytes: 0, .. } => TlpKind::Completion,
            Header::Completion { .. } => TlpKind::CompletionData,
        }
    }

    /// The 12 or 16 bytes of the header (Transaction Layer, Common Packet Header Fields and following).
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(16);
        self.encode_into(&mut out);
        out
    }

    /// Appends the bytes of [`Header::encode`].
    pub fn encode_into(&self, out: &mut Vec<u8>) {
        match *self {
            Header::Request { write, address, bytes, requester, tag } => {
                let long = address >= FOUR_GIB;
                let (length, first, last) = byte_enables(address, bytes);
                out.extend_from_slice(&first_dw((write as u8) << 6 | (long as u8) << 5, length, tag));
                out.extend_from_slice(&requester.bits().to_be_bytes());
                out.extend_from_slice(&[tag as u8, last << 4 | first]);
                if long {
                    out.extend_from_slice(&(address & !3).to_be_bytes());
                } else {
                    out.extend_from_slice(&(address as u32 & !3).to_be_bytes());
                }
            }
            Header::Completion { completer, requester, tag, status, remaining, lower_address, bytes } => {
                let length = (bytes + (lower_address as u64 & 3)).div_ceil(4) as u16;
                out.extend_from_slice(&first_dw(((bytes > 0) as u8) << 6 | 0x0a, length, tag));
                out.extend_from_slice(&completer.bits().to_be_bytes());
                out.extend_from_slice(&(((status.bits() as u16) << 13) | (remaining as u16 & 0xfff)).to_be_bytes());
                out.extend_from_slice(&requester.bits().to_be_bytes());
                out.extend_from_slice(&[tag as u8, lower_address & 0x7f]);
            }
        }
    }

    /// The inverse of [`Header::encode`].
    ///
    /// # Errors
    /// Too few bytes, a type other than the four, a reserved status, or invalid byte enables.
    pub fn decode(bytes: &[u8]) -> Result<Header, HeaderError> {
        let short = HeaderError::Short(bytes.len());
        let head: [u8; 12] = bytes.get(..12).and_then(|b| b.try_into().ok()).ok_or(short)?;
        let length = u16::from_be_bytes([head[2] & 3, head[3]]);
        let dws = if length == 0 { 1024 } else { length as u64 };
        let tag = (head[1] as u16 & 0x80) << 2 | (head[1] as u16 & 0x08) << 5;
        match head[0] {
            kind @ (0x00 | 0x20 | 0x40 | 0x60) => {
                let base = if kind & 0x20 != 0 {
                    let low: [u8; 4] = bytes.get(12..16).and_then(|b| b.try_into().ok()).ok_or(short)?;
                    (u32::from_be_bytes([head[8], head[9], head[10], head[11]]) as u64) << 32
                        | u32::from_be_bytes(low) as u64
                } else {
                    u32::from_be_bytes([head[8], head[9], head[10], head[11]]) as u64
                };
                let (offset, count) = extent(head[7] & 0xf, head[7] >> 4, dws)?;
                Ok(Header::Request {
                    write: kind & 0x40 != 0,
                    address: (base & !3) + offset,
                    bytes: count,
                    requester: Bdf::from_bits(u16::from_be_bytes([head[4], head[5]])),
                    tag: tag | head[6] as u16,
                })
            }
            kind @ (0x0a | 0x4a) => {
                let word = u16::from_be_bytes([head[6], head[7]]);
                let remaining = if word & 0xfff == 0 { 4096 } else { word as u64 & 0xfff };
                let lower_address = head[11] & 0x7f;
                let room = dws * 4 - (lower_address as u64 & 3);
                Ok(Header::Completion {
                    completer: Bdf::from_bits(u16::from_be_bytes([head[4], head[5]])),
                    requester: Bdf::from_bits(u16::from_be_bytes([head[8], head[9]])),
                    tag: tag | head[10] as u16,
                    status: status(head[6] >> 5)?,
                    remaining,
                    lower_address,
                    bytes: if kind == 0x4a { room.min(remaining) } else { 0 },
                })
            }
            other => Err(HeaderError::Type(other)),
        }
    }
}

/// The first double word: format and type, the two high tag bits, and the length in double words (1024 is encoded as
/// 0).
fn first_dw(kind: u8, length: u16, tag: u16) -> [u8; 4] {
    let tag_bits = (tag >> 9 & 1) << 7 | (tag >> 8 & 1) << 3;
    [kind, tag_bits as u8, (length >> 8) as u8 & 3, length as u8]
}

/// The length in double words, and the first and last byte enables, of `bytes` bytes from `address`.
fn byte_enables(address: u64, bytes: u64) -> (u16, u8, u8) {
    let start = address & 3;
    let end = start + bytes;
    let length = end.div_ceil(4);
    let first = 0xfu8 << start;
    let last = 0xfu8 >> (length * 4 - end);
    if length == 1 { (1, first & last & 0xf, 0) } else { (length as u16, first & 0xf, last) }
}

/// The inverse of [`byte_enables`] for contiguous enables: disabled bytes before the first enabled one, and the number
/// of enabled bytes.
fn extent(first: u8, last: u8, dws: u64) -> Result<(u64, u64), HeaderError> {
    let bad = HeaderError::ByteEnables { first, last, length: dws as u16 };
    let (skip, tail) = (first.trailing_zeros() as u64, if dws == 1 { first } else { last });
    let contiguous = |be: u8| be != 0 && (be >> be.trailing_zeros()).wrapping_add(1).is_power_of_two();
    let middle = dws == 1 || (first & 8 != 0 && last & 1 != 0);
    if !contiguous(first) || !contiguous(tail) || !middle || (dws == 1) != (last == 0) {
        return Err(bad);
    }
    let unused = (tail.leading_zeros() - 4) as u64;
    Ok((skip, dws * 4 - skip - unused))
}

fn status(bits: u8) -> Result<Status, HeaderError> {
    match bits {
        0 => Ok(Status::Success),
        1 => Ok(Status::UnsupportedRequest),
        4 => Ok(Status::CompleterAbort),
        other => Err(HeaderError::Status(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_request_decodes_to_itself(
            write: bool, page in 0u64..1 << 50, offset in 0u64..4096, len in 1u64..=4096, bdf: u16, tag in 0u16..1024
        ) {
            let bytes = len.min(4096 - offset);
            let address = page << 12 | offset;
            let header = Header::Request { write, address, bytes, requester: Bdf::from_bits(bdf), tag };
            prop_assert_eq!(Header::decode(&header.encode()), Ok(header));
            prop_assert_eq!(header.encode().len() as u64, header.kind().header_bytes(address));
        }

        #[test]
        fn a_completion_decodes_to_itself(
            completer: u16, requester: u16, tag in 0u16..1024, lower_address in 0u8..128, bytes in 1u64..=1024,
            more in 0u64..=3072
        ) {
            let (completer, requester) = (Bdf::from_bits(completer), Bdf::from_bits(requester));
            // Byte counts end where the data ends: a completion that is not the last one fills its last DW.
            let whole = (bytes + lower_address as u64 % 4).next_multiple_of(4) - lower_address as u64 % 4;
            let bytes = if more == 0 { bytes } else { whole };
            let header = Header::Completion {
                completer, requester, tag, status: Status::Success, remaining: (bytes + more).min(4096), lower_address, bytes,
            };
            prop_assert_eq!(Header::decode(&header.encode()), Ok(header));
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            let _ = Header::decode(&bytes);
        }
    }
}
