//! One lane at 8b/10b: where it is, whether it is inverted, which lane of the transmitter it is, and its scrambler.

use super::super::frames::WRONG_DISPARITY;
use crate::coding::code::{COM, Disparity, EIE, FTS, IDL, K, KEEPS, NOT_NEGATIVE, POSITIVE, SKP, SYMBOLS, VIOLATION};
use crate::coding::crossing::MAX_SKEW;
use crate::coding::event::{Event, Receiver, Symptom};
use crate::coding::ordered::{Set, TS_SYMBOLS, TS1_SYMBOL, TS2_SYMBOL};
use crate::coding::scrambler::{SHORT_PERIOD, short_pad};

/// The two codes of COM; inverted, each is the other.
const COM_CODES: [u16; 2] = [0b0101111100, 0b1010000011];
/// SKP symbols that a SKP ordered set may have by the time it is received.
const MOST_SKPS: usize = 5;
/// Symbols of a TS that carry its identifier, and how many of them must.
const ID_SYMBOLS: std::ops::Range<usize> = 6..TS_SYMBOLS;
const ENOUGH_IDS: usize = 7;

/// The rows of all pins.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub rows: &'a [u16],
    pub width: usize,
    pub times: usize,
}

pub(super) struct Lane {
    /// Where it arrives.
    pin: usize,
    /// Which lane of the transmitter it is.
    pub number: u8,
    invert: u16,
    /// The next row.
    pub at: usize,
    /// No ordered set begins in a row from `at` up to this one.
    clear: usize,
    disparity: Disparity,
    /// The place in the sequence of the scrambler.
    scrambled: usize,
    /// The ordered sets of its training.
    pub told: Vec<(usize, Set)>,
}

fn is_com(word: u16) -> bool {
    word == COM_CODES[0] || word == COM_CODES[1]
}

#[cfg(test)]
thread_local! {
    /// Words that were looked at outside data.
    pub(super) static LOOKED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl Reader<'_> {
    fn code(&self, row: usize, pin: usize) -> Option<u16> {
        #[cfg(test)]
        LOOKED.set(LOOKED.get() + 1);
        if row < self.times { self.rows.get(row * self.width + pin).copied() } else { None }
    }

    /// The symbol in `row` of a lane, whatever its disparity; [`VIOLATION`] where there is none.
    pub fn symbol(&self, row: usize, lane: &Lane) -> Option<u16> {
        let code = self.code(row, lane.pin)? ^ lane.invert;
        Some(SYMBOLS[(code & 0x3ff) as usize] & (VIOLATION | K | 0xff))
    }

    /// How many symbol times until COM is next on any lane.
    pub fn next_com(&self, lanes: &[Lane]) -> Option<usize> {
        const NEAR: usize = 64;
        let first = lanes.iter().map(|lane| lane.at).min()?;
        let rows = &self.rows[first * self.width..];
        // Of the lanes, only some are at this row already.
        let begin = lanes.iter().map(|lane| lane.at).max()?.min(first + MAX_SKEW) - first;
        let in_row = |row: usize| {
            let has = |lane: &&Lane| row >= lane.at && self.code(row, lane.pin).is_some_and(is_com);
            lanes.iter().filter(has).map(|lane| row - lane.at).min()
        };
        let mut found = (first..first + begin).find_map(in_row).map(|times| (times, first));
        if found.is_none() {
            let mut at = begin * self.width;
            for chunk in rows[at.min(rows.len())..].chunks(NEAR) {
                if chunk.iter().fold(false, |any, &word| any | is_com(word)) {
                    let row = first + (at + chunk.iter().position(|&word| is_com(word))?) / self.width;
                    found = in_row(row).map(|times| (times, row));
                    break;
                }
                at += chunk.len();
            }
        }
        let (times, row) = found?;
        // A lane that arrives later may have it earlier.
        let sooner = (row + 1..row + MAX_SKEW).filter_map(in_row).min();
        Some(sooner.map_or(times, |sooner| sooner.min(times)))
    }

    /// The ordered set that begins in `row`, and its length.
    pub fn set(&self, row: usize, lane: &Lane) -> Option<(Set, usize)> {
        let symbol = |n: usize| self.symbol(row + n, lane);
        if symbol(0)? != COM {
            return None;
        }
        let skps = self.skps(row, lane);
        if skps > 0 {
            return Some((Set::Skp, 1 + skps));
        }
        let count = |of: u16, among: std::ops::Range<usize>| among.filter(|&n| symbol(n) == Some(of)).count();
        if count(IDL, 1..4) >= 2 {
            return Some((Set::Eios, 4));
        }
        if count(FTS, 1..4) >= 2 {
            return Some((Set::Fts, 4));
        }
        symbol(TS_SYMBOLS - 1)?;
        let enough = |of: u16, among: std::ops::Range<usize>| count(of, among.clone()) >= ENOUGH_IDS;
        let set = match () {
            () if enough(TS1_SYMBOL.into(), ID_SYMBOLS) => Set::Ts1,
            () if enough(TS2_SYMBOL.into(), ID_SYMBOLS) => Set::Ts2,
            () if enough(EIE, 1..TS_SYMBOLS - 1) => Set::Eieos,
            () => return None,
        };
        Some((set, TS_SYMBOLS))
    }

    /// SKP symbols behind the COM in `row`; one of the first two may be damaged.
    fn skps(&self, row: usize, lane: &Lane) -> usize {
        let is_skp = |n: usize| self.symbol(row + n, lane) == Some(SKP);
        let mut count = 0;
        while count < MOST_SKPS && (is_skp(count + 1) || (count < 2 && is_skp(count + 2) && (count == 1 || is_skp(3))))
        {
            count += 1;
        }
        count
    }
}

impl Lane {
    /// The first training on a pin from row `from` on that data follows.
    pub fn find(reader: &Reader<'_>, pin: usize, from: usize) -> Option<Lane> {
        let mut lane = Lane {
            pin,
            number: 0,
            invert: 0,
            at: from,
            clear: from,
            disparity: Disparity::default(),
            scrambled: 0,
            told: Vec::new(),
        };
        loop {
            while !is_com(reader.code(lane.at, pin)?) {
                lane.at += 1;
            }
            let begin = lane.at;
            if lane.find_number(reader) {
                while let Some((set, length)) = reader.set(lane.at, &lane) {
                    lane.told.push((lane.at, set));
                    lane.at += length;
                }
                lane.start(reader, begin);
                return Some(lane);
            }
            lane.at += 1;
        }
    }

    /// Where it arrives.
    pub fn pin(&self) -> usize {
        self.pin
    }

    /// How many symbol times from here an ordered set begins, within the greatest skew. A row is looked at once.
    pub fn late(&mut self, reader: &Reader<'_>) -> Option<usize> {
        self.clear = self.clear.max(self.at);
        while self.clear <= self.at + MAX_SKEW {
            if reader.set(self.clear, self).is_some() {
                return Some(self.clear - self.at);
            }
            self.clear += 1;
        }
        None
    }

    /// Reads polarity and number from the TS that begins here; false where none does.
    fn find_number(&mut self, reader: &Reader<'_>) -> bool {
        for invert in [0, 0x3ff] {
            self.invert = invert;
            if !matches!(reader.set(self.at, self), Some((Set::Ts1 | Set::Ts2, _))) {
                continue;
            }
            if let Some(number @ 0..=0xff) = reader.symbol(self.at + 2, self) {
                self.number = number as u8;
                return true;
            }
        }
        false
    }

    /// Sets disparity and scrambler as the rows from `begin` to here leave them.
    fn start(&mut self, reader: &Reader<'_>, begin: usize) {
        let end = std::mem::replace(&mut self.at, begin);
        self.pass(reader, end, &mut |_: u64, _: Event<'_>| {});
    }

    /// Goes over the rows of ordered sets up to `end`, which are not data.
    pub fn pass(&mut self, reader: &Reader<'_>, end: usize, to: &mut dyn Receiver) {
        for row in self.at..end.min(reader.times) {
            let Some(code) = reader.code(row, self.pin) else { break };
            if let Some(symptom) = fits(&mut self.disparity, code ^ self.invert) {
                to.event(row as u64, Event::Symptom(symptom));
            }
            match reader.symbol(row, self) {
                Some(COM) => self.scrambled = 0,
                Some(SKP) => {}
                _ => self.scrambled = (self.scrambled + 1) % SHORT_PERIOD,
            }
        }
        self.at = end.min(reader.times);
    }

    /// Decodes as many rows as `out` has, into place `number` of each, and goes behind them. With `COMS`, COM may be among
    /// them.
    pub fn read<const LANES: usize, const COMS: bool>(
        &mut self,
        rows: &[[u16; LANES]],
        out: &mut [[u16; LANES]],
        number: usize,
    ) {
        let rows = &rows[self.at..];
        if COMS || !self.read_plain(rows, out, number) {
            self.read_any(rows, out, number);
        }
        self.at += out.len();
    }

    /// Rows without COM and SKP; false, with nothing done, where there is one, or the sequence of the scrambler begins anew.
    fn read_plain<const LANES: usize>(
        &mut self,
        rows: &[[u16; LANES]],
        out: &mut [[u16; LANES]],
        number: usize,
    ) -> bool {
        let Some(pad) = short_pad().get(self.scrambled..self.scrambled + out.len()) else { return false };
        let (pin, invert) = (self.pin % LANES, self.invert);
        let mut positive = u32::from(self.disparity.is_positive());
        let mut odd = 0;
        let count = out.len();
        for ((row, out), &pad) in rows.iter().zip(out).zip(pad) {
            let (entry, wrong) = decode(row[pin] ^ invert, &mut positive);
            odd |= entry & ODD;
            out[number] = (plain(entry, pad) | wrong) as u16;
        }
        if odd == 0 {
            self.scrambled = (self.scrambled + count) % SHORT_PERIOD;
            self.disparity = Disparity::new(positive == 1);
        }
        odd == 0
    }

    /// Any rows.
    fn read_any<const LANES: usize>(&mut self, rows: &[[u16; LANES]], out: &mut [[u16; LANES]], number: usize) {
        let pad = short_pad();
        let (pin, invert) = (self.pin % LANES, self.invert);
        let mut positive = u32::from(self.disparity.is_positive());
        for (row, out) in rows.iter().zip(out) {
            let (entry, wrong) = decode(row[pin] ^ invert, &mut positive);
            out[number] = (plain(entry, pad[self.scrambled]) | wrong) as u16;
            self.scrambled = match entry as u16 & 0x3ff {
                COM => 0,
                SKP => self.scrambled,
                _ => (self.scrambled + 1) % SHORT_PERIOD,
            };
        }
        self.disparity = Disparity::new(positive == 1);
    }
}

/// Of an entry of [`DECODED`]: where the place of [`WRONG_DISPARITY`] is moved to for a code that does not follow negative
/// disparity; one higher for positive.
const WRONG_SHIFT: u32 = 10;
/// The disparity behind the code is positive; it is what it was before.
const THEN_POSITIVE_SHIFT: u32 = 22;
const KEEPS_SHIFT: u32 = 23;
/// COM or SKP, with which the scrambler does not step.
const ODD: u32 = 1 << 16;
/// The scrambler's bits of a data symbol, from here on; control symbols and violations have none.
const PAD_SHIFT: u32 = 24;

/// What a code says: the symbol, and the bits above. The disparity is in no index, because a look into a table for each symbol
/// would then wait for the one before.
static DECODED: [u32; 1024] = {
    let mut all = [0; 1024];
    let mut code = 0;
    while code < all.len() {
        let entry = SYMBOLS[code];
        let symbol = entry & (VIOLATION | K | 0xff);
        let wrong = ((entry / NOT_NEGATIVE) & 3) as u32 * WRONG_DISPARITY as u32;
        all[code] = symbol as u32
            | wrong << WRONG_SHIFT
            | (((entry & POSITIVE) / POSITIVE) as u32) << THEN_POSITIVE_SHIFT
            | (((entry & KEEPS) / KEEPS) as u32) << KEEPS_SHIFT
            | if symbol == COM || symbol == SKP { ODD } else { 0 }
            | if symbol >> 8 == 0 { 0xff << PAD_SHIFT } else { 0 };
        code += 1;
    }
    all
};

/// The entry of a code in [`DECODED`], and [`WRONG_DISPARITY`] where it does not follow; `positive` is 0 or 1.
#[inline(always)]
fn decode(code: u16, positive: &mut u32) -> (u32, u32) {
    let entry = DECODED[usize::from(code & 0x3ff)];
    let wrong = entry >> (WRONG_SHIFT + *positive) & WRONG_DISPARITY as u32;
    *positive = (entry >> THEN_POSITIVE_SHIFT | *positive & entry >> KEEPS_SHIFT) & 1;
    (entry, wrong)
}

/// The symbol of an entry without the scrambler, which gives `pad`.
#[inline(always)]
fn plain(entry: u32, pad: u8) -> u32 {
    entry & 0x3ff ^ u32::from(pad) & entry >> PAD_SHIFT
}

/// What a lane's disparity says of a code.
fn fits(disparity: &mut Disparity, code: u16) -> Option<Symptom> {
    match disparity.decode(code) {
        Ok((_, true)) => None,
        Ok((_, false)) => Some(Symptom::Disparity),
        Err(_) => Some(Symptom::CodeViolation),
    }
}
