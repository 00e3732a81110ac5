//! The fabric: directions with their transmitters, switches between them, and what all parts share: events, TLPs
//! on their way, the accounts of the flows.

use crate::account::REPLAY_OVERHEAD_BYTES;
use crate::direction::Direction;
use crate::flows::{Change, Flows};
use crate::meter::Meter;
use crate::owed::Due;
use crate::queue::{Event, Queue};
use crate::switch::Switch;
use crate::tlp::{Held, NOWHERE, Tlp, Tlps};
use crate::trace::Tracer;
use crate::wire::Packet;
use pcie::credit::data_credits;
use pcie::{Class, Time};
use system::Wait;

/// A TLP that asked for it has left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub from: u32,
    pub flow: u32,
    pub payload: u32,
    /// Its last symbol.
    pub end: Time,
    pub offset: u64,
}

/// The next TLP of a direction.
struct Pick {
    source: u32,
    class: Class,
    tlp: u32,
}

/// See the module.
pub(crate) struct Fabric {
    pub now: Time,
    pub queue: Queue,
    /// Two for each link: `2 * link` leads up, `2 * link + 1` down; `d ^ 1` is the reverse of `d`.
    pub directions: Vec<Direction>,
    /// By part; `None` where the part is none.
    pub switches: Vec<Option<Switch>>,
    pub tlps: Tlps,
    pub flows: Flows,
    pub sent: Vec<Sent>,
    pub tlp_hops: u64,
    /// Time that host memory has spent on writes.
    pub memory_busy: Time,
    /// The same when the window opened and when it closed.
    pub memory_window: (Time, Time),
    /// When the meters of the window were read: at its opening, at its close.
    pub metered: (Time, Time),
    /// Meters when the window opened and when it closed.
    pub opened: Vec<Meter>,
    pub closed: Vec<Meter>,
    /// The TLP that is to have a bit flipped on the wire, counted from 1: for seeing that a comparison can fail.
    pub flip: u64,
    /// Where somebody looks on.
    pub trace: Option<Box<Tracer>>,
}

impl Fabric {
    /// Gives `tlp` to a transmitter.
    pub fn enqueue(&mut self, direction: u32, source: u32, tlp: Tlp) {
        let place = self.tlps.add(tlp);
        self.enqueue_place(direction, source, place);
    }

    fn enqueue_place(&mut self, direction: u32, source: u32, place: u32) {
        let tlp = &self.tlps[place];
        let (class, ready) = (tlp.kind.class(), tlp.ready);
        let need = data_credits(tlp.payload as u64);
        let d = &mut self.directions[direction as usize];
        d.sources.push(source, class, place);
        if let Some(trace) = &mut self.trace {
            trace.queued(direction, self.now);
        }
        if d.dry_since[class.index()] != Time::NEVER && need >= d.dry_need[class.index()] {
            return;
        }
        let at = ready.max(d.wire.free_at()).max(self.now);
        self.arm(direction, at);
    }

    pub fn arm(&mut self, direction: u32, at: Time) {
        let d = &mut self.directions[direction as usize];
        if at < d.armed_at {
            d.armed_at = at;
            self.queue.push(at, Event::Transmit(direction));
        }
    }

    fn arm_dllp(&mut self, direction: u32) {
        let reverse = &self.directions[direction as usize ^ 1];
        let dry = reverse.dry_since;
        let full = reverse.full_since != Time::NEVER;
        let d = &mut self.directions[direction as usize];
        let due = d.owed.next_helpful(dry, full);
        if due == Time::NEVER {
            return;
        }
        let at = due.max(d.wire.free_at()).max(self.now);
        if at < d.dllp_armed_at {
            d.dllp_armed_at = at;
            self.queue.push(at, Event::Dllp(direction));
        }
    }

    /// The event of that name; false where a later one was brought forward.
    pub fn on_dllp(&mut self, direction: u32) {
        let d = &mut self.directions[direction as usize];
        if d.dllp_armed_at != self.now {
            return;
        }
        d.dllp_armed_at = Time::NEVER;
        self.flush(direction);
        if self.directions[direction as usize ^ 1].waits() {
            self.arm_dllp(direction);
        }
    }

    pub fn on_forward(&mut self, place: u32) {
        let (direction, source) = self.tlps[place].next;
        self.enqueue_place(direction, source, place);
    }

    /// Credits that a TLP held where it came in are free from `at` on.
    pub fn free_credits(&mut self, came_by: u32, class: Class, payload: u32, at: Time) {
        let reverse = came_by ^ 1;
        let dry = self.directions[came_by as usize].dry_since;
        let port = &mut self.directions[reverse as usize];
        port.owed.freed(class, at, 1, data_credits(payload as u64) as u32);
        port.next_owed = port.owed.next(dry);
        if dry[class.index()] != Time::NEVER {
            self.arm_dllp(reverse);
        }
    }

    /// Puts all DLLPs on the wire that are due by now and find it free.
    fn flush(&mut self, direction: u32) {
        loop {
            let d = &mut self.directions[direction as usize];
            let (due, what) = d.next_owed;
            if due > self.now || (d.owed.on_wire && d.wire.free_at() > self.now) {
                return;
            }
            let (start, end) = if d.owed.on_wire {
                let placed = d.wire.place(due, pcie::dllp::WIRE_BYTES, d.dllp_alignment, Packet::Dllp);
                d.meter.dllp(placed);
                (placed.start, placed.end)
            } else {
                (due, due)
            };
            let arrival = end + d.propagation;
            let helped = match what {
                Due::Ack => {
                    let count = d.owed.acknowledge(start);
                    if let Some(trace) = &mut self.trace {
                        trace.ack(direction, start, end, count);
                    }
                    let reverse = &mut self.directions[direction as usize ^ 1];
                    reverse.replay.acknowledged(arrival, count);
                    reverse.full_since != Time::NEVER
                }
                Due::UpdateFc(class) => {
                    let (header, data) = d.owed.update(class, start);
                    if let Some(trace) = &mut self.trace {
                        trace.update(direction, start, end, class, (header, data));
                    }
                    let reverse = &mut self.directions[direction as usize ^ 1];
                    reverse.pools[class.index()].grant(arrival, header, data);
                    reverse.dry_since[class.index()] != Time::NEVER
                }
            };
            self.refresh_owed(direction);
            if helped {
                self.arm(direction ^ 1, arrival.max(self.now));
            }
        }
    }

    fn refresh_owed(&mut self, direction: u32) {
        let dry = self.directions[direction as usize ^ 1].dry_since;
        let d = &mut self.directions[direction as usize];
        d.next_owed = d.owed.next(dry);
    }

    /// The event of that name: sends what is owed, then the next TLP.
    pub fn on_transmit(&mut self, direction: u32) {
        let d = &mut self.directions[direction as usize];
        if d.armed_at != self.now {
            return;
        }
        d.armed_at = Time::NEVER;
        if d.next_owed.0 <= self.now {
            self.flush(direction);
        }
        let d = &mut self.directions[direction as usize];
        if d.sources.is_empty() {
            return;
        }
        let free = d.wire.free_at().max(d.cap_free);
        if free > self.now {
            self.arm(direction, free);
            return;
        }
        match self.pick(direction) {
            Ok(pick) => self.send(direction, &pick),
            Err(later) if later != Time::NEVER => self.arm(direction, later),
            Err(_) => {}
        }
        if self.directions[direction as usize].waits() {
            self.refresh_owed(direction ^ 1);
            self.flush(direction ^ 1);
            self.arm_dllp(direction ^ 1);
        }
    }

    /// The TLP whose turn it is, or when to look again.
    fn pick(&mut self, direction: u32) -> Result<Pick, Time> {
        let d = &mut self.directions[direction as usize];
        let (now, mut later) = (self.now, Time::NEVER);
        let mut dry = [u64::MAX; 3];
        let mut full = false;
        let found = 'turns: {
            let mut turns = d.sources.turns();
            while let Some(source) = turns.next(&d.sources) {
                for (place, class) in d.sources.heads(source) {
                    let tlp = &self.tlps[place];
                    if tlp.ready > now {
                        later = later.min(tlp.ready);
                    } else if data_credits(tlp.payload as u64) >= dry[class.index()] {
                        continue;
                    } else if !d.pools[class.index()].allows(data_credits(tlp.payload as u64), now) {
                        dry[class.index()] = data_credits(tlp.payload as u64);
                        later = later.min(d.pools[class.index()].next_grant());
                    } else if !d.replay.allows(replay_bytes(tlp), now) {
                        full = true;
                        later = later.min(d.replay.next_ack());
                    } else {
                        break 'turns Some(Pick { source, class, tlp: place });
                    }
                }
            }
            None
        };
        let ended = d.note_waits(dry, full, found.is_none(), now);
        if ended != [Time::NEVER; 3] {
            self.end_dry(direction, ended);
        }
        found.ok_or(later.max(now))
    }

    /// Pools that had run out of credits since `since` have them again.
    fn end_dry(&mut self, direction: u32, since: [Time; 3]) {
        let owed = &mut self.directions[direction as usize ^ 1].owed;
        for class in Class::ALL {
            if since[class.index()] != Time::NEVER {
                owed.no_longer_dry(class, since[class.index()], self.now);
            }
        }
        self.refresh_owed(direction ^ 1);
    }

    fn send(&mut self, direction: u32, pick: &Pick) {
        let (class, place) = (pick.class, pick.tlp);
        let d = &mut self.directions[direction as usize];
        let tlp = &mut self.tlps[place];
        d.sources.take(pick.source, class);
        d.pools[class.index()].take(data_credits(tlp.payload as u64));
        d.replay.keep(replay_bytes(tlp));
        let behind = d.meter.last_end() > tlp.ready;
        blame(tlp, d.dry_since[class.index()], d.full_since, behind, self.now);
        let placed = d.wire.place(self.now, tlp.wire as u64, d.alignment, Packet::Tlp);
        d.meter.tlp(tlp, placed);
        let dry_since = std::mem::replace(&mut d.dry_since[class.index()], Time::NEVER);
        let was_dry = dry_since != Time::NEVER;
        d.full_since = Time::NEVER;
        if let Some(cap) = d.cap {
            d.cap_free = placed.start + cap_time(tlp.payload, cap);
        }
        self.tlp_hops += 1;
        if self.tlp_hops == self.flip
            && let Some(byte) = tlp.data.as_mut().and_then(|data| data.first_mut())
        {
            *byte ^= 1;
        }
        if let Some(trace) = &mut self.trace {
            trace.tlp(direction, tlp, placed.start, placed.end);
        }
        let (to, propagation, more) = (d.to, d.propagation, !d.sources.is_empty());
        let arrival = placed.end + propagation;
        if tlp.notify {
            tlp.notify = false;
            let from = self.directions[direction as usize ^ 1].to;
            let (flow, payload, offset) = (tlp.flow, tlp.payload, tlp.offset);
            self.sent.push(Sent { from, flow, payload, end: placed.end, offset });
        }
        let came_by = std::mem::replace(&mut tlp.came_by, direction);
        let payload = tlp.payload;
        let owed = &mut self.directions[direction as usize ^ 1].owed;
        if was_dry {
            owed.no_longer_dry(class, dry_since, self.now);
        }
        owed.received(arrival);
        if was_dry || self.directions[direction as usize ^ 1].next_owed.0 > arrival {
            self.refresh_owed(direction ^ 1);
        }
        if came_by != NOWHERE {
            self.free_credits(came_by, class, payload, placed.end);
        }
        self.hand_over(place, to, placed.start + propagation, arrival);
        if more {
            self.arm(direction, placed.end);
        }
    }

    /// A TLP goes to the part at the end of its direction: through a switch as soon as it may leave there.
    fn hand_over(&mut self, place: u32, to: u32, first: Time, last: Time) {
        let Some(switch) = &mut self.switches[to as usize] else {
            self.queue.push(last, Event::Receive { tlp: place });
            return;
        };
        let tlp = &self.tlps[place];
        let next = switch.route(tlp);
        let egress = self.directions[next.0 as usize].wire.duration(tlp.wire as u64);
        let ready = switch.may_leave(tlp.came_by, tlp.payload, first, last, egress);
        self.forward(place, next, ready);
    }

    /// A TLP goes on to `next` (direction, source) at `ready`.
    pub fn forward(&mut self, place: u32, next: (u32, u32), ready: Time) {
        let tlp = &mut self.tlps[place];
        tlp.next = next;
        tlp.ready = ready;
        self.queue.push(ready, Event::Forward { tlp: place });
    }

    /// Payload of `flow` is where it goes from `at` on: in memory, or through the card's core.
    pub fn deliver(&mut self, flow: u32, bytes: u64, at: Time) {
        if let Some(trace) = &mut self.trace {
            trace.delivered(flow, bytes, at);
        }
        match self.flows.deliver(flow, bytes, at) {
            Change::Nothing => {}
            Change::Opened => {
                self.opened = self.meters();
                self.metered.0 = self.now;
                self.memory_window.0 = self.memory_busy;
            }
            Change::Closed => {
                self.closed = self.meters();
                self.metered.1 = self.now;
                self.memory_window.1 = self.memory_busy;
            }
        }
    }

    /// All meters as of now: what is due by now is on the wire, and what is idle up to now is counted.
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

fn replay_bytes(tlp: &Tlp) -> u64 {
    (tlp.wire as u64 - pcie::tlp::FRAMING_BYTES) + REPLAY_OVERHEAD_BYTES
}

/// Server time of `payload` at `rate` bytes a second.
pub(crate) fn cap_time(payload: u32, rate: u64) -> Time {
    Time::from_fs((payload as u128 * 1_000_000_000_000_000 / rate.max(1) as u128) as u64)
}

/// Notes in the TLP what this transmitter made it wait for; `behind` where another TLP was on the link when it was
/// ready.
fn blame(tlp: &mut Tlp, dry_since: Time, full_since: Time, behind: bool, now: Time) {
    let by = match (dry_since, full_since) {
        (Time::NEVER, Time::NEVER) if behind => Wait::Arbitration,
        (Time::NEVER, Time::NEVER) => return,
        (Time::NEVER, _) => Wait::Replay,
        _ => Wait::Credits,
    };
    tlp.held = match by {
        Wait::Arbitration => Held { by, until: now, then: tlp.held.then },
        _ => Held { by: tlp.held.by, until: dry_since.min(full_since), then: by },
    };
}
