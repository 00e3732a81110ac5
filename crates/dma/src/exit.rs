//! Where the TLPs of a channel leave its card.

use pcie::tlp::Header;
use pcie::{Bdf, Time};
use sim::parts::{Held, Label, Leaving, Payload};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// The port, and the channel's queue there.
    pub port: usize,
    /// See [`Exit::port`].
    pub queue: u32,
    /// The function at that port.
    pub requester: Bdf,
}

/// What an engine has decided of a request, besides its address and its lengths.
#[derive(Clone, Copy, Debug)]
pub struct Decided {
    pub label: Label,
    pub born: Time,
    pub ready: Time,
    pub held: Held,
    /// The channel wants to know when it leaves.
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
