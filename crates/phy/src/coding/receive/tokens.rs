//! Packets between framing tokens: 128b/130b.

use super::ends::{check_tlp, end_dllp};
use crate::coding::event::{Event, Receiver, Symptom};
use crate::coding::token::Token;

/// A symbol or token where none may be: the data stream ends and the link must train again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FramingError;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A token follows, of which `have` bytes are in `head`.
    Token,
    /// So many bytes of a TLP, or of a DLLP, are missing.
    Tlp(usize),
    Dllp(usize),
}

/// See the module.
pub(super) struct Tokens {
    lanes: usize,
    state: State,
    head: [u8; 4],
    have: usize,
    /// The symbol times at which the token begins that is being read, and the packet.
    head_at: u64,
    began: u64,
    bytes: Vec<u8>,
    /// A TLP whose LCRC does not fit: EDB may follow.
    doubtful: bool,
    /// The block ended with EDS.
    pub ended: bool,
}

impl Tokens {
    pub fn new(lanes: usize) -> Tokens {
        Tokens {
            lanes,
            state: State::Token,
            head: [0; 4],
            have: 0,
            head_at: 0,
            began: 0,
            bytes: Vec::with_capacity(8192),
            doubtful: false,
            ended: false,
        }
    }

    /// A data stream begins.
    pub fn begin(&mut self) {
        (self.state, self.have, self.doubtful, self.ended) = (State::Token, 0, false, false);
    }

    /// The data stream goes on behind a SKP ordered set.
    pub fn resume(&mut self) {
        self.ended = false;
    }

    /// Nothing follows.
    pub fn finish(&mut self, to: &mut dyn Receiver) {
        if std::mem::take(&mut self.doubtful) {
            to.event(self.began, Event::Symptom(Symptom::Lcrc));
        }
    }

    /// A block of all lanes in the order of striping, descrambled, whose first symbol time is `at`.
    pub fn take(&mut self, block: &[u8], at: u64, to: &mut dyn Receiver) -> Result<(), FramingError> {
        let mut from = 0;
        while from < block.len() {
            from = match self.state {
                State::Token => self.token(block, from, at, to)?,
                State::Tlp(missing) => {
                    let now = missing.min(block.len() - from);
                    self.bytes.extend_from_slice(&block[from..from + now]);
                    self.state = State::Tlp(missing - now);
                    if missing == now {
                        self.end_tlp(to);
                    }
                    from + now
                }
                State::Dllp(missing) => {
                    let now = missing.min(block.len() - from);
                    self.bytes.extend_from_slice(&block[from..from + now]);
                    self.state = State::Dllp(missing - now);
                    if missing == now {
                        self.state = State::Token;
                        if let Ok(bytes) = self.bytes.as_slice().try_into() {
                            end_dllp(self.began, bytes, to);
                        }
                    }
                    from + now
                }
            };
        }
        Ok(())
    }

    fn end_tlp(&mut self, to: &mut dyn Receiver) {
        self.state = State::Token;
        match check_tlp(&self.bytes, false) {
            Some(event) => to.event(self.began, event),
            None => self.doubtful = true,
        }
    }

    fn token(&mut self, block: &[u8], mut from: usize, at: u64, to: &mut dyn Receiver) -> Result<usize, FramingError> {
        if self.have == 0 {
            let rest = &block[from..];
            let idle = rest.iter().position(|&byte| byte != 0).unwrap_or(rest.len());
            if idle > 0 {
                self.finish(to);
            }
            from += idle;
            if from == block.len() {
                return Ok(from);
            }
            if !(from % self.lanes).is_multiple_of(self.lanes.min(4)) {
                return Err(FramingError);
            }
        }
        if self.have == 0 {
            self.head_at = at + (from / self.lanes) as u64;
        }
        let now = (4 - self.have).min(block.len() - from);
        self.head[self.have..self.have + now].copy_from_slice(&block[from..from + now]);
        self.have += now;
        from += now;
        if self.have < 4 {
            // The rest of the token is in the next block.
            return Ok(from);
        }
        self.have = 0;
        let token = Token::read(self.head).ok_or(FramingError)?;
        if token == Token::Edb {
            return self.end_bad(to).map(|()| from);
        }
        self.finish(to);
        self.began = self.head_at;
        self.bytes.clear();
        match token {
            Token::Stp { length, sequence } => {
                self.bytes.extend_from_slice(&sequence.to_be_bytes());
                self.state = State::Tlp(4 * length as usize - 4);
            }
            Token::Sdp => {
                self.bytes.extend_from_slice(&self.head[2..]);
                self.state = State::Dllp(4);
            }
            Token::Eds if from == block.len() => self.ended = true,
            Token::Eds | Token::Idle | Token::Edb => return Err(FramingError),
        }
        Ok(from)
    }

    /// EDB: only behind a TLP with an inverted LCRC.
    fn end_bad(&mut self, to: &mut dyn Receiver) -> Result<(), FramingError> {
        if !std::mem::take(&mut self.doubtful) {
            return Err(FramingError);
        }
        match check_tlp(&self.bytes, true) {
            Some(event) => to.event(self.began, event),
            None => to.event(self.began, Event::Symptom(Symptom::Lcrc)),
        }
        Ok(())
    }
}
