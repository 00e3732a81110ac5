//! Reads the lanes at 8b/10b.

mod lane;

use super::frames::Frames;
use crate::coding::code::{COM, VIOLATION};
use crate::coding::crossing::MAX_SKEW;
use crate::coding::event::{Event, Receiver, Row, Symptom};
use crate::coding::ordered::Set;
use lane::{Lane, Reader};

/// Symbols that are decoded at once.
const CHUNK: usize = 4096;

/// Receives all lanes of `width`.
pub(super) fn receive(rows: &[u16], width: usize, to: &mut dyn Receiver) {
    let reader = Reader { rows, width, times: rows.len() / width };
    let mut link = Link { reader, lanes: Vec::new(), frames: Frames::new(width), symbols: vec![0; CHUNK.max(width)] };
    if link.train(to) {
        for_width!(width, link.data(to));
    } else {
        to.event(0, Event::Symptom(Symptom::Lost));
    }
}

struct Link<'a> {
    reader: Reader<'a>,
    /// In the order of the transmitter.
    lanes: Vec<Lane>,
    frames: Frames,
    symbols: Vec<u16>,
}

/// An ordered set, or several in a row, on one lane: how many symbol times later than expected, and what.
struct Heard {
    late: usize,
    sets: Vec<(usize, Set)>,
    /// The row behind them.
    end: usize,
}

impl Link<'_> {
    /// Finds training on all lanes and goes behind it. False where there is none.
    fn train(&mut self, to: &mut dyn Receiver) -> bool {
        let mut from = 0;
        loop {
            let find = |pin| Lane::find(&self.reader, pin, from);
            let Some(mut lanes) = (0..self.reader.width).map(find).collect::<Option<Vec<Lane>>>() else { return false };
            lanes.sort_by_key(|lane| lane.number);
            let ordered = lanes.iter().enumerate().all(|(number, lane)| usize::from(lane.number) == number);
            let ends = lanes.iter().map(|lane| lane.at);
            let (first, last) = (ends.clone().min().unwrap_or(0), ends.max().unwrap_or(0));
            if ordered && last - first <= MAX_SKEW {
                for &(row, set) in lanes.first().map_or(&[][..], |lane| &lane.told) {
                    to.event(row as u64, Event::Set(set));
                }
                self.lanes = lanes;
                return true;
            }
            to.event(first as u64, Event::Symptom(Symptom::Deskew));
            from = first + 1;
        }
    }

    /// Receives to the end of the lanes.
    fn data<const LANES: usize>(&mut self, to: &mut dyn Receiver) {
        loop {
            let Some(times) = self.reader.next_com(&self.lanes) else {
                self.read::<LANES, false>(self.left(), to);
                self.lanes.iter_mut().for_each(|lane| lane.at = self.reader.times);
                return;
            };
            self.read::<LANES, false>(times, to);
            if !self.sets::<LANES>(to) {
                // COM where no ordered set is: a symbol like others.
                self.read::<LANES, true>(1, to);
            }
            if self.lanes.iter().any(|lane| lane.at >= self.reader.times) {
                return;
            }
        }
    }

    /// Symbol times that all lanes still have.
    fn left(&self) -> usize {
        self.lanes.iter().map(|lane| self.reader.times.saturating_sub(lane.at)).min().unwrap_or(0)
    }

    /// Decodes `times` symbol times, as far as there are. With `COMS`, COM may be among them, and begins the scrambler of its lane anew.
    fn read<const LANES: usize, const COMS: bool>(&mut self, mut times: usize, to: &mut dyn Receiver) {
        let most = CHUNK / LANES;
        times = times.min(self.left());
        while times > 0 {
            let now = times.min(most);
            let at = self.lanes.first().map_or(0, |lane| lane.at) as u64;
            let (out, _) = self.symbols.as_chunks_mut::<LANES>();
            let (rows, _) = self.reader.rows.as_chunks::<LANES>();
            for (number, lane) in self.lanes.iter_mut().enumerate() {
                lane.read::<LANES, COMS>(rows, &mut out[..now], number % LANES);
            }
            to.symbols(at, Row::Codes(&self.symbols[..now * LANES]));
            self.frames.take(&self.symbols[..now * LANES], at, to);
            times -= now;
        }
    }

    /// Takes the ordered sets that begin here, if there are any on most lanes.
    fn sets<const LANES: usize>(&mut self, to: &mut dyn Receiver) -> bool {
        let heard: Vec<Option<Heard>> = self.lanes.iter().map(|lane| self.hear(lane)).collect();
        let lates = heard.iter().flatten().map(|heard| heard.late);
        if 2 * lates.clone().count() <= self.lanes.len() {
            return false;
        }
        let Some(wait) = lates.clone().min() else { return false };
        if wait > 0 {
            // COM on a few lanes only, shortly before all have it.
            self.read::<LANES, true>(wait, to);
        }
        let apart = heard.iter().any(|heard| heard.as_ref().is_none_or(|heard| heard.late != wait));
        let at = self.lanes.first().map_or(0, |lane| lane.at) as u64;
        self.frames.set(at, to);
        if apart {
            to.event(at, Event::Symptom(Symptom::Deskew));
        }
        let Some(usual) = heard.iter().flatten().next() else { return false };
        let spent = usual.end.saturating_sub(usual.sets.first().map_or(0, |&(row, _)| row));
        for &(row, set) in &usual.sets {
            let behind = row - usual.sets[0].0;
            to.event(at + behind as u64, Event::Set(set));
        }
        let row = |time: usize| {
            let symbol = |lane: &Lane| self.reader.symbol(lane.at + time, lane).unwrap_or(VIOLATION);
            self.lanes.iter().map(symbol).collect::<Vec<u16>>()
        };
        to.symbols(at, Row::Codes(&(0..spent).flat_map(row).collect::<Vec<u16>>()));
        for (lane, heard) in self.lanes.iter_mut().zip(&heard) {
            let (begin, end) = match heard {
                Some(heard) => (heard.sets.first().map_or(lane.at, |&(row, _)| row), heard.end),
                None => (lane.at, lane.at + spent),
            };
            lane.at = begin;
            lane.pass(&self.reader, end, to);
        }
        true
    }

    /// The ordered sets that begin on a lane within the greatest skew.
    fn hear(&self, lane: &Lane) -> Option<Heard> {
        (0..=MAX_SKEW).find_map(|late| {
            let mut row = lane.at + late;
            if self.reader.symbol(row, lane) != Some(COM) {
                return None;
            }
            let mut sets = Vec::new();
            while let Some((set, length)) = self.reader.set(row, lane) {
                sets.push((row, set));
                row += length;
            }
            (!sets.is_empty()).then_some(Heard { late, sets, end: row })
        })
    }
}
