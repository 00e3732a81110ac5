//! Trace records, produced during the run: every TLP and every DLLP on every direction, delivered payload, and requests
//! in flight.
//!
//! Not here: file formats. A [`Sink`] receives the records in batches. A run with a sink has the same outcome as one
//! without.
//!
//! Records come in the order of the simulation's decisions, which is nearly the order of time. A DLLP that no
//! transmitter waits for is put on the wire when its direction makes its next decision, with the time at which it was
//! due. DLLPs still owed at the end of the run are not recorded.

use crate::engine::numbering::named;
use crate::engine::placed::Placed;
use crate::engine::tlp::{NOWHERE, Tlp};

pub use crate::engine::tlp::Purpose;
use pcie::tlp::TlpKind;
use pcie::{Bdf, Class, Time};
use std::ops::ControlFlow;
use system::Scenario;
use system::graph::Direction;

/// Records in a batch.
const BATCH: usize = 4096;

/// Receives trace records. An implementation may do anything with them except influence the run: it returns
/// [`ControlFlow::Break`] to end it.
pub trait Sink {
    /// Called once, when the run begins. Records number the flows as this scenario does, in which a loopback is two
    /// flows.
    fn begin(&mut self, scenario: &Scenario);
    /// True where only TLPs and DLLPs are wanted. Called once, after [`Sink::begin`].
    fn only_packets(&self) -> bool {
        false
    }
    /// Takes records. What it leaves in `records` is dropped. [`ControlFlow::Break`] ends the run, which then has a
    /// partial outcome.
    fn take(&mut self, records: &mut Vec<Record>) -> ControlFlow<()>;
}

/// A trace record.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A TLP was put into a queue of a transmitter.
    Queued {
        /// The direction of the transmitter.
        on: Direction,
        /// When.
        at: Time,
    },
    /// A TLP was put on a link.
    Tlp(TlpRecord),
    /// A DLLP was put on a link.
    Dllp {
        /// The direction.
        on: Direction,
        /// First symbol at the transmitter; equal to `end` where the description leaves DLLPs off the wire.
        start: Time,
        /// Last symbol at the transmitter.
        end: Time,
        /// Its content.
        what: DllpRecord,
        /// When it was handed to the physical layer.
        handed: Time,
        /// What is between it and the packet before it.
        before: Before,
    },
    /// Payload of a flow was delivered.
    Delivered {
        /// The flow.
        flow: u32,
        /// Payload bytes.
        bytes: u64,
        /// When the payload is delivered.
        at: Time,
    },
    /// The number of read requests that a flow has in flight has changed.
    InFlight {
        /// The flow.
        flow: u32,
        /// Requests in flight now.
        requests: u64,
        /// When it changed.
        at: Time,
    },
}

/// A TLP on one direction of one link.
#[derive(Clone, Debug, PartialEq)]
pub struct TlpRecord {
    /// The direction.
    pub on: Direction,
    /// First symbol at the transmitter.
    pub start: Time,
    /// Last symbol at the transmitter.
    pub end: Time,
    /// The type of TLP.
    pub kind: TlpKind,
    /// Its purpose.
    pub purpose: Purpose,
    /// The flow that it belongs to.
    pub flow: u32,
    /// Payload bytes carried.
    pub payload: u32,
    /// Payload bytes requested; zero for all but read requests.
    pub asks: u32,
    /// Its address; for a completion, the address of its first byte.
    pub address: u64,
    /// The requester ID.
    pub requester: Bdf,
    /// For read requests and their completions: identifies the request among those in flight, together with `flow` and
    /// `purpose`.
    pub request: u32,
    /// True for the last completion of a request.
    pub last: bool,
    /// True on the first link of its path.
    pub first_hop: bool,
    /// The payload bytes, where the run has them.
    pub data: Option<Box<[u8]>>,
    /// When it was handed to the physical layer.
    pub handed: Time,
    /// What is between it and the packet before it.
    pub before: Before,
}

/// Bytes of a direction between a packet and the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// Idle.
    pub idle: u64,
    /// SKP ordered sets, and what they wait for.
    pub skp: u64,
    /// To the next place at which a packet may start.
    pub alignment: u64,
}

impl Before {
    fn of(placed: Placed) -> Before {
        Before { idle: placed.idle, skp: placed.skp, alignment: placed.alignment }
    }
}

/// Where a DLLP is, and when it was handed to the physical layer. Without a place it is not on the wire.
#[derive(Clone, Copy)]
pub(crate) struct Passing {
    pub direction: u32,
    pub handed: Time,
    pub placed: Option<Placed>,
}

/// The content of a DLLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DllpRecord {
    /// Acknowledges this many more TLPs.
    Ack(u64),
    /// Credits granted since the start, initial credits included.
    UpdateFc {
        /// The credit type.
        class: Class,
        /// Header credits.
        header: u64,
        /// Data credits.
        data: u64,
    },
}

/// A sink that discards all records.
pub(crate) struct Nobody;

impl Sink for Nobody {
    fn begin(&mut self, _: &Scenario) {}
    fn take(&mut self, _: &mut Vec<Record>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Collects records for the sink.
#[derive(Default)]
pub(crate) struct Tracer {
    records: Vec<Record>,
    /// Nothing is told but TLPs and DLLPs.
    pub only_packets: bool,
}

impl Tracer {
    #[cold]
    pub fn queued(&mut self, direction: u32, at: Time) {
        if !self.only_packets {
            self.records.push(Record::Queued { on: named(direction), at });
        }
    }

    #[cold]
    pub fn tlp(&mut self, direction: u32, tlp: &Tlp, handed: Time, placed: Placed) {
        self.records.push(Record::Tlp(TlpRecord {
            on: named(direction),
            start: placed.start,
            end: placed.end,
            kind: tlp.kind,
            purpose: tlp.purpose,
            flow: tlp.flow,
            payload: tlp.payload,
            asks: tlp.asks,
            address: tlp.address,
            requester: tlp.requester,
            request: tlp.tag,
            last: tlp.last && tlp.kind != TlpKind::MemoryWrite,
            first_hop: tlp.came_by == NOWHERE,
            data: tlp.data.clone(),
            handed,
            before: Before::of(placed),
        }));
    }

    #[cold]
    pub fn ack(&mut self, passing: Passing, count: u64) {
        self.dllp(passing, DllpRecord::Ack(count));
    }

    #[cold]
    pub fn update(&mut self, passing: Passing, class: Class, granted: (u64, u64)) {
        self.dllp(passing, DllpRecord::UpdateFc { class, header: granted.0, data: granted.1 });
    }

    fn dllp(&mut self, passing: Passing, what: DllpRecord) {
        let Passing { direction, handed, placed } = passing;
        let (start, end) = placed.map_or((handed, handed), |placed| (placed.start, placed.end));
        let before = placed.map_or_else(Before::default, Before::of);
        self.records.push(Record::Dllp { on: named(direction), start, end, what, handed, before });
    }

    #[cold]
    pub fn delivered(&mut self, flow: u32, bytes: u64, at: Time) {
        if !self.only_packets {
            self.records.push(Record::Delivered { flow, bytes, at });
        }
    }

    #[cold]
    pub fn in_flight(&mut self, flow: u32, requests: u64, at: Time) {
        if !self.only_packets {
            self.records.push(Record::InFlight { flow, requests, at });
        }
    }

    /// Gives a full batch to `sink`, or `all` that is there.
    #[cold]
    pub fn pass_on(&mut self, sink: &mut impl Sink, all: bool) -> ControlFlow<()> {
        if self.records.len() < BATCH && !all {
            return ControlFlow::Continue(());
        }
        let flow = sink.take(&mut self.records);
        self.records.clear();
        flow
    }
}
