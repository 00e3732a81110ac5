//! Reads the lanes at 128b/130b.

mod lane;

use super::tokens::Tokens;
use crate::coding::bits::{BLOCK_BITS, Bits, DATA, ORDERED, SYMBOLS};
use crate::coding::crossing::MAX_SKEW;
use crate::coding::event::{Event, Receiver, Row, Symptom};
use crate::coding::ordered::{self, Set, Training};
use crate::coding::scrambler::Long;
use lane::{Found, Lane};
use pcie::Generation;

/// Receives all lanes.
pub(super) fn receive(lanes: &[Bits], generation: Generation, to: &mut dyn Receiver) {
    let mut link = Link {
        generation,
        scrambler: Long::default(),
        lanes: lanes.iter().map(|bits| Lane::new(bits, generation)).collect(),
        tokens: Tokens::new(lanes.len()),
        at: 0,
    };
    let mut trained = false;
    while link.train(to) {
        trained = true;
        for_width!(lanes.len(), link.data(to));
    }
    if !trained {
        to.event(0, Event::Symptom(Symptom::Lost));
    }
}

struct Link<'a> {
    generation: Generation,
    scrambler: Long,
    /// In the order of the transmitter, once that is known.
    lanes: Vec<Lane<'a>>,
    tokens: Tokens,
    /// The symbol time of lane 0.
    at: u64,
}

impl Link<'_> {
    /// Looks for the next data stream on all lanes. False where there is none.
    fn train(&mut self, to: &mut dyn Receiver) -> bool {
        if !self.lanes.iter_mut().all(Lane::train) {
            return false;
        }
        let mut said = false;
        loop {
            self.lanes.sort_by_key(|lane| lane.number);
            let ordered = self.lanes.iter().enumerate().all(|(number, lane)| usize::from(lane.number) == number);
            let starts = self.lanes.iter().map(|lane| lane.at);
            let (first, last) = (starts.clone().min().unwrap_or(0), starts.max().unwrap_or(0));
            self.at = self.lanes.first().map_or(0, |lane| {
                // Lane 0 may arrive in the middle of a symbol time of the others' blocks.
                (lane.at / BLOCK_BITS * SYMBOLS + (lane.at % BLOCK_BITS).div_ceil(8)) as u64
            });
            if ordered && last - first <= MAX_SKEW * 8 * BLOCK_BITS / 128 + 2 {
                let told = self.lanes.first().map_or(&[][..], |lane| &lane.told);
                let from = self.at - (SYMBOLS * told.len().min(self.at as usize / SYMBOLS)) as u64;
                for (place, &set) in told.iter().enumerate() {
                    to.event(from + (place * SYMBOLS) as u64, Event::Set(set));
                }
                self.tokens.begin();
                return true;
            }
            if !std::mem::replace(&mut said, true) {
                to.event(self.at, Event::Symptom(Symptom::Deskew));
            }
            // A lane that missed a training waits for the others at its next one.
            if !self.lanes.iter_mut().filter(|lane| lane.at == first).all(Lane::train) {
                return false;
            }
        }
    }

    /// Receives a data stream up to its end, or an error that ends it.
    fn data<const LANES: usize>(&mut self, to: &mut dyn Receiver) {
        let mut block = [[0u8; LANES]; SYMBOLS];
        loop {
            let (mut headers, mut in_all) = (0u8, 3u8);
            let mut payloads = [0u128; LANES];
            for (lane, payload) in self.lanes.iter().zip(&mut payloads) {
                let Some((header, bits)) = lane.block() else {
                    self.tokens.finish(to);
                    return self.lanes.iter_mut().for_each(Lane::exhaust);
                };
                headers |= header;
                in_all &= header;
                *payload = bits;
            }
            if headers == DATA && in_all == DATA && !self.tokens.ended {
                for (number, (lane, &payload)) in self.lanes.iter_mut().zip(&payloads).enumerate() {
                    let (register, pad) = self.scrambler.block(lane.register);
                    lane.register = register;
                    lane.parity ^= payload;
                    lane.at += BLOCK_BITS;
                    for (time, byte) in (payload ^ pad).to_le_bytes().into_iter().enumerate() {
                        block[time][number % LANES] = byte;
                    }
                }
                to.symbols(self.at, Row::Block { ordered: false, bytes: block.as_flattened() });
                if self.tokens.take(block.as_flattened(), self.at, to).is_err() {
                    return self.lose(Symptom::Framing, to);
                }
                self.at += SYMBOLS as u64;
            } else if headers == ORDERED && in_all == ORDERED {
                match self.set(&payloads, to) {
                    Ok(true) => self.tokens.resume(),
                    Ok(false) => return,
                    Err(symptom) => return self.lose(symptom, to),
                }
            } else {
                let framing = headers == DATA && in_all == DATA;
                return self.lose(if framing { Symptom::Framing } else { Symptom::SyncHeader }, to);
            }
        }
    }

    /// An ordered set on all lanes; true where the data stream goes on behind it.
    fn set(&mut self, payloads: &[u128], to: &mut dyn Receiver) -> Result<bool, Symptom> {
        let of = |payload: &u128| ordered::of_block(*payload as u8, self.generation);
        let set = payloads.first().and_then(of).ok_or(Symptom::Framing)?;
        if !self.tokens.ended || !payloads.iter().all(|payload| of(payload) == Some(set)) {
            return Err(Symptom::Framing);
        }
        self.tokens.finish(to);
        if set != Set::Skp {
            // A data stream ends here; which sets follow is told when the next one begins.
            let training = Training::of_lane(0, self.generation);
            let whole = ordered::block(set, training, self.generation).map(u128::from_le_bytes);
            let ends = matches!(set, Set::Eieos | Set::Eios) && payloads.iter().all(|&payload| Some(payload) == whole);
            return if ends { Ok(false) } else { Err(Symptom::Framing) };
        }
        to.event(self.at, Event::Set(set));
        let bytes = (0..SYMBOLS).flat_map(|time| payloads.iter().map(move |payload| (payload >> (8 * time)) as u8));
        to.symbols(self.at, Row::Block { ordered: true, bytes: &bytes.collect::<Vec<u8>>() });
        let mut times = 0;
        for lane in &mut self.lanes {
            let Found { symbols, content } = lane.skp().ok_or(Symptom::Framing)?;
            if let Some(content) = content {
                let odd = lane.parity.count_ones() % 2 == 1;
                let expected = ordered::skp_content(odd, lane.register);
                if content[0] ^ expected[0] == 0x80 && content[1..] == expected[1..] {
                    to.event(self.at, Event::Symptom(Symptom::Parity));
                } else if content != expected {
                    to.event(self.at, Event::Symptom(Symptom::SkpContent));
                }
            }
            lane.parity = 0;
            times = symbols;
        }
        self.at += times as u64;
        Ok(true)
    }

    fn lose(&mut self, why: Symptom, to: &mut dyn Receiver) {
        self.tokens.finish(to);
        to.event(self.at, Event::Symptom(why));
        to.event(self.at, Event::Symptom(Symptom::Lost));
    }
}
