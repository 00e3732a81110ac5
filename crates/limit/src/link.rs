//! The question without a file: what a link of a speed carries, and how much must be in flight to keep it full.

use crate::wire::Wire;
use pcie::tlp::{HEADER_3DW_BYTES, HEADER_4DW_BYTES};
use pcie::{LinkSpeed, PayloadSize, Rate, Shape, Time};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The link.
    pub speed: LinkSpeed,
    /// Max_Payload_Size.
    pub mps: PayloadSize,
    /// Max_Read_Request_Size.
    pub mrrs: PayloadSize,
    /// From a request to the first byte of its data, to be hidden.
    pub latency: Option<Time>,
    /// True where memory lies at or above 4 GiB: requests with 4 DW headers.
    pub four_dw: bool,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// Bits on the wire, as bytes a second of one direction.
    pub signalled: Rate,
    /// After the line encoding.
    pub encoded: Rate,
    /// After SKP ordered sets.
    pub after_skp: Rate,
    /// Payload of writes of MPS bytes with 3 DW headers.
    pub writes_3dw: Rate,
    /// The same with 4 DW headers.
    pub writes_4dw: Rate,
    /// Payload of reads in completions of MPS bytes, an ACK for each request in the same direction.
    pub reads: Rate,
    /// Reads in completions of 64 bytes, as many hosts send them.
    pub reads_64: Rate,
    /// Payload of the writes that were asked about: 3 or 4 DW.
    pub writes: Rate,
    /// How many requests of MRRS bytes must be in flight to hide the latency; and with completions of 64 bytes.
    pub in_flight: Option<(u64, u64)>,
}

/// What `question` comes to: TLPs start as tight as the standard allows, SKPs are as dense as it asks for.
pub fn answer(question: Question) -> Answer {
    let wire = Wire::of_speed(question.speed);
    let mps = question.mps.bytes();
    let write = |header: u64| {
        let bytes = wire.framing.tlp_bytes(Shape::new(header, mps));
        let slot = wire.slot(bytes, 0.0);
        Rate(mps as f64 / wire.full_slot_fs(slot, slot - bytes as f64) * 1e15)
    };
    let reads = reads(&wire, mps, question.mrrs.bytes());
    let reads_64 = reads_of(&wire, 64, question.mrrs.bytes());
    let (writes_3dw, writes_4dw) = (write(HEADER_3DW_BYTES), write(HEADER_4DW_BYTES));
    let skp = wire.skp_share(wire.framing.tlp_bytes(Shape::new(HEADER_3DW_BYTES, mps)) as f64, 0.0);
    let need = |rate: Rate| question.latency.map(|latency| requests(rate, question.mrrs.bytes(), latency));
    Answer {
        question,
        signalled: question.speed.signalled(),
        encoded: question.speed.encoded(),
        after_skp: Rate(question.speed.encoded().0 * (1.0 - skp)),
        writes_3dw,
        writes_4dw,
        reads,
        reads_64,
        writes: if question.four_dw { writes_4dw } else { writes_3dw },
        in_flight: need(reads).zip(need(reads_64)),
    }
}

fn reads(wire: &Wire, mps: u64, mrrs: u64) -> Rate {
    reads_of(wire, mps.min(mrrs), mrrs)
}

/// Completions of `payload` bytes, with an ACK for each request of `mrrs` bytes.
fn reads_of(wire: &Wire, payload: u64, mrrs: u64) -> Rate {
    let acks = payload as f64 / mrrs as f64;
    let slot = wire.slot(wire.framing.tlp_bytes(Shape::new(HEADER_3DW_BYTES, payload)), acks);
    Rate(payload as f64 / wire.full_slot_fs(slot, 0.0) * 1e15)
}

/// Requests of `bytes` that `rate` brings in `latency`, rounded up.
pub fn requests(rate: Rate, bytes: u64, latency: Time) -> u64 {
    (rate.0 * latency.as_secs() / bytes as f64).ceil().max(1.0) as u64
}

impl Answer {
    /// `29 requests of 512 bytes in flight`.
    pub fn sentence(&self) -> Option<String> {
        let (most, _) = self.in_flight?;
        let s = if most == 1 { "" } else { "s" };
        Some(format!("{most} request{s} of {} bytes in flight", self.question.mrrs))
    }
}
