//! The recurrence of one flow: the max-plus system that its servers and token loops make, TLP by TLP.
//!
//! Each time is the greatest of a few earlier ones plus constants, so that following the flow's own TLPs in their
//! order is enough: there is no queue of events, and nothing else is looked at. A short volume is followed to
//! its end; a long one until the times repeat, and the rest is their slope.

use crate::path::flight_fs;
use crate::plan::Plan;
use crate::sink::{STATUS_PAGE, Sink};
use crate::stage::{Passage, Stage, Tlp, send_through};
use crate::tlps::Piece;
use std::collections::VecDeque;
use system::Operation;

/// What following a flow showed, in femtoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Payload bytes a femtosecond at the receiving end, last symbol to last symbol.
    pub stream: f64,
    /// From the barrier to the last end seen.
    pub seen: f64,
}

/// The times of one command.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// The first TLP's last symbol at the receiving end, and its payload.
    first: (f64, u64),
    /// The last TLP's.
    last: f64,
    /// The end, as whoever starts the next command sees it.
    seen: f64,
    /// From its middle on, fs a byte.
    slope: f64,
    /// Bytes that were followed.
    bytes: u64,
}

/// TLPs that are followed of a long volume.
const TLPS: usize = 6000;

/// Follows `plan`; `None` where a TLP can never go.
pub fn follow(plan: &Plan<'_>) -> Option<Run> {
    let per_piece = if plan.reads() { plan.completions(0, plan.most).count() } else { 1 };
    let budget = (TLPS / per_piece.max(1)).max(16);
    let (most, mean) = (budget / 2, plan.cut.count().max(1.0));
    let followed = ((budget as f64 / mean.min(most as f64)) as u64).max(3).min(plan.commands);
    let mut engine = Engine::new(plan);
    let mut marks: Vec<Mark> = Vec::with_capacity(followed as usize);
    for number in 0..followed {
        let mut pieces: Vec<Piece> = plan.pieces(number).take(most + 1).collect();
        pieces.truncate(truncate(&pieces, most));
        let mark = engine.command(&pieces, marks.last().map(|mark| mark.seen))?;
        marks.push(mark);
    }
    Timeline::new(plan, marks)?.run()
}

/// When each command's data arrives, those that were not followed included.
struct Timeline {
    marks: Vec<Mark>,
    commands: u64,
    bytes: f64,
    /// From one command to the next, in the long run, as followed.
    cycle: f64,
    /// What a command takes longer than was followed of it.
    more: f64,
}

impl Timeline {
    fn new(plan: &Plan<'_>, marks: Vec<Mark>) -> Option<Timeline> {
        let (last, half) = (*marks.last()?, marks.len() / 2);
        let from = marks.get(half.saturating_sub(1)).filter(|_| marks.len() > 1);
        let cycle = from.map_or(0.0, |from| (last.seen - from.seen) / (marks.len() - half) as f64);
        let bytes = plan.cut.bytes as f64;
        let more = (bytes - last.bytes as f64) * last.slope;
        Some(Timeline { marks, commands: plan.commands, bytes, cycle, more })
    }

    /// The mark of command `number`, on the time of the whole volume.
    fn mark(&self, number: u64) -> Option<Mark> {
        let followed = (self.marks.len() as u64).min(number + 1);
        let mut mark = *self.marks.get(followed as usize - 1)?;
        let beyond = (number + 1 - followed) as f64 * self.cycle;
        let shift = beyond + number as f64 * self.more;
        mark.first.0 += shift;
        mark.last += shift + self.more;
        mark.seen += shift + self.more;
        Some(mark)
    }

    /// When `share` of command `number`'s bytes are there.
    fn there(&self, number: u64, share: f64) -> Option<f64> {
        let mark = self.mark(number)?;
        let begun = mark.first.1 as f64 / self.bytes;
        let part = if begun < 1.0 { ((share - begun) / (1.0 - begun)).max(0.0) } else { 1.0 };
        Some(mark.first.0 + part * (mark.last - mark.first.0))
    }

    /// The rate behind the first tenth of the volume, as it is measured.
    fn run(&self) -> Option<Run> {
        let end = self.mark(self.commands - 1)?;
        let warm = self.commands as f64 / WARM_UP;
        let mut open = ((warm.ceil() - 1.0) as u64, 1.0 - (warm.ceil() - warm));
        let first = self.mark(0)?;
        let begun = first.first.1 as f64 / self.bytes;
        if open.0 == 0 {
            open.1 = open.1.max(begun);
        }
        let (mut left, mut span) = (self.commands as f64 - open.0 as f64 - open.1, end.last - self.there(open.0, open.1)?);
        if span <= 0.0 {
            (left, span) = (self.commands as f64, end.seen);
        }
        Some(Run { stream: left * self.bytes / span.max(1.0), seen: end.seen })
    }
}

/// The first tenth of a volume is not measured.
const WARM_UP: f64 = 10.0;

/// How many pieces of a command are followed: all, or up to a page's end.
fn truncate(pieces: &[Piece], most: usize) -> usize {
    if pieces.len() <= most {
        return pieces.len();
    }
    let page_end = pieces[..most].iter().rposition(|p| p.opens_page).filter(|&at| at * 2 > most);
    page_end.unwrap_or(most)
}

/// The piece from whose predecessor the slope of a command is taken: the first of a page about its middle.
fn middle(pieces: &[Piece]) -> usize {
    let half = pieces.len() / 2;
    pieces[half..].iter().position(|p| p.opens_page).map_or(half, |at| half + at).max(1)
}

/// What a request brought.
struct Answer {
    /// The last symbol of the first completion, and its payload.
    first: (f64, u64),
    /// The last symbol of the last one.
    arrived: f64,
    /// When whoever asked has all of it.
    known: f64,
}

/// Everything that holds a flow's TLPs back.
struct Engine<'a, 'p> {
    plan: &'a Plan<'p>,
    data: Vec<Stage>,
    requests: Vec<Stage>,
    sink: Sink,
    decided: f64,
    page_end: Option<f64>,
    /// Payload in the FIFO, in line buffers, in the completion buffer: when each leaves, and its bytes.
    queued: VecDeque<(f64, u64)>,
    queued_bytes: u64,
    /// Requests in flight: when each is over.
    flying: VecDeque<f64>,
    data_there: f64,
    memory_free: f64,
}

impl<'a, 'p> Engine<'a, 'p> {
    fn new(plan: &'a Plan<'p>) -> Engine<'a, 'p> {
        let stages = |hops: &[crate::path::Hop]| hops.iter().map(|h| Stage::new(h, plan.reads())).collect();
        let sink = match (plan.reads(), plan.flow.operation.is_pio(), &plan.target_card) {
            (_, true, _) => Sink::Register,
            (true, ..) => Sink::core(&plan.card),
            (false, _, Some(card)) => Sink::core(card),
            (false, _, None) => Sink::memory(),
        };
        Engine {
            plan,
            data: stages(&plan.data),
            requests: stages(&plan.requests),
            sink,
            decided: 0.0,
            page_end: None,
            queued: VecDeque::new(),
            queued_bytes: 0,
            flying: VecDeque::new(),
            data_there: f64::NEG_INFINITY,
            memory_free: 0.0,
        }
    }

    /// One command after the one before was seen to end at `seen`.
    fn command(&mut self, pieces: &[Piece], seen: Option<f64>) -> Option<Mark> {
        self.page_end = self.page_end.filter(|_| self.plan.flow.operation.is_pio());
        let before = seen.unwrap_or(0.0);
        let go = match (self.plan.by_software(), self.plan.flow.operation.is_pio()) {
            (true, _) => before + self.plan.before_doorbell_fs() + self.plan.doorbell_fs(),
            (false, _) => before,
        };
        let mut mark = match self.plan.flow.operation {
            Operation::PioWrite => self.stores(pieces, go),
            _ if self.plan.reads() => self.reads(pieces, go, seen),
            _ => self.writes(pieces, go, seen),
        }?;
        if self.plan.by_software() {
            mark.seen = self.status(mark.seen)?;
        }
        Some(mark)
    }

    fn command_latency(&self) -> f64 {
        self.plan.card.command_latency.as_fs() as f64
    }

    fn tx_latency(&self) -> f64 {
        self.plan.card.tx_latency.as_fs() as f64
    }

    /// A posted TLP of the flow, through to the sink: its passage.
    fn post(&mut self, ready: f64, tlp: &Tlp, address: (u64, u64)) -> Option<(Passage, f64)> {
        let passage = send_through(&mut self.data, ready, tlp)?;
        let last = self.data.last_mut()?;
        let on = last.behind_cap(passage.arrived, tlp);
        let done = self.sink.take(on, self.plan, address, tlp);
        last.freed(done, tlp);
        Some((passage, done))
    }

    /// The status write behind a command that ended at `end`: when software knows.
    fn status(&mut self, end: f64) -> Option<f64> {
        let tlp = self.plan.status.1;
        let in_memory = if matches!(self.sink, Sink::Memory { .. }) {
            self.post(end, &tlp, (STATUS_PAGE, 0))?.1
        } else {
            let delay = if self.plan.reads() { self.tx_latency() } else { 0.0 };
            let arrived = end + delay + flight_fs(&self.plan.status.0, tlp.wire);
            let page = self.plan.host.page_service.as_fs() as f64;
            self.memory_free = self.memory_free.max(arrived) + self.plan.memory_fs(0, tlp.payload) + page;
            self.memory_free
        };
        Some(in_memory + self.plan.notice_fs())
    }

    /// When the first TLP of a command may start. A card that drives itself has decided ahead of time.
    fn gate(&self, go: f64, seen: Option<f64>) -> f64 {
        let ahead = !self.plan.by_software() && seen.is_some();
        go + self.command_latency() + if ahead { 0.0 } else { self.tx_latency() }
    }

    fn writes(&mut self, pieces: &[Piece], go: f64, seen: Option<f64>) -> Option<Mark> {
        let mut mark = Mark::default();
        let (middle, mut from) = (middle(pieces), (0.0, 0));
        let (mut end, mut gate) = (go, self.gate(go, seen));
        if seen.is_none() || self.plan.by_software() {
            self.decided = self.decided.max(go + self.command_latency());
        }
        for (i, piece) in pieces.iter().enumerate() {
            let tlp = self.plan.data_tlp(piece.bytes);
            let core = self.plan.card.core_time(piece.bytes).as_fs() as f64;
            let decided = self.room_in_fifo(piece.bytes, self.decided);
            self.decided = decided + core;
            let ready = self.behind_page(piece, decided + self.tx_latency()).max(gate);
            gate = 0.0;
            let page = piece.offset / 4096;
            let (passage, _) = self.post(ready, &tlp, (page, piece.offset))?;
            self.queued.push_back((passage.sent, piece.bytes));
            self.queued_bytes += piece.bytes;
            end = passage.sent;
            self.page_end = Some(end);
            mark.note(i, middle, passage.arrived, piece, &mut from);
        }
        mark.seen = end;
        Some(mark)
    }

    /// When `bytes` more have room in the FIFO, from `time` on.
    fn room_in_fifo(&mut self, bytes: u64, mut time: f64) -> f64 {
        let fifo = self.plan.card.fifo.0;
        while let Some(&(sent, each)) = self.queued.front() {
            if self.queued_bytes + bytes <= fifo {
                break;
            }
            time = time.max(sent);
            self.queued_bytes -= each;
            self.queued.pop_front();
        }
        time
    }

    /// The first TLP (or request) of a page waits for its descriptor.
    fn behind_page(&self, piece: &Piece, ready: f64) -> f64 {
        match self.page_end {
            Some(end) if piece.opens_page => ready.max(end + self.plan.card.descriptor_wait.as_fs() as f64),
            _ => ready,
        }
    }

    fn reads(&mut self, pieces: &[Piece], go: f64, seen: Option<f64>) -> Option<Mark> {
        let mut mark = Mark::default();
        let (middle, mut from) = (middle(pieces), (0.0, 0));
        let pio = self.plan.flow.operation.is_pio();
        let (tx, rx) = if pio { (0.0, 0.0) } else { (self.tx_latency(), self.plan.card.rx_latency.as_fs() as f64) };
        let after = if pio { self.plan.host.pio_read_cost.as_fs() as f64 } else { 0.0 };
        let (mut known, mut gate) = (go, if pio { 0.0 } else { self.gate(go, seen) });
        self.decided = self.decided.max(go);
        for (i, piece) in pieces.iter().enumerate() {
            let decided = self.room_in_flight(piece.bytes);
            self.decided = decided;
            let ready = self.behind_page(piece, decided + tx).max(gate);
            gate = 0.0;
            let answer = self.request(piece, ready, rx + after)?;
            known = answer.known;
            self.flying.push_back(known);
            mark.note(i, middle, answer.arrived, piece, &mut from);
            if i == 0 {
                mark.first = answer.first;
            }
        }
        mark.seen = known;
        Some(mark)
    }

    /// When `bytes` more may be asked for, no sooner than the request before.
    fn room_in_flight(&mut self, bytes: u64) -> f64 {
        let mut time = self.decided;
        while self.flying.len() as u64 >= self.plan.in_flight {
            time = time.max(self.flying.pop_front().unwrap_or(0.0));
        }
        let Some(buffer) = self.plan.buffer else { return time };
        while self.queued_bytes > 0 && self.queued_bytes + bytes > buffer {
            let Some((known, each)) = self.queued.pop_front() else { break };
            time = time.max(known);
            self.queued_bytes -= each;
        }
        time
    }

    /// A request and its completions, each of which is known `after_fs` behind the core.
    fn request(&mut self, piece: &Piece, ready: f64, after_fs: f64) -> Option<Answer> {
        let request = self.plan.request;
        let passage = send_through(&mut self.requests, ready, &request)?;
        self.page_end = Some(passage.sent);
        let completer = &self.plan.completer;
        let there = (passage.arrived + completer.latency_fs).max(self.data_there + completer.gap_fs);
        self.data_there = there;
        if let Some(last) = self.requests.last_mut() {
            last.freed(there, &request);
        }
        let mut answer = Answer { first: (there, 0), arrived: there, known: there };
        let plan = self.plan;
        for bytes in plan.completions(piece.offset, piece.bytes) {
            self.mirror(there);
            let (passage, taken) = self.post(there, &plan.data_tlp(bytes), (0, 0))?;
            if answer.first.1 == 0 {
                answer.first = (passage.arrived, bytes);
            }
            (answer.arrived, answer.known) = (passage.arrived, taken + after_fs);
            if plan.buffer.is_some() {
                self.queued.push_back((answer.known, bytes));
                self.queued_bytes += bytes;
            }
        }
        Some(answer)
    }

    /// Lets each direction carry the DLLPs that the other one's TLPs call for.
    fn mirror(&mut self, now: f64) {
        let hops = self.data.len();
        for (i, stage) in self.data.iter_mut().enumerate() {
            let request = &mut self.requests[hops - 1 - i];
            request.place_dllps(now.max(stage.forward.free_fs()));
            for start in request.mirrored.iter_mut().flat_map(|starts| starts.drain(..)) {
                stage.forward.charge(start);
            }
            for start in stage.mirrored.iter_mut().flat_map(|starts| starts.drain(..)) {
                request.forward.charge(start);
            }
        }
    }

    /// PIO writes: the CPU fills line buffers, the root port drains them.
    fn stores(&mut self, pieces: &[Piece], go: f64) -> Option<Mark> {
        let host = &self.plan.host;
        let (gap, restart) = (host.pio_gap.as_fs() as f64, host.pio_restart.as_fs() as f64);
        let (fill, buffers) = (host.pio_line_fill.as_fs() as f64, host.pio_buffers.0);
        let short = pieces.len() as u64 <= buffers;
        let mut mark = Mark::default();
        let (middle, mut from) = (middle(pieces), (0.0, 0));
        let mut cpu = go + host.pio_call_cost.as_fs() as f64;
        for (i, piece) in pieces.iter().enumerate() {
            while self.queued.len() as u64 >= buffers {
                cpu = cpu.max(self.queued.pop_front().map_or(0.0, |(sent, _)| sent));
            }
            cpu += fill * piece.bytes.div_ceil(8) as f64 / 8.0;
            let stall = if short && i == 0 { restart } else { 0.0 };
            let ready = cpu.max(self.page_end.map_or(0.0, |end| end + gap)) + stall;
            let (passage, _) = self.post(ready, &self.plan.data_tlp(piece.bytes), (0, 0))?;
            self.queued.push_back((passage.sent, piece.bytes));
            self.page_end = Some(passage.sent);
            mark.note(i, middle, passage.arrived, piece, &mut from);
            mark.last = passage.arrived;
        }
        mark.seen = cpu;
        Some(mark)
    }
}

impl Mark {
    /// Piece `i` arrived; from the one before `middle` on the slope is taken.
    fn note(&mut self, i: usize, middle: usize, arrived: f64, piece: &Piece, from: &mut (f64, u64)) {
        if i == 0 {
            self.first = (arrived, piece.bytes);
        }
        if i + 1 == middle {
            *from = (arrived, piece.offset + piece.bytes);
        }
        (self.last, self.bytes) = (arrived, self.bytes + piece.bytes);
        if i >= middle {
            self.slope = (arrived - from.0) / (piece.offset + piece.bytes - from.1) as f64;
        }
    }
}
