//! What passes, told while it happens: every TLP on every direction of a link, every DLLP, payload delivered, requests
//! in flight.
//!
//! What it is not: a file format. A [`Sink`] gets the records in batches and makes of them what it will. A run with a
//! sink gives the same outcome as one without.
//!
//! Records come in the order in which the simulation decides them, which is nearly that of time: DLLPs that nobody
//! waited for are put on the wire when their direction next has a decision to make, with the stamps of when they were
//! due. Those that are still owed when the run ends are not told.

use crate::engine::numbering::named;
use crate::engine::tlp::{NOWHERE, Tlp};

pub use crate::engine::tlp::Purpose;
use pcie::tlp::TlpKind;
use pcie::{Bdf, Class, Time};
use std::ops::ControlFlow;
use system::Scenario;
use system::graph::Direction;

/// Records between two calls of a sink.
const BATCH: usize = 4096;

/// Gets what passes.
pub trait Sink {
    /// The run begins. Flows of records are numbered as in this scenario, in which a loopback is two flows.
    fn begin(&mut self, scenario: &Scenario);
    /// True where only TLPs and DLLPs are to be told. Asked once, behind [`Sink::begin`].
    fn only_packets(&self) -> bool {
        false
    }
    /// Takes records; what is left in `records` is dropped. [`ControlFlow::Break`] ends the run with what there is.
    fn take(&mut self, records: &mut Vec<Record>) -> ControlFlow<()>;
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A TLP joined those that wait for a transmitter.
    Queued {
        /// Whose transmitter.
        on: Direction,
        /// When.
        at: Time,
    },
    /// A TLP was put on a link.
    Tlp(TlpRecord),
    /// A DLLP was put on a link.
    Dllp {
        /// Where.
        on: Direction,
        /// First and last symbol at the transmitter; the same where the description leaves DLLPs off the wire.
        start: Time,
        /// See `start`.
        end: Time,
        /// Which.
        what: DllpRecord,
    },
    /// Payload of a flow is where it goes.
    Delivered {
        /// Whose.
        flow: u32,
        /// How much.
        bytes: u64,
        /// From when on.
        at: Time,
    },
    /// The read requests that a flow's engine has in flight have become more or fewer.
    InFlight {
        /// Whose.
        flow: u32,
        /// How many there are now.
        requests: u64,
        /// When.
        at: Time,
    },
}

/// A TLP on one direction of one link.
#[derive(Clone, Debug, PartialEq)]
pub struct TlpRecord {
    /// Where.
    pub on: Direction,
    /// First symbol at the transmitter.
    pub start: Time,
    /// Last symbol at the transmitter.
    pub end: Time,
    /// What it is.
    pub kind: TlpKind,
    /// What it is for.
    pub purpose: Purpose,
    /// For which flow.
    pub flow: u32,
    /// Payload carried, bytes.
    pub payload: u32,
    /// Payload asked for, bytes; zero in all but read requests.
    pub asks: u32,
    /// Its first byte in the address space; of a completion, that of the first byte it brings.
    pub address: u64,
    /// Who asked.
    pub requester: Bdf,
    /// Of read requests and their completions: with `flow` and `purpose`, which of those in flight.
    pub request: u32,
    /// True in the last completion of a request.
    pub last: bool,
    /// True on the first link of its way.
    pub first_hop: bool,
    /// The payload, where it travels.
    pub data: Option<Box<[u8]>>,
}

/// A DLLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DllpRecord {
    /// So many TLPs more have arrived.
    Ack(u64),
    /// Credits granted since the start, initial ones included.
    UpdateFc {
        /// Of which pool.
        class: Class,
        /// Header credits.
        header: u64,
        /// Data credits.
        data: u64,
    },
}

/// No sink: nothing is told.
pub(crate) struct Nobody;

impl Sink for Nobody {
    fn begin(&mut self, _: &Scenario) {}
    fn take(&mut self, _: &mut Vec<Record>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Records until the sink takes them.
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
    pub fn tlp(&mut self, direction: u32, tlp: &Tlp, start: Time, end: Time) {
        self.records.push(Record::Tlp(TlpRecord {
            on: named(direction),
            start,
            end,
            kind: tlp.kind,
            purpose: tlp.purpose,
            flow: tlp.flow,
            payload: tlp.payload,
            asks: tlp.asks,
            address: tlp.address,
            requester: tlp.requester,
            request: tlp.tag,
            last: tlp.last,
            first_hop: tlp.came_by == NOWHERE,
            data: tlp.data.clone(),
        }));
    }

    #[cold]
    pub fn ack(&mut self, direction: u32, start: Time, end: Time, count: u64) {
        self.records.push(Record::Dllp { on: named(direction), start, end, what: DllpRecord::Ack(count) });
    }

    #[cold]
    pub fn update(&mut self, direction: u32, start: Time, end: Time, class: Class, granted: (u64, u64)) {
        let what = DllpRecord::UpdateFc { class, header: granted.0, data: granted.1 };
        self.records.push(Record::Dllp { on: named(direction), start, end, what });
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
