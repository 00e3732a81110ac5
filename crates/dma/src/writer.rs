//! A channel that writes: card to host, or card to card.

use crate::command::Progress;
use crate::feed::Feed;
use pcie::Time;
use sim::parts::{Decided, Fifo, Label, PartContext, Payload, Purpose, Sent, patterns as pattern};
use system::kinds::CardParams;
use system::{Drive, Wait};

/// See the module.
pub struct Writer {
    pub progress: Progress,
    /// Payload bytes of one TLP.
    pub payload: u64,
    /// When the engine can decide the next TLP.
    engine_free: Time,
    /// When the last TLP was decided.
    pub last_decided: Time,
    /// True where the command latency is the reason for `engine_free`.
    commands_hold: bool,
    /// How long a command keeps the engine, and until when the present one does.
    command_time: Time,
    command_free: Time,
    /// Payload bytes decided whose last symbol has not left, and when each TLP that has started will have left.
    in_fifo: u64,
    leaving: Fifo<(Time, u64)>,
}

impl Writer {
    pub fn new(progress: Progress, payload: u64, params: &CardParams) -> Writer {
        Writer {
            command_time: params.write_command(progress.orders.command),
            progress,
            payload,
            command_free: Time::ZERO,
            engine_free: Time::ZERO,
            last_decided: Time::ZERO,
            commands_hold: false,
            in_fifo: 0,
            leaving: Fifo::default(),
        }
    }

    pub fn start(&mut self, context: &mut PartContext<'_>, params: &CardParams, feed: Option<&mut Feed>) {
        if self.progress.orders.drive == Drive::Card {
            self.doorbell(context, params, feed);
        }
    }

    /// A command starts.
    pub fn doorbell(&mut self, context: &mut PartContext<'_>, params: &CardParams, feed: Option<&mut Feed>) {
        let decided = context.now() + params.command_latency;
        self.begin(context, params, decided);
        self.progress.post(context, params);
        self.pump(context, params, feed);
    }

    /// Begins a command whose first TLP is decided at `decided` at the earliest.
    pub fn begin(&mut self, context: &PartContext<'_>, params: &CardParams, decided: Time) {
        self.engine_free = self.engine_free.max(decided);
        let by = self.progress.next_command_by();
        self.progress.begin(decided + params.tx_latency, by, context.now());
    }

    /// Decides nothing more before `time`.
    pub fn wait_until(&mut self, time: Time) {
        self.engine_free = self.engine_free.max(time);
    }

    /// Descriptors, or bytes to send on, are known to the engine.
    pub fn supplied(&mut self, context: &mut PartContext<'_>, params: &CardParams, feed: Option<&mut Feed>) {
        self.wait_until(context.now());
        self.pump(context, params, feed);
    }

    /// Decides all TLPs whose time is known.
    pub fn pump(&mut self, context: &mut PartContext<'_>, params: &CardParams, mut feed: Option<&mut Feed>) {
        let page = params.page_bytes.0;
        let fifo = params.fifo.0;
        loop {
            let most = if feed.is_some() { self.payload.min(fifo.max(1)) } else { self.payload };
            let bytes = self.progress.next_bytes(most, page);
            if bytes == 0 || feed.as_ref().is_some_and(|feed| feed.available() < bytes) {
                return;
            }
            if !self.progress.is_translated(context, params) {
                return;
            }
            let Some(decided) = self.room_for(bytes, fifo) else { return };
            let data = match &mut feed {
                Some(feed) => feed.take(bytes),
                None => {
                    let orders = &self.progress.orders;
                    match orders.integrity {
                        true => Payload::Bytes(pattern(orders.flow, self.progress.offset, bytes)),
                        false => Payload::Length(bytes as u32),
                    }
                }
            };
            self.write(context, params, decided, bytes, data);
            let gated = params.descriptor_wait > Time::ZERO && self.progress.at_page_end(page);
            if gated || self.progress.at_command_end() {
                self.progress.awaits = Some(self.progress.offset);
            }
        }
    }

    /// When the FIFO has room for a TLP of `bytes`; `None` where that is not known yet.
    fn room_for(&mut self, bytes: u64, fifo: u64) -> Option<Time> {
        let mut decided = self.engine_free;
        while self.in_fifo > 0 && self.in_fifo + bytes > fifo {
            let (end, left) = self.leaving.pop_front()?;
            self.in_fifo -= left;
            decided = decided.max(end);
        }
        Some(decided)
    }

    fn write(&mut self, context: &mut PartContext<'_>, params: &CardParams, decided: Time, bytes: u64, data: Payload) {
        let piped = decided + params.tx_latency;
        let gate = self.progress.gate;
        let by = if self.commands_hold { Wait::Command } else { Wait::Core };
        let ready = piped.max(gate);
        let held = self.progress.held(ready, gate >= piped, by, None);
        // What a gate held was decided no sooner than it could leave.
        let born = decided.max(ready.saturating_sub(params.tx_latency));
        let of = self.progress.request(born, ready, held, true);
        let orders = &self.progress.orders;
        let of = Decided { last: (self.progress.offset + bytes).is_multiple_of(orders.command), ..of };
        // What is read back counts as payload when it is read.
        let of = match orders.timed.is_by_command() {
            true => Decided { label: Label { purpose: Purpose::Status, ..of.label }, ..of },
            false => of,
        };
        context.send(orders.exit.write(of, orders.address(self.progress.offset), data));
        self.last_decided = decided;
        self.engine_free = decided + params.core_time(bytes);
        self.progress.advance(context, params, bytes);
        let next = self.progress.next_command(params).map(|latency| decided + latency);
        let next = if self.command_time > Time::ZERO { self.pace(decided, bytes, next) } else { next };
        self.commands_hold = next.is_some_and(|next| next > self.engine_free);
        self.engine_free = self.engine_free.max(next.unwrap_or(Time::ZERO));
        self.in_fifo += bytes;
    }

    /// When the engine can begin the next command, after it decided a TLP of `bytes`: at `next` (`None` inside a command),
    /// and not while the present command keeps it.
    #[cold]
    fn pace(&mut self, decided: Time, bytes: u64, next: Option<Time>) -> Option<Time> {
        let command = self.progress.orders.command;
        if (self.progress.offset - bytes).is_multiple_of(command) {
            self.command_free = decided + self.command_time;
        }
        let held = self.progress.offset.is_multiple_of(command) && self.command_free > self.engine_free;
        if held { next.max(Some(self.command_free)) } else { next }
    }

    /// A TLP of the channel starts to leave.
    pub fn sent(&mut self, context: &mut PartContext<'_>, params: &CardParams, sent: Sent, feed: Option<&mut Feed>) {
        self.leaving.push_back((sent.end, sent.payload as u64));
        if self.progress.awaits == Some(sent.offset + sent.payload as u64) {
            self.progress.awaits = None;
            if self.progress.at_command_end() {
                if self.progress.ended(context, params, sent.end, sent.end) {
                    self.progress.post(context, params);
                }
            } else {
                self.progress.wait_for_descriptor(sent.end + params.descriptor_wait);
            }
        }
        self.pump(context, params, feed);
    }
}
