//! Where the requests of an engine, or of a thread, leave its part.

use crate::engine::tlp::Held;
use crate::parts::traffic::{Label, Leaving, Payload};
use pcie::tlp::Header;
use pcie::{Bdf, Time};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// The port, counted in the order of the part's description.
    pub port: usize,
    /// Which of the queues there.
    pub queue: u32,
    /// The function at that port.
    pub requester: Bdf,
}

/// What was decided of a request, besides its address and its lengths.
#[derive(Clone, Copy, Debug)]
pub struct Decided {
    /// Which flow it is of.
    pub label: Label,
    /// When it was decided.
    pub born: Time,
    /// Not on the link before.
    pub ready: Time,
    /// Why it is not earlier.
    pub held: Held,
    /// The part is told when it starts to leave.
    pub tell: bool,
}

impl Exit {
    /// A write of `data` to `address`.
    pub fn write(&self, of: Decided, address: u64, data: Payload) -> Leaving {
        let bytes = u64::from(data.bytes());
        self.leaving(of, Header::Request { write: true, address, bytes, requester: self.requester, tag: 0 }, data)
    }

    /// A request for `bytes` from `address` on.
    pub fn read(&self, of: Decided, address: u64, bytes: u64, tag: u16) -> Leaving {
        let header = Header::Request { write: false, address, bytes, requester: self.requester, tag };
        self.leaving(of, header, Payload::Length(0))
    }

    fn leaving(&self, of: Decided, header: Header, data: Payload) -> Leaving {
        let Decided { label, born, ready, held, tell } = of;
        Leaving { port: self.port, queue: self.queue, header, data, label, born, ready, held, tell }
    }
}
