//! The progress of a channel within its DMA commands, and what delays its next TLP.

use crate::ats::Ats;
use crate::orders::Orders;
use crate::ring::Ring;
use pcie::Time;
use pcie::tlp::REQUEST_BOUNDARY_BYTES;
use sim::parts::{Decided, Held, Label, Leaving, PartContext, Payload, Purpose};
use system::kinds::CardParams;
use system::{Drive, Wait};

/// The progress of a channel.
#[derive(Clone, Debug)]
pub struct Progress {
    pub orders: Orders,
    /// Bytes of the flow decided so far (written, or asked for).
    pub offset: u64,
    /// The end of what the engine was given; equal to `offset` where nothing is left of it.
    pub until: u64,
    /// The earliest time of the next TLP.
    pub gate: Time,
    /// What delays it until then: one cause up to a time, and the card's command latency after that.
    gate_by: Wait,
    gate_from: Time,
    /// The end of a page or of a command whose last TLP has to leave before the next one.
    pub awaits: Option<u64>,
    /// Where the turn of the channel ends, in bytes of the flow: see `in_turn`.
    turn: u64,
    /// True where a pattern, a turn or `aligned` bounds what comes next.
    is_bounded: bool,
    /// The source of descriptors, if the card fetches them.
    pub ring: Option<Ring>,
    /// Where the card translates addresses itself.
    pub ats: Option<Box<Ats>>,
}

impl Progress {
    pub fn new(orders: Orders, ring: Option<Ring>) -> Progress {
        let (gate, gate_by, gate_from) = (Time::ZERO, Wait::Software, Time::ZERO);
        let is_bounded = orders.aligned || orders.pattern.is_some();
        Progress {
            is_bounded,
            orders,
            offset: 0,
            until: 0,
            gate,
            gate_by,
            gate_from,
            awaits: None,
            turn: u64::MAX,
            ring,
            ats: None,
        }
    }

    /// Lets the channel decide up to `turn`, in bytes of the flow. True where that is new.
    pub fn take_turn(&mut self, turn: u64) -> bool {
        self.is_bounded = true;
        std::mem::replace(&mut self.turn, turn) != turn
    }

    /// Software has started a command: its descriptors are in the ring.
    pub fn post(&mut self, context: &mut PartContext<'_>, params: &CardParams) {
        if let Some(ring) = &mut self.ring {
            let commands = (self.until - self.offset).div_ceil(self.orders.command);
            ring.post(commands * self.orders.command.div_ceil(params.page_bytes.0.max(1)));
            ring.fetch(context, params);
        }
    }

    /// True where the address of the next TLP or request is translated.
    #[inline(always)]
    pub fn is_translated(&mut self, context: &mut PartContext<'_>, params: &CardParams) -> bool {
        let Progress { ats, orders, offset, until, gate, .. } = self;
        ats.as_mut().is_none_or(|ats| ats.has(context, params, orders, (*offset, *until), *gate))
    }

    /// A batch of descriptors is known to the engine.
    pub fn descriptors_known(&mut self, context: &PartContext<'_>, params: &CardParams) {
        let Some(ring) = &mut self.ring else { return };
        let starved = !ring.has_one();
        ring.known();
        if starved {
            self.wait_for_descriptor(self.gate.max(context.now() + params.tx_latency));
        }
    }

    /// The next page gets its descriptor at `gate`; no TLP before that.
    pub fn wait_for_descriptor(&mut self, gate: Time) {
        (self.gate, self.gate_by, self.gate_from) = (gate, Wait::Descriptors, gate);
    }

    /// What delays a TLP that may start at `ready`: the gate where `by_gate` says so; otherwise `otherwise` until then,
    /// and `then` afterwards.
    pub fn held(&self, ready: Time, by_gate: bool, otherwise: Wait, then: Option<Wait>) -> Held {
        if !by_gate {
            return Held { by: otherwise, until: ready, then: then.unwrap_or(otherwise) };
        }
        match self.gate_by {
            Wait::Descriptors => Held { by: Wait::Descriptors, until: ready, then: then.unwrap_or(Wait::Descriptors) },
            by => Held { by, until: self.gate_from, then: then.unwrap_or(Wait::Command) },
        }
    }

    /// What the gate waits for.
    pub fn gate_by(&self) -> Wait {
        self.gate_by
    }

    /// Who gives the next command when this one has ended.
    pub fn next_command_by(&self) -> Wait {
        if self.orders.drive == Drive::Card { Wait::Command } else { Wait::Software }
    }

    /// For an engine that overlaps commands: the delay from the last TLP or request of one command to the decision of
    /// the first of the next. `None` in the middle of a command.
    pub fn next_command(&self, params: &CardParams) -> Option<Time> {
        let own = params.overlap && self.orders.drive == Drive::Card && !self.orders.timed.is_by_command();
        (own && self.offset.is_multiple_of(self.orders.command)).then_some(params.command_latency)
    }

    /// The TLP at `offset` is decided. The first TLP of a page consumes a descriptor.
    pub fn advance(&mut self, context: &mut PartContext<'_>, params: &CardParams, bytes: u64) {
        let page_starts = self.page_starts(params.page_bytes.0);
        if let Some(ring) = self.ring.as_mut().filter(|_| page_starts) {
            ring.take_one();
            ring.fetch(context, params);
        }
        self.offset += bytes;
    }

    fn page_starts(&self, page: u64) -> bool {
        (self.offset % self.orders.command).is_multiple_of(page)
    }

    /// Starts the next command, or the next piece of one. Its first TLP may start at `gate`; the delay is due to `by`
    /// until `from`, and to the card's command latency after that.
    pub fn begin(&mut self, gate: Time, by: Wait, from: Time) {
        let Orders { command, volume, stride, .. } = self.orders;
        if let Some(ats) = self.ats.as_mut().filter(|_| self.until.is_multiple_of(command)) {
            ats.begins(self.until / command);
        }
        let command_end = (self.until / command + 1) * command;
        let until = self.until + stride;
        self.until = if stride < command { until.min(command_end) } else { until }.min(volume);
        (self.gate, self.gate_by, self.gate_from) = (gate, by, from);
    }

    /// How many bytes the next TLP or request may cover, `most` at most. Zero where no command is in progress, or where
    /// the end of a page has to leave first.
    pub fn next_bytes(&self, most: u64, page: u64) -> u64 {
        let no_descriptor = self.ring.as_ref().is_some_and(|ring| !ring.has_one());
        if self.awaits.is_some() || (no_descriptor && self.page_starts(page)) {
            return 0;
        }
        if self.is_bounded {
            return self.bounded_bytes(most, page);
        }
        let in_command = self.offset % self.orders.command;
        let to_boundary = |at: u64, step: u64| step - at % step;
        let address = self.orders.region.address(self.offset);
        most.min(self.until - self.offset)
            .min(self.orders.command - in_command)
            .min(to_boundary(in_command, page))
            .min(to_boundary(address, REQUEST_BOUNDARY_BYTES))
    }

    /// The same for commands at places of a pattern, commands in turn, and TLPs that end at multiples of their size.
    #[cold]
    fn bounded_bytes(&self, most: u64, page: u64) -> u64 {
        let in_command = self.offset % self.orders.command;
        let to_boundary = |at: u64, step: u64| step - at % step;
        let address = self.orders.address(self.offset);
        let most = if self.orders.aligned { to_boundary(address, most.max(1)) } else { most };
        most.min(self.until.min(self.turn).saturating_sub(self.offset))
            .min(self.orders.command - in_command)
            .min(to_boundary(in_command, page))
            .min(to_boundary(address, REQUEST_BOUNDARY_BYTES))
    }

    /// True where `offset` is at the start of a command.
    pub fn at_command_start(&self) -> bool {
        self.offset.is_multiple_of(self.orders.command)
    }

    /// True where `offset` is at the end of a page inside a command.
    pub fn at_page_end(&self, page: u64) -> bool {
        self.offset < self.until && (self.offset % self.orders.command).is_multiple_of(page)
    }

    /// True where all that the engine was given is decided and a command ends there.
    pub fn at_command_end(&self) -> bool {
        self.offset == self.until && self.offset.is_multiple_of(self.orders.command)
    }

    /// True where no command follows the present one.
    pub fn is_last(&self) -> bool {
        self.until >= self.orders.volume
    }

    /// The next request that moves payload of this channel.
    pub fn request(&self, born: Time, ready: Time, held: Held, tell: bool) -> Decided {
        let label = Label { flow: self.orders.flow, purpose: Purpose::Payload, offset: self.offset };
        Decided { label, born, ready, held, tell, last: false }
    }

    /// The status write at the end of a command. It may start at `ready`.
    pub fn status(&self, params: &CardParams, ready: Time) -> Leaving {
        let of = self.request(ready, ready, Held::new(Wait::Core, ready), false);
        let of = Decided { label: Label { purpose: Purpose::Status, ..of.label }, ..of };
        self.orders.exit.write(of, self.orders.status_address, Payload::Length(params.status_bytes.0 as u32))
    }

    /// A command ended at `end`. Informs software, or starts the next command; true where another one starts now.
    pub fn ended(&mut self, context: &mut PartContext<'_>, params: &CardParams, end: Time, status_ready: Time) -> bool {
        match self.orders.drive {
            // Who gave the command times its end.
            Drive::Card if self.orders.timed.is_by_command() => false,
            Drive::Software => {
                let status = self.status(params, status_ready);
                context.send(status);
                false
            }
            Drive::Card if self.is_last() => {
                context.ended(self.orders.flow, end);
                false
            }
            Drive::Card => {
                self.begin(end + params.command_latency, Wait::Command, end);
                true
            }
        }
    }
}
