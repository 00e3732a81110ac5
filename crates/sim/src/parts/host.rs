//! A host: memory and root complex, and the threads that run on its CPUs.
//!
//! A host implements the public trait [`Part`], like any other part. The queues at a root port are, in this order: the
//! completion queues (one, or one for each flow); one for each root port, for requests that arrive there and leave
//! here; and one for each thread.

pub(crate) mod build;
mod cache;
mod iommu;
mod lines;
mod peer;
mod pio;
pub(crate) mod socket;
mod thread;

use crate::engine::by_flow::ByFlow;
use crate::engine::region::bytes_at;
use crate::engine::tlp::Purpose;
use crate::link::cap::PortCap;
use crate::link::switch::Behind;
use crate::parts::host::cache::Cache;
use crate::parts::host::iommu::Iommu;
use crate::parts::host::lines::Lines;
use crate::parts::host::peer::Peers;
use crate::parts::host::pio::Pio;
use crate::parts::host::socket::{Inside, Way};
use crate::parts::host::thread::{Running, Shared};
use crate::parts::memory::Memory;
use crate::parts::traffic::{Arrived, Leaving, Payload, Sent, completions};
use crate::parts::{Part, PartContext};
use crate::software::driver::{Driver, Seen};
use crate::software::message::{MESSAGES, Message};
use crate::software::store::HostMemory;
use pcie::Time;
use pcie::tlp::Header;
use std::collections::VecDeque;
use system::Window;
use system::kinds::HostParams;
use system::kinds::host::{Notice, ServeReads};

/// A root port.
struct RootPort {
    queues: u32,
    /// What is below the port; `None` where it has no link.
    behind: Option<Behind>,
    /// When the data of the last request was ready.
    last_data: Time,
    inward: PortCap,
    /// Writes that the port has not passed yet, with their addresses.
    passing: VecDeque<(Arrived, u64)>,
    /// The largest completion, bytes: the least of `completion_bytes` and Max_Payload_Size.
    most: u64,
    /// Requests whose data is not ready yet.
    asked: VecDeque<Arrived>,
    /// The same where requests take different times: each with the time of its data, the soonest first.
    looked_up: VecDeque<(Time, Arrived)>,
    /// Max_Payload_Size.
    mps: u64,
    /// What lies between the port and memory.
    way: Way,
}

/// See the module.
struct Host {
    params: HostParams,
    /// By flow: Max_Payload_Size of the reading part.
    taken: Vec<u64>,
    ports: Vec<RootPort>,
    /// Completion queues at each port.
    turns: u32,
    /// True where more than one port has a link.
    several: bool,
    memory: Memory,
    /// Links between root ports and memory.
    inside: Inside,
    /// Where read requests take different times.
    cache: Option<Cache>,
    /// Where the table of reads or the DRAM channels bound what is read and written.
    lines: Option<Lines>,
    iommu: Option<Iommu>,
    /// By flow: true where its addresses are translated before (ATS).
    translated: Vec<bool>,
    /// Requests from one root port to another that are sent in parts.
    peers: Peers,
    pio: ByFlow<Pio>,
    /// Software of devices, and its threads.
    software: Vec<Box<dyn Driver>>,
    threads: Vec<Running>,
    /// The thread that each interrupt message wakes, by address and data.
    messages: Vec<(Message, u32)>,
    /// The thread that polls each memory range.
    watched: Vec<(Window, u32)>,
    /// When the bus is free, over which threads write their descriptors one after another.
    bus_free: Time,
    /// When each core is free that the jobs of drives share.
    cores: Vec<Time>,
    integrity: bool,
    /// The bytes of host memory, where a part works on bytes.
    store: Option<Box<HostMemory>>,
    /// What devices have written for software that is not in memory yet: when it is, in order of that, and where.
    told: VecDeque<(Time, u64, Box<[u8]>)>,
    /// By flow: true where its bytes in memory are real.
    real: Vec<bool>,
    /// By flow: true where it is that of a drive.
    queued: Vec<bool>,
}

/// Wake-up token: the data of the oldest request of a port is ready. The low bits are the port number.
const DATA: u32 = 1 << 31;
/// Wake-up token: the CPU time of a thread has passed. The low bits are the thread number. Without this bit: the thread
/// is signalled.
const RESUME: u32 = 1 << 30;
/// Wake-up token: the oldest write in a capped port has passed. The low bits are the port number.
const PASSED: u32 = 1 << 29;

impl Host {
    fn is_real(&self, flow: u32) -> bool {
        self.real.get(flow as usize).is_some_and(|&real| real)
    }

    /// The root port that a received request leaves by; `None` where the host itself is the target.
    fn goes_on(&self, header: &Header) -> Option<usize> {
        self.ports.iter().position(|port| port.behind.as_ref().is_some_and(|below| below.leads(header)))
    }

    fn receive_write(&mut self, context: &mut PartContext<'_>, arrived: Arrived, address: u64) {
        let Arrived { port: index, ref data, label, .. } = arrived;
        let (flow, payload) = (label.flow, data.bytes());
        let is_message = MESSAGES.holds(address);
        if let Payload::Bytes(data) = data
            && !is_message
        {
            if label.purpose.is_payload() {
                context.compare(flow, label.offset, data);
            }
            let is_real = self.is_real(flow) && label.purpose.is_payload();
            if let Some(store) = self.store.as_mut().filter(|_| is_real) {
                store.write(address, data);
            }
        }
        let Some(port) = self.ports.get_mut(index) else { return };
        let passed = port.inward.pass(context.now(), payload);
        let mut passed = self.inside.inwards(&port.way, passed, payload);
        let is_translated = self.translated.get(flow as usize).is_some_and(|&is| is) && label.purpose.is_payload();
        if let Some(iommu) = self.iommu.as_mut().filter(|_| !is_translated) {
            let now = context.now();
            let translated = if is_message { iommu.last_write(index) } else { iommu.write(index, now, flow, address) };
            passed = passed.max(translated);
        }
        if passed > context.now() {
            // What other ports pass before is served before.
            port.passing.push_back((arrived, address));
            return context.wake(PASSED | index as u32, passed);
        }
        self.take_write(context, arrived, address);
    }

    /// A write has passed its port, after all those that arrived there before.
    fn take_write(&mut self, context: &mut PartContext<'_>, arrived: Arrived, address: u64) {
        if MESSAGES.holds(address) {
            return self.interrupt(context, arrived, address);
        }
        self.serve_write(context, arrived, address);
    }

    /// The memory serves a write that has passed its port.
    fn serve_write(&mut self, context: &mut PartContext<'_>, arrived: Arrived, address: u64) {
        let Arrived { data, label, born, hold, .. } = arrived;
        let (flow, payload) = (label.flow, data.bytes());
        let mut served = self.memory.write(&self.params, context.now(), flow, address, u64::from(payload));
        if let Some(lines) = self.lines.as_mut().filter(|_| label.purpose.is_payload()) {
            served = served.max(lines.write(context.now(), flow, HostParams::lines_of(address, u64::from(payload))));
        }
        context.release(hold, served);
        if label.purpose.is_payload() {
            context.deliver(flow, u64::from(payload), served);
            // Software times the commands of a drive, from giving them to their ends.
            if !self.queued.get(flow as usize).is_some_and(|&is| is) {
                context.timed(flow, served - born);
            }
        } else {
            if let (Some(_), Payload::Bytes(data)) = (&self.store, data) {
                // What a device tells its software is there when it is served, whether its payload is real or not.
                let place = self.told.partition_point(|&(other, ..)| other <= served);
                self.told.insert(place, (served, address, data));
            }
            self.written(context, address, served);
        }
    }

    /// A device has written something other than payload to `address`; it is in memory at `served`.
    fn written(&self, context: &mut PartContext<'_>, address: u64, served: Time) {
        let before = self.watched.partition_point(|(window, _)| window.base <= address);
        let Some(&(window, thread)) = before.checked_sub(1).and_then(|place| self.watched.get(place)) else { return };
        let interrupted = self.threads.get(thread as usize).is_some_and(|thread| thread.interrupted);
        if !window.holds(address) || interrupted && self.params.notice == Notice::Interrupt {
            return;
        }
        let seen = match self.params.notice {
            Notice::Polling => served + self.params.poll_interval,
            Notice::Interrupt => served + self.params.interrupt_latency,
        };
        context.wake(thread, seen);
    }

    /// An interrupt message has arrived and passed its port.
    fn interrupt(&mut self, context: &mut PartContext<'_>, arrived: Arrived, address: u64) {
        let now = context.now();
        context.release(arrived.hold, now);
        let data = match arrived.data {
            Payload::Bytes(data) => data.get(..4).and_then(|data| data.try_into().ok()).map(u32::from_le_bytes),
            Payload::Length(_) => None,
        };
        let Some(data) = data else {
            return context.refuse(|| "it got an interrupt without the 4 bytes of its message".to_string());
        };
        // What nobody has is a spurious interrupt.
        let found = self.messages.binary_search_by_key(&(address, data), |(own, _)| (own.address, own.data));
        if let Some(&(_, thread)) = found.ok().and_then(|place| self.messages.get(place)) {
            // It comes after the writes before it.
            context.wake(thread, now.max(self.memory.free()) + self.params.interrupt_latency);
        }
    }

    /// A Translation Request has arrived.
    fn receive_translation(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let (index, now) = (arrived.port, context.now());
        let (Some(port), Header::Request { address, bytes, .. }) = (self.ports.get_mut(index), arrived.header) else {
            return;
        };
        let translated = self.iommu.as_mut().map(|iommu| iommu.read(now, arrived.label.flow, (address, bytes)));
        let at = translated.unwrap_or(now) + self.params.translation_latency;
        let place = port.looked_up.partition_point(|(other, _)| *other <= at);
        port.looked_up.insert(place, (at, arrived));
        context.wake(DATA | index as u32, at);
    }

    fn receive_read(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        if arrived.label.purpose == Purpose::Translation {
            return self.receive_translation(context, arrived);
        }
        let index = arrived.port;
        let Some(port) = self.ports.get_mut(index) else { return };
        let earliest = if port.last_data == Time::ZERO { Time::ZERO } else { port.last_data + self.params.read_gap };
        let reads_back = self.cache.as_ref().is_some_and(|cache| cache.reads_back(arrived.label.flow));
        let seen = if reads_back { context.now().max(self.memory.free()) } else { context.now() };
        port.last_data = earliest.max(seen + self.params.read_latency + port.way.round);
        let mut at = port.last_data;
        if let (Some(cache), Header::Request { address, bytes, .. }) = (&self.cache, arrived.header) {
            let flow = arrived.label.flow;
            if port.way.far && cache.is_held(flow, address, bytes) {
                at = at.saturating_sub(port.way.round - port.way.near_round);
            }
            at += cache.extra(&self.params, flow, (address, bytes), port.way.far);
            if let Some(lines) = &mut self.lines {
                let is_missed = |line| cache.is_missed(flow, line);
                at += lines.read(context.now(), HostParams::lines_of(address, bytes), at - context.now(), is_missed);
            }
            let is_payload = arrived.label.purpose.is_payload();
            let is_translated = self.translated.get(flow as usize).is_some_and(|&is| is) && is_payload;
            if let Some(iommu) = self.iommu.as_mut().filter(|_| !is_translated) {
                at += iommu.read(context.now(), flow, (address, bytes)) - context.now();
            }
            let place = port.looked_up.partition_point(|(other, _)| *other <= at);
            port.looked_up.insert(place, (at, arrived));
        } else {
            port.asked.push_back(arrived);
        }
        context.wake(DATA | index as u32, at);
    }

    /// The data of the oldest request of a port is ready: sends its completions.
    fn answer(&mut self, context: &mut PartContext<'_>, index: usize) {
        let Some(port) = self.ports.get_mut(index) else { return };
        let request =
            if self.cache.is_some() { port.looked_up.pop_front().map(|(_, one)| one) } else { port.asked.pop_front() };
        let Some(request) = request else { return };
        let Header::Request { address, bytes, .. } = request.header else { return };
        let own = self.params.completion_most(address, bytes, (port.most, port.mps));
        let (now, flow) = (context.now(), request.label.flow);
        let most = self.taken.get(flow as usize).map_or(own, |&taken| own.min(taken));
        let queue = match self.params.serve_reads {
            ServeReads::InOrder => 0,
            ServeReads::InTurn => flow % self.turns,
        };
        let answers = completions(&request, self.params.rcb.0, most, now);
        context.release(request.hold, now);
        // What software writes for a drive is read as it is.
        let descriptors = request.label.purpose == Purpose::Descriptors;
        let queued = self.queued.get(flow as usize).is_some_and(|&is| is) && descriptors;
        let store = self.store.as_ref().filter(|_| self.is_real(flow) || queued);
        for completion in answers {
            let (offset, bytes) = (completion.label.offset, completion.data.bytes());
            let data = match store {
                Some(store) => Payload::Bytes(store.bytes(address + (offset - request.label.offset), bytes as usize)),
                None if self.integrity && completion.label.purpose == Purpose::Payload => {
                    Payload::Bytes(bytes_at(flow, offset, u64::from(bytes)))
                }
                None => completion.data,
            };
            let ready = match self.ports.get(index).filter(|_| self.inside.is_limited) {
                Some(port) => self.inside.outwards(&port.way, completion.ready, bytes),
                None => completion.ready,
            };
            context.send(Leaving { queue, data, ready, ..completion });
        }
    }

    /// Lets a thread take its next step.
    fn step(&mut self, context: &mut PartContext<'_>, thread: u32, seen: Seen) {
        let Host { threads, software, store, bus_free, cores, iommu, told, .. } = self;
        while told.front().is_some_and(|(served, ..)| *served <= context.now()) {
            let Some((_, address, data)) = told.pop_front() else { break };
            store.get_or_insert_default().write(address, &data);
        }
        let Some(thread) = threads.get_mut(thread as usize) else { return };
        if let Some(driver) = software.get_mut(thread.software as usize) {
            let shared = Shared { bus_free, cores, iommu };
            thread.step(&mut **driver, context, store.get_or_insert_default(), shared, seen);
        }
    }

    /// The completion of a thread's register read has arrived.
    fn loaded(&mut self, context: &mut PartContext<'_>, thread: u32, data: Payload) {
        let awaited = self.threads.get_mut(thread as usize).map_or(0, |thread| std::mem::take(&mut thread.awaits));
        match data {
            Payload::Bytes(data) if awaited > 0 && data.len() as u64 == awaited => {
                self.step(context, thread, Seen::Loaded(data));
            }
            _ => context.refuse(|| {
                "it got an answer to a register access that no thread waits for, or one without its bytes".to_string()
            }),
        }
    }

    fn receive_completion(&mut self, context: &mut PartContext<'_>, arrived: Arrived, tag: u16, last: bool) {
        let Arrived { data, label, hold, .. } = arrived;
        let (now, flow) = (context.now(), label.flow);
        context.release(hold, now);
        if label.purpose == Purpose::Register {
            return self.loaded(context, u32::from(tag), data);
        }
        if let Payload::Bytes(data) = &data {
            context.compare(flow, label.offset, data);
        }
        context.deliver(flow, u64::from(data.bytes()), now);
        if let Some(Pio::Loads(loads)) = self.pio.get_mut(flow)
            && last
        {
            loads.loaded(context, &self.params, tag);
        }
    }
}

impl Part for Host {
    fn start(&mut self, context: &mut PartContext<'_>) {
        // In the order of their flows.
        let mut threads = (0..self.threads.len() as u32).peekable();
        for flow in 0..self.real.len() as u32 {
            match self.pio.get_mut(flow) {
                Some(Pio::Stores(stores)) => stores.pump(context, &self.params),
                Some(Pio::Loads(loads)) => loads.start(context, &self.params),
                None => {}
            }
            while let Some(thread) = threads.next_if(|&thread| self.threads[thread as usize].flow <= flow) {
                self.step(context, thread, Seen::Done);
            }
        }
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        if self.several
            && let Some(to) = self.goes_on(&arrived.header)
        {
            let (queue, mut ready) = (self.turns + arrived.port as u32, context.now() + self.params.p2p_latency);
            if let (Some(from), Some(to)) = (self.ports.get(arrived.port), self.ports.get(to)) {
                ready = self.inside.across(&from.way, &to.way, ready, arrived.data.bytes());
            }
            return self.peers.pass_on(context, &self.params, arrived, (to, queue, ready));
        }
        match arrived.header {
            Header::Request { write: true, address, .. } => self.receive_write(context, arrived, address),
            Header::Request { write: false, .. } => self.receive_read(context, arrived),
            Header::Completion { tag, remaining, bytes, .. } => {
                self.receive_completion(context, arrived, tag, remaining <= bytes);
            }
        }
    }

    fn wake(&mut self, context: &mut PartContext<'_>, token: u32) {
        if token & DATA != 0 {
            self.answer(context, (token & !DATA) as usize);
            return;
        }
        if token & RESUME != 0 {
            self.step(context, token & !RESUME, Seen::Done);
            return;
        }
        if token & PASSED != 0 {
            let port = self.ports.get_mut((token & !PASSED) as usize);
            let Some((arrived, address)) = port.and_then(|port| port.passing.pop_front()) else { return };
            return self.take_write(context, arrived, address);
        }
        if self.threads.get_mut(token as usize).is_some_and(Running::tell) {
            self.step(context, token, Seen::Done);
        }
    }

    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        if let Some(Pio::Stores(stores)) = self.pio.get_mut(sent.flow) {
            stores.sent(context, &self.params, sent);
        } else if self.several {
            self.peers.passed_on(context, sent);
        }
    }

    fn queues(&self, port: usize) -> u32 {
        self.ports.get(port).map_or(1, |port| port.queues)
    }
}
