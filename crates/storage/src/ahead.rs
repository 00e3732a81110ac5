//! Pages that a drive reads before a command asks for them: which ones, which of them are in its buffer, and who waits for one.
//!
//! Not the reading itself, which dies and channels do as for any other page ([`crate::flash::Flash`]). A drive takes the
//! commands of one queue that go in order for one **stream**; the streams share the buffer alike. The first command of a stream
//! waits for its pages: nobody knows of it before.

use pcie::Time;
use std::collections::VecDeque;

/// One stream. `T` is what waits for a page.
#[derive(Clone, Debug)]
struct Stream<T> {
    /// Whose commands.
    key: u32,
    /// The number of the first page that is kept.
    first: u64,
    /// From `first` on: when each page is in the buffer; `None` while it is read.
    kept: VecDeque<Option<Time>>,
    waiting: VecDeque<(u64, T)>,
}

/// All streams of a drive.
#[derive(Clone, Debug)]
pub struct Streams<T> {
    streams: Vec<Stream<T>>,
    /// Pages that have room beyond what was asked for.
    room: u64,
}

impl<T> Streams<T> {
    /// None yet, with room for so many pages; without room, nothing is read ahead.
    pub fn new(room: u64) -> Streams<T> {
        Streams { streams: Vec::new(), room }
    }

    /// True where there is room for a page.
    pub fn is_on(&self) -> bool {
        self.room > 0
    }

    fn place(&mut self, key: u32) -> usize {
        let known = self.streams.iter().position(|stream| stream.key == key);
        known.unwrap_or_else(|| {
            self.streams.push(Stream { key, first: 0, kept: VecDeque::new(), waiting: VecDeque::new() });
            self.streams.len() - 1
        })
    }

    /// A command of `key` asks for a part of a page. When the page is in the buffer, if it is, or else `waits` gets it when it is
    /// there ([`Streams::there`]). `begin` is called with each page that is to be read now.
    pub fn ask(&mut self, key: u32, page: u64, waits: T, mut begin: impl FnMut(u64)) -> Option<Time> {
        let place = self.place(key);
        let most = self.room / self.streams.len() as u64;
        let stream = &mut self.streams[place];
        // Beyond what is kept, another stream begins; what still waits for pages of the one before gets them.
        if page < stream.first || page > stream.first + stream.kept.len() as u64 {
            (stream.first, _) = (page, stream.kept.clear());
        }
        while stream.first < page {
            stream.kept.pop_front();
            stream.first += 1;
        }
        while stream.kept.len() as u64 <= most {
            begin(stream.first + stream.kept.len() as u64);
            stream.kept.push_back(None);
        }
        let there = stream.kept.front().copied().flatten();
        if there.is_none() {
            stream.waiting.push_back((page, waits));
        }
        there
    }

    /// A page of `key` is in the buffer at `at`. `told` gets each that waits for it.
    pub fn there(&mut self, key: u32, page: u64, at: Time, mut told: impl FnMut(T)) {
        let place = self.place(key);
        let stream = &mut self.streams[place];
        if let Some(kept) = page.checked_sub(stream.first).and_then(|at| stream.kept.get_mut(at as usize)) {
            *kept = Some(at);
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

    #[test]
    fn is_a_page_read_once_and_is_what_waits_for_it_told() {
        let mut streams = Streams::new(4);
        let mut begun = Vec::new();
        assert_eq!(streams.ask(0, 10, "a", |page| begun.push(page)), None);
        assert_eq!(streams.ask(0, 10, "b", |page| begun.push(page)), None);
        assert_eq!(begun, [10, 11, 12, 13, 14], "the page, and four ahead of it");
        let (at, mut told) = (Time::from_us(50), Vec::new());
        streams.there(0, 11, at, |waits| told.push(waits));
        assert!(told.is_empty());
        streams.there(0, 10, at, |waits| told.push(waits));
        assert_eq!(told, ["a", "b"]);
        assert_eq!(streams.ask(0, 11, "c", |page| begun.push(page)), Some(at));
        assert_eq!(begun[5..], [15]);
    }

    #[test]
    fn do_streams_share_the_room_and_does_a_jump_begin_anew() {
        let (mut streams, mut begun) = (Streams::new(4), Vec::new());
        streams.ask(0, 0, (), |_| ());
        streams.ask(1, 100, (), |page| begun.push(page));
        assert_eq!(begun, [100, 101, 102]);
        begun.clear();
        assert_eq!(streams.ask(1, 7, (), |page| begun.push(page)), None);
        assert_eq!(begun, [7, 8, 9]);
        let mut told = 0;
        streams.there(1, 100, Time::ZERO, |()| told += 1);
        assert_eq!(told, 1, "who asked for it before the jump gets it");
    }
}
