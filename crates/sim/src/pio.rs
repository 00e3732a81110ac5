//! A CPU thread that stores to, or loads from, a card's BAR.

use crate::answer::{RequestOf, request};
use crate::fabric::{Fabric, Sent};
use crate::region::{Region, bytes_at};
use crate::tlp::{Held, Purpose, Tlp};
use pcie::{Bdf, Time};
use std::collections::VecDeque;
use system::Wait;
use system::kinds::HostParams;
use system::kinds::host::LINE_BYTES;

/// What both directions of PIO need.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub flow: u32,
    /// The root port's direction down, and the thread's source there.
    pub direction: u32,
    pub source: u32,
    pub requester: Bdf,
    pub region: Region,
    /// Bytes of one call and of all.
    pub call: u64,
    pub volume: u64,
    pub integrity: bool,
}

impl Thread {
    fn tlp(&self, offset: u64, payload: u64, asks: u64, born: Time, ready: Time, by: Wait) -> Tlp {
        let of = RequestOf {
            purpose: Purpose::Store,
            flow: self.flow,
            offset,
            requester: self.requester,
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

/// A filled line on its way to the link.
#[derive(Clone, Copy, Debug)]
struct Line {
    filled: Time,
    offset: u64,
    bytes: u64,
    restart: bool,
}

/// Stores through write-combining buffers.
#[derive(Clone, Debug)]
pub(crate) struct Stores {
    thread: Thread,
    cpu: Time,
    offset: u64,
    lines: VecDeque<Line>,
    /// When the buffers of lines that have started to leave are free.
    leaving: VecDeque<Time>,
    /// A line is with the transmitter.
    on_link: bool,
    last_end: Time,
}

impl Stores {
    pub fn new(thread: Thread) -> Stores {
        Stores {
            thread,
            cpu: Time::ZERO,
            offset: 0,
            lines: VecDeque::new(),
            leaving: VecDeque::new(),
            on_link: false,
            last_end: Time::ZERO,
        }
    }

    pub fn pump(&mut self, fabric: &mut Fabric, params: &HostParams) {
        while self.offset < self.thread.volume && self.fill(params) {}
        if self.on_link {
            return;
        }
        let Some(line) = self.lines.pop_front() else { return };
        let mut open = self.last_end;
        if line.offset > 0 {
            open += params.pio_gap;
        }
        if line.restart {
            open += params.pio_restart;
        }
        let ready = line.filled.max(open);
        let by = if line.filled >= open { Wait::Software } else { Wait::Core };
        let tlp = self.thread.tlp(line.offset, line.bytes, 0, line.filled, ready, by);
        fabric.enqueue(self.thread.direction, self.thread.source, tlp);
        self.on_link = true;
    }

    /// The CPU fills the next line; false where it has to wait for a buffer.
    fn fill(&mut self, params: &HostParams) -> bool {
        let waiting = self.lines.len() + self.on_link as usize;
        let mut cpu = self.cpu;
        let in_call = self.offset % self.thread.call;
        if in_call == 0 {
            cpu += params.pio_call_cost;
        }
        let mut released = 0;
        while waiting + self.leaving.len() - released >= params.pio_buffers.0 as usize {
            let Some(&free) = self.leaving.get(released) else { return false };
            cpu = cpu.max(free);
            released += 1;
        }
        self.leaving.drain(..released);
        let address = self.thread.region.address(self.offset);
        let left = (self.thread.call - in_call).min(self.thread.volume - self.offset);
        let bytes = left.min(LINE_BYTES - address % LINE_BYTES);
        self.cpu = cpu + params.pio_line_fill * bytes.div_ceil(8) / 8;
        let restart = in_call == 0 && self.thread.call.div_ceil(LINE_BYTES) <= params.pio_buffers.0;
        self.lines.push_back(Line { filled: self.cpu, offset: self.offset, bytes, restart });
        self.offset += bytes;
        true
    }

    pub fn sent(&mut self, fabric: &mut Fabric, params: &HostParams, sent: Sent) {
        self.on_link = false;
        self.last_end = sent.end;
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
    thread: Thread,
    offset: u64,
    born: Time,
}

impl Loads {
    pub fn new(thread: Thread) -> Loads {
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
        fabric.enqueue(self.thread.direction, self.thread.source, tlp);
        self.offset += bytes;
    }

    /// The answer is here.
    pub fn loaded(&mut self, fabric: &mut Fabric, params: &HostParams) {
        fabric.flows.timed(self.thread.flow, fabric.now - self.born);
        if self.offset < self.thread.volume {
            self.load(fabric, params, fabric.now);
        } else {
            fabric.flows.ended(self.thread.flow, fabric.now);
        }
    }
}
