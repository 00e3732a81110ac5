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

/// Time and order of an event in one number, so that no branch depends on which of several is the least.
type Key = u128;

fn key(time: Time, order: u32) -> Key {
    u128::from(time.as_fs()) << 32 | u128::from(order)
}

fn time(key: Key) -> Time {
    Time::from_fs((key >> 32) as u64)
}

/// A place among some keys, and the key there.
type Placed = (usize, Key);

#[inline(always)]
fn lesser(a: Placed, b: Placed) -> Placed {
    let less = b.1 < a.1;
    (if less { b.0 } else { a.0 }, if less { b.1 } else { a.1 })
}

/// The least of the children of a node, of which the last node may have fewer.
#[inline(always)]
fn least(children: &[Key]) -> Option<Placed> {
    if let Some(&[a, b, c, d]) = children.first_chunk::<CHILDREN>() {
        return Some(lesser(lesser((0, a), (1, b)), lesser((2, c), (3, d))));
    }
    children.iter().copied().enumerate().reduce(lesser)
}

/// Children of a heap node. With four, the heap has half the depth of a binary heap, and elements are moved half as
/// often.
const CHILDREN: usize = 4;

/// The events to come.
#[derive(Default)]
pub(crate) struct Queue {
    /// A heap: no key is less than that of its parent.
    keys: Vec<Key>,
    /// Of each key, its event.
    events: Vec<Event>,
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
        let key = key(time, self.order);
        if self.vacant {
            self.vacant = false;
            self.put_down(key, event);
        } else {
            self.put_up(key, event);
        }
    }

    /// The time of the next event; [`Time::NEVER`] where there is none.
    pub fn next(&mut self) -> Time {
        self.close();
        self.keys.first().map_or(Time::NEVER, |&key| time(key))
    }

    pub fn pop(&mut self) -> Option<(Time, Event)> {
        self.close();
        let (&key, &event) = (self.keys.first()?, self.events.first()?);
        self.vacant = true;
        self.handled += 1;
        Some((time(key), event))
    }

    /// Fills the free first place with the last entry, where no new entry has come.
    fn close(&mut self) {
        if !std::mem::take(&mut self.vacant) {
            return;
        }
        if let (Some(key), Some(event)) = (self.keys.pop(), self.events.pop())
            && !self.keys.is_empty()
        {
            self.put_down(key, event);
        }
    }

    /// Puts an entry into the first place, and moves it down while a child is before it.
    fn put_down(&mut self, own: Key, event: Event) {
        // Both have the same length, which is told here so that it is not looked at for each.
        let count = self.keys.len().min(self.events.len());
        let (keys, events) = (&mut self.keys[..count], &mut self.events[..count]);
        let mut at = 0;
        while let Some(children) = keys.get(CHILDREN * at + 1..) {
            let Some((place, key)) = least(children).filter(|(_, key)| *key < own) else { break };
            let from = CHILDREN * at + 1 + place;
            keys[at] = key;
            events[at] = events[from];
            at = from;
        }
        keys[at] = own;
        events[at] = event;
    }

    /// Puts an entry into the last place, and moves it up while it is before its parent.
    fn put_up(&mut self, own: Key, event: Event) {
        let mut at = self.keys.len();
        self.keys.push(own);
        self.events.push(event);
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if own >= self.keys[parent] {
                break;
            }
            self.keys[at] = self.keys[parent];
            self.events[at] = self.events[parent];
            at = parent;
        }
        self.keys[at] = own;
        self.events[at] = event;
        self.most_pending = self.most_pending.max(self.keys.len());
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
