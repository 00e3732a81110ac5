//! Random streams with the packets that they carry: for tests, and for readers of somebody else.

use crate::coding::ordered::Set;
use crate::coding::packet::{Packet, TlpBytes};
use crate::coding::stream::Stream;
use crate::coding::transmit::{Options, Transmitter};
use pcie::LinkSpeed;
use pcie::dllp::crc16;

/// A generator of numbers (splitmix64), the same on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((self.bits() as u128 * end as u128) >> 64) as u64
    }
}

/// A packet of a random stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// A TLP.
    Tlp {
        /// Its sequence number.
        sequence: u16,
        /// Header, data and digest.
        bytes: Vec<u8>,
        /// Ended with EDB.
        nullified: bool,
    },
    /// A DLLP with its CRC.
    Dllp([u8; 6]),
}

/// What a random stream is made of.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Generation and width.
    pub speed: LinkSpeed,
    /// How many packets.
    pub packets: usize,
    /// Symbol times between SKP ordered sets.
    pub skp_interval: u64,
    /// Whether some TLPs are nullified.
    pub nullified: bool,
    /// Payload bytes of the longest TLP, a multiple of four up to 4096.
    pub payload: u64,
    /// Symbol times after which no packet begins, where it comes before the last packet.
    pub times: u64,
}

/// A random stream.
pub struct Made {
    /// Its lanes.
    pub stream: Stream,
    /// Its packets in order, each with the symbol time of its first symbol.
    pub sent: Vec<(u64, Sent)>,
    /// Symbol times of training.
    pub data_at: u64,
}

/// Makes the stream of `plan`, the same for the same `seed`.
pub fn make(plan: &Plan, seed: u64) -> Made {
    let mut random = Random(seed);
    let options = Options { skp_interval: Some(plan.skp_interval), training: true };
    let mut transmitter = Transmitter::new(plan.speed, options);
    let (lanes, data_at) = (plan.speed.width.lanes(), transmitter.training_times());
    let mut sent = Vec::with_capacity(plan.packets.min(1 << 20));
    let mut sequence = random.below(4096) as u16;
    while sent.len() < plan.packets && transmitter.position() < plan.times.saturating_mul(lanes) {
        let gap = match random.below(4) {
            0 => random.below(40 * lanes),
            _ => 0,
        };
        let packet = packet(&mut random, plan, &mut sequence);
        let ready = transmitter.position() + gap;
        // Every packet made here is one.
        let Ok(at) = transmitter.send(ready, packet.as_packet()) else { continue };
        sent.push((data_at + at / lanes, packet));
    }
    transmitter.idle(transmitter.position() + 32 * lanes);
    Made { stream: transmitter.take(), sent, data_at }
}

fn packet(random: &mut Random, plan: &Plan, sequence: &mut u16) -> Sent {
    if random.below(3) == 0 {
        let [a, b, c, d, ..] = random.bits().to_le_bytes();
        let [e, f] = crc16([a, b, c, d]).to_be_bytes();
        return Sent::Dllp([a, b, c, d, e, f]);
    }
    let header = 12 + 4 * random.below(2);
    let most = if random.below(8) == 0 { plan.payload } else { plan.payload.min(256) };
    let count = header + 4 * random.below(most / 4 + 1) + 4 * random.below(2);
    let mut bytes = Vec::with_capacity(count as usize + 8);
    // Runs of one value show what long random bytes hide.
    let same = random.below(8) == 0;
    let value = random.bits();
    while bytes.len() < count as usize {
        bytes.extend((if same { value } else { random.bits() }).to_le_bytes());
    }
    bytes.truncate(count as usize);
    let number = *sequence;
    let nullified = plan.nullified && random.below(16) == 0;
    if !nullified {
        *sequence = (*sequence + 1) & 0xfff;
    }
    Sent::Tlp { sequence: number, bytes, nullified }
}

impl Sent {
    /// As it is sent.
    pub fn as_packet(&self) -> Packet<'_> {
        match self {
            Sent::Dllp(bytes) => Packet::Dllp(*bytes),
            Sent::Tlp { sequence, bytes, nullified } => {
                Packet::Tlp(TlpBytes { sequence: *sequence, bytes, nullified: *nullified })
            }
        }
    }
}

/// An ordered set or a packet as `docs/symbols.md` writes it, a JSON object without line feed.
pub fn line(at: u64, what: &Sent) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match what {
        Sent::Dllp(bytes) => format!(r#"{{"kind":"dllp","at":{at},"bytes":"{}"}}"#, hex(bytes)),
        Sent::Tlp { sequence, bytes, nullified } => {
            let bytes = hex(bytes);
            format!(r#"{{"kind":"tlp","at":{at},"sequence":{sequence},"bytes":"{bytes}","nullified":{nullified}}}"#)
        }
    }
}

/// The packets of a random stream, a line each.
pub fn lines(made: &Made) -> String {
    made.sent.iter().map(|(at, sent)| line(*at, sent) + "\n").collect()
}

/// The same of an ordered set.
pub fn set_line(at: u64, set: Set) -> String {
    format!(r#"{{"kind":"{}","at":{at}}}"#, set.word())
}
