//! The engine's clock: requests of the guest go in as TLPs, and what the engine sends acts on the guest's memory. It runs in
//! a thread of its own, and sleeps while nothing is under way.

use crate::completion::Asked;
use crate::config::Settings;
use crate::counters::{Counters, Fault};
use crate::iommu::Iommu;
use crate::late::{Late, Write};
use crate::load::{ANSWER_CLOCKS, Load, Waited};
use crate::messages::{INTERRUPTS, Message};
use crate::model::{In, Model, Out};
use crate::peer::{End, Said};
use cosim::block::{Block, Taken};
use pcie::tlp::{Header, Status};
use pcie::{Bdf, Time};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TryRecvError};

/// Bits of the block's stream.
const WIDTH: u64 = 64;
/// TLPs for which the block's transmit buffer has room: the link is never full here.
const TX_BUFFERS: u8 = 32;
/// Clocks without a change at the pins after which nothing is under way, but for a record that waits for others.
const STILL: u64 = 1024;
/// The engine's register of its completion timeout, in units of 256 clocks, and what it is after a reset.
const TIMEOUT: u64 = 0x18;
const TIMEOUT_AFTER_RESET: u64 = 48_828;
/// The bit of its control register that aborts.
const ABORT: u64 = 2;
/// Tags from here on are those of descriptor fetches; data has the lower ones.
const FETCH_TAGS: u16 = 128;
/// Where the length is in a descriptor.
const LENGTH: std::ops::Range<usize> = 8..12;
/// EP: the payload is poisoned. In the first double word of a TLP.
const POISONED: u64 = 1 << 14;

/// What comes from the guest.
pub enum Ask {
    /// A store: BARs that it hits, offset, address, bytes.
    Store(u8, u64, u64, Vec<u8>),
    /// A load: BARs, offset, address, bytes.
    Load(u8, u64, u64, u64, SyncSender<Vec<u8>>),
    /// Configuration space was written.
    Set(Settings),
    /// A function-level reset begins.
    FunctionReset,
    /// The machine is reset.
    Reset,
    /// From the guest's other card.
    Peer(Said),
}

/// See the module.
pub struct Engine {
    model: Model,
    block: Block<()>,
    /// The block's stream with cosim's names of the pins.
    shown: cosim::pins::In,
    out: cosim::pins::Out,
    pins: In,
    iommu: Arc<Iommu>,
    counters: Arc<Counters>,
    messages: Sender<Message>,
    load: Option<Load>,
    /// The way to the other card.
    peer: End,
    /// TLPs for the engine, given to the block, and taken from it.
    given: u64,
    taken: u64,
    /// The next beat is the first of a TLP.
    first: bool,
    /// The TLP that is poisoned.
    poisoned: Option<u64>,
    /// The engine has stopped, by a fault.
    stopped: bool,
    /// Its channels say that they are busy, by a fault.
    never_idle: bool,
    /// What it has written, and the guest does not see yet.
    late: Late,
    clocks: u64,
    /// The clock until which it runs at least.
    until: u64,
    /// The longest time that a record may wait for others, clocks.
    patience: u64,
    /// The completion timeout, in units of 256 clocks.
    timeout: u64,
    /// LANESCOPE_TRACE is set: every store of the host and every TLP of the card is a line on standard error.
    traces: bool,
}

impl Engine {
    /// A card after reset; `None` without memory for it.
    pub fn new(iommu: Arc<Iommu>, counters: Arc<Counters>, messages: Sender<Message>) -> Option<Engine> {
        let pins = In { tx_ready: true, tx_buf_av: TX_BUFFERS, ..In::default() };
        Some(Engine {
            model: Model::new()?,
            block: Block::new(WIDTH),
            shown: cosim::pins::In { tx_ready: true, ..Default::default() },
            out: cosim::pins::Out::default(),
            pins,
            iommu,
            counters,
            messages,
            load: None,
            peer: End::default(),
            given: 0,
            taken: 0,
            first: true,
            poisoned: None,
            stopped: false,
            never_idle: false,
            late: Late::default(),
            clocks: 0,
            until: STILL,
            patience: 0,
            timeout: TIMEOUT_AFTER_RESET,
            traces: std::env::var_os("LANESCOPE_TRACE").is_some(),
        })
    }

    /// Runs until nobody is left to ask.
    pub fn run(mut self, asks: &Receiver<Ask>) {
        loop {
            while let Some(write) = self.late.land() {
                self.land(write);
            }
            let sleeps = self.clocks >= self.until;
            let asked = match self.late.next() {
                None if sleeps => asks.recv().map_err(|_| TryRecvError::Disconnected),
                Some(time) if sleeps => asks.recv_timeout(time).map_err(|error| match error {
                    RecvTimeoutError::Timeout => TryRecvError::Empty,
                    RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
                }),
                _ => asks.try_recv(),
            };
            match asked {
                Ok(ask) => self.take(ask),
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return,
            }
            self.clock();
        }
    }

    fn stay(&mut self, clocks: u64) {
        self.until = self.until.max(self.clocks + clocks);
    }

    fn take(&mut self, ask: Ask) {
        self.stay(STILL);
        match ask {
            Ask::Store(bars, offset, address, data) => {
                if bars == 1 {
                    self.look(offset, &data);
                }
                if self.traces {
                    eprintln!("{:>9} host store {offset:#x} {data:x?}", self.clocks);
                }
                self.give(&request(true, address, data.len() as u64), &data, bars);
            }
            Ask::Load(bars, offset, address, bytes, answer) => {
                self.load = Some(Load::new(answer, (offset, bytes), self.clocks));
                self.give(&request(false, address, bytes), &[], bars);
                self.stay(ANSWER_CLOCKS + 1);
                if self.stopped {
                    self.answer(&[]);
                }
            }
            Ask::Set(settings) => {
                self.pins.command = settings.command;
                self.pins.dcommand = settings.dcommand;
                self.pins.power = settings.power;
                self.pins.msix_enable = settings.msix_enable;
                self.pins.msix_mask = settings.msix_mask;
            }
            Ask::FunctionReset => {
                (self.stopped, self.never_idle, self.poisoned) = (false, false, None);
                self.pins.flr = true;
                self.clock();
                self.pins.flr = false;
            }
            Ask::Reset => {
                if let Some(model) = Model::new() {
                    self.model = model;
                }
                self.block = Block::new(WIDTH);
                (self.given, self.taken, self.first) = (0, 0, true);
                (self.stopped, self.never_idle, self.poisoned) = (false, false, None);
                self.load = None;
                self.peer.settle(u64::MAX);
            }
            Ask::Peer(said) => self.hear(said),
        }
    }

    /// What the other card says.
    fn hear(&mut self, said: Said) {
        let Said::Write(bars, address, data) = said else { return self.peer.hear(said) };
        self.give(&request(true, address, data.len() as u64), &data, bars);
        self.peer.came(self.given);
        if self.stopped {
            self.peer.settle(u64::MAX);
        }
    }

    /// What of a store to BAR 0 says how long the engine may be still with something under way.
    fn look(&mut self, offset: u64, data: &[u8]) {
        let value = data.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        match offset {
            TIMEOUT => self.timeout = value & 0xffff,
            0x100..0x1000 if offset & 0xff == 0 => {
                self.patience = self.patience.max(value >> 32 & 0xffff);
                if value & ABORT != 0 && self.counters.slow(offset) {
                    self.late.slow(offset);
                }
            }
            0x100..0x1000 => self.late.stored(offset, value),
            _ => {}
        }
    }

    /// A TLP for the engine. One that has stopped takes none.
    fn give(&mut self, header: &Header, data: &[u8], bars: u8) {
        if !self.stopped {
            self.block.receive(header, data, bars, Time::ZERO, ());
            self.given += 1;
        }
    }

    fn clock(&mut self) {
        self.clocks += 1;
        if self.stopped {
            return;
        }
        self.pins.tx_ready = self.peer.has_credits();
        self.shown.tx_ready = self.pins.tx_ready;
        self.block.show(Time::ZERO, &mut self.shown);
        let poison = if self.first && self.poisoned == Some(self.taken) { POISONED } else { 0 };
        self.pins.rx_data = self.shown.rx_data[0] | poison;
        self.pins.rx_keep = self.shown.rx_keep as u8;
        self.pins.rx_last = self.shown.rx_last;
        self.pins.rx_user = self.shown.rx_user;
        self.pins.rx_valid = self.shown.rx_valid;
        let mut out = Out::default();
        self.model.step(&self.pins, &mut out);
        self.out.tx_data[0] = out.tx_data;
        self.out.tx_keep = out.tx_keep.into();
        self.out.tx_valid = out.tx_valid;
        self.out.tx_last = out.tx_last;
        self.out.rx_ready = out.rx_ready;
        if self.shown.rx_valid && self.out.rx_ready {
            self.first = self.shown.rx_last;
        }
        self.taken += self.block.taken(&self.shown, &self.out).count() as u64;
        self.peer.settle(self.taken);
        // A side that is stalled waits for somebody, who will ask.
        if out.tx_valid && self.pins.tx_ready || self.pins.rx_valid && out.rx_ready {
            self.stay(STILL + self.patience);
        }
        if out.tx_valid && self.pins.tx_ready && !self.block.in_tlp() {
            self.counters.sent(out.tx_data as u32);
        }
        if out.tx_valid {
            match self.block.collect(Time::ZERO, &self.shown, &self.out) {
                Some(Ok(taken)) => self.sent(taken),
                Some(Err(error)) => eprintln!("lanescope-remote: the engine sent a TLP that is none: {error}"),
                None => {}
            }
        }
        self.watch();
    }

    /// Ends a load that has waited too long for its answer.
    fn watch(&mut self) {
        let Some(load) = &mut self.load else { return };
        let leaves_not = self.out.tx_valid && !self.pins.tx_ready;
        match load.waited(self.clocks, leaves_not) {
            Waited::Uncounted(until) => self.until = self.until.max(until + 1),
            Waited::Counted => {}
            Waited::TooLong => {
                let (offset, comes_not) = (load.offset, self.pins.rx_valid && !self.out.rx_ready);
                eprintln!(
                    "lanescope-remote: no answer to a load of {offset:#x} in {ANSWER_CLOCKS} clocks: what comes waits: {comes_not}, \
                     what leaves waits: {leaves_not}; {:?}",
                    self.peer
                );
                self.answer(&[]);
            }
        }
    }

    /// The engine has sent a TLP.
    fn sent(&mut self, taken: Taken) {
        if self.traces {
            eprintln!("{:>9} card {:x?} {} bytes", self.clocks, taken.header, taken.data.len());
        }
        if matches!(taken.header, Header::Request { .. }) && self.counters.strikes(Fault::Stops) {
            return self.stop();
        }
        match taken.header {
            Header::Completion { status: Status::Success, .. } => self.answer(&taken.data),
            Header::Completion { .. } => self.answer(&[]),
            Header::Request { write: true, address, .. } => {
                let write = (address, taken.data.into_vec());
                if self.late.ends(&write).is_some() && self.never_stops() {
                    return;
                }
                if let Some(write) = self.late.sent(write, &self.counters) {
                    self.land(write);
                }
            }
            Header::Request { write: false, address, bytes, requester, tag } => {
                self.read(address, bytes, requester, tag)
            }
        }
    }

    /// By a fault. A guest that waits for a register runs no further without an answer.
    fn stop(&mut self) {
        self.stopped = true;
        self.answer(&[]);
        self.peer.settle(u64::MAX);
    }

    /// A write of the engine reaches the guest.
    fn land(&mut self, (address, data): Write) {
        if INTERRUPTS.contains(&address) {
            let data = data.iter().take(4).rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
            let _ = self.messages.send(Message::Interrupt(address, data));
            return;
        }
        let Some(address) = self.iommu.place(address, true) else { return self.counters.block() };
        if self.iommu.memory.write(address, &data).is_none() {
            self.peer.write(address, &data);
        }
    }

    /// Whether a channel that is aborted never says that it is idle, by a fault.
    fn never_stops(&mut self) -> bool {
        self.never_idle |= self.counters.strikes(Fault::NeverIdle);
        self.never_idle || self.counters.lasts(Fault::HoldsBus)
    }

    /// Answers the open load; all ones without data.
    fn answer(&mut self, data: &[u8]) {
        let Some(load) = self.load.take() else { return };
        let busy = load.channel().is_some_and(|channel| self.never_stops() || self.late.is_slow(channel));
        load.answer(data, busy);
    }

    /// Completes a read request of the engine.
    fn read(&mut self, address: u64, bytes: u64, requester: Bdf, tag: u16) {
        if tag < FETCH_TAGS && self.counters.strikes(Fault::NoAnswer) {
            // Until its time is up, and the tag has rested.
            self.stay(6 * 256 * (self.timeout + 1));
            return;
        }
        let faults: &[_] = if tag >= FETCH_TAGS {
            &[(Fault::NoDescriptors, Status::UnsupportedRequest)]
        } else {
            &[(Fault::UnsupportedRequest, Status::UnsupportedRequest), (Fault::CompleterAbort, Status::CompleterAbort)]
        };
        let refused = faults.iter().find_map(|&(fault, status)| self.counters.strikes(fault).then_some(status));
        let asked = Asked { requester, tag, address, bytes };
        let place = self.iommu.place(address, false);
        if place.is_none() {
            self.counters.block();
        }
        let data = place.filter(|_| refused.is_none()).and_then(|place| self.iommu.memory.read(place, bytes));
        let Some(mut data) = data else {
            return self.give(&asked.refused(refused.unwrap_or(Status::UnsupportedRequest)), &[], 0);
        };
        if tag < FETCH_TAGS && self.counters.strikes(Fault::Poisoned) {
            self.poisoned = Some(self.given);
        }
        if tag >= FETCH_TAGS && self.counters.strikes(Fault::BadDescriptor) {
            data[LENGTH].fill(0);
        }
        for (header, part) in asked.answers() {
            self.give(&header, &data[part], 0);
        }
    }
}

fn request(write: bool, address: u64, bytes: u64) -> Header {
    Header::Request { write, address, bytes, requester: Bdf::default(), tag: 0 }
}
