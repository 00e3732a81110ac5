//! What bounds a flow's rate while it streams: each server by its service, each loop of tokens by its latency.

use crate::load::{Load, refreshes};
use crate::path::Hop;
use crate::place::{By, Place};
use crate::plan::Plan;
use pcie::credit::data_credits;
use pcie::{Class, dllp};
use system::cause::Pool;
use system::graph::Direction;
use system::{Cause, Wait};

/// One bound.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The least time for each byte of payload.
    pub fs_per_byte: f64,
    /// The same where all that this bound waits for comes as late as it may: the timers of ACK and UpdateFC.
    pub at_worst: f64,
    /// Of a direction: DLLPs behind each TLP.
    pub dllps: f64,
    /// What the payload's direction waits for under this bound; `None` where that direction is full itself.
    pub wait: Option<Wait>,
    /// Who.
    pub by: By,
}

impl Bound {
    /// True where a direction is full of the flow's payload.
    pub fn is_wire(&self) -> bool {
        matches!(self.wait, None | Some(Wait::Arbitration))
    }
}

/// Collects bounds of one flow.
struct Bounds<'a, 'p> {
    plan: &'a Plan<'p>,
    loads: &'a [Load],
    /// Mean payload of a TLP, and of a request.
    payload: f64,
    request: f64,
    all: Vec<Bound>,
}

/// True where a core takes the payload: it begins with the first symbol.
fn plan_core(plan: &Plan<'_>) -> bool {
    plan.reads() || plan.target_card.is_some()
}

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// All bounds of `plan`, whose loads are `loads`, the tightest first.
pub fn bounds(plan: &Plan<'_>, loads: &[Load]) -> Vec<Bound> {
    let tlps: f64 = loads.first().map_or(0.0, Load::tlps);
    let payload = if tlps > 0.0 { 1.0 / tlps } else { 1.0 };
    let request = plan.cut.bytes as f64 / plan.cut.count().max(1.0);
    let mut bounds = Bounds { plan, loads, payload, request, all: Vec::new() };
    bounds.wires();
    bounds.caps();
    bounds.ends();
    for (i, _) in plan.data.iter().enumerate() {
        bounds.credits(i);
        bounds.replay(i);
    }
    match (plan.reads(), plan.flow.operation.is_pio()) {
        (true, _) => bounds.requests(),
        (false, true) => bounds.stores(),
        (false, false) => bounds.engine(),
    }
    bounds.commands();
    bounds.servers();
    bounds.all.sort_by(|a, b| b.fs_per_byte.total_cmp(&a.fs_per_byte));
    bounds.all
}

/// DLLPs behind each TLP of `load`, for what `others` bring the other way, where a byte of payload takes
/// `fs_per_byte`.
pub fn dllps_behind(load: &Load, others: &[Load], fs_per_byte: f64) -> f64 {
    let reverse = Direction { up: !load.wire.direction.up, ..load.wire.direction };
    let per_byte: f64 = (others.iter().filter(|other| other.wire.direction == reverse))
        .map(|other| other.tlps() * other.dllps_back(fs_per_byte / other.tlps()))
        .sum();
    let refresh = refreshes(&load.hop) * fs_per_byte;
    let owed = (per_byte + refresh) / load.tlps().max(1e-12);
    owed.min(2.0 + refresh)
}

impl Bounds<'_, '_> {
    fn add(&mut self, fs_per_byte: f64, place: Place, cause: Cause) {
        self.add_late(fs_per_byte, fs_per_byte, place, cause);
    }

    fn add_late(&mut self, fs_per_byte: f64, at_worst: f64, place: Place, cause: Cause) {
        if fs_per_byte > 0.0 && fs_per_byte.is_finite() {
            let by = By { place, cause, shared: false };
            self.all.push(Bound { fs_per_byte, at_worst, dllps: 0.0, wait: Some(cause.wait()), by });
        }
    }

    /// Each direction, full.
    fn wires(&mut self) {
        let loads = self.loads;
        let fullest = loads.iter().filter(|l| !l.data.is_empty()).map(|l| l.full_fs(0.0)).fold(0.0, f64::max);
        for (i, load) in loads.iter().enumerate() {
            let once = load.full_fs(dllps_behind(load, loads, fullest.max(load.full_fs(0.0))));
            let dllps = dllps_behind(load, loads, once.max(fullest));
            let full = load.full_fs(dllps);
            let speed = load.wire.speed;
            let asks = load.data.is_empty();
            let cause = if asks { Cause::ReadRequests(speed) } else { Cause::Transmit(speed) };
            self.add(full, Place::Way(i), cause);
            // A direction without TLPs has no bound.
            if let Some(bound) = self.all.last_mut().filter(|bound| bound.by.place == Place::Way(i)) {
                bound.dllps = dllps;
                bound.wait = bound.wait.filter(|_| asks || full < fullest);
            }
        }
    }

    /// Caps of ports.
    fn caps(&mut self) {
        for (i, hop) in self.plan.data.iter().enumerate() {
            for (cap, port) in [(hop.cap_before, Place::Before(i)), (hop.cap_behind, Place::Behind(i))] {
                self.add(cap, port, Cause::Port(Some(pcie::Rate(1e15 / cap))));
            }
        }
    }

    /// Memory, or the core that takes the payload.
    fn ends(&mut self) {
        let plan = self.plan;
        let per_byte = 1.0 / plan.cut.bytes as f64;
        let card = if plan.reads() { Some(&plan.card) } else { plan.target_card.as_ref() };
        if plan.flow.operation.is_pio() {
            return;
        }
        if let Some(card) = card {
            let core = fs(card.core_time(self.payload.round() as u64)) / self.payload;
            self.add(core, self.taker(), Cause::Core);
        } else {
            let pieces: f64 = plan.cut.sizes.iter().map(|&(size, n)| n * plan.memory_fs(0, size)).sum();
            let pages = fs(plan.host.page_service) * plan.cut.entered;
            self.add((pieces + pages) * per_byte, Place::Host, Cause::Writes);
        }
    }

    /// The card that takes the payload.
    fn taker(&self) -> Place {
        if self.plan.target_card.is_some() && !self.plan.reads() { Place::Target } else { Place::Card }
    }

    /// The time from the start of a TLP on hop `i` to the time that its credits are free.
    fn freed_fs(&self, i: usize) -> f64 {
        let tlp = self.plan.data_tlp(self.payload.round() as u64);
        let hop = &self.plan.data[i];
        let last = hop.wire.propagation_fs + hop.tlp_time(&tlp);
        match (hop.crossing, self.plan.data.get(i + 1)) {
            (Some(crossing), Some(next)) => {
                crossing.ready(hop.wire.propagation_fs, last, next.tlp_time(&tlp)) + next.tlp_time(&tlp)
            }
            _ if plan_core(self.plan) => last + (self.service_fs() - hop.tlp_time(&tlp)).max(0.0),
            _ => last + self.service_fs(),
        }
    }

    /// What memory or a core takes for a TLP.
    fn service_fs(&self) -> f64 {
        let (plan, bytes) = (self.plan, self.payload.round() as u64);
        match (plan.flow.operation.is_pio(), plan.reads(), &plan.target_card) {
            (true, ..) => 0.0,
            (_, true, _) => fs(plan.card.core_time(bytes)),
            (_, _, Some(card)) => fs(card.core_time(bytes)),
            _ => plan.memory_fs(0, bytes),
        }
    }

    fn dllp_back_fs(hop: &Hop) -> f64 {
        let bytes = if hop.back.dllp_bytes == 0 { 0 } else { dllp::WIRE_BYTES };
        hop.back.time(bytes as f64) + hop.back.propagation_fs
    }

    fn credits(&mut self, i: usize) {
        let hop = &self.plan.data[i];
        let by_headers = hop.credits.header.map(|h| (h as f64 * self.payload, Pool::Header));
        let need = data_credits(self.payload.round() as u64).max(1) as f64;
        let by_data = hop.credits.data.map(|d| ((d as f64 / need).floor() * self.payload, Pool::Data));
        let round = self.freed_fs(i) + Self::dllp_back_fs(hop);
        let class = if self.plan.reads() { Class::Completion } else { Class::Posted };
        for (bytes, pool) in [by_headers, by_data].into_iter().flatten() {
            let late = (round + hop.update_timer_fs) / bytes;
            self.add_late(round / bytes, late, Place::Way(i), Cause::Credits(class, pool));
        }
    }

    fn replay(&mut self, i: usize) {
        let (hop, tlp) = (&self.plan.data[i], self.plan.data_tlp(self.payload.round() as u64));
        let Some(tlps) = hop.replay_tlps(&tlp) else { return };
        let round = hop.tlp_time(&tlp) + hop.wire.propagation_fs + Self::dllp_back_fs(hop);
        let held = tlps as f64 * self.payload;
        let late = (round + hop.ack_timer_fs) / held;
        self.add_late(round / held, late, Place::Way(i), Cause::Replay);
    }

    /// What holds back a card's writes: its core, its FIFO, its descriptors.
    fn engine(&mut self) {
        let (plan, bytes) = (self.plan, self.payload.round() as u64);
        self.add(fs(plan.card.core_time(bytes)) / self.payload, Place::Card, Cause::Core);
        if let Some(hop) = plan.data.first() {
            let tlp = plan.data_tlp(bytes);
            let held = (plan.card.fifo.0 / bytes.max(1)).max(1) as f64 * self.payload;
            let round = fs(plan.card.tx_latency) + hop.tlp_time(&tlp);
            self.add(round / held, Place::Card, Cause::Fifo);
            let slot = self.loads.first().map_or(0.0, |load| load.full_fs(0.0));
            self.pages(slot);
        }
    }

    /// What an engine that begins with a command while the one before is on its way takes for each.
    fn commands(&mut self) {
        let Some((bytes, latency)) = self.plan.next_command else { return };
        let reads = self.plan.reads();
        let core = if reads { 0.0 } else { fs(self.plan.card.core_time(self.payload.round() as u64)) };
        let per_byte = core / self.payload + (latency - core).max(0.0) / bytes as f64;
        self.add(per_byte, Place::Card, Cause::CommandStart(pcie::Bytes(bytes)));
    }

    /// What the kinds of the parts at the ends bring.
    fn servers(&mut self) {
        for (there, server) in &self.plan.servers {
            let place = if *there && !self.plan.flow.operation.is_pio() { Place::Target } else { Place::Card };
            self.add(1e15 / server.rate.0, place, server.cause);
        }
    }

    /// A wait for each page on top of `streaming` time for each byte.
    fn pages(&mut self, streaming: f64) {
        let wait = fs(self.plan.card.descriptor_wait) * (self.plan.cut.pages - 1.0).max(0.0);
        if wait > 0.0 {
            let cause = Cause::Descriptors(self.plan.card.descriptor_wait);
            self.add(streaming + wait / self.plan.cut.bytes as f64, Place::Card, cause);
        }
    }

    /// What holds back read requests: tags, space, the completer.
    fn requests(&mut self) {
        let plan = self.plan;
        let round = crate::latency::round_trip_fs(plan);
        let requests = plan.in_flight as f64;
        let (who, cause) = match plan.flow.operation.is_pio() {
            true => (Place::Host, Cause::Loads(plan.in_flight)),
            false => (Place::Card, Cause::Requests(plan.in_flight)),
        };
        self.add(round / (requests * self.request), who, cause);
        if let Some(buffer) = plan.buffer {
            let held = (buffer as f64).max(self.request);
            self.add(round / held, Place::Card, Cause::CompletionSpace);
        }
        self.add(plan.completer.gap_fs / self.request, Place::Host, Cause::ReadGap);
        for (i, hop) in plan.requests.iter().enumerate() {
            if let Some(headers) = hop.credits.header {
                let round = hop.tlp_time(&plan.request) + hop.wire.propagation_fs + Self::dllp_back_fs(hop);
                let place = Place::Way(plan.data.len() + i);
                let held = headers as f64 * self.request;
                let late = (round + plan.completer.latency_fs + hop.update_timer_fs) / held;
                self.add_late(round / held, late, place, Cause::Credits(Class::NonPosted, Pool::Header));
            }
        }
        self.pages(0.0);
    }

    /// What holds back PIO writes: the CPU, its line buffers, the gap at the root port.
    fn stores(&mut self) {
        let (plan, host) = (self.plan, &self.plan.host);
        let bytes = self.payload;
        let fill = fs(host.pio_line_fill) * (bytes / 8.0).ceil() / 8.0;
        let call = fs(host.pio_call_cost) / plan.cut.bytes as f64;
        self.add(fill / bytes + call, Place::Host, Cause::Stores);
        let Some(hop) = plan.data.first() else { return };
        let tlp = plan.data_tlp(bytes.round() as u64);
        let short = plan.cut.count() <= host.pio_buffers.0 as f64;
        let restart = if short { fs(host.pio_restart) / plan.cut.bytes as f64 } else { 0.0 };
        let slot = hop.wire.start_to_start_fs(tlp.shape);
        let drain = (slot + fs(host.pio_gap)) / bytes + restart;
        self.add(drain, Place::Host, Cause::Drain);
    }
}
