//! Completions: how the answer to a read request is cut.

use crate::engine::tlp::{Held, NOWHERE, Tlp, Use};
use pcie::tlp::Kind;
use pcie::{Shape, Time};

/// Where the completions of a request for `asks` bytes at `begin` are cut: (address, bytes) of each, in address order. Each
/// ends at a multiple of `rcb` that is at most `most` bytes away, or with the request (Transaction Layer, Data Return for
/// Read Requests).
pub(crate) fn cuts(begin: u64, asks: u64, rcb: u64, most: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
    let rcb = rcb.max(4);
    let (end, most) = (begin.saturating_add(asks), most.max(rcb));
    let mut at = begin;
    std::iter::from_fn(move || {
        let from = at;
        at = ((from + most) / rcb * rcb).min(end);
        (from < end).then(|| (from, at - from))
    })
}

/// The completions for `request`, cut as [`cuts`] says.
pub(crate) fn completions(request: &Tlp, rcb: u64, most: u64, now: Time) -> impl Iterator<Item = Tlp> {
    let (begin, end) = (request.address, request.address + request.asks as u64);
    let header = Kind::CompletionData.header_bytes(0);
    let model = Tlp {
        kind: Kind::CompletionData,
        asks: 0,
        held: request.held.answered(),
        ready: now,
        came_by: NOWHERE,
        notify: false,
        data: None,
        ..request.clone()
    };
    cuts(begin, u64::from(request.asks), rcb, most).map(move |(at, bytes)| Tlp {
        payload: bytes as u32,
        asks: (end - at) as u32,
        shape: Shape::new(header, bytes),
        address: at,
        offset: model.offset + (at - begin),
        last: at + bytes == end,
        ..model.clone()
    })
}

/// A memory request of `flow`. `asks` is zero for a write, `payload` for a read.
pub(crate) fn request(of: RequestOf, address: u64, payload: u64, asks: u64) -> Tlp {
    let kind = if asks > 0 { Kind::MemoryRead } else { Kind::MemoryWrite };
    Tlp {
        kind,
        used: of.used,
        flow: of.flow,
        payload: payload as u32,
        asks: asks as u32,
        shape: Shape::new(kind.header_bytes(address), payload),
        address,
        offset: of.offset,
        requester: of.requester,
        tag: of.tag,
        last: false,
        born: of.born,
        ready: of.ready,
        held: of.held,
        came_by: NOWHERE,
        notify: of.notify,
        data: None,
    }
}

/// Everything of a request but its address and its lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestOf {
    pub used: Use,
    pub flow: u32,
    pub offset: u64,
    pub requester: pcie::Bdf,
    pub tag: u32,
    pub born: Time,
    pub ready: Time,
    pub held: Held,
    pub notify: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::Wait;

    fn cut(address: u64, asks: u64, rcb: u64, most: u64) -> Vec<u32> {
        let of = RequestOf {
            used: Use::Payload,
            flow: 0,
            offset: 0,
            requester: pcie::Bdf::default(),
            tag: 0,
            born: Time::ZERO,
            ready: Time::ZERO,
            held: Held { by: Wait::Core, until: Time::ZERO, then: Wait::Core },
            notify: false,
        };
        completions(&request(of, address, 0, asks), rcb, most, Time::ZERO).map(|c| c.payload).collect()
    }

    #[test]
    fn where_is_an_answer_cut() {
        assert_eq!(cut(0, 512, 64, 128), [128; 4]);
        assert_eq!(cut(0, 256, 64, 64), [64; 4]);
        assert_eq!(cut(4, 256, 64, 128), [124, 128, 4]);
        assert_eq!(cut(96, 100, 128, 256), [100], "fits before the multiple of RCB that is near enough");
        assert_eq!(cut(32, 256, 128, 64), [96, 128, 32], "a completion never ends between multiples of RCB");
    }
}
