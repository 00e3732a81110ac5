//! What will happen in a part, in order of time: its own events, of which the simulation knows the next one only.

use pcie::Time;
use sim::parts::PartContext;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// See the module. Events of one time happen in the order in which they were added.
#[derive(Debug)]
pub struct Agenda<E> {
    events: BinaryHeap<Reverse<(Time, u64, E)>>,
    added: u64,
    /// When the simulation wakes the part because of it, the next time last.
    wakes: Vec<Time>,
}

impl<E: Ord> Default for Agenda<E> {
    fn default() -> Agenda<E> {
        Agenda { events: BinaryHeap::new(), added: 0, wakes: Vec::new() }
    }
}

impl<E: Ord> Agenda<E> {
    /// Nothing will happen.
    pub fn new() -> Agenda<E> {
        Agenda::default()
    }

    /// Adds an event at `at`.
    pub fn add(&mut self, context: &mut PartContext<'_>, at: Time, event: E) {
        self.added += 1;
        self.events.push(Reverse((at, self.added, event)));
        self.wake_at(context, at);
    }

    /// Asks for a wake-up at `at`, where none is asked for that is as soon.
    fn wake_at(&mut self, context: &mut PartContext<'_>, at: Time) {
        if self.wakes.last().is_none_or(|&next| at < next) {
            self.wakes.push(at);
            context.wake(0, at);
        }
    }

    /// The next event whose time has come. The part calls this until there is none when it is woken.
    pub fn next(&mut self, context: &mut PartContext<'_>) -> Option<E> {
        let now = context.now();
        while self.wakes.pop_if(|next| *next <= now).is_some() {}
        let &Reverse((at, ..)) = self.events.peek()?;
        if at > now {
            self.wake_at(context, at);
            return None;
        }
        self.events.pop().map(|Reverse((.., event))| event)
    }
}
