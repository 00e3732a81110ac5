//! The provider of controllers with SATA drives, and of their software.

use super::controller::Controller;
use super::face::{PortFace, PortPlace};
use super::params::{HEADER_BYTES, MOST_SLOTS, Protocol, SataParams};
use super::port::Before;
use crate::block::{BLOCK_BYTES, PAGE_BYTES};
use queues::Mover;
use queues::{Blocks, Flows, Job, Jobs, blocks_of};
use sim::parts::{Built, KindError, Provider};
use sim::{Resources, Signal, Software};
use system::kinds::host::Notice;
use system::{PartId, Scenario};

/// Builds controllers with SATA drives.
#[derive(Debug)]
pub(crate) struct Controllers;

fn refuse<T>(what: String, help: &str) -> Result<T, KindError> {
    Err(KindError { what, help: help.into() })
}

impl Provider for Controllers {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<SataParams>().is_some()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let system = &scenario.system;
        let Some(params) = system.part(id).kind.of::<SataParams>() else {
            return refuse("this is no controller with SATA drives".into(), "take it out");
        };
        if let Some(other) = scenario.flows.iter().find(|flow| flow.target == id) {
            return refuse(
                format!("`{}`: other parts do not reach a drive", other.name),
                "let it read or write a host",
            );
        }
        let own = scenario.flows.iter().enumerate().filter(|(_, flow)| flow.initiator == id);
        let own: Vec<usize> = own.map(|(number, _)| number).collect();
        let engine = system.engine(id).unwrap_or_default();
        let Some(&first) = own.first() else {
            let mover = Mover::new(scenario, id, system.host(), &engine).fetching_beside();
            return Ok(Built::alone(Controller::new(params, 0, Vec::new(), mover)));
        };
        let host = scenario.flows[first].target;
        if let Some(&other) = own.iter().find(|&&number| scenario.flows[number].target != host) {
            let what = format!("`{}`: its other flows are those of another host", scenario.flows[other].name);
            return refuse(what, "give a controller one host");
        }
        let drives: Vec<Flows> = own.iter().filter_map(|&number| Flows::of_jobs(scenario, number)).collect();
        if drives.len() as u64 > params.sata_ports.0 {
            let what = format!("{} flows, and it has {} ports, one drive each", drives.len(), params.sata_ports.0);
            return refuse(what, "write more `sata_ports`, or fewer flows");
        }
        let bytes = PortPlace::register_bytes(params.sata_ports.0);
        let Some(bar) = system.largest_bar_from(host, id).filter(|bar| bar.bytes >= bytes) else {
            return refuse("its BAR has no room for the registers of its ports".into(), "write `bars: 8 KiB`");
        };
        let (mut ports, mut jobs) = (Vec::new(), Vec::new());
        let left = own.iter().map(|&number| blocks_of((number, &scenario.flows[number]))).collect();
        for (port, flows) in (0..).zip(drives) {
            let (place, tags, job) = of_port(scenario, params, (port, flows), bar.base, resources)?;
            let flow = &scenario.flows[flows.writes as usize];
            let before = Before { work: flow.work, block: flow.command.0 };
            ports.push((place, tags, (flow.operation == crate::operations::DISK_WRITE).then_some(before)));
            jobs.push(job);
        }
        let threads = ports.iter().map(|(place, ..)| place.flows.reads).collect();
        let signals = ports.iter().zip(0..).flat_map(|((place, ..), thread)| {
            let message = place.message.map(|message| (Signal::Message(message), thread));
            [Some((Signal::Written(place.told), thread)), message].into_iter().flatten()
        });
        let software = Software { host, signals: signals.collect(), driver: Box::new(Jobs::new(jobs, left)), threads };
        let mover = Mover::new(scenario, id, host, &engine).fetching_beside();
        Ok(Built { part: Box::new(Controller::new(params, bar.base, ports, mover)), software: vec![software] })
    }
}

/// The port of these flows: its place, how many tags it has, and its software.
fn of_port(
    scenario: &Scenario,
    params: &SataParams,
    (port, flows): (u32, Flows),
    registers: u64,
    resources: &mut Resources,
) -> Result<(PortPlace, u64, Job<PortFace>), KindError> {
    let flow = &scenario.flows[flows.reads as usize];
    let (block, work, to) = (flow.command.0, flow.work, flow.target);
    if !block.is_multiple_of(BLOCK_BYTES) || block == 0 {
        let what = format!("`{}`: a command of {} is no number of blocks", flow.name, flow.command);
        return refuse(what, "write a multiple of 512 B");
    }
    let (parts, bytes) = params.split(block);
    let tags = work.depth.saturating_mul(parts);
    let most = if params.protocol == Protocol::Ahci { MOST_SLOTS } else { 1024 };
    if tags > most {
        let what = format!("`{}`: {tags} commands in flight at a port, which has {most}", flow.name);
        return refuse(what, "write a lower `queue_depth`, or shorter commands");
    }
    if work.jobs > 1 {
        return refuse(format!("`{}`: a drive here has one queue", flow.name), "write `jobs: 1`");
    }
    let Some(host) = scenario.system.part(to).kind.host() else {
        return refuse("its flows go to no host".into(), "let it read or write one");
    };
    let table_bytes = params.fetched(bytes).last().copied().unwrap_or(PAGE_BYTES).next_multiple_of(128);
    let entries = (tags + 1).next_power_of_two() as u32;
    let place = PortPlace {
        flows,
        port,
        protocol: params.protocol,
        registers,
        headers: resources.memory(to, tags * HEADER_BYTES)?,
        tables: resources.memory(to, tags * table_bytes)?,
        table_bytes,
        told: resources.memory(to, PortPlace::told_bytes(entries))?,
        entries,
        message: match host.notice {
            Notice::Interrupt => Some(resources.message(to)?),
            Notice::Polling => None,
        },
    };
    let stride = block.next_multiple_of(PAGE_BYTES);
    let blocks = Blocks {
        flows,
        reads: flow.operation == crate::operations::DISK_READ,
        bytes: block,
        most: params.most_transfer.0,
        parts,
        memory: resources.memory(to, Blocks::memory_bytes(work.depth, stride))?,
        stride,
        work,
        first: 0,
        costs: (host.command_cost, host.call_cost),
    };
    Ok((place, tags, Job::new(PortFace::new(place), blocks)))
}
