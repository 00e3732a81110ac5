//! A card with a DMA engine: its channels (one a flow), its core, and its answers to those who read from it.

pub(crate) mod command;
pub(crate) mod feed;
pub(crate) mod outlet;
pub(crate) mod reader;
pub(crate) mod ring;
pub(crate) mod writer;

use crate::engine::answer::completions;
use crate::engine::by_flow::ByFlow;
use crate::engine::region::bytes_at;
use crate::engine::tlp::Purpose;
use crate::link::exit::Exit;
use crate::link::fabric::{Fabric, Sent};
use crate::parts::card::feed::{Arriving, Feed, Waiting};
use crate::parts::card::outlet::Outlet;
use crate::parts::card::reader::Reader;
use crate::parts::card::writer::Writer;
use crate::parts::compare::compare;
use crate::parts::part::Part;
use pcie::tlp::{Kind, RCB_ENDPOINT_BYTES};
use pcie::{Class, Time};
use std::collections::VecDeque;

/// What a flow does at its card.
pub(crate) enum Channel {
    Writer(Writer),
    Reader(Reader),
}

/// A card.
pub(crate) struct Card {
    pub outlet: Outlet,
    pub mps: u64,
    /// Where the card's own completions leave, by port.
    pub answers: Vec<Exit>,
    pub channels: ByFlow<Channel>,
    /// FIFOs between flows that arrive and flows that leave, by the latter; and where each flow that arrives goes.
    pub feeds: ByFlow<Feed>,
    pub feeds_into: ByFlow<u32>,
    pub core_free: Time,
    pub integrity: bool,
    /// Requests of others whose data is not there yet, in the order they came.
    pub asked: VecDeque<u32>,
}

/// Wake-ups: the data of the oldest request is there.
const ANSWER: u32 = u32::MAX;
/// Wake-ups of a flow, in the high bits; zero: completions are known.
const DOORBELL: u32 = 1 << 28;
/// Descriptors are known.
const RING: u32 = 2 << 28;
/// Bytes to write on are known.
const FED: u32 = 3 << 28;
/// A TLP of a flow with a feed has left.
const LEFT: u32 = 4 << 28;
const FLOW: u32 = (1 << 28) - 1;

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
        let back = |exit: &&Exit| exit.direction ^ 1 == request.came_by;
        let Some(exit) = self.answers.iter().find(back).copied() else { return };
        for mut completion in completions(&request, RCB_ENDPOINT_BYTES, most, fabric.now) {
            if self.integrity {
                completion.data = Some(bytes_at(completion.flow, completion.offset, completion.payload as u64));
            }
            fabric.enqueue(exit.direction, exit.source, completion);
        }
    }

    fn receive_write(&mut self, fabric: &mut Fabric, place: u32) {
        compare(fabric, place);
        let through = match fabric.tlps[place].purpose {
            Purpose::Payload => self.pass_core(fabric, place),
            _ => fabric.now,
        };
        let tlp = &mut fabric.tlps[place];
        let (flow, payload, born, came_by) = (tlp.flow, tlp.payload, tlp.born, tlp.came_by);
        let (purpose, data) = (tlp.purpose, tlp.data.take());
        fabric.tlps.remove(place);
        let known = through + self.outlet.params.rx_latency;
        if purpose == Purpose::Doorbell {
            fabric.free_credits(came_by, Class::Posted, payload, through);
            fabric.wake(self.outlet.part, DOORBELL | flow, known);
            return;
        }
        fabric.deliver(flow, payload as u64, through);
        fabric.flows.timed(flow, known - born);
        match self.feed_of(flow).map(|feed| feed.admit(Waiting { came_by, payload, data })) {
            None => fabric.free_credits(came_by, Class::Posted, payload, through),
            Some(Some(tlp)) => self.take_in(fabric, flow, tlp, through),
            Some(None) => {}
        }
    }

    /// The FIFO that `flow` fills here.
    fn feed_of(&mut self, flow: u32) -> Option<&mut Feed> {
        self.feeds.get_mut(*self.feeds_into.get(flow)?)
    }

    /// A posted TLP for which there is room in the FIFO goes into it at `through`.
    fn take_in(&mut self, fabric: &mut Fabric, flow: u32, tlp: Waiting, through: Time) {
        fabric.free_credits(tlp.came_by, Class::Posted, tlp.payload, through);
        self.fill(fabric, flow, tlp.payload, tlp.data, through);
    }

    /// Payload goes into the FIFO: a latency later it may be written on.
    fn fill(&mut self, fabric: &mut Fabric, flow: u32, payload: u32, data: Option<Box<[u8]>>, through: Time) {
        let known = through + self.outlet.params.rx_latency;
        let Some(&into) = self.feeds_into.get(flow) else { return };
        if let Some(feed) = self.feeds.get_mut(into) {
            feed.push(Arriving { known, bytes: payload as u64, data });
            fabric.wake(self.outlet.part, FED | into, known);
        }
    }

    fn receive_completion(&mut self, fabric: &mut Fabric, place: u32) {
        let tlp = &fabric.tlps[place];
        let (flow, payload, came_by, tag, last) = (tlp.flow, tlp.payload, tlp.came_by, tlp.tag, tlp.last);
        if tlp.purpose == Purpose::Descriptors {
            fabric.free_credits(came_by, Class::Completion, payload, fabric.now);
            fabric.tlps.remove(place);
            self.receive_descriptors(fabric, flow, last);
            return;
        }
        compare(fabric, place);
        let through = self.pass_core(fabric, place);
        fabric.free_credits(came_by, Class::Completion, payload, through);
        fabric.deliver(flow, payload as u64, through);
        let data = fabric.tlps[place].data.take();
        fabric.tlps.remove(place);
        if let Some(Channel::Reader(reader)) = self.channels.get_mut(flow) {
            reader.passed(fabric, &self.outlet, tag, payload, last, through);
        }
        self.fill(fabric, flow, payload, data, through);
    }

    fn receive_descriptors(&mut self, fabric: &mut Fabric, flow: u32, last: bool) {
        let progress = match self.channels.get_mut(flow) {
            Some(Channel::Writer(writer)) => &mut writer.progress,
            Some(Channel::Reader(reader)) => &mut reader.progress,
            None => return,
        };
        if let Some(ring) = progress.ring.as_mut().filter(|_| last) {
            ring.arrived();
            fabric.wake(self.outlet.part, RING | flow, fabric.now + self.outlet.params.rx_latency);
        }
    }

    /// A TLP of `flow`, which has a feed, has left: what waited for room comes in, and the reader that fills the
    /// FIFO may ask for more.
    fn left(&mut self, fabric: &mut Fabric, flow: u32) {
        let Some(feed) = self.feeds.get_mut(flow) else { return };
        let (from, admitted) = (feed.from, feed.left());
        for tlp in admitted {
            self.take_in(fabric, from, tlp, fabric.now);
        }
        if let Some(Channel::Reader(reader)) = self.channels.get_mut(from) {
            reader.pump(fabric, &self.outlet, self.feeds.get_mut(flow));
        }
    }
}

impl Part for Card {
    fn start(&mut self, fabric: &mut Fabric) {
        for flow in self.channels.flows().to_vec() {
            match self.channels.get_mut(flow) {
                Some(Channel::Writer(writer)) => writer.start(fabric, &self.outlet, self.feeds.get_mut(flow)),
                Some(Channel::Reader(reader)) => {
                    let feed = self.feeds_into.get(flow).and_then(|&into| self.feeds.get_mut(into));
                    reader.start(fabric, &self.outlet, feed);
                }
                None => {}
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
        let flow = token & FLOW;
        let what = token & !FLOW;
        if what == LEFT {
            self.left(fabric, flow);
            return;
        }
        let Some(channel) = self.channels.get_mut(flow) else { return };
        match channel {
            Channel::Writer(writer) => {
                let mut feed = self.feeds.get_mut(flow);
                match what {
                    DOORBELL => writer.doorbell(fabric, &self.outlet, feed),
                    RING => {
                        writer.progress.descriptors_known(fabric, &self.outlet);
                        writer.supplied(fabric, &self.outlet, feed);
                    }
                    _ => {
                        if let Some(feed) = &mut feed {
                            feed.settle(fabric.now);
                        }
                        writer.supplied(fabric, &self.outlet, feed);
                    }
                }
            }
            Channel::Reader(reader) => {
                let feed = self.feeds_into.get(flow).and_then(|&into| self.feeds.get_mut(into));
                match what {
                    DOORBELL => reader.doorbell(fabric, &self.outlet, feed),
                    RING => {
                        reader.progress.descriptors_known(fabric, &self.outlet);
                        reader.pump(fabric, &self.outlet, feed);
                    }
                    _ => reader.known(fabric, &self.outlet, feed),
                }
            }
        }
    }

    fn sent(&mut self, fabric: &mut Fabric, sent: Sent) {
        let flow = sent.flow;
        match self.channels.get_mut(flow) {
            Some(Channel::Writer(writer)) => {
                let mut feed = self.feeds.get_mut(flow);
                if let Some(feed) = &mut feed {
                    feed.leaves(sent.payload as u64);
                    fabric.wake(self.outlet.part, LEFT | flow, sent.end);
                }
                writer.sent(fabric, &self.outlet, sent, feed);
            }
            Some(Channel::Reader(reader)) => {
                let feed = self.feeds_into.get(flow).and_then(|&into| self.feeds.get_mut(into));
                reader.sent(fabric, &self.outlet, sent, feed);
            }
            None => {}
        }
    }
}
