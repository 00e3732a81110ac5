//! Symbols of one direction of a link, in the file format of `docs/symbols.md`.
//!
//! The transmitter of [`phy`] gets the bytes of each packet, in order, and the instant at which the simulation handed it over.
//! Where everything else goes, it decides by its own rules. Payload that a run does not carry is zeros.

use crate::encode::Encode;
use crate::frame::{self, Counts, LCRC_BYTES, SEQUENCE_BYTES};
use crate::requests::{Identity, Unanswered};
use pcie::{LinkSpeed, Time};
use phy::coding::code::Disparity;
use phy::coding::file::{self, About, Form};
use phy::coding::packet::{TlpBytes, Unsendable};
use phy::coding::{Options, Packet, Tally, Transmitter};
use sim::trace::{Record, TlpRecord};
use std::io;
use system::graph::Direction;
use system::{Scenario, System};

/// Symbols on all lanes together that are kept before they are written.
const KEPT: u64 = 1 << 16;

/// The transmitter of one direction of a simulated link.
pub struct Lanes {
    on: Direction,
    speed: LinkSpeed,
    /// The time of one symbol on a lane, in 1/64 fs.
    symbol: u64,
    transmitter: Transmitter,
    counts: Counts,
    packet: Vec<u8>,
}

impl Lanes {
    /// The lanes of `on` with the clock, and the distance of SKP ordered sets, of its port.
    pub fn new(system: &System, on: Direction) -> Lanes {
        let link = system.link(on.link);
        let options = Options { skp_interval: system.skp_interval(system.ends(on).0, link), training: true };
        Lanes {
            on,
            speed: link.speed,
            symbol: link.speed.generation.slow_symbol_fs64(system.clock_slow_ppm),
            transmitter: Transmitter::new(link.speed, options),
            counts: Counts::default(),
            packet: Vec::new(),
        }
    }

    /// The first place in the order of striping that is not before `time`.
    pub fn position(&self, time: Time) -> u64 {
        let lanes = u128::from(self.speed.width.lanes());
        (u128::from(time.as_fs()) * lanes * 64).div_ceil(self.symbol.into()) as u64
    }

    /// What was sent.
    pub fn tally(&self) -> &Tally {
        self.transmitter.tally()
    }

    /// What sends.
    pub fn transmitter(&mut self) -> &mut Transmitter {
        &mut self.transmitter
    }

    /// Sends a TLP of this direction, and gives the place of its first symbol.
    ///
    /// # Errors
    /// A record whose bytes are no TLP.
    pub(crate) fn tlp(&mut self, sent: &TlpRecord, identity: &Identity) -> Result<u64, Unsendable> {
        self.packet.clear();
        let whole = frame::tlp(&mut self.packet, sent, identity, &mut self.counts);
        self.packet.resize(whole.max(SEQUENCE_BYTES + LCRC_BYTES), 0);
        let sequence = u16::from_be_bytes([self.packet[0], self.packet[1]]);
        let bytes = &self.packet[SEQUENCE_BYTES..self.packet.len() - LCRC_BYTES];
        let ready = self.position(sent.handed);
        self.transmitter.send(ready, Packet::Tlp(TlpBytes { sequence, bytes, nullified: false }))
    }

    /// Sends what a record of this direction tells, if it is a DLLP on the wire; gives the place of its first symbol.
    pub fn dllp(&mut self, record: &Record) -> Option<u64> {
        let Record::Dllp { on, start, end, what, handed, .. } = *record else { return None };
        if on != self.on || start == end {
            return None;
        }
        let bytes = frame::dllp(what, &mut self.counts);
        let ready = self.position(handed);
        // Only TLPs can be such that nobody may send them.
        self.transmitter.send(ready, Packet::Dllp(bytes)).ok()
    }
}

/// See the module.
pub(crate) struct Symbols {
    lanes: Lanes,
    about: About,
    written: u64,
    disparities: Vec<Disparity>,
}

impl Symbols {
    pub fn new(scenario: &Scenario, on: Direction, about: &str) -> Symbols {
        let system = &scenario.system;
        let lanes = Lanes::new(system, on);
        let name = format!("{about}, {}", system.direction_name(on));
        let data_at = lanes.transmitter.training_times();
        let form = Form::whole(lanes.speed.generation.encoding());
        let disparities = vec![Disparity::default(); lanes.speed.width.lanes() as usize];
        let about = About { speed: lanes.speed, form, name, start_fs: 0, data_at };
        Symbols { lanes, about, written: 0, disparities }
    }

    fn write(&mut self, out: &mut Vec<u8>) {
        let stream = self.lanes.transmitter.take();
        // A vector takes whatever is written to it.
        let _ = file::append(out, self.about.form, &stream, &mut self.disparities);
        self.written = self.lanes.transmitter.position();
    }

    fn write_much(&mut self, out: &mut Vec<u8>) {
        if self.lanes.transmitter.position() - self.written > KEPT {
            self.write(out);
        }
    }
}

impl Encode for Symbols {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.about.line().as_bytes());
        out.push(b'\n');
    }

    fn tlp(&mut self, out: &mut Vec<u8>, sent: &TlpRecord, identity: &Identity, _: Time) -> io::Result<()> {
        if sent.on != self.lanes.on {
            return Ok(());
        }
        let unsendable = |why: Unsendable| {
            let what = format!("the TLP that flow {} starts at {} cannot be sent: {why}", sent.flow, sent.start);
            io::Error::new(io::ErrorKind::InvalidData, what)
        };
        self.lanes.tlp(sent, identity).map_err(unsendable)?;
        self.write_much(out);
        Ok(())
    }

    fn other(&mut self, out: &mut Vec<u8>, record: &Record) {
        if self.lanes.dllp(record).is_some() {
            self.write_much(out);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, at: Time, _: &[Unanswered]) {
        let until = self.lanes.position(at);
        self.lanes.transmitter.idle(until);
        self.write(out);
    }
}
