//! The DLLPs that a port owes for received TLPs: when each is due, and its content.
//!
//! They are not events. An owed DLLP is put on the wire when its direction next decides what to send, or when a
//! transmitter waits for it. Its time on the wire is the same either way.

use crate::engine::fifo::Fifo;
use pcie::{Class, Time};

/// The credits of one class that a receiver frees and returns.
#[derive(Clone, Debug)]
pub(crate) struct Returns {
    finite: bool,
    on_wire: bool,
    /// Delay from the first freed credit to the UpdateFC.
    put_off: Time,
    freed: Fifo<(Time, u32, u32)>,
    /// Header and data credits granted since the start, initial credits included.
    granted: (u64, u64),
    /// When an UpdateFC is due even without freed credits.
    refresh: Time,
    /// Since when an UpdateFC has been due because the other end lacked credits, although it no longer does.
    latched: Time,
    /// The last time at which the other end lacked credits, if no UpdateFC has started since.
    dry_to: Time,
}

/// The next DLLP owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Ack,
    UpdateFc(Class),
}

/// All DLLPs that a port owes.
#[derive(Clone, Debug)]
pub(crate) struct Owed {
    /// False leaves DLLPs off the wire: they take effect at once.
    pub on_wire: bool,
    tlps_per_ack: usize,
    ack_put_off: Time,
    /// Unacknowledged TLPs: arrival time, and bytes in the other end's replay buffer.
    unacknowledged: Fifo<(Time, u32)>,
    /// When their ACK is due.
    ack_due: Time,
    returns: [Returns; 3],
    /// By class: when the first credit was freed; when the UpdateFC for it is due by its timer or latch; and when an
    /// UpdateFC is due for that or by the refresh timer. Kept together because every hop reads them.
    first: [Time; 3],
    timer: [Time; 3],
    anyhow: [Time; 3],
}

const REFRESH: Time = Time::from_fs(pcie::timing::UPDATE_FC_REFRESH_FS);

impl Owed {
    /// `credits` are the initial header and data credits of each finite class.
    pub fn new(
        on_wire: bool,
        tlps_per_ack: u64,
        ack_put_off: Time,
        update_put_off: Time,
        credits: [Option<(u64, u64)>; 3],
    ) -> Owed {
        let returns = credits.map(|grant| Returns {
            finite: grant.is_some(),
            on_wire,
            put_off: update_put_off,
            freed: Fifo::default(),
            granted: grant.unwrap_or((0, 0)),
            refresh: if on_wire && grant.is_some() { REFRESH } else { Time::NEVER },
            latched: Time::NEVER,
            dry_to: Time::ZERO,
        });
        #[cfg(feature = "planted")]
        let (tlps_per_ack, ack_put_off) = match crate::planted::is(crate::planted::HALF_THE_ACKS) {
            true => (2 * tlps_per_ack, ack_put_off + ack_put_off),
            false => (tlps_per_ack, ack_put_off),
        };
        let tlps_per_ack = usize::try_from(tlps_per_ack).unwrap_or(usize::MAX);
        let unacknowledged = Fifo::default();
        let never = [Time::NEVER; 3];
        let anyhow = [0, 1, 2].map(|class: usize| returns[class].refresh);
        let ack_due = Time::NEVER;
        Owed {
            on_wire,
            tlps_per_ack,
            ack_put_off,
            unacknowledged,
            ack_due,
            returns,
            first: never,
            timer: never,
            anyhow,
        }
    }

    /// The last symbol of a TLP with `bytes` in the replay buffer arrives at `time`. Times never decrease. Returns how
    /// many TLPs are unacknowledged.
    pub fn received(&mut self, time: Time, bytes: u32) -> usize {
        self.unacknowledged.push_back((time, bytes));
        let count = self.unacknowledged.len();
        if count == 1 || count == self.tlps_per_ack {
            self.ack_due = self.find_ack_due();
        }
        count
    }

    /// Credits of `class` are free from `time` on. Returns how many entries of that class wait for an UpdateFC.
    pub fn freed(&mut self, class: Class, time: Time, header: u32, data: u32) -> usize {
        let returns = &mut self.returns[class.index()];
        if !returns.finite {
            return 0;
        }
        let (first, latched) = (returns.freed.front().copied(), returns.latched);
        // Egress links end their TLPs in almost the order of ingress.
        if returns.freed.back().is_none_or(|&(last, ..)| last <= time) {
            returns.freed.push_back((time, header, data));
        } else {
            let after = returns.freed.iter().rev().take_while(|(t, ..)| *t > time).count();
            returns.freed.insert(returns.freed.len() - after, (time, header, data));
        }
        if time <= returns.dry_to {
            returns.latched = returns.latched.min(time);
        }
        let count = returns.freed.len();
        if returns.freed.front().copied() != first || returns.latched != latched {
            self.find_due(class);
        }
        count
    }

    /// The other end, which had lacked credits of `class` since `since`, has credits again and uses them at `now`. An
    /// UpdateFC that was due by then remains due.
    pub fn no_longer_dry(&mut self, class: Class, since: Time, now: Time) {
        let returns = &mut self.returns[class.index()];
        returns.dry_to = now;
        let at_once = returns.freed.front().map_or(Time::NEVER, |&(first, ..)| first.max(since));
        if at_once <= now {
            returns.latched = returns.latched.min(at_once);
            self.find_due(class);
        }
    }

    /// The next DLLP due. `dry_since` tells since when the other end has lacked credits, by class.
    pub fn next(&self, dry_since: [Time; 3]) -> (Time, Due) {
        let due = |class: Class| {
            let n = class.index();
            (self.anyhow[n].min(self.first[n].max(dry_since[n])), Due::UpdateFc(class))
        };
        let sooner = |a: (Time, Due), b: (Time, Due)| if b.0 < a.0 { b } else { a };
        let first = sooner((self.ack_due, Due::Ack), due(Class::Posted));
        sooner(first, sooner(due(Class::NonPosted), due(Class::Completion)))
    }

    /// When the ACK for all unacknowledged TLPs is due; [`Time::NEVER`] where there are none.
    pub fn ack_due(&self) -> Time {
        self.ack_due
    }

    /// When the UpdateFC for freed credits of `class` is due.
    pub fn update_due(&self, class: Class, dry_since: Time) -> Time {
        let n = class.index();
        self.timer[n].min(self.first[n].max(dry_since))
    }

    /// When the next owed DLLP would help a transmitter that lacks credits (`dry_since`) or room in its replay buffer;
    /// [`Time::NEVER`] where none would.
    pub fn next_helpful(&self, dry_since: [Time; 3], full: bool) -> Time {
        let due = |n: usize| match dry_since[n] {
            Time::NEVER => Time::NEVER,
            since => self.timer[n].min(self.first[n].max(since)),
        };
        let ack = if full { self.ack_due } else { Time::NEVER };
        ack.min(due(0)).min(due(1).min(due(2)))
    }

    /// The capacity of its queues, which never shrink.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.unacknowledged.capacity() + self.returns.iter().map(|returns| returns.freed.capacity()).sum::<usize>()
    }

    fn find_ack_due(&self) -> Time {
        let Some(&(first, _)) = self.unacknowledged.front() else { return Time::NEVER };
        let timer = first + self.ack_put_off;
        self.unacknowledged.get(self.tlps_per_ack - 1).map_or(timer, |&(enough, _)| timer.min(enough))
    }

    /// An ACK starts at `time`. Returns how many TLPs it acknowledges, and their bytes in the replay buffer.
    pub fn acknowledge(&mut self, time: Time) -> (u64, u64) {
        let (mut count, mut bytes) = (0, 0);
        while let Some((_, more)) = self.unacknowledged.pop_front_if(|(arrived, _)| *arrived <= time) {
            count += 1;
            bytes += u64::from(more);
        }
        self.ack_due = self.find_ack_due();
        (count, bytes)
    }

    /// An UpdateFC starts at `time`. Returns the header and data credits granted since the start.
    pub fn update(&mut self, class: Class, time: Time) -> (u64, u64) {
        let returns = &mut self.returns[class.index()];
        while let Some((_, header, data)) = returns.freed.pop_front_if(|(freed, ..)| *freed <= time) {
            returns.granted.0 += header as u64;
            returns.granted.1 += data as u64;
        }
        returns.refresh = if returns.on_wire { time + REFRESH } else { Time::NEVER };
        returns.latched = Time::NEVER;
        returns.dry_to = Time::ZERO;
        let granted = returns.granted;
        self.find_due(class);
        granted
    }

    /// Recomputes the due times of `class`, after a change of its freed credits, latch or refresh time.
    fn find_due(&mut self, class: Class) {
        let returns = &self.returns[class.index()];
        let (first, timer) = match returns.freed.front() {
            Some(&(first, ..)) => (first, (first + returns.put_off).min(returns.latched)),
            None => (Time::NEVER, Time::NEVER),
        };
        let n = class.index();
        (self.first[n], self.timer[n], self.anyhow[n]) = (first, timer, timer.min(returns.refresh));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: [Time; 3] = [Time::NEVER; 3];
    fn ns(n: u64) -> Time {
        Time::from_ns(n)
    }
    fn owed(tlps_per_ack: u64) -> Owed {
        Owed::new(true, tlps_per_ack, ns(100), ns(200), [Some((8, 64)), None, None])
    }

    #[test]
    fn is_an_ack_due_with_the_nth_tlp_and_not_before_unless_the_timer_ends() {
        let mut port = owed(3);
        port.received(ns(10), 146);
        port.received(ns(20), 146);
        assert_eq!(port.next(NEVER), (ns(110), Due::Ack));
        port.received(ns(30), 30);
        assert_eq!(port.next(NEVER), (ns(30), Due::Ack));
        assert_eq!(port.acknowledge(ns(30)), (3, 322));
    }

    #[test]
    fn does_an_update_return_all_that_is_free_when_it_starts() {
        let mut port = owed(1);
        port.freed(Class::Posted, ns(50), 1, 8);
        port.freed(Class::Posted, ns(40), 1, 8);
        assert_eq!(port.next(NEVER), (ns(240), Due::UpdateFc(Class::Posted)));
        assert_eq!(port.update(Class::Posted, ns(45)), (9, 72));
        assert_eq!(port.update(Class::Posted, ns(60)), (10, 80));
    }

    #[test]
    fn is_an_update_due_as_soon_as_the_other_end_has_run_dry_and_something_is_free() {
        let mut port = owed(1);
        port.freed(Class::Posted, ns(40), 1, 8);
        let dry_at = |time| [time, Time::NEVER, Time::NEVER];
        assert_eq!(port.next(dry_at(ns(60))), (ns(60), Due::UpdateFc(Class::Posted)));
        assert_eq!(port.next(dry_at(ns(10))), (ns(40), Due::UpdateFc(Class::Posted)));
    }

    #[test]
    fn does_an_update_that_fell_due_at_once_stay_due_when_the_other_end_gets_credits_before_it_leaves() {
        let due_with = |free: Time, left: Time| {
            let mut port = owed(1);
            port.freed(Class::Posted, free, 1, 8);
            port.no_longer_dry(Class::Posted, ns(10), left);
            port.next(NEVER)
        };
        let femtosecond = Time::from_fs(1);
        assert_eq!(due_with(ns(40), ns(60)), (ns(40), Due::UpdateFc(Class::Posted)));
        assert_eq!(due_with(ns(60), ns(60)), (ns(60), Due::UpdateFc(Class::Posted)), "to the edge");
        let late = ns(60) + femtosecond;
        assert_eq!(due_with(late, ns(60)), (late + ns(200), Due::UpdateFc(Class::Posted)), "and not after it");

        let mut port = owed(1);
        port.no_longer_dry(Class::Posted, ns(10), ns(60));
        port.freed(Class::Posted, ns(60), 1, 8);
        assert_eq!(port.next(NEVER), (ns(60), Due::UpdateFc(Class::Posted)), "told of in either order");
        assert_eq!(port.update(Class::Posted, ns(70)), (9, 72));
        port.freed(Class::Posted, ns(80), 1, 8);
        assert_eq!(port.next(NEVER), (ns(280), Due::UpdateFc(Class::Posted)), "an UpdateFC answers for what was due");
    }

    #[test]
    fn is_a_finite_pool_advertised_again_after_30_us() {
        assert_eq!(owed(1).next(NEVER), (Time::from_us(30), Due::UpdateFc(Class::Posted)));
    }
}
