//! The sources of a transmitter: one for each ingress port, flow or CPU thread. Ordering rules apply within a source;
//! sources take turns.
//!
//! A source occupies memory from its first TLP on, because most of the possible sources never send.

use crate::engine::fifo::Fifo;
use pcie::{Class, Time};

/// A waiting TLP, and what it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub tlp: u32,
    /// Data credits that it needs.
    pub need: u32,
    /// The earliest time on the link.
    pub ready: Time,
}

/// The waiting TLPs of one source, by class, each with its number in the order of arrival. What an arbiter looks at comes
/// first, within two lines of a cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Source {
    number: u32,
    count: u32,
    /// The class of all waiting TLPs, where there is only one class.
    only: Option<Class>,
    /// By class: how many wait, the first of them, and the others.
    counts: [u32; 3],
    fronts: [(u64, Waiting); 3],
    others: [Fifo<(u64, Waiting)>; 3],
}

impl Source {
    fn new(number: u32) -> Source {
        let (fronts, others) = Default::default();
        Source { number, count: 0, only: None, counts: [0; 3], fronts, others }
    }

    fn push(&mut self, class: Class, order: u64, waiting: Waiting) {
        let of = class.index();
        self.only = if self.count == self.counts[of] { Some(class) } else { None };
        match self.counts[of] {
            0 => self.fronts[of] = (order, waiting),
            _ => self.others[of].push_back((order, waiting)),
        }
        self.count += 1;
        self.counts[of] += 1;
    }

    fn take(&mut self, class: Class) {
        let of = class.index();
        self.count -= 1;
        self.counts[of] -= 1;
        if let Some(next) = self.others[of].pop_front() {
            self.fronts[of] = next;
        }
        if self.only.is_none() {
            self.only = Class::ALL.into_iter().find(|class| self.counts[class.index()] == self.count);
        }
    }

    /// The TLPs that the ordering rules allow to go first, oldest first, where several classes wait.
    ///
    /// Posted TLPs may pass all but posted TLPs. Completions and non-posted TLPs may pass each other, but no posted TLP
    /// (Transaction Layer, Ordering and Receive Buffer Flow Control).
    fn heads(&self) -> Several {
        // Keys are order and class in one number, so that no branch depends on which of them is the oldest.
        let key = |class: Class| {
            let of = class.index();
            let known = self.fronts[of].0 << 2 | of as u64;
            if self.counts[of] == 0 { u64::MAX } else { known }
        };
        let [a, b, c] = Class::ALL.map(key);
        let (a, b) = (a.min(b), a.max(b));
        let (b, c) = (b.min(c), b.max(c));
        let (a, b) = (a.min(b), a.max(b));
        let barrier = key(Class::Posted).min(u64::MAX - 1);
        let count = [a, b, c].map(|key| u8::from(key <= barrier)).iter().sum();
        Several { keys: [a, b, c], count, shown: 0 }
    }

    /// The TLP of one of the keys of [`Source::heads`].
    fn head(&self, key: u64) -> (Class, Waiting) {
        let of = (key & 3) as usize;
        (Class::ALL[of], self.fronts[of].1)
    }
}

/// The candidates of a source with several, the oldest first, and how many of them were returned.
struct Several {
    keys: [u64; 3],
    count: u8,
    shown: u8,
}

/// Iterates over the TLPs that may go first, source by source: see [`Sources::heads`].
pub(crate) struct Heads<'a> {
    sources: &'a Sources,
    /// One bit for each busy source not visited yet; the lowest bit is the source whose turn it is. Zero where there
    /// are more than 64 sources.
    busy: u64,
    /// For more than 64 sources: the last source visited, and whether the iteration has wrapped around.
    last: Option<usize>,
    again: bool,
    /// A source with several candidates.
    several: Option<(u32, Several)>,
}

impl Heads<'_> {
    /// The next source, where there are more than 64.
    #[cold]
    fn next_of_many(&mut self) -> Option<usize> {
        let turn = self.sources.turn;
        if self.sources.busy.len() <= 1 {
            return None;
        }
        if !self.again {
            self.last = self.sources.next_busy(self.last.map_or(turn, |last| last + 1));
            if self.last.is_some() {
                return self.last;
            }
            self.again = true;
        }
        let place = self.sources.next_busy(self.last.map_or(0, |last| last + 1)).filter(|&place| place < turn);
        self.last = place.or(Some(turn));
        place
    }

    /// The next candidate of a source with several.
    #[cold]
    fn next_of_several(&mut self) -> Option<(u32, Class, Waiting)> {
        let (place, several) = self.several.as_mut()?;
        let place = *place;
        let (class, waiting) = self.sources.used.get(place as usize)?.head(several.keys[usize::from(several.shown)]);
        several.shown += 1;
        if several.shown >= several.count {
            self.several = None;
        }
        Some((place, class, waiting))
    }
}

impl Iterator for Heads<'_> {
    type Item = (u32, Class, Waiting);

    #[inline(always)]
    fn next(&mut self) -> Option<(u32, Class, Waiting)> {
        if self.several.is_some() {
            return self.next_of_several();
        }
        let place = if self.busy != 0 {
            let place = (self.sources.turn + self.busy.trailing_zeros() as usize) % 64;
            self.busy &= self.busy - 1;
            place
        } else {
            self.next_of_many()?
        };
        match self.sources.used.get(place)? {
            Source { only: Some(class), fronts, .. } => Some((place as u32, *class, fronts[class.index()].1)),
            source => {
                self.several = Some((place as u32, source.heads()));
                self.next_of_several()
            }
        }
    }
}

/// All sources of one transmitter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// The number of sources.
    added: u32,
    /// The sources that have ever held a TLP, by number.
    used: Vec<Source>,
    /// One bit for each of these that holds a TLP now.
    busy: Vec<u64>,
    /// The index in `used` of the source whose turn it is; `used.len()` where that is a source without a TLP so far.
    turn: usize,
    order: u64,
    waiting: usize,
}

impl Sources {
    /// Adds `count` sources. Returns the number of the first.
    pub fn add_some(&mut self, count: usize) -> u32 {
        let first = self.added;
        self.added += count as u32;
        first
    }

    pub fn push(&mut self, source: u32, class: Class, waiting: Waiting) {
        let place = self.place(source);
        self.order += 1;
        self.waiting += 1;
        self.busy[place / 64] |= 1 << (place % 64);
        self.used[place].push(class, self.order, waiting);
    }

    /// The index of source `number` in `used`; inserts it where necessary.
    fn place(&mut self, number: u32) -> usize {
        debug_assert!(number < self.added);
        // Where all are used, a source's place is its number.
        let dense = number as usize;
        if self.used.get(dense).is_some_and(|source| source.number == number) {
            return dense;
        }
        let place = self.used.partition_point(|source| source.number < number);
        if self.used.get(place).is_none_or(|source| source.number != number) {
            self.used.insert(place, Source::new(number));
            // Between the one that was last and the one whose turn it is, it is its turn.
            self.turn += usize::from(place < self.turn);
            self.busy = vec![0; self.used.len().div_ceil(64)];
            for (place, _) in self.used.iter().enumerate().filter(|(_, source)| source.count > 0) {
                self.busy[place / 64] |= 1 << (place % 64);
            }
        }
        place
    }

    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// The TLPs that may go first in each source, in the order of turns. A source is named by an index that is valid
    /// until the next TLP is pushed.
    #[inline(always)]
    pub fn heads(&self) -> Heads<'_> {
        let busy = match *self.busy {
            [busy] => busy.rotate_right(self.turn as u32 % 64),
            _ => 0,
        };
        Heads { sources: self, busy, last: None, again: false, several: None }
    }

    /// The first busy source from index `from` on.
    fn next_busy(&self, from: usize) -> Option<usize> {
        let mut bits = self.busy.get(from / 64)? & (u64::MAX << (from % 64));
        let mut word = from / 64;
        while bits == 0 {
            word += 1;
            bits = *self.busy.get(word)?;
        }
        Some(64 * word + bits.trailing_zeros() as usize)
    }

    /// Removes the head of `class` of the source at `place`, and passes the turn on.
    pub fn take(&mut self, place: u32, class: Class) {
        let place = place as usize;
        let source = &mut self.used[place];
        source.take(class);
        if source.count == 0 {
            self.busy[place / 64] &= !(1 << (place % 64));
        }
        self.waiting -= 1;
        self.turn = place + 1;
    }

    /// How many sources occupy memory.
    #[cfg(test)]
    pub fn used(&self) -> usize {
        self.used.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Class::{Completion, NonPosted, Posted};
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn waiting(tlp: u32) -> Waiting {
        Waiting { tlp, need: 1, ready: Time::ZERO }
    }

    fn firsts(all: &Sources) -> Vec<u32> {
        all.heads().map(|(_, _, waiting)| waiting.tlp).collect()
    }

    /// Takes the first that may go: its number.
    fn take_first(all: &mut Sources) -> Option<u32> {
        let (place, class, waiting) = all.heads().next()?;
        all.take(place, class);
        Some(waiting.tlp)
    }

    #[test]
    fn what_may_pass_what() {
        let mut all = Sources::default();
        let source = all.add_some(1);
        for (tlp, class) in [(1, NonPosted), (2, Completion), (3, Posted), (4, Completion)] {
            all.push(source, class, waiting(tlp));
        }
        assert_eq!(firsts(&all), [1, 2, 3], "posted passes a blocked read and a blocked completion");
        all.take(source, NonPosted);
        all.take(source, Completion);
        assert_eq!(firsts(&all), [3], "a completion does not pass a posted TLP");
        all.take(source, Posted);
        assert_eq!(firsts(&all), [4]);
    }

    #[test]
    fn does_each_source_have_its_turn() {
        let mut all = Sources::default();
        let sources = [0; 3].map(|_| all.add_some(1));
        for tlp in 0..6 {
            all.push(sources[tlp as usize % 3], Posted, waiting(tlp));
        }
        let order: Vec<u32> = std::iter::from_fn(|| take_first(&mut all)).collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn do_sources_that_never_send_take_no_room() {
        let mut all = Sources::default();
        let sources: Vec<u32> = (0..1_000_000).map(|_| all.add_some(1)).collect();
        for &source in sources.iter().step_by(100_000) {
            all.push(source, Posted, waiting(source));
        }
        assert_eq!(all.used(), 10);
    }

    proptest! {
        /// Turns are those of a list of all sources, also of those that have had nothing yet.
        #[test]
        fn do_turns_go_round_all_sources_whenever_they_begin(
            steps in prop::collection::vec((0u32..150, prop::bool::ANY), 1..400),
        ) {
            let mut all = Sources::default();
            let mut plain: Vec<VecDeque<u32>> = (0..150).map(|_| { all.add_some(1); VecDeque::new() }).collect();
            let mut turn = 0;
            for (tlp, (source, push)) in (0..).zip(steps) {
                if push {
                    all.push(source, Posted, waiting(tlp));
                    plain[source as usize].push_back(tlp);
                    continue;
                }
                let next = (0..150).map(|n| (turn + n) % 150).find(|&source| !plain[source].is_empty());
                let expected = next.map(|source| {
                    turn = source + 1;
                    plain[source].pop_front().unwrap()
                });
                prop_assert_eq!(take_first(&mut all), expected);
            }
        }
    }
}
