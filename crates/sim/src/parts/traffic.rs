//! The TLPs that pass between a part and its context: received, to be sent, and starting to leave.
//!
//! A part labels each TLP with its flow, because a TLP on a link does not carry that, and accounts are kept by flow.
//! The payload is a length, or bytes where a part works on bytes.

use crate::engine::answer::cuts;
use crate::engine::tlp::{Held, NOWHERE, Purpose, Tlp};
use pcie::tlp::{Header, Status, TlpKind};
use pcie::{Bdf, Class, Shape, Time};
use system::Wait;

/// The flow of a TLP, its purpose, and its place in the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Index into [`Scenario::flows`](system::Scenario::flows).
    pub flow: u32,
    /// The purpose of the TLP.
    pub purpose: Purpose,
    /// Offset of its payload in the flow, bytes.
    pub offset: u64,
}

/// The credits that a received TLP holds. There is exactly one for each TLP, and freeing the credits consumes it.
#[derive(Debug)]
pub struct Hold {
    pub(crate) came_by: u32,
    pub(crate) class: Class,
    pub(crate) payload: u32,
    pub(crate) shape: Shape,
}

/// The payload of a TLP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Payload of this many bytes without contents.
    Length(u32),
    /// Payload with its contents.
    Bytes(Box<[u8]>),
}

impl Payload {
    /// Length in bytes.
    pub fn bytes(&self) -> u32 {
        match self {
            Payload::Length(bytes) => *bytes,
            Payload::Bytes(bytes) => bytes.len() as u32,
        }
    }
    fn data(self) -> Option<Box<[u8]>> {
        match self {
            Payload::Length(_) => None,
            Payload::Bytes(bytes) => Some(bytes),
        }
    }
}

/// A received TLP.
#[derive(Debug)]
pub struct Arrived {
    /// The port it arrived at, numbered in the order of the part's description.
    pub port: usize,
    /// Its header.
    pub header: Header,
    /// Its payload.
    pub data: Payload,
    /// Its label. A real receiver would derive it from its registers and tags.
    pub label: Label,
    /// When the engine decided to send it.
    pub born: Time,
    /// What delayed it. Its completions inherit that.
    pub held: Held,
    /// Its credits, for [`PartContext::release`](crate::parts::PartContext::release).
    pub hold: Hold,
}

/// A TLP to be sent.
#[derive(Clone, Debug)]
pub struct Leaving {
    /// The port it leaves by, numbered in the order of the part's description.
    pub port: usize,
    /// Its queue at that port: see [`Part::queues`](crate::parts::Part::queues).
    pub queue: u32,
    /// Its header.
    pub header: Header,
    /// Its payload; empty for a read request.
    pub data: Payload,
    /// Its label.
    pub label: Label,
    /// When the engine decided to send it.
    pub born: Time,
    /// The earliest time on the link.
    pub ready: Time,
    /// What delayed it until then.
    pub held: Held,
    /// True where the part wants a call to [`Part::sent`](crate::parts::Part::sent) when it starts to leave.
    pub tell: bool,
    /// True for a write that ends a command.
    pub last: bool,
}

impl Leaving {
    /// A TLP decided at `now` that may leave at once, by the first queue of the first port.
    pub fn new(now: Time, header: Header, data: Payload, label: Label) -> Leaving {
        let held = Held::new(Wait::Core, now);
        Leaving { port: 0, queue: 0, header, data, label, born: now, ready: now, held, tell: false, last: false }
    }

    /// Its shape, from which links compute its size: the payload is padded to the double words of its address range.
    pub fn shape(&self) -> Shape {
        let kind = self.header.kind();
        match self.header {
            Header::Request { address, bytes, write, .. } => shape(kind, address, if write { bytes } else { 0 }),
            Header::Completion { lower_address, bytes, .. } => shape(kind, u64::from(lower_address), bytes),
        }
    }
}

/// See [`Leaving::shape`].
fn shape(kind: TlpKind, address: u64, says: u64) -> Shape {
    let carried = if says > 0 { says + (address & 3) } else { 0 };
    let header = kind.header_bytes(address);
    #[cfg(feature = "planted")]
    let header = header - if says > 0 && crate::planted::is(crate::planted::SHORT_HEADER) { 4 } else { 0 };
    Shape::new(header, carried)
}

/// The completions for a received read request, in address order, to the port that it arrived at. Each ends at a
/// multiple of `rcb` that is at most `most` bytes away, or at the end of the request (Transaction Layer, Data Return
/// for Read Requests). Their payload is a length. A part that answers a register access has to put in the bytes.
pub fn completions(arrived: &Arrived, rcb: u64, most: u64, now: Time) -> impl Iterator<Item = Leaving> + use<> {
    let (address, asks, requester, tag) = match arrived.header {
        Header::Request { write: false, address, bytes, requester, tag } => (address, bytes, requester, tag),
        _ => (0, 0, Bdf::default(), 0),
    };
    let (port, born, held, label) = (arrived.port, arrived.born, arrived.held.answered(), arrived.label);
    cuts(address, asks, rcb, most).map(move |(at, bytes)| Leaving {
        port,
        queue: 0,
        header: Header::Completion {
            completer: Bdf::default(),
            requester,
            tag,
            status: Status::Success,
            remaining: address + asks - at,
            lower_address: at as u8 & 0x7f,
            bytes,
        },
        data: Payload::Length(bytes as u32),
        label: Label { offset: label.offset + (at - address), ..label },
        born,
        ready: now,
        held,
        tell: false,
        last: false,
    })
}

/// Announces that a TLP starts to leave, for parts that asked for that.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Its flow.
    pub flow: u32,
    /// Its payload, bytes.
    pub payload: u32,
    /// Offset of the payload in the flow.
    pub offset: u64,
    /// When its last symbol leaves.
    pub end: Time,
}

impl From<crate::link::fabric::Departure> for Sent {
    fn from(sent: crate::link::fabric::Departure) -> Sent {
        Sent { flow: sent.flow, payload: sent.payload, offset: sent.offset, end: sent.end }
    }
}

/// The header of a TLP in flight.
pub(crate) fn header(tlp: &Tlp) -> Header {
    let tag = tlp.tag as u16;
    match tlp.kind {
        TlpKind::MemoryWrite | TlpKind::MemoryRead => Header::Request {
            write: tlp.kind == TlpKind::MemoryWrite,
            address: tlp.address,
            bytes: if tlp.kind == TlpKind::MemoryWrite { tlp.payload } else { tlp.asks } as u64,
            requester: tlp.requester,
            tag,
        },
        TlpKind::CompletionData | TlpKind::Completion => Header::Completion {
            completer: Bdf::default(),
            requester: tlp.requester,
            tag,
            status: Status::Success,
            remaining: tlp.asks as u64,
            lower_address: tlp.address as u8 & 0x7f,
            bytes: tlp.payload as u64,
        },
    }
}

/// The internal form of a TLP, and the payload bytes that its header states.
#[inline]
pub(crate) fn tlp(leaving: Leaving) -> (Tlp, u64) {
    let Leaving { header, data, label, born, ready, held, tell, last: ends, .. } = leaving;
    let (kind, address, asks, requester, tag, says, last) = match header {
        Header::Request { write: true, address, bytes, requester, tag } => {
            (TlpKind::MemoryWrite, address, 0, requester, tag, bytes, ends)
        }
        Header::Request { write: false, address, bytes, requester, tag } => {
            (TlpKind::MemoryRead, address, bytes.min(u64::from(u32::MAX)), requester, tag, 0, false)
        }
        Header::Completion { requester, tag, lower_address, remaining, bytes, .. } => {
            let kind = if bytes > 0 { TlpKind::CompletionData } else { TlpKind::Completion };
            (kind, u64::from(lower_address), remaining, requester, tag, bytes, remaining <= bytes)
        }
    };
    let tlp = Tlp {
        kind,
        purpose: label.purpose,
        flow: label.flow,
        payload: data.bytes(),
        asks: asks as u32,
        shape: shape(kind, address, says),
        address,
        offset: label.offset,
        requester,
        tag: u32::from(tag),
        last,
        born,
        ready,
        held,
        came_by: NOWHERE,
        notify: tell,
        data: data.data(),
    };
    (tlp, says)
}
