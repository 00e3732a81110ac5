//! Writes the lanes at 8b/10b.

use crate::coding::code::{CODES, COM, EDB, END, K, PAD, SDP, SKP, STP};
use crate::coding::ordered::{self, Set, Training};
use crate::coding::packet::TlpBytes;
use crate::coding::scrambler::{SHORT_PERIOD, short_pad};
use pcie::{Encoding, LinkSpeed};

/// Symbol times of a SKP ordered set.
pub(super) const SKP_SYMBOLS: u64 = pcie::timing::skp(Encoding::E8b10b, false).length_symbols;
/// Ordered sets of each kind in training, and symbol times of idle behind it.
const TRAININGS: usize = 16;
const SETTLING: usize = 16;
/// Symbols that wait for their lanes.
const CHUNK: usize = 4096;

pub(super) struct Codes {
    speed: LinkSpeed,
    lanes: usize,
    /// Symbols in the order of striping that have no code yet.
    waiting: Vec<u16>,
    rows: Vec<u16>,
    /// Positive running disparity, by lane.
    positive: Vec<u8>,
    /// The place in the sequence of the scrambler; all lanes are at the same.
    scrambled: usize,
    pub times: u64,
    pub trained_at: u64,
}

impl Codes {
    pub fn new(speed: LinkSpeed) -> Codes {
        let lanes = speed.width.lanes() as usize;
        Codes {
            speed,
            lanes,
            waiting: Vec::with_capacity(2 * CHUNK),
            rows: Vec::new(),
            positive: vec![0; lanes],
            scrambled: 0,
            times: 0,
            trained_at: 0,
        }
    }

    pub fn train(&mut self) {
        for _ in 0..TRAININGS {
            self.ordered(Set::Ts1);
        }
        for _ in 0..TRAININGS {
            self.ordered(Set::Ts2);
        }
        self.ordered(Set::Skp);
        self.waiting.resize(self.waiting.len() + SETTLING * self.lanes, 0);
        self.encode();
        if self.trained_at == 0 {
            self.trained_at = self.times;
        }
    }

    /// A TLP; gives its symbols.
    pub fn tlp(&mut self, tlp: &TlpBytes<'_>) -> u64 {
        let before = self.waiting.len();
        let [high, low] = tlp.sequence_bytes().map(u16::from);
        self.waiting.extend_from_slice(&[STP, high, low]);
        self.waiting.extend(tlp.bytes.iter().map(|&byte| u16::from(byte)));
        self.waiting.extend(tlp.lcrc().map(u16::from));
        self.waiting.push(if tlp.nullified { EDB } else { END });
        self.put(before)
    }

    /// A DLLP; gives its symbols.
    pub fn dllp(&mut self, bytes: [u8; 6]) -> u64 {
        let before = self.waiting.len();
        let [a, b, c, d, e, f] = bytes.map(u16::from);
        self.waiting.extend_from_slice(&[SDP, a, b, c, d, e, f, END]);
        self.put(before)
    }

    fn put(&mut self, before: usize) -> u64 {
        let added = self.waiting.len() - before;
        if self.waiting.len() >= CHUNK {
            self.encode();
        }
        added as u64
    }

    /// PAD to the end of the symbol time of position `from`, then idle, up to position `end`.
    pub fn fill(&mut self, from: u64, end: u64) {
        let idle_from = from.next_multiple_of(self.lanes as u64).min(end);
        self.waiting.resize(self.waiting.len() + (idle_from - from) as usize, PAD);
        let mut left = (end - idle_from) as usize;
        while left > 0 {
            let now = left.min(CHUNK);
            self.waiting.resize(self.waiting.len() + now, 0);
            left -= now;
            if self.waiting.len() >= CHUNK {
                self.encode();
            }
        }
    }

    /// An ordered set; gives its symbol times.
    pub fn ordered(&mut self, set: Set) -> u64 {
        self.encode();
        let of_lane = |lane| ordered::symbols(set, Training::of_lane(lane as u8, self.speed.generation));
        let sets: Vec<Vec<u16>> = (0..self.lanes).map(of_lane).collect();
        let times = sets.first().map_or(0, Vec::len);
        for time in 0..times {
            for (symbols, positive) in sets.iter().zip(&mut self.positive) {
                self.rows.push(code(symbols[time], positive));
            }
            match sets[0][time] {
                COM => self.scrambled = 0,
                SKP => {}
                _ => self.scrambled = (self.scrambled + 1) % SHORT_PERIOD,
            }
        }
        self.times += times as u64;
        times as u64
    }

    pub fn take(&mut self) -> Vec<u16> {
        self.encode();
        std::mem::take(&mut self.rows)
    }

    pub fn clear(&mut self) {
        self.encode();
        self.rows.clear();
    }

    /// Gives the whole symbol times that wait to their lanes.
    fn encode(&mut self) {
        for_width!(self.lanes, self.rows_of());
    }

    fn rows_of<const LANES: usize>(&mut self) {
        let pad = short_pad();
        let mut positive = [0u8; LANES];
        positive.copy_from_slice(&self.positive);
        let (rows, rest) = self.waiting.as_chunks::<LANES>();
        let begin = self.rows.len();
        self.rows.resize(begin + rows.len() * LANES, 0);
        let (out, _) = self.rows[begin..].as_chunks_mut::<LANES>();
        let mut at = self.scrambled;
        let mut done = 0;
        while done < rows.len() {
            let count = (rows.len() - done).min(SHORT_PERIOD - at);
            let rows = rows[done..done + count].iter().zip(&pad[at..at + count]);
            for ((row, &pad), out) in rows.zip(&mut out[done..done + count]) {
                for lane in 0..LANES {
                    let data = (row[lane] >> 8 & 1).wrapping_sub(1) & 0xff;
                    let symbol = row[lane] ^ (pad as u16 & data);
                    out[lane] = code(symbol, &mut positive[lane]);
                }
            }
            done += count;
            at = (at + count) % SHORT_PERIOD;
        }
        self.times += rows.len() as u64;
        let rest = rest.len();
        self.scrambled = at;
        self.positive.copy_from_slice(&positive);
        let sent = self.waiting.len() - rest;
        self.waiting.copy_within(sent.., 0);
        self.waiting.truncate(rest);
    }
}

/// The code of a symbol that exists.
#[inline(always)]
fn code(symbol: u16, positive: &mut u8) -> u16 {
    let entry = CODES[(symbol & (K | 0xff)) as usize];
    let code = entry >> (10 * u32::from(*positive)) & 0x3ff;
    *positive ^= (entry >> 20) as u8;
    code as u16
}
