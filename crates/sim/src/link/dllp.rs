//! Sends the DLLPs that a port owes: before its next TLP, or when the other end waits for them.

use crate::engine::queue::Event;
use crate::engine::trace::Passing;
use crate::link::direction::Direction;
use crate::link::fabric::Fabric;
use crate::link::owed::Due;
use crate::link::wire::Packet;
use pcie::credit::data_credits;
use pcie::{Class, Time};

/// Owed DLLPs are put on the wire, even where nothing waits for them, before more than this many are owed.
pub(crate) const BACKLOG: usize = 64;

/// A direction and its reverse.
fn pair(directions: &mut [Direction], direction: u32) -> Option<(&mut Direction, &mut Direction)> {
    let first = direction as usize & !1;
    let [up, down] = directions.get_mut(first..first + 2)? else { return None };
    Some(if direction & 1 == 0 { (up, down) } else { (down, up) })
}

impl Fabric {
    /// Schedules the DLLPs owed by `direction` for when they help the transmitter at the other end.
    pub fn arm_dllp(&mut self, direction: u32) {
        let Some((d, reverse)) = pair(&mut self.directions, direction) else { return };
        let due = d.owed.next_helpful(reverse.dry_since, reverse.full_since != Time::NEVER);
        if due == Time::NEVER {
            return;
        }
        let at = due.max(d.wire.free_at()).max(reverse.foreseen_at).max(self.now);
        if at < d.dllp_armed_at {
            d.dllp_armed_at = at;
            self.queue.push(at, Event::Dllp(direction));
        }
    }

    /// Handles the DLLP event. False where a later event was brought forward.
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

    /// The credits of a TLP are free from `at` on, at the receiver that it came in by.
    pub fn free_credits(&mut self, came_by: u32, class: Class, payload: u32, at: Time) {
        let reverse = came_by ^ 1;
        let dry = self.directions[came_by as usize].dry_since[class.index()];
        let port = &mut self.directions[reverse as usize];
        let backlog = port.owed.freed(class, at, 1, data_credits(payload as u64) as u32) > BACKLOG;
        if port.owed.update_due(class, dry) <= port.next_owed.0 {
            self.refresh_owed(reverse);
        }
        if backlog {
            self.flush(reverse);
        }
        if dry != Time::NEVER {
            self.arm_dllp(reverse);
        }
    }

    /// Puts all DLLPs on the wire that are due by now, as long as the wire is free.
    #[inline]
    pub fn flush(&mut self, direction: u32) {
        if self.directions[direction as usize].next_owed.0 <= self.now {
            self.flush_due(direction);
        }
    }

    fn flush_due(&mut self, direction: u32) {
        let now = self.now;
        loop {
            let Some((d, reverse)) = pair(&mut self.directions, direction) else { return };
            let (due, what) = d.next_owed;
            if due > now || (d.owed.on_wire && d.wire.free_at() > now) {
                return;
            }
            let placed = d.owed.on_wire.then(|| {
                let placed = d.wire.place(due, pcie::dllp::WIRE_BYTES, d.dllp_alignment, Packet::Dllp);
                d.meter.dllp(placed);
                placed
            });
            let (start, end) = placed.map_or((due, due), |placed| (placed.start, placed.end));
            let passing = Passing { direction, handed: due, placed };
            let arrival = end + d.propagation;
            let mut granted = None;
            match what {
                Due::Ack => {
                    let (count, bytes) = d.owed.acknowledge(start);
                    reverse.replay.acknowledged(arrival, bytes);
                    if let Some(trace) = &mut self.trace {
                        trace.ack(passing, count);
                    }
                    if reverse.full_since != Time::NEVER {
                        self.arm(direction ^ 1, arrival.max(now));
                    }
                }
                Due::UpdateFc(class) => {
                    let (header, data) = d.owed.update(class, start);
                    reverse.pools[class.index()].grant(now, arrival, header, data);
                    granted = Some(class).filter(|class| reverse.dry_since[class.index()] != Time::NEVER);
                    if let Some(trace) = &mut self.trace {
                        trace.update(passing, class, (header, data));
                    }
                }
            }
            if let Some(class) = granted {
                self.granted(direction ^ 1, class, arrival);
            }
            self.refresh_owed(direction);
        }
    }

    /// Credits of `class`, which were missing, arrive at `arrival`.
    fn granted(&mut self, direction: u32, class: Class, arrival: Time) {
        let d = &self.directions[direction as usize];
        let foreseen_at = d.foreseen_at;
        if self.now < foreseen_at && arrival <= foreseen_at {
            self.unforesee(direction);
            self.arm(direction, foreseen_at);
            return;
        }
        let when = d.pools[class.index()].when(d.dry_need[class.index()] as u64);
        if when != Time::NEVER {
            self.arm(direction, when.max(d.open_at()).max(self.now));
        }
    }

    /// Recomputes the next DLLP that `direction` owes.
    #[inline(always)]
    pub fn refresh_owed(&mut self, direction: u32) {
        let Some((d, reverse)) = pair(&mut self.directions, direction) else { return };
        let dry = reverse.dry_since;
        d.next_owed = d.owed.next(dry);
        if self.now < d.foreseen_at && d.next_owed.0 <= d.foreseen_at {
            self.look_again(direction);
        }
    }

    /// Cancels a foreseen lack of credits where the direction's own DLLPs will occupy the wire at that time.
    #[cold]
    fn look_again(&mut self, direction: u32) {
        let at = self.directions[direction as usize].foreseen_at;
        self.unforesee(direction);
        self.arm(direction, at);
    }

    /// The classes that had lacked credits since `since` have credits again.
    pub fn end_dry(&mut self, direction: u32, since: [Time; 3]) {
        let owed = &mut self.directions[direction as usize ^ 1].owed;
        for class in Class::ALL {
            if since[class.index()] != Time::NEVER {
                owed.no_longer_dry(class, since[class.index()], self.now);
            }
        }
        self.refresh_owed(direction ^ 1);
    }
}
