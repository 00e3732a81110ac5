//! What boards and cables do to the lanes of a stream on its way: they arrive at different times, in reverse order, inverted.

use crate::coding::bits::Bits;
use crate::coding::stream::{ELECTRICAL_IDLE, Lanes, Stream};

/// Lanes that arrive further apart than this many symbol times are not brought together (assumed; the bound that this
/// project states for its receivers).
pub const MAX_SKEW: usize = 20;

/// A way across a board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    /// By lane of the transmitter, how many symbol times later it arrives. Lanes that are not told arrive at once.
    pub skew: Vec<usize>,
    /// Lane 0 of the transmitter arrives on the last lane.
    pub reversed: bool,
    /// By lane of the transmitter, whether its two wires are swapped.
    pub inverted: Vec<bool>,
}

impl Crossing {
    fn skew(&self, lane: usize) -> usize {
        self.skew.get(lane).copied().unwrap_or(0)
    }

    fn inverts(&self, lane: usize) -> bool {
        self.inverted.get(lane).copied().unwrap_or(false)
    }

    /// The stream as it arrives.
    pub fn cross(&self, stream: &Stream) -> Stream {
        let width = stream.width();
        let most = (0..width).map(|lane| self.skew(lane)).max().unwrap_or(0);
        let from = |at: usize| if self.reversed { width - 1 - at } else { at };
        let lanes = match &stream.lanes {
            Lanes::Codes(rows) => {
                let times = rows.len() / width;
                let word = |time: usize, lane: usize| {
                    let sent = time.checked_sub(self.skew(lane)).filter(|&time| time < times);
                    let word = sent.map_or(ELECTRICAL_IDLE, |time| rows[time * width + lane]);
                    if word != ELECTRICAL_IDLE && self.inverts(lane) { word ^ 0x3ff } else { word }
                };
                let all = (0..times + most).flat_map(|time| (0..width).map(move |at| (time, at)));
                Lanes::Codes(all.map(|(time, at)| word(time, from(at))).collect())
            }
            Lanes::Bits(lanes) => {
                let lane = |at: usize| {
                    let mut bits = Bits::default();
                    for _ in 0..self.skew(from(at)) {
                        bits.push(0, 8);
                    }
                    let sent = &lanes[from(at)];
                    let sent = if self.inverts(from(at)) { &sent.inverted() } else { sent };
                    bits.extend(sent, 0, sent.len());
                    bits
                };
                Lanes::Bits((0..width).map(lane).collect())
            }
        };
        Stream { speed: stream.speed, lanes }
    }
}
