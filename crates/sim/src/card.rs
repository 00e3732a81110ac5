//! A card with a DMA engine: its channels (one a flow), its core, and its answers to those who read from it.

use crate::answer::completions;
use crate::fabric::{Fabric, Sent};
use crate::part::Part;
use crate::reader::Reader;
use crate::region::byte_at;
use crate::tlp::Purpose;
use crate::writer::Writer;
use pcie::tlp::Kind;
use pcie::{Bdf, Class, Time};
use std::collections::VecDeque;
use system::kinds::CardParams;

/// What every channel of a card needs of it.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    pub part: u32,
    /// The direction that leads out of the card.
    pub direction: u32,
    pub requester: Bdf,
    pub params: CardParams,
}

/// What a flow does at its card.
pub(crate) enum Channel {
    Writer(Writer),
    Reader(Reader),
}

/// A card.
pub(crate) struct Card {
    pub outlet: Outlet,
    pub mps: u64,
    /// The source of the card's own completions.
    pub answers_source: u32,
    /// By flow.
    pub channels: Vec<Option<Channel>>,
    pub core_free: Time,
    /// Requests of others whose data is not there yet, in the order they came.
    pub asked: VecDeque<u32>,
}

/// Wake-ups: the data of the oldest request is there.
const ANSWER: u32 = u32::MAX;
/// Wake-ups: a doorbell is known; the flow is in the low bits.
const DOORBELL: u32 = 1 << 31;

impl Card {
    /// A TLP with payload streams through the core, from its first symbol on and no faster than it arrives: when its
    /// last byte is through.
    fn pass_core(&mut self, fabric: &Fabric, place: u32) -> Time {
        let tlp = &fabric.tlps[place];
        let arriving = fabric.directions[tlp.came_by as usize].wire.duration(tlp.wire as u64);
        let start = self.core_free.max(fabric.now.saturating_sub(arriving));
        self.core_free = (start + self.outlet.params.core_time(tlp.payload as u64)).max(fabric.now);
        self.core_free
    }

    fn answer(&mut self, fabric: &mut Fabric) {
        let Some(place) = self.asked.pop_front() else { return };
        let request = fabric.tlps[place].clone();
        fabric.tlps.remove(place);
        fabric.free_credits(request.came_by, Class::NonPosted, 0, fabric.now);
        let most = self.outlet.params.target_completion_bytes.0.min(self.mps);
        for completion in completions(&request, 64, most, fabric.now) {
            fabric.enqueue(self.outlet.direction, self.answers_source, completion);
        }
    }

    fn receive_write(&mut self, fabric: &mut Fabric, place: u32) {
        let tlp = &fabric.tlps[place];
        let (flow, payload, born, came_by) = (tlp.flow, tlp.payload, tlp.born, tlp.came_by);
        let purpose = tlp.purpose;
        compare(fabric, place);
        let known = match purpose {
            Purpose::Payload => self.pass_core(fabric, place),
            _ => fabric.now,
        };
        fabric.free_credits(came_by, Class::Posted, payload, known);
        let known = known + self.outlet.params.rx_latency;
        if purpose == Purpose::Doorbell {
            fabric.wake(self.outlet.part, DOORBELL | flow, known);
        } else {
            fabric.deliver(flow, payload as u64);
            fabric.flows.timed(flow, known - born);
        }
        fabric.tlps.remove(place);
    }

    fn receive_completion(&mut self, fabric: &mut Fabric, place: u32) {
        let tlp = &fabric.tlps[place];
        let (flow, payload, came_by, tag, last) = (tlp.flow, tlp.payload, tlp.came_by, tlp.tag, tlp.last);
        compare(fabric, place);
        let through = self.pass_core(fabric, place);
        fabric.free_credits(came_by, Class::Completion, payload, through);
        fabric.deliver(flow, payload as u64);
        fabric.tlps.remove(place);
        if let Some(Some(Channel::Reader(reader))) = self.channels.get_mut(flow as usize) {
            reader.passed(fabric, &self.outlet, tag, payload, last, through);
        }
    }
}

/// Compares payload bytes, where they travel, with what the flow sent.
pub(crate) fn compare(fabric: &mut Fabric, place: u32) {
    let tlp = &fabric.tlps[place];
    let Some(data) = &tlp.data else { return };
    let (flow, offset) = (tlp.flow, tlp.offset);
    let wrong = data.iter().zip(offset..).filter(|&(byte, at)| *byte != byte_at(flow, at)).count();
    let account = &mut fabric.flows.accounts[flow as usize];
    account.compared += data.len() as u64;
    account.wrong += wrong as u64;
}

impl Part for Card {
    fn start(&mut self, fabric: &mut Fabric) {
        for channel in self.channels.iter_mut().flatten() {
            match channel {
                Channel::Writer(writer) => writer.start(fabric, &self.outlet),
                Channel::Reader(reader) => reader.start(fabric, &self.outlet),
            }
        }
    }

    fn receive(&mut self, fabric: &mut Fabric, place: u32) {
        match fabric.tlps[place].kind {
            Kind::MemoryWrite => self.receive_write(fabric, place),
            Kind::MemoryRead => {
                self.asked.push_back(place);
                fabric.wake(self.outlet.part, ANSWER, fabric.now + self.outlet.params.target_read_latency);
            }
            Kind::CompletionData | Kind::Completion => self.receive_completion(fabric, place),
        }
    }

    fn wake(&mut self, fabric: &mut Fabric, token: u32) {
        if token == ANSWER {
            self.answer(fabric);
            return;
        }
        let (flow, doorbell) = (token & !DOORBELL, token & DOORBELL != 0);
        match self.channels.get_mut(flow as usize) {
            Some(Some(Channel::Writer(writer))) if doorbell => writer.doorbell(fabric, &self.outlet),
            Some(Some(Channel::Reader(reader))) if doorbell => reader.doorbell(fabric, &self.outlet),
            Some(Some(Channel::Reader(reader))) => reader.known(fabric, &self.outlet),
            _ => {}
        }
    }

    fn sent(&mut self, fabric: &mut Fabric, sent: Sent) {
        match self.channels.get_mut(sent.flow as usize) {
            Some(Some(Channel::Writer(writer))) => writer.sent(fabric, &self.outlet, sent),
            Some(Some(Channel::Reader(reader))) => reader.sent(fabric, &self.outlet, sent),
            _ => {}
        }
    }
}
