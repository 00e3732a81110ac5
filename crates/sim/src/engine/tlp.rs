//! TLPs in flight.

use pcie::tlp::TlpKind;
use pcie::{Bdf, Shape, Time};
use system::Wait;

/// The value of `came_by` for a TLP that has not crossed a link yet.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The purpose of a TLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Payload of a flow, or a request for it.
    Payload,
    /// Payload of a flow stored or loaded by a CPU, without an engine.
    Store,
    /// Software starts a command.
    Doorbell,
    /// A register access, or its completion.
    Register,
    /// Descriptors that the card fetches, or the request for them.
    Descriptors,
    /// A Translation Request, or its completion.
    Translation,
    /// Status of commands that the card writes to memory.
    Status,
    /// An interrupt message.
    Interrupt,
}

impl Purpose {
    /// True for payload of a flow, or a request for it.
    pub fn is_payload(self) -> bool {
        matches!(self, Purpose::Payload | Purpose::Store)
    }
}

/// What delayed a TLP: one cause until a time, another one after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The first cause.
    pub by: Wait,
    /// Until when the first cause applies.
    pub until: Time,
    /// The cause after that time.
    pub then: Wait,
}

impl Held {
    /// One cause only.
    pub fn new(by: Wait, until: Time) -> Held {
        Held { by, until, then: by }
    }
    /// The delay that the completions of a request inherit from it.
    pub fn answered(self) -> Held {
        Held { then: if self.then.is_of_requester() { self.then } else { Wait::Memory }, ..self }
    }
}

/// One TLP.
#[derive(Clone, Debug)]
pub(crate) struct Tlp {
    pub kind: TlpKind,
    pub purpose: Purpose,
    pub flow: u32,
    /// Payload bytes carried.
    pub payload: u32,
    /// For a read request, the bytes requested; for a completion, the bytes that remain, this one included.
    pub asks: u32,
    /// Decides its size on a link.
    pub shape: Shape,
    /// For a request: its address.
    pub address: u64,
    /// Offset of the payload in its flow.
    pub offset: u64,
    pub requester: Bdf,
    /// For a read request and its completions: the tag.
    pub tag: u32,
    /// True for the last completion of a request, and for a write that ends a command.
    pub last: bool,
    /// When the engine decided to send it.
    pub born: Time,
    /// The earliest time on the link.
    pub ready: Time,
    pub held: Held,
    /// The direction that it arrived by, where it holds credits.
    pub came_by: u32,
    /// True where its sender wants to know when it leaves.
    pub notify: bool,
    pub data: Option<Box<[u8]>>,
}

/// All TLPs in flight. Places are reused.
#[derive(Default)]
pub(crate) struct Tlps {
    all: Vec<Tlp>,
    free: Vec<u32>,
}

impl Tlps {
    pub fn add(&mut self, tlp: Tlp) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.all[place as usize] = tlp;
                place
            }
            None => {
                self.all.push(tlp);
                self.all.len() as u32 - 1
            }
        }
    }

    pub fn remove(&mut self, place: u32) {
        self.free.push(place);
    }
}

impl std::ops::Index<u32> for Tlps {
    type Output = Tlp;
    fn index(&self, place: u32) -> &Tlp {
        &self.all[place as usize]
    }
}

impl std::ops::IndexMut<u32> for Tlps {
    fn index_mut(&mut self, place: u32) -> &mut Tlp {
        &mut self.all[place as usize]
    }
}
