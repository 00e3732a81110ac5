//! A host: memory and root complex, and the threads that run on its CPUs.

use crate::engine::answer::completions;
use crate::engine::by_flow::ByFlow;
use crate::engine::region::bytes_at;
use crate::engine::tlp::Use;
use crate::link::cap::PortCap;
use crate::link::fabric::{Fabric, Sent};
use crate::link::switch::Behind;
use crate::parts::compare::compare;
use crate::parts::memory::Memory;
use crate::parts::part::Part;
use crate::software::driver::{Driver, Seen};
use crate::software::pio::{Loads, Stores};
use crate::software::resources::{MESSAGES, Message};
use crate::software::store::HostMemory;
use crate::software::thread::Running;
use pcie::tlp::Kind;
use pcie::{Class, Time};
use std::collections::VecDeque;
use system::Window;
use system::kinds::HostParams;
use system::kinds::host::{Notice, ServeReads};

/// A CPU that carries out a flow by itself.
pub(crate) enum Pio {
    Stores(Stores),
    Loads(Loads),
}

/// A root port.
pub(crate) struct RootPort {
    /// The direction that leads down.
    pub direction: u32,
    /// Sources of completions: the first, and how many; one, or one for each flow.
    pub answers: u32,
    pub turns: u32,
    /// The first of the sources of what comes from other root ports, by root port.
    pub forward: u32,
    /// What lies below.
    pub behind: Behind,
    /// When the data of the last request was there.
    pub last_data: Time,
    pub inward: PortCap,
    /// Requests whose data is not there yet.
    pub asked: VecDeque<u32>,
}

/// A host.
pub(crate) struct Host {
    pub part: u32,
    pub params: HostParams,
    pub mps: u64,
    /// Max_Payload_Size of the part that reads, by flow.
    pub taken: Vec<u64>,
    pub ports: Vec<RootPort>,
    pub memory: Memory,
    /// By flow.
    pub pio: ByFlow<Pio>,
    /// Software of devices, and its threads.
    pub software: Vec<Box<dyn Driver>>,
    pub threads: Vec<Running>,
    /// Which thread each message of an interrupt is for, by address and data.
    pub messages: Vec<(Message, u32)>,
    /// Which thread looks where, by address.
    pub watched: Vec<(Window, u32)>,
    /// When threads that write descriptors one after another are through.
    pub bus_free: Time,
    pub integrity: bool,
    /// The bytes of its memory, where a part of a foreign kind works on them.
    pub store: Option<Box<HostMemory>>,
    /// By flow: its bytes in memory are real.
    pub real: Vec<bool>,
}

/// Wake-ups: the data of the oldest request of a port is there; the port is in the low bits.
const DATA: u32 = 1 << 31;
/// A thread's CPU time is over; its place is in the low bits. Without a bit: it is told something.
pub(crate) const RESUME: u32 = 1 << 30;

impl Host {
    fn port_of(&mut self, came_by: u32) -> usize {
        self.ports.iter().position(|p| p.direction ^ 1 == came_by).unwrap_or(0)
    }

    /// A TLP for what lies below another root port goes there.
    fn forward(&mut self, fabric: &mut Fabric, place: u32) -> bool {
        let tlp = &fabric.tlps[place];
        let Some(to) = self.ports.iter().position(|port| port.behind.claims(tlp)) else { return false };
        let from = self.port_of(tlp.came_by);
        let next = (self.ports[to].direction, self.ports[to].forward + from as u32);
        let ready = fabric.now + self.params.p2p_latency;
        fabric.forward(place, next, ready);
        true
    }

    fn receive_write(&mut self, fabric: &mut Fabric, place: u32) {
        compare(fabric, place);
        let tlp = &fabric.tlps[place];
        let (flow, payload, born, came_by, used) = (tlp.flow, tlp.payload, tlp.born, tlp.came_by, tlp.used);
        let address = tlp.address;
        if MESSAGES.holds(address) {
            self.interrupt(fabric, place);
            return;
        }
        // What a device tells its software is there whether its payload is real or not.
        if let (Some(store), Some(data)) = (&mut self.store, &tlp.data)
            && (self.real[flow as usize] || !used.is_payload())
        {
            store.write(address, data);
        }
        let port = self.port_of(came_by);
        let passed = self.ports[port].inward.pass(fabric.now, payload);
        let served = self.memory.write(&self.params, passed, flow, address, payload as u64);
        fabric.free_credits(came_by, Class::Posted, payload, served);
        fabric.tlps.remove(place);
        if used.is_payload() {
            fabric.deliver(flow, payload as u64, served);
            fabric.flows.timed(flow, served - born);
        } else {
            self.written(fabric, address, served);
        }
    }

    /// A device has written something that is no payload to `address`, which is in memory at `served`.
    fn written(&self, fabric: &mut Fabric, address: u64, served: Time) {
        let before = self.watched.partition_point(|(window, _)| window.base <= address);
        let Some(&(window, thread)) = before.checked_sub(1).and_then(|place| self.watched.get(place)) else { return };
        let interrupted = self.threads.get(thread as usize).is_some_and(|thread| thread.interrupted);
        if !window.holds(address) || interrupted && self.params.notice == Notice::Interrupt {
            return;
        }
        let seen = match self.params.notice {
            Notice::Polling => served + self.params.poll_interval,
            Notice::Interrupt => fabric.now + self.params.interrupt_latency,
        };
        fabric.wake(self.part, thread, seen);
    }

    /// The message of an interrupt is here.
    fn interrupt(&mut self, fabric: &mut Fabric, place: u32) {
        let tlp = &fabric.tlps[place];
        let (came_by, payload, address) = (tlp.came_by, tlp.payload, tlp.address);
        let data = tlp.data.as_deref().and_then(|data| data.get(..4)?.try_into().ok()).map(u32::from_le_bytes);
        fabric.free_credits(came_by, Class::Posted, payload, fabric.now);
        fabric.tlps.remove(place);
        let Some(data) = data else {
            let what = "it got an interrupt without the 4 bytes of its message".to_string();
            fabric.fault.get_or_insert(Box::new((self.part, what)));
            return;
        };
        // What nobody has is a spurious interrupt.
        let found = self.messages.binary_search_by_key(&(address, data), |(own, _)| (own.address, own.data));
        if let Some(&(_, thread)) = found.ok().and_then(|place| self.messages.get(place)) {
            fabric.wake(self.part, thread, fabric.now + self.params.interrupt_latency);
        }
    }

    fn receive_read(&mut self, fabric: &mut Fabric, place: u32) {
        let index = self.port_of(fabric.tlps[place].came_by);
        let port = &mut self.ports[index];
        let earliest = if port.last_data == Time::ZERO { Time::ZERO } else { port.last_data + self.params.read_gap };
        port.last_data = earliest.max(fabric.now + self.params.read_latency);
        port.asked.push_back(place);
        fabric.wake(self.part, DATA | index as u32, port.last_data);
    }

    fn answer(&mut self, fabric: &mut Fabric, index: usize) {
        let port = &mut self.ports[index];
        let Some(place) = port.asked.pop_front() else { return };
        let request = fabric.tlps[place].clone();
        fabric.tlps.remove(place);
        fabric.free_credits(request.came_by, Class::NonPosted, 0, fabric.now);
        let taken = self.taken.get(request.flow as usize).copied().unwrap_or(self.mps);
        let most = self.params.completion_bytes.0.min(self.mps).min(taken);
        let source = match self.params.serve_reads {
            ServeReads::InOrder => port.answers,
            ServeReads::InTurn => port.answers + request.flow % port.turns,
        };
        let real = self.real.get(request.flow as usize).is_some_and(|&real| real);
        for mut completion in completions(&request, self.params.rcb.0, most, fabric.now) {
            if let Some(store) = self.store.as_ref().filter(|_| real) {
                completion.data = Some(store.bytes(completion.address, completion.payload as usize));
            } else if self.integrity && completion.used == Use::Payload {
                completion.data = Some(bytes_at(completion.flow, completion.offset, completion.payload as u64));
            }
            fabric.enqueue(port.direction, source, completion);
        }
    }

    /// A thread goes on.
    fn step(&mut self, fabric: &mut Fabric, thread: u32, seen: Seen) {
        let Host { threads, software, store, bus_free, .. } = self;
        let Some(thread) = threads.get_mut(thread as usize) else { return };
        if let Some(driver) = software.get_mut(thread.software as usize) {
            thread.step(&mut **driver, fabric, store.get_or_insert_default(), bus_free, seen);
        }
    }

    /// The answer to a register access of a thread is here.
    fn loaded(&mut self, fabric: &mut Fabric, thread: u32, data: Option<Box<[u8]>>) {
        let awaited = self.threads.get_mut(thread as usize).map_or(0, |thread| std::mem::take(&mut thread.awaits));
        match data.filter(|data| awaited > 0 && data.len() as u64 == awaited) {
            Some(data) => self.step(fabric, thread, Seen::Loaded(data)),
            None => {
                let what = "it got an answer to a register access that no thread waits for, or one without its bytes";
                fabric.fault.get_or_insert(Box::new((self.part, what.to_string())));
            }
        }
    }

    fn receive_completion(&mut self, fabric: &mut Fabric, place: u32) {
        compare(fabric, place);
        let tlp = &mut fabric.tlps[place];
        let (flow, payload, came_by, last, tag) = (tlp.flow, tlp.payload, tlp.came_by, tlp.last, tlp.tag);
        let register = (tlp.used == Use::Register).then(|| tlp.data.take());
        fabric.free_credits(came_by, Class::Completion, payload, fabric.now);
        fabric.tlps.remove(place);
        if let Some(data) = register {
            self.loaded(fabric, tag, data);
            return;
        }
        fabric.deliver(flow, payload as u64, fabric.now);
        if let Some(Pio::Loads(loads)) = self.pio.get_mut(flow)
            && last
        {
            loads.loaded(fabric, &self.params);
        }
    }
}

impl Part for Host {
    fn start(&mut self, fabric: &mut Fabric) {
        // In the order of their flows.
        let mut threads = (0..self.threads.len() as u32).peekable();
        for flow in 0..self.real.len() as u32 {
            match self.pio.get_mut(flow) {
                Some(Pio::Stores(stores)) => stores.pump(fabric, &self.params),
                Some(Pio::Loads(loads)) => loads.load(fabric, &self.params, Time::ZERO),
                None => {}
            }
            while let Some(thread) = threads.next_if(|&thread| self.threads[thread as usize].flow <= flow) {
                self.step(fabric, thread, Seen::Done);
            }
        }
    }

    fn receive(&mut self, fabric: &mut Fabric, place: u32) {
        if self.ports.len() > 1 && self.forward(fabric, place) {
            return;
        }
        match fabric.tlps[place].kind {
            Kind::MemoryWrite => self.receive_write(fabric, place),
            Kind::MemoryRead => self.receive_read(fabric, place),
            Kind::CompletionData | Kind::Completion => self.receive_completion(fabric, place),
        }
    }

    fn wake(&mut self, fabric: &mut Fabric, token: u32) {
        if token & DATA != 0 {
            self.answer(fabric, (token & !DATA) as usize);
            return;
        }
        if token & RESUME != 0 {
            self.step(fabric, token & !RESUME, Seen::Done);
            return;
        }
        if self.threads.get_mut(token as usize).is_some_and(Running::tell) {
            self.step(fabric, token, Seen::Done);
        }
    }

    fn sent(&mut self, fabric: &mut Fabric, sent: Sent) {
        if let Some(Pio::Stores(stores)) = self.pio.get_mut(sent.flow) {
            stores.sent(fabric, &self.params, sent);
        }
    }
}
