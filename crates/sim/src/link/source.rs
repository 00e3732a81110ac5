//! What waits for a transmitter: one source for each ingress port, flow or CPU thread; ordering rules within a
//! source, turns between sources.
//!
//! A source takes room from its first TLP on: of the ports, flows and threads that could send here, most never do.

use crate::engine::fifo::Fifo;
use pcie::{Class, Time};
use std::ops::ControlFlow;

/// A TLP that waits, with what its transmitter asks of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub tlp: u32,
    /// Data credits that it takes.
    pub need: u32,
    /// Not on the link before.
    pub ready: Time,
}

/// TLPs of one source, by class, each with its place in the order of arrival.
#[derive(Clone, Debug)]
struct Source {
    number: u32,
    count: u32,
    /// The class of all that waits, where it is one; the first of it is `front`, and not among `waiting`.
    only: Option<Class>,
    front: (u64, Waiting),
    waiting: [Fifo<(u64, Waiting)>; 3],
}

impl Source {
    fn new(number: u32) -> Source {
        Source { number, count: 0, only: None, front: Default::default(), waiting: Default::default() }
    }

    fn push(&mut self, class: Class, order: u64, waiting: Waiting) {
        self.count += 1;
        if self.count == 1 {
            (self.only, self.front) = (Some(class), (order, waiting));
            return;
        }
        if let Some(only) = self.only
            && only != class
        {
            self.waiting[only.index()].insert(0, self.front);
            self.only = None;
        }
        self.waiting[class.index()].push_back((order, waiting));
    }

    fn take(&mut self, class: Class) {
        self.count -= 1;
        if self.only.is_none() {
            self.waiting[class.index()].pop_front();
            let all = |class: &Class| self.waiting[class.index()].len() == self.count as usize;
            self.only = Class::ALL.into_iter().find(all);
        }
        if self.count > 0
            && let Some(next) = self.only.and_then(|class| self.waiting[class.index()].pop_front())
        {
            self.front = next;
        }
    }

    /// The TLPs that the ordering rules let go first, oldest first, where several classes wait.
    ///
    /// Posted passes everything but posted; completions and non-posted pass each other, but nothing posted
    /// (Transaction Layer, Ordering and Receive Buffer Flow Control).
    fn heads(&self) -> impl Iterator<Item = (Class, Waiting)> {
        let mut heads = Class::ALL.map(|class| (self.waiting[class.index()].front().copied(), class));
        let barrier = self.waiting[Class::Posted.index()].front().map_or(u64::MAX, |&(order, _)| order);
        heads.sort_unstable_by_key(|(head, _)| head.map(|(order, _)| order));
        let may_go = move |&(order, _): &(u64, Waiting)| order <= barrier;
        heads.into_iter().filter_map(move |(head, class)| Some((class, head.filter(may_go)?.1)))
    }
}

/// All sources of one transmitter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    /// How many there are.
    added: u32,
    /// Those that have had something, by number.
    used: Vec<Source>,
    /// A bit for each of these that has something now.
    busy: Vec<u64>,
    /// Whose turn it is, of these; as many as there are for the first that is still to come.
    turn: usize,
    order: u64,
    waiting: usize,
}

impl Sources {
    /// Adds a source; its number.
    pub fn add(&mut self) -> u32 {
        self.added += 1;
        self.added - 1
    }

    /// Adds so many sources: the number of the first.
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

    /// Where source `number` is among those that are used; it is from now on.
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

    /// Shows `look` what may go first of each source, sources in turn, until it breaks off. Sources are named by a
    /// place that holds until the next TLP is pushed.
    #[inline(always)]
    pub fn heads<B>(&self, mut look: impl FnMut(u32, Class, &Waiting) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut at = |place: usize| match self.used.get(place) {
            Some(Source { only: Some(class), front: (_, waiting), .. }) => look(place as u32, *class, waiting),
            Some(source) => source.heads().try_for_each(|(class, waiting)| look(place as u32, class, &waiting)),
            None => ControlFlow::Continue(()),
        };
        if let [busy] = *self.busy {
            // The bit of the one whose turn it is becomes the first.
            let mut bits = busy.rotate_right(self.turn as u32 % 64);
            while bits != 0 {
                at((self.turn + bits.trailing_zeros() as usize) % 64)?;
                bits &= bits - 1;
            }
            return ControlFlow::Continue(());
        }
        let mut after = std::iter::successors(self.next_busy(self.turn), |&place| self.next_busy(place + 1));
        after.try_for_each(&mut at)?;
        let before = std::iter::successors(self.next_busy(0), |&place| self.next_busy(place + 1));
        before.take_while(|&place| place < self.turn).try_for_each(&mut at)
    }

    /// The first from `from` on that has something.
    fn next_busy(&self, from: usize) -> Option<usize> {
        let mut bits = self.busy.get(from / 64)? & (u64::MAX << (from % 64));
        let mut word = from / 64;
        while bits == 0 {
            word += 1;
            bits = *self.busy.get(word)?;
        }
        Some(64 * word + bits.trailing_zeros() as usize)
    }

    /// Takes the head of `class` of the source at `place`, whose turn is then over.
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

    /// Sources that take room.
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
        let mut firsts = Vec::new();
        let _ = all.heads(|_, _, waiting| {
            firsts.push(waiting.tlp);
            ControlFlow::<()>::Continue(())
        });
        firsts
    }

    /// Takes the first that may go: its number.
    fn take_first(all: &mut Sources) -> Option<u32> {
        let first = all.heads(|place, class, waiting| ControlFlow::Break((place, class, waiting.tlp)));
        let (place, class, tlp) = first.break_value()?;
        all.take(place, class);
        Some(tlp)
    }

    #[test]
    fn what_may_pass_what() {
        let mut all = Sources::default();
        let source = all.add();
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
        let sources = [0; 3].map(|_| all.add());
        for tlp in 0..6 {
            all.push(sources[tlp as usize % 3], Posted, waiting(tlp));
        }
        let order: Vec<u32> = std::iter::from_fn(|| take_first(&mut all)).collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn do_sources_that_never_send_take_no_room() {
        let mut all = Sources::default();
        let sources: Vec<u32> = (0..1_000_000).map(|_| all.add()).collect();
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
            let mut plain: Vec<VecDeque<u32>> = (0..150).map(|_| { all.add(); VecDeque::new() }).collect();
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
