//! The DMA engine of a device: writes data to host memory as the link takes it, and reads it with as many
//! requests as it has tags for.

use pcie::Time;
use pcie::tlp::{Header, REQUEST_BOUNDARY_BYTES};
use sim::parts::{Arrived, Decided, Exit, Held, Label, Leaving, PartContext, Payload, Purpose, patterns};
use std::collections::VecDeque;
use system::kinds::CardParams;
use system::{PartId, Scenario, Wait};

/// Data of a command that goes to host memory, or comes from there.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Its flow, and the place of its first byte in it.
    pub flow: u32,
    /// See [`Span::flow`].
    pub offset: u64,
    /// Where in host memory.
    pub address: u64,
    /// How much of it is left.
    pub bytes: u64,
    /// The command it belongs to.
    pub command: u32,
    /// What it has waited for.
    pub held: Held,
}

/// What an answered read request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<T> {
    /// Data of a command: so many bytes.
    Data {
        /// The command.
        command: u32,
        /// Bytes of the request.
        bytes: u64,
        /// The place of its first byte in the flow.
        offset: u64,
    },
    /// What is read beside data, as entries of a ring: what for, in the words of the device.
    Beside(T),
}

/// What a TLP that arrives means to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival<'a, T> {
    /// A request from outside.
    Request,
    /// Bytes that were read beside data, and what for.
    Beside(T, &'a [u8]),
    /// All of a read request for data has arrived: its command, its bytes, and the place of the first of them in the flow.
    Data {
        /// The command.
        command: u32,
        /// Bytes of the request.
        bytes: u64,
        /// The place of its first byte in the flow.
        offset: u64,
    },
    /// Nothing yet: a part of a read request for data.
    Partly,
}

/// See the module.
pub struct Mover<T> {
    exit: Exit,
    fetch_queue: u32,
    tx_latency: Time,
    /// Payload of its largest write, and its largest read request.
    most_write: u64,
    most_read: u64,
    /// Bytes that have been given to the link and have not begun to leave, and how many may be.
    given: u64,
    fifo: u64,
    out: VecDeque<Span>,
    asks: VecDeque<Span>,
    /// Reads that are no payload and wait for a tag: the flow, address and bytes, and what for.
    fetches: VecDeque<(u32, (u64, u64), T)>,
    /// By tag.
    asked: Vec<Option<Asked<T>>>,
    free: Vec<u16>,
    /// Requests for data in flight, and how many may be.
    reading: u64,
    most_reading: u64,
    /// True where the next request has waited for a tag.
    waited: bool,
    /// What reads that are no payload, and writes that are none, report to have waited for.
    fetches_wait: Wait,
    tells_wait: Wait,
    /// True where data that it writes has its bytes: those of the flow at the place of the span.
    has_bytes: bool,
}

/// The queues of a port of a part whose mover [fetches beside its data](Mover::fetching_beside).
pub const QUEUES: u32 = 2;
/// Tags beside those for data, for entries and lists.
const MORE_TAGS: u64 = 64;

impl<T: Copy> Mover<T> {
    /// The engine of part `id` with the figures of `engine`, towards `host`.
    pub fn new(scenario: &Scenario, id: PartId, host: PartId, engine: &CardParams) -> Mover<T> {
        let (system, part) = (&scenario.system, scenario.system.part(id));
        // Of several ports, the one that leads to the host.
        let way = system.path(id, host);
        let by = way.first().map(|&on| system.ends(on).0);
        let port = part.ports.iter().position(|&port| Some(port) == by).unwrap_or(0);
        let most_reading = part.requests_in_flight();
        let tags = (most_reading + MORE_TAGS).min(u64::from(u16::MAX)) as u16;
        Mover {
            fetch_queue: 0,
            exit: Exit { port, queue: 0, requester: system.bdf_towards(id, host) },
            tx_latency: engine.tx_latency,
            most_write: part.write_bytes(),
            most_read: part.request_bytes(),
            given: 0,
            fifo: engine.fifo.0.max(part.write_bytes()),
            out: VecDeque::new(),
            asks: VecDeque::new(),
            fetches: VecDeque::new(),
            asked: vec![None; usize::from(tags)],
            free: (0..tags).rev().collect(),
            reading: 0,
            most_reading,
            waited: false,
            fetches_wait: Wait::Descriptors,
            tells_wait: Wait::Command,
            has_bytes: false,
        }
    }

    /// From now on, reads and writes that are no payload report to have waited for these.
    pub fn beside_waits_for(&mut self, fetches: Wait, tells: Wait) {
        (self.fetches_wait, self.tells_wait) = (fetches, tells);
    }

    /// The largest read request.
    pub fn most_read(&self) -> u64 {
        self.most_read
    }

    fn decided(&self, label: Label, now: Time, held: Held) -> Decided {
        Decided { label, born: now, ready: now + self.tx_latency, held, tell: false, last: false }
    }

    /// Writes a span of data to host memory. The command and the bytes of each TLP that is given to the link are added to
    /// `moved`.
    pub fn write(&mut self, context: &mut PartContext<'_>, span: Span, moved: &mut Vec<(u32, u64)>) {
        self.out.push_back(span);
        self.pump(context, moved);
    }

    /// A TLP of data with `bytes` begins to leave.
    pub fn left(&mut self, context: &mut PartContext<'_>, bytes: u64, moved: &mut Vec<(u32, u64)>) {
        self.given = self.given.saturating_sub(bytes);
        self.pump(context, moved);
    }

    /// Gives data to the link as far as there is room. `moved` gets the command and the bytes of each TLP.
    fn pump(&mut self, context: &mut PartContext<'_>, moved: &mut Vec<(u32, u64)>) {
        let now = context.now();
        while let Some(span) = self.out.front_mut() {
            let to_boundary = REQUEST_BOUNDARY_BYTES - span.address % REQUEST_BOUNDARY_BYTES;
            let bytes = span.bytes.min(self.most_write).min(to_boundary);
            if self.given + bytes > self.fifo {
                return;
            }
            let (address, held, command) = (span.address, span.held, span.command);
            let label = Label { flow: span.flow, purpose: Purpose::Payload, offset: span.offset };
            (span.address, span.offset, span.bytes) = (address + bytes, span.offset + bytes, span.bytes - bytes);
            moved.push((command, bytes));
            if span.bytes == 0 {
                self.out.pop_front();
            }
            self.given += bytes;
            let data = match self.has_bytes {
                true => Payload::Bytes(patterns(label.flow, label.offset, bytes)),
                false => Payload::Length(bytes as u32),
            };
            let leaving = self.exit.write(self.decided(label, now, held), address, data);
            context.send(Leaving { tell: true, ..leaving });
        }
    }

    /// The same engine beside another one that fetches entries and lists: both take turns at the link, and what is fetched
    /// does not wait for data to leave. Completion entries and messages follow the data. Its part has [`QUEUES`].
    pub fn fetching_beside(self) -> Mover<T> {
        Mover { fetch_queue: 1, ..self }
    }

    /// The same engine, whose data has bytes.
    pub fn with_bytes(self) -> Mover<T> {
        Mover { has_bytes: true, ..self }
    }

    /// Writes `data`, which is no payload, to `address`.
    pub fn tell(&self, context: &mut PartContext<'_>, flow: u32, purpose: Purpose, (address, data): (u64, Box<[u8]>)) {
        let now = context.now();
        let label = Label { flow, purpose, offset: 0 };
        let decided = self.decided(label, now, Held::new(self.tells_wait, now));
        context.send(self.exit.write(Decided { last: true, ..decided }, address, Payload::Bytes(data)));
    }

    /// Writes `data`, which is no payload, to `address`, in as many TLPs as it takes.
    pub fn tell_all(&self, context: &mut PartContext<'_>, flow: u32, address: u64, data: &[u8]) {
        let step = self.most_write.max(1);
        for (place, part) in (0..).zip(data.chunks(step as usize)) {
            self.tell(context, flow, Purpose::Status, (address + place * step, part.into()));
        }
    }

    /// Reads `bytes` that are no payload from `address` on, when there is a tag.
    pub fn fetch(&mut self, context: &mut PartContext<'_>, flow: u32, what: (u64, u64), for_: T) {
        self.fetches.push_back((flow, what, for_));
        self.fetch_next(context);
    }

    fn fetch_next(&mut self, context: &mut PartContext<'_>) {
        let Some(&(flow, (address, bytes), for_)) = self.fetches.front() else { return };
        let Some(tag) = self.free.pop() else { return };
        self.fetches.pop_front();
        self.asked[usize::from(tag)] = Some(Asked::Beside(for_));
        let now = context.now();
        let label = Label { flow, purpose: Purpose::Descriptors, offset: 0 };
        let decided = self.decided(label, now, Held::new(self.fetches_wait, now));
        let exit = Exit { queue: self.fetch_queue, ..self.exit };
        context.send(exit.read(decided, address, bytes, tag));
    }

    /// Reads a span of data from host memory.
    pub fn read(&mut self, context: &mut PartContext<'_>, span: Span) {
        self.asks.push_back(span);
        self.ask(context);
    }

    /// Makes requests while there are tags.
    fn ask(&mut self, context: &mut PartContext<'_>) {
        let now = context.now();
        while let Some(span) = self.asks.front_mut() {
            if self.reading >= self.most_reading || self.free.is_empty() {
                self.waited = true;
                return;
            }
            let Some(tag) = self.free.pop() else { return };
            let to_boundary = REQUEST_BOUNDARY_BYTES - span.address % REQUEST_BOUNDARY_BYTES;
            let bytes = span.bytes.min(self.most_read).min(to_boundary);
            let (address, command) = (span.address, span.command);
            let held = if self.waited { Held { then: Wait::Tags, ..span.held } } else { span.held };
            let label = Label { flow: span.flow, purpose: Purpose::Payload, offset: span.offset };
            (span.address, span.offset, span.bytes) = (address + bytes, span.offset + bytes, span.bytes - bytes);
            if span.bytes == 0 {
                self.asks.pop_front();
            }
            self.waited = false;
            self.reading += 1;
            self.asked[usize::from(tag)] = Some(Asked::Data { command, bytes, offset: label.offset });
            context.in_flight(label.flow, self.reading, now);
            context.send(self.exit.read(self.decided(label, now, held), address, bytes, tag));
        }
    }

    /// What a TLP that arrives means. The tag of a request that is complete is free: the part has room for its data. An answer
    /// that was not asked for ends the run.
    pub fn arrived<'a>(&mut self, context: &mut PartContext<'_>, arrived: &'a Arrived) -> Arrival<'a, T> {
        let Header::Completion { tag, remaining, bytes, .. } = arrived.header else { return Arrival::Request };
        let last = remaining <= bytes;
        match (self.answered(context, tag, last), &arrived.data) {
            (Some(Asked::Beside(for_)), Payload::Bytes(data)) => Arrival::Beside(for_, data),
            (Some(Asked::Data { command, bytes, offset }), _) if last => {
                self.free(context, tag);
                Arrival::Data { command, bytes, offset }
            }
            (Some(Asked::Data { .. }), _) => Arrival::Partly,
            _ => {
                context.refuse(|| format!("it got an answer with the tag {tag} that it cannot use"));
                Arrival::Partly
            }
        }
    }

    /// What the request with `tag` was for. With `last`, it is complete, and its tag free where it was not for data.
    pub fn answered(&mut self, context: &mut PartContext<'_>, tag: u16, last: bool) -> Option<Asked<T>> {
        let asked = (*self.asked.get(usize::from(tag))?)?;
        if last {
            self.asked[usize::from(tag)] = None;
            if !matches!(asked, Asked::Data { .. }) {
                self.free.push(tag);
                self.fetch_next(context);
            }
        }
        Some(asked)
    }

    /// The tag of a request for data is free.
    pub fn free(&mut self, context: &mut PartContext<'_>, tag: u16) {
        self.free.push(tag);
        self.reading -= 1;
        self.fetch_next(context);
        self.ask(context);
    }
}
