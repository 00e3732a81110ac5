//! pcapng: an interface for each direction of each chosen link, and a packet for each TLP and DLLP on it.
//!
//! Blocks and options are those of the pcapng specification (IETF draft "PCAP Now Generic Packet Capture Format").
//! `docs/traces.md` describes the pseudo-header of the packets.

use crate::encode::Encode;
use crate::frame::{self, Counts};
use crate::names::directions;
use crate::requests::{Identity, Unanswered, place};
use pcie::{LinkSpeed, Time};
use sim::trace::{Record, TlpRecord};
use std::io;
use system::Scenario;
use system::graph::Direction;

/// Link type USER0: "reserved for private use".
const LINKTYPE_USER0: u16 = 147;
/// Times are in units of 10^-12 seconds.
const PICOSECONDS: u8 = 12;
/// Version of the pseudo-header.
const VERSION: u8 = 1;
const PSEUDO_HEADER_BYTES: usize = 24;
const KIND_TLP: u8 = 0;
const KIND_DLLP: u8 = 1;
/// No flow.
const NO_FLOW: u16 = 0xffff;

/// See the module.
pub(crate) struct Pcapng {
    /// By direction.
    lanes: Vec<Lane>,
    about: String,
    packet: Vec<u8>,
}

/// One direction.
struct Lane {
    name: String,
    /// Its number in the file; `None` where it is not written.
    interface: Option<u32>,
    speed: LinkSpeed,
    counts: Counts,
}

impl Pcapng {
    /// `chosen` has for each link whether it is written.
    pub fn new(scenario: &Scenario, chosen: &[bool], about: &str) -> Pcapng {
        let system = &scenario.system;
        let mut interfaces = 0..;
        let lanes = directions(system).map(|on| Lane {
            name: system.direction_name(on),
            interface: if chosen[on.link.0] { interfaces.next() } else { None },
            speed: system.link(on.link).speed,
            counts: Counts::default(),
        });
        Pcapng { lanes: lanes.collect(), about: about.to_string(), packet: Vec::new() }
    }

    /// The pseudo-header of a packet, in network byte order.
    fn pseudo_header(&mut self, kind: u8, on: Direction, flow: u16, start: Time, end: Time) {
        let speed = self.lanes[place(on)].speed;
        let duration = u32::try_from((end - start).as_fs() / 1000).unwrap_or(u32::MAX);
        self.packet.clear();
        self.packet.extend_from_slice(&[VERSION, PSEUDO_HEADER_BYTES as u8, kind, u8::from(on.up)]);
        self.packet.extend_from_slice(&[speed.generation.number(), speed.width.lanes() as u8]);
        self.packet.extend_from_slice(&(on.link.0 as u16).to_be_bytes());
        self.packet.extend_from_slice(&flow.to_be_bytes());
        self.packet.extend_from_slice(&[0; 2]);
        self.packet.extend_from_slice(&duration.to_be_bytes());
        self.packet.extend_from_slice(&start.as_fs().to_be_bytes());
    }

    /// An Enhanced Packet Block with the content of `self.packet`, whose original length after the pseudo-header is
    /// `whole`.
    fn put(&self, out: &mut Vec<u8>, interface: u32, start: Time, whole: usize) {
        let stamp = start.as_fs() / 1000;
        block(out, 6, |out| {
            out.extend_from_slice(&interface.to_le_bytes());
            out.extend_from_slice(&((stamp >> 32) as u32).to_le_bytes());
            out.extend_from_slice(&(stamp as u32).to_le_bytes());
            out.extend_from_slice(&(self.packet.len() as u32).to_le_bytes());
            out.extend_from_slice(&((whole + PSEUDO_HEADER_BYTES) as u32).to_le_bytes());
            padded(out, &self.packet);
        });
    }
}

impl Encode for Pcapng {
    fn begin(&mut self, out: &mut Vec<u8>) {
        block(out, 0x0a0d_0d0a, |out| {
            out.extend_from_slice(&0x1a2b_3c4du32.to_le_bytes());
            out.extend_from_slice(&[1, 0, 0, 0]);
            out.extend_from_slice(&u64::MAX.to_le_bytes());
            option(out, 1, self.about.as_bytes());
            option(out, 4, concat!("lanescope ", env!("CARGO_PKG_VERSION")).as_bytes());
            option(out, 0, &[]);
        });
        for lane in self.lanes.iter().filter(|lane| lane.interface.is_some()) {
            block(out, 1, |out| {
                out.extend_from_slice(&LINKTYPE_USER0.to_le_bytes());
                out.extend_from_slice(&[0; 6]);
                option(out, 2, lane.name.as_bytes());
                option(out, 3, lane.speed.to_string().as_bytes());
                option(out, 8, &bits_per_second(lane.speed).to_le_bytes());
                option(out, 9, &[PICOSECONDS]);
                option(out, 0, &[]);
            });
        }
    }

    fn tlp(&mut self, out: &mut Vec<u8>, sent: &TlpRecord, identity: &Identity, _: Time) -> io::Result<()> {
        let Some(interface) = self.lanes[place(sent.on)].interface else { return Ok(()) };
        let flow = u16::try_from(sent.flow).unwrap_or(NO_FLOW);
        self.pseudo_header(KIND_TLP, sent.on, flow, sent.start, sent.end);
        let counts = &mut self.lanes[place(sent.on)].counts;
        let whole = frame::tlp(&mut self.packet, sent, identity, counts);
        self.put(out, interface, sent.start, whole);
        Ok(())
    }

    fn other(&mut self, out: &mut Vec<u8>, record: &Record) {
        let Record::Dllp { on, start, end, what, .. } = *record else { return };
        let Some(interface) = self.lanes[place(on)].interface else { return };
        self.pseudo_header(KIND_DLLP, on, NO_FLOW, start, end);
        let bytes = frame::dllp(what, &mut self.lanes[place(on)].counts);
        self.packet.extend_from_slice(&bytes);
        self.put(out, interface, start, bytes.len());
    }

    fn end(&mut self, _: &mut Vec<u8>, _: Time, _: &[Unanswered]) {}
}

/// The signalling rate in bits per second, over all lanes.
fn bits_per_second(speed: LinkSpeed) -> u64 {
    (speed.signalled().0 * 8.0) as u64
}

/// A block: its type, its length, the content that `fill` writes, and its length again.
fn block(out: &mut Vec<u8>, kind: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    let begin = out.len();
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    fill(out);
    let length = (out.len() - begin + 4) as u32;
    out[begin + 4..begin + 8].copy_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
}

fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(0xffff)];
    out.extend_from_slice(&code.to_le_bytes());
    out.extend_from_slice(&(value.len() as u16).to_le_bytes());
    padded(out, value);
}

/// `bytes`, padded with zeros to a whole number of 32-bit words.
fn padded(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(bytes);
    out.resize(out.len() + (4 - bytes.len() % 4) % 4, 0);
}
