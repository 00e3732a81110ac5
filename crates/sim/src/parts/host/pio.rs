//! A CPU thread that stores to, or loads from, a card's BAR.

use crate::engine::region::{Region, bytes_at};
use crate::engine::tlp::{Held, Purpose};
use crate::parts::PartContext;
use crate::parts::exit::{Decided, Exit};
use crate::parts::traffic::{Label, Payload, Sent};
use pcie::Time;
use std::collections::VecDeque;
use system::Wait;
use system::kinds::HostParams;
use system::kinds::host::LINE_BYTES;

/// A CPU that carries out a PIO flow.
#[derive(Clone, Debug)]
pub(crate) enum Pio {
    Stores(Stores),
    Loads(Loads),
}

/// The state that stores and loads share.
#[derive(Clone, Debug)]
pub(crate) struct Cpu {
    pub flow: u32,
    pub exit: Exit,
    pub region: Region,
    /// Bytes of one call, and of all calls.
    pub call: u64,
    pub volume: u64,
    pub integrity: bool,
}

impl Cpu {
    /// The label and times of a request: decided at `born`, on the link at `ready` at the earliest, delayed by `by`.
    fn decided(&self, offset: u64, born: Time, ready: Time, by: Wait, tell: bool) -> Decided {
        let label = Label { flow: self.flow, purpose: Purpose::Store, offset };
        Decided { label, born, ready, held: Held::new(by, ready), tell, last: false }
    }
}

/// Stores through write-combining buffers, followed by the root port's PIO pipeline.
#[derive(Clone, Debug)]
pub(crate) struct Stores {
    thread: Cpu,
    cpu: Time,
    offset: u64,
    /// Lines that have not started to leave.
    waiting: usize,
    /// When the buffer of each leaving line becomes free.
    leaving: VecDeque<Time>,
    /// When the root port's pipeline has passed the last line.
    pipeline_free: Time,
}

impl Stores {
    pub fn new(thread: Cpu) -> Stores {
        Stores { thread, cpu: Time::ZERO, offset: 0, waiting: 0, leaving: VecDeque::new(), pipeline_free: Time::ZERO }
    }

    /// Fills lines as long as the time of a free buffer is known, and gives them to the link.
    pub fn pump(&mut self, context: &mut PartContext<'_>, params: &HostParams) {
        while self.offset < self.thread.volume {
            let in_call = self.offset % self.thread.call;
            let first = in_call == 0;
            let Some(free) = self.buffer_free(params.pio_buffers.0 as usize) else { return };
            let called = if first { self.cpu + params.pio_call_cost } else { self.cpu };
            let address = self.thread.region.address(self.offset);
            let left = (self.thread.call - in_call).min(self.thread.volume - self.offset);
            let bytes = left.min(LINE_BYTES - address % LINE_BYTES);
            self.cpu = called.max(free) + params.pio_line_fill * bytes.div_ceil(8) / 8;
            let fits = self.thread.call.div_ceil(LINE_BYTES) <= params.pio_buffers.0;
            let restart = if first && fits { params.pio_restart } else { Time::ZERO };
            self.hand_over(context, params, bytes, restart);
        }
    }

    /// When a buffer is free; `None` where that is not known yet.
    fn buffer_free(&mut self, buffers: usize) -> Option<Time> {
        if self.waiting + self.leaving.len() < buffers {
            return Some(Time::ZERO);
        }
        self.leaving.pop_front()
    }

    fn hand_over(&mut self, context: &mut PartContext<'_>, params: &HostParams, bytes: u64, restart: Time) {
        let open = self.pipeline_free + restart;
        let at_port = self.cpu + params.core_latency;
        let ready = at_port.max(open);
        let by = if at_port >= open { Wait::Software } else { Wait::RootPort };
        let data = match self.thread.integrity {
            true => Payload::Bytes(bytes_at(self.thread.flow, self.offset, bytes)),
            false => Payload::Length(bytes as u32),
        };
        let decided = self.thread.decided(self.offset, self.cpu, ready, by, true);
        let leaving = self.thread.exit.write(decided, self.thread.region.address(self.offset), data);
        self.pipeline_free = ready + context.slot(&leaving) + params.pio_gap;
        context.send(leaving);
        self.waiting += 1;
        self.offset += bytes;
    }

    pub fn sent(&mut self, context: &mut PartContext<'_>, params: &HostParams, sent: Sent) {
        self.waiting -= 1;
        // The CPU has its buffer again, and is done, that long before: the line was on its way to the port.
        let free = sent.end - params.core_latency;
        self.leaving.push_back(free);
        if sent.offset + sent.payload as u64 >= self.thread.volume {
            context.ended(self.thread.flow, free);
        }
        self.pump(context, params);
    }
}

/// Loads: as many of a call in flight as the CPU allows, each followed by another one; then the next call.
#[derive(Clone, Debug)]
pub(crate) struct Loads {
    thread: Cpu,
    offset: u64,
    /// When each load in flight was made.
    born: Vec<Time>,
    in_flight: u64,
}

impl Loads {
    pub fn new(thread: Cpu) -> Loads {
        Loads { thread, offset: 0, born: Vec::new(), in_flight: 0 }
    }

    /// Makes the first loads.
    pub fn start(&mut self, context: &mut PartContext<'_>, params: &HostParams) {
        self.born = vec![Time::ZERO; params.pio_loads.0.min(MOST_LOADS) as usize];
        self.call(context, params, context.now());
    }

    /// Makes the first loads of the next call, which begins at `begins`, if there is one.
    fn call(&mut self, context: &mut PartContext<'_>, params: &HostParams, begins: Time) {
        if self.offset >= self.thread.volume {
            return;
        }
        let begun = begins + params.pio_call_cost;
        self.load(context, params, 0, begun);
        for place in 1..self.born.len() as u16 {
            if self.is_called() {
                return;
            }
            self.load(context, params, place, begun);
        }
    }

    /// True where no load of the call is left to be made.
    fn is_called(&self) -> bool {
        self.offset >= self.thread.volume || self.offset.is_multiple_of(self.thread.call)
    }

    /// Makes the next load of a call, in a free place, after `after`.
    fn load(&mut self, context: &mut PartContext<'_>, params: &HostParams, place: u16, after: Time) {
        let left = (self.thread.call - self.offset % self.thread.call).min(self.thread.volume - self.offset);
        let most = params.pio_read_bytes.0.min(LINE_BYTES);
        let address = self.thread.region.address(self.offset);
        let bytes = left.min(most - address % most);
        let born = after + params.pio_read_cost;
        self.born[usize::from(place)] = born;
        let decided = self.thread.decided(self.offset, born, born + params.core_latency, Wait::Software, false);
        self.in_flight += 1;
        context.in_flight(self.thread.flow, self.in_flight, born);
        context.send(self.thread.exit.read(decided, address, bytes, place));
        self.offset += bytes;
    }

    /// The completion of the load in `place` has arrived.
    pub fn loaded(&mut self, context: &mut PartContext<'_>, params: &HostParams, place: u16) {
        let now = context.now() + params.core_latency;
        let Some(&born) = self.born.get(usize::from(place)) else {
            return context.refuse(|| format!("it got data for a load {place} that it has not made"));
        };
        context.timed(self.thread.flow, now - born);
        self.in_flight -= 1;
        context.in_flight(self.thread.flow, self.in_flight, now);
        if !self.is_called() {
            return self.load(context, params, place, now);
        }
        if self.in_flight == 0 {
            self.call(context, params, now);
        }
        if self.in_flight == 0 {
            context.ended(self.thread.flow, now);
        }
    }
}

/// The most loads in flight: the tags of a host.
const MOST_LOADS: u64 = 768;
