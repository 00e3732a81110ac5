//! The vendor's hard block with its user interface: 7 series, 64 or 128 bit. TLPs are bytes towards the link and beats
//! towards the engine. Received TLPs are shown completely and in order, after the block's latency. At 128 bit, one may
//! start in the upper half of the beat that ends another. A TLP to be sent is accepted when the buffer has room for one
//! of MPS, and is sent when it is complete.

use crate::pins::{In, Out};
use pcie::Time;
use pcie::tlp::{Header, HeaderError};
use std::collections::VecDeque;

/// A received TLP on its way to the engine.
#[derive(Clone, Debug)]
struct Coming<T> {
    dws: Box<[u32]>,
    /// The BARs that it hits, one bit for each.
    bars: u8,
    at: Time,
    /// Returned to the sender when the engine has taken the TLP.
    ticket: T,
}

/// A beat on the pins.
#[derive(Clone, Copy, Debug, Default)]
struct Beat {
    data: [u64; 2],
    keep: u16,
    last: bool,
    user: u32,
    /// TLPs that end in this beat.
    ends: usize,
}

/// A TLP that the engine has sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its header.
    pub header: Header,
    /// Its payload.
    pub data: Box<[u8]>,
    /// The clock edge at which its first beat was taken.
    pub began: Time,
}

/// See the module.
#[derive(Debug)]
pub struct Block<T> {
    /// Double words in a beat.
    lanes: usize,
    coming: VecDeque<Coming<T>>,
    /// Double words of the first TLP that have been shown.
    shown_dws: usize,
    beat: Option<Beat>,
    /// TLPs that are shown completely and not taken yet.
    ending: VecDeque<T>,
    leaving: Vec<u32>,
    began: Time,
}

impl<T> Block<T> {
    /// A block with a stream of `width` bits.
    pub fn new(width: u64) -> Block<T> {
        Block {
            lanes: width as usize / 32,
            coming: VecDeque::new(),
            shown_dws: 0,
            beat: None,
            ending: VecDeque::new(),
            leaving: Vec::new(),
            began: Time::ZERO,
        }
    }

    /// Receives a TLP, which may be shown from `at` on.
    pub fn receive(&mut self, header: &Header, data: &[u8], bars: u8, at: Time, ticket: T) {
        self.coming.push_back(Coming { dws: double_words(header, data), bars, at, ticket });
    }

    /// True where the block has nothing for the engine, now or later.
    pub fn is_empty(&self) -> bool {
        self.coming.is_empty() && self.beat.is_none() && self.ending.is_empty()
    }

    /// When the next TLP may be shown.
    pub fn next_at(&self) -> Option<Time> {
        self.coming.front().map(|coming| coming.at)
    }

    /// True between the first and the last beat of a TLP to be sent.
    pub fn in_tlp(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// Puts the beat of the edge at `now` on the pins.
    pub fn show(&mut self, now: Time, pins: &mut In) {
        if self.beat.is_none() {
            self.beat = self.next_beat(now);
        }
        pins.rx_valid = self.beat.is_some();
        if let Some(beat) = self.beat {
            pins.rx_data = beat.data;
            pins.rx_keep = beat.keep;
            pins.rx_last = beat.last;
            pins.rx_user = beat.user;
        }
    }

    /// After the edge: the tickets of the TLPs that the engine has taken.
    pub fn taken(&mut self, pins: &In, out: &Out) -> impl Iterator<Item = T> + '_ {
        let ended = match self.beat {
            Some(beat) if pins.rx_valid && out.rx_ready => {
                self.beat = None;
                beat.ends
            }
            _ => 0,
        };
        self.ending.drain(..ended)
    }

    /// After the edge at `now`: the TLP that the engine has sent.
    ///
    /// # Errors
    /// A header of a type that the engine does not send.
    pub fn collect(&mut self, now: Time, pins: &In, out: &Out) -> Option<Result<Taken, HeaderError>> {
        if !(pins.tx_ready && out.tx_valid) {
            return None;
        }
        if self.leaving.is_empty() {
            self.began = now;
        }
        let count = (out.tx_keep.count_ones() / 4) as usize;
        let dws = (0..count).map(|lane| (out.tx_data[lane / 2] >> (32 * (lane % 2))) as u32);
        self.leaving.extend(dws);
        if !out.tx_last {
            return None;
        }
        let bytes: Vec<u8> = self.leaving.iter().flat_map(|dw| dw.to_be_bytes()).collect();
        self.leaving.clear();
        Some(split(&bytes).map(|(header, data)| Taken { header, data, began: self.began }))
    }

    fn next_beat(&mut self, now: Time) -> Option<Beat> {
        let mut beat = Beat::default();
        let mut lane = 0;
        while lane < self.lanes {
            let starts = self.shown_dws == 0;
            let Some(first) = self.coming.front().filter(|c| !starts || c.at <= now) else { break };
            if starts {
                beat.user |= u32::from(first.bars) << 2;
                if self.lanes == 4 {
                    beat.user |= 1 << 14 | u32::from(lane == 2) << 13;
                }
            }
            let count = (self.lanes - lane).min(first.dws.len() - self.shown_dws);
            for dw in &first.dws[self.shown_dws..self.shown_dws + count] {
                beat.data[lane / 2] |= u64::from(*dw) << (32 * (lane % 2));
                beat.keep |= 0xf << (4 * lane);
                lane += 1;
            }
            self.shown_dws += count;
            if self.shown_dws < first.dws.len() {
                break;
            }
            beat.last = true;
            beat.ends += 1;
            self.shown_dws = 0;
            if let Some(done) = self.coming.pop_front() {
                self.ending.push_back(done.ticket);
            }
            if self.lanes == 4 {
                beat.user |= 1 << 21 | (lane as u32 * 4 - 1) << 17;
            }
            // The next one may begin in the upper half of a wide beat only.
            if self.lanes == 4 && lane <= 2 {
                lane = 2;
            } else {
                break;
            }
        }
        if self.lanes == 4 {
            beat.keep = 0xffff;
        }
        (lane > 0).then_some(beat)
    }
}

/// The double words of a TLP, with the first byte in the highest bits.
fn double_words(header: &Header, data: &[u8]) -> Box<[u32]> {
    let lead = if data.is_empty() { 0 } else { lead(header) };
    let mut bytes = header.encode();
    bytes.resize(bytes.len() + lead, 0);
    bytes.extend_from_slice(data);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.chunks_exact(4).map(|dw| u32::from_be_bytes([dw[0], dw[1], dw[2], dw[3]])).collect()
}

/// Disabled bytes at the start of the payload's first double word.
fn lead(header: &Header) -> usize {
    match *header {
        Header::Request { address, .. } => address as usize & 3,
        Header::Completion { lower_address, .. } => lower_address as usize & 3,
    }
}

/// Splits the bytes of a TLP into header and payload.
fn split(bytes: &[u8]) -> Result<(Header, Box<[u8]>), HeaderError> {
    let header = Header::decode(bytes)?;
    let (begin, count) = match header {
        Header::Request { write: true, bytes: count, .. } => (if bytes[0] & 0x20 != 0 { 16 } else { 12 }, count),
        Header::Completion { bytes: count, .. } => (12, count),
        Header::Request { .. } => (12, 0),
    };
    let begin = begin + if count > 0 { lead(&header) } else { 0 };
    let payload = bytes.get(begin..begin + count as usize).ok_or(HeaderError::Short(bytes.len()))?;
    Ok((header, payload.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcie::Bdf;

    fn write(address: u64, bytes: u64) -> Header {
        Header::Request { write: true, address, bytes, requester: Bdf::default(), tag: 0 }
    }

    type Whole = (Header, Box<[u8]>);

    /// Feeds what the block shows back into its transmit side. Returns the TLPs that come out.
    fn round(width: u64, tlps: &[(Header, Vec<u8>)]) -> (Vec<Whole>, u64, usize) {
        let (mut block, mut mirror) = (Block::new(width), Block::<usize>::new(width));
        for (number, (header, data)) in tlps.iter().enumerate() {
            block.receive(header, data, 1, Time::ZERO, number);
        }
        let (mut all, mut beats, mut tickets) = (Vec::new(), 0, 0);
        while !block.is_empty() {
            let mut pins = In::default();
            block.show(Time::ZERO, &mut pins);
            let out = Out { rx_ready: true, ..Out::default() };
            tickets += block.taken(&pins, &out).count();
            beats += 1;
            let mirrored =
                Out { tx_data: pins.rx_data, tx_keep: pins.rx_keep, tx_valid: true, tx_last: pins.rx_last, ..out };
            let taken = mirror.collect(Time::ZERO, &In { tx_ready: true, ..In::default() }, &mirrored);
            all.extend(taken.map(|t| t.map(|t| (t.header, t.data)).unwrap()));
        }
        (all, beats, tickets)
    }

    #[test]
    fn does_a_tlp_come_back_from_its_beats_at_any_address_and_length() {
        for (address, bytes) in [(0x1000, 64), (0x1001, 7), (1 << 33 | 0x43, 61), (0x2000, 4), (0x2ffe, 2)] {
            let data: Vec<u8> = (0..bytes).map(|n| n as u8).collect();
            let tlp = (write(address, bytes), data.clone());
            let (all, beats, tickets) = round(64, std::slice::from_ref(&tlp));
            assert_eq!(all, [(tlp.0, data.into_boxed_slice())]);
            let dws = tlp.0.kind().header_bytes(address) / 4 + (bytes + address % 4).div_ceil(4);
            assert_eq!((beats, tickets), (dws.div_ceil(2), 1));
        }
    }

    #[test]
    fn does_a_wide_beat_that_ends_a_tlp_begin_the_next() {
        // 3 + 3 double words: a beat and a half, so that two of them take three beats.
        let tlps = [(write(0x1000, 12), vec![1; 12]), (write(0x2000, 12), vec![2; 12])];
        let mut block = Block::new(128);
        for (header, data) in &tlps {
            block.receive(header, data, 4, Time::ZERO, ());
        }
        let mut users = Vec::new();
        while !block.is_empty() {
            let mut pins = In::default();
            block.show(Time::ZERO, &mut pins);
            let _ = block.taken(&pins, &Out { rx_ready: true, ..Out::default() }).count();
            users.push((pins.rx_user >> 14 & 1, pins.rx_user >> 13 & 1, pins.rx_user >> 17 & 0x1f));
        }
        assert_eq!(users, [(1, 0, 0), (1, 1, 0x17), (0, 0, 0x1f)]);
    }

    #[test]
    fn is_a_tlp_shown_when_its_time_has_come_and_not_before() {
        let mut block = Block::new(64);
        block.receive(&write(0x1000, 4), &[0; 4], 1, Time::from_ns(8), ());
        let mut pins = In::default();
        block.show(Time::from_ns(7), &mut pins);
        assert!(!pins.rx_valid);
        block.show(Time::from_ns(8), &mut pins);
        assert!(pins.rx_valid);
    }
}
