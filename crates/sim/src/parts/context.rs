//! The interface of a part to the simulation: sending and receiving TLPs, credits, wake-ups, and accounts of flows.

use crate::engine::region::bytes_at;
use crate::engine::tlp::Tlp;
use crate::link::fabric::Fabric;
use crate::parts::traffic::{Arrived, Hold, Label, Leaving, Payload, tlp};
use pcie::Time;
use pcie::tlp::{REQUEST_BOUNDARY_BYTES, TlpKind};
use std::borrow::Cow;
use system::PartId;

/// What a part may do while it is called. The contract is in [`parts`](crate::parts).
pub struct PartContext<'a> {
    fabric: &'a mut Fabric,
    seat: &'a Seat,
}

/// The place of a part in the fabric.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub part: u32,
    /// By port: the direction that leaves it, the number of the part's first source there, and how many sources; `None`
    /// for a port without a link.
    pub ports: Vec<Option<(u32, u32, u32)>>,
    /// By port: the largest payload that the part may send there, in bytes.
    pub mps: Vec<u32>,
}

impl<'a> PartContext<'a> {
    pub(crate) fn new(fabric: &'a mut Fabric, seat: &'a Seat) -> PartContext<'a> {
        PartContext { fabric, seat }
    }
}

impl PartContext<'_> {
    /// The time of the present event.
    pub fn now(&self) -> Time {
        self.fabric.now
    }
    /// The time of the next event anywhere; [`Time::NEVER`] where there is none.
    pub fn next_event(&mut self) -> Time {
        self.fabric.queue.next()
    }
    /// Asks for a call to [`Part::wake`](crate::parts::Part::wake) at `at`, with `token`.
    pub fn wake(&mut self, token: u32, at: Time) {
        self.fabric.wake(self.seat.part, token, at);
    }
    /// Frees the credits of a received TLP at `at`.
    pub fn release(&mut self, hold: Hold, at: Time) {
        self.fabric.free_credits(hold.came_by, hold.class, hold.payload, at.max(self.fabric.now));
    }
    /// When the first symbol of the TLP that arrives now was received.
    pub fn began(&self, hold: &Hold) -> Time {
        let link = &self.fabric.directions[hold.came_by as usize];
        self.fabric.now.saturating_sub(link.duration(hold.shape))
    }
    /// The payload bytes of a received TLP. Where the run transports lengths only, the bytes that the flow has at that
    /// place.
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
    /// Puts a TLP into a queue of a port. The link sends it when ordering rules and credits allow. A port without a
    /// link, a payload above the part's MPS, or a header that does not fit the payload ends the run.
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
    /// Sends a received TLP on, unchanged, by a queue of another port, not before `ready`. A root complex does this for
    /// requests to devices below another of its ports. The credits are freed when the TLP has left.
    pub fn forward(&mut self, arrived: Arrived, port: usize, queue: u32, ready: Time) {
        let Some((direction, source)) = self.source(port, queue) else { return };
        let Arrived { header, data, label, born, held, hold, .. } = arrived;
        let (tlp, _) = tlp(Leaving { port, queue, header, data, label, born, ready, held, tell: false, last: false });
        let place = self.fabric.tlps.add(Tlp { came_by: hold.came_by, ..tlp });
        self.fabric.forward(place, (direction, source), ready);
    }
    /// How long the link of its port is occupied by `leaving`, until the next TLP may start.
    pub fn slot(&self, leaving: &Leaving) -> Time {
        let Some(&Some((direction, ..))) = self.seat.ports.get(leaving.port) else { return Time::ZERO };
        let link = &self.fabric.directions[direction as usize];
        link.wire.duration(link.framing.tlp_bytes(leaving.shape()).next_multiple_of(link.alignment))
    }
    /// Ends the run with a message: this part received something that it does not accept.
    pub fn refuse(&mut self, what: impl FnOnce() -> String) {
        self.fault(what);
    }
    /// The direction and the source of a queue of a port. Ends the run where there is none.
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
    /// Ends the run with a message: the software of `device` broke its contract. For parts that run software.
    pub fn refuse_of(&mut self, device: PartId, what: impl FnOnce() -> String) {
        self.fabric.fault.get_or_insert_with(|| Box::new((device.0 as u32, what())));
    }
    /// True where the scenario has a flow of that number.
    pub fn has_flow(&self, flow: u32) -> bool {
        self.fabric.flows.is_one(flow)
    }
    /// True where the application has seen the end of `flow`.
    pub fn has_ended(&self, flow: u32) -> bool {
        self.fabric.flows.has_ended(flow)
    }
    /// Reports `bytes` wrong bytes in `flow`.
    pub fn found_wrong(&mut self, flow: u32, bytes: u64) {
        if self.is_flow(flow) {
            self.fabric.flows.accounts[flow as usize].wrong += bytes;
        }
    }
    /// True where the scenario has a flow of that number. Otherwise the run ends.
    #[inline]
    fn is_flow(&mut self, flow: u32) -> bool {
        let is_there = self.fabric.flows.is_one(flow);
        if !is_there {
            self.fault(|| format!("it names flow {flow}, which there is not"));
        }
        is_there
    }
    /// True where `at` is not in the past. Otherwise the run ends.
    #[inline]
    fn is_to_come(&mut self, at: Time) -> bool {
        let is_past = at < self.fabric.now;
        if is_past {
            self.fault(|| "it tells of payload that was where it goes before now".to_string());
        }
        !is_past
    }
    /// Ends the run because the part broke its contract. The first such message is kept.
    #[cold]
    #[inline(never)]
    fn fault(&mut self, what: impl FnOnce() -> String) {
        self.fabric.fault.get_or_insert_with(|| Box::new((self.seat.part, what())));
    }
    /// `bytes` of `flow` are delivered at `at`, which may be later than now by what the part needs to process them, or
    /// because the part's own time is ahead of the events. They count from `at` on. At most 4 GiB at once.
    pub fn deliver(&mut self, flow: u32, bytes: u64, at: Time) {
        match u32::try_from(bytes) {
            Ok(bytes) if self.is_flow(flow) && self.is_to_come(at) => self.fabric.deliver(flow, bytes, at),
            Ok(_) => (),
            Err(_) => self.fault(|| format!("it delivers {bytes} bytes at once")),
        }
    }
    /// From `at` on, `flow` has `requests` read requests in flight. For traces only.
    pub fn in_flight(&mut self, flow: u32, requests: u64, at: Time) {
        if let Some(trace) = &mut self.fabric.trace {
            trace.in_flight(flow, requests, at);
        }
    }
    /// Reports a latency of `flow`.
    pub fn timed(&mut self, flow: u32, latency: Time) {
        if self.is_flow(flow) {
            self.fabric.flows.timed(flow, latency);
        }
    }
    /// The software of `flow` spends CPU time. For parts that run software.
    pub fn spent(&mut self, flow: u32, time: Time) {
        if self.is_flow(flow) {
            self.fabric.flows.spent(flow, time);
        }
    }
    /// A command of `flow` has ended with an error, and `bytes` that it should have moved are not delivered.
    pub fn failed(&mut self, flow: u32, bytes: u64) {
        if self.is_flow(flow) {
            let change = self.fabric.flows.failed(flow, bytes, self.fabric.now);
            self.fabric.changed(change);
        }
    }
    /// A command of `flow` is answered late, by a fault.
    pub fn was_late(&mut self, flow: u32) {
        if self.is_flow(flow) {
            self.fabric.flows.accounts[flow as usize].faults.late += 1;
        }
    }
    /// Nothing of `flow` will be answered any more.
    pub fn stopped(&mut self, flow: u32) {
        if self.is_flow(flow) {
            let change = self.fabric.flows.stopped(flow, self.fabric.now);
            self.fabric.changed(change);
        }
    }
    /// The application has seen the end of `flow` at `at`. A part reports that once for each flow.
    pub fn ended(&mut self, flow: u32, at: Time) {
        if self.is_flow(flow) {
            match self.fabric.flows.has_ended(flow) {
                true => self.fault(|| format!("it ends flow {flow} twice")),
                false => self.fabric.flows.ended(flow, at),
            }
        }
    }
    /// Compares delivered bytes with those that the flow sent from `offset` on.
    pub fn compare(&mut self, flow: u32, offset: u64, data: &[u8]) {
        if self.is_flow(flow) {
            self.fabric.flows.compare(flow, offset, data);
        }
    }
}
