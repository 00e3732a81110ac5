//! The fabric: directions with their transmitters, switches, and what all parts share: events, TLPs in flight and
//! accounts of flows. Transmitters are in `transmit`, their DLLPs in `dllp`.

use crate::engine::flows::{Change, Flows};
use crate::engine::queue::{Event, Queue};
use crate::engine::tlp::{Tlp, Tlps};
use crate::engine::trace::Tracer;
use crate::link::direction::Direction;
use crate::link::meter::Meter;
use crate::link::source::Waiting;
use crate::link::switch::Switch;
use pcie::Time;
use pcie::credit::data_credits;
use std::collections::VecDeque;

/// A TLP has started to leave whose sender wants to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Departure {
    pub from: u32,
    pub flow: u32,
    pub payload: u32,
    /// When its last symbol leaves.
    pub end: Time,
    pub offset: u64,
}

/// See the module.
pub(crate) struct Fabric {
    pub now: Time,
    pub queue: Queue,
    /// Two for each link: `2 * link` leads up, `2 * link + 1` leads down, `d ^ 1` is the reverse of `d`.
    pub directions: Vec<Direction>,
    /// By part; `None` where the part is not a switch.
    pub switches: Vec<Option<Switch>>,
    pub tlps: Tlps,
    pub flows: Flows,
    pub sent: Vec<Departure>,
    /// Deliveries that are still to come, in the order of their times: (time, flow, bytes).
    pub to_come: VecDeque<(Time, u32, u32)>,
    pub tlp_hops: u64,
    /// When the window opened and closed, and the meters were read.
    pub metered: (Time, Time),
    /// The meters when the window opened.
    pub opened: Vec<Meter>,
    pub closed: Vec<Meter>,
    /// Flips a bit of this TLP on the wire, counted from 1 over all links: a test that the comparison can fail.
    pub flip: u64,
    /// The first breach of contract: the part, and what it did.
    pub fault: Option<Box<(u32, String)>>,
    /// The trace, where the run has a sink.
    pub trace: Option<Box<Tracer>>,
}

impl Fabric {
    /// Gives `tlp` to a transmitter.
    #[inline]
    pub fn enqueue(&mut self, direction: u32, source: u32, tlp: Tlp) {
        let place = self.tlps.add(tlp);
        self.enqueue_place(direction, source, place, self.now);
    }

    /// Puts the TLP at `place` into a transmitter's queue; the trace shows it from `from` on.
    fn enqueue_place(&mut self, direction: u32, source: u32, place: u32, from: Time) {
        let tlp = &self.tlps[place];
        let (class, ready) = (tlp.kind.class(), tlp.ready);
        let need = data_credits(tlp.payload as u64) as u32;
        let d = &mut self.directions[direction as usize];
        let alone = d.sources.is_empty();
        d.sources.push(source, class, Waiting { tlp: place, need, ready });
        if let Some(trace) = &mut self.trace {
            trace.queued(direction, from);
        }
        let lacks = d.dry_since[class.index()] != Time::NEVER && need >= d.dry_need[class.index()];
        let at = ready.max(d.open_at()).max(self.now);
        if self.now < d.foreseen_at && (at < d.foreseen_at || at == d.foreseen_at && !lacks) {
            self.unforesee(direction);
            self.look_ahead(direction);
        } else if alone {
            self.look_ahead(direction);
        } else if !lacks {
            self.arm(direction, at);
        }
    }

    /// Schedules a transmit event at `at`, unless an earlier one is scheduled.
    pub fn arm(&mut self, direction: u32, at: Time) {
        let d = &mut self.directions[direction as usize];
        if at < d.armed_at {
            d.armed_at = at;
            self.queue.push(at, Event::Transmit(direction));
        }
    }

    /// Gives a TLP to the part at the end of its direction; at a switch, to the next direction as soon as it may leave
    /// there.
    pub fn hand_over(&mut self, place: u32, to: u32, first: Time, last: Time) {
        let Some(switch) = &mut self.switches[to as usize] else {
            self.queue.push(last, Event::Receive { tlp: place });
            return;
        };
        let tlp = &self.tlps[place];
        let next = switch.route(tlp);
        let egress = self.directions[next.0 as usize].duration(tlp.shape);
        let ready = switch.may_leave(next.1, tlp, first, last, egress);
        self.forward(place, next, ready);
    }

    /// Puts a TLP into the queue `next` (direction, source), not before `ready`.
    pub fn forward(&mut self, place: u32, next: (u32, u32), ready: Time) {
        self.tlps[place].ready = ready;
        self.enqueue_place(next.0, next.1, place, ready);
    }

    /// Payload of `flow` is delivered at `at`: it is in memory, or has passed the card's core. It counts from that time
    /// on, so that what still waits there is in no rate.
    pub fn deliver(&mut self, flow: u32, bytes: u32, at: Time) {
        if let Some(trace) = &mut self.trace {
            trace.delivered(flow, bytes.into(), at);
        }
        let is_edge = self.flows.promise(flow, bytes.into());
        self.count_deliveries();
        if at <= self.now {
            return self.delivered(flow, bytes, at);
        }
        match self.to_come.back() {
            Some(&(last, ..)) if at < last => self.comes_before(flow, bytes, at),
            _ => self.to_come.push_back((at, flow, bytes)),
        }
        if is_edge {
            self.queue.push(at, Event::Delivered);
        }
    }

    /// Inserts a delivery that comes before others that are still to come.
    #[cold]
    fn comes_before(&mut self, flow: u32, bytes: u32, at: Time) {
        let place = self.to_come.iter().rposition(|&(before, ..)| before <= at).map_or(0, |place| place + 1);
        self.to_come.insert(place, (at, flow, bytes));
    }

    /// Counts the deliveries whose time has come. One that may open or close the window has an event at its time; the
    /// others are counted before the next.
    #[inline(always)]
    pub fn count_deliveries(&mut self) {
        while let Some(&(at, flow, bytes)) = self.to_come.front()
            && at <= self.now
        {
            self.to_come.pop_front();
            self.delivered(flow, bytes, at);
        }
    }

    #[inline(never)]
    fn delivered(&mut self, flow: u32, bytes: u32, at: Time) {
        let change = self.flows.deliver(flow, bytes.into(), at);
        self.changed(change);
    }

    /// Reads the meters where the window has changed.
    pub fn changed(&mut self, change: Change) {
        match change {
            Change::Nothing => (),
            Change::Opened => self.read_meters(true),
            Change::Closed => self.read_meters(false),
        }
    }

    /// Reads the meters when the window opens or closes.
    fn read_meters(&mut self, opens: bool) {
        let meters = self.meters();
        if opens {
            (self.opened, self.metered.0) = (meters, self.now);
        } else {
            (self.closed, self.metered.1) = (meters, self.now);
        }
    }

    /// All meters as of now: due DLLPs are on the wire, and idle time up to now is counted.
    pub fn meters(&mut self) -> Vec<Meter> {
        (0..self.directions.len() as u32)
            .map(|direction| {
                self.flush(direction);
                self.directions[direction as usize].metered(self.now)
            })
            .collect()
    }

    /// Asks for a wake-up.
    pub fn wake(&mut self, part: u32, token: u32, at: Time) {
        self.queue.push(at.max(self.now), Event::Wake { part, token });
    }
}
