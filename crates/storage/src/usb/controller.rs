//! A USB host controller: from pieces of transfers in host memory to packets on the bus, and to interrupts.

use super::bus::Bus;
use super::entry::{self, Piece, event};
use super::params::{BUS, Interface, NEXT_MICROFRAME, UsbParams};
use super::ring::Rings;
use super::wire::{PACKET_BYTES, transaction};
use pcie::Time;
use pcie::tlp::Header;
use queues::{Asked, Mover, Span};
use sim::parts::{Arrived, Held, Leaving, Part, PartContext, Payload, Purpose, Sent, completions};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use system::Wait;

/// Something that happens in the controller at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The entry that was asked for is there and has been looked at.
    Entry,
    /// An EHCI looks for work.
    Look,
    /// The packet on the bus has ended.
    Packet,
    /// A request for data with this tag, of so many bytes, is complete.
    Data(u16, u64),
    /// The oldest piece that has ended is reported.
    Report,
    /// The time of an interrupt.
    Interrupt,
}

/// A piece that the controller has fetched, or whose packets have all passed.
#[derive(Clone, Copy, Debug)]
struct Fetched {
    piece: Piece,
    place: u32,
    came: Time,
    /// Bytes that have passed the bus.
    passed: u64,
    /// For one that has ended: bytes of all that must have been given to the link before.
    needs: u64,
}

/// The waits that TLPs with data report.
struct Waits {
    bus: Wait,
    microframe: Wait,
}

/// See the module.
pub(crate) struct Controller {
    params: UsbParams,
    bus: Bus,
    /// `None` for a controller without a flow.
    ring: Option<Rings>,
    /// True where the device sends.
    receives: bool,
    mover: Mover<()>,
    waits: Waits,
    /// Pieces in order: on the bus the first; those that have ended and are not reported.
    pieces: VecDeque<Fetched>,
    ended: VecDeque<Fetched>,
    /// The next entry to ask for, and what came of it.
    asked: u32,
    fetching: bool,
    rung: bool,
    incoming: Option<Piece>,
    partly: Vec<u8>,
    /// The start of the packet on the bus, and what delayed it.
    packet: Option<Held>,
    device_ready: Time,
    /// Bytes read for packets that go out, of those asked for; and bytes of packets that came, of those given to the link.
    wanted: u64,
    there: u64,
    passed: u64,
    given: u64,
    moved: Vec<(u32, u64)>,
    /// Events of the ring; whether an interrupt is to come, and when the last one left.
    reported: u32,
    pending: bool,
    interrupted: Option<Time>,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    added: u64,
}

impl Controller {
    pub fn new(params: &UsbParams, ring: Option<Rings>, receives: bool, mover: Mover<()>) -> Controller {
        Controller {
            params: params.clone(),
            bus: Bus { reserve: params.reserve, percent: params.bulk_percent.0.min(100) },
            ring,
            receives,
            mover,
            waits: Waits { bus: Wait::own(BUS), microframe: Wait::own(NEXT_MICROFRAME) },
            pieces: VecDeque::with_capacity(64),
            ended: VecDeque::with_capacity(64),
            asked: 0,
            fetching: false,
            rung: false,
            incoming: None,
            partly: Vec::with_capacity(64),
            packet: None,
            device_ready: Time::ZERO,
            wanted: 0,
            there: 0,
            passed: 0,
            given: 0,
            moved: Vec::with_capacity(64),
            reported: 0,
            pending: false,
            interrupted: None,
            events: BinaryHeap::with_capacity(64),
            added: 0,
        }
    }

    fn at(&mut self, context: &mut PartContext<'_>, at: Time, event: Event) {
        self.added += 1;
        self.events.push(Reverse((at, self.added, event)));
        context.wake(0, at);
    }

    /// Asks for the next entry, if there is room for a piece.
    fn fetch(&mut self, context: &mut PartContext<'_>) {
        let Some(ring) = self.ring else { return };
        if self.fetching || self.pieces.len() as u64 > self.params.fetch_ahead.0 {
            return;
        }
        (self.fetching, self.rung) = (true, false);
        // Without work, it waits for the time of its interrupt first, and then for software.
        let wait = match (self.pieces.is_empty(), self.pending) {
            (false, _) => Wait::Descriptors,
            (true, true) => self.interrupts_wait(),
            (true, false) => Wait::Software,
        };
        self.mover.beside_waits_for(wait, Wait::Command);
        let what = (ring.pieces.at(u64::from(self.asked)), ring.interface.entry_bytes());
        self.mover.fetch(context, ring.flow, what, ());
    }

    /// The entry has been looked at.
    fn entry(&mut self, context: &mut PartContext<'_>) {
        self.fetching = false;
        let now = context.now();
        let Some(piece) = self.incoming.take() else {
            match self.params.controller {
                Interface::Ehci => self.at(context, now + self.params.idle_poll, Event::Look),
                Interface::Xhci if self.rung => self.fetch(context),
                Interface::Xhci => {}
            }
            return;
        };
        self.pieces.push_back(Fetched { piece, place: self.asked, came: now, passed: 0, needs: 0 });
        self.asked = self.asked.wrapping_add(1);
        self.fetch(context);
        self.read_ahead(context);
        self.go_on(context);
    }

    /// Reads data of packets that will go out, as far as there is room for it.
    fn read_ahead(&mut self, context: &mut PartContext<'_>) {
        if self.receives {
            return;
        }
        let Some(ring) = self.ring else { return };
        // Where the data that is wanted next begins: all pieces together from the bytes that have passed on.
        let mut skipped = self.wanted - self.passed;
        let buffer = self.params.buffer.0;
        for fetched in &self.pieces {
            let left = fetched.piece.bytes - fetched.passed;
            let own = skipped.min(left);
            skipped -= own;
            let room = buffer - (self.wanted - self.passed);
            // Whole packets, or the rest of the piece.
            let bytes = (left - own).min(room);
            let bytes = if bytes < left - own { bytes / PACKET_BYTES * PACKET_BYTES } else { bytes };
            if left > own && bytes == 0 {
                return;
            }
            if bytes > 0 {
                let address = fetched.piece.address + fetched.passed + own;
                let held = Held { by: Wait::Software, until: fetched.came, then: self.waits.bus };
                let span = Span { flow: ring.flow, offset: address, address, bytes, command: 0, held };
                self.mover.read(context, span);
                self.wanted += bytes;
            }
        }
    }

    /// Puts the next packet on the bus, if it can begin.
    fn go_on(&mut self, context: &mut PartContext<'_>) {
        let (now, Some(front)) = (context.now(), self.pieces.front()) else { return };
        let bytes = (front.piece.bytes - front.passed).min(PACKET_BYTES);
        let held_up = match self.receives {
            true => self.passed - self.given + bytes > self.params.buffer.0,
            false => self.there - self.passed < bytes,
        };
        if self.packet.is_some() || held_up {
            return;
        }
        let time = transaction(bytes);
        let ready = now.max(self.device_ready);
        let start = self.bus.start(ready, time);
        self.packet = Some(match (start > ready, front.passed) {
            (true, _) => Held { by: self.waits.microframe, until: start, then: self.waits.bus },
            (false, 0) => Held { by: Wait::Software, until: front.came.min(start), then: self.waits.bus },
            (false, _) => Held { by: self.waits.bus, until: start, then: self.waits.bus },
        });
        self.at(context, start + time, Event::Packet);
    }

    /// The packet on the bus has ended.
    fn packet(&mut self, context: &mut PartContext<'_>) {
        let (now, Some(ring)) = (context.now(), self.ring) else { return };
        let (Some(held), Some(front)) = (self.packet.take(), self.pieces.front_mut()) else { return };
        let bytes = (front.piece.bytes - front.passed).min(PACKET_BYTES);
        let address = front.piece.address + front.passed;
        front.passed += bytes;
        self.passed += bytes;
        let piece = *front;
        if piece.passed == piece.piece.bytes {
            self.pieces.pop_front();
            if piece.piece.last {
                self.device_ready = now + self.params.device_latency;
            }
            self.ended.push_back(Fetched { needs: self.passed, ..piece });
            if !self.receives || self.given >= self.passed {
                self.at(context, now + self.params.completion_latency, Event::Report);
            }
            self.fetch(context);
        }
        if self.receives && bytes > 0 {
            let span = Span { flow: ring.flow, offset: address, address, bytes, command: 0, held };
            self.mover.write(context, span, &mut self.moved);
            self.count(context);
        }
        self.read_ahead(context);
        self.go_on(context);
    }

    /// Counts what has been given to the link: pieces all of whose data has are reported.
    fn count(&mut self, context: &mut PartContext<'_>) {
        let before = self.given;
        self.given += self.moved.drain(..).map(|(_, bytes)| bytes).sum::<u64>();
        let now = before..self.given;
        let due = self.ended.iter().filter(|piece| piece.needs > now.start && piece.needs <= now.end).count();
        for _ in 0..due {
            self.at(context, context.now() + self.params.completion_latency, Event::Report);
        }
    }

    /// The oldest piece that has ended is reported.
    fn report(&mut self, context: &mut PartContext<'_>) {
        let (now, Some(ring), Some(piece)) = (context.now(), self.ring, self.ended.pop_front()) else { return };
        let at = ring.pieces.at(u64::from(piece.place));
        match self.params.controller {
            Interface::Ehci => {
                self.mover.tell(context, ring.flow, Purpose::Status, (at + entry::TOKEN_AT, Box::new([0; 4])));
                if piece.piece.last && !self.pending {
                    self.pending = true;
                    self.at(context, Bus::boundary(now, self.params.interrupt_threshold.0), Event::Interrupt);
                }
            }
            Interface::Xhci if piece.piece.last => {
                let data = event(at, ring.events.phase(u64::from(self.reported))).into_boxed_slice();
                let address = ring.events.at(u64::from(self.reported));
                self.reported = self.reported.wrapping_add(1);
                self.mover.tell(context, ring.flow, Purpose::Status, (address, data));
                if !self.pending {
                    self.pending = true;
                    let soonest = self.interrupted.map_or(now, |last| now.max(last + self.params.moderation));
                    self.at(context, soonest, Event::Interrupt);
                }
            }
            Interface::Xhci => {}
        }
    }

    /// What an interrupt waits for after its event.
    fn interrupts_wait(&self) -> Wait {
        match self.params.controller {
            Interface::Ehci => self.waits.microframe,
            Interface::Xhci => Wait::Command,
        }
    }

    fn interrupt(&mut self, context: &mut PartContext<'_>) {
        let Some(ring) = self.ring else { return };
        self.mover.beside_waits_for(Wait::Descriptors, self.interrupts_wait());
        (self.pending, self.interrupted) = (false, Some(context.now()));
        let data = Box::new(ring.message.data.to_le_bytes());
        self.mover.tell(context, ring.flow, Purpose::Interrupt, (ring.message.address, data));
    }

    fn happens(&mut self, context: &mut PartContext<'_>, event: Event) {
        match event {
            Event::Entry => self.entry(context),
            Event::Look => self.fetch(context),
            Event::Packet => self.packet(context),
            Event::Data(tag, bytes) => {
                self.mover.free(context, tag);
                self.there += bytes;
                self.go_on(context);
            }
            Event::Report => self.report(context),
            Event::Interrupt => self.interrupt(context),
        }
    }

    /// Bytes of the entry have arrived; with `last`, all of them.
    fn fetched(&mut self, context: &mut PartContext<'_>, data: &Payload, last: bool) {
        let (Payload::Bytes(data), Some(ring)) = (data, self.ring) else {
            return context.refuse(|| "it fetched an entry without its bytes".to_string());
        };
        self.partly.extend_from_slice(data);
        if last {
            self.incoming = Piece::decode(ring.interface, &self.partly, ring.pieces.phase(u64::from(self.asked)));
            self.partly.clear();
            self.at(context, context.now() + self.params.rx_latency, Event::Entry);
        }
    }
}

impl Part for Controller {
    fn start(&mut self, context: &mut PartContext<'_>) {
        if self.params.controller == Interface::Ehci {
            self.fetch(context);
        }
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let now = context.now();
        match arrived.header {
            Header::Request { write: true, .. } => {
                context.release(arrived.hold, now);
                self.rung = true;
                self.fetch(context);
            }
            Header::Request { write: false, bytes, .. } => {
                for answer in completions(&arrived, pcie::tlp::RCB_ENDPOINT_BYTES, bytes, now) {
                    let data = Payload::Bytes(vec![0; answer.data.bytes() as usize].into_boxed_slice());
                    context.send(Leaving { data, ..answer });
                }
                context.release(arrived.hold, now);
            }
            Header::Completion { tag, remaining, bytes, .. } => {
                let (data, label, last) = (arrived.data, arrived.label, remaining <= bytes);
                context.release(arrived.hold, now);
                match self.mover.answered(context, tag, last) {
                    Some(Asked::Beside(())) => self.fetched(context, &data, last),
                    Some(Asked::Data { bytes, .. }) => {
                        context.deliver(label.flow, u64::from(data.bytes()), now);
                        if last {
                            self.at(context, now + self.params.rx_latency, Event::Data(tag, bytes));
                        }
                    }
                    _ => context.refuse(|| format!("it got an answer with the tag {tag}, which it has not asked with")),
                }
            }
        }
    }

    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        while let Some(&Reverse((at, _, event))) = self.events.peek() {
            if at > context.now() {
                return;
            }
            self.events.pop();
            self.happens(context, event);
        }
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.mover.left(context, u64::from(sent.payload), &mut self.moved);
        self.count(context);
        self.go_on(context);
    }
}
