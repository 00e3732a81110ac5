//! A host: memory and root complex, and the threads that run on its CPUs.

use crate::engine::answer::completions;
use crate::engine::region::bytes_at;
use crate::engine::tlp::Use;
use crate::link::cap::PortCap;
use crate::link::fabric::{Fabric, Sent};
use crate::link::switch::Behind;
use crate::parts::compare::compare;
use crate::parts::memory::Memory;
use crate::parts::part::Part;
use crate::software::pio::{Loads, Stores};
use crate::software::store::HostMemory;
use crate::software::thread::{Seen, Thread};
use pcie::tlp::Kind;
use pcie::{Class, Time};
use std::collections::VecDeque;
use system::kinds::HostParams;
use system::kinds::host::{Notice, ServeReads};

/// What runs on a CPU for one flow.
pub(crate) enum Driver {
    Stores(Stores),
    Loads(Loads),
    Other(Thread),
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
    pub drivers: Vec<Option<Driver>>,
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
/// A thread's CPU time is over; its flow is in the low bits.
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
        if used == Use::Interrupt {
            fabric.free_credits(came_by, Class::Posted, payload, fabric.now);
            fabric.tlps.remove(place);
            fabric.wake(self.part, flow, fabric.now + self.params.interrupt_latency);
            return;
        }
        if let (Some(store), Some(data), true) = (&mut self.store, &tlp.data, self.real[flow as usize]) {
            store.write(address, data);
        }
        let port = self.port_of(came_by);
        let passed = self.ports[port].inward.pass(fabric.now, payload);
        let served = self.memory.write(&self.params, passed, flow, address, payload as u64);
        fabric.free_credits(came_by, Class::Posted, payload, served);
        fabric.tlps.remove(place);
        if used == Use::Status {
            let interrupted =
                matches!(&self.drivers[flow as usize], Some(Driver::Other(thread)) if thread.driver.is_interrupted());
            if interrupted && self.params.notice == Notice::Interrupt {
                return;
            }
            let seen = match self.params.notice {
                Notice::Polling => served + self.params.poll_interval,
                Notice::Interrupt => fabric.now + self.params.interrupt_latency,
            };
            fabric.wake(self.part, flow, seen);
        } else {
            fabric.deliver(flow, payload as u64, served);
            fabric.flows.timed(flow, served - born);
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

    /// The thread of `flow` goes on.
    fn step(&mut self, fabric: &mut Fabric, flow: u32, seen: Seen) {
        if let (Some(Some(Driver::Other(thread))), Some(store)) = (self.drivers.get_mut(flow as usize), &mut self.store)
        {
            thread.step(fabric, store, &mut self.bus_free, seen);
        }
    }

    fn receive_completion(&mut self, fabric: &mut Fabric, place: u32) {
        compare(fabric, place);
        let tlp = &mut fabric.tlps[place];
        let (flow, payload, came_by, last) = (tlp.flow, tlp.payload, tlp.came_by, tlp.last);
        let register = (tlp.used == Use::Register).then(|| tlp.data.take().unwrap_or_default());
        fabric.free_credits(came_by, Class::Completion, payload, fabric.now);
        fabric.tlps.remove(place);
        if let Some(data) = register {
            self.step(fabric, flow, Seen::Loaded(data));
            return;
        }
        fabric.deliver(flow, payload as u64, fabric.now);
        if let Some(Some(Driver::Loads(loads))) = self.drivers.get_mut(flow as usize)
            && last
        {
            loads.loaded(fabric, &self.params);
        }
    }
}

impl Part for Host {
    fn start(&mut self, fabric: &mut Fabric) {
        let store = &mut self.store;
        for driver in self.drivers.iter_mut().flatten() {
            match driver {
                Driver::Other(thread) => {
                    let memory = store.get_or_insert_default();
                    thread.step(fabric, memory, &mut self.bus_free, Seen::Done);
                }
                Driver::Stores(stores) => stores.pump(fabric, &self.params),
                Driver::Loads(loads) => loads.load(fabric, &self.params, Time::ZERO),
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
        if let Some(Some(Driver::Other(thread))) = self.drivers.get_mut(token as usize)
            && thread.told()
        {
            self.step(fabric, token, Seen::Done);
        }
    }

    fn sent(&mut self, fabric: &mut Fabric, sent: Sent) {
        if let Some(Some(Driver::Stores(stores))) = self.drivers.get_mut(sent.flow as usize) {
            stores.sent(fabric, &self.params, sent);
        }
    }
}
