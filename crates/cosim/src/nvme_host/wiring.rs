//! Makes a host of a scenario: an instance for each drive with a flow, and what is refused.

use super::instance::{Instance, Wiring};
use super::memory::MemoryPort;
use super::part::NvmeHost;
use super::space::Space;
use super::user::{BLOCK_BYTES, Stream};
use crate::builds::{HOST_BUILDS, HOST_MEMORY, HostBuild, MAX_PAYLOAD};
use crate::card::Clocks;
use crate::model::Model;
use crate::refusal::refuse;
use pcie::{Bdf, Time};
use sim::parts::{Built, KindError, origin};
use storage::DISK_READ;
use storage::nvme_host::NvmeHostParams;
use system::{Flow, Node, PartId, Scenario};

/// The function of every drive, in the space of its own root port.
const FUNCTION: u16 = 0x0100;
/// What the host sets as Max_Read_Request_Size, bytes.
const READ_REQUEST: u64 = 512;

/// True for a host whose logic is compiled.
pub(crate) fn is_mine(part: &Node) -> bool {
    part.kind.of::<NvmeHostParams>().is_some_and(NvmeHostParams::is_compiled)
}

/// Builds the host `id`.
///
/// # Errors
/// It cannot be had as described, or one of its flows cannot.
pub(crate) fn build(scenario: &Scenario, id: PartId, clocks: Clocks) -> Result<Built, KindError> {
    let system = &scenario.system;
    let part = system.part(id);
    let Some(params) = part.kind.of::<NvmeHostParams>() else {
        return refuse("this is no NVMe host", "take it out");
    };
    let build = chosen(params)?;
    if system.memory_address(id) != HOST_MEMORY {
        return refuse("the gateware that is compiled in has its memory below 4 GiB", "write `memory_above_4g: no`");
    }
    let mut instances = Vec::new();
    let (mut of_flow, mut of_port) = (vec![None; scenario.flows.len()], vec![None; part.ports.len()]);
    for (number, flow) in scenario.flows.iter().enumerate().filter(|(_, flow)| flow.target == id) {
        let wiring = wiring(scenario, (number, flow), build)?;
        let port = wiring.port;
        let missing =
            || KindError { what: "the host's model could not be made".into(), help: "is there memory for it?".into() };
        let model = Model::host(build).ok_or_else(missing)?;
        (of_flow[number], of_port[port]) = (Some(instances.len()), Some(instances.len()));
        instances.push(Instance::new(wiring, model));
    }
    let memory = MemoryPort::new(params);
    Ok(Built::alone(NvmeHost::new(instances, (of_flow, of_port), memory, clocks)))
}

/// The build selected by the fields of the part.
fn chosen(params: &NvmeHostParams) -> Result<HostBuild, KindError> {
    let found = HOST_BUILDS.iter().find(|build| build.width == params.core_width.0 * 8);
    let all = HOST_BUILDS.map(|build| format!("core_width: {} B", build.width / 8));
    found.copied().ok_or_else(|| KindError {
        what: "no build of the NVMe host has this width".into(),
        help: format!("these are compiled in: {}", all.join("; ")),
    })
}

/// What the instance of a flow is made of.
fn wiring(scenario: &Scenario, (number, flow): (usize, &Flow), build: HostBuild) -> Result<Wiring, KindError> {
    let system = &scenario.system;
    let (drive, host) = (flow.initiator, flow.target);
    let no = |what: String, help: &str| refuse(format!("`{}`: {what}", flow.name), help);
    let way = system.path(drive, host);
    let [up] = way.as_slice() else {
        return no("there is a switch below the root port".into(), "link the drive to the host");
    };
    let end = system.ends(*up).1;
    let Some(port) = system.part(host).ports.iter().position(|&port| port == end) else {
        return no("it comes to no port of its host".into(), "link the drive to the host");
    };
    let Some(registers) = system.largest_bar_from(host, drive) else {
        return no("its drive has no BAR for its registers".into(), "write `bars: 16 KiB`");
    };
    let (mps, mrrs) = (system.part(drive).mps, system.part(drive).mrrs);
    if mrrs.bytes() != READ_REQUEST || mps.bytes() > MAX_PAYLOAD {
        return no(
            format!(
                "MPS is {} and MRRS is {}, and the host sets {MAX_PAYLOAD} at most and {READ_REQUEST}",
                mps.bytes(),
                mrrs.bytes()
            ),
            "write `settings: { mrrs: 512 }`, and an MPS of 512 or less",
        );
    }
    if !flow.command.0.is_multiple_of(BLOCK_BYTES) || flow.command.0 == 0 {
        return no(format!("a command of {} is no number of blocks", flow.command), "write a multiple of 512 B");
    }
    let stream = Stream {
        flow: number as u32,
        origin: origin(scenario, number) as u32,
        reads: flow.operation == DISK_READ,
        command: flow.command.0,
        commands: flow.commands(),
        work: flow.work,
    };
    let width = pcie::Bytes(build.width / 8);
    let clock = system::clock::clock_of(system.link(up.link).speed, width);
    let function = Bdf::from_bits(FUNCTION);
    Ok(Wiring {
        port,
        function,
        period: Time::from_fs(1_000_000_000_000_000 / clock.0.max(1)),
        width: width.0 as usize,
        mps: mps.bytes(),
        registers,
        stream,
        space: Space::new(function, registers.bytes, (mps, mrrs)),
    })
}
