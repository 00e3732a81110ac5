//! TLPs on their way.

use pcie::tlp::Kind;
use pcie::{Bdf, Time};
use system::Wait;

/// No direction: the TLP began at this part.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// What a TLP is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It carries a flow's payload, or asks for it.
    Payload,
    /// A CPU stores it, or loads it: no engine in between.
    Store,
    /// Software starts a command.
    Doorbell,
    /// The card tells the end of a command, in memory or as an interrupt.
    Status,
    /// The card fetches descriptors.
    Descriptors,
    /// Software accesses a register, of a foreign kind's card.
    Register,
    /// An interrupt of such a card.
    Interrupt,
}

/// Why a TLP is not earlier: what held it until when, and what the time behind that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub by: Wait,
    pub until: Time,
    pub then: Wait,
}

/// One TLP.
#[derive(Clone, Debug)]
pub(crate) struct Tlp {
    pub kind: Kind,
    pub purpose: Purpose,
    pub flow: u32,
    /// Payload carried.
    pub payload: u32,
    /// Payload asked for, of a read request; what is still to come, of a completion.
    pub asks: u32,
    pub header: u32,
    /// All of it, framing included.
    pub wire: u32,
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
