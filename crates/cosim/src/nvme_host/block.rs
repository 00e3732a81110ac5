//! The block between link and host, as vendors have it: a received TLP is shown whole and in order, a beat a clock, after
//! its last symbol; one to be sent goes when its last beat has come. It knows the fields of TLPs and nothing of NVMe.

use crate::design::Beat;
use crate::host_pins::{In, Out};
use pcie::tlp::{Header, Status};
use pcie::{Bdf, Time};
use sim::parts::Hold;
use std::collections::VecDeque;

/// Payload of completions that may wait in the block for the link, where more than one does.
const TRANSMIT_BYTES: u64 = 4096;

/// A received TLP on its way to the host.
#[derive(Debug)]
struct Coming {
    header: Header,
    data: Box<[u8]>,
    at: Time,
    /// Its credits; `None` for an answer of the block's own.
    hold: Option<Hold>,
}

/// A completion that the host has given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub header: Header,
    pub data: Box<[u8]>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Block {
    /// Bytes of a beat.
    width: usize,
    coming: VecDeque<Coming>,
    /// Payload of the first one that has been shown.
    shown: usize,
    leaving: Vec<u8>,
    in_completion: bool,
    /// Payload of completions that have not begun to leave.
    buffered: u64,
}

impl Block {
    /// A block whose beats have `width` bytes.
    pub fn new(width: usize) -> Block {
        Block {
            width,
            coming: VecDeque::new(),
            shown: 0,
            leaving: Vec::with_capacity(4096),
            in_completion: false,
            buffered: 0,
        }
    }

    /// Receives a TLP, which may be shown from `at` on.
    pub fn receive(&mut self, header: Header, data: Box<[u8]>, at: Time, hold: Option<Hold>) {
        self.coming.push_back(Coming { header, data, at, hold });
    }

    /// Puts the beat of the edge at `now` on the pins, and says whether a completion is taken; of `mps` at most.
    pub fn show(&self, now: Time, pins: &mut In, mps: u64) {
        (pins.rx_request, pins.rx_completion) = (false, false);
        pins.rq_ready = true;
        pins.cpl_ready = self.in_completion || self.buffered == 0 || self.buffered + mps <= TRANSMIT_BYTES;
        let Some(first) = self.coming.front().filter(|first| first.at <= now) else { return };
        pins.rx_first = self.shown == 0;
        let end = (self.shown + self.width).min(first.data.len());
        pins.rx_last = end == first.data.len();
        pins.rx_data = beat(&first.data[self.shown..end]);
        match first.header {
            Header::Request { write, address, bytes, requester, tag } => {
                pins.rx_request = true;
                (pins.rx_write, pins.rx_addr, pins.rx_len) = (write, address, (bytes / 4) as u16);
                (pins.rx_id, pins.rx_tag) = (requester.bits(), tag as u8);
            }
            Header::Completion { tag, status, remaining, lower_address, bytes, .. } => {
                pins.rx_completion = true;
                (pins.rx_addr, pins.rx_len) = (u64::from(lower_address), (bytes / 4) as u16);
                (pins.rx_tag, pins.rx_count) = (tag as u8, remaining as u16);
                pins.rx_status = match status {
                    Status::Success => 0,
                    Status::UnsupportedRequest => 1,
                    Status::CompleterAbort => 4,
                };
            }
        }
    }

    /// After the edge: true where the host has taken a beat; and the credits of a TLP that it has taken whole.
    pub fn taken(&mut self, pins: &In, out: &Out) -> (bool, Option<Hold>) {
        if !(pins.rx_request || pins.rx_completion) || !out.rx_ready {
            return (false, None);
        }
        self.shown += self.width;
        if !pins.rx_last {
            return (true, None);
        }
        self.shown = 0;
        (true, self.coming.pop_front().and_then(|whole| whole.hold))
    }

    /// After the edge: the completion that is whole with this beat.
    pub fn collect(&mut self, pins: &In, out: &Out) -> Option<Given> {
        if !(pins.cpl_ready && out.cpl_valid) {
            return None;
        }
        for word in &out.cpl_data[..self.width / 8] {
            self.leaving.extend_from_slice(&word.to_le_bytes());
        }
        self.in_completion = !out.cpl_last;
        if self.in_completion {
            return None;
        }
        let bytes = usize::from(out.cpl_len) * 4;
        let data: Box<[u8]> = self.leaving.get(..bytes).unwrap_or_default().into();
        self.leaving.clear();
        self.buffered += data.len() as u64;
        let status = match out.cpl_status {
            0 => Status::Success,
            4 => Status::CompleterAbort,
            _ => Status::UnsupportedRequest,
        };
        let header = Header::Completion {
            completer: Bdf::default(),
            requester: Bdf::from_bits(out.cpl_id),
            tag: u16::from(out.cpl_tag),
            status,
            remaining: u64::from(out.cpl_count),
            lower_address: out.cpl_lower,
            bytes: data.len() as u64,
        };
        Some(Given { header, data })
    }

    /// A completion with `bytes` begins to leave.
    pub fn left(&mut self, bytes: u64) {
        self.buffered = self.buffered.saturating_sub(bytes);
    }
}

/// A beat, from the lowest lane on.
pub(super) fn beat(bytes: &[u8]) -> [u64; 2] {
    let mut raw = [0; 16];
    raw[..bytes.len()].copy_from_slice(bytes);
    let [low, high] = [0, 8].map(|at| u64::from_le_bytes(std::array::from_fn(|byte| raw[at + byte])));
    [low, high]
}

/// The bytes of a beat.
pub(super) fn bytes_of(data: [u64; 2], keep: u16) -> ([u8; 16], usize) {
    Beat::bytes_of(data, keep)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(bytes: u64) -> Header {
        Header::Request { write: true, address: 0x1000, bytes, requester: Bdf::default(), tag: 0 }
    }

    #[test]
    fn is_a_tlp_shown_whole_a_beat_a_clock_from_its_time_on() {
        let mut block = Block::new(16);
        block.receive(write(24), (0..24).collect(), Time::from_ns(8), None);
        let (mut pins, out) = (In::default(), Out { rx_ready: true, ..Out::default() });
        block.show(Time::from_ns(7), &mut pins, 128);
        assert!(!pins.rx_request);
        let mut all = Vec::new();
        for last in [false, true] {
            block.show(Time::from_ns(8), &mut pins, 128);
            assert_eq!((pins.rx_request, pins.rx_last, pins.rx_first), (true, last, !last));
            all.extend(bytes_of(pins.rx_data, u16::MAX).0);
            assert!(block.taken(&pins, &out).0);
        }
        assert_eq!(all[..24], (0..24).collect::<Vec<u8>>());
        block.show(Time::from_ns(9), &mut pins, 128);
        assert!(!pins.rx_request);
    }

    #[test]
    fn does_the_block_hold_the_host_back_while_its_buffer_is_full() {
        let mut block = Block::new(16);
        let pins = In { cpl_ready: true, ..In::default() };
        let out = Out { cpl_valid: true, cpl_last: true, cpl_len: 4, cpl_count: 16, ..Out::default() };
        let Given { header, data } = block.collect(&pins, &out).unwrap();
        assert_eq!((data.len(), header.kind()), (16, pcie::tlp::TlpKind::CompletionData));
        block.buffered = TRANSMIT_BYTES;
        let mut shown = In::default();
        block.show(Time::ZERO, &mut shown, 128);
        assert!(!shown.cpl_ready);
        block.left(128);
        block.show(Time::ZERO, &mut shown, 128);
        assert!(shown.cpl_ready);
    }
}
