//! Link rates without a system file: what a link of one speed carries, and how much must be in flight to keep it full.

use crate::wire::Wire;
use pcie::tlp::{HEADER_3DW_BYTES, HEADER_4DW_BYTES};
use pcie::{LinkSpeed, PayloadSize, Rate, Shape, Time};

/// The input: a link and its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// Generation and width of the link.
    pub speed: LinkSpeed,
    /// Max_Payload_Size.
    pub mps: PayloadSize,
    /// Max_Read_Request_Size.
    pub mrrs: PayloadSize,
    /// The latency to be hidden: from a request to the first byte of its data.
    pub latency: Option<Time>,
    /// True where memory lies at or above 4 GiB, so that requests have 4 DW headers.
    pub four_dw: bool,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// Signalled rate: bits on the wire, as bytes a second in one direction.
    pub signalled: Rate,
    /// Rate after the line encoding.
    pub encoded: Rate,
    /// Rate after the line encoding and SKP ordered sets.
    pub after_skp: Rate,
    /// Payload rate of writes of MPS bytes with 3 DW headers.
    pub writes_3dw: Rate,
    /// Payload rate of writes of MPS bytes with 4 DW headers.
    pub writes_4dw: Rate,
    /// Payload rate of reads with completions of MPS bytes. The same direction carries an ACK for each request.
    pub reads: Rate,
    /// Payload rate of reads with completions of 64 bytes, as many hosts send them.
    pub reads_64: Rate,
    /// Payload rate of writes with the header size of the question.
    pub writes: Rate,
    /// Requests of MRRS bytes that must be in flight to hide the latency: with completions of MPS bytes, and with
    /// completions of 64 bytes.
    pub in_flight: Option<(u64, u64)>,
}

/// Answers `question`. TLPs start as close together as the standard allows; SKPs are as frequent as it requires.
pub fn answer(question: Question) -> Answer {
    let wire = Wire::of_speed(question.speed);
    let mps = question.mps.bytes();
    let write = |header: u64| {
        let bytes = wire.framing.tlp_bytes(Shape::new(header, mps));
        let slot = wire.slot(bytes, 0.0, 1.0);
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

/// Payload rate with completions of `payload` bytes and an ACK for each request of `mrrs` bytes.
fn reads_of(wire: &Wire, payload: u64, mrrs: u64) -> Rate {
    let acks = payload as f64 / mrrs as f64;
    let slot = wire.slot(wire.framing.tlp_bytes(Shape::new(HEADER_3DW_BYTES, payload)), acks, 1.0);
    Rate(payload as f64 / wire.full_slot_fs(slot, 0.0) * 1e15)
}

/// Number of requests of `bytes` whose data arrives at `rate` within `latency`, rounded up.
pub fn requests(rate: Rate, bytes: u64, latency: Time) -> u64 {
    (rate.0 * latency.as_secs() / bytes as f64).ceil().max(1.0) as u64
}

impl Answer {
    /// The number of requests as text, for example `29 requests of 512 bytes in flight`.
    pub fn sentence(&self) -> Option<String> {
        let (most, _) = self.in_flight?;
        let s = if most == 1 { "" } else { "s" };
        Some(format!("{most} request{s} of {} bytes in flight", self.question.mrrs))
    }
}
