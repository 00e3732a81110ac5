//! What a copy engine does with time: descriptors into it, reads of both rings in turn, the data out again, and completions.

use pcie::tlp::REQUEST_BOUNDARY_BYTES;
use queues::{Agenda, Arrival, Mover, Numbered, Span};
use sim::parts::{Arrived, Held, Part, PartContext, Sent};
use std::collections::VecDeque;
use system::Wait;

/// A copy whose descriptor is there.
pub struct Copy {
    source: u64,
    destination: u64,
    bytes: u64,
    /// The place of its first byte in its flow.
    offset: u64,
    /// Bytes that have been asked for, and bytes whose writes have gone to the link.
    asked: u64,
    written: u64,
    /// It has waited for its descriptor.
    held: Held,
}

/// A ring with the copies of it that are not complete, in their order.
pub struct Ring {
    pub queue: Numbered,
    pub stream: usize,
    pub copies: VecDeque<Copy>,
    /// The place of the next copy in its flow, and how far apart copies are.
    pub offset: u64,
    pub step: u64,
}

/// The flows of a copy: one reads, one writes, and how many bytes are left to read.
pub struct Stream {
    pub reads: u32,
    pub writes: u32,
    pub left: u64,
}

/// See the module.
pub struct Engine {
    rings: Vec<Ring>,
    streams: Vec<Stream>,
    mover: Mover<usize>,
    /// Interrupts that are due, by ring.
    agenda: Agenda<usize>,
    moved: Vec<(u32, u64)>,
    /// Bytes in the read buffer, with what was asked for, and how many there may be.
    reading: u64,
    room: u64,
    turn: usize,
}

impl Engine {
    /// An engine with a read buffer of `room` bytes.
    pub fn new(room: u64, rings: Vec<Ring>, streams: Vec<Stream>, mover: Mover<usize>) -> Engine {
        Engine { rings, streams, mover, agenda: Agenda::new(), moved: Vec::new(), reading: 0, room, turn: 0 }
    }

    fn fetch(&mut self, context: &mut PartContext<'_>, at: usize) {
        let queue = &mut self.rings[at].queue;
        let ended = queue.ended();
        queue.fetch(context, &mut self.mover, ended, at);
    }

    /// Descriptors, or a part of them, have arrived.
    fn fetched(&mut self, context: &mut PartContext<'_>, at: usize, data: &[u8]) {
        let Ring { queue, copies, offset: next, step, .. } = &mut self.rings[at];
        let held = Held::new(Wait::Descriptors, context.now());
        queue.arrive(data, |entry| {
            let word = |at: usize| entry[8 * at..][..8].try_into().map_or(0, u64::from_le_bytes);
            let (source, destination, bytes, offset) = (word(0), word(1), word(2), *next);
            copies.push_back(Copy { source, destination, bytes, offset, asked: 0, written: 0, held });
            *next += *step;
        });
        self.read(context);
    }

    /// Reads of both rings in turn, one request each, as the read buffer has room.
    fn read(&mut self, context: &mut PartContext<'_>) {
        let count = self.rings.len();
        let open = |ring: &Ring| ring.copies.iter().position(|copy| copy.asked < copy.bytes);
        while let Some((at, place)) =
            (0..count).map(|step| (self.turn + step) % count).find_map(|at| Some((at, open(&self.rings[at])?)))
        {
            let ring = &mut self.rings[at];
            let copy = &mut ring.copies[place];
            let address = copy.source + copy.asked;
            let boundary = REQUEST_BOUNDARY_BYTES - address % REQUEST_BOUNDARY_BYTES;
            let bytes = (copy.bytes - copy.asked).min(self.mover.most_read()).min(boundary);
            if self.reading + bytes > self.room {
                return;
            }
            let span = Span {
                flow: self.streams[ring.stream].reads,
                offset: copy.offset + copy.asked,
                address,
                bytes,
                command: Numbered::command(at, ring.queue.ended() + place as u64),
                held: copy.held,
            };
            copy.asked += bytes;
            (self.reading, self.turn) = (self.reading + bytes, at + 1);
            self.mover.read(context, span);
        }
    }

    /// The copy of a command of the mover: its ring, and its place there.
    fn copy(&mut self, command: u32) -> Option<(usize, &mut Copy)> {
        let ring = self.rings.get_mut(Numbered::at(command))?;
        Some((Numbered::at(command), ring.copies.get_mut(ring.queue.before(command))?))
    }

    /// All of a read request has arrived: it is written.
    fn arrived(&mut self, context: &mut PartContext<'_>, command: u32, (offset, bytes): (u64, u64)) {
        let Some((at, copy)) = self.copy(command) else { return };
        let address = copy.destination + (offset - copy.offset);
        let stream = self.rings[at].stream;
        let stream = &mut self.streams[stream];
        context.deliver(stream.reads, bytes, context.now());
        if stream.left > 0 {
            stream.left = stream.left.saturating_sub(bytes);
            if stream.left == 0 {
                context.ended(stream.reads, context.now());
            }
        }
        let (flow, held) = (stream.writes, Held::new(Wait::Tags, context.now()));
        self.mover.write(context, Span { flow, offset, address, bytes, command, held }, &mut self.moved);
        self.count(context);
    }

    /// Writes have gone to the link: room for reads, and the completions of copies that are whole.
    fn count(&mut self, context: &mut PartContext<'_>) {
        for (command, bytes) in std::mem::take(&mut self.moved) {
            self.reading -= bytes;
            let Some((at, copy)) = self.copy(command) else { continue };
            copy.written += bytes;
            while self.rings[at].copies.front().is_some_and(|copy| copy.written == copy.bytes) {
                self.rings[at].copies.pop_front();
                if let Some(due) = self.rings[at].queue.end(context, &self.mover) {
                    self.agenda.add(context, due, at);
                }
                self.fetch(context, at);
            }
        }
        self.read(context);
    }
}

impl Part for Engine {
    fn start(&mut self, _: &mut PartContext<'_>) {}

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        match self.mover.arrived(context, &arrived) {
            Arrival::Beside(at, data) => self.fetched(context, at, data),
            Arrival::Data { command, bytes, offset } => self.arrived(context, command, (offset, bytes)),
            Arrival::Request => {
                let queues = self.rings.iter_mut().map(|ring| &mut ring.queue);
                if let Some(at) = Numbered::requested(context, &arrived, queues) {
                    self.fetch(context, at);
                }
            }
            Arrival::Partly => {}
        }
        context.release(arrived.hold, context.now());
    }

    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        while let Some(at) = self.agenda.next(context) {
            self.rings[at].queue.look(context, &self.mover);
        }
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.mover.left(context, u64::from(sent.payload), &mut self.moved);
        self.count(context);
    }
}
