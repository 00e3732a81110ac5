//! The port and queue by which an engine or a thread sends its requests.

use crate::engine::tlp::Held;
use crate::parts::traffic::{Label, Leaving, Payload};
use pcie::tlp::Header;
use pcie::{Bdf, Time};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// The port, numbered in the order of the part's description.
    pub port: usize,
    /// The queue of that port.
    pub queue: u32,
    /// The function at that port.
    pub requester: Bdf,
}

/// The properties of a request that do not depend on its address and length.
#[derive(Clone, Copy, Debug)]
pub struct Decided {
    /// The flow it belongs to, and its purpose.
    pub label: Label,
    /// When the engine decided to send it.
    pub born: Time,
    /// The earliest time on the link.
    pub ready: Time,
    /// What delayed it until then.
    pub held: Held,
    /// True where the part wants a call to [`Part::sent`](crate::parts::Part::sent).
    pub tell: bool,
    /// True where it ends a command.
    pub last: bool,
}

impl Exit {
    /// A write request with `data` to `address`.
    pub fn write(&self, of: Decided, address: u64, data: Payload) -> Leaving {
        let bytes = u64::from(data.bytes());
        self.leaving(of, Header::Request { write: true, address, bytes, requester: self.requester, tag: 0 }, data)
    }

    /// A read request for `bytes` from `address` on.
    pub fn read(&self, of: Decided, address: u64, bytes: u64, tag: u16) -> Leaving {
        let header = Header::Request { write: false, address, bytes, requester: self.requester, tag };
        self.leaving(of, header, Payload::Length(0))
    }

    fn leaving(&self, of: Decided, header: Header, data: Payload) -> Leaving {
        let Decided { label, born, ready, held, tell, last } = of;
        Leaving { port: self.port, queue: self.queue, header, data, label, born, ready, held, tell, last }
    }
}
