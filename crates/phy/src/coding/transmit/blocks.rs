//! Writes the lanes at 128b/130b.

use crate::coding::bits::{Bits, DATA, ORDERED, SYMBOLS};
use crate::coding::ordered::{self, Set, Training};
use crate::coding::packet::TlpBytes;
use crate::coding::scrambler::{Long, long_seed};
use crate::coding::token;
use pcie::LinkSpeed;

/// TS1s, and TS2s, in training.
const TRAININGS: usize = 8;
/// Bytes that wait for their lanes, in blocks of all lanes.
const CHUNK: usize = 8;

#[derive(Default)]
struct Lane {
    bits: Bits,
    register: u32,
    /// All data blocks since the last SKP or SDS, added without carry.
    parity: u128,
    /// Ones less zeros in TS1s and TS2s.
    balance: i32,
}

pub(super) struct Blocks {
    speed: LinkSpeed,
    scrambler: Long,
    lanes: Vec<Lane>,
    /// Bytes in the order of striping that are in no block yet.
    waiting: Vec<u8>,
    after_data: bool,
    pub times: u64,
    pub trained_at: u64,
}

impl Blocks {
    pub fn new(speed: LinkSpeed) -> Blocks {
        let lane = |lane| Lane { register: long_seed(lane), ..Lane::default() };
        Blocks {
            speed,
            scrambler: Long::default(),
            lanes: (0..speed.width.lanes() as usize).map(lane).collect(),
            waiting: Vec::new(),
            after_data: false,
            times: 0,
            trained_at: 0,
        }
    }

    pub fn train(&mut self) {
        for set in [Set::Ts1, Set::Ts2] {
            self.ordered(Set::Eieos);
            for _ in 0..TRAININGS {
                self.ordered(set);
            }
        }
        self.ordered(Set::Skp);
        self.ordered(Set::Sds);
        if self.trained_at == 0 {
            self.trained_at = self.times;
        }
    }

    /// A TLP; gives its symbols.
    pub fn tlp(&mut self, tlp: &TlpBytes<'_>) -> u64 {
        let before = self.waiting.len();
        let length = (tlp.bytes.len() / 4 + 2) as u16;
        self.waiting.extend_from_slice(&token::stp(length, tlp.sequence & 0xfff));
        self.waiting.extend_from_slice(tlp.bytes);
        self.waiting.extend_from_slice(&tlp.lcrc());
        if tlp.nullified {
            self.waiting.extend_from_slice(&token::EDB);
        }
        self.encode_much(before)
    }

    /// A DLLP; gives its symbols.
    pub fn dllp(&mut self, bytes: [u8; 6]) -> u64 {
        let before = self.waiting.len();
        self.waiting.extend_from_slice(&token::SDP);
        self.waiting.extend_from_slice(&bytes);
        self.encode_much(before)
    }

    pub fn put(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    /// So many symbols of idle.
    pub fn fill(&mut self, mut count: usize) {
        let most = CHUNK * SYMBOLS * self.lanes.len();
        while count > 0 {
            let (now, before) = (count.min(most), self.waiting.len());
            self.waiting.resize(before + now, token::IDL);
            count -= now;
            self.encode_much(before);
        }
    }

    fn encode_much(&mut self, before: usize) -> u64 {
        let added = self.waiting.len() - before;
        if self.waiting.len() >= CHUNK * SYMBOLS * self.lanes.len() {
            self.encode();
        }
        added as u64
    }

    /// An ordered set, behind a whole block; gives its symbol times.
    pub fn ordered(&mut self, set: Set) -> u64 {
        self.encode();
        for lane in 0..self.lanes.len() {
            let block = self.set(set, lane);
            self.lanes[lane].bits.push_block(ORDERED, u128::from_le_bytes(block));
        }
        if set == Set::Eieos {
            for (number, lane) in self.lanes.iter_mut().enumerate() {
                (lane.register, lane.balance) = (long_seed(number), 0);
            }
        }
        self.after_data = false;
        self.times += SYMBOLS as u64;
        SYMBOLS as u64
    }

    /// The ordered set as it is on a lane; moves the scrambler of the lane.
    fn set(&mut self, set: Set, number: usize) -> [u8; SYMBOLS] {
        let generation = self.speed.generation;
        let lane = &mut self.lanes[number];
        if set == Set::Skp {
            let odd = std::mem::take(&mut lane.parity).count_ones() % 2 == 1;
            let parity = if self.after_data { odd } else { lane.register >> 22 == 0 };
            return ordered::skp_block(generation, parity, lane.register);
        }
        lane.parity = 0;
        let (register, pad) = self.scrambler.block(lane.register);
        lane.register = register;
        // FTS is no set that a transmitter here sends: it would need symbols that are not known.
        let known = ordered::block(set, Training::of_lane(number as u8, generation), generation);
        let mut block = known.unwrap_or([0; SYMBOLS]);
        if matches!(set, Set::Ts1 | Set::Ts2) {
            for (symbol, pad) in block.iter_mut().zip(pad.to_le_bytes()).skip(1) {
                *symbol ^= pad;
            }
            balance(&mut block, &mut lane.balance);
        }
        block
    }

    pub fn take(&mut self) -> Vec<Bits> {
        self.encode();
        self.lanes.iter_mut().map(|lane| std::mem::take(&mut lane.bits)).collect()
    }

    pub fn clear(&mut self) {
        self.encode();
        self.lanes.iter_mut().for_each(|lane| lane.bits.clear());
    }

    /// Gives the whole blocks that wait to their lanes.
    fn encode(&mut self) {
        for_width!(self.lanes.len(), self.blocks_of());
    }

    fn blocks_of<const LANES: usize>(&mut self) {
        let mut done = 0;
        while self.waiting.len() - done >= SYMBOLS * LANES {
            let (rows, _) = self.waiting[done..done + SYMBOLS * LANES].as_chunks::<LANES>();
            for (number, lane) in self.lanes.iter_mut().enumerate() {
                let symbols: [u8; SYMBOLS] = std::array::from_fn(|time| rows[time][number % LANES]);
                let (register, pad) = self.scrambler.block(lane.register);
                let block = u128::from_le_bytes(symbols) ^ pad;
                lane.register = register;
                lane.parity ^= block;
                lane.bits.push_block(DATA, block);
            }
            done += SYMBOLS * LANES;
            self.times += SYMBOLS as u64;
            self.after_data = true;
        }
        self.waiting.copy_within(done.., 0);
        self.waiting.truncate(self.waiting.len() - done);
    }
}

/// Symbols 14 and 15 of a TS1 or TS2 make up for ones or zeros that were sent too many (assumed: above 31, both; above 15,
/// the last).
fn balance(block: &mut [u8; SYMBOLS], sum: &mut i32) {
    let tilt = |symbols: &[u8]| symbols.iter().map(|symbol| 2 * symbol.count_ones() as i32 - 8).sum::<i32>();
    let before = *sum + tilt(&block[..14]);
    if before.abs() > 31 {
        block[14] = if before > 0 { 0x20 } else { 0xdf };
    }
    if before.abs() > 15 {
        block[15] = if before > 0 { 0x08 } else { 0xf7 };
    }
    *sum += tilt(block);
}
