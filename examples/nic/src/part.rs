//! What a network card does with time: descriptors into the card, packets between its FIFOs and memory, completions and
//! interrupts after them.

use crate::{NicParams, WIRE};
use pcie::Time;
use pcie::tlp::Header;
use queues::{Agenda, Asked, Moderation, Mover, Reader, Ring, Span, Tell};
use sim::Message;
use sim::parts::{Arrived, Held, Leaving, Part, PartContext, Payload, Purpose, Sent, completions};
use std::collections::VecDeque;
use system::Wait;

/// A descriptor ring with its completions, as the card has it.
#[derive(Debug)]
pub struct Queue {
    pub flow: u32,
    pub receives: bool,
    /// Bytes of a batch; of the flow's batches, those numbered `first`, `first + jobs` and so on.
    pub batch: u64,
    pub first: u64,
    pub jobs: u64,
    pub ring: Ring,
    pub completions: Ring,
    pub doorbell: u64,
    pub message: Option<Message>,
    pub moderation: Moderation,
    pub reader: Reader,
    /// Buffers of the descriptors that have arrived and are not used yet.
    pub buffers: VecDeque<u64>,
    /// Packets that have come from the network or are read, and those that are done.
    pub begun: u64,
    pub done: u64,
    /// Of the packets from `done` on that are written or read: bytes that have not been.
    pub missing: VecDeque<u64>,
}

/// What happens in a card at a time: a packet comes, one has gone, an interrupt is due; the last two of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Come,
    Gone(usize),
    Due(usize),
}

/// A command of the mover: the queue, and the last bits of the number of a packet.
const PACKETS: u64 = 1 << 20;

/// See the module.
pub struct Card {
    params: NicParams,
    queues: Vec<Queue>,
    mover: Mover<usize>,
    agenda: Agenda<Event>,
    moved: Vec<(u32, u64)>,
    /// Bytes in the FIFO from the network, and in that to it, with what was asked for.
    received: u64,
    sending: u64,
    /// The next packet of the network waits for room.
    paused: bool,
    /// Whose turn it is: of packets that come, and of packets that are read.
    turns: [usize; 2],
    /// When the network has taken the packet before.
    free_at: Time,
    wire: Wait,
}

impl Card {
    pub fn new(params: &NicParams, queues: Vec<Queue>, mover: Mover<usize>) -> Card {
        let (params, agenda, wire) = (params.clone(), Agenda::new(), Wait::own(WIRE));
        let (received, sending, paused, turns, free_at) = (0, 0, false, [0; 2], Time::ZERO);
        Card { params, queues, mover, agenda, moved: Vec::new(), received, sending, paused, turns, free_at, wire }
    }

    /// The next queue in turn that receives (or sends) and for which `ready` is true.
    fn in_turn(&mut self, receives: bool, ready: impl Fn(&Queue) -> bool) -> Option<usize> {
        let (count, turn) = (self.queues.len(), &mut self.turns[usize::from(receives)]);
        let mut all = (0..count).map(|step| (*turn + step) % count);
        let at = all.find(|&at| self.queues[at].receives == receives && ready(&self.queues[at]))?;
        *turn = at + 1;
        Some(at)
    }

    /// Asks for descriptors of a queue, as many as the card keeps.
    fn fetch(&mut self, context: &mut PartContext<'_>, at: usize) {
        let (queue, most) = (&mut self.queues[at], self.params.fetched.0);
        loop {
            let count = queue.reader.next(&queue.ring, most);
            let used = if queue.receives { queue.done } else { queue.begun };
            if count == 0 || queue.reader.asked() + count - used > self.params.cached.0.max(most) {
                return;
            }
            let what = (queue.ring.at(queue.reader.ask(count)), count * self.params.descriptor_bytes.0);
            self.mover.fetch(context, queue.flow, what, at);
        }
    }

    /// Descriptors, or a part of them, have arrived.
    fn fetched(&mut self, context: &mut PartContext<'_>, at: usize, data: &[u8]) {
        let queue = &mut self.queues[at];
        for descriptor in queue.reader.arrive_in(&queue.ring, data).chunks_exact(queue.ring.entry_bytes() as usize) {
            queue.buffers.push_back(descriptor[..8].try_into().map_or(0, u64::from_le_bytes));
        }
        if queue.receives { self.write(context, at, Wait::Descriptors) } else { self.read(context) }
    }

    fn span(&mut self, at: usize, number: u64, address: u64, held: Held) -> Span {
        let queue = &self.queues[at];
        let per_batch = self.params.packets(queue.batch);
        let batch = queue.first + number / per_batch * queue.jobs;
        Span {
            flow: queue.flow,
            offset: batch * queue.batch + number % per_batch * self.params.packet_size.0,
            address,
            bytes: self.params.packet(queue.batch, number),
            command: (at as u64 * PACKETS + number % PACKETS) as u32,
            held,
        }
    }

    /// A packet comes from the network, if there is room for it.
    fn come(&mut self, context: &mut PartContext<'_>) {
        let most = self.params.packet_size.0;
        self.paused = self.received + most > self.params.fifo.0;
        if self.paused {
            return;
        }
        let Some(at) = self.in_turn(true, |_| true) else { return };
        let queue = &mut self.queues[at];
        self.received += self.params.packet(queue.batch, queue.begun);
        queue.begun += 1;
        self.agenda.add(context, context.now() + self.params.period(), Event::Come);
        self.write(context, at, self.wire);
    }

    /// Writes packets that have come and have descriptors.
    fn write(&mut self, context: &mut PartContext<'_>, at: usize, wait: Wait) {
        while self.queues[at].done + (self.queues[at].missing.len() as u64) < self.queues[at].begun {
            let Some(address) = self.queues[at].buffers.pop_front() else { break };
            let number = self.queues[at].done + self.queues[at].missing.len() as u64;
            let span = self.span(at, number, address, Held::new(wait, context.now()));
            self.queues[at].missing.push_back(span.bytes);
            self.mover.write(context, span, &mut self.moved);
        }
        self.count(context);
        self.fetch(context, at);
    }

    /// The completions of packets that were given to the link as a whole.
    fn count(&mut self, context: &mut PartContext<'_>) {
        for (command, bytes) in std::mem::take(&mut self.moved) {
            let at = (u64::from(command) / PACKETS) as usize;
            if let Some(missing) = self.queues[at].missing.front_mut() {
                *missing -= bytes;
                if *missing == 0 {
                    self.complete(context, at);
                }
            }
        }
    }

    /// Reads packets of the queues in turn, as the FIFO has room for them.
    fn read(&mut self, context: &mut PartContext<'_>) {
        let room = self.params.fifo.0;
        while self.sending + self.params.packet_size.0 <= room {
            let Some(at) = self.in_turn(false, |queue| !queue.buffers.is_empty()) else { return };
            let Some(address) = self.queues[at].buffers.pop_front() else { return };
            let number = self.queues[at].begun;
            let span = self.span(at, number, address, Held::new(Wait::Descriptors, context.now()));
            self.sending += span.bytes;
            self.queues[at].begun += 1;
            self.queues[at].missing.push_back(span.bytes);
            self.mover.read(context, span);
            self.fetch(context, at);
        }
    }

    /// All of a read request has arrived: packets that are whole go to the network in their order, one each period.
    fn arrived(&mut self, context: &mut PartContext<'_>, command: u32, bytes: u64) {
        let (at, number) = ((u64::from(command) / PACKETS) as usize, u64::from(command) % PACKETS);
        let queue = &mut self.queues[at];
        let place = (number + PACKETS - queue.done % PACKETS) % PACKETS;
        let Some(missing) = queue.missing.get_mut(place as usize) else { return };
        *missing -= bytes;
        if *missing == 0 {
            self.free_at = self.free_at.max(context.now()) + self.params.period();
            self.agenda.add(context, self.free_at, Event::Gone(at));
        }
    }

    /// The completion of the next packet of a queue, and its interrupt where that is due.
    fn complete(&mut self, context: &mut PartContext<'_>, at: usize) {
        let queue = &mut self.queues[at];
        let mut entry = vec![0; self.params.completion_bytes.0.max(8) as usize];
        let address = queue.completions.at(queue.done);
        queue.missing.pop_front();
        queue.done += 1;
        entry[..8].copy_from_slice(&queue.done.to_le_bytes());
        self.mover.tell(context, queue.flow, Purpose::Status, (address, entry.into()));
        if queue.message.is_some() {
            match queue.moderation.ended(context.now()) {
                Tell::Now => self.interrupt(context, at),
                Tell::By(due) => self.agenda.add(context, due, Event::Due(at)),
                Tell::Later => {}
            }
        }
    }

    fn interrupt(&mut self, context: &mut PartContext<'_>, at: usize) {
        let queue = &mut self.queues[at];
        queue.moderation.told();
        if let Some(message) = queue.message {
            let data = Box::new(message.data.to_le_bytes());
            self.mover.tell(context, queue.flow, Purpose::Interrupt, (message.address, data));
        }
    }
}

impl Part for Card {
    fn start(&mut self, context: &mut PartContext<'_>) {
        if self.queues.iter().any(|queue| queue.receives) {
            self.agenda.add(context, context.now() + self.params.period(), Event::Come);
        }
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let now = context.now();
        match (arrived.header, &arrived.data) {
            (Header::Request { write: true, address, .. }, Payload::Bytes(tail)) => {
                if let Some(at) = self.queues.iter().position(|queue| queue.doorbell == address) {
                    let tail = tail.get(..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
                    let queue = &mut self.queues[at];
                    queue.reader.rung(&queue.ring, tail);
                    self.fetch(context, at);
                }
            }
            (Header::Request { write: false, bytes, .. }, _) => {
                // Registers that nothing here has read as zero.
                for answer in completions(&arrived, pcie::tlp::RCB_ENDPOINT_BYTES, bytes, now) {
                    let data = Payload::Bytes(vec![0; answer.data.bytes() as usize].into());
                    context.send(Leaving { data, ..answer });
                }
            }
            (Header::Request { .. }, _) => context.refuse(|| "it got a store without its bytes".to_string()),
            (Header::Completion { tag, remaining, bytes, .. }, data) => {
                let last = remaining <= bytes;
                match (self.mover.answered(context, tag, last), data) {
                    (Some(Asked::Beside(at)), Payload::Bytes(data)) => self.fetched(context, at, data),
                    (Some(Asked::Data { command, bytes }), _) if last => {
                        self.mover.free(context, tag);
                        self.arrived(context, command, bytes);
                    }
                    (Some(Asked::Data { .. }), _) => {}
                    _ => context.refuse(|| format!("it got an answer with the tag {tag} that it cannot use")),
                }
            }
        }
        context.release(arrived.hold, now);
    }

    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        while let Some(event) = self.agenda.next(context) {
            match event {
                Event::Come => self.come(context),
                Event::Gone(at) => {
                    let bytes = self.params.packet(self.queues[at].batch, self.queues[at].done);
                    self.sending -= bytes;
                    context.deliver(self.queues[at].flow, bytes, context.now());
                    self.complete(context, at);
                    self.read(context);
                }
                Event::Due(at) if self.queues[at].moderation.is_due(context.now()) => self.interrupt(context, at),
                Event::Due(_) => {}
            }
        }
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.received -= u64::from(sent.payload);
        self.mover.left(context, u64::from(sent.payload), &mut self.moved);
        self.count(context);
        if self.paused {
            self.come(context);
        }
    }
}
