//! A flow as `limit` solves it: its ways through the tree, how its commands are cut, who drives it.

use crate::completer::Completer;
use crate::inside::{self, Inside};
use crate::path::{Hop, hops};
use crate::queued::Queued;
use crate::tlps::{Cut, Piece, Tlp, completions, cut, divided};
use pcie::tlp::{FOUR_GIB, HEADER_3DW_BYTES, TlpKind};
use pcie::{Class, Time};
use std::borrow::Cow;
use system::graph::PartId;
use system::kind::Row;
use system::kinds::card::Gateware;
use system::kinds::host::{LINE_BYTES, Notice, lines};
use system::kinds::{CardParams, HostParams};
use system::pattern::Order;
use system::{Demand, Drive, Flow, Operation, Pattern, System};

fn fs(time: Time) -> f64 {
    time.as_fs() as f64
}

/// A flow, ready to be solved.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The flow.
    pub flow: &'a Flow,
    /// Settings of its host.
    pub host: HostParams,
    /// Settings of the card that moves the data (the one at the far end, for PIO).
    pub card: CardParams,
    /// The card at the target's end, of flows from card to card.
    pub target_card: Option<CardParams>,
    /// Rows that the kinds of both parts declare; `true` for those of the target.
    pub declared: Vec<(bool, Row)>,
    /// The hops of the TLPs that carry payload.
    pub data: Vec<Hop>,
    /// The hops of read requests; empty for writes.
    pub requests: Vec<Hop>,
    /// Bytes of the header of TLPs that carry payload.
    pub data_header: u64,
    /// A read request.
    pub request: Tlp,
    /// Where commands write before they read: the payloads of the TLPs of a write.
    pub written: Vec<u64>,
    /// Bytes of the header of these.
    pub write_header: u64,
    /// How a command is divided into the TLPs of a write or the requests of a read.
    pub cut: Cut,
    /// The pieces of a command (or of a long command's pattern), each with the mean number of such pieces in a command.
    pub pieces: Vec<(Piece, f64)>,
    /// Who answers reads.
    pub completer: Completer,
    /// Read requests in flight at most, and space for what they ask.
    pub in_flight: u64,
    /// See [`CardParams::completion_buffer`].
    pub buffer: Option<u64>,
    /// The hops of the doorbell, and its TLP.
    pub doorbell: (Vec<Hop>, Tlp),
    /// The hops of the status write, and its TLP.
    pub status: (Vec<Hop>, Tlp),
    /// From a root port to memory, for payload and requests that go there.
    pub way_fs: f64,
    /// The links inside the host that the payload passes, each with its time for a byte.
    pub inside: Vec<(Inside, f64)>,
    /// True where the payload goes to or comes from the memory of its host.
    pub is_at_host: bool,
    /// Page walks of the host's IOMMU for each byte of payload, for which the payload's own TLPs or requests wait.
    pub walks: f64,
    /// Where software keeps commands in the queues of a drive.
    pub queued: Option<Queued>,
    /// Where the card translates addresses itself.
    pub translations: Option<Translations>,
    /// Number of commands.
    pub commands: u64,
    /// For an engine that begins a command before the previous one has ended: bytes of a command, and the time from its decision
    /// for the last TLP or request of the previous command to that for the first of the next. [`Plan::commands`] is 1 then.
    pub next_command: Option<(u64, f64)>,
}

fn host_of(system: &System, root: PartId) -> HostParams {
    system.part(root).kind.host().map(Cow::into_owned).unwrap_or_default()
}

fn card_of(system: &System, part: PartId) -> Option<CardParams> {
    system.engine(part)
}

/// True where the engine begins a command before the previous one has ended. The design around compiled gateware gives its
/// commands as fast as the engine takes them, or after the end of the previous one.
fn begins_early(card: &CardParams, flow: &Flow) -> bool {
    let at_once = card.gateware == Gateware::None || card.command_latency == Time::ZERO;
    !flow.timed.is_by_command() && card.overlap && at_once && flow.drive == Drive::Card && !flow.operation.is_pio()
}

/// Bytes of a command, and where it is divided besides 4 KiB. An engine that begins commands early has one long command.
fn commands(card: &CardParams, flow: &Flow, page: u64) -> (u64, u64) {
    let command = flow.command.0.max(1);
    if !begins_early(card, flow) {
        return (command, page);
    }
    (flow.whole_volume().0, page.min(command))
}

/// Bytes of the header of a request from one part to memory, or to the largest BAR of another part.
fn header_to(system: &System, (from, target): (PartId, PartId), host: &HostParams, kind: TlpKind) -> u64 {
    let address = match (system.part(target).kind.is_root(), host.memory_above_4g) {
        (true, true) => FOUR_GIB,
        (true, false) => 0,
        (false, _) => system.largest_bar_from(from, target).map_or(0, |window| window.base),
    };
    kind.header_bytes(address)
}

impl<'a> Plan<'a> {
    /// `flow` in `system`; of a loopback, the reading half.
    pub fn new(system: &System, flow: &'a Flow) -> Plan<'a> {
        Plan::of(system, flow, flow.operation)
    }

    /// `flow` in `system` as if it did `operation`.
    pub fn of(system: &System, flow: &'a Flow, operation: Operation) -> Plan<'a> {
        let root = system.host_for(flow.initiator, flow.target);
        let host = host_of(system, root);
        let (initiator, target) = (flow.initiator, flow.target);
        let pio = operation.is_pio();
        let reads = operation.reads();
        let card_part = if pio { target } else { initiator };
        let card = card_of(system, card_part).unwrap_or_default();
        let target_card = if pio { None } else { card_of(system, target) };
        let (from, to) = if reads { (target, initiator) } else { (initiator, target) };
        let class = if reads { Class::Completion } else { Class::Posted };
        let mps = system.mps_towards(from, to).bytes();
        let request_header = header_to(system, (initiator, target), &host, TlpKind::MemoryRead);
        let data_header =
            if reads { HEADER_3DW_BYTES } else { header_to(system, (initiator, target), &host, TlpKind::MemoryWrite) };
        let most = match (reads, pio) {
            (false, true) => LINE_BYTES.min(mps),
            (true, true) => host.pio_read_bytes.0.min(LINE_BYTES),
            (false, false) => system.part(initiator).write_bytes(),
            (true, false) => system.part(initiator).request_bytes(),
        };
        let page = if pio { u64::MAX } else { card.page_bytes.0 };
        let (command, page) = commands(&card, flow, page);
        let aligned = pio || card.aligned;
        let queued = Queued::of(system, flow, &host);
        let pieces: Vec<(Piece, f64)> = match &flow.pattern {
            // Software gives each block memory from the start of a page on.
            _ if queued.is_some() => Cut::pieces_of_one(command, page, most, aligned).collect(),
            None => Cut::pieces(command, page, most, aligned).collect(),
            Some(pattern) => places(pattern, flow, (command, page, most, aligned)),
        };
        let doorbell_header = header_to(system, (root, card_part), &host, TlpKind::MemoryWrite);
        let status_header = header_to(system, (card_part, root), &host, TlpKind::MemoryWrite);
        Plan {
            flow,
            data: hops(system, from, to, class),
            requests: if reads { hops(system, initiator, target, Class::NonPosted) } else { Vec::new() },
            data_header,
            request: Tlp::new(request_header, 0),
            written: written(system, flow, command, page, aligned),
            write_header: header_to(system, (initiator, target), &host, TlpKind::MemoryWrite),
            cut: Cut::of_pieces(&pieces, page, command),
            completer: Completer::of(system, flow, mps, &host, &pieces),
            pieces,
            in_flight: if pio { host.pio_loads.0.min(MOST_LOADS) } else { system.part(initiator).requests_in_flight() },
            buffer: if pio { None } else { card.completion_buffer.0.map(|b| b.0) },
            doorbell: (hops(system, root, card_part, Class::Posted), Tlp::new(doorbell_header, host.doorbell_bytes.0)),
            status: (hops(system, card_part, root, Class::Posted), Tlp::new(status_header, card.status_bytes.0)),
            way_fs: way_fs(system, flow, root),
            inside: inside::links(system, flow, reads),
            commands: (flow.volume.0 / command).max(1),
            next_command: (begins_early(&card, flow) && card.command_latency != Time::ZERO)
                .then(|| (flow.command.0.max(1), fs(card.command_latency))),
            declared: declared(system, flow, operation),
            walks: walks(system, flow, &host) / flow.command.0.max(1) as f64,
            is_at_host: system.part(flow.target).kind.is_root(),
            queued,
            translations: Translations::of(system, flow, (&host, &card)),
            host,
            card,
            target_card,
        }
    }

    /// True where the payload travels in completions.
    pub fn reads(&self) -> bool {
        !self.requests.is_empty()
    }

    /// True where software starts each command (the CPU's own stores and loads need none).
    pub fn by_software(&self) -> bool {
        self.flow.drive == Drive::Software && !self.flow.operation.is_pio()
    }

    /// The card that others read from, if the data of a read comes from one.
    pub fn giver(&self) -> Option<&CardParams> {
        let card = if self.flow.operation.is_pio() { Some(&self.card) } else { self.target_card.as_ref() };
        card.filter(|_| self.reads())
    }

    /// What its core takes to pass a completion of `bytes` towards the link.
    pub fn giving_core_fs(&self, bytes: u64) -> f64 {
        self.giver().map_or(0.0, |card| fs(card.core_time(bytes)))
    }

    /// A TLP that carries `payload` bytes of the flow.
    pub fn data_tlp(&self, payload: u64) -> Tlp {
        Tlp::new(self.data_header, payload)
    }

    /// A TLP with `bytes` that the card writes to the memory of its host, of status or an interrupt.
    pub fn status_tlp(&self, bytes: u64) -> Tlp {
        Tlp::new(self.status.1.shape.header_bytes(), bytes)
    }

    /// A TLP with `payload` bytes of what a command writes before it reads.
    pub fn write_tlp(&self, payload: u64) -> Tlp {
        Tlp::new(self.write_header, payload)
    }

    /// Payloads of the TLPs that carry one piece.
    pub fn payloads(&self, piece: &Piece) -> Vec<u64> {
        if self.reads() { self.completions(piece.offset, piece.bytes).collect() } else { vec![piece.bytes] }
    }

    /// Of the TLPs of a write with `payload` bytes: the share that ends a command, or a block of `block` bytes. All others
    /// count as such, and all do where `block` is 0.
    pub fn share_that_ends(&self, payload: u64, block: u64) -> f64 {
        if block == 0 || self.reads() {
            return 1.0;
        }
        let command = self.flow.command.0.max(1);
        let ends = |piece: &Piece| match self.flow.pattern {
            Some(_) => piece.ends_command,
            None => (piece.offset + piece.bytes).is_multiple_of(command),
        };
        let (mut all, mut ending) = (0.0, 0.0);
        for (piece, weight) in self.pieces.iter().filter(|(piece, _)| piece.bytes == payload) {
            all += weight;
            ending += if ends(piece) || (piece.offset + piece.bytes).is_multiple_of(block) { *weight } else { 0.0 };
        }
        if all > 0.0 { ending / all } else { 0.0 }
    }

    /// The completions of a request at `offset`.
    pub fn completions(&self, offset: u64, bytes: u64) -> impl Iterator<Item = u64> {
        let Completer { most, combined, rcb, .. } = self.completer;
        let most = combined.map_or(most, |combined| self.host.completion_most(offset, bytes, (most, combined)));
        let parts = divided(offset, bytes, self.divided_at());
        parts.flat_map(move |(offset, bytes)| completions(offset, bytes, rcb, most))
    }

    /// The multiples at which requests are divided somewhere on their way.
    pub fn divided_at(&self) -> u64 {
        let way = if self.reads() { &self.requests } else { &self.data };
        way.iter().filter_map(|hop| hop.crossing).map(|crossing| crossing.most).min().unwrap_or(u64::MAX)
    }

    /// Where a piece of `bytes` begins: without a pattern all count as one that begins at a multiple of RCB.
    pub fn usual_offset(&self, bytes: u64) -> u64 {
        let of_pattern = self.flow.pattern.and_then(|_| self.pieces.iter().find(|(piece, _)| piece.bytes == bytes));
        of_pattern.map_or(0, |(piece, _)| piece.offset)
    }

    /// Service time of memory for a write of `bytes` at `offset`, without the time for a new page.
    pub fn memory_fs(&self, offset: u64, bytes: u64) -> f64 {
        let (whole, partly) = lines(offset, bytes);
        let lines = fs(self.host.line_service) * whole as f64;
        fs(self.host.write_service) + lines + if partly { fs(self.host.partial_line_service) } else { 0.0 }
    }

    /// Service time of memory for all pieces of a command, without the time for new pages.
    pub fn command_memory_fs(&self) -> f64 {
        self.pieces.iter().map(|(piece, weight)| weight * self.memory_fs(piece.offset, piece.bytes)).sum()
    }

    /// The software's time before the doorbell leaves.
    pub fn before_doorbell_fs(&self) -> f64 {
        let pushed = self.card.descriptors == system::kinds::card::Descriptors::Pushed;
        let pages = match (pushed, self.card.overlap) {
            (true, true) => 1.0,
            (true, false) => self.cut.pages,
            (false, _) => 0.0,
        };
        fs(self.host.command_cost) + fs(self.host.mean_invalidation()) + fs(self.host.descriptor_cost) * pages
    }

    /// Time of the ACK for a status write, which leaves before the next doorbell.
    pub fn ack_before_doorbell_fs(&self) -> f64 {
        match (self.status.0.last(), self.doorbell.0.first()) {
            (Some(last), Some(first)) if last.tlps_per_ack == 1 => first.time(first.wire.dllp_bytes),
            _ => 0.0,
        }
    }

    /// Time of the ACK for a doorbell, which leaves before the card's own TLPs.
    pub fn doorbell_ack_fs(&self) -> f64 {
        let due_at_once = |hop: &&Hop| hop.tlps_per_ack == 1;
        self.doorbell.0.last().filter(due_at_once).map_or(0.0, |hop| hop.back.time(hop.back.dllp_bytes as f64))
    }

    /// From the doorbell's first symbol to the time at which the engine has it.
    pub fn doorbell_fs(&self) -> f64 {
        crate::path::flight_fs(&self.doorbell.0, &self.doorbell.1) + fs(self.card.rx_latency)
    }

    /// When software learns of a status write that memory has served.
    pub fn noticed(&self, served: f64) -> f64 {
        served + self.wake_fs()
    }

    /// From a write that software waits for to the software that has seen it, where it was asleep.
    pub fn wake_fs(&self) -> f64 {
        fs(match self.host.notice {
            Notice::Polling => self.host.poll_interval,
            Notice::Interrupt => self.host.interrupt_latency,
        })
    }
}

/// The rows that the kinds of the parts at both ends declare.
fn declared(system: &System, flow: &Flow, operation: Operation) -> Vec<(bool, Row)> {
    let of = |part: PartId, there: bool| {
        let demand = Demand { operation, ..flow.demand() };
        system.part(part).kind.rows(&demand).into_iter().map(move |row| (there, row))
    };
    of(flow.initiator, false).chain(of(flow.target, true)).collect()
}

/// From the root port of a DMA flow to memory.
fn way_fs(system: &System, flow: &Flow, root: PartId) -> f64 {
    let to_memory = system.part(flow.target).kind.is_root() && !flow.operation.is_pio();
    let port = Some(()).filter(|()| to_memory).and_then(|()| inside::towards(system, root, flow.initiator));
    port.map_or(0.0, |port| fs(port.memory_way()))
}

/// The payloads of the TLPs that a command of `flow` writes before it reads.
fn written(system: &System, flow: &Flow, command: u64, page: u64, aligned: bool) -> Vec<u64> {
    if !flow.timed.writes_first() {
        return Vec::new();
    }
    let start = flow.pattern.map_or(0, |pattern| pattern.start(command, 0));
    let most = system.part(flow.initiator).write_bytes();
    cut(start, command, page, most, aligned).map(|piece| piece.bytes).collect()
}

/// PIO reads in flight at most: the tags of a host.
const MOST_LOADS: u64 = 768;

/// Places of a pattern that are looked at.
const PLACES: u64 = 64;

/// The pieces of commands of a pattern: a mean over places, for one command, or for a volume that is one command.
fn places(pattern: &Pattern, flow: &Flow, (bytes, page, most, aligned): (u64, u64, u64, bool)) -> Vec<(Piece, f64)> {
    let command = flow.command.0.max(1);
    let places = pattern.places(command).min(PLACES);
    let weight = bytes as f64 / command as f64 / places as f64;
    let ordered = Pattern { order: Order::Sequential, ..*pattern };
    let at = |k: u64| cut(ordered.start(command, k), command, page, most, aligned);
    (0..places).flat_map(at).map(|piece| (piece, weight)).collect()
}

/// Page walks for each command of a flow to or from the memory of its host.
fn walks(system: &System, flow: &Flow, host: &HostParams) -> f64 {
    let waits = system.part(flow.target).kind.is_root() && !flow.is_translated(system);
    if waits { flow.walks(host) } else { 0.0 }
}

/// The Translation Requests of a flow.
#[derive(Clone, Debug)]
pub struct Translations {
    /// Requests for each byte of payload, at least.
    pub per_byte: f64,
    /// The share of them whose page is walked, at least.
    pub walked: f64,
    /// The hops of the requests, and of their completions.
    pub requests: Vec<Hop>,
    /// See [`Translations::requests`].
    pub answers: Vec<Hop>,
}

impl Translations {
    /// Those of `flow`; `None` where its card makes none.
    fn of(system: &System, flow: &Flow, (host, card): (&HostParams, &CardParams)) -> Option<Translations> {
        if !flow.is_translated(system) {
            return None;
        }
        Some(Translations {
            per_byte: flow.translations(host, card.atc_entries.0) / flow.command.0.max(1) as f64,
            // A page that is not in the cache of the card is used less than others, and less apt to be in the IOTLB.
            walked: (flow.walks(host) / flow.command_pages(host)).min(1.0),
            requests: hops(system, flow.initiator, flow.target, Class::NonPosted),
            answers: hops(system, flow.target, flow.initiator, Class::Completion),
        })
    }
}
