//! A controller with SATA drives: from the registers that software stores to, to the ends that it tells of.

use super::face::PortPlace;
use super::lanes::{DriveAt, Lanes};
use super::params::{DEVICE, FAILED, FIS_BYTES, MOST_MEMBERS, Protocol, SataParams, WIRE};
use super::port::{Before, Event, Port, number, of_number};
use crate::faults::Fate;
use pcie::Time;
use pcie::tlp::Header;
use queues::Agenda;
use queues::Transfer;
use queues::mover::QUEUES;
use queues::{Mover, Span};
use sim::parts::{Arrived, Held, Leaving, Part, PartContext, Payload, Purpose, Sent, completions};
use system::Wait;

/// See the module.
pub(crate) struct Controller {
    pub(super) params: SataParams,
    pub(super) registers: u64,
    pub(super) ports: Vec<Port>,
    pub(super) mover: Mover<u32>,
    agenda: Agenda<Event>,
    /// Data given to the link, by command.
    moved: Vec<(u32, u64)>,
    waits: (Wait, Wait),
    /// The lanes to the expander; `None` where each drive has a port of its own.
    lanes: Option<Lanes>,
}

impl Controller {
    /// A controller with `ports`, each with the number of its tags, and what its drive was given before where it is written.
    pub fn new(
        params: &SataParams,
        registers: u64,
        ports: Vec<(PortPlace, u64, Option<Before>)>,
        mover: Mover<u32>,
    ) -> Controller {
        let count = ports.len();
        Controller {
            params: params.clone(),
            registers,
            ports: ports.into_iter().map(|(place, tags, before)| Port::new(params, place, tags, before)).collect(),
            mover,
            agenda: Agenda::new(),
            moved: Vec::new(),
            waits: (Wait::own(WIRE), Wait::own(DEVICE)),
            lanes: params.expander_lanes.0.map(|lanes| Lanes::new(lanes.0, count, params.members.0 as usize)),
        }
    }

    pub(super) fn at(&mut self, context: &mut PartContext<'_>, at: Time, event: Event) {
        self.agenda.add(context, at, event);
    }

    fn transfer(&self, port: u32, tag: u32) -> Transfer {
        let command = &self.ports[port as usize].commands[tag as usize];
        command.transfer.unwrap_or(Transfer { reads: true, at: 0, bytes: 0, address: 0 })
    }

    /// The drive has a command.
    fn there(&mut self, context: &mut PartContext<'_>, port: u32, tag: u32) {
        let Transfer { reads, at, bytes, .. } = self.transfer(port, tag);
        let of = &mut self.ports[port as usize];
        let fate = of.fates.next();
        let command = &mut of.commands[tag as usize];
        (command.left, command.coming, command.fate) = (bytes, bytes, fate);
        match fate {
            Fate::Well | Fate::Late(_) => {}
            Fate::Fails => {
                return self.at(context, context.now() + self.params.completion_latency, Event::End(port, tag));
            }
            Fate::Lost => {
                of.is_silent = true;
                return of.place.flows.each().for_each(|flow| context.stopped(flow));
            }
        }
        if !reads {
            of.for_room.push_back(tag);
            return self.take_room(context, port);
        }
        for (offset, member, own, bytes) in self.params.segments(at, bytes) {
            let drive = &mut self.ports[port as usize].drives[member];
            let mut from = drive.read(context.now(), own, bytes);
            let mut done = 0;
            while done < bytes {
                let piece = FIS_BYTES.min(bytes - done);
                from = drive.stream(from, own.wrapping_add(done), piece);
                self.agenda.add(context, from, Event::Ready(port, tag, offset + done, piece));
                done += piece;
            }
        }
    }

    /// Commands that write take room in the cache, and read their data from host memory.
    fn take_room(&mut self, context: &mut PartContext<'_>, port: u32) {
        loop {
            let of = &mut self.ports[port as usize];
            let Some(&tag) = of.for_room.front() else { return };
            let command = &of.commands[tag as usize];
            let (at, bytes) = (command.transfer.map_or(0, |transfer| transfer.at), command.left);
            let mut each = [0; MOST_MEMBERS as usize];
            self.params.segments(at, bytes).for_each(|(_, member, _, bytes)| each[member] += bytes);
            if of.drives.iter().zip(each).any(|(drive, bytes)| !drive.has_room(bytes)) {
                return;
            }
            of.drives.iter_mut().zip(each).for_each(|(drive, bytes)| drive.reserve(bytes));
            of.for_room.pop_front();
            let span = self.span(context, port, tag, (0, bytes), self.waits.1);
            self.mover.read(context, span);
        }
    }

    /// Data of a command: from an offset on, so many bytes. It has waited for software and then for `then`.
    fn span(&self, context: &PartContext<'_>, port: u32, tag: u32, (offset, bytes): (u64, u64), then: Wait) -> Span {
        let of = &self.ports[port as usize];
        let came = of.commands[tag as usize].came;
        let held = Held { by: Wait::Software, until: came.min(context.now()), then };
        let Transfer { reads, address, .. } = self.transfer(port, tag);
        let address = address + offset;
        Span { flow: of.place.flows.of(reads), offset: address, address, bytes, command: number(port, tag), held }
    }

    /// `bytes` of a command have come from host memory: full FISes, and the last one, go over the SATA link.
    fn gather(&mut self, context: &mut PartContext<'_>, port: u32, tag: u32, bytes: u64) {
        let command = &mut self.ports[port as usize].commands[tag as usize];
        (command.gathered, command.coming) = (command.gathered + bytes, command.coming.saturating_sub(bytes));
        let at = command.transfer.map_or(0, |transfer| transfer.at);
        loop {
            let command = &mut self.ports[port as usize].commands[tag as usize];
            let (member, _, room) = self.params.member(at.wrapping_add(command.gone));
            let piece = command.gathered.min(FIS_BYTES).min(room);
            if piece == 0 || piece < FIS_BYTES.min(room) && command.coming > 0 {
                return;
            }
            (command.gathered, command.gone) = (command.gathered - piece, command.gone + piece);
            self.pass(context, (port, member as u32), piece, Event::Gone(port, tag, piece));
        }
    }

    /// Lets a FIS with `bytes` of data pass the SATA link of a drive, and a lane to the expander where there is one; `then`
    /// happens at the end.
    fn pass(&mut self, context: &mut PartContext<'_>, drive: DriveAt, bytes: u64, then: Event) {
        match &mut self.lanes {
            None => {
                let end = self.ports[drive.0 as usize].drives[drive.1 as usize].data(context.now(), bytes);
                self.at(context, end, then);
            }
            Some(lanes) => {
                lanes.add(drive, bytes, then);
                self.next_fis(context);
            }
        }
    }

    /// Lets FISes go on the lanes that are free.
    fn next_fis(&mut self, context: &mut PartContext<'_>) {
        while let Some(((port, member), bytes)) = self.lanes.as_mut().and_then(Lanes::next) {
            let end = self.ports[port as usize].drives[member as usize].data(context.now(), bytes);
            self.at(context, end, Event::Passed(port, member));
        }
    }

    fn count(&mut self, context: &mut PartContext<'_>) {
        let mut moved = std::mem::take(&mut self.moved);
        for (command, bytes) in moved.drain(..) {
            let (port, tag) = of_number(command);
            self.has_moved(context, port, tag, bytes);
        }
        self.moved = moved;
    }

    fn has_moved(&mut self, context: &mut PartContext<'_>, port: u32, tag: u32, bytes: u64) {
        let of = &mut self.ports[port as usize];
        let command = &mut of.commands[tag as usize];
        let flow = of.place.flows.of(command.transfer.is_none_or(|transfer| transfer.reads));
        command.left = command.left.saturating_sub(bytes);
        if command.left > 0 || of.is_silent {
            return;
        }
        let ends = context.now() + self.params.completion_latency;
        let Fate::Late(late) = command.fate else { return self.at(context, ends, Event::End(port, tag)) };
        context.was_late(flow);
        self.at(context, ends + late, Event::End(port, tag));
    }

    /// A command has ended: tells software.
    fn end(&mut self, context: &mut PartContext<'_>, port: u32, tag: u32) {
        let of = &mut self.ports[port as usize];
        of.working -= 1;
        of.active &= !(1u32.checked_shl(tag).unwrap_or(0));
        let failed = if of.commands[tag as usize].fate == Fate::Fails { FAILED } else { 0 };
        let pass = u64::from(of.told / of.place.entries) + 1;
        let data = match of.place.protocol {
            // Set Device Bits: its type, and the tag that has ended.
            Protocol::Ahci => 0xa1 | u64::from(1u32.checked_shl(tag).unwrap_or(0)) << 32,
            Protocol::Sas => u64::from(tag) | failed | pass << 32,
        };
        let (at, message) = (of.place.told_at(of.told), of.place.message);
        let flow = of.place.flows.of(of.commands[tag as usize].transfer.is_none_or(|transfer| transfer.reads));
        // What the queued error log of the drive says: which command it was.
        let error = (failed != 0 && of.place.protocol == Protocol::Ahci).then(|| of.place.failed_at());
        of.told = of.told.wrapping_add(1);
        if let Some(at) = error {
            self.mover.tell(context, flow, Purpose::Status, (at, Box::new((failed | u64::from(tag)).to_le_bytes())));
        }
        self.mover.tell(context, flow, Purpose::Status, (at, Box::new(data.to_le_bytes())));
        if let Some(message) = message {
            let data = Box::new(message.data.to_le_bytes());
            self.mover.tell(context, flow, Purpose::Interrupt, (message.address, data));
        }
        self.take(context, port);
    }

    fn happens(&mut self, context: &mut PartContext<'_>, event: Event) {
        let now = context.now();
        if let Event::Passed(port, member) = event {
            let then = self.lanes.as_mut().and_then(|lanes| lanes.passed((port, member)));
            self.next_fis(context);
            return then.map_or((), |then| self.happens(context, then));
        }
        if self.ports[event.port() as usize].is_silent {
            if let Event::Data(request, ..) = event {
                self.mover.free(context, request);
            }
            return;
        }
        match event {
            Event::Written(port, member, bytes) => {
                self.ports[port as usize].drives[member as usize].written(bytes);
                self.take_room(context, port);
            }
            Event::Begin(port, tag) => {
                let Transfer { at, bytes, .. } = self.transfer(port, tag);
                let drives = &mut self.ports[port as usize].drives;
                let segments = self.params.segments(at, bytes).take(drives.len());
                let there = segments.map(|(_, member, ..)| drives[member].command(now)).max();
                self.at(context, there.unwrap_or(now), Event::There(port, tag));
            }
            Event::There(port, tag) => self.there(context, port, tag),
            // The link is taken when data is there, so that a command goes between the data of others.
            Event::Ready(port, tag, offset, bytes) => {
                let (member, ..) = self.params.member(self.transfer(port, tag).at.wrapping_add(offset));
                self.pass(context, (port, member as u32), bytes, Event::Came(port, tag, offset, bytes));
            }
            Event::Came(port, tag, offset, bytes) => {
                let span = self.span(context, port, tag, (offset, bytes), self.waits.0);
                self.mover.write(context, span, &mut self.moved);
                self.count(context);
            }
            Event::Data(request, port, tag, bytes) => {
                self.mover.free(context, request);
                self.gather(context, port, tag, bytes);
            }
            Event::Gone(port, tag, bytes) => {
                let Transfer { at, bytes: all, .. } = self.transfer(port, tag);
                let of = &mut self.ports[port as usize];
                context.deliver(of.place.flows.writes, bytes, now);
                // What is in the cache is written command by command: those in flight do not take the arm from one another.
                if of.commands[tag as usize].left == bytes {
                    for (_, member, own, bytes) in self.params.segments(at, all) {
                        let written = of.drives[member].write(now, own, bytes);
                        self.agenda.add(context, written, Event::Written(port, member as u32, bytes));
                    }
                }
                self.has_moved(context, port, tag, bytes);
            }
            Event::End(port, tag) => self.end(context, port, tag),
            Event::Passed(..) => {}
        }
    }
}

impl Part for Controller {
    fn queues(&self, _: usize) -> u32 {
        QUEUES
    }

    fn start(&mut self, context: &mut PartContext<'_>) {
        for port in 0..self.ports.len() as u32 {
            for (member, bytes, at) in self.ports[port as usize].fill(&self.params, context.now()) {
                self.at(context, at, Event::Written(port, member, bytes));
            }
        }
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let now = context.now();
        match arrived.header {
            Header::Request { write: true, address, .. } => {
                let value = match &arrived.data {
                    Payload::Bytes(data) => data.as_ref().try_into().ok().map(u32::from_le_bytes),
                    Payload::Length(_) => None,
                };
                context.release(arrived.hold, now);
                match value {
                    Some(value) => self.stored(context, address, value),
                    None => context.refuse(|| format!("its register at {address:#x} got no number of 4 bytes")),
                }
            }
            Header::Request { write: false, address, bytes, .. } => {
                let port =
                    PortPlace::accessed(self.registers, address).and_then(|(port, _)| self.ports.get(port as usize));
                let active = u64::from(port.map_or(0, |port| port.active)).to_le_bytes();
                for answer in completions(&arrived, pcie::tlp::RCB_ENDPOINT_BYTES, bytes, now) {
                    let data = Payload::Bytes(active[..answer.data.bytes().min(8) as usize].into());
                    context.send(Leaving { data, ..answer });
                }
                context.release(arrived.hold, now);
            }
            Header::Completion { tag, remaining, bytes, .. } => {
                context.release(arrived.hold, now);
                self.answered(context, tag, &arrived.data, remaining <= bytes);
            }
        }
    }

    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        while let Some(event) = self.agenda.next(context) {
            self.happens(context, event);
        }
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.mover.left(context, u64::from(sent.payload), &mut self.moved);
        self.count(context);
    }
}
