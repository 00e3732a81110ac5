//! A channel that reads: host memory to card, or another card's memory to this card.

use crate::command::Progress;
use crate::feed::Feed;
use crate::pop::pop_front_if;
use pcie::Time;
use sim::parts::{PartContext, Sent};
use std::collections::VecDeque;
use system::kinds::CardParams;
use system::{Drive, Wait};

/// A read request in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    born: Time,
    /// Bytes that have not arrived yet.
    bytes: u64,
}

/// A completion that has passed the core.
#[derive(Clone, Copy, Debug)]
struct Passed {
    known: Time,
    tag: u16,
    payload: u64,
    last: bool,
    /// True where it has waited for the core, or passed it more slowly than it arrived.
    core: bool,
}

/// See the module.
pub struct Reader {
    pub progress: Progress,
    /// Bytes of one read request.
    pub request: u64,
    /// Read requests in flight, at most.
    pub tags: u64,
    /// Bytes of buffer for requested data; `None` is unlimited.
    pub space: Option<u64>,
    in_flight: Vec<Request>,
    free_tags: Vec<u16>,
    used_tags: u64,
    asked: u64,
    /// Bytes known to the engine in all.
    arrived: u64,
    passed: VecDeque<Passed>,
    /// Requests whose last completion is among these.
    ending: u64,
    /// Why the next request could not be sent earlier.
    waited_for: Wait,
    /// What the next request waits for now.
    blocked_by: Wait,
    /// While the end of a page delays requests: from when on so many tags were free.
    allowed: VecDeque<(Time, u64)>,
    /// For an engine that overlaps commands: when it starts the next command, and for which time a wake-up is pending.
    not_before: Time,
    wakes_at: Time,
    /// How long a command keeps the engine, and until when the present one does.
    command_time: Time,
    command_free: Time,
}

impl Reader {
    pub fn new(progress: Progress, request: u64, tags: u64, params: &CardParams) -> Reader {
        let space = params.completion_buffer.0.map(|bytes| bytes.0);
        let command_time = params.read_command(progress.orders.command);
        Reader {
            progress,
            request,
            tags,
            space,
            in_flight: Vec::new(),
            free_tags: Vec::new(),
            used_tags: 0,
            asked: 0,
            arrived: 0,
            passed: VecDeque::new(),
            ending: 0,
            waited_for: Wait::Software,
            blocked_by: Wait::Software,
            allowed: VecDeque::new(),
            not_before: Time::ZERO,
            wakes_at: Time::ZERO,
            command_time,
            command_free: Time::ZERO,
        }
    }

    pub fn start(&mut self, context: &mut PartContext<'_>, params: &CardParams, feed: Option<&mut Feed>) {
        if self.progress.orders.drive == Drive::Card {
            self.doorbell(context, params, feed);
        }
    }

    /// A command starts.
    pub fn doorbell(&mut self, context: &mut PartContext<'_>, params: &CardParams, feed: Option<&mut Feed>) {
        self.begin(context, context.now() + params.command_latency + params.tx_latency);
        self.progress.post(context, params);
        self.pump(context, params, feed);
    }

    /// Begins a command whose first request is on the link at `gate` at the earliest.
    pub fn begin(&mut self, context: &PartContext<'_>, gate: Time) {
        let by = self.progress.next_command_by();
        self.progress.begin(gate, by, context.now());
        self.waited_for = by;
    }

    /// Decides nothing more before `time`.
    pub fn wait_until(&mut self, time: Time) {
        self.not_before = self.not_before.max(time);
    }

    /// Sends as many requests as tags, buffer space and descriptors allow. With a feed, the FIFO needs room for the
    /// data as well.
    pub fn pump(&mut self, context: &mut PartContext<'_>, params: &CardParams, mut feed: Option<&mut Feed>) {
        let page = params.page_bytes.0;
        if self.progress.awaits.is_some() {
            return;
        }
        loop {
            let bytes = self.progress.next_bytes(self.request, page);
            let room = self.space.is_none_or(|space| self.asked == 0 || self.asked + bytes <= space);
            let fed = feed.as_ref().is_none_or(|feed| feed.has_room_ahead(bytes, self.space.unwrap_or(0)));
            let translated = bytes > 0 && self.progress.is_translated(context, params);
            if !translated || !room || !fed || self.used_tags >= self.tags {
                self.allowed.clear();
                self.blocked_by = match () {
                    () if bytes == 0 => self.progress.next_command_by(),
                    () if !room || self.used_tags >= self.tags => Wait::Tags,
                    () if !fed => Wait::Core,
                    () => Wait::Memory,
                };
                return;
            }
            if context.now() < self.not_before {
                self.wake_at_next_command(context);
                return;
            }
            if let Some(feed) = &mut feed {
                feed.reserve(bytes);
            }
            let offset = self.progress.offset;
            let gated = params.descriptor_wait > Time::ZERO
                && offset + bytes < self.progress.until
                && ((offset + bytes) % self.progress.orders.command).is_multiple_of(page);
            let decided = self.decided_at(context.now()).max(self.not_before);
            self.ask(context, params, decided, bytes, gated);
            if gated {
                self.blocked_by = Wait::Tags;
                self.progress.awaits = Some(offset + bytes);
                if self.allowed.is_empty() {
                    self.allowed.push_back((decided, self.tags - self.used_tags));
                }
                return;
            }
        }
    }

    /// The engine has not reached the next command: asks for one wake-up at the time when it does.
    fn wake_at_next_command(&mut self, context: &mut PartContext<'_>) {
        if self.wakes_at != self.not_before {
            self.wakes_at = self.not_before;
            context.wake(self.progress.orders.flow, self.not_before);
        }
    }

    /// When the next request could be decided: now, or when its tag became free while the end of a page delayed it.
    fn decided_at(&mut self, now: Time) -> Time {
        while let Some((at, tags)) = self.allowed.front_mut() {
            if *tags > 0 {
                *tags -= 1;
                return *at;
            }
            self.allowed.pop_front();
        }
        now
    }

    fn ask(&mut self, context: &mut PartContext<'_>, params: &CardParams, decided: Time, bytes: u64, tell: bool) {
        let piped = decided + params.tx_latency;
        let gate = self.progress.gate;
        let ready = piped.max(gate);
        let by = if decided == self.not_before && decided > Time::ZERO { Wait::Command } else { self.waited_for };
        let then = match if gate > piped { self.progress.gate_by() } else { by } {
            // With more of it, or without it, the memory's time would not be waited for.
            by if by.is_of_requester() => by,
            _ => Wait::Memory,
        };
        let held = self.progress.held(ready, gate > piped, by, Some(then));
        // What a gate held was decided no sooner than it could leave.
        let born = decided.max(ready.saturating_sub(params.tx_latency));
        let of = self.progress.request(born, ready, held, tell);
        let tag = self.take_tag(Request { born, bytes });
        self.tell(context, decided);
        if self.command_time > Time::ZERO && self.progress.at_command_start() {
            self.command_free = decided + self.command_time;
        }
        let orders = &self.progress.orders;
        context.send(orders.exit.read(of, orders.address(self.progress.offset), bytes, tag));
        self.progress.advance(context, params, bytes);
        if let Some(latency) = self.progress.next_command(params) {
            self.not_before = decided + latency;
        }
        if params.read_request_time > Time::ZERO {
            self.not_before = self.not_before.max(decided + params.read_request_time);
        }
        if self.command_free > self.not_before && self.progress.at_command_start() {
            self.not_before = self.command_free;
        }
        self.asked += bytes;
    }

    /// Tells the trace how many requests are in flight.
    fn tell(&self, context: &mut PartContext<'_>, at: Time) {
        context.in_flight(self.progress.orders.flow, self.used_tags, at);
    }

    fn take_tag(&mut self, request: Request) -> u16 {
        self.used_tags += 1;
        match self.free_tags.pop() {
            Some(tag) => {
                self.in_flight[tag as usize] = request;
                tag
            }
            None => {
                self.in_flight.push(request);
                (self.in_flight.len() - 1) as u16
            }
        }
    }

    /// A completion has passed the core. The engine knows of it one latency later.
    pub fn passed(
        &mut self,
        context: &mut PartContext<'_>,
        params: &CardParams,
        tag: u16,
        payload: u32,
        last: bool,
        through: Time,
    ) {
        let request = self.in_flight.get_mut(tag as usize);
        let left = request.as_ref().and_then(|request| request.bytes.checked_sub(u64::from(payload)));
        let (Some(request), Some(left)) = (request, left.filter(|&left| (left == 0) == last)) else {
            return context.refuse(|| format!("it got {payload} bytes for tag {tag} that it has not asked for"));
        };
        request.bytes = left;
        let known = through + params.rx_latency;
        let core = through > context.now();
        self.passed.push_back(Passed { known, tag, payload: payload as u64, last, core });
        self.ending += u64::from(last);
        // Space without a free tag lets nothing go.
        if last || self.space.is_some() && self.used_tags < self.tags + self.ending {
            context.wake(self.progress.orders.flow, known);
        }
    }

    /// The engine learns of what has passed by now.
    pub fn known(&mut self, context: &mut PartContext<'_>, params: &CardParams, feed: Option<&mut Feed>) {
        let before = self.arrived;
        // What arrives ends the wait of the request that could not be made.
        let waits = self.blocked_by;
        self.waited_for = waits;
        while let Some(passed) = pop_front_if(&mut self.passed, |p| p.known <= context.now()) {
            self.asked -= passed.payload;
            self.arrived += passed.payload;
            if passed.last {
                // Its tag is late because of the core.
                self.waited_for = if passed.core && waits == Wait::Tags { Wait::Core } else { waits };
                let request = self.in_flight[passed.tag as usize];
                if !self.progress.orders.timed.is_by_command() {
                    context.timed(self.progress.orders.flow, context.now() - request.born);
                }
                self.free_tags.push(passed.tag);
                self.used_tags -= 1;
                self.ending -= 1;
                self.tell(context, context.now());
                if self.progress.awaits.is_some() {
                    self.allowed.push_back((context.now(), 1));
                }
            }
        }
        let ended = before < self.progress.until && self.arrived == self.progress.until;
        if ended && self.progress.at_command_end() {
            let status_ready = context.now() + params.tx_latency;
            if self.progress.ended(context, params, context.now(), status_ready) {
                self.progress.post(context, params);
            }
        }
        self.pump(context, params, feed);
    }

    /// A translation is known to the engine.
    pub fn translated(&mut self, context: &mut PartContext<'_>, params: &CardParams, feed: Option<&mut Feed>) {
        self.waited_for = Wait::Memory;
        self.pump(context, params, feed);
    }

    /// True where all data of what the engine was given has arrived.
    pub fn has_all(&self) -> bool {
        self.progress.at_command_end() && self.arrived == self.progress.until
    }

    /// The last request of a page starts to leave.
    pub fn sent(&mut self, context: &mut PartContext<'_>, params: &CardParams, sent: Sent, feed: Option<&mut Feed>) {
        self.progress.awaits = None;
        self.progress.wait_for_descriptor(sent.end + params.descriptor_wait);
        self.pump(context, params, feed);
    }
}
