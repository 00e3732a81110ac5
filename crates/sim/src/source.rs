//! What waits for a transmitter: one source for each ingress port, flow or CPU thread; ordering rules within a
//! source, turns between sources.

use pcie::Class;
use std::collections::VecDeque;

/// TLPs of one source, by class, each with its place in the order of arrival.
#[derive(Clone, Debug, Default)]
struct Source {
    waiting: [VecDeque<(u64, u32)>; 3],
    count: u32,
}

/// At most one TLP of each class, oldest first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    of: [(u64, u32, Class); 3],
    next: usize,
    count: usize,
}

impl Iterator for Heads {
    type Item = (u32, Class);
    fn next(&mut self) -> Option<(u32, Class)> {
        let &(_, tlp, class) = self.of[..self.count].get(self.next)?;
        self.next += 1;
        Some((tlp, class))
    }
}

impl Source {
    /// The TLPs that the ordering rules let go first.
    ///
    /// Posted passes everything but posted; completions and non-posted pass each other, but nothing posted
    /// (Transaction Layer, Ordering and Receive Buffer Flow Control).
    fn heads(&self) -> Heads {
        let mut heads = Heads { of: [(0, 0, Class::Posted); 3], next: 0, count: 0 };
        let [posted, ..] = &self.waiting;
        let mut barrier = u64::MAX;
        if let Some(&(order, tlp)) = posted.front() {
            barrier = order;
            heads.of[0] = (order, tlp, Class::Posted);
            heads.count = 1;
            if posted.len() == self.count as usize {
                return heads;
            }
        }
        for class in [Class::NonPosted, Class::Completion] {
            if let Some(&(order, tlp)) = self.waiting[class.index()].front()
                && order < barrier
            {
                heads.of[heads.count] = (order, tlp, class);
                heads.count += 1;
            }
        }
        heads.of[..heads.count].sort_unstable_by_key(|&(order, ..)| order);
        heads
    }
}

/// All sources of one transmitter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
    turn: usize,
    order: u64,
    waiting: usize,
}

/// Sources in turn, those that have something.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    place: usize,
    left: usize,
}

impl Turns {
    pub fn next(&mut self, all: &Sources) -> Option<u32> {
        while self.left > 0 {
            let place = self.place;
            self.left -= 1;
            self.place = if place + 1 == all.sources.len() { 0 } else { place + 1 };
            if all.sources[place].count > 0 {
                return Some(place as u32);
            }
        }
        None
    }
}

impl Sources {
    /// Adds a source; its number.
    pub fn add(&mut self) -> u32 {
        self.sources.push(Source::default());
        self.sources.len() as u32 - 1
    }

    pub fn push(&mut self, source: u32, class: Class, tlp: u32) {
        self.order += 1;
        self.waiting += 1;
        let source = &mut self.sources[source as usize];
        source.count += 1;
        source.waiting[class.index()].push_back((self.order, tlp));
    }

    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// From the source whose turn it is on.
    pub fn turns(&self) -> Turns {
        Turns { place: self.turn, left: self.sources.len() }
    }

    /// What may go first of one source.
    pub fn heads(&self, source: u32) -> Heads {
        self.sources[source as usize].heads()
    }

    /// Takes the head of `class` of `source`, whose turn is then over.
    pub fn take(&mut self, source: u32, class: Class) {
        let place = source as usize;
        let source = &mut self.sources[place];
        source.waiting[class.index()].pop_front();
        source.count -= 1;
        self.waiting -= 1;
        self.turn = if place + 1 == self.sources.len() { 0 } else { place + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class::{Completion, NonPosted, Posted};

    fn firsts(source: &Source) -> Vec<u32> {
        source.heads().map(|(tlp, _)| tlp).collect()
    }

    #[test]
    fn what_may_pass_what() {
        let mut all = Sources::default();
        let source = all.add();
        for (tlp, class) in [(1, NonPosted), (2, Completion), (3, Posted), (4, Completion)] {
            all.push(source, class, tlp);
        }
        assert_eq!(firsts(&all.sources[0]), [1, 2, 3], "posted passes a blocked read and a blocked completion");
        all.take(source, NonPosted);
        all.take(source, Completion);
        assert_eq!(firsts(&all.sources[0]), [3], "a completion does not pass a posted TLP");
        all.take(source, Posted);
        assert_eq!(firsts(&all.sources[0]), [4]);
    }

    #[test]
    fn does_each_source_have_its_turn() {
        let mut all = Sources::default();
        let sources = [0; 3].map(|_| all.add());
        for tlp in 0..6 {
            all.push(sources[tlp as usize % 3], Posted, tlp);
        }
        let mut order = Vec::new();
        while !all.is_empty() {
            let source = all.turns().next(&all).unwrap();
            let (tlp, _) = all.heads(source).next().unwrap();
            all.take(source, Posted);
            order.push(tlp);
        }
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }
}
