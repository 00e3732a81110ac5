//! DLLPs that a port owes for what it received: when each falls due and what it tells.
//!
//! Nothing here is an event. What is owed is put on the wire when its direction next decides what to send, or
//! when somebody waits for it; its place in time is the same either way.

use crate::pop::pop_front_if;
use pcie::{Class, Time};
use std::collections::VecDeque;

/// Credits of one pool that a receiver frees and returns.
#[derive(Clone, Debug)]
pub(crate) struct Returns {
    finite: bool,
    on_wire: bool,
    /// From the first credit freed to the UpdateFC.
    put_off: Time,
    freed: VecDeque<(Time, u32, u32)>,
    /// Header and data credits granted since the start, initial ones included.
    granted: (u64, u64),
    /// When the first of `freed` is, and the UpdateFC for it by its timer or its latch.
    first: Time,
    timer: Time,
    /// When the pool is advertised anyhow.
    refresh: Time,
    /// Since when an UpdateFC has been due that the other end had run out for, though it no longer has.
    latched: Time,
    /// When the other end last had run out, where no UpdateFC has started since.
    dry_to: Time,
}

/// What is owed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    Ack,
    UpdateFc(Class),
}

/// All that one port owes.
#[derive(Clone, Debug)]
pub(crate) struct Owed {
    /// False leaves DLLPs off the wire: they act at once.
    pub on_wire: bool,
    tlps_per_ack: usize,
    ack_put_off: Time,
    unacknowledged: VecDeque<Time>,
    /// When the ACK for these falls due.
    ack_due: Time,
    returns: [Returns; 3],
}

const REFRESH: Time = Time::from_fs(pcie::timing::UPDATE_FC_REFRESH_FS);

impl Owed {
    /// `credits` are the initial grants (header, data) of each finite pool.
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
            first: Time::NEVER,
            timer: Time::NEVER,
            put_off: update_put_off,
            freed: VecDeque::new(),
            granted: grant.unwrap_or((0, 0)),
            refresh: if on_wire && grant.is_some() { REFRESH } else { Time::NEVER },
            latched: Time::NEVER,
            dry_to: Time::ZERO,
        });
        let tlps_per_ack = usize::try_from(tlps_per_ack).unwrap_or(usize::MAX);
        let unacknowledged = VecDeque::new();
        Owed { on_wire, tlps_per_ack, ack_put_off, unacknowledged, ack_due: Time::NEVER, returns }
    }

    /// A TLP has its last symbol here at `time`; times never go back. How many are to be acknowledged.
    pub fn received(&mut self, time: Time) -> usize {
        self.unacknowledged.push_back(time);
        let count = self.unacknowledged.len();
        if count == 1 || count == self.tlps_per_ack {
            self.ack_due = self.find_ack_due();
        }
        count
    }

    /// Credits of `class` are free from `time` on. How many entries of such wait for an UpdateFC.
    pub fn freed(&mut self, class: Class, time: Time, header: u32, data: u32) -> usize {
        let returns = &mut self.returns[class.index()];
        if !returns.finite {
            return 0;
        }
        // Egress links end their TLPs in almost the order of ingress.
        let behind = returns.freed.iter().rev().take_while(|(t, ..)| *t > time).count();
        if behind == 0 {
            returns.freed.push_back((time, header, data));
        } else {
            returns.freed.insert(returns.freed.len() - behind, (time, header, data));
        }
        if time <= returns.dry_to {
            returns.latched = returns.latched.min(time);
        }
        returns.find_due();
        returns.freed.len()
    }

    /// The other end, which had run out of `class` since `since`, has credits again and takes them at `now`: what is
    /// due at once by then stays due.
    pub fn no_longer_dry(&mut self, class: Class, since: Time, now: Time) {
        let returns = &mut self.returns[class.index()];
        returns.dry_to = now;
        let at_once = returns.freed.front().map_or(Time::NEVER, |&(first, ..)| first.max(since));
        if at_once <= now {
            returns.latched = returns.latched.min(at_once);
            returns.find_due();
        }
    }

    /// What falls due next; `dry_since` tells since when the other end has run out of each pool.
    pub fn next(&self, dry_since: [Time; 3]) -> (Time, Due) {
        let mut next = (self.ack_due, Due::Ack);
        let [posted, non_posted, completion] = &self.returns;
        let mut sooner = |returns: &Returns, class: Class| {
            let due = returns.refresh.min(returns.due(dry_since[class.index()]));
            if due < next.0 {
                next = (due, Due::UpdateFc(class));
            }
        };
        sooner(posted, Class::Posted);
        sooner(non_posted, Class::NonPosted);
        sooner(completion, Class::Completion);
        next
    }

    /// When the ACK for all that has not been acknowledged falls due; [`Time::NEVER`] where there is nothing.
    pub fn ack_due(&self) -> Time {
        self.ack_due
    }

    /// When the UpdateFC for what has been freed of `class` falls due.
    pub fn update_due(&self, class: Class, dry_since: Time) -> Time {
        self.returns[class.index()].due(dry_since)
    }

    /// When what is owed next would help a transmitter that has run dry (`dry_since`) or whose replay buffer is
    /// full; [`Time::NEVER`] where nothing would yet.
    pub fn next_helpful(&self, dry_since: [Time; 3], full: bool) -> Time {
        let mut next = if full { self.ack_due } else { Time::NEVER };
        for (returns, since) in self.returns.iter().zip(dry_since) {
            if since != Time::NEVER {
                next = next.min(returns.due(since));
            }
        }
        next
    }

    /// Entries that there is room for: no fewer than there ever were.
    #[cfg(test)]
    pub fn room(&self) -> usize {
        self.unacknowledged.capacity() + self.returns.iter().map(|returns| returns.freed.capacity()).sum::<usize>()
    }

    fn find_ack_due(&self) -> Time {
        let Some(&first) = self.unacknowledged.front() else { return Time::NEVER };
        let timer = first + self.ack_put_off;
        self.unacknowledged.get(self.tlps_per_ack - 1).map_or(timer, |&enough| timer.min(enough))
    }

    /// An ACK starts at `time`: how many TLPs it acknowledges.
    pub fn acknowledge(&mut self, time: Time) -> u64 {
        let mut count = 0;
        while pop_front_if(&mut self.unacknowledged, |arrived| *arrived <= time).is_some() {
            count += 1;
        }
        self.ack_due = self.find_ack_due();
        count
    }

    /// An UpdateFC starts at `time`: the header and data credits granted in all.
    pub fn update(&mut self, class: Class, time: Time) -> (u64, u64) {
        let returns = &mut self.returns[class.index()];
        while let Some((_, header, data)) = pop_front_if(&mut returns.freed, |(freed, ..)| *freed <= time) {
            returns.granted.0 += header as u64;
            returns.granted.1 += data as u64;
        }
        returns.refresh = if returns.on_wire { time + REFRESH } else { Time::NEVER };
        returns.latched = Time::NEVER;
        returns.dry_to = Time::ZERO;
        returns.find_due();
        returns.granted
    }
}

impl Returns {
    /// Where `freed` or `latched` has changed.
    fn find_due(&mut self) {
        let Some(&(first, ..)) = self.freed.front() else {
            (self.first, self.timer) = (Time::NEVER, Time::NEVER);
            return;
        };
        (self.first, self.timer) = (first, (first + self.put_off).min(self.latched));
    }

    /// When the UpdateFC for what has been freed falls due, where the other end has run out of the pool since
    /// `dry_since`.
    fn due(&self, dry_since: Time) -> Time {
        self.timer.min(self.first.max(dry_since))
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
        port.received(ns(10));
        port.received(ns(20));
        assert_eq!(port.next(NEVER), (ns(110), Due::Ack));
        port.received(ns(30));
        assert_eq!(port.next(NEVER), (ns(30), Due::Ack));
        assert_eq!(port.acknowledge(ns(30)), 3);
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
