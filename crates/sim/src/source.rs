//! What waits for a transmitter: one source for each ingress port, flow or CPU thread; ordering rules within a
//! source, turns between sources.

use pcie::Class;
use std::collections::VecDeque;

/// TLPs of one source, by class, each with its place in the order of arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    waiting: [VecDeque<(u64, u32)>; 3],
}

impl Source {
    fn head(&self, class: Class) -> Option<(u64, u32)> {
        self.waiting[class.index()].front().copied()
    }

    /// The TLPs that the ordering rules let go first, oldest first: at most one of each class.
    ///
    /// Posted passes everything but posted; completions and non-posted pass each other, but nothing posted
    /// (Transaction Layer, Ordering and Receive Buffer Flow Control).
    pub fn heads(&self) -> [Option<(u64, u32, Class)>; 3] {
        let posted = self.head(Class::Posted);
        let behind = |(order, _): &(u64, u32)| posted.is_none_or(|(first, _)| *order < first);
        let mut heads = Class::ALL.map(|class| {
            let head = if class == Class::Posted { posted } else { self.head(class).filter(behind) };
            head.map(|(order, tlp)| (order, tlp, class))
        });
        heads.sort_unstable_by_key(|head| head.map_or(u64::MAX, |(order, ..)| order));
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

impl Sources {
    /// Adds a source; its number.
    pub fn add(&mut self) -> u32 {
        self.sources.push(Source::default());
        self.sources.len() as u32 - 1
    }

    pub fn push(&mut self, source: u32, class: Class, tlp: u32) {
        self.order += 1;
        self.waiting += 1;
        self.sources[source as usize].waiting[class.index()].push_back((self.order, tlp));
    }

    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Sources from the one whose turn it is on.
    pub fn in_turn(&self) -> impl Iterator<Item = (u32, &Source)> {
        let count = self.sources.len();
        (0..count).map(move |step| {
            let place = self.turn + step;
            let place = if place >= count { place - count } else { place };
            (place as u32, &self.sources[place])
        })
    }

    /// Takes the head of `class` of `source`, whose turn is then over.
    pub fn take(&mut self, source: u32, class: Class) {
        self.sources[source as usize].waiting[class.index()].pop_front();
        self.waiting -= 1;
        self.turn = (source as usize + 1) % self.sources.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class::{Completion, NonPosted, Posted};

    fn firsts(source: &Source) -> Vec<u32> {
        source.heads().into_iter().flatten().map(|(_, tlp, _)| tlp).collect()
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
            let next = all.in_turn().find_map(|(s, source)| source.heads()[0].map(|(_, tlp, _)| (s, tlp)));
            let (source, tlp) = next.unwrap();
            all.take(source, Posted);
            order.push(tlp);
        }
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }
}
