//! Packets between STP, SDP, END and EDB: 8b/10b.

use super::ends::{end_dllp, end_tlp};
use crate::coding::code::{EDB, END, PAD, SDP, STP, VIOLATION};
use crate::coding::event::{Event, Receiver, Symptom};
use crate::coding::packet::MAX_TLP_BYTES;

/// A symbol whose code the running disparity excluded.
pub(super) const WRONG_DISPARITY: u16 = 1 << 10;
/// Sequence number and LCRC.
const AROUND: usize = 6;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    /// Idle that is none was told already.
    Noise,
    Tlp,
    Dllp,
}

/// See the module.
pub(super) struct Frames {
    lanes: usize,
    state: State,
    /// A symbol of this packet had no code, or one that the running disparity excluded: it is bad, whatever its CRC says (the
    /// receiver of OpenSPARC T2's model of a link has such a packet answered with a NAK).
    spoilt: bool,
    began: u64,
    bytes: Vec<u8>,
}

impl Frames {
    pub fn new(lanes: usize) -> Frames {
        Frames { lanes, state: State::Idle, spoilt: false, began: 0, bytes: Vec::with_capacity(8192) }
    }

    /// Symbols in the order of striping, from the beginning of symbol time `at` on: control symbols as in [`code`], data
    /// descrambled, with [`VIOLATION`] and [`WRONG_DISPARITY`].
    ///
    /// [`code`]: crate::coding::code
    pub fn take(&mut self, symbols: &[u16], at: u64, to: &mut dyn Receiver) {
        let mut from = 0;
        while from < symbols.len() {
            from = match self.state {
                State::Idle | State::Noise => self.between(symbols, from, at, to),
                State::Tlp | State::Dllp => self.within(symbols, from, at, to),
            };
        }
    }

    /// An ordered set begins.
    pub fn set(&mut self, at: u64, to: &mut dyn Receiver) {
        if matches!(self.state, State::Tlp | State::Dllp) {
            to.event(at, Event::Symptom(Symptom::Framing));
        }
        self.state = State::Idle;
    }

    fn between(&mut self, symbols: &[u16], from: usize, at: u64, to: &mut dyn Receiver) -> usize {
        let rest = &symbols[from..];
        let idle = rest.iter().position(|&symbol| symbol != 0).unwrap_or(rest.len());
        let place = from + idle;
        let Some(&symbol) = symbols.get(place) else { return place };
        let time = at + (place / self.lanes) as u64;
        tell_code(symbol, time, to);
        self.symbol(symbol, place, time, to);
        place + 1
    }

    /// A symbol outside a packet that is not idle.
    fn symbol(&mut self, symbol: u16, place: usize, time: u64, to: &mut dyn Receiver) {
        let starts = (place % self.lanes).is_multiple_of(4);
        let wrong = symbol & WRONG_DISPARITY != 0;
        match symbol & !WRONG_DISPARITY {
            kind @ (STP | SDP) if starts => {
                self.state = if kind == STP { State::Tlp } else { State::Dllp };
                (self.spoilt, self.began) = (wrong, time);
                self.bytes.clear();
            }
            PAD => {}
            0 => self.state = State::Idle,
            _ if symbol & VIOLATION != 0 => {}
            _ if self.state == State::Noise => {}
            _ => {
                self.state = State::Noise;
                to.event(time, Event::Symptom(Symptom::Framing));
            }
        }
    }

    fn within(&mut self, symbols: &[u16], from: usize, at: u64, to: &mut dyn Receiver) -> usize {
        let rest = &symbols[from..];
        let plain = plain(rest);
        self.bytes.extend(rest[..plain].iter().map(|&symbol| symbol as u8));
        let place = from + plain;
        let most = if self.state == State::Tlp { MAX_TLP_BYTES + AROUND } else { 6 };
        if self.bytes.len() > most {
            to.event(self.began, Event::Symptom(Symptom::Framing));
            self.state = State::Noise;
            return place;
        }
        let Some(&symbol) = symbols.get(place) else { return place };
        let time = at + (place / self.lanes) as u64;
        tell_code(symbol, time, to);
        self.spoilt |= symbol & WRONG_DISPARITY != 0;
        match symbol & !WRONG_DISPARITY {
            END | EDB => self.end(symbol & !WRONG_DISPARITY == EDB, to),
            data @ 0..=0xff => self.bytes.push(data as u8),
            violation if violation & VIOLATION != 0 => {
                self.spoilt = true;
                self.bytes.push(0);
            }
            _ => {
                to.event(time, Event::Symptom(Symptom::Framing));
                self.state = State::Noise;
                self.symbol(symbol, place, time, to);
            }
        }
        place + 1
    }

    fn end(&mut self, null: bool, to: &mut dyn Receiver) {
        let state = std::mem::replace(&mut self.state, State::Idle);
        let length = self.bytes.len();
        match (state, <[u8; 6]>::try_from(self.bytes.as_slice())) {
            (State::Dllp, Ok(bytes)) if !null && !self.spoilt => end_dllp(self.began, bytes, to),
            (State::Tlp, _) if !self.spoilt && length > AROUND => end_tlp(self.began, &self.bytes, null, to),
            (State::Dllp, Ok(_)) if !null => {}
            (State::Tlp, _) if self.spoilt => {}
            _ => to.event(self.began, Event::Symptom(Symptom::Framing)),
        }
    }
}

fn tell_code(symbol: u16, time: u64, to: &mut dyn Receiver) {
    if symbol & VIOLATION != 0 {
        to.event(time, Event::Symptom(Symptom::CodeViolation));
    } else if symbol & WRONG_DISPARITY != 0 {
        to.event(time, Event::Symptom(Symptom::Disparity));
    }
}

/// How many symbols at the beginning are data without errors.
fn plain(symbols: &[u16]) -> usize {
    let (chunks, rest) = symbols.as_chunks::<16>();
    let special = |chunk: &[u16; 16]| chunk.iter().fold(0, |all, &symbol| all | symbol) > 0xff;
    let whole = chunks.iter().position(special).unwrap_or(chunks.len());
    let near = chunks.get(whole).map_or(rest, |chunk| chunk.as_slice());
    whole * 16 + near.iter().position(|&symbol| symbol > 0xff).unwrap_or(near.len())
}
