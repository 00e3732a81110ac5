//! The provider of NVMe SSDs and of their software.

use super::bring_up::BringUp;
use super::controller::Controller;
use super::face::QueueFace;
use super::params::{CONTROLLER_MEMORY, DOORBELL_BYTES, DOORBELLS, DataPointer, MOST_ENTRIES, NvmeParams, QueuesIn};
use super::queue::QueuePair;
use crate::block::{BLOCK_BYTES, PAGE_BYTES};
use crate::faults::Fault;
use crate::nvme_host::NvmeHostParams;
use crate::operations::{DISK_READ, DISK_WRITE};
use queues::Mover;
use queues::{Blocks, Flows, Job, Jobs, Opening, blocks_of};
use sim::parts::{Built, KindError, Provider};
use sim::{Resources, Signal, Software};
use system::kinds::host::Notice;
use system::pattern::Order;
use system::{Flow, PartId, Scenario, Window};

/// Builds NVMe SSDs.
#[derive(Debug)]
pub(crate) struct Drives;

fn refuse<T>(what: String, help: &str) -> Result<T, KindError> {
    Err(KindError { what, help: help.into() })
}

impl Provider for Drives {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<NvmeParams>().is_some()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let system = &scenario.system;
        let part = system.part(id);
        let Some(params) = part.kind.of::<NvmeParams>() else {
            return refuse("this is no NVMe SSD".into(), "take it out");
        };
        if let Some(other) = scenario.flows.iter().find(|flow| flow.target == id) {
            return refuse(
                format!("`{}`: other parts do not reach a drive", other.name),
                "let it read or write a host",
            );
        }
        let own = scenario.flows.iter().enumerate().filter(|(_, flow)| flow.initiator == id);
        let own: Vec<usize> = own.map(|(number, _)| number).collect();
        let Some(&first) = own.first() else {
            let host = system.host();
            let mover = Mover::new(scenario, id, host, &system.engine(id).unwrap_or_default()).fetching_beside();
            return Ok(Built::alone(Controller::new(params, 0, Vec::new(), mover, (false, Order::Sequential))));
        };
        let host = scenario.flows[first].target;
        let mut writes = own.iter().map(|&number| &scenario.flows[number]).filter(|flow| flow.operation == DISK_WRITE);
        let written = match writes.clone().find(|flow| flow.work.order == Order::Random) {
            Some(_) => (true, Order::Random),
            None => (writes.next().is_some(), Order::Sequential),
        };
        if let Some(&other) = own.iter().find(|&&number| scenario.flows[number].target != host) {
            let what = format!("`{}`: its other flows are those of another host", scenario.flows[other].name);
            return refuse(what, "give a drive one host");
        }
        let Some(bar) = system.largest_bar_from(host, id) else {
            return refuse("it has no BAR for its registers".into(), "write `bars: 16 KiB`");
        };
        let mut maker = Maker {
            scenario,
            params,
            host,
            registers: bar,
            pairs: Vec::new(),
            jobs: Vec::new(),
            left: Vec::new(),
            flows: 0,
        };
        for number in own {
            maker.flow(number, resources)?;
        }
        let Maker { pairs, jobs, left, .. } = maker;
        if logic(scenario, host).is_some() {
            // It brings drives up itself, and has memory of its own.
            let params = NvmeParams { bring_up: true, ..params.clone() };
            let mover = Mover::new(scenario, id, host, &system.engine(id).unwrap_or_default()).fetching_beside();
            return Ok(Built::alone(Controller::new(&params, bar.base, pairs, mover, written).with_bytes()));
        }
        let threads = pairs.iter().map(|pair| pair.flows.reads).collect();
        let opening = params.bring_up.then(|| bring_up(params, bar.base, host, &pairs, resources)).transpose()?;
        let admin = opening.as_ref().map(|(_, completions)| (Signal::Written(*completions), 0));
        let signals = pairs.iter().zip(0..).flat_map(|(pair, thread)| {
            let message = pair.message.map(|message| (Signal::Message(message), thread));
            [Some((Signal::Written(pair.completion), thread)), message].into_iter().flatten()
        });
        let signals = signals.chain(admin).collect();
        let jobs = Jobs::new(jobs, left).after(opening.map(|(opening, _)| opening));
        let software = Software { host, signals, driver: Box::new(jobs), threads };
        let mover = Mover::new(scenario, id, host, &system.engine(id).unwrap_or_default()).fetching_beside();
        let controller = Controller::new(params, bar.base, pairs, mover, written);
        Ok(Built { part: Box::new(controller), software: vec![software] })
    }
}

/// The host as logic that is compiled, if it is.
fn logic(scenario: &Scenario, host: PartId) -> Option<&NvmeHostParams> {
    scenario.system.part(host).kind.of::<NvmeHostParams>().filter(|params| params.is_compiled())
}

/// The bring-up of a drive with `pairs`, and where its admin completions are written.
fn bring_up(
    params: &NvmeParams,
    registers: u64,
    host: PartId,
    pairs: &[QueuePair],
    resources: &mut Resources,
) -> Result<(Box<dyn Opening>, Window), KindError> {
    let (submission, completion) = BringUp::MEMORY;
    let queues = (resources.memory(host, submission)?, resources.memory(host, completion)?);
    let page = resources.memory(host, PAGE_BYTES)?;
    let opening = BringUp::new(registers, queues, page, params.namespaces.0 as u32, pairs);
    Ok((Box::new(opening), queues.1))
}

/// Makes the queues of a drive.
struct Maker<'a> {
    scenario: &'a Scenario,
    params: &'a NvmeParams,
    host: PartId,
    registers: Window,
    pairs: Vec<QueuePair>,
    jobs: Vec<Job<QueueFace>>,
    /// By flow: its blocks.
    left: Vec<(u32, u64)>,
    /// Flows that have jobs so far.
    flows: u64,
}

impl Maker<'_> {
    /// The place of a submission queue of `bytes`: in the host, or after those that the drive has already.
    fn submission(&self, bytes: u64, resources: &mut Resources) -> Result<Window, KindError> {
        if self.params.queues_in == QueuesIn::Host {
            return resources.memory(self.host, bytes);
        }
        let before: u64 = self.pairs.iter().map(|pair| pair.submission.bytes).sum();
        let at = CONTROLLER_MEMORY + before;
        if at + bytes > self.registers.bytes {
            let what = format!("its BAR has no room for submission queues up to {} bytes", at + bytes);
            return refuse(what, "write a larger BAR, as in `bars: 1 MiB`, a lower `queue_depth`, or fewer `jobs`");
        }
        Ok(Window { base: self.registers.base + at, bytes })
    }

    /// The pair of queues that the logic of the host creates for the flow of this drive.
    fn of_logic(&mut self, flows: Flows, flow: &Flow) -> Result<(), KindError> {
        let no = |what: &str, help: &str| refuse(format!("`{}`: the gateware of its host {what}", flow.name), help);
        if !self.pairs.is_empty() || flows.reads != flows.writes || flow.work.jobs != 1 {
            return no("has one pair of queues for a drive, and one stream", "give a drive one flow with one job");
        }
        if self.params.queues_in != QueuesIn::Host || self.params.data_pointer != DataPointer::Prp {
            return no("has queues of its own, and PRPs", "write `queues_in: host` and `data_pointer: prp`");
        }
        if self.params.fault != Fault::Nothing {
            return no("is not shown drives that fail here", "write `fault: none`");
        }
        let nowhere = Window { base: 0, bytes: 0 };
        self.pairs.push(QueuePair {
            flows,
            in_order: flow.work.order == Order::Sequential,
            in_drive: false,
            is_found: true,
            submission: nowhere,
            completion: nowhere,
            entries: 1,
            doorbell: QueuePair::doorbell(self.registers.base, 0),
            message: None,
        });
        Ok(())
    }

    /// The queues of flow `number`, one pair for each job.
    fn flow(&mut self, number: usize, resources: &mut Resources) -> Result<(), KindError> {
        let flow = &self.scenario.flows[number];
        self.left.push(blocks_of((number, flow)));
        let Some(flows) = Flows::of_jobs(self.scenario, number) else { return Ok(()) };
        if logic(self.scenario, self.host).is_some() {
            return self.of_logic(flows, flow);
        }
        let (block, work) = (flow.command.0, flow.work);
        if !block.is_multiple_of(BLOCK_BYTES) || block == 0 {
            let what = format!("`{}`: a command of {} is no number of blocks", flow.name, flow.command);
            return refuse(what, "write a multiple of 512 B");
        }
        let (parts, _) = self.params.split(block);
        let Some(entries) = Some(work.depth.saturating_mul(parts) + 1).filter(|&entries| entries <= MOST_ENTRIES)
        else {
            let what =
                format!("`{}`: {} blocks of {parts} commands each are more than a queue holds", flow.name, work.depth);
            return refuse(what, "write a lower `queue_depth`, or shorter commands");
        };
        let entries = entries.next_power_of_two().max(2) as u32;
        let Some(host) = self.scenario.system.part(self.host).kind.host() else {
            return refuse("its flows go to no host".into(), "let it read or write one");
        };
        let namespace = (self.flows % self.params.namespaces.0.max(1)) as u32 + 1;
        let sgl = self.params.data_pointer == DataPointer::Sgl;
        self.flows += 1;
        for job in 0..work.jobs {
            let (submission, completion) = QueuePair::bytes(entries);
            let doorbell = QueuePair::doorbell(self.registers.base, self.pairs.len() as u32);
            if doorbell + 2 * DOORBELL_BYTES > self.registers.base + self.registers.bytes.max(DOORBELLS) {
                let what = format!("`{}`: its BAR has no doorbells for so many queues", flow.name);
                return refuse(what, "write a larger BAR, as in `bars: 16 KiB`, or fewer `jobs`");
            }
            let pair = QueuePair {
                flows,
                in_order: work.order == Order::Sequential,
                in_drive: self.params.queues_in == QueuesIn::Drive,
                is_found: false,
                submission: self.submission(submission, resources)?,
                completion: resources.memory(self.host, completion)?,
                entries,
                doorbell,
                message: match host.notice {
                    Notice::Interrupt => Some(resources.message(self.host)?),
                    Notice::Polling => None,
                },
            };
            let stride = block.next_multiple_of(PAGE_BYTES);
            let list = self.params.list_bytes(block.min(self.params.mdts.0)) > 0;
            let list = list.then(|| resources.memory(self.host, PAGE_BYTES)).transpose()?;
            let blocks = Blocks {
                flows,
                reads: flow.operation == DISK_READ,
                bytes: block,
                most: self.params.mdts.0,
                parts,
                memory: resources.memory(self.host, Blocks::memory_bytes(work.depth, stride))?,
                stride,
                work,
                first: job,
                costs: (host.command_cost, host.call_cost),
            };
            self.jobs.push(Job::new(QueueFace::new(pair, (namespace, sgl), list), blocks));
            self.pairs.push(pair);
        }
        Ok(())
    }
}
