//! What will happen in a part, in order of time: its own events, of which the simulation knows the next one only.

use pcie::Time;
use sim::parts::PartContext;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// See the module. Events of one time happen in the order in which they were added.
#[derive(Debug)]
pub(crate) struct Agenda<E> {
    events: BinaryHeap<Reverse<(Time, u64, E)>>,
    added: u64,
    /// When the simulation wakes the part next because of it.
    woken: Time,
}

impl<E: Ord> Agenda<E> {
    /// Nothing will happen.
    pub fn new() -> Agenda<E> {
        Agenda { events: BinaryHeap::new(), added: 0, woken: Time::NEVER }
    }

    /// Adds an event at `at`.
    pub fn add(&mut self, context: &mut PartContext<'_>, at: Time, event: E) {
        self.added += 1;
        self.events.push(Reverse((at, self.added, event)));
        self.wake_at(context, at);
    }

    fn wake_at(&mut self, context: &mut PartContext<'_>, at: Time) {
        if at < self.woken {
            self.woken = at;
            context.wake(0, at);
        }
    }

    /// The next event whose time has come. The part calls this until there is none when it is woken.
    pub fn next(&mut self, context: &mut PartContext<'_>) -> Option<E> {
        let now = context.now();
        if now >= self.woken {
            self.woken = Time::NEVER;
        }
        let &Reverse((at, ..)) = self.events.peek()?;
        if at > now {
            self.wake_at(context, at);
            return None;
        }
        self.events.pop().map(|Reverse((.., event))| event)
    }
}
