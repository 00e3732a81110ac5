//! A card with a DMA engine: its channels (one for each flow), its core, and its completions for reads by others.

use crate::channel::Channel;
use crate::feed::{Arriving, Feed, Stalled};
use crate::memory::ChannelMemory;
use crate::turns;
use pcie::Time;
use pcie::tlp::{Header, RCB_ENDPOINT_BYTES};
use sim::parts::{Arrived, ByFlow, KindError, Label, Part, PartContext, Payload, Purpose, Sent, completions, patterns};
use std::collections::VecDeque;
use system::kinds::CardParams;
use system::{PartId, Scenario};

/// A card.
pub struct Card {
    params: CardParams,
    mps: u64,
    channels: ByFlow<Channel>,
    /// FIFOs between arriving and leaving flows, by the leaving flow; and by arriving flow, the FIFO that it fills.
    feeds: ByFlow<Feed>,
    feeds_into: ByFlow<u32>,
    /// The flow that reads and the flow that writes, whose commands start in turn.
    turns: Option<(u32, u32)>,
    core_free: Time,
    integrity: bool,
    /// Read requests of others whose data is not ready yet, in order of arrival.
    asked: VecDeque<Arrived>,
    /// When the core has passed the completions given so far.
    answers_free: Time,
    /// Number of queues of each port. The first queue of a port is for completions.
    queues: Vec<u32>,
}

/// Wake-up token: the data of the oldest read request is ready.
const ANSWER: u32 = u32::MAX;
/// Wake-up tokens of a flow: the kind in the high bits (zero: completions are known), the flow in the low bits.
const DOORBELL: u32 = 1 << 28;
/// Descriptors are known to the engine.
const RING: u32 = 2 << 28;
/// Bytes to send on are known to the engine.
const FED: u32 = 3 << 28;
/// A TLP of a flow with a feed has left.
const LEFT: u32 = 4 << 28;
/// A translation is known to the engine.
const TRANSLATED: u32 = 6 << 28;
/// A command that is given one by one begins, or its read.
const GIVEN: u32 = 5 << 28;
const FLOW: u32 = (1 << 28) - 1;

impl Card {
    /// Card `id` of `scenario`, without channels yet.
    pub fn new(scenario: &Scenario, id: PartId, params: &CardParams) -> Card {
        let part = scenario.system.part(id);
        Card {
            params: params.clone(),
            mps: part.mps.bytes(),
            channels: ByFlow::default(),
            feeds: ByFlow::default(),
            feeds_into: ByFlow::default(),
            turns: None,
            core_free: Time::ZERO,
            integrity: scenario.integrity,
            asked: VecDeque::new(),
            answers_free: Time::ZERO,
            queues: vec![1; part.ports.len()],
        }
    }

    /// Adds the channel of flow `number`, which uses `memory`.
    ///
    /// # Errors
    /// No link leads to the target of the flow.
    pub fn add(&mut self, scenario: &Scenario, number: usize, memory: &ChannelMemory) -> Result<(), KindError> {
        let flow = &scenario.flows[number];
        let channel = Channel::new(scenario, number, memory, &self.params, &mut self.queues)?;
        self.channels.insert(number as u32, channel);
        if let Some(from) = flow.fed_by.filter(|&from| from < scenario.flows.len() && from != number) {
            self.feeds.insert(number as u32, Feed::new(from as u32, self.params.fifo.0));
            self.feeds_into.insert(from as u32, number as u32);
        }
        self.turns = if self.params.in_turn { turns::of(&self.channels, &self.feeds) } else { None };
        Ok(())
    }

    /// Lets the channels whose commands start in turn decide as far as it is their turn.
    #[inline(always)]
    fn take_turns(&mut self, context: &mut PartContext<'_>) {
        if let Some(flows) = self.turns {
            let feed = self.feeds_into.get(flows.0).and_then(|&into| self.feeds.get_mut(into));
            turns::decide(&mut self.channels, flows, feed, context, &self.params);
        }
    }

    /// Passes a TLP with payload through the core, from its first symbol on and not faster than it arrives. Returns
    /// when its last byte has passed.
    fn pass_core(&mut self, context: &PartContext<'_>, arrived: &Arrived) -> Time {
        let start = self.core_free.max(context.began(&arrived.hold));
        self.core_free = (start + self.params.core_time(u64::from(arrived.data.bytes()))).max(context.now());
        self.core_free
    }

    fn answer(&mut self, context: &mut PartContext<'_>) {
        let Some(request) = self.asked.pop_front() else { return };
        let now = context.now();
        let most = self.params.target_completion_bytes.0.min(self.mps);
        let answers = completions(&request, RCB_ENDPOINT_BYTES, most, now);
        context.release(request.hold, now);
        for mut completion in answers {
            if self.integrity {
                let Label { flow, offset, .. } = completion.label;
                completion.data = Payload::Bytes(patterns(flow, offset, u64::from(completion.data.bytes())));
            }
            let core = self.params.core_time(u64::from(completion.data.bytes()));
            self.answers_free = self.answers_free.max(now) + core;
            completion.ready = self.answers_free + self.params.tx_latency;
            context.send(completion);
        }
    }

    fn receive_write(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        compare(context, &arrived);
        let through = match arrived.label.purpose {
            Purpose::Payload => self.pass_core(context, &arrived),
            _ => context.now(),
        };
        let Arrived { label: Label { flow, purpose, .. }, hold, born, data, .. } = arrived;
        let known = through + self.params.rx_latency;
        if purpose == Purpose::Doorbell {
            context.release(hold, through);
            context.wake(DOORBELL | flow, known);
            return;
        }
        context.deliver(flow, u64::from(data.bytes()), through);
        context.timed(flow, known - born);
        let waiting = Stalled { hold, data };
        match self.feed_of(flow) {
            None => context.release(waiting.hold, through),
            Some(feed) => {
                if let Some(tlp) = feed.admit(waiting) {
                    self.take_in(context, flow, tlp, through);
                }
            }
        }
    }

    /// The FIFO that `flow` fills at this card.
    fn feed_of(&mut self, flow: u32) -> Option<&mut Feed> {
        self.feeds.get_mut(*self.feeds_into.get(flow)?)
    }

    /// Puts a posted TLP that fits into the FIFO at `through`.
    fn take_in(&mut self, context: &mut PartContext<'_>, flow: u32, tlp: Stalled, through: Time) {
        context.release(tlp.hold, through);
        self.fill(context, flow, tlp.data, through);
    }

    /// Puts payload into the FIFO. It may be sent on one latency later.
    fn fill(&mut self, context: &mut PartContext<'_>, flow: u32, data: Payload, through: Time) {
        let known = through + self.params.rx_latency;
        let Some(&into) = self.feeds_into.get(flow) else { return };
        if let Some(feed) = self.feeds.get_mut(into) {
            feed.push(Arriving { known, data });
            context.wake(FED | into, known);
        }
    }

    fn receive_completion(&mut self, context: &mut PartContext<'_>, arrived: Arrived, (tag, last): (u16, bool)) {
        let Label { flow, purpose, .. } = arrived.label;
        if purpose == Purpose::Descriptors {
            context.release(arrived.hold, context.now());
            self.receive_descriptors(context, flow, last);
            return;
        }
        if purpose == Purpose::Translation {
            context.release(arrived.hold, context.now());
            return self.receive_translation(context, flow, tag);
        }
        compare(context, &arrived);
        let through = self.pass_core(context, &arrived);
        let payload = arrived.data.bytes();
        context.release(arrived.hold, through);
        context.deliver(flow, u64::from(payload), through);
        if let Some(reader) = self.channels.get_mut(flow).and_then(Channel::reader) {
            reader.passed(context, &self.params, tag, payload, last, through);
        }
        self.fill(context, flow, arrived.data, through);
    }

    fn receive_translation(&mut self, context: &mut PartContext<'_>, flow: u32, tag: u16) {
        let (now, params) = (context.now(), &self.params);
        let ats = self.channels.get_mut(flow).and_then(|channel| channel.progress().ats.as_mut());
        if let Some(at) = ats.and_then(|ats| ats.arrived(tag, now, params)) {
            context.wake(TRANSLATED | flow, at);
        }
    }

    fn receive_descriptors(&mut self, context: &mut PartContext<'_>, flow: u32, last: bool) {
        let progress = match self.channels.get_mut(flow) {
            Some(Channel::Writer(writer)) => &mut writer.progress,
            Some(Channel::Reader(reader)) => &mut reader.progress,
            Some(Channel::Single(_)) | None => return,
        };
        if let Some(ring) = progress.ring.as_mut().filter(|_| last) {
            ring.arrived();
            context.wake(RING | flow, context.now() + self.params.rx_latency);
        }
    }

    /// A TLP of a `flow` with a feed has left: accepts TLPs that waited for room, and lets the reader that fills the
    /// FIFO send more requests.
    fn left(&mut self, context: &mut PartContext<'_>, flow: u32) {
        let Some(feed) = self.feeds.get_mut(flow) else { return };
        let (from, admitted) = (feed.from, feed.left());
        for tlp in admitted {
            self.take_in(context, from, tlp, context.now());
        }
        if let Some(Channel::Reader(reader)) = self.channels.get_mut(from) {
            reader.pump(context, &self.params, self.feeds.get_mut(flow));
        }
    }
}

/// Wakes the channel of `flow` at `next`.
fn given(context: &mut PartContext<'_>, flow: u32, next: Option<Time>) {
    if let Some(at) = next {
        context.wake(GIVEN | flow, at);
    }
}

/// Compares payload bytes, where the run has them, with those that the flow sent.
fn compare(context: &mut PartContext<'_>, arrived: &Arrived) {
    if let (Payload::Bytes(data), true) = (&arrived.data, arrived.label.purpose.is_payload()) {
        context.compare(arrived.label.flow, arrived.label.offset, data);
    }
}

impl Part for Card {
    fn start(&mut self, context: &mut PartContext<'_>) {
        self.take_turns(context);
        for flow in self.channels.flows().to_vec() {
            match self.channels.get_mut(flow) {
                Some(Channel::Writer(writer)) => writer.start(context, &self.params, self.feeds.get_mut(flow)),
                Some(Channel::Reader(reader)) => {
                    let feed = self.feeds_into.get(flow).and_then(|&into| self.feeds.get_mut(into));
                    reader.start(context, &self.params, feed);
                }
                Some(Channel::Single(_)) => context.wake(GIVEN | flow, Time::ZERO),
                None => {}
            }
        }
    }

    fn queues(&self, port: usize) -> u32 {
        self.queues.get(port).copied().unwrap_or(1)
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        match arrived.header {
            Header::Request { write: true, .. } => self.receive_write(context, arrived),
            Header::Request { .. } => {
                self.asked.push_back(arrived);
                context.wake(ANSWER, context.now() + self.params.rx_latency + self.params.target_read_latency);
            }
            Header::Completion { tag, remaining, bytes, .. } => {
                self.receive_completion(context, arrived, (tag, remaining <= bytes));
            }
        }
    }

    fn wake(&mut self, context: &mut PartContext<'_>, token: u32) {
        self.woken(context, token);
        self.take_turns(context);
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.has_sent(context, sent);
        self.take_turns(context);
    }
}

impl Card {
    #[inline(always)]
    fn woken(&mut self, context: &mut PartContext<'_>, token: u32) {
        if token == ANSWER {
            self.answer(context);
            return;
        }
        let flow = token & FLOW;
        let what = token & !FLOW;
        if what == LEFT {
            self.left(context, flow);
            return;
        }
        let Some(channel) = self.channels.get_mut(flow) else { return };
        match channel {
            Channel::Writer(writer) => {
                let mut feed = self.feeds.get_mut(flow);
                match what {
                    DOORBELL => writer.doorbell(context, &self.params, feed),
                    RING => {
                        writer.progress.descriptors_known(context, &self.params);
                        writer.supplied(context, &self.params, feed);
                    }
                    TRANSLATED => {
                        writer.progress.ats.iter_mut().for_each(|ats| ats.known());
                        writer.supplied(context, &self.params, feed);
                    }
                    _ => {
                        if let Some(feed) = &mut feed {
                            feed.settle(context.now());
                        }
                        writer.supplied(context, &self.params, feed);
                    }
                }
            }
            Channel::Reader(reader) => {
                let feed = self.feeds_into.get(flow).and_then(|&into| self.feeds.get_mut(into));
                match what {
                    DOORBELL => reader.doorbell(context, &self.params, feed),
                    RING => {
                        reader.progress.descriptors_known(context, &self.params);
                        reader.pump(context, &self.params, feed);
                    }
                    TRANSLATED => {
                        reader.progress.ats.iter_mut().for_each(|ats| ats.known());
                        reader.translated(context, &self.params, feed);
                    }
                    _ => reader.known(context, &self.params, feed),
                }
            }
            Channel::Single(single) => {
                let next = match what {
                    GIVEN => single.go_on(context, &self.params),
                    _ => single.known(context, &self.params),
                };
                given(context, flow, next);
            }
        }
    }

    #[inline(always)]
    fn has_sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        let flow = sent.flow;
        match self.channels.get_mut(flow) {
            Some(Channel::Writer(writer)) => {
                let mut feed = self.feeds.get_mut(flow);
                if let Some(feed) = &mut feed {
                    feed.leaves(sent.payload as u64);
                    context.wake(LEFT | flow, sent.end);
                }
                writer.sent(context, &self.params, sent, feed);
            }
            Some(Channel::Reader(reader)) => {
                let feed = self.feeds_into.get(flow).and_then(|&into| self.feeds.get_mut(into));
                reader.sent(context, &self.params, sent, feed);
            }
            Some(Channel::Single(single)) => {
                let next = single.sent(context, &self.params, sent);
                given(context, flow, next);
            }
            None => {}
        }
    }
}
