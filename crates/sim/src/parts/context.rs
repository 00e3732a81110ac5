//! A part of a crate above, and what it may do: whole TLPs in and out, credits, wake-ups, accounts.

use crate::engine::region::bytes_at;
use crate::engine::tlp::Tlp;
use crate::link::fabric::Fabric;
use crate::parts::traffic::{Arrived, Hold, Label, Leaving, Payload, tlp};
use pcie::Time;
use pcie::tlp::{REQUEST_BOUNDARY_BYTES, TlpKind};
use std::borrow::Cow;
use system::PartId;

/// What a part may do.
pub struct PartContext<'a> {
    fabric: &'a mut Fabric,
    seat: &'a Seat,
}

/// Where a part sits.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub part: u32,
    /// By port: the direction that leads out of it, the first of the part's sources there, and how many; `None` where it is
    /// free.
    pub ports: Vec<Option<(u32, u32, u32)>>,
    /// By port: the most payload of what it sends there.
    pub mps: Vec<u32>,
}

impl<'a> PartContext<'a> {
    pub(crate) fn new(fabric: &'a mut Fabric, seat: &'a Seat) -> PartContext<'a> {
        PartContext { fabric, seat }
    }
}

impl PartContext<'_> {
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
    /// When the first symbol of what arrives now was there.
    pub fn began(&self, hold: &Hold) -> Time {
        let link = &self.fabric.directions[hold.came_by as usize];
        self.fabric.now.saturating_sub(link.duration(hold.shape))
    }
    /// The payload of what arrived, byte by byte: where it travelled as a length, what its flow carries there.
    pub fn bytes<'b>(&self, data: &'b Payload, label: Label) -> Cow<'b, [u8]> {
        match data {
            Payload::Bytes(bytes) => Cow::Borrowed(bytes),
            Payload::Length(bytes) => {
                let own = label.flow;
                let origin = self.fabric.flows.origins.get(own as usize).copied().unwrap_or(own);
                Cow::Owned(bytes_at(origin, label.offset, u64::from(*bytes)).into_vec())
            }
        }
    }
    /// Hands a TLP to the link of a port, which takes it in the order that ordering rules and credits allow. A port without a
    /// link, or more payload than the part may send, ends the run.
    pub fn send(&mut self, leaving: Leaving) {
        let Some((direction, source)) = self.source(leaving.port, leaving.queue) else { return };
        let mps = self.seat.mps.get(leaving.port).copied().unwrap_or(0);
        let (tlp, says) = tlp(leaving);
        let payload = tlp.payload;
        if u64::from(payload) != says || tlp.kind == TlpKind::MemoryWrite && payload == 0 {
            return self
                .fault(|| format!("the header of a TLP says {says} bytes of payload, and it carries {payload}"));
        }
        let asks = u64::from(tlp.asks);
        if tlp.kind == TlpKind::MemoryRead && !(1..=REQUEST_BOUNDARY_BYTES).contains(&asks) {
            return self.fault(|| format!("it asks for {asks} bytes at once, and 1 to 4096 may be asked for"));
        }
        if tlp.born > tlp.ready {
            return self.fault(|| "it sends a TLP before it was decided".to_string());
        }
        if payload > mps {
            return self.fault(|| format!("it sends {payload} bytes in a TLP, and its MPS is {mps}"));
        }
        if self.is_flow(tlp.flow) {
            self.fabric.enqueue(direction, source, tlp);
        }
    }
    /// Sends on what has arrived, unchanged, by a queue of another port, where it may start at `ready`: a root complex does so
    /// with what is for what lies below another of its ports. Its credits are freed when it has left.
    pub fn forward(&mut self, arrived: Arrived, port: usize, queue: u32, ready: Time) {
        let Some((direction, source)) = self.source(port, queue) else { return };
        let Arrived { header, data, label, born, held, hold, .. } = arrived;
        let (tlp, _) = tlp(Leaving { port, queue, header, data, label, born, ready, held, tell: false });
        let place = self.fabric.tlps.add(Tlp { came_by: hold.came_by, ..tlp });
        self.fabric.forward(place, (direction, source), ready);
    }
    /// How long the link of its port is taken by what is to leave, up to where the next TLP may start.
    pub fn slot(&self, leaving: &Leaving) -> Time {
        let Some(&Some((direction, ..))) = self.seat.ports.get(leaving.port) else { return Time::ZERO };
        let link = &self.fabric.directions[direction as usize];
        link.wire.duration(link.framing.tlp_bytes(leaving.shape()).next_multiple_of(link.alignment))
    }
    /// Ends the run with what came to this part and may not come.
    pub fn refuse(&mut self, what: impl FnOnce() -> String) {
        self.fault(what);
    }
    /// The direction that leads out of a port, and the source there that a queue is; else the run ends.
    #[inline]
    fn source(&mut self, port: usize, queue: u32) -> Option<(u32, u32)> {
        let Some(&Some((direction, source, queues))) = self.seat.ports.get(port) else {
            self.fault(|| format!("it sends by its port {port}, which has no link"));
            return None;
        };
        if queue >= queues {
            self.fault(|| format!("it names queue {queue} of a port where it has {queues}"));
            return None;
        }
        Some((direction, source + queue))
    }
    /// Ends the run with what the software of `device` did and may not do: for who runs it.
    pub fn refuse_of(&mut self, device: PartId, what: impl FnOnce() -> String) {
        self.fabric.fault.get_or_insert_with(|| Box::new((device.0 as u32, what())));
    }
    /// True for a flow of the scenario.
    pub fn has_flow(&self, flow: u32) -> bool {
        self.fabric.flows.is_one(flow)
    }
    /// True where the application of `flow` has seen its end.
    pub fn has_ended(&self, flow: u32) -> bool {
        self.fabric.flows.has_ended(flow)
    }
    /// So many bytes of `flow` are not as they should be.
    pub fn found_wrong(&mut self, flow: u32, bytes: u64) {
        if self.is_flow(flow) {
            self.fabric.flows.accounts[flow as usize].wrong += bytes;
        }
    }
    /// True for a flow of the scenario; else the run ends.
    #[inline]
    fn is_flow(&mut self, flow: u32) -> bool {
        let is_there = self.fabric.flows.is_one(flow);
        if !is_there {
            self.fault(|| format!("it names flow {flow}, which there is not"));
        }
        is_there
    }
    /// True for now and later; else the run ends.
    #[inline]
    fn is_to_come(&mut self, at: Time) -> bool {
        let is_past = at < self.fabric.now;
        if is_past {
            self.fault(|| "it tells of payload that was where it goes before now".to_string());
        }
        !is_past
    }
    /// The part has broken its contract: the run ends with the first such thing.
    #[cold]
    #[inline(never)]
    fn fault(&mut self, what: impl FnOnce() -> String) {
        self.fabric.fault.get_or_insert_with(|| Box::new((self.seat.part, what())));
    }
    /// `bytes` of `flow` are where they go from `at` on: what has just come in is through then.
    pub fn deliver(&mut self, flow: u32, bytes: u64, at: Time) {
        if self.is_flow(flow) && self.is_to_come(at) {
            self.fabric.deliver(flow, bytes, at);
        }
    }
    /// The same, told by a part that runs ahead of the events.
    pub fn deliver_ahead(&mut self, flow: u32, bytes: u64, at: Time) {
        if self.is_flow(flow) && self.is_to_come(at) {
            self.fabric.deliver_ahead(flow, bytes, at);
        }
    }
    /// From `at` on `flow` has so many requests in flight: for traces.
    pub fn in_flight(&mut self, flow: u32, requests: u64, at: Time) {
        if let Some(trace) = &mut self.fabric.trace {
            trace.in_flight(flow, requests, at);
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
                true => self.fault(|| format!("it ends flow {flow} twice")),
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
