//! Flash memory: dies that read or program a page at a time, and the channels that carry pages to and from them.
//!
//! Pages lie on the dies in turn: page number `n` of the drive is on die `n` modulo their number, so that data in order
//! uses all of them, and data in random order meets by chance. What is written goes to the next die, whatever its
//! address, as flash is written in order.

use crate::ahead::{Asked, Streams};
use pcie::{Bytes, Rate, Time};
use std::collections::VecDeque;

/// The figures of flash memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlashFigures {
    /// Dies, each of which reads or programs one page at a time.
    pub dies: u64,
    /// Channels between the dies and the controller; dies belong to them in turn.
    pub channels: u64,
    /// What a channel carries.
    pub channel_rate: Rate,
    /// Bytes that a die reads or programs at once, over all its planes.
    pub page: Bytes,
    /// How long a die takes to read a page.
    pub read_time: Time,
    /// How long it takes to program one.
    pub program_time: Time,
    /// What the controller's own datapath passes of what is read; `None` for one that never limits.
    pub datapath: Option<Rate>,
    /// Room for data that is not programmed yet.
    pub buffer: Bytes,
    /// What is left of the cache of cells with one bit, to which pages are programmed in this time; the rest as in `program_time`.
    pub cache: (Bytes, Time),
    /// Bytes that are read ahead of what is read in order.
    pub ahead: Bytes,
    /// Pages that garbage collection reads and programs for each page that is written.
    pub collected: u64,
}

impl FlashFigures {
    /// The rate of reads of `bytes`, each beginning at a page, which occupy all dies evenly.
    pub fn read_rate(&self, bytes: u64) -> Rate {
        least(self.read_rates(bytes))
    }

    /// What dies, channels, the datapath and the buffer allow of them.
    pub fn read_rates(&self, bytes: u64) -> [Rate; 4] {
        let pages = bytes.div_ceil(self.page.0.max(1)).max(1) as f64;
        let dies = self.dies as f64 * bytes as f64 / (pages * self.read_time.as_secs());
        [Rate(dies), self.carried(), self.datapath.unwrap_or(UNLIMITED), UNLIMITED]
    }

    /// The rate at which data can be programmed: while there is room in the cache, or for ever without.
    pub fn write_rate(&self) -> Rate {
        least(self.write_rates())
    }

    /// What dies, channels, the datapath and the buffer allow of it.
    pub fn write_rates(&self) -> [Rate; 4] {
        let page = self.page.0.max(1) as f64;
        let time = self.program(self.cache.0.0 > 0).as_secs() + page / self.channel_rate.0;
        // A die takes the next page from the buffer when the one before is programmed.
        let dies = self.dies as f64 * page / time;
        [Rate(dies), self.carried(), UNLIMITED, Rate(self.buffer.0 as f64 / time)]
    }

    /// How long a die is busy with a page that is written, to the cache or not.
    fn program(&self, cached: bool) -> Time {
        match cached {
            true => self.cache.1,
            false => self.program_time + (self.read_time + self.program_time) * self.collected,
        }
    }

    /// What all channels carry.
    fn carried(&self) -> Rate {
        Rate(self.channels.min(self.dies) as f64 * self.channel_rate.0)
    }

    /// From a command to the first piece of its data in the controller, where nothing else is read.
    pub fn first(&self, bytes: u64) -> Time {
        let piece = bytes.min(self.page.0.max(1));
        self.read_time + time(piece, self.channel_rate)
    }
}

/// Of something that does not limit.
const UNLIMITED: Rate = Rate(f64::INFINITY);

fn least(rates: [Rate; 4]) -> Rate {
    rates.into_iter().fold(UNLIMITED, |least, rate| Rate(least.0.min(rate.0)))
}

/// How long `bytes` take at `rate`.
fn time(bytes: u64, rate: Rate) -> Time {
    Time::from_secs_f64(bytes as f64 / rate.0).unwrap_or(Time::FAR)
}

/// A piece of a page that is read for a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The place of the command.
    pub command: u32,
    /// The offset of the piece in it.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
}

/// In place of a command: the piece is a page that is read ahead, and its offset the number of the page.
const AHEAD: u32 = u32::MAX;

/// What is read at once: a flow that reads in order, and the page of the drive.
type Reading = (u32, u64);

/// A page that is read ahead, as a piece of no command.
fn whole((_, page): Reading, bytes: Bytes) -> Piece {
    Piece { command: AHEAD, offset: page, bytes: bytes.0 }
}

/// A die, which reads and programs one page at a time. Reads go first, and what is read ahead comes last. Pieces of one page that
/// one flow reads in order come together, where they are asked for before it has been read. What flows read are blocks of
/// their own.
#[derive(Clone, Debug, Default)]
struct Die {
    busy: bool,
    /// Pieces that wait, each with its page.
    reads: VecDeque<(Reading, Piece)>,
    /// Pages that nobody waits for yet.
    ahead: VecDeque<Reading>,
    /// The page that is read, and the pieces of it; `None` while it programs or does nothing.
    page: Option<Reading>,
    pieces: Vec<Piece>,
    /// Pages that wait to be programmed, and how many of them, the first ones, go to the cache.
    programs: u64,
    cached: u64,
}

/// The end of what a die does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DieEnd {
    /// The die.
    pub die: u32,
    /// When it has done that.
    pub at: Time,
}

/// Flash memory with time. Whoever uses it tells it of each [`DieEnd`] when its time has come ([`Flash::ended`]).
#[derive(Clone, Debug)]
pub struct Flash {
    figures: FlashFigures,
    dies: Vec<Die>,
    /// By channel: when it is free.
    channels: Vec<Time>,
    datapath: Time,
    /// The die that the next page is written to.
    next: usize,
    /// The number that the last piece which joined no others has in place of its page.
    alone: u64,
    /// Bytes that are written and do not fill a page yet.
    partly: u64,
    /// Bytes in the buffer: those of commands that have their room, and those that are not programmed.
    held: u64,
    /// Bytes of room in the cache.
    room: u64,
    /// What is read ahead.
    streams: Streams<Piece>,
    /// Pages that begin to be read ahead: empty between calls.
    begun: Vec<u64>,
}

impl Flash {
    /// All of it free.
    pub fn new(figures: FlashFigures) -> Flash {
        Flash {
            dies: vec![Die::default(); figures.dies.max(1) as usize],
            channels: vec![Time::ZERO; figures.channels.max(1) as usize],
            room: figures.cache.0.0,
            streams: Streams::new(figures.ahead.0, figures.page.0.max(1)),
            figures,
            begun: Vec::new(),
            datapath: Time::ZERO,
            next: 0,
            alone: 0,
            partly: 0,
            held: 0,
        }
    }

    fn page(&self) -> u64 {
        self.figures.page.0.max(1)
    }

    /// Bytes from `at` on that lie on one page, at most `bytes`.
    pub fn piece(&self, at: u64, bytes: u64) -> u64 {
        bytes.min(self.page() - at % self.page())
    }

    /// Reads a piece of the page at `at`. It comes with others of its page where `joins` names the flow that reads in order.
    pub fn read(&mut self, now: Time, at: u64, piece: Piece, joins: Option<u32>) -> Option<DieEnd> {
        let page = at / self.page();
        let die = (page % self.dies.len() as u64) as usize;
        self.alone = self.alone.wrapping_sub(u64::from(joins.is_none()));
        let page = joins.map_or((u32::MAX, self.alone), |flow| (flow, page));
        let of = &mut self.dies[die];
        if of.busy && of.page == Some(page) {
            of.pieces.push(piece);
            return None;
        }
        of.reads.push_back((page, piece));
        self.start(now, die)
    }

    /// Reads a piece of the page at `at`, of what `flow` reads in order, and pages ahead of it. When the piece is in the controller,
    /// where it is already; otherwise it comes as others do. Dies that begin are added to `ends`.
    pub fn read_ahead(&mut self, now: Time, at: u64, piece: Piece, flow: u32, ends: &mut Vec<DieEnd>) -> Option<Time> {
        let page = self.page();
        let mut begun = std::mem::take(&mut self.begun);
        let own = at / page;
        let asked = self.streams.ask(flow, own, piece.bytes, piece, |next| begun.push(next));
        for next in begun.drain(..) {
            let die = (next % self.dies.len() as u64) as usize;
            self.dies[die].ahead.push_back((flow, next));
            if next != own {
                ends.extend(self.start(now, die));
            }
        }
        self.begun = begun;
        match asked {
            Asked::There(at) => return Some(at.max(now)),
            Asked::Alone => ends.extend(self.read(now, at, piece, None)),
            Asked::Waits => ends.extend(self.hurry(now, (flow, own))),
        }
        None
    }

    /// What was to be read ahead is waited for: its die reads it before it programs.
    fn hurry(&mut self, now: Time, page: Reading) -> Option<DieEnd> {
        let die = (page.1 % self.dies.len() as u64) as usize;
        let of = &mut self.dies[die];
        let place = of.ahead.iter().position(|other| *other == page)?;
        of.ahead.remove(place);
        of.reads.push_back((page, whole(page, self.figures.page)));
        self.start(now, die)
    }

    /// True where it reads ahead.
    pub fn reads_ahead(&self) -> bool {
        self.streams.is_on()
    }

    /// A die takes up what it does next; `None` where it is busy or has nothing to do.
    fn start(&mut self, now: Time, die: usize) -> Option<DieEnd> {
        let bytes = self.figures.page;
        let of = &mut self.dies[die];
        if of.busy {
            return None;
        }
        if of.reads.is_empty() && of.programs == 0 {
            of.reads.extend(of.ahead.pop_front().map(|page| (page, whole(page, bytes))));
        }
        of.page = of.reads.front().map(|&(page, _)| page);
        of.busy = of.page.is_some() || of.programs > 0;
        if !of.busy {
            return None;
        }
        let at = match of.page {
            Some(page) => {
                while let Some(&(_, piece)) = of.reads.front().filter(|(other, _)| *other == page) {
                    of.reads.pop_front();
                    of.pieces.push(piece);
                }
                now + self.figures.read_time
            }
            None => {
                of.programs -= 1;
                self.programs(now, die)
            }
        };
        Some(DieEnd { die: die as u32, at })
    }

    /// When a die that begins with a program now has done that: its page comes over the channel.
    fn programs(&mut self, now: Time, die: usize) -> Time {
        let count = self.channels.len();
        let channel = &mut self.channels[die % count];
        *channel = (*channel).max(now) + time(self.figures.page.0, self.figures.channel_rate);
        let cached = self.dies[die].cached > 0;
        self.dies[die].cached -= u64::from(cached);
        self.channels[die % count] + self.figures.program(cached)
    }

    /// A page goes to `die`, and to the cache where that has room.
    fn give(&mut self, die: usize) {
        let cached = self.room >= self.page();
        self.room -= if cached { self.page() } else { 0 };
        self.dies[die].programs += 1;
        self.dies[die].cached += u64::from(cached);
    }

    /// A die has done what it did. Returns what it does next. `there` gets the pieces that were read, each with the time at
    /// which it is in the controller; without any, a page was programmed, and its room is free.
    pub fn ended(&mut self, end: DieEnd, there: &mut Vec<(Piece, Time)>) -> Option<DieEnd> {
        let die = end.die as usize;
        let pieces = std::mem::take(&mut self.dies[die].pieces);
        let (flow, _) = self.dies[die].page.unwrap_or_default();
        self.dies[die].busy = false;
        if self.dies[die].page.is_none() {
            self.held = self.held.saturating_sub(self.page());
        }
        for &piece in &pieces {
            let at = self.carry(die, end.at, piece.bytes);
            match piece.command {
                AHEAD => self.streams.there(flow, piece.offset, at, |waits| there.push((waits, at))),
                _ => there.push((piece, at)),
            }
        }
        self.dies[die].pieces = pieces;
        self.dies[die].pieces.clear();
        self.start(end.at, die)
    }

    /// A piece passes the channel of `die` and the datapath, from `now` on.
    fn carry(&mut self, die: usize, now: Time, bytes: u64) -> Time {
        let count = self.channels.len();
        let channel = &mut self.channels[die % count];
        *channel = (*channel).max(now) + time(bytes, self.figures.channel_rate);
        let carried = *channel;
        let Some(rate) = self.figures.datapath else { return carried };
        self.datapath = (self.datapath + time(bytes, rate)).max(carried);
        self.datapath
    }

    /// Takes room for `bytes`; false where there is none.
    pub fn reserve(&mut self, bytes: u64) -> bool {
        let fits = self.held + bytes <= self.figures.buffer.0;
        if fits {
            self.held += bytes;
        }
        fits
    }

    /// `bytes` for which there is room have arrived. Dies that begin to program because of it are added to `ends`.
    pub fn write(&mut self, now: Time, bytes: u64, ends: &mut Vec<DieEnd>) {
        self.partly += bytes;
        while let Some(left) = self.partly.checked_sub(self.page()) {
            self.partly = left;
            let die = self.next;
            self.next = (die + 1) % self.dies.len();
            self.give(die);
            ends.extend(self.start(now, die));
        }
    }

    /// Makes the buffer full of what was written before, so that a run begins as one that has lasted. Returns what the dies
    /// are about to end: they are not in step, and where channels carry less than dies program, they end as pages come.
    pub fn fill(&mut self, now: Time) -> Vec<DieEnd> {
        let (count, pages) = (self.dies.len() as u64, self.figures.buffer.0 / self.page());
        self.held = pages * self.page();
        for (die, of) in (0..count).zip(&mut self.dies) {
            let programs = pages / count + u64::from(die < pages % count);
            (of.busy, of.programs) = (programs > 0, programs.saturating_sub(1));
            // What was written before went where this run begins.
            of.cached = if self.room > 0 { of.programs } else { 0 };
        }
        self.next = (pages % count) as usize;
        let program = self.figures.program(self.room > 0);
        let step = time(self.page(), self.figures.write_rate());
        let end = |die: u64| DieEnd { die: die as u32, at: now + step * (die + 1) };
        let ends: Vec<DieEnd> = (0..count.min(pages)).map(end).collect();
        for end in &ends {
            let channel = &mut self.channels[end.die as usize % self.figures.channels.max(1) as usize];
            *channel = (*channel).max(end.at.saturating_sub(program));
        }
        ends
    }
}

#[cfg(test)]
mod tests;
