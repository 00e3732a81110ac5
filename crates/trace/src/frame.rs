//! TLPs and DLLPs as bytes: what the data link layer gives to the physical layer.
//!
//! A TLP has its sequence number (two bytes), header, payload and LCRC; a DLLP has type, content and CRC. Framing
//! symbols and tokens are omitted. Where a run carries no payload bytes, the frame ends after the header, and its
//! original length includes the payload.

use crate::requests::Identity;
use pcie::tlp::{Header, Status, TlpKind};
use pcie::{dllp, framing};
use sim::trace::{DllpRecord, TlpRecord};

/// Bytes of the sequence number, and of the LCRC.
pub(crate) const SEQUENCE_BYTES: usize = framing::SEQUENCE_BYTES as usize;
pub(crate) const LCRC_BYTES: usize = framing::LCRC_BYTES as usize;

/// The counters of the data link layer, for one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// The sequence number of the next TLP.
    next: u16,
    /// TLPs acknowledged.
    acknowledged: u64,
}

/// Appends a TLP to `out`. Returns its original length, which may be more than was appended.
pub(crate) fn tlp(out: &mut Vec<u8>, sent: &TlpRecord, identity: &Identity, counts: &mut Counts) -> usize {
    let begin = out.len();
    let sequence = counts.next;
    counts.next = (sequence + 1) & 0xfff;
    out.extend_from_slice(&sequence.to_be_bytes());
    header(sent, identity).encode_into(out);
    let header = out.len() - begin - SEQUENCE_BYTES;
    let padded = if sent.kind.has_data() {
        (sent.address as usize % 4 + sent.payload.max(1) as usize).next_multiple_of(4)
    } else {
        0
    };
    let whole = SEQUENCE_BYTES + header + padded + LCRC_BYTES;
    if padded > 0 {
        let Some(data) = &sent.data else { return whole };
        let from = out.len();
        out.resize(from + sent.address as usize % 4, 0);
        out.extend_from_slice(data);
        out.resize(from + padded, 0);
    }
    let lcrc = framing::lcrc(sequence.to_be_bytes(), &out[begin + SEQUENCE_BYTES..]);
    out.extend_from_slice(&lcrc.to_le_bytes());
    whole
}

fn header(sent: &TlpRecord, identity: &Identity) -> Header {
    let tag = identity.tag & 0x3ff;
    match sent.kind {
        TlpKind::MemoryRead | TlpKind::MemoryWrite => Header::Request {
            write: sent.kind == TlpKind::MemoryWrite,
            address: sent.address,
            bytes: sent.payload.max(sent.asks).max(1) as u64,
            requester: sent.requester,
            tag,
        },
        TlpKind::CompletionData | TlpKind::Completion => Header::Completion {
            completer: identity.completer,
            requester: sent.requester,
            tag,
            status: Status::Success,
            remaining: identity.remaining,
            lower_address: sent.address as u8 & 0x7f,
            bytes: sent.payload as u64,
        },
    }
}

/// A DLLP of the direction with these `counts`.
pub(crate) fn dllp(what: DllpRecord, counts: &mut Counts) -> [u8; 6] {
    named(what, counts).encode()
}

fn named(what: DllpRecord, counts: &mut Counts) -> dllp::Dllp {
    match what {
        DllpRecord::Ack(count) => {
            counts.acknowledged += count;
            dllp::Dllp::Ack((counts.acknowledged.wrapping_sub(1) & 0xfff) as u16)
        }
        DllpRecord::UpdateFc { class, header, data } => {
            dllp::Dllp::UpdateFc { class, header: header as u8, data: (data & 0xfff) as u16 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcie::{Bdf, Time};
    use sim::trace::{Before, Purpose};
    use system::LinkId;
    use system::graph::Direction;

    fn write(data: Option<Box<[u8]>>) -> TlpRecord {
        TlpRecord {
            on: Direction { link: LinkId(0), up: true },
            start: Time::ZERO,
            end: Time::ZERO,
            kind: TlpKind::MemoryWrite,
            purpose: Purpose::Payload,
            flow: 0,
            payload: 6,
            asks: 0,
            address: 0x1001,
            requester: Bdf::default(),
            request: 0,
            last: false,
            first_hop: true,
            data,
            handed: Time::ZERO,
            before: Before::default(),
        }
    }

    #[test]
    fn is_a_whole_tlp_as_long_as_its_header_says_and_its_lcrc_over_all_of_it() {
        let (mut out, mut counts) = (Vec::new(), Counts::default());
        let whole = tlp(&mut out, &write(Some([9; 6].into())), &Identity::default(), &mut counts);
        assert_eq!((whole, out.len()), (2 + 12 + 8 + 4, 26));
        assert_eq!(out[14..22], [0, 9, 9, 9, 9, 9, 9, 0]);
        // Behind a CRC of this kind, the CRC of the whole is a constant.
        assert_eq!(framing::lcrc([out[0], out[1]], &out[2..]), 0x2144_df1c);
    }

    #[test]
    fn does_a_tlp_without_its_bytes_keep_its_length() {
        let (mut out, mut counts) = (Vec::new(), Counts::default());
        let whole = tlp(&mut out, &write(None), &Identity::default(), &mut counts);
        assert_eq!((whole, out.len()), (26, 14));
    }

    #[test]
    fn does_an_ack_name_the_last_of_those_it_acknowledges() {
        let mut counts = Counts::default();
        assert_eq!(named(DllpRecord::Ack(3), &mut counts), dllp::Dllp::Ack(2));
        assert_eq!(named(DllpRecord::Ack(4094), &mut counts), dllp::Dllp::Ack(0));
    }
}
