//! A part of a crate above, and what it may do: whole TLPs in and out, credits, wake-ups, accounts.
//!
//! It says of each TLP which flow it is for, because a TLP on a link does not, and the accounts are by flow. Payload travels
//! as a length, or as bytes where a part works on them.

use crate::engine::region::bytes_at;
use crate::engine::tlp::{Held, NOWHERE, Purpose, Tlp};
use crate::link::fabric::Fabric;
use pcie::tlp::{Header, Kind, wire_bytes};
use pcie::{Bdf, Class, Time};
use std::borrow::Cow;
use system::Wait;

/// A part with behaviour of its own.
pub trait Part {
    /// The run begins.
    fn start(&mut self, face: &mut Face<'_>);
    /// The last symbol of a TLP is here. Its credits are the part's to give back.
    fn receive(&mut self, face: &mut Face<'_>, arrived: Arrived);
    /// A wake-up that the part asked for.
    fn wake(&mut self, face: &mut Face<'_>, token: u32);
    /// A write starts to leave.
    fn sent(&mut self, face: &mut Face<'_>, sent: Sent);
}

/// What a TLP is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// It carries a flow's payload, or asks for it.
    Payload,
    /// An access to registers, or the answer to one.
    Register,
    /// The card fetches descriptors.
    Descriptors,
    /// The card tells in memory what it has done.
    Status,
    /// An interrupt.
    Interrupt,
}

impl Use {
    pub(crate) fn purpose(self) -> Purpose {
        match self {
            Use::Payload => Purpose::Payload,
            Use::Register => Purpose::Register,
            Use::Descriptors => Purpose::Descriptors,
            Use::Status => Purpose::Status,
            Use::Interrupt => Purpose::Interrupt,
        }
    }
    fn of(purpose: Purpose) -> Use {
        match purpose {
            Purpose::Payload | Purpose::Store => Use::Payload,
            Purpose::Register | Purpose::Doorbell => Use::Register,
            Purpose::Descriptors => Use::Descriptors,
            Purpose::Status => Use::Status,
            Purpose::Interrupt => Use::Interrupt,
        }
    }
}

/// Which flow a TLP is of, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its place in [`Scenario::flows`].
    pub flow: u32,
    /// What it is for.
    pub used: Use,
    /// Where its payload lies in the flow.
    pub offset: u64,
}

/// The credits that a TLP holds where it came in.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    came_by: u32,
    class: Class,
    payload: u32,
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
#[derive(Clone, Debug)]
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
    /// What it holds until [`Face::release`].
    pub hold: Hold,
}

/// A TLP that is to leave.
#[derive(Clone, Debug)]
pub struct Leaving {
    /// By which port of the part, counted in the order of its description.
    pub port: usize,
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
    /// What it waited for.
    pub waited: Wait,
}

/// A write starts to leave.
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

impl From<crate::link::fabric::Sent> for Sent {
    fn from(sent: crate::link::fabric::Sent) -> Sent {
        Sent { flow: sent.flow, payload: sent.payload, offset: sent.offset, end: sent.end }
    }
}

/// What a part of a foreign kind may do.
pub struct Face<'a> {
    fabric: &'a mut Fabric,
    seat: &'a Seat,
}

/// Where a foreign part sits.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub part: u32,
    /// By port: the direction that leads out of it, and the part's source there; `None` where it is free.
    pub ports: Vec<Option<(u32, u32)>>,
    /// The most payload of what it sends.
    pub mps: u32,
}

/// A foreign part on its seat.
pub(crate) struct Seated {
    pub seat: Seat,
    pub part: Box<dyn Part>,
}

impl Seated {
    /// Does `what` with the part and its face.
    pub fn with(&mut self, fabric: &mut Fabric, what: impl FnOnce(&mut dyn Part, &mut Face<'_>)) {
        what(&mut *self.part, &mut Face { fabric, seat: &self.seat });
    }

    /// The TLP at `place` goes over to the part.
    pub fn receive(&mut self, fabric: &mut Fabric, place: u32) {
        let tlp = &mut fabric.tlps[place];
        let data = tlp.data.take().map_or(Payload::Length(tlp.payload), Payload::Bytes);
        let tlp = tlp.clone();
        fabric.tlps.remove(place);
        let by = |port: &Option<(u32, u32)>| port.is_some_and(|(direction, _)| direction ^ 1 == tlp.came_by);
        let arrived = Arrived {
            port: self.seat.ports.iter().position(by).unwrap_or(0),
            header: header(&tlp),
            data,
            label: Label { flow: tlp.flow, used: Use::of(tlp.purpose), offset: tlp.offset },
            born: tlp.born,
            hold: Hold { came_by: tlp.came_by, class: tlp.kind.class(), payload: tlp.payload },
        };
        self.with(fabric, |part, face| part.receive(face, arrived));
    }
}

/// The header of a TLP on its way.
fn header(tlp: &Tlp) -> Header {
    let tag = tlp.tag as u16;
    match tlp.kind {
        Kind::MemoryWrite | Kind::MemoryRead => Header::Request {
            write: tlp.kind == Kind::MemoryWrite,
            address: tlp.address,
            bytes: if tlp.kind == Kind::MemoryWrite { tlp.payload } else { tlp.asks } as u64,
            requester: tlp.requester,
            tag,
        },
        Kind::CompletionData | Kind::Completion => Header::Completion {
            completer: Bdf::default(),
            requester: tlp.requester,
            tag,
            status: pcie::tlp::Status::Success,
            remaining: tlp.asks as u64,
            lower_address: tlp.address as u8 & 0x7f,
            bytes: tlp.payload as u64,
        },
    }
}

impl Face<'_> {
    /// Now.
    pub fn now(&self) -> Time {
        self.fabric.now
    }
    /// When the next thing happens anywhere; [`Time::NEVER`] where nothing is to come.
    pub fn next_event(&mut self) -> Time {
        self.fabric.queue.next()
    }
    /// [`Part::wake`] at `at`.
    pub fn wake(&mut self, token: u32, at: Time) {
        self.fabric.wake(self.seat.part, token, at);
    }
    /// Gives back the credits of what has been taken, at `at`.
    pub fn release(&mut self, hold: Hold, at: Time) {
        self.fabric.free_credits(hold.came_by, hold.class, hold.payload, at.max(self.fabric.now));
    }
    /// The payload of what arrived, byte by byte: where it travelled as a length, what its flow carries there.
    pub fn bytes<'b>(&self, arrived: &'b Arrived) -> Cow<'b, [u8]> {
        match &arrived.data {
            Payload::Bytes(bytes) => Cow::Borrowed(bytes),
            Payload::Length(bytes) => {
                let origin = self.fabric.flows.origins[arrived.label.flow as usize];
                Cow::Owned(bytes_at(origin, arrived.label.offset, u64::from(*bytes)).into_vec())
            }
        }
    }
    /// Hands a TLP to the link of a port, which takes it in the order that ordering rules and credits allow. A port without a
    /// link, or more payload than the part may send, ends the run.
    pub fn send(&mut self, leaving: Leaving) {
        let payload = leaving.data.bytes();
        let Some(&Some((direction, source))) = self.seat.ports.get(leaving.port) else {
            return self.fault(format!("it sends by its port {}, which has no link", leaving.port));
        };
        let (kind, label) = (leaving.header.kind(), leaving.label);
        let says = match leaving.header {
            Header::Request { write, bytes, .. } => {
                if write {
                    bytes
                } else {
                    0
                }
            }
            Header::Completion { bytes, .. } => bytes,
        };
        if u64::from(payload) != says || kind.has_data() != (payload > 0) {
            return self.fault(format!("the header of a TLP says {says} bytes of payload, and it carries {payload}"));
        }
        if leaving.born > leaving.ready {
            return self.fault("it sends a TLP before it was decided".to_string());
        }
        if !self.is_flow(label.flow) {
            return;
        }
        if payload > self.seat.mps {
            return self.fault(format!("it sends {payload} bytes in a TLP, and its MPS is {}", self.seat.mps));
        }
        self.fabric.enqueue(direction, source, tlp(leaving));
    }
    /// True for a flow of the scenario; else the run ends.
    fn is_flow(&mut self, flow: u32) -> bool {
        let is_there = (flow as usize) < self.fabric.flows.accounts.len();
        if !is_there {
            self.fault(format!("it names flow {flow}, which there is not"));
        }
        is_there
    }
    /// The part has broken its contract: the run ends with the first such thing.
    fn fault(&mut self, what: String) {
        self.fabric.fault.get_or_insert(Box::new((self.seat.part, what)));
    }
    /// `bytes` of `flow` are where they go from `at` on.
    pub fn deliver(&mut self, flow: u32, bytes: u64, at: Time) {
        if self.is_flow(flow) {
            self.fabric.deliver_ahead(flow, bytes, at);
        }
    }
    /// A latency of `flow`.
    pub fn timed(&mut self, flow: u32, latency: Time) {
        if self.is_flow(flow) {
            self.fabric.flows.timed(flow, latency);
        }
    }
    /// The application of `flow` has seen its end.
    pub fn ended(&mut self, flow: u32, at: Time) {
        if self.is_flow(flow) {
            match self.fabric.flows.has_ended(flow) {
                true => self.fault(format!("it ends flow {flow} twice")),
                false => self.fabric.flows.ended(flow, at),
            }
        }
    }
    /// Compares bytes that are at their end with what the flow sent.
    pub fn compare(&mut self, flow: u32, offset: u64, data: &[u8]) {
        if self.is_flow(flow) {
            self.fabric.flows.compare(flow, offset, data);
        }
    }
}

fn tlp(leaving: Leaving) -> Tlp {
    let Leaving { header, data, label, born, ready, waited, .. } = leaving;
    let kind = header.kind();
    let (address, asks, requester, tag, length) = match header {
        Header::Request { write, address, bytes, requester, tag } => {
            (address, if write { 0 } else { bytes }, requester, tag, bytes + (address & 3))
        }
        Header::Completion { requester, tag, lower_address, remaining, bytes, .. } => {
            (lower_address as u64, remaining, requester, tag, bytes + (lower_address as u64 & 3))
        }
    };
    let head = kind.header_bytes(address);
    let carried = if kind.has_data() { length } else { 0 };
    let last = matches!(header, Header::Completion { remaining, bytes, .. } if remaining <= bytes);
    Tlp {
        kind,
        purpose: label.used.purpose(),
        flow: label.flow,
        payload: data.bytes(),
        asks: asks as u32,
        header: head as u32,
        wire: wire_bytes(head, carried, false) as u32,
        address,
        offset: label.offset,
        requester,
        tag: tag as u32,
        last,
        born,
        ready,
        held: Held { by: waited, until: ready, then: if waited == Wait::Tags { waited } else { Wait::Core } },
        came_by: NOWHERE,
        notify: kind == Kind::MemoryWrite,
        data: data.data(),
    }
}
