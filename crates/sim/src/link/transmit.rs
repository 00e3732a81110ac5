//! The transmitter of a direction: which TLP goes next, and when.

use crate::engine::tlp::{Held, NOWHERE, Tlp};
use crate::link::cap::cap_time;
use crate::link::direction::Direction;
use crate::link::dllp::BACKLOG;
use crate::link::fabric::{Departure, Fabric};
use crate::link::source::Waiting;
use crate::link::wire::Packet;
use pcie::tlp::TlpKind;
use pcie::{Class, Time};
use system::Wait;

/// The TLP to send next, and its source.
#[derive(Clone, Copy)]
struct Pick {
    source: u32,
    class: Class,
    tlp: u32,
    need: u32,
}

/// What a transmitter would find at a later time.
enum Ahead {
    /// A TLP may go then, or only a transmit event at that time can tell.
    Look,
    /// Nothing is ready before this time.
    Later(Time),
    /// All that is ready lacks credits, of each class at least this many. The time is when that may change by itself.
    Dry([u32; 3], Time),
}

impl Fabric {
    /// Handles the transmit event: sends due DLLPs, then the next TLP.
    pub fn on_transmit(&mut self, direction: u32) {
        let d = &mut self.directions[direction as usize];
        if d.armed_at != self.now {
            return;
        }
        d.armed_at = Time::NEVER;
        self.flush(direction);
        let d = &mut self.directions[direction as usize];
        if d.sources.is_empty() {
            return;
        }
        let open = d.open_at();
        if open > self.now {
            self.arm(direction, open);
            return;
        }
        match pick(self, direction) {
            Ok(pick) => {
                send(self, direction, pick);
                self.tell_waits(direction);
                if !self.directions[direction as usize].sources.is_empty() {
                    self.look_ahead(direction);
                }
            }
            Err(later) => {
                self.arm(direction, later);
                self.tell_waits(direction);
            }
        }
    }

    /// Where a TLP waits for credits or ACKs, has the other end send them as soon as they are due.
    fn tell_waits(&mut self, direction: u32) {
        if self.directions[direction as usize].waits() {
            self.refresh_owed(direction ^ 1);
            self.flush(direction ^ 1);
            self.arm_dllp(direction ^ 1);
        }
    }

    /// Schedules the transmit event for the next TLP that may go. Where that event would only find credits missing, it
    /// is not scheduled: the lack is noted as of then, and the UpdateFC that ends it schedules the event.
    pub fn look_ahead(&mut self, direction: u32) {
        let open = self.directions[direction as usize].open_at().max(self.now);
        let mut at = open;
        let mut found = ahead(&self.directions[direction as usize], at);
        if let Ahead::Later(ready) = found {
            at = ready;
            found = ahead(&self.directions[direction as usize], at);
        }
        match found {
            // Its own DLLPs go first.
            Ahead::Dry(..) if self.directions[direction as usize].next_owed.0 <= at => self.arm(direction, at),
            Ahead::Dry(dry, later) if self.directions[direction as usize].foresee(dry, at) => {
                self.arm(direction, later);
                self.refresh_owed(direction ^ 1);
                self.arm_dllp(direction ^ 1);
            }
            _ => self.arm(direction, at),
        }
    }

    /// Something has changed before the time of a foreseen lack of credits.
    pub fn unforesee(&mut self, direction: u32) {
        self.directions[direction as usize].unforesee();
        self.refresh_owed(direction ^ 1);
    }
}

/// Chooses the TLP to send, or the time of the next attempt.
fn pick(fabric: &mut Fabric, direction: u32) -> Result<Pick, Time> {
    let d = &mut fabric.directions[direction as usize];
    let (now, mut later) = (fabric.now, Time::NEVER);
    let mut dry = [u32::MAX; 3];
    let mut full = false;
    let Direction { sources, pools, replay, .. } = d;
    let mut found = None;
    for (source, class, Waiting { tlp, need, ready }) in sources.heads() {
        let pool = &mut pools[class.index()];
        if ready > now {
            later = later.min(ready);
        } else if need >= dry[class.index()] {
        } else if !pool.allows(need as u64, now) {
            dry[class.index()] = need;
            later = later.min(pool.when(need as u64));
        } else if replay.is_limited() && !replay.allows(fabric.tlps[tlp].shape.replay_bytes(), now) {
            full = true;
            later = later.min(replay.next_ack());
        } else {
            found = Some(Pick { source, class, tlp, need });
            break;
        }
    }
    let ended = d.note_waits(dry, full, found.is_none(), now);
    if ended != [Time::NEVER; 3] {
        fabric.end_dry(direction, ended);
    }
    found.ok_or(later.max(now))
}

/// What the transmitter would find at `at`, as far as is known now.
fn ahead(d: &Direction, at: Time) -> Ahead {
    let (mut first, mut later) = (Time::NEVER, Time::NEVER);
    let mut dry = [u32::MAX; 3];
    for (_, class, Waiting { need, ready, .. }) in d.sources.heads() {
        first = first.min(ready);
        if ready > at {
            later = later.min(ready);
        } else if need < dry[class.index()] {
            let when = d.pools[class.index()].when(need as u64);
            if when <= at {
                return Ahead::Look;
            }
            dry[class.index()] = need;
            later = later.min(when);
        }
    }
    if first > at { Ahead::Later(first) } else { Ahead::Dry(dry, later) }
}

/// True for a write inside a command and a block of its addresses.
#[cold]
fn goes_on(tlp: &Tlp, block: u64) -> bool {
    let end = tlp.address + u64::from(tlp.payload);
    tlp.kind == TlpKind::MemoryWrite && !tlp.last && !end.is_multiple_of(block)
}

/// Puts a TLP on the wire, and gives it to the other end.
fn send(fabric: &mut Fabric, direction: u32, pick: Pick) {
    let (class, place) = (pick.class, pick.tlp);
    let d = &mut fabric.directions[direction as usize];
    let tlp = &mut fabric.tlps[place];
    d.sources.take(pick.source, class);
    d.pools[class.index()].take(pick.need as u64);
    let kept = tlp.shape.replay_bytes();
    d.replay.keep(kept);
    let behind = d.meter.last_end() > tlp.ready;
    blame(tlp, d.dry_since[class.index()], d.full_since, behind, fabric.now);
    let bytes = d.framing.tlp_bytes(tlp.shape);
    let placed = d.wire.place(fabric.now, bytes, d.alignment, Packet::Tlp);
    if d.wire.gap_block() > 0 && goes_on(tlp, d.wire.gap_block()) {
        d.wire.close_up();
    }
    d.meter.tlp(tlp, bytes, placed);
    let dry_since = std::mem::replace(&mut d.dry_since[class.index()], Time::NEVER);
    let was_dry = dry_since != Time::NEVER;
    d.full_since = Time::NEVER;
    if let Some(cap) = d.cap {
        d.cap_free = placed.start + cap_time(tlp.payload, cap);
    }
    fabric.tlp_hops += 1;
    if fabric.tlp_hops == fabric.flip
        && let Some(byte) = tlp.data.as_mut().and_then(|data| data.first_mut())
    {
        *byte ^= 1;
    }
    if let Some(trace) = &mut fabric.trace {
        trace.tlp(direction, tlp, fabric.now, placed);
    }
    let (to, propagation) = (d.to, d.propagation);
    let arrival = placed.end + propagation;
    if tlp.notify {
        tlp.notify = false;
        let from = fabric.directions[direction as usize ^ 1].to;
        let (flow, payload, offset) = (tlp.flow, tlp.payload, tlp.offset);
        fabric.sent.push(Departure { from, flow, payload, end: placed.end, offset });
    }
    let came_by = std::mem::replace(&mut tlp.came_by, direction);
    let payload = tlp.payload;
    let owed = &mut fabric.directions[direction as usize ^ 1].owed;
    if was_dry {
        owed.no_longer_dry(class, dry_since, fabric.now);
    }
    let backlog = owed.received(arrival, kept as u32) > BACKLOG;
    let ack_due = owed.ack_due();
    if was_dry || fabric.directions[direction as usize ^ 1].next_owed.0 >= ack_due {
        fabric.refresh_owed(direction ^ 1);
    }
    if backlog {
        fabric.flush(direction ^ 1);
    }
    if came_by != NOWHERE {
        fabric.free_credits(came_by, class, payload, placed.end);
    }
    fabric.hand_over(place, to, placed.start + propagation, arrival);
}

/// Records in the TLP what delayed it at this transmitter; `behind` where another TLP occupied the link when it was
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
