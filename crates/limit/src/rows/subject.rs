//! A flow as its rows see it.

use crate::load::Load;
use crate::path::Hop;
use crate::plan::Plan;
use crate::resource::{Need, NeedTarget, Via};
use crate::tlps::Tlp;
use pcie::dllp;

/// A flow, with the values that its rows need.
pub struct Subject<'a, 'p> {
    pub plan: &'a Plan<'p>,
    pub loads: &'a [Load],
    /// Mean payload of a TLP.
    pub payload: f64,
    /// Payloads of the first TLPs, in their order.
    pub payloads: Vec<u64>,
    /// Mean bytes of a piece that is decided at once: a TLP of a write, a request of a read.
    pub piece: f64,
}

/// Number of TLPs from which the content of a full buffer is computed.
const TLPS: usize = 4096;

pub fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

impl<'a, 'p> Subject<'a, 'p> {
    /// The flow of `plan` with its loads.
    pub fn new(plan: &'a Plan<'p>, loads: &'a [Load]) -> Subject<'a, 'p> {
        let tlps = loads.first().map_or(0.0, Load::data_tlps);
        let payload = if tlps > 0.0 { 1.0 / tlps } else { 1.0 };
        let piece = plan.cut.bytes as f64 / plan.cut.count().max(1.0);
        let payloads = plan.pieces.iter().flat_map(|(piece, _)| plan.payloads(piece)).take(TLPS).collect();
        Subject { plan, loads, payload, payloads, piece }
    }

    /// Mean payload in a full buffer of `room`; a TLP takes `need` of its payload.
    pub fn held(&self, room: u64, need: impl Fn(u64) -> u64) -> f64 {
        let fills = self.fills(room, need);
        fills.iter().map(|(_, bytes)| bytes).sum::<f64>() / fills.len().max(1) as f64
    }

    /// TLPs and payload in a full buffer of `room`, after each TLP of the sequence: this TLP and as many of those before it
    /// as fit. Where very many fit, the mean alone.
    pub fn fills(&self, room: u64, need: impl Fn(u64) -> u64) -> Vec<(usize, f64)> {
        let all: u64 = self.payloads.iter().sum();
        let needed: u64 = self.payloads.iter().map(|&payload| need(payload)).sum();
        let count = self.payloads.len();
        let filling = (room / needed.max(1)) as usize + 1;
        if filling * count > TLPS {
            let bytes = all as f64 * room as f64 / needed.max(1) as f64;
            return vec![((bytes / self.payload).round() as usize, bytes)];
        }
        // The sequence of payloads repeats. Only its last pass is counted.
        let at = |n: usize| self.payloads[n % count];
        let (mut from, mut taken, mut bytes, mut fills) = (0, 0, 0, Vec::with_capacity(count));
        for n in 0..(filling + 1) * count {
            (taken, bytes) = (taken + need(at(n)), bytes + at(n));
            while taken > room && from <= n {
                (taken, bytes) = (taken - need(at(from)), bytes - at(from));
                from += 1;
            }
            if n >= filling * count {
                fills.push((n + 1 - from, bytes as f64));
            }
        }
        fills
    }

    /// Payload of the flow's longest TLP.
    pub fn longest(&self) -> u64 {
        self.loads.first().map_or(0, |load| load.data.iter().map(|group| group.payload).max().unwrap_or(0))
    }

    /// A TLP of the flow's mean payload.
    pub fn tlp(&self) -> Tlp {
        self.plan.data_tlp(self.whole())
    }

    /// The mean payload in whole bytes.
    pub fn whole(&self) -> u64 {
        self.payload.round() as u64
    }

    /// The need for a server at the end of the path, or in the part where the path begins, which serves what arrives
    /// first.
    pub fn need(&self, target: NeedTarget, stage: usize, fs_per_byte: f64) -> Need {
        let turns_per_byte = self.loads.first().map_or(0.0, Load::data_tlps);
        Need { target, stage, load: 0, fs_per_byte, through: vec![Via::flow(turns_per_byte), Via::queue()] }
    }
}

/// From the time when a DLLP is due to the arrival of its last symbol at the other end.
pub fn dllp_back_fs(hop: &Hop) -> f64 {
    let bytes = if hop.back.dllp_bytes == 0 { 0 } else { dllp::WIRE_BYTES };
    hop.back.time(bytes as f64) + hop.back.propagation_fs
}
