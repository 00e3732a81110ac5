//! What lies between the software of a device and its queues: for each job a pair of rings in host memory, a doorbell in the largest
//! BAR, an interrupt message where the host has interrupts, and memory for its data.

use crate::{Blocks, Face, Flows, Job, Jobs, Ring};
use sim::parts::KindError;
use sim::{Message, Resources, Signal, Software};
use system::kinds::HostParams;
use system::kinds::host::Notice;
use system::{Flow, PartId, Scenario, Window};

/// The two rings of a queue, its doorbell, and the message of its interrupt.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Entries that software writes.
    pub ring: Ring,
    /// Completions that the device writes.
    pub completions: Ring,
    /// Where software stores the place after the last entry, in 8 bytes.
    pub doorbell: u64,
    /// `None` where the host polls.
    pub message: Option<Message>,
}

/// Bytes of a doorbell, and of the number in a completion.
pub const DOORBELL_BYTES: u64 = 8;

/// See the module. The provider makes one for its part, takes a pair and blocks for each job, and makes the software last.
pub struct Wiring<'a> {
    scenario: &'a Scenario,
    id: PartId,
    host: PartId,
    figures: HostParams,
    registers: Window,
    resources: &'a mut Resources,
    threads: Vec<u32>,
    signals: Vec<(Signal, u32)>,
    left: Vec<(u32, u64)>,
}

fn refuse<T>(what: String, help: &str) -> Result<T, KindError> {
    Err(KindError { what, help: help.into() })
}

impl<'a> Wiring<'a> {
    /// The wiring of part `id` to the one host of its flows.
    ///
    /// # Errors
    /// The part has no BAR, its flows have several hosts, or one of them mixes reads and writes.
    pub fn new(scenario: &'a Scenario, id: PartId, resources: &'a mut Resources) -> Result<Wiring<'a>, KindError> {
        let own = || scenario.flows.iter().filter(|flow| flow.initiator == id);
        let host = own().next().map_or(scenario.system.host(), |flow| flow.target);
        let (Some(registers), Some(figures)) =
            (scenario.system.largest_bar_from(host, id), scenario.system.part(host).kind.host())
        else {
            return refuse("it has no BAR for its doorbells, or no host".into(), "write `bars: 16 KiB`");
        };
        if let Some(flow) = own().find(|flow| flow.target != host) {
            return refuse(format!("`{}` goes to another host than its other flows", flow.name), "give it one host");
        }
        if let Some(flow) = own().find(|flow| flow.mixed_with.is_some()) {
            let help = "leave `read_share` out: a queue does one of them";
            return refuse(format!("`{}` both reads and writes", flow.name), help);
        }
        let figures = figures.into_owned();
        let (threads, signals, left) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Wiring { scenario, id, host, figures, registers, resources, threads, signals, left })
    }

    /// The host of all flows.
    pub fn host(&self) -> PartId {
        self.host
    }

    /// The flows whose jobs need queues, with their numbers: all of the part, but those that other flows feed.
    pub fn flows(&self) -> impl Iterator<Item = (usize, &'a Flow)> + use<'a> {
        let id = self.id;
        let all = self.scenario.flows.iter().enumerate();
        all.filter(move |(_, flow)| flow.initiator == id && flow.operation.is_queued() && flow.fed_by.is_none())
    }

    /// The flow whose bytes and commands count for flow `number`: of a copy, the half that writes
    /// ([`Scenario::written_back`]), else the flow itself.
    pub fn counted(&self, number: usize) -> u32 {
        self.scenario.written_back(number).unwrap_or(number) as u32
    }

    /// The rings of the next job of flow `number`: room for `entries` of `bytes`, and for as many completions of
    /// `completion_bytes`. A field `ring` of the kind says `most` entries.
    ///
    /// # Errors
    /// The entries are too many, or there is no room in the BAR or in memory.
    pub fn pair(
        &mut self,
        number: usize,
        (entries, most): (u64, u64),
        (bytes, completion_bytes): (u64, u64),
    ) -> Result<Pair, KindError> {
        let name = self.scenario.flows.get(number).map_or("", |flow| &flow.name);
        if entries > most {
            let help = "write a lower `queue_depth`, shorter commands, or a longer `ring`";
            return refuse(format!("`{name}`: {entries} entries are more than a ring has"), help);
        }
        let doorbell = self.registers.base + DOORBELL_BYTES * self.threads.len() as u64;
        if doorbell + DOORBELL_BYTES > self.registers.base + self.registers.bytes {
            return refuse(format!("`{name}`: its BAR has no doorbell for so many jobs"), "write larger `bars`");
        }
        let mut ring = |bytes| Ok(Ring::new(self.resources.memory(self.host, entries * bytes)?, entries, bytes));
        let (ring, completions) = (ring(bytes)?, ring(completion_bytes.max(DOORBELL_BYTES))?);
        let message = match self.figures.notice {
            Notice::Interrupt => Some(self.resources.message(self.host)?),
            Notice::Polling => None,
        };
        let window = Window { base: completions.at(0), bytes: entries * completions.entry_bytes() };
        let signal = message.map_or(Signal::Written(window), Signal::Message);
        self.signals.push((signal, self.threads.len() as u32));
        self.threads.push(self.counted(number));
        Ok(Pair { ring, completions, doorbell, message })
    }

    /// The blocks of job `first` of flow `number`, one a command, `stride` bytes apart in memory; `reads` as in
    /// [`Transfer`](crate::Transfer).
    ///
    /// # Errors
    /// There is no such flow, or no memory.
    pub fn blocks(&mut self, number: usize, first: u64, reads: bool, stride: u64) -> Result<Blocks, KindError> {
        let Some(flow) = self.scenario.flows.get(number) else {
            return refuse(format!("there is no flow {number}"), "name a flow of the scenario");
        };
        let (bytes, counted) = (flow.command.0.max(1), self.counted(number));
        if first == 0 {
            self.left.push((counted, flow.commands()));
        }
        let memory = self.resources.memory(self.host, Blocks::memory_bytes(flow.work.depth, stride))?;
        let costs = (self.figures.command_cost, self.figures.call_cost);
        let flows = Flows { reads: counted, writes: counted };
        Ok(Blocks { flows, reads, bytes, most: bytes, parts: 1, memory, stride, work: flow.work, first, costs })
    }

    /// The software that does these jobs, in the order of their pairs. It ends the flows, but for what a loop reads:
    /// the part ends that.
    pub fn software<F: Face + 'static>(self, jobs: Vec<Job<F>>) -> Vec<Software> {
        let driver = Box::new(Jobs::new(jobs, self.left));
        let software = Software { host: self.host, driver, threads: self.threads, signals: self.signals };
        if software.threads.is_empty() { Vec::new() } else { vec![software] }
    }
}
