//! Reads the lanes at 8b/10b.

mod lane;

use super::frames::Frames;
use crate::coding::code::VIOLATION;
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

/// Ordered sets in a row on one lane: those, and the row behind them.
struct Heard {
    sets: Vec<(usize, Set)>,
    end: usize,
}

impl Link<'_> {
    /// Finds training on all lanes and goes behind it. False where there is none.
    fn train(&mut self, to: &mut dyn Receiver) -> bool {
        let find = |pin| Lane::find(&self.reader, pin, 0);
        let Some(mut lanes) = (0..self.reader.width).map(find).collect::<Option<Vec<Lane>>>() else { return false };
        loop {
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
            // Lanes whose training ends later keep it, so that no row of a lane is looked at for two trainings.
            for lane in lanes.iter_mut().filter(|lane| lane.at == first) {
                let Some(next) = Lane::find(&self.reader, lane.pin(), first + 1) else { return false };
                *lane = next;
            }
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
        let reader = self.reader;
        // By lane, how many symbol times from here the first set begins.
        let lates: Vec<Option<usize>> = self.lanes.iter_mut().map(|lane| lane.late(&reader)).collect();
        if 2 * lates.iter().flatten().count() <= self.lanes.len() {
            return false;
        }
        let Some(wait) = lates.iter().flatten().min().copied() else { return false };
        let apart = lates.iter().any(|&late| late != Some(wait));
        // Sets are read in full only where all lanes go behind them.
        let heard: Vec<Option<Heard>> = self
            .lanes
            .iter()
            .zip(&lates)
            .map(|(lane, late)| late.map(|late| self.hear(lane, lane.at + late)))
            .collect();
        if wait > 0 {
            // COM on a few lanes only, shortly before all have it.
            self.read::<LANES, true>(wait, to);
        }
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

    /// The ordered sets of a lane from `row` on, where one begins.
    fn hear(&self, lane: &Lane, mut row: usize) -> Heard {
        let mut sets = Vec::new();
        while let Some((set, length)) = self.reader.set(row, lane) {
            sets.push((row, set));
            row += length;
        }
        Heard { sets, end: row }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::code::{COM, Disparity};
    use crate::coding::ordered::{Training, symbols};
    use pcie::Generation;

    /// Rows of `width` lanes: of each, the symbols in turn, and then zeros up to `times`.
    fn rows(lanes: &[Vec<u16>], times: usize) -> Vec<u16> {
        let codes = |lane: &Vec<u16>| {
            let mut disparity = Disparity::default();
            let symbols = lane.iter().copied().chain(std::iter::repeat(0)).take(times);
            symbols.map(|symbol| disparity.encode(symbol).unwrap_or(0)).collect::<Vec<u16>>()
        };
        let lanes: Vec<Vec<u16>> = lanes.iter().map(codes).collect();
        (0..times).flat_map(|time| lanes.iter().map(move |lane| lane[time])).collect()
    }

    fn sets(set: Set, lane: u8, count: usize, gap: usize) -> Vec<u16> {
        let one = symbols(set, Training::of_lane(lane, Generation::Gen1));
        (0..count).flat_map(|_| one.iter().copied().chain(std::iter::repeat_n(0, gap))).collect()
    }

    /// Words that a receiver looks at outside data.
    fn looked(rows: &[u16], width: usize) -> u64 {
        lane::LOOKED.set(0);
        receive(rows, width, &mut |_: u64, _: Event<'_>| {});
        lane::LOOKED.get()
    }

    #[test]
    fn does_a_file_of_twice_the_size_that_is_made_to_cost_time_cost_twice_as_much() {
        type Crafted = fn(usize) -> (Vec<Vec<u16>>, usize);
        let crafted: [(&str, Crafted); 4] = [
            ("one lane trains often, the other once, late", |n| {
                let mut late = vec![0; 17 * n];
                late.extend(sets(Set::Ts1, 1, 4, 0));
                (vec![sets(Set::Ts1, 0, n, 1), late], 17 * n + 100)
            }),
            ("two lanes with the number of one", |n| (vec![sets(Set::Ts1, 0, n, 1); 2], 17 * n + 100)),
            ("ordered sets in a row on one lane of four", |n| {
                let mut lanes: Vec<Vec<u16>> = (0..4).map(|lane| sets(Set::Ts1, lane, 4, 0)).collect();
                lanes[2].extend([0; 40]);
                lanes[2].extend(sets(Set::Skp, 2, n, 0));
                (lanes, 4 * n + 100)
            }),
            ("nothing but COM", |n| {
                let lanes = (0..2).map(|lane| [sets(Set::Ts1, lane, 4, 0), vec![COM; n]].concat()).collect();
                (lanes, n + 100)
            }),
        ];
        for (what, make) in crafted {
            let cost = |n: usize| {
                let (lanes, times) = make(n);
                looked(&rows(&lanes, times), lanes.len()) as f64
            };
            let (once, twice) = (cost(2000), cost(4000));
            println!("{what}: {once} words looked at, {twice} at twice the size");
            assert!(twice < 2.2 * once, "{what}: {once}, {twice}");
        }
    }
}
