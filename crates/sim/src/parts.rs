//! What sits at the ends of the fabric: hosts with their memory, DMA cards with their channels, and parts that crates above
//! bring. How a TLP gets from one to another is none of theirs, and what runs on a host's CPUs is in `software`.
//!
//! A part of a foreign kind sends and receives whole TLPs as header and payload bytes, gives credits back when it has
//! taken what it received, and asks to be woken. It says of each TLP which flow it is for, because a TLP on a link
//! does not, and the accounts are by flow.

pub(crate) mod card;
pub(crate) mod compare;
pub(crate) mod host;
pub(crate) mod memory;
pub(crate) mod node;
pub(crate) mod part;

use crate::engine::region::{self, byte_at, bytes_at};
use crate::engine::tlp::{Held, NOWHERE, Purpose, Tlp};
use crate::link::fabric::Fabric;
use crate::software::buffers;
use crate::software::thread::Driver;
use pcie::tlp::{Header, Kind, wire_bytes};
use pcie::{Bdf, Class, Time};
use std::fmt::Debug;
use system::{PartId, Scenario, Wait};

pub use crate::software::buffers::Buffers;

/// A part with behaviour of its own.
pub trait Part {
    /// The run begins.
    fn start(&mut self, face: &mut Face<'_>);
    /// The last symbol of a TLP is here. Its credits are the part's to give back.
    fn receive(&mut self, face: &mut Face<'_>, arrived: Arrived);
    /// A wake-up that the part asked for.
    fn wake(&mut self, face: &mut Face<'_>, token: u32);
    /// A TLP with payload starts to leave.
    fn sent(&mut self, face: &mut Face<'_>, sent: Sent);
}

/// Why a part or a driver of a foreign kind cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {help}")]
pub struct KindError {
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub help: String,
}

/// Kinds that a crate above brings.
pub trait Kinds: Debug + Sync {
    /// The part that stands for the card `part`.
    ///
    /// # Errors
    /// A card that cannot be had so.
    fn card(&self, scenario: &Scenario, part: PartId) -> Result<Box<dyn Part>, KindError>;
    /// The software for flow `flow` of such a card: it drives it, or only prepares its memory.
    ///
    /// # Errors
    /// A flow that cannot be driven.
    fn driver(&self, scenario: &Scenario, flow: usize) -> Result<Box<dyn Driver>, KindError>;
}

/// What crates above bring, which a card with gateware needs.
pub(crate) fn brought(kinds: Option<&dyn Kinds>) -> Result<&dyn Kinds, KindError> {
    let missing = || KindError {
        what: "`gateware` is not known to this program".into(),
        help: "take the field out, or run it with a program that has the crate `cosim`".into(),
    };
    kinds.ok_or_else(missing)
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

/// A TLP that has arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// Its header.
    pub header: Header,
    /// Its payload.
    pub data: Box<[u8]>,
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
    /// Its header.
    pub header: Header,
    /// Its payload.
    pub data: Box<[u8]>,
    /// Which flow it is of.
    pub label: Label,
    /// When its engine decided.
    pub born: Time,
    /// Not on the link before.
    pub ready: Time,
    /// What it waited for.
    pub waited: Wait,
}

/// A TLP with payload starts to leave.
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
    seat: Seat,
}

/// Where a foreign part sits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seat {
    pub part: u32,
    /// The direction that leads out of it, and its source there.
    pub direction: u32,
    pub source: u32,
}

/// A foreign part on its seat.
pub(crate) struct Seated {
    pub seat: Seat,
    pub part: Box<dyn Part>,
}

impl Seated {
    /// Does `what` with the part and its face.
    pub fn with(&mut self, fabric: &mut Fabric, what: impl FnOnce(&mut dyn Part, &mut Face<'_>)) {
        what(&mut *self.part, &mut Face { fabric, seat: self.seat });
    }

    /// The TLP at `place` goes over to the part.
    pub fn receive(&mut self, fabric: &mut Fabric, place: u32) {
        let tlp = &mut fabric.tlps[place];
        let data = tlp.data.take();
        let tlp = tlp.clone();
        fabric.tlps.remove(place);
        let origin = fabric.flows.origins[tlp.flow as usize];
        let data = data.unwrap_or_else(|| bytes_at(origin, tlp.offset, tlp.payload as u64));
        let arrived = Arrived {
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
    /// Hands a TLP to the link, which takes it in the order that ordering rules and credits allow.
    pub fn send(&mut self, leaving: Leaving) {
        let tlp = tlp(leaving);
        self.fabric.enqueue(self.seat.direction, self.seat.source, tlp);
    }
    /// `bytes` of `flow` are where they go from `at` on.
    pub fn deliver(&mut self, flow: u32, bytes: u64, at: Time) {
        self.fabric.deliver_ahead(flow, bytes, at);
    }
    /// A latency of `flow`.
    pub fn timed(&mut self, flow: u32, latency: Time) {
        self.fabric.flows.timed(flow, latency);
    }
    /// The application of `flow` has seen its end.
    pub fn ended(&mut self, flow: u32, at: Time) {
        self.fabric.flows.ended(flow, at);
    }
    /// Compares bytes that are at their end with what the flow sent.
    pub fn compare(&mut self, flow: u32, offset: u64, data: &[u8]) {
        self.fabric.flows.compare(flow, offset, data);
    }
}

fn tlp(leaving: Leaving) -> Tlp {
    let Leaving { header, data, label, born, ready, waited } = leaving;
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
        payload: data.len() as u32,
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
        data: Some(data),
    }
}

/// The byte at `offset` of what `flow` carries.
pub fn pattern(flow: u32, offset: u64) -> u8 {
    byte_at(flow, offset)
}

/// The first flow of the chain that ends in flow `number`: whose bytes it carries.
pub fn origin(scenario: &Scenario, number: usize) -> usize {
    region::origin(scenario, number)
}

/// Where flow `number` lies in the memory of the host.
pub fn buffers(scenario: &Scenario, number: usize) -> Option<Buffers> {
    let params = scenario.system.parts.iter().find_map(|part| part.kind.host())?;
    Some(buffers::buffers(params, number))
}
