//! What passes between a part and its context: TLPs that have arrived, that are to leave, that leave.
//!
//! A part says of each TLP which flow it is for, because a TLP on a link does not, and the accounts are by flow. Payload travels
//! as a length, or as bytes where a part works on them.

use crate::engine::answer::cuts;
use crate::engine::tlp::{Held, NOWHERE, Purpose, Tlp};
use pcie::tlp::{Header, Status, TlpKind};
use pcie::{Bdf, Class, Shape, Time};
use system::Wait;

/// Which flow a TLP is of, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its place in [`Scenario::flows`](system::Scenario::flows).
    pub flow: u32,
    /// What it is for.
    pub purpose: Purpose,
    /// Where its payload lies in the flow.
    pub offset: u64,
}

/// The credits that a TLP holds where it came in. There is one of it, and it is gone when they are given back.
#[derive(Debug)]
pub struct Hold {
    pub(crate) came_by: u32,
    pub(crate) class: Class,
    pub(crate) payload: u32,
    pub(crate) shape: Shape,
}

/// What a TLP carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// So many bytes that nobody looks at.
    Length(u32),
    /// These.
    Bytes(Box<[u8]>),
}

impl Payload {
    /// How many bytes.
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

/// A TLP that has arrived.
#[derive(Debug)]
pub struct Arrived {
    /// By which port of the part, counted in the order of its description.
    pub port: usize,
    /// Its header.
    pub header: Header,
    /// Its payload.
    pub data: Payload,
    /// Which flow it is of. What its receiver would know by its own registers and tags.
    pub label: Label,
    /// When its engine decided.
    pub born: Time,
    /// Why it was not here earlier: what answers it says the same.
    pub held: Held,
    /// What it holds until [`PartContext::release`](crate::parts::PartContext::release).
    pub hold: Hold,
}

/// A TLP that is to leave.
#[derive(Clone, Debug)]
pub struct Leaving {
    /// By which port of the part, counted in the order of its description.
    pub port: usize,
    /// In which of its queues there: [`Part::queues`](crate::parts::Part::queues).
    pub queue: u32,
    /// Its header.
    pub header: Header,
    /// Its payload: nothing of a request that reads.
    pub data: Payload,
    /// Which flow it is of.
    pub label: Label,
    /// When its engine decided.
    pub born: Time,
    /// Not on the link before.
    pub ready: Time,
    /// Why it is not earlier.
    pub held: Held,
    /// The part is told when it starts to leave: [`Part::sent`](crate::parts::Part::sent).
    pub tell: bool,
}

impl Leaving {
    /// One that was decided at `now` and may leave at once, by the first queue of the first port.
    pub fn new(now: Time, header: Header, data: Payload, label: Label) -> Leaving {
        let held = Held::new(Wait::Core, now);
        Leaving { port: 0, queue: 0, header, data, label, born: now, ready: now, held, tell: false }
    }

    /// What links make its size of: its payload in whole double words of its address.
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
    Shape::new(kind.header_bytes(address), carried)
}

/// The completions for a request that has `arrived`, in address order, each to the port that it came in by. Each ends at a
/// multiple of `rcb` that is at most `most` bytes away, or with the request (Transaction Layer, Data Return for Read
/// Requests). They carry lengths: whose bytes somebody looks at, as the answer to a register access is, puts them in.
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
    })
}

/// A TLP starts to leave whose part wants to know.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Its flow.
    pub flow: u32,
    /// Its payload.
    pub payload: u32,
    /// Where that lies in the flow.
    pub offset: u64,
    /// Its last symbol.
    pub end: Time,
}

impl From<crate::link::fabric::Departure> for Sent {
    fn from(sent: crate::link::fabric::Departure) -> Sent {
        Sent { flow: sent.flow, payload: sent.payload, offset: sent.offset, end: sent.end }
    }
}

/// The header of a TLP on its way.
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

/// A TLP as the fabric has it, and the bytes of payload that its header says.
#[inline]
pub(crate) fn tlp(leaving: Leaving) -> (Tlp, u64) {
    let Leaving { header, data, label, born, ready, held, tell, .. } = leaving;
    let (kind, address, asks, requester, tag, says, last) = match header {
        Header::Request { write: true, address, bytes, requester, tag } => {
            (TlpKind::MemoryWrite, address, 0, requester, tag, bytes, false)
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
