//! One NVMe host for one drive: the compiled gateware with its block and its user, on one clock.

use super::block::{Block, Given};
use super::memory::MemoryPort;
use super::space::Space;
use super::user::{Stream, User};
use crate::builds::HOST_BAR;
use crate::host_pins::{In, Out};
use crate::model::Model;
use pcie::tlp::{Header, Status};
use pcie::{Bdf, Time};
use sim::parts::{Arrived, Held, Label, Leaving, PartContext, Payload, Purpose};
use std::collections::VecDeque;
use system::Window;

/// The offset of a TLP that is no payload in its flow.
const ASIDE: u64 = 1 << 63;
/// After so long without anything that moves, a drive has stopped, or the host has.
const PATIENCE: Time = Time::from_us(200_000);
/// Doorbells begin here in BAR 0 (NVM Express over PCIe Transport Specification, Submission Queue y Tail Doorbell).
const DOORBELLS: u64 = 0x1000;

/// What an instance is made of.
#[derive(Debug)]
pub(super) struct Wiring {
    /// The root port, as the part counts them, and the function there.
    pub port: usize,
    pub function: Bdf,
    pub period: Time,
    /// Bytes of a beat.
    pub width: usize,
    pub mps: u64,
    /// BAR 0 of the drive, as the simulation has it.
    pub registers: Window,
    pub stream: Stream,
    pub space: Space,
}

/// A read request of the drive that the host has not answered.
#[derive(Clone, Copy, Debug)]
struct Asked {
    label: Label,
    held: Held,
    born: Time,
    bytes: u64,
}

/// See the module.
pub(super) struct Instance {
    port: usize,
    function: Bdf,
    period: Time,
    /// The next clock edge.
    pub edge: Time,
    mps: u64,
    registers: Window,
    model: Model<In, Out>,
    pins: In,
    out: Out,
    block: Block,
    space: Space,
    user: User,
    asked: VecDeque<Asked>,
    /// When something has moved last.
    moved: Time,
    was_up: bool,
    pub clocks: u64,
}

impl Instance {
    pub fn new(wiring: Wiring, model: Model<In, Out>) -> Instance {
        let Wiring { port, function, period, width, mps, registers, stream, space } = wiring;
        Instance {
            port,
            function,
            period,
            edge: period,
            mps,
            registers,
            model,
            pins: In::default(),
            out: Out::default(),
            block: Block::new(width),
            space,
            user: User::new(stream, width),
            asked: VecDeque::new(),
            moved: Time::ZERO,
            was_up: false,
            clocks: 0,
        }
    }

    fn label(&self, purpose: Purpose) -> Label {
        Label { flow: self.user.stream.flow, purpose, offset: ASIDE }
    }

    /// A TLP of the drive has arrived.
    pub fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let Arrived { header, data, label, born, held, hold, .. } = arrived;
        let bytes = match data {
            Payload::Bytes(bytes) => bytes,
            Payload::Length(0) => Box::default(),
            Payload::Length(_) => return context.refuse(|| "it got a TLP without its bytes".to_string()),
        };
        if let Header::Request { write, address, bytes: count, tag, .. } = header {
            if (address | count) % 4 != 0 || tag > 0xff {
                return context.refuse(|| {
                    format!(
                        "{count} bytes at {address:#x} with tag {tag}: the host takes whole DWs, and tags of 8 bits"
                    )
                });
            }
            if !write {
                self.asked.push_back(Asked { label, held: held.answered(), born, bytes: count });
            }
        }
        self.block.receive(header, bytes, context.now(), Some(hold));
    }

    /// A completion has begun to leave.
    pub fn left(&mut self, bytes: u64) {
        self.block.left(bytes);
    }

    /// Runs one clock.
    pub fn clock(&mut self, context: &mut PartContext<'_>, memory: &mut MemoryPort) {
        let now = self.edge;
        self.block.show(now, &mut self.pins, self.mps);
        self.user.show(now, &mut self.pins, memory);
        let (ps, half) = (now.as_fs() / 1000, self.period.as_fs() / 2000);
        self.model.step(&self.pins, &mut self.out, ps, half);
        self.clocks += 1;
        self.edge = now + self.period;
        let (mut moves, hold) = self.block.taken(&self.pins, &self.out);
        if let Some(hold) = hold {
            context.release(hold, now);
        }
        if self.out.rq_valid {
            self.request(context, now);
            moves = true;
        }
        if let Some(given) = self.block.collect(&self.pins, &self.out) {
            self.complete(context, now, given);
            moves = true;
        }
        match self.user.taken(context, (now, memory), (&self.pins, &self.out)) {
            Ok(moved) => moves |= moved,
            Err(what) => context.refuse(|| what),
        }
        self.watch(context, now, moves);
    }

    /// Ends the run where the host has given up, or nothing moves any more.
    fn watch(&mut self, context: &mut PartContext<'_>, now: Time, moves: bool) {
        let (step, why) = (self.out.step, self.out.why);
        if moves {
            self.moved = now;
        }
        if self.out.stray {
            context.refuse(|| "the host got a TLP that it does not wait for".to_string());
        }
        if self.out.dead || now - self.moved > PATIENCE {
            let what = if self.out.dead { "has given its drive up" } else { "stands still" };
            context.refuse(|| {
                format!("the host {what}, at step {step} of its bring-up, for cause {why} (ls_nvme_pkg.sv)")
            });
        }
        if self.out.run && !self.was_up {
            self.was_up = true;
            if let Some(what) = self.space.differs() {
                context.refuse(|| what);
            }
        }
    }

    /// A request of the host: a configuration request, which is answered here, or one to the registers of the drive.
    fn request(&mut self, context: &mut PartContext<'_>, now: Time) {
        let Out { rq_cfg, rq_write, rq_addr, rq_tag, rq_data, .. } = self.out;
        if rq_cfg {
            let found = match rq_write {
                true => self.space.write(rq_addr, rq_data).map(|()| None),
                false => self.space.read(rq_addr).map(Some),
            };
            return self.configured(now, rq_tag, found);
        }
        let offset = self.space.bar0().and_then(|bar| rq_addr.checked_sub(bar));
        let Some(offset) = offset.filter(|&offset| rq_addr >= HOST_BAR && offset < self.registers.bytes) else {
            return context.refuse(|| format!("the host reaches for {rq_addr:#x}, where its drive has nothing"));
        };
        let address = self.registers.base + offset;
        let (requester, tag) = (self.function, u16::from(rq_tag));
        let header = Header::Request { write: rq_write, address, bytes: 4, requester, tag };
        let data = if rq_write { Payload::Bytes(Box::new(rq_data.to_le_bytes())) } else { Payload::Length(0) };
        let rings = rq_write && offset >= DOORBELLS;
        let label = self.label(if rings { Purpose::Doorbell } else { Purpose::Register });
        let leaving = Leaving::new(context.now(), header, data, label);
        context.send(Leaving { port: self.port, born: now, ready: now, ..leaving });
    }

    /// Answers a configuration request: the DW that was `found`, none for a write, or an Unsupported Request.
    fn configured(&mut self, now: Time, tag: u8, found: Option<Option<u32>>) {
        let status = if found.is_some() { Status::Success } else { Status::UnsupportedRequest };
        let data: Box<[u8]> = found.flatten().map_or_else(Box::default, |dw| Box::new(dw.to_le_bytes()));
        let header = Header::Completion {
            completer: self.function,
            requester: self.function,
            tag: u16::from(tag),
            status,
            remaining: 4,
            lower_address: 0,
            bytes: data.len() as u64,
        };
        self.block.receive(header, data, now, None);
    }

    /// A completion of the host for the drive.
    fn complete(&mut self, context: &mut PartContext<'_>, now: Time, Given { header, data }: Given) {
        let Header::Completion { remaining, bytes, status, .. } = header else { return };
        let Some(&Asked { label, held, born, bytes: all }) = self.asked.front() else {
            return context.refuse(|| "the host answers what its drive has not asked".to_string());
        };
        if status != Status::Success {
            return context
                .refuse(|| format!("the host refuses a read of its drive, of {all} bytes for {:?}", label.purpose));
        }
        if remaining <= bytes {
            self.asked.pop_front();
        }
        let label = Label { offset: label.offset + all.saturating_sub(remaining), ..label };
        let leaving = Leaving::new(context.now(), header, Payload::Bytes(data), label);
        let held = Held { until: held.until.min(now), ..held };
        context.send(Leaving { port: self.port, born, ready: now, held, tell: true, ..leaving });
    }
}
