//! The event queue: a heap ordered by time, and by order of scheduling where times are equal, so that a run is
//! reproducible on every machine.

use pcie::Time;

/// An event. Indices refer to tables of the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A direction may have something to send.
    Transmit(u32),
    /// A direction owes a DLLP that the other end waits for.
    Dllp(u32),
    /// The last symbol of a TLP arrives at a part.
    Receive { tlp: u32 },
    /// A wake-up that a part asked for.
    Wake { part: u32, token: u32 },
    /// Payload is delivered that may open or close the window.
    Delivered,
}

#[derive(Clone, Copy)]
struct Entry {
    time: Time,
    order: u32,
    event: Event,
}

impl Entry {
    fn before(&self, other: &Entry) -> bool {
        self.time < other.time || (self.time == other.time && self.order < other.order)
    }
}

/// Children of a heap node. With four, the heap has half the depth of a binary heap, and elements are moved half as
/// often.
const CHILDREN: usize = 4;

/// The events to come.
#[derive(Default)]
pub(crate) struct Queue {
    /// A heap: no entry is before its parent.
    heap: Vec<Entry>,
    /// True where the first entry was removed and its place is kept free for the next entry.
    vacant: bool,
    order: u32,
    /// Events removed so far.
    pub handled: u64,
    /// The largest number of entries at any time.
    pub most_pending: usize,
}

impl Queue {
    #[inline(always)]
    pub fn push(&mut self, time: Time, event: Event) {
        self.order = self.order.wrapping_add(1);
        let entry = Entry { time, order: self.order, event };
        if self.vacant {
            self.vacant = false;
            self.put_down(entry);
        } else {
            self.put_up(entry);
        }
    }

    /// The time of the next event; [`Time::NEVER`] where there is none.
    pub fn next(&mut self) -> Time {
        self.close();
        self.heap.first().map_or(Time::NEVER, |entry| entry.time)
    }

    pub fn pop(&mut self) -> Option<(Time, Event)> {
        self.close();
        let entry = self.heap.first()?;
        self.vacant = true;
        self.handled += 1;
        Some((entry.time, entry.event))
    }

    /// Fills the free first place with the last entry, where no new entry has come.
    fn close(&mut self) {
        if !std::mem::take(&mut self.vacant) {
            return;
        }
        if let Some(last) = self.heap.pop()
            && !self.heap.is_empty()
        {
            self.put_down(last);
        }
    }

    /// Puts `entry` into the first place, and moves it down while a child is before it.
    fn put_down(&mut self, entry: Entry) {
        let heap = self.heap.as_mut_slice();
        let mut at = 0;
        while let Some(children) = heap.get(CHILDREN * at + 1..) {
            let mut least = 0;
            let Some(mut first) = children.first() else { break };
            for (n, child) in children.iter().enumerate().take(CHILDREN).skip(1) {
                if child.before(first) {
                    (least, first) = (n, child);
                }
            }
            if entry.before(first) {
                break;
            }
            let (from, moved) = (CHILDREN * at + 1 + least, *first);
            heap[at] = moved;
            at = from;
        }
        heap[at] = entry;
    }

    /// Puts `entry` into the last place, and moves it up while it is before its parent.
    fn put_up(&mut self, entry: Entry) {
        let mut at = self.heap.len();
        self.heap.push(entry);
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = entry;
        self.most_pending = self.most_pending.max(self.heap.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn of_two_events_at_one_time_does_the_first_scheduled_come_first() {
        let mut queue = Queue::default();
        for (ns, direction) in [(5, 0), (3, 1), (3, 2), (4, 3)] {
            queue.push(Time::from_ns(ns), Event::Transmit(direction));
        }
        let order: Vec<Event> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        assert_eq!(order, [1, 2, 3, 0].map(Event::Transmit));
    }

    proptest! {
        #[test]
        fn do_events_come_in_the_order_of_their_times_however_they_are_put_in_and_taken(
            steps in prop::collection::vec(prop::option::weighted(0.6, 0u64..50), 0..400),
        ) {
            let mut queue = Queue::default();
            let mut plain: Vec<(u64, u32)> = Vec::new();
            for (step, n) in steps.into_iter().zip(0..) {
                if let Some(ns) = step {
                    queue.push(Time::from_ns(ns), Event::Transmit(n));
                    plain.push((ns, n));
                } else {
                    plain.sort_unstable();
                    let first = (!plain.is_empty()).then(|| plain.remove(0));
                    let expected = first.map(|(ns, n)| (Time::from_ns(ns), Event::Transmit(n)));
                    prop_assert_eq!(queue.pop(), expected);
                }
                let next = plain.iter().min().map_or(Time::NEVER, |&(ns, _)| Time::from_ns(ns));
                prop_assert_eq!(queue.next(), next);
            }
        }
    }
}
