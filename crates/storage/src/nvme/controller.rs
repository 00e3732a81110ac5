//! The controller of an NVMe SSD: from doorbells to completions.

use super::admin::Admin;
use super::command::{Command, Event, Fetched};
use super::entry::Submission;
use super::pages::Pages;
use super::params::{DOORBELLS, FLASH, NvmeParams};
use super::queue::{QueuePair, QueueState};
use crate::faults::{Fate, Fates};
use crate::flash::{DieEnd, Flash, Piece};
use pcie::Time;
use pcie::tlp::Header;
use queues::Agenda;
use queues::mover::QUEUES;
use queues::{Asked, Mover, Tell};
use sim::parts::{Arrived, Label, Part, PartContext, Payload, Purpose, Sent, completions};
use std::collections::VecDeque;
use system::Wait;
use system::pattern::Order;

/// See the module.
pub(crate) struct Controller {
    pub(super) params: NvmeParams,
    /// Where its registers are.
    pub(super) registers: u64,
    pub(super) queues: Vec<QueueState>,
    /// Where software brings the drive up.
    pub(super) admin: Option<Admin>,
    pub(super) mover: Mover<Fetched>,
    pub(super) flash: Flash,
    /// Commands, and the places of those that have ended.
    pub(super) commands: Vec<Command>,
    free: Vec<u32>,
    working: u64,
    /// Entries that wait for others to end, and commands that wait for room in the buffer.
    pub(super) waiting: VecDeque<(u32, Submission, Time)>,
    /// When the next command can be taken up.
    next: Time,
    pub(super) for_room: VecDeque<u32>,
    agenda: Agenda<Event>,
    /// Spans whose TLPs were given to the link, by command.
    moved: Vec<(u32, u64)>,
    /// Dies that begin something, and pieces that have been read; empty between events.
    pub(super) ends: Vec<DieEnd>,
    there: Vec<(Piece, Time)>,
    /// True where the drive is written.
    is_written: bool,
    pub(super) wait: Wait,
    fates: Fates,
    /// True from when on it answers nothing.
    is_silent: bool,
    /// Where data lies, for a host that works on bytes; its blocks then have contents, those of the flow.
    pub(super) pages: Option<Pages>,
}

impl Controller {
    /// A controller with `queues` and the engine `mover`, whose registers are at `registers`.
    /// A drive that `is_written` has its buffer full at the start. `order` is that of what is written.
    pub fn new(
        params: &NvmeParams,
        registers: u64,
        queues: Vec<QueuePair>,
        mover: Mover<Fetched>,
        (is_written, order): (bool, Order),
    ) -> Controller {
        let admin = (params.bring_up && !queues.is_empty()).then(|| Admin::new(queues.len()));
        Controller {
            admin,
            params: params.clone(),
            registers,
            queues: queues.into_iter().map(|pair| QueueState::new(pair, params)).collect(),
            mover,
            flash: Flash::new(params.flash(order)),
            commands: Vec::new(),
            free: Vec::new(),
            working: 0,
            waiting: VecDeque::new(),
            next: Time::ZERO,
            for_room: VecDeque::new(),
            agenda: Agenda::new(),
            moved: Vec::new(),
            ends: Vec::new(),
            there: Vec::new(),
            is_written,
            wait: Wait::own(FLASH),
            fates: Fates::new(params.fault, params.fault_after, params.fault_delay),
            is_silent: false,
            pages: None,
        }
    }

    /// The same drive at a host that works on bytes.
    pub fn with_bytes(self) -> Controller {
        Controller { pages: Some(Pages::default()), mover: self.mover.with_bytes(), ..self }
    }

    pub(super) fn at(&mut self, context: &mut PartContext<'_>, at: Time, event: Event) {
        self.agenda.add(context, at, event);
    }

    /// Takes up commands, as many as it works on at once.
    pub(super) fn take(&mut self, context: &mut PartContext<'_>) {
        while self.working < self.params.commands.0 {
            let Some((queue, entry, came)) = self.waiting.pop_front() else { return };
            self.working += 1;
            let fate = self.fates.next();
            if fate == Fate::Lost {
                return self.stop(context);
            }
            let command = Command { queue, entry, came, lists: 0, left: entry.bytes, fate };
            let place = match self.free.pop() {
                Some(place) => {
                    self.commands[place as usize] = command;
                    place
                }
                None => {
                    self.commands.push(command);
                    self.commands.len() as u32 - 1
                }
            };
            let begins = came.max(context.now()).max(self.next);
            self.next = begins + self.params.command_time;
            match entry.list_bytes() {
                0 => self.at(context, begins + self.params.command_latency, Event::Begin(place)),
                _ => self.at(context, begins, Event::List(place)),
            }
        }
    }

    /// From now on, it answers nothing.
    fn stop(&mut self, context: &mut PartContext<'_>) {
        self.is_silent = true;
        for queue in &self.queues {
            queue.pair.flows.each().for_each(|flow| context.stopped(flow));
        }
    }

    pub(super) fn flow(&self, place: u32) -> u32 {
        let Command { queue, entry, .. } = self.commands[place as usize];
        self.queues[queue as usize].pair.flows.of(entry.reads)
    }

    /// Counts what has been given to the link.
    fn count(&mut self, context: &mut PartContext<'_>) {
        let mut moved = std::mem::take(&mut self.moved);
        for (place, bytes) in moved.drain(..) {
            self.has_moved(context, place, bytes);
        }
        self.moved = moved;
    }

    /// A die does something.
    pub(super) fn die(&mut self, context: &mut PartContext<'_>, end: Option<DieEnd>) {
        if let Some(DieEnd { die, at }) = end {
            self.at(context, at, Event::Die(die));
        }
    }

    /// Several do, and the list is kept for the next time.
    pub(super) fn dies(&mut self, context: &mut PartContext<'_>, mut ends: Vec<DieEnd>) {
        for end in ends.drain(..) {
            self.die(context, Some(end));
        }
        self.ends = ends;
    }

    fn complete(&mut self, context: &mut PartContext<'_>, place: u32) {
        let Command { queue, entry, fate, .. } = self.commands[place as usize];
        let state = &mut self.queues[queue as usize];
        let status = if fate == Fate::Fails { failure(entry.reads) } else { 0 };
        let written = state.complete(queue as u16, entry.identifier, status);
        self.mover.tell(context, state.pair.flows.of(entry.reads), Purpose::Status, written);
        if state.pair.message.is_some() {
            match state.moderation.ended(context.now()) {
                Tell::Now => self.interrupt(context, queue),
                Tell::By(due) => self.at(context, due, Event::Interrupt(queue)),
                Tell::Later => {}
            }
        }
        self.free.push(place);
        self.working -= 1;
        self.take(context);
    }

    fn interrupt(&mut self, context: &mut PartContext<'_>, queue: u32) {
        let state = &mut self.queues[queue as usize];
        state.moderation.told();
        if let Some(message) = state.pair.message {
            let data = Box::new(message.data.to_le_bytes());
            self.mover.tell(context, state.pair.flows.reads, Purpose::Interrupt, (message.address, data));
        }
    }

    fn happens(&mut self, context: &mut PartContext<'_>, event: Event) {
        match event {
            Event::Begin(place) => self.begin(context, place),
            Event::List(place) => self.fetch_list(context, place),
            Event::Read(place, offset, bytes) => {
                let mut done = 0;
                while done < bytes {
                    let span = self.span(context, place, offset + done, bytes - done);
                    done += span.bytes;
                    self.mover.write(context, span, &mut self.moved);
                }
                self.count(context);
            }
            Event::Die(die) => {
                let mut there = std::mem::take(&mut self.there);
                let next = self.flash.ended(DieEnd { die, at: context.now() }, &mut there);
                self.die(context, next);
                if there.is_empty() {
                    self.take_room(context);
                }
                for (Piece { command, offset, bytes }, at) in there.drain(..) {
                    self.at(context, at, Event::Read(command, offset, bytes));
                }
                self.there = there;
            }
            Event::Data(tag, place, bytes) => {
                self.mover.free(context, tag);
                self.data(context, place, bytes);
            }
            Event::Complete(place) => self.complete(context, place),
            Event::Ready => self.admin.as_mut().map_or((), Admin::ready),
            Event::Admin(identifier) => self.admin_ended(context, identifier),
            Event::Interrupt(queue) => {
                if self.queues[queue as usize].moderation.is_due(context.now()) {
                    self.interrupt(context, queue);
                }
            }
        }
    }

    fn answered(&mut self, context: &mut PartContext<'_>, tag: u16, data: &Payload, label: Label, last: bool) {
        let now = context.now();
        match self.mover.answered(context, tag, last) {
            Some(Asked::Beside(Fetched::Entries(queue))) => {
                let Payload::Bytes(data) = data else {
                    return context.refuse(|| "it fetched entries without their bytes".to_string());
                };
                self.entries(context, queue, data, last);
            }
            Some(Asked::Beside(Fetched::List { command: place, at })) => {
                if let (Some(pages), Payload::Bytes(data)) = (&mut self.pages, data)
                    && !pages.arrive(place, u64::from(at) + label.offset, data)
                {
                    return context.refuse(|| "it got more of a list of pages than it has asked for".to_string());
                }
                if !last {
                    return;
                }
                let command = &mut self.commands[place as usize];
                command.lists -= 1;
                if command.lists == 0 {
                    let begins = now + self.params.rx_latency + self.params.command_latency;
                    self.at(context, begins, Event::Begin(place));
                }
            }
            Some(Asked::Data { command, bytes, .. }) => {
                context.deliver(label.flow, u64::from(data.bytes()), now);
                if let (Some(_), Payload::Bytes(data)) = (&self.pages, data) {
                    context.compare(label.flow, label.offset, data);
                }
                if last {
                    self.at(context, now + self.params.rx_latency, Event::Data(tag, command, bytes));
                }
            }
            Some(Asked::Beside(Fetched::Admin)) => match data {
                Payload::Bytes(data) => self.admin_entry(context, data),
                Payload::Length(_) => context.refuse(|| "it fetched an admin command without its bytes".to_string()),
            },
            None => context.refuse(|| format!("it got an answer with the tag {tag}, which it has not asked with")),
        }
    }
}

/// The status code of a command that fails: Unrecovered Read Error, or Write Fault (NVM Command Set Specification, Media
/// and Data Integrity Errors).
fn failure(reads: bool) -> u8 {
    if reads { 0x81 } else { 0x80 }
}

impl Part for Controller {
    fn queues(&self, _: usize) -> u32 {
        QUEUES
    }

    fn start(&mut self, context: &mut PartContext<'_>) {
        let ends = if self.is_written { self.flash.fill(context.now()) } else { Vec::new() };
        for end in ends {
            self.die(context, Some(end));
        }
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let now = context.now();
        match arrived.header {
            Header::Request { write: true, address, .. } => {
                context.release(arrived.hold, now);
                match &arrived.data {
                    Payload::Bytes(data) if !self.is_silent => self.written(context, address, data),
                    Payload::Length(_) => context.refuse(|| "it got a store without its bytes".to_string()),
                    Payload::Bytes(_) => {}
                }
            }
            Header::Request { write: false, address, bytes, .. } => {
                // Registers that nothing here has read as zero. A load has 8 bytes at most, and one answer.
                for answer in completions(&arrived, pcie::tlp::RCB_ENDPOINT_BYTES, bytes, now) {
                    let (at, bytes) = (address.wrapping_sub(self.registers), answer.data.bytes() as usize);
                    let register = self.admin.as_ref().filter(|_| at < DOORBELLS).map(|admin| admin.load(at, bytes));
                    let data = Payload::Bytes(register.unwrap_or_else(|| vec![0; bytes].into_boxed_slice()));
                    context.send(sim::parts::Leaving { data, ..answer });
                }
                context.release(arrived.hold, now);
            }
            Header::Completion { tag, remaining, bytes, .. } => {
                let (data, label) = (arrived.data, arrived.label);
                context.release(arrived.hold, now);
                if !self.is_silent {
                    self.answered(context, tag, &data, label, remaining <= bytes);
                }
            }
        }
    }

    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        if self.is_silent {
            return;
        }
        while let Some(event) = self.agenda.next(context) {
            self.happens(context, event);
        }
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.mover.left(context, u64::from(sent.payload), &mut self.moved);
        self.count(context);
    }
}
