//! A card with gateware: block, engine and design on one clock, as a part of the simulation.
//!
//! Every rising edge is at a whole number of periods. Between two events of the simulation as many clocks run at once as
//! fit; clocks in which nothing can happen are not run at all (see [`Card::can_sleep`]).

use crate::block::{Block, Taken};
use crate::design::{Beat, Commander, Fifo, Source};
use crate::ledger::Ledger;
use crate::model::Model;
use crate::pins::{CHANNELS, In, Out};
use crate::registers::Channel;
use crate::wiring::{FedBy, Stream, Wiring};
use pcie::Time;
use pcie::tlp::Header;
use sim::parts::{Arrived, Face, Hold, Label, Leaving, Part, Sent, Use};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use system::{Drive, Wait};

/// The only wake-up: an edge.
const EDGE: u32 = 0;
/// Clocks that run at most between two looks at the events.
const BATCH: u32 = 64;
/// Clocks without any movement at the pins after which nothing is under way inside the engine, besides records that
/// wait for others.
const DEEP: u64 = 64;
/// Where the MSI-X vectors point: the messages of a PC's local APICs.
pub const MESSAGES: u64 = 0xfee0_0000;
/// An offset that no payload has marks a TLP that carries none of its flow's; what answers it counts on from there.
const ASIDE: u64 = 1 << 63;
const CHANNELS_OF_HOST: [Channel; 2] = [Channel::HostToCard, Channel::CardToHost];
/// The tags that the engine fetches descriptors with: host to card, card to host.
const FETCH_TAGS: [u16; 2] = [254, 255];
/// Clocks before the first command: the engine keeps Device Control in a register, which a machine that has enumerated the
/// card has long filled.
const SETTLED: u64 = 8;
/// The most that `tx_buf_av` tells, being six bits.
const TX_BUFFERS: u8 = 63;

/// What goes with a received TLP until the engine has taken it.
#[derive(Clone, Debug)]
pub struct Ticket {
    hold: Hold,
    label: Label,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Completion { tag: u16, bytes: u64 },
    Read,
    Write,
}

/// A read request that the engine has out.
#[derive(Clone, Copy, Debug)]
struct Asked {
    label: Label,
    born: Time,
    left: u64,
}

/// A stream into the engine with what has become of its bytes.
struct Feeding {
    stream: Stream,
    source: Source,
    /// In TLPs that the engine has handed over, and that have left the block.
    cut: u64,
    left: u64,
    /// When the engine took each command, and where that begins, of those whose first TLP has not been handed over.
    starts: VecDeque<(u64, Time)>,
}

/// A stream out of the engine.
struct Drain {
    stream: Stream,
    /// True where this card asked for what comes.
    reads: bool,
    got: u64,
    /// Where TLPs end whose latency is to be noted, and when they were decided.
    marks: VecDeque<(u64, Time)>,
}

/// Counts over all cards of a run.
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
    /// The next edge, and whether it is skipped unless something comes.
    edge: Time,
    armed: Time,
    asleep: bool,
    skip: bool,
    still: u64,
    /// Descriptors of software, a channel each.
    ledgers: [Ledger; 2],
    reads: Option<Drain>,
    arrives: Option<Drain>,
    writes: Option<Feeding>,
    sends: Option<Feeding>,
    commanders: [Option<Commander>; CHANNELS],
    /// Where the design waits between the end of a command and the next one: from when on that may be offered.
    gates: [Time; CHANNELS],
    /// Behind the reads, behind the window.
    fifos: [Option<Fifo>; 2],
    asked: Vec<Option<Asked>>,
    in_flight: u64,
    answers: VecDeque<Label>,
    /// Payload in the block's transmit buffer.
    buffered: u64,
    /// What the next TLP with payload waited for.
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
        let feeding = |stream: Option<Stream>| {
            let feed = |stream: Stream| Feeding {
                source: Source::new(stream.origin, width, stream.frame, stream.volume),
                stream,
                cut: 0,
                left: 0,
                starts: VecDeque::new(),
            };
            stream.map(feed)
        };
        let drain = |stream: Option<Stream>, reads: bool| {
            stream.map(|stream| Drain { stream, reads, got: 0, marks: VecDeque::new() })
        };
        let commander = |stream: Option<Stream>| {
            let commands = |s: Stream| Commander::new(s.target.base, s.target.bytes, s.most, s.frame, s.volume);
            stream.filter(|stream| stream.drive == Drive::Card).map(commands)
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

    /// Runs clocks up to the next event, or to where nothing can happen.
    fn run(&mut self, face: &mut Face<'_>) {
        for _ in 0..BATCH {
            self.clock(face);
            self.edge += self.wiring.period;
            if self.can_sleep() {
                self.asleep = true;
                self.armed = Time::NEVER;
                if let Some(at) = self.block.next_at() {
                    self.wake_for(face, at);
                }
                return;
            }
            if self.edge >= face.next_event() {
                break;
            }
        }
        self.arm(face, self.edge);
    }

    fn arm(&mut self, face: &mut Face<'_>, at: Time) {
        self.armed = at;
        face.wake(EDGE, at);
    }

    /// The clock runs again from the first edge that is not before `at` on.
    fn wake_for(&mut self, face: &mut Face<'_>, at: Time) {
        let periods = at.as_fs().div_ceil(self.wiring.period.as_fs());
        let edge = Time::from_fs(periods * self.wiring.period.as_fs()).max(self.edge);
        if edge < self.armed {
            self.arm(face, edge);
        }
    }

    /// True where the clocks to come change nothing that anybody can see before something arrives: nothing has moved
    /// at the pins for longer than anything inside takes, the block has sent all it took (TLPs may wait for its buffers),
    /// no read is out (the engine's timeout would count), no register access is open, and no record is held back for others. What stands still all the same, the engine's
    /// counter of idle cycles and the phase of its timeout, is told in no record and moves no TLP.
    fn can_sleep(&self) -> bool {
        self.skip
            && self.still > DEEP
            && self.ledgers.iter().all(Ledger::is_settled)
            && self.in_flight == 0
            && self.buffered == 0
            && self.answers.is_empty()
            && !self.block.in_tlp()
            && (self.block.is_empty() || self.block.next_at().is_some_and(|at| at > self.edge))
            && self.asked.iter().all(Option::is_none)
            && self.gates.iter().all(|gate| *gate == Time::NEVER || *gate + self.wiring.period * DEEP <= self.edge)
    }

    /// One clock, whose rising edge is at `self.edge`.
    fn clock(&mut self, face: &mut Face<'_>) {
        let now = self.edge;
        self.drive(now);
        let (ps, half) = (now.as_fs() / 1000, self.wiring.period.as_fs() / 2000);
        self.model.step(&self.pins, &mut self.out, ps, half);
        self.ran += 1;
        let moves = self.out.tx_valid || self.out.h2c_valid || self.out.win_valid || self.pins.rx_valid;
        let moves = self.streams_in(now) || moves;
        self.still = if moves { 0 } else { self.still + 1 };
        if self.pins.rx_valid {
            self.take_tickets(face, now);
        }
        if self.out.tx_valid
            && let Some(Ok(taken)) = self.block.collect(now, &self.pins, &self.out)
        {
            self.send(face, now, taken);
        }
        self.streams_out(face, now);
    }

    /// Puts everything on the pins.
    fn drive(&mut self, now: Time) {
        let pins = &mut self.pins;
        self.block.show(now, pins);
        pins.tx_ready =
            self.block.in_tlp() || self.buffered == 0 || self.buffered + self.wiring.mps <= self.wiring.fifo;
        // As the block tells it: all of its buffers while it is idle, else what has room for TLPs of MPS.
        let room = self.wiring.fifo.saturating_sub(self.buffered) / self.wiring.mps.max(1);
        pins.tx_buf_av = if self.buffered == 0 { TX_BUFFERS } else { room.min(u64::from(TX_BUFFERS)) as u8 };
        let bytes = self.wiring.build.width as usize / 8;
        let room = |fifo: &Option<Fifo>| fifo.as_ref().is_none_or(|fifo| fifo.has_room(bytes));
        pins.h2c_ready = room(&self.fifos[0]);
        pins.win_ready = room(&self.fifos[1]);
        let mut beat = |feeding: &mut Option<Feeding>| {
            let feeding = feeding.as_mut()?;
            let fifo = feeding.stream.fed_by.map(|by| if by == FedBy::Reads { 0 } else { 1 });
            feeding.source.show(fifo.and_then(|fifo| self.fifos[fifo].as_mut()))
        };
        let (c2h, p2p) = (beat(&mut self.writes), beat(&mut self.sends));
        pins.c2h_valid = c2h.is_some();
        if let Some(beat) = c2h {
            (pins.c2h_data, pins.c2h_keep, pins.c2h_last) = (beat.data, beat.keep(), beat.last);
        }
        pins.p2p_valid = p2p.is_some();
        if let Some(beat) = p2p {
            (pins.p2p_data, pins.p2p_keep, pins.p2p_last) = (beat.data, beat.keep(), beat.last);
        }
        for (channel, commander) in self.commanders.iter().enumerate() {
            let open = self.gates[channel] <= now;
            let command = commander.as_ref().filter(|_| open).and_then(Commander::offered);
            pins.cmd_valid[channel] = command.is_some();
            if let Some(command) = command {
                pins.cmd_addr[channel] = command.address;
                pins.cmd_len[channel] = command.bytes;
                pins.cmd_eof[channel] = command.last;
            }
        }
    }

    /// What the engine has taken of streams and commands; true where it took anything.
    fn streams_in(&mut self, now: Time) -> bool {
        let mut moved = false;
        let taken = [self.pins.c2h_valid && self.out.c2h_ready, self.pins.p2p_valid && self.out.p2p_ready];
        for (feeding, taken) in [&mut self.writes, &mut self.sends].into_iter().zip(taken) {
            if let Some(feeding) = feeding.as_mut().filter(|_| taken) {
                feeding.source.taken();
                moved = true;
            }
        }
        let mut feedings = [None, Some(&mut self.writes), Some(&mut self.sends)];
        for (channel, commander) in self.commanders.iter_mut().enumerate() {
            if let Some(commander) = commander.as_mut().filter(|_| self.pins.cmd_valid[channel])
                && self.out.cmd_ready[channel]
            {
                if self.wiring.pause > Time::ZERO {
                    self.gates[channel] = Time::NEVER;
                    if let Some(feeding) = feedings[channel].as_mut().and_then(|feeding| feeding.as_mut()) {
                        feeding.starts.push_back((commander.offset(), now));
                    }
                }
                commander.taken();
                moved = true;
            }
        }
        moved
    }

    /// What came out of the engine goes into its FIFO, or is compared.
    fn streams_out(&mut self, face: &mut Face<'_>, now: Time) {
        if self.out.h2c_valid && self.pins.h2c_ready {
            let (bytes, count) = Beat::bytes_of(self.out.h2c_data, self.out.h2c_keep);
            drained(&mut self.reads, &mut self.fifos[0], face, &bytes[..count], now);
            let got = self.reads.as_ref().map(|reads| reads.got);
            if self.commanders[0].as_ref().is_some_and(|c| got == Some(c.offset())) {
                self.gates[0] = now + self.wiring.pause;
            }
        }
        if self.out.win_valid && self.pins.win_ready {
            let (bytes, count) = Beat::bytes_of(self.out.win_data, self.out.win_keep);
            drained(&mut self.arrives, &mut self.fifos[1], face, &bytes[..count], now);
        }
    }

    fn take_tickets(&mut self, face: &mut Face<'_>, now: Time) {
        for ticket in self.block.taken(&self.pins, &self.out) {
            face.release(ticket.hold, now);
            match ticket.what {
                What::Read => self.answers.push_back(ticket.label),
                What::Write => {}
                What::Completion { tag, bytes } => {
                    let Some(slot) = self.asked.get_mut(tag as usize) else { continue };
                    let Some(asked) = slot else { continue };
                    asked.left = asked.left.saturating_sub(bytes);
                    if asked.left > 0 {
                        continue;
                    }
                    if asked.label.used == Use::Payload {
                        face.timed(asked.label.flow, now - asked.born);
                        self.in_flight -= 1;
                        self.waits = Wait::Tags;
                    } else {
                        self.waits = Wait::Descriptors;
                    }
                    *slot = None;
                }
            }
        }
    }

    /// The engine has handed over a TLP at the edge at `now`.
    fn send(&mut self, face: &mut Face<'_>, now: Time, taken: Taken) {
        let Some(label) = self.label(&taken) else { return };
        let waited = match taken.header {
            Header::Request { write: false, bytes, tag, .. } => self.ask(label, bytes, tag, taken.began),
            _ if label.used == Use::Payload => std::mem::replace(&mut self.waits, Wait::Core),
            _ => Wait::Core,
        };
        if matches!(taken.header, Header::Request { write: true, .. }) {
            self.buffered += taken.data.len() as u64;
        }
        let ready = now + self.wiring.tx_latency;
        let born = self.started(label).unwrap_or(taken.began);
        face.send(Leaving { header: taken.header, data: taken.data, label, born, ready, waited });
    }

    /// When the engine took the command that begins with this TLP, where commands go one at a time.
    fn started(&mut self, label: Label) -> Option<Time> {
        let feedings = [&mut self.writes, &mut self.sends].into_iter().flatten();
        let feeding = feedings.into_iter().find(|feeding| feeding.stream.flow == label.flow)?;
        let (offset, at) = *feeding.starts.front()?;
        (offset == label.offset).then(|| feeding.starts.pop_front())?;
        Some(at)
    }

    fn ask(&mut self, label: Label, bytes: u64, tag: u16, born: Time) -> Wait {
        if let Some(slot) = self.asked.get_mut(tag as usize) {
            *slot = Some(Asked { label, born, left: bytes });
        }
        if label.used != Use::Payload {
            return Wait::Descriptors;
        }
        self.in_flight += 1;
        let most = self.in_flight >= self.wiring.build.tags
            || (self.in_flight + 1) * bytes > self.wiring.build.completion_buffer;
        match std::mem::replace(&mut self.waits, Wait::Core) {
            Wait::Tags | Wait::Core if most => Wait::Tags,
            other => other,
        }
    }

    /// Which flow a TLP is of, by its address or its tag: what the engine's own registers would tell.
    fn label(&mut self, taken: &Taken) -> Option<Label> {
        let Header::Request { write, address, bytes, tag, .. } = taken.header else {
            return self.answers.pop_front();
        };
        if !write {
            if let Some(channel) = FETCH_TAGS.iter().position(|&fetch| fetch == tag) {
                let flow = if channel == 0 { self.wiring.reads?.flow } else { self.wiring.writes?.flow };
                return Some(Label { flow, used: Use::Descriptors, offset: ASIDE });
            }
            let reads = self.wiring.reads?;
            return Some(Label {
                flow: reads.flow,
                used: Use::Payload,
                offset: address.wrapping_sub(reads.memory.data.base),
            });
        }
        if address & !0xf_ffff == MESSAGES {
            let mut data = [0; 4];
            data[..taken.data.len().min(4)].copy_from_slice(&taken.data[..taken.data.len().min(4)]);
            return Some(Label { flow: u32::from_le_bytes(data), used: Use::Interrupt, offset: ASIDE });
        }
        let records = [self.wiring.reads, self.wiring.writes];
        if let Some(stream) = records.into_iter().flatten().find(|s| s.memory.records.holds(address)) {
            let channel = usize::from(self.wiring.reads.is_none_or(|reads| reads.flow != stream.flow));
            self.ledgers[channel].recorded(&taken.data);
            return Some(Label { flow: stream.flow, used: Use::Status, offset: ASIDE });
        }
        let to_memory = self.writes.as_mut().filter(|w| w.stream.memory.data.holds(address));
        let feeding = match to_memory {
            Some(writes) => writes,
            None => self.sends.as_mut()?,
        };
        let offset = feeding.cut;
        feeding.cut += bytes;
        Some(Label { flow: feeding.stream.flow, used: Use::Payload, offset })
    }
}

/// Bytes that came out of a stream go into its FIFO, or to their end.
fn drained(drain: &mut Option<Drain>, fifo: &mut Option<Fifo>, face: &mut Face<'_>, bytes: &[u8], now: Time) {
    let Some(drain) = drain else { return };
    let stream = &drain.stream;
    face.compare(stream.flow, drain.got, bytes);
    drain.got += bytes.len() as u64;
    while let Some(&(end, born)) = drain.marks.front()
        && end <= drain.got
    {
        drain.marks.pop_front();
        face.timed(stream.flow, now - born);
    }
    face.deliver(stream.flow, bytes.len() as u64, now);
    if drain.reads && drain.got == stream.volume && stream.drive == Drive::Card {
        face.ended(stream.flow, now);
    }
    if let Some(fifo) = fifo {
        fifo.put(bytes);
    }
}

impl Part for Card {
    fn start(&mut self, face: &mut Face<'_>) {
        self.arm(face, self.edge);
    }

    fn receive(&mut self, face: &mut Face<'_>, arrived: Arrived) {
        let at = face.now() + self.wiring.rx_latency;
        let (bars, what) = match arrived.header {
            Header::Request { write, address, .. } => {
                let bars = self.wiring.bars.map(|bar| u8::from(bar.holds(address)));
                if write && bars[0] == 1 {
                    let at = address - self.wiring.bars[0].base;
                    self.ledgers.iter_mut().zip(CHANNELS_OF_HOST).for_each(|(l, c)| l.note(c, at, &arrived.data));
                    self.waits = Wait::Software;
                }
                (bars[0] | bars[1] << 2, if write { What::Write } else { What::Read })
            }
            Header::Completion { tag, bytes, .. } => (0, What::Completion { tag, bytes }),
        };
        if let (Some(drain), true) = (&mut self.arrives, bars == 4 && arrived.label.used == Use::Payload) {
            let end = arrived.label.offset + arrived.data.len() as u64;
            drain.marks.push_back((end, arrived.born));
        }
        let ticket = Ticket { hold: arrived.hold, label: arrived.label, what };
        self.block.receive(&arrived.header, &arrived.data, bars, at, ticket);
        if self.asleep {
            self.wake_for(face, at);
        }
    }

    fn wake(&mut self, face: &mut Face<'_>, _: u32) {
        if face.now() != self.armed {
            return;
        }
        if std::mem::take(&mut self.asleep) {
            self.skipped += (self.armed - self.edge).as_fs() / self.wiring.period.as_fs();
            self.edge = self.armed;
            self.still = 0;
        }
        self.run(face);
    }

    fn sent(&mut self, face: &mut Face<'_>, sent: Sent) {
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
                    face.ended(sent.flow, sent.end);
                }
            }
        }
        if self.asleep {
            let next = self.gates.iter().filter(|gate| **gate > self.edge && **gate < Time::NEVER).min();
            if let Some(&at) = next {
                self.wake_for(face, at);
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
