//! TLPs on their way.

use pcie::tlp::TlpKind;
use pcie::{Bdf, Shape, Time};
use system::Wait;

/// No direction: the TLP began at this part.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// What a TLP is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// It carries a flow's payload, or asks for it.
    Payload,
    /// A CPU stores a flow's payload, or loads it: no engine in between.
    Store,
    /// Software starts a command.
    Doorbell,
    /// An access to registers, or the answer to one.
    Register,
    /// The card fetches descriptors.
    Descriptors,
    /// The card tells in memory what it has done.
    Status,
    /// An interrupt.
    Interrupt,
}

impl Purpose {
    /// True where payload of a flow travels, or is asked for.
    pub fn is_payload(self) -> bool {
        matches!(self, Purpose::Payload | Purpose::Store)
    }
}

/// Why a TLP is not earlier: what held it until when, and what the time behind that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// What held it first.
    pub by: Wait,
    /// Until then.
    pub until: Time,
    /// What did from then on.
    pub then: Wait,
}

impl Held {
    /// By one thing alone.
    pub fn new(by: Wait, until: Time) -> Held {
        Held { by, until, then: by }
    }
    /// Why what answers a request is not earlier than it is.
    pub fn answered(self) -> Held {
        Held { then: if self.then == Wait::Tags { Wait::Tags } else { Wait::Memory }, ..self }
    }
}

/// One TLP.
#[derive(Clone, Debug)]
pub(crate) struct Tlp {
    pub kind: TlpKind,
    pub purpose: Purpose,
    pub flow: u32,
    /// Payload carried.
    pub payload: u32,
    /// Payload asked for, of a read request; what is still to come, of a completion.
    pub asks: u32,
    /// What links make its size of.
    pub shape: Shape,
    /// Of a request: where its first byte goes to or comes from.
    pub address: u64,
    /// Where the payload lies in its flow.
    pub offset: u64,
    pub requester: Bdf,
    /// Of a read request and its completions: which request of its requester.
    pub tag: u32,
    /// True in the last completion of a request.
    pub last: bool,
    /// When the engine decided.
    pub born: Time,
    /// Not on the link before.
    pub ready: Time,
    pub held: Held,
    /// The direction it came in by, whose credits it holds.
    pub came_by: u32,
    /// Told to its sender when it leaves.
    pub notify: bool,
    pub data: Option<Box<[u8]>>,
}

/// All TLPs on their way, with their places used again.
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
