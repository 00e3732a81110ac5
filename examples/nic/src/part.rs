//! What a network card does with time: descriptors into the card, packets between its FIFOs and memory, completions and
//! interrupts after them.

use crate::{NicParams, WIRE};
use pcie::Time;
use queues::{Agenda, Arrival, Mover, Numbered, Span};
use sim::parts::{Arrived, Held, Part, PartContext, Sent};
use std::collections::VecDeque;
use system::Wait;

/// A descriptor ring with its completions, as the card has it.
#[derive(Debug)]
pub struct Queue {
    pub numbered: Numbered,
    pub flow: u32,
    pub receives: bool,
    /// Bytes of a batch; of the flow's batches, those numbered `first`, `first + jobs` and so on.
    pub batch: u64,
    pub first: u64,
    pub jobs: u64,
    /// Buffers of the descriptors that have arrived and are not used yet.
    pub buffers: VecDeque<u64>,
    /// Packets that have come from the network or are read.
    pub begun: u64,
    /// Of the packets after those with completions that are written or read: bytes that have not been.
    pub missing: VecDeque<u64>,
}

/// What happens in a card at a time: a packet comes, one has gone, an interrupt is due; the last two of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Come,
    Gone(usize),
    Due(usize),
}

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
        let queue = &mut self.queues[at];
        let used = if queue.receives { queue.numbered.ended() } else { queue.begun };
        queue.numbered.fetch(context, &mut self.mover, used, at);
    }

    /// Descriptors, or a part of them, have arrived.
    fn fetched(&mut self, context: &mut PartContext<'_>, at: usize, data: &[u8]) {
        let queue = &mut self.queues[at];
        let buffer = |descriptor: &[u8]| descriptor[..8].try_into().map_or(0, u64::from_le_bytes);
        queue.numbered.arrive(data, |descriptor| queue.buffers.push_back(buffer(descriptor)));
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
            command: Numbered::command(at, number),
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
        loop {
            let queue = &mut self.queues[at];
            let number = queue.numbered.ended() + queue.missing.len() as u64;
            let Some(address) = (number < queue.begun).then(|| queue.buffers.pop_front()).flatten() else { break };
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
            let at = Numbered::at(command);
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
        let at = Numbered::at(command);
        let queue = &mut self.queues[at];
        let Some(missing) = queue.missing.get_mut(queue.numbered.before(command)) else { return };
        *missing -= bytes;
        if *missing == 0 {
            self.free_at = self.free_at.max(context.now()) + self.params.period();
            self.agenda.add(context, self.free_at, Event::Gone(at));
        }
    }

    /// The completion of the next packet of a queue, and its interrupt where that is due.
    fn complete(&mut self, context: &mut PartContext<'_>, at: usize) {
        self.queues[at].missing.pop_front();
        if let Some(due) = self.queues[at].numbered.end(context, &self.mover) {
            self.agenda.add(context, due, Event::Due(at));
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
        match self.mover.arrived(context, &arrived) {
            Arrival::Beside(at, data) => self.fetched(context, at, data),
            Arrival::Data { command, bytes, .. } => self.arrived(context, command, bytes),
            Arrival::Request => {
                let queues = self.queues.iter_mut().map(|queue| &mut queue.numbered);
                if let Some(at) = Numbered::requested(context, &arrived, queues) {
                    self.fetch(context, at);
                }
            }
            Arrival::Partly => {}
        }
        context.release(arrived.hold, context.now());
    }

    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        while let Some(event) = self.agenda.next(context) {
            match event {
                Event::Come => self.come(context),
                Event::Gone(at) => {
                    let bytes = self.params.packet(self.queues[at].batch, self.queues[at].numbered.ended());
                    self.sending -= bytes;
                    context.deliver(self.queues[at].flow, bytes, context.now());
                    self.complete(context, at);
                    self.read(context);
                }
                Event::Due(at) => self.queues[at].numbered.look(context, &self.mover),
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
