//! The event queue: a binary heap ordered by time, and by the order of scheduling where times are equal, so
//! that a run gives the same bytes on every machine.

use pcie::Time;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What happens. Indices are into the fabric's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A direction may have something to send.
    Transmit(u32),
    /// A direction owes a DLLP that somebody waits for.
    Dllp(u32),
    /// The last symbol of a TLP is at a host or a card.
    Receive { tlp: u32 },
    /// A part asked to be woken.
    Wake { part: u32, token: u32 },
    /// The window opens or closes now: meters are read.
    Meter { opens: bool },
}

struct Entry {
    time: Time,
    order: u32,
    event: Event,
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        // The heap gives the greatest first: the earliest time, then the first scheduled.
        (other.time, other.order).cmp(&(self.time, self.order))
    }
}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}

/// Events to come.
#[derive(Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Entry>,
    /// True where the first of the heap has been taken and its place waits for the next that comes.
    vacant: bool,
    order: u32,
    /// How many have been taken.
    pub handled: u64,
    /// The most that were to come at once.
    pub most_pending: usize,
}

impl Queue {
    pub fn push(&mut self, time: Time, event: Event) {
        self.order = self.order.wrapping_add(1);
        let entry = Entry { time, order: self.order, event };
        if std::mem::take(&mut self.vacant) {
            if let Some(mut first) = self.heap.peek_mut() {
                *first = entry;
            }
        } else {
            self.heap.push(entry);
        }
        self.most_pending = self.most_pending.max(self.heap.len());
    }

    /// When the next one is; [`Time::NEVER`] where there is none.
    pub fn next(&mut self) -> Time {
        self.close();
        self.heap.peek().map_or(Time::NEVER, |entry| entry.time)
    }

    pub fn pop(&mut self) -> Option<(Time, Event)> {
        self.close();
        let entry = self.heap.peek()?;
        self.vacant = true;
        self.handled += 1;
        Some((entry.time, entry.event))
    }

    /// Nothing has come into the place of the one that was taken.
    fn close(&mut self) {
        if std::mem::take(&mut self.vacant) {
            self.heap.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_events_at_one_time_does_the_first_scheduled_come_first() {
        let mut queue = Queue::default();
        for (ns, direction) in [(5, 0), (3, 1), (3, 2), (4, 3)] {
            queue.push(Time::from_ns(ns), Event::Transmit(direction));
        }
        let order: Vec<Event> = std::iter::from_fn(|| queue.pop()).map(|(_, event)| event).collect();
        assert_eq!(order, [1, 2, 3, 0].map(Event::Transmit));
    }
}
