//! The recurrence of one flow: the max-plus system that its servers and token loops make, TLP by TLP.
//!
//! Each time is the greatest of a few earlier ones plus constants, so that following the flow's own TLPs in their
//! order is enough: there is no queue of events, and nothing else is looked at. A short volume is followed to
//! its end; a long one until the times repeat, and the rest is their slope.

use crate::path::flight_fs;
use crate::plan::Plan;
use crate::sink::{STATUS_PAGE, Sink};
use crate::stage::{Passage, Stage, send_through, send_through_beside};
use crate::timeline::{Mark, Middle, Run, Timeline};
use crate::tlps::{Piece, Tlp};
use std::collections::VecDeque;
use system::kinds::host::LINE_BYTES;

/// TLPs that are followed of a long volume, on a way of up to three hops.
const TLPS: usize = 6000;

/// Follows `plan`; `None` where a TLP can never go.
pub fn follow(plan: &Plan<'_>) -> Option<Run> {
    let per_piece = if plan.reads() { plan.completions(0, plan.most).count() } else { 1 };
    let budget = (3 * TLPS / plan.data.len().max(3) / per_piece.max(1)).max(16);
    let (most, mean) = (budget / 2, plan.cut.count().max(1.0));
    let followed = ((budget as f64 / mean.min(most as f64)) as u64).max(2).min(plan.commands);
    let mut engine = Engine::new(plan);
    let mut marks: Vec<Mark> = Vec::with_capacity(followed as usize);
    for number in 0..followed {
        let mut pieces: Vec<Piece> = plan.pieces(number).take(most + 1).collect();
        pieces.truncate(truncate(plan, &pieces, most));
        let mark = engine.command(&pieces, marks.last().map(|mark| mark.seen))?;
        marks.push(mark);
    }
    Timeline::new(plan, marks)?.run()
}

/// How many pieces of a command are followed: all, or up to a page's end.
fn truncate(plan: &Plan<'_>, pieces: &[Piece], most: usize) -> usize {
    if pieces.len() <= most {
        return pieces.len();
    }
    if let Some(at) = pieces[..most].iter().rposition(|p| plan.before_piece_fs(p.offset).is_some()) {
        return at;
    }
    let page_end = pieces[..most].iter().rposition(|p| p.opens_page).filter(|&at| at * 2 > most);
    page_end.unwrap_or(most)
}

/// The piece from whose predecessor the slopes of a command are taken: about its middle, the first of a page where
/// pages are waited for, and else a whole number of windows (what is in flight at once) from the end.
fn middle(plan: &Plan<'_>, pieces: &[Piece]) -> usize {
    let half = pieces.len() / 2;
    if let Some(at) = pieces[half..].iter().position(|p| plan.before_piece_fs(p.offset).is_some()) {
        return (half + at).max(1);
    }
    if plan.card.descriptor_wait.as_fs() > 0 {
        return pieces[half..].iter().position(|p| p.opens_page).map_or(half, |at| half + at).max(1);
    }
    let window = plan.window();
    let whole = pieces.len().saturating_sub(half) / window * window;
    if whole > 0 { (pieces.len() - whole).max(1) } else { half.max(1) }
}

/// What a request brought.
struct Answer {
    /// The first completion is through the core, and its payload.
    first: (f64, u64),
    /// The last one is.
    taken: f64,
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
    /// Requests that are not answered, and when the data of each is there.
    asked: VecDeque<(Piece, f64)>,
    data_there: f64,
    /// When the ACK of the last status write has left.
    acknowledged: f64,
    /// When the root port's pipeline of PIO can pass the next line.
    pipeline: f64,
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
            asked: VecDeque::new(),
            data_there: f64::NEG_INFINITY,
            acknowledged: 0.0,
            pipeline: 0.0,
        }
    }

    /// One command after the one before was seen to end at `seen`.
    fn command(&mut self, pieces: &[Piece], seen: Option<f64>) -> Option<Mark> {
        self.page_end = None;
        let before = seen.unwrap_or(0.0);
        let go = match (self.plan.by_software(), self.plan.flow.operation.is_pio()) {
            (true, _) => (before + self.plan.before_doorbell_fs()).max(self.acknowledged) + self.plan.doorbell_fs(),
            (false, _) => before,
        };
        if self.plan.by_software() {
            self.acknowledge_doorbell(go);
        }
        let mut mark = match (self.plan.reads(), self.plan.flow.operation.is_pio()) {
            (true, _) => self.reads(pieces, go, seen),
            (false, true) => self.stores(pieces, go),
            (false, false) => self.writes(pieces, go, seen),
        }?;
        if self.plan.by_software() {
            mark.seen = self.status(mark.seen)?;
        }
        Some(mark)
    }

    /// The ACK of a doorbell that the engine knows of at `known` goes the way of the card's own TLPs.
    fn acknowledge_doorbell(&mut self, known: f64) {
        let arrived = known - self.plan.card.rx_latency.as_fs() as f64;
        let own = if self.plan.reads() { self.requests.first_mut() } else { self.data.first_mut() };
        if let (Some(own), Some(last)) = (own, self.plan.doorbell.0.last()) {
            own.forward.charge(arrived + last.ack_after_fs(), true);
        }
    }

    fn command_latency(&self) -> f64 {
        self.plan.card.command_latency.as_fs() as f64
    }

    fn tx_latency(&self) -> f64 {
        self.plan.card.tx_latency.as_fs() as f64
    }

    /// A posted TLP of the flow, through to the sink: its passage.
    fn post(&mut self, ready: f64, tlp: &Tlp, address: (u64, u64)) -> Option<(Passage, f64)> {
        let passage = send_through_beside(&mut self.data, &mut self.requests, ready, tlp)?;
        let last = self.data.last_mut()?;
        let on = last.behind_cap(passage.arrived, tlp);
        let done =
            self.sink.take((passage.begun.max(on + passage.begun - passage.arrived), on), self.plan, address, tlp);
        last.freed(done, tlp);
        Some((passage, done))
    }

    /// The status write behind a command that ended at `end`: when software knows.
    fn status(&mut self, end: f64) -> Option<f64> {
        let (arrived, served) = match self.sink {
            Sink::Memory { .. } => {
                let (passage, served) = self.post(end, &self.plan.status.1.clone(), (STATUS_PAGE, 0))?;
                (passage.arrived, served)
            }
            _ => {
                let arrived = if self.plan.reads() { self.status_of_read(end) } else { self.status_aside(end)? };
                (arrived, self.plan.memory_fs(0, self.plan.status.1.payload) + arrived)
            }
        };
        self.acknowledged = arrived + self.plan.ack_before_doorbell_fs();
        if let (true, None, Some(down)) = (self.plan.reads(), &self.plan.target_card, self.data.first_mut()) {
            // It goes the way of the completions.
            down.forward.charge(arrived + self.plan.status.0.last()?.ack_after_fs(), true);
        }
        Some(self.plan.noticed(arrived, served) + self.plan.host.call_cost.as_fs() as f64)
    }

    /// Of a read: nothing is in its way.
    fn status_of_read(&self, end: f64) -> f64 {
        end + self.tx_latency() + flight_fs(&self.plan.status.0, &self.plan.status.1)
    }

    /// Of a write to another card: behind the data as far as their ways are one, then to the host alone.
    fn status_aside(&mut self, end: f64) -> Option<f64> {
        let (way, tlp) = &self.plan.status;
        let one = way.iter().zip(&self.data).take_while(|(a, b)| a.wire.direction == b.hop.wire.direction).count();
        let passage = send_through(&mut self.data[..one], end, tlp)?;
        let (Some(last), Some(next)) = (self.data[..one].last_mut(), way.get(one)) else {
            return Some(passage.arrived);
        };
        let first = passage.arrived - last.hop.tlp_time(tlp);
        let crossing = last.hop.crossing?;
        let on = crossing.ready(first, passage.arrived, next.tlp_time(tlp));
        let on = last.behind_cap(on, tlp);
        last.freed(on + next.tlp_time(tlp), tlp);
        Some(on + flight_fs(&way[one..], tlp))
    }

    /// When the first TLP of a command may start. A card that drives itself has decided ahead of time.
    fn gate(&self, go: f64, seen: Option<f64>) -> f64 {
        let ahead = !self.plan.by_software() && seen.is_some();
        go + self.command_latency() + if ahead { 0.0 } else { self.tx_latency() }
    }

    fn writes(&mut self, pieces: &[Piece], go: f64, seen: Option<f64>) -> Option<Mark> {
        let mut mark = Mark::default();
        let (middle, mut from) = (middle(self.plan, pieces), Middle::default());
        let (mut end, mut gate) = (go, self.gate(go, seen));
        if seen.is_none() || self.plan.by_software() {
            self.decided = self.decided.max(go + self.command_latency());
        }
        let mut before = 0.0;
        for (i, piece) in pieces.iter().enumerate() {
            let tlp = self.plan.data_tlp(piece.bytes);
            let core = self.plan.card.core_time(piece.bytes).as_fs() as f64;
            if let Some(after) = self.plan.before_piece_fs(piece.offset) {
                self.decided = self.decided.max(before + after);
            }
            let decided = self.room_in_fifo(piece.bytes, self.decided);
            before = decided;
            self.decided = decided + core;
            let ready = self.behind_page(piece, decided + self.tx_latency()).max(gate);
            gate = 0.0;
            let page = piece.offset / 4096;
            let (passage, done) = self.post(ready, &tlp, (page, piece.offset))?;
            self.queued.push_back((passage.sent, piece.bytes));
            self.queued_bytes += piece.bytes;
            end = passage.sent;
            self.page_end = Some(end);
            mark.note(i, middle, (done, passage.sent), piece, &mut from);
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
        let (middle, mut from) = (middle(self.plan, pieces), Middle::default());
        let (pio, host) = (self.plan.flow.operation.is_pio(), &self.plan.host);
        let before = if pio { host.pio_read_cost.as_fs() as f64 } else { self.tx_latency() };
        let after = if pio { 0.0 } else { self.plan.card.rx_latency.as_fs() as f64 };
        let go = if pio { go + host.pio_call_cost.as_fs() as f64 } else { go };
        let (mut known, mut gate) = (go, if pio { 0.0 } else { self.gate(go, seen) });
        self.decided = self.decided.max(go);
        let mut noted = 0;
        for piece in pieces {
            self.decided += self.plan.before_piece_fs(piece.offset).unwrap_or(0.0);
            while self.asked.len() as u64 >= self.plan.in_flight {
                known = self.answer_oldest(after, |answer, piece| {
                    note_answer(&mut mark, noted, middle, answer, piece, &mut from);
                    noted += 1;
                })?;
                self.decided = self.decided.max(known);
            }
            while self.lacks_space(piece.bytes) {
                if self.queued.is_empty() {
                    known = self.answer_oldest(after, |answer, piece| {
                        note_answer(&mut mark, noted, middle, answer, piece, &mut from);
                        noted += 1;
                    })?;
                }
                self.give_space();
            }
            let ready = self.behind_page(piece, self.decided + before).max(gate);
            gate = 0.0;
            self.ask(piece, ready)?;
        }
        while !self.asked.is_empty() {
            known = self.answer_oldest(after, |answer, piece| {
                note_answer(&mut mark, noted, middle, answer, piece, &mut from);
                noted += 1;
            })?;
        }
        mark.seen = known;
        Some(mark)
    }

    /// True where the completion buffer has no room for `bytes` more; one request may always be there.
    fn lacks_space(&self, bytes: u64) -> bool {
        self.plan.buffer.is_some_and(|buffer| self.queued_bytes > 0 && self.queued_bytes + bytes > buffer)
    }

    /// The space of the oldest completion that is known.
    fn give_space(&mut self) {
        if let Some((known, bytes)) = self.queued.pop_front() {
            self.decided = self.decided.max(known);
            self.queued_bytes -= bytes;
        }
    }

    /// Sends a request: its data is there at a known time from now on.
    fn ask(&mut self, piece: &Piece, ready: f64) -> Option<()> {
        let request = self.plan.request;
        // With nothing in flight, what the last answer calls for is known, and goes before the request.
        let beside: &mut [Stage] = if self.asked.is_empty() { &mut self.data } else { &mut [] };
        let passage = send_through_beside(&mut self.requests, beside, ready, &request)?;
        self.page_end = Some(passage.sent);
        let completer = &self.plan.completer;
        let there = (passage.arrived + completer.latency_fs).max(self.data_there + completer.gap_fs);
        self.data_there = there;
        if let Some(last) = self.requests.last_mut() {
            last.freed(there, &request);
        }
        if self.plan.buffer.is_some() {
            self.queued_bytes += piece.bytes;
        }
        self.asked.push_back((*piece, there));
        Some(())
    }

    /// The completions of the oldest request, each of which is known `after_fs` behind the core: when all are.
    fn answer_oldest(&mut self, after_fs: f64, note: impl FnOnce(&Answer, &Piece)) -> Option<f64> {
        let (piece, there) = self.asked.pop_front()?;
        let mut answer = Answer { first: (there, 0), taken: there, known: there };
        let plan = self.plan;
        for bytes in plan.completions(piece.offset, piece.bytes) {
            let (_, taken) = self.post(there, &plan.data_tlp(bytes), (0, 0))?;
            if answer.first.1 == 0 {
                answer.first = (taken, bytes);
            }
            (answer.taken, answer.known) = (taken, taken + after_fs);
            if plan.buffer.is_some() {
                self.queued.push_back((answer.known, bytes));
            }
        }
        note(&answer, &piece);
        Some(answer.known)
    }

    /// PIO writes: the CPU fills line buffers, the root port drains them.
    fn stores(&mut self, pieces: &[Piece], go: f64) -> Option<Mark> {
        let host = &self.plan.host;
        let (gap, restart) = (host.pio_gap.as_fs() as f64, host.pio_restart.as_fs() as f64);
        let (fill, buffers) = (host.pio_line_fill.as_fs() as f64, host.pio_buffers.0);
        let wire = self.plan.data.first().map(|hop| hop.wire.clone());
        let slot = |tlp: &Tlp| wire.as_ref().map_or(0.0, |wire| wire.start_to_start_fs(tlp.shape));
        let short = self.plan.cut.bytes.div_ceil(LINE_BYTES) <= buffers;
        let mut mark = Mark::default();
        let (middle, mut from) = (middle(self.plan, pieces), Middle::default());
        let mut cpu = go + host.pio_call_cost.as_fs() as f64;
        for (i, piece) in pieces.iter().enumerate() {
            while self.queued.len() as u64 >= buffers {
                cpu = cpu.max(self.queued.pop_front().map_or(0.0, |(sent, _)| sent));
            }
            cpu += fill * piece.bytes.div_ceil(8) as f64 / 8.0;
            let stall = if short && i == 0 { restart } else { 0.0 };
            let tlp = self.plan.data_tlp(piece.bytes);
            let ready = cpu.max(self.pipeline + stall);
            self.pipeline = ready + slot(&tlp) + gap;
            let (passage, done) = self.post(ready, &tlp, (0, 0))?;
            self.queued.push_back((passage.sent, piece.bytes));
            mark.note(i, middle, (done, passage.sent), piece, &mut from);
            mark.sent = passage.sent;
        }
        mark.seen = cpu;
        Some(mark)
    }
}

/// Notes the answer to piece `i`.
fn note_answer(mark: &mut Mark, i: usize, middle: usize, answer: &Answer, piece: &Piece, from: &mut Middle) {
    mark.note(i, middle, (answer.taken, answer.taken), piece, from);
    if i == 0 {
        mark.first = answer.first;
    }
}
