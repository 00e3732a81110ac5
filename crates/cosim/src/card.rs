//! A card with gateware: block, engine and design on one clock, as a part of the simulation.
//!
//! Every rising edge is at a whole number of periods. Between two events of the simulation, as many clocks as fit run
//! at once. Clocks in which nothing can happen are skipped ([`clock`]).

mod clock;
mod payload;
mod streams;
mod ticket;
mod tlps;

use crate::block::Block;
use crate::design::{Commander, Fifo};
use crate::ledger::Ledger;
use crate::model::Model;
use crate::pins::{CHANNELS, In, Out};
use crate::registers::Channel;
use crate::wiring::{Stream, Wiring};
use payload::{Drain, Feeding};
use pcie::Time;
use pcie::tlp::Header;
use sim::parts::{Arrived, Label, Part, PartContext, Sent};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use system::kinds::card::Design;
use system::{Drive, Wait};
use ticket::{Asked, Ticket, What};

/// The offset of a TLP without payload of its flow. Its completions count on from here.
const ASIDE: u64 = 1 << 63;
const CHANNELS_OF_HOST: [Channel; 2] = [Channel::HostToCard, Channel::CardToHost];
/// Clocks before the first command. The engine keeps Device Control in a register, which enumeration has filled long
/// before on a real machine.
const SETTLED: u64 = 8;

/// Clock counts over all cards of a run.
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    pub run: Arc<AtomicU64>,
    pub skipped: Arc<AtomicU64>,
}

/// See the module.
pub struct Card {
    wiring: Wiring,
    model: Model,
    block: Block<Ticket>,
    pins: In,
    out: Out,
    /// The next clock edge, and whether it is skipped unless a TLP arrives.
    edge: Time,
    armed: Time,
    asleep: bool,
    skip: bool,
    still: u64,
    /// By channel: the descriptors of software.
    ledgers: [Ledger; 2],
    reads: Option<Drain>,
    arrives: Option<Drain>,
    writes: Option<Feeding>,
    sends: Option<Feeding>,
    commanders: [Option<Commander>; CHANNELS],
    /// Where the design waits between two commands: from when on it may offer the next one.
    gates: [Time; CHANNELS],
    /// The FIFO after the read stream, and the one after the window.
    fifos: [Option<Fifo>; 2],
    asked: Vec<Option<Asked>>,
    in_flight: u64,
    answers: VecDeque<Label>,
    /// Payload bytes in the block's transmit buffer.
    buffered: u64,
    /// What the next TLP with payload has waited for.
    waits: Wait,
    clocks: Clocks,
    ran: u64,
    skipped: u64,
}

impl Card {
    pub fn new(wiring: Wiring, model: Model, skip: bool, clocks: Clocks) -> Card {
        let width = wiring.build.width;
        let mut pins = In { id: wiring.id.bits(), dcommand: wiring.control, msix_enable: wiring.msix, ..In::default() };
        (pins.h2c_ready, pins.win_ready) = (true, true);
        pins.pingpong = wiring.design == Design::PingPong;
        let feeding = |stream: Option<Stream>| stream.map(|stream| Feeding::new(stream, width));
        let drain = |stream: Option<Stream>, reads: bool| stream.map(|stream| Drain::new(stream, reads));
        let commander = |stream: Option<Stream>| {
            let commands = |s: Stream| Commander::new(s.target.base, s.target.bytes, s.most, s.frame, s.volume);
            stream.filter(|stream| stream.drive == Drive::Card && !pins.pingpong).map(commands)
        };
        let fifo = |stream: Option<Stream>| stream.filter(|s| s.feeds).map(|_| Fifo::new(wiring.fifo));
        Card {
            block: Block::new(width),
            pins,
            out: Out::default(),
            edge: wiring.period,
            armed: Time::NEVER,
            asleep: false,
            skip,
            still: 0,
            ledgers: [Ledger::default(); 2],
            reads: drain(wiring.reads, true),
            arrives: drain(wiring.arrives, false),
            writes: feeding(wiring.writes),
            sends: feeding(wiring.sends),
            gates: [wiring.period * SETTLED; CHANNELS],
            commanders: [commander(wiring.reads), commander(wiring.writes), commander(wiring.sends)],
            fifos: [fifo(wiring.reads), fifo(wiring.arrives)],
            asked: vec![None; 256],
            in_flight: 0,
            answers: VecDeque::new(),
            buffered: 0,
            waits: Wait::Software,
            clocks,
            ran: 0,
            skipped: 0,
            wiring,
            model,
        }
    }
}

impl Part for Card {
    fn start(&mut self, context: &mut PartContext<'_>) {
        self.arm(context, self.edge);
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let at = context.now() + self.wiring.rx_latency;
        let data = context.bytes(&arrived.data, arrived.label);
        let (bars, what) = match arrived.header {
            Header::Request { write, address, .. } => {
                let bars = self.wiring.bars.map(|bar| u8::from(bar.holds(address)));
                if write && bars[0] == 1 {
                    let at = address - self.wiring.bars[0].base;
                    self.ledgers.iter_mut().zip(CHANNELS_OF_HOST).for_each(|(l, c)| l.note(c, at, &data));
                    self.waits = Wait::Software;
                }
                (bars[0] | bars[1] << 2, if write { What::Write } else { What::Read })
            }
            Header::Completion { tag, bytes, .. } => (0, What::Completion { tag, bytes }),
        };
        let timed = bars == 4 && arrived.label.purpose.is_payload() && !self.pins.pingpong;
        if let (Some(drain), true) = (&mut self.arrives, timed) {
            let end = arrived.label.offset + data.len() as u64;
            drain.marks.push_back((end, arrived.born));
        }
        let ticket = Ticket { hold: arrived.hold, label: arrived.label, what };
        self.block.receive(&arrived.header, &data, bars, at, ticket);
        if self.asleep {
            self.wake_for(context, at);
        }
    }

    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        if context.now() != self.armed {
            return;
        }
        if std::mem::take(&mut self.asleep) {
            self.skipped += (self.armed - self.edge).as_fs() / self.wiring.period.as_fs();
            self.edge = self.armed;
            self.still = 0;
        }
        self.run(context);
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.buffered = self.buffered.saturating_sub(u64::from(sent.payload));
        if sent.offset == ASIDE {
            return;
        }
        for (channel, feeding) in [(1, &mut self.writes), (2, &mut self.sends)] {
            let Some(feeding) = feeding else { continue };
            if feeding.stream.flow == sent.flow {
                feeding.left += u64::from(sent.payload);
                if self.commanders[channel].as_ref().is_some_and(|c| c.offset() == feeding.left) {
                    self.gates[channel] = sent.end + self.wiring.pause;
                }
                if feeding.left == feeding.stream.volume && feeding.stream.drive == Drive::Card {
                    context.ended(sent.flow, sent.end);
                }
            }
        }
        if self.asleep {
            let next = self.gates.iter().filter(|gate| **gate > self.edge && **gate < Time::NEVER).min();
            if let Some(&at) = next {
                self.wake_for(context, at);
            }
        }
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        self.clocks.run.fetch_add(self.ran, Ordering::Relaxed);
        self.clocks.skipped.fetch_add(self.skipped, Ordering::Relaxed);
    }
}
