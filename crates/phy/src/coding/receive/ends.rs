//! Packets that ended: whether their CRCs fit.

use crate::coding::event::{Event, Receiver, Symptom};
use crate::coding::packet;
use pcie::dllp;

/// Tells what a TLP is that ended, sequence number and LCRC included; `null` where EDB ended it.
pub(super) fn end_tlp(at: u64, bytes: &[u8], null: bool, to: &mut dyn Receiver) {
    let event = match check_tlp(bytes, null) {
        Some(event) => event,
        None => Event::Symptom(Symptom::Lcrc),
    };
    to.event(at, event);
}

pub(super) fn check_tlp(bytes: &[u8], null: bool) -> Option<Event<'_>> {
    let (sequence, rest) = bytes.split_first_chunk::<2>()?;
    let (body, crc) = rest.split_last_chunk::<4>()?;
    let whole = body.len() >= packet::MIN_TLP_BYTES && body.len().is_multiple_of(4) && sequence[0] < 16;
    let expected = pcie::framing::lcrc(*sequence, body);
    let found = u32::from_le_bytes(*crc);
    match null {
        _ if !whole => None,
        true if found == !expected => Some(Event::Nullified),
        false if found == expected => Some(Event::Tlp { sequence: u16::from_be_bytes(*sequence), bytes: body }),
        _ => None,
    }
}

/// Tells what six bytes of a DLLP are.
pub(super) fn end_dllp(at: u64, bytes: [u8; 6], to: &mut dyn Receiver) {
    let [a, b, c, d, e, f] = bytes;
    let fits = dllp::crc16([a, b, c, d]) == u16::from_be_bytes([e, f]);
    to.event(at, if fits { Event::Dllp(bytes) } else { Event::Symptom(Symptom::DllpCrc) });
}
