//! Pages that a drive reads before a command asks for them: which ones, which of them are in its buffer, and who waits for one.
//!
//! Not the reading itself, which dies and channels do as for any other page ([`crate::flash::Flash`]). A drive takes what is read in
//! order of one flow for one **stream**, whichever queues it comes by; the streams share the buffer alike. The first command of a
//! stream waits for its pages: nobody knows of it before. How far a drive reads ahead grows with the pages that came in order, and
//! shrinks with those that were left out, as those of a flow whose other commands write.

use pcie::Time;
use std::collections::VecDeque;

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On the flash: later pages were asked for before it.
    LeftOut,
    Reading,
    There(Time),
}

/// A page of a stream.
#[derive(Clone, Copy, Debug)]
struct Page {
    state: State,
    asked: bool,
    /// Bytes that nobody has asked for yet.
    left: u64,
}

/// One stream. `T` is what waits for a page.
#[derive(Clone, Debug)]
struct Stream<T> {
    flow: u32,
    /// The number of the first page that is kept, and from there on all of them.
    first: u64,
    kept: VecDeque<Page>,
    /// The number of the page behind the last one that was asked for.
    end: u64,
    /// Pages that came in order, without those that were left out.
    in_order: u64,
    waiting: VecDeque<(u64, T)>,
}

/// All streams of a drive.
#[derive(Clone, Debug)]
pub struct Streams<T> {
    streams: Vec<Stream<T>>,
    /// Pages that have room beyond what was asked for.
    room: u64,
    page: u64,
}

/// How many pages in order one that was left out outweighs.
const LEFT_OUT: u64 = 4;

/// So many pages in order are no accident.
const BEGIN: u64 = 4;

/// Pages that stay though later ones were asked for.
const BEHIND: u64 = 256;

/// The answer to who asks for a part of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It is in the buffer from then on.
    There(Time),
    /// Who asks is told when it is ([`Streams::there`]).
    Waits,
    /// It is of no stream, and is to be read by itself.
    Alone,
}

impl<T> Streams<T> {
    /// None yet, with `room` bytes for pages of so many bytes; without room for one, nothing is read ahead.
    pub fn new(room: u64, page: u64) -> Streams<T> {
        Streams { streams: Vec::new(), room: room / page.max(1), page }
    }

    /// True where there is room for a page.
    pub fn is_on(&self) -> bool {
        self.room > 0
    }

    fn place(&mut self, flow: u32) -> usize {
        let known = self.streams.iter().position(|stream| stream.flow == flow);
        known.unwrap_or_else(|| {
            let (kept, waiting) = (VecDeque::new(), VecDeque::new());
            self.streams.push(Stream { flow, first: 0, kept, end: 0, in_order: 0, waiting });
            self.streams.len() - 1
        })
    }

    /// A command of `flow` asks for `bytes` of a page. `begin` is called with each page that is to be read now.
    pub fn ask(&mut self, flow: u32, page: u64, bytes: u64, waits: T, mut begin: impl FnMut(u64)) -> Asked {
        let place = self.place(flow);
        let (most, whole) = (self.room / self.streams.len() as u64, self.page);
        let stream = &mut self.streams[place];
        // Far from what is kept, another stream begins; what still waits for pages of the one before gets them.
        if page + BEHIND < stream.first || page > stream.first + stream.kept.len() as u64 + BEHIND {
            (stream.first, stream.end, stream.in_order) = (page, page, 0);
            stream.kept.clear();
        }
        let Some(at) = page.checked_sub(stream.first) else { return Asked::Alone };
        let new = |state| Page { state, asked: false, left: whole };
        while stream.kept.len() as u64 <= at {
            stream.kept.push_back(new(State::LeftOut));
        }
        // What is left out outweighs what came in order, until it comes after all.
        let late = page < stream.end;
        stream.in_order = stream.in_order.saturating_sub(LEFT_OUT * page.saturating_sub(stream.end));
        stream.end = stream.end.max(page + 1);
        let own = &mut stream.kept[at as usize];
        if own.state == State::LeftOut {
            own.state = State::Reading;
            begin(page);
        }
        stream.in_order += if own.asked { 0 } else { 1 + LEFT_OUT * u64::from(late) };
        (own.asked, own.left) = (true, own.left.saturating_sub(bytes));
        let there = own.state;
        stream.in_order = stream.in_order.min(most + BEGIN);
        let ahead = most.min(2 * stream.in_order.saturating_sub(BEGIN));
        while stream.first + (stream.kept.len() as u64) < stream.end + ahead {
            begin(stream.first + stream.kept.len() as u64);
            stream.kept.push_back(new(State::Reading));
        }
        while stream.kept.front().is_some_and(|front| front.left == 0) || stream.kept.len() as u64 > most + BEHIND {
            stream.kept.pop_front();
            stream.first += 1;
        }
        if let State::There(at) = there {
            return Asked::There(at);
        }
        stream.waiting.push_back((page, waits));
        Asked::Waits
    }

    /// A page of `flow` is in the buffer at `at`. `told` gets each that waits for it.
    pub fn there(&mut self, flow: u32, page: u64, at: Time, mut told: impl FnMut(T)) {
        let place = self.place(flow);
        let stream = &mut self.streams[place];
        if let Some(kept) = page.checked_sub(stream.first).and_then(|at| stream.kept.get_mut(at as usize)) {
            kept.state = State::There(at);
        }
        let mut next = 0;
        while let Some((of, _)) = stream.waiting.get(next) {
            match *of == page {
                true => stream.waiting.remove(next).map_or((), |(_, waits)| told(waits)),
                false => next += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: u64 = 4096;

    /// Asks for whole pages; the pages that are read because of it.
    fn ask(streams: &mut Streams<u64>, flow: u32, pages: &[u64]) -> Vec<u64> {
        let mut begun = Vec::new();
        for &page in pages {
            streams.ask(flow, page, PAGE, page, |page| begun.push(page));
        }
        begun
    }

    #[test]
    fn does_a_drive_read_further_ahead_the_more_comes_in_order() {
        let mut streams = Streams::new(4 * PAGE, PAGE);
        assert_eq!(ask(&mut streams, 0, &[6, 7, 8, 9]), [6, 7, 8, 9]);
        assert_eq!(ask(&mut streams, 0, &[10]), [10, 11, 12], "the page, and two ahead of it");
        assert_eq!(ask(&mut streams, 0, &[11]), [13, 14, 15]);
        assert_eq!(ask(&mut streams, 0, &[12]), [16], "there is room for four");
    }

    #[test]
    fn is_a_page_read_once_and_is_what_waits_for_it_told() {
        let mut streams = Streams::new(4 * PAGE, PAGE);
        let (mut begun, at) = (Vec::new(), Time::from_us(50));
        assert_eq!(ask(&mut streams, 0, &[6, 7, 8, 9]).len(), 4);
        for part in [1, 2] {
            assert_eq!(streams.ask(0, 10, PAGE / 2, part, |page| begun.push(page)), Asked::Waits);
        }
        assert_eq!(begun, [10, 11, 12]);
        let mut told = Vec::new();
        streams.there(0, 12, at, |waits| told.push(waits));
        assert!(told.is_empty());
        streams.there(0, 10, at, |waits| told.push(waits));
        assert_eq!(told, [1, 2]);
        assert_eq!(streams.ask(0, 12, PAGE, 3, |_| ()), Asked::There(at));
    }

    /// Jobs of one flow take its blocks in turn, and the later ones may come first.
    #[test]
    fn is_no_page_read_twice_that_several_queues_ask_for_in_a_mixed_order() {
        let mut streams = Streams::new(64 * PAGE, PAGE);
        let order: Vec<u64> =
            (0..100).flat_map(|block| [4 * block + 2, 4 * block, 4 * block + 3, 4 * block + 1]).collect();
        let mut begun = ask(&mut streams, 0, &order);
        assert!(begun.len() < 470, "{}", begun.len());
        begun.sort_unstable();
        assert!(begun.windows(2).all(|two| two[0] < two[1]), "{begun:?}");
    }

    /// A flow whose other half writes: what is read ahead of it is mostly of no use.
    #[test]
    fn is_little_read_ahead_of_pages_that_are_left_out() {
        let mut streams = Streams::new(64 * PAGE, PAGE);
        let pages: Vec<u64> = (0..500).map(|number| 2 * number).collect();
        let begun = ask(&mut streams, 0, &pages);
        assert!(begun.len() < 560, "{}", begun.len());
    }

    #[test]
    fn do_streams_share_the_room_and_does_a_jump_begin_anew() {
        let mut streams = Streams::new(4 * PAGE, PAGE);
        ask(&mut streams, 0, &[0, 1, 2]);
        let begun = ask(&mut streams, 1, &[1000, 1001, 1002, 1003, 1004, 1005]);
        assert_eq!(begun, [1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007], "two of four");
        assert_eq!(ask(&mut streams, 1, &[7]), [7]);
        let mut told = 0;
        streams.there(1, 1005, Time::ZERO, |_| told += 1);
        assert_eq!(told, 1, "who asked for it before the jump gets it");
    }
}
