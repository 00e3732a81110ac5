//! A CPU thread that stores to, or loads from, a card's BAR.

use crate::engine::answer::{RequestOf, request};
use crate::engine::region::{Region, bytes_at};
use crate::engine::tlp::{Held, Tlp, Use};
use crate::link::exit::Exit;
use crate::link::fabric::{Fabric, Sent};
use pcie::Time;
use std::collections::VecDeque;
use system::Wait;
use system::kinds::HostParams;
use system::kinds::host::LINE_BYTES;

/// What both directions of PIO need.
#[derive(Clone, Debug)]
pub(crate) struct Cpu {
    pub flow: u32,
    pub exit: Exit,
    pub region: Region,
    /// Bytes of one call and of all.
    pub call: u64,
    pub volume: u64,
    pub integrity: bool,
}

impl Cpu {
    fn tlp(&self, offset: u64, payload: u64, asks: u64, born: Time, ready: Time, by: Wait) -> Tlp {
        let of = RequestOf {
            used: Use::Store,
            flow: self.flow,
            offset,
            requester: self.exit.requester,
            tag: 0,
            born,
            ready,
            held: Held { by, until: ready, then: by },
            notify: payload > 0,
        };
        let mut tlp = request(of, self.region.address(offset), payload, asks);
        if self.integrity && payload > 0 {
            tlp.data = Some(bytes_at(self.flow, offset, payload));
        }
        tlp
    }
}

/// Stores through write-combining buffers, and the root port's pipeline behind them.
#[derive(Clone, Debug)]
pub(crate) struct Stores {
    thread: Cpu,
    cpu: Time,
    offset: u64,
    /// Lines that have not started to leave.
    waiting: usize,
    /// When the buffers of lines that have started to leave are free.
    leaving: VecDeque<Time>,
    /// When the root port's pipeline has passed the last line.
    pipeline_free: Time,
}

impl Stores {
    pub fn new(thread: Cpu) -> Stores {
        Stores { thread, cpu: Time::ZERO, offset: 0, waiting: 0, leaving: VecDeque::new(), pipeline_free: Time::ZERO }
    }

    /// Fills lines as long as it is known when there is a buffer, and hands them to the link.
    pub fn pump(&mut self, fabric: &mut Fabric, params: &HostParams) {
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
            self.hand_over(fabric, params, bytes, restart);
        }
    }

    /// When a buffer is free; `None` where that is not known yet.
    fn buffer_free(&mut self, buffers: usize) -> Option<Time> {
        if self.waiting + self.leaving.len() < buffers {
            return Some(Time::ZERO);
        }
        self.leaving.pop_front()
    }

    fn hand_over(&mut self, fabric: &mut Fabric, params: &HostParams, bytes: u64, restart: Time) {
        let open = self.pipeline_free + restart;
        let ready = self.cpu.max(open);
        let by = if self.cpu >= open { Wait::Software } else { Wait::RootPort };
        let tlp = self.thread.tlp(self.offset, bytes, 0, self.cpu, ready, by);
        let link = &fabric.directions[self.thread.exit.direction as usize];
        let slot = link.wire.duration(link.framing.tlp_bytes(tlp.shape).next_multiple_of(link.alignment));
        self.pipeline_free = ready + slot + params.pio_gap;
        fabric.enqueue(self.thread.exit.direction, self.thread.exit.source, tlp);
        self.waiting += 1;
        self.offset += bytes;
    }

    pub fn sent(&mut self, fabric: &mut Fabric, params: &HostParams, sent: Sent) {
        self.waiting -= 1;
        self.leaving.push_back(sent.end);
        if sent.offset + sent.payload as u64 >= self.thread.volume {
            fabric.flows.ended(self.thread.flow, sent.end);
        }
        self.pump(fabric, params);
    }
}

/// Loads, one at a time.
#[derive(Clone, Debug)]
pub(crate) struct Loads {
    thread: Cpu,
    offset: u64,
    born: Time,
}

impl Loads {
    pub fn new(thread: Cpu) -> Loads {
        Loads { thread, offset: 0, born: Time::ZERO }
    }

    /// The CPU is free at `now`: the next load.
    pub fn load(&mut self, fabric: &mut Fabric, params: &HostParams, now: Time) {
        let left = (self.thread.call - self.offset % self.thread.call).min(self.thread.volume - self.offset);
        let most = params.pio_read_bytes.0.min(LINE_BYTES);
        let address = self.thread.region.address(self.offset);
        let bytes = left.min(most - address % most);
        self.born = now + params.pio_read_cost;
        if self.offset.is_multiple_of(self.thread.call) {
            self.born += params.pio_call_cost;
        }
        let tlp = self.thread.tlp(self.offset, 0, bytes, self.born, self.born, Wait::Software);
        if let Some(trace) = &mut fabric.trace {
            trace.in_flight(self.thread.flow, 1, self.born);
        }
        fabric.enqueue(self.thread.exit.direction, self.thread.exit.source, tlp);
        self.offset += bytes;
    }

    /// The answer is here.
    pub fn loaded(&mut self, fabric: &mut Fabric, params: &HostParams) {
        fabric.flows.timed(self.thread.flow, fabric.now - self.born);
        if let Some(trace) = &mut fabric.trace {
            trace.in_flight(self.thread.flow, 0, fabric.now);
        }
        if self.offset < self.thread.volume {
            self.load(fabric, params, fabric.now);
        } else {
            fabric.flows.ended(self.thread.flow, fabric.now);
        }
    }
}
