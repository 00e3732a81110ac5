//! The provider of USB host controllers and of their software.

use super::controller::Controller;
use super::params::{BULK_IN, EVENT_BYTES, Interface, MOST_TRANSFERS, UsbParams};
use super::ring::Rings;
use super::software::{Transfers, UsbDriver};
use queues::{Mover, Ring};
use sim::parts::{Built, KindError, Provider};
use sim::{Resources, Signal, Software};
use system::kinds::HostParams;
use system::kinds::host::Notice;
use system::{PartId, Scenario};

/// Builds USB host controllers.
#[derive(Debug)]
pub(crate) struct Controllers;

/// Bytes of host memory for data; more transfers use it repeatedly.
const MOST_BYTES: u64 = 16 << 20;

fn refuse<T>(what: String, help: &str) -> Result<T, KindError> {
    Err(KindError { what, help: help.into() })
}

impl Provider for Controllers {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<UsbParams>().is_some()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let system = &scenario.system;
        let Some(params) = system.part(id).kind.of::<UsbParams>() else {
            return refuse("this is no USB host controller".into(), "take it out");
        };
        if let Some(other) = scenario.flows.iter().find(|flow| flow.target == id) {
            let what = format!("`{}`: other parts do not reach a USB device", other.name);
            return refuse(what, "let it send to a host, or get from one");
        }
        let mover = |host| Mover::new(scenario, id, host, &system.engine(id).unwrap_or_default());
        let mut own = scenario.flows.iter().enumerate().filter(|(_, flow)| flow.initiator == id);
        let number = match (own.next(), own.next()) {
            (None, _) => return Ok(Built::alone(Controller::new(params, None, true, mover(system.host())))),
            (Some((number, _)), None) => number,
            (Some(_), Some((_, other))) => {
                let what = format!("`{}`: the device has one endpoint, and it has a flow", other.name);
                return refuse(what, "write one flow for it");
            }
        };
        let (flow, host) = (&scenario.flows[number], scenario.flows[number].target);
        let Some(costs) = system.part(host).kind.host() else {
            return refuse("its flow goes to no host".into(), "let it send to one, or get from one");
        };
        let (ring, transfers) = queued(scenario, params, (id, number), &costs, resources)?;
        let driver = UsbDriver::new(ring, transfers, (costs.command_cost, costs.call_cost));
        let signals = vec![(Signal::Message(ring.message), 0)];
        let software = Software { host, driver: Box::new(vec![driver]), threads: vec![number as u32], signals };
        let part = Controller::new(params, Some(ring), flow.operation == BULK_IN, mover(host));
        Ok(Built { part: Box::new(part), software: vec![software] })
    }
}

/// The ring of flow `number` of the controller `id`, and its transfers.
fn queued(
    scenario: &Scenario,
    params: &UsbParams,
    (id, number): (PartId, usize),
    costs: &HostParams,
    resources: &mut Resources,
) -> Result<(Rings, Transfers), KindError> {
    let flow = &scenario.flows[number];
    let (name, host, work) = (&flow.name, flow.target, flow.work);
    if work.jobs != 1 {
        let what = format!("`{name}`: a bulk endpoint has one queue, and no {} threads that fill it", work.jobs);
        return refuse(what, "write `jobs: 1`, and a larger `queue_depth`");
    }
    if costs.notice == Notice::Polling {
        let what = format!("`{name}`: the driver of a USB controller waits for interrupts");
        return refuse(what, "write `notice: interrupt` at the host");
    }
    let doorbell = match (params.controller, scenario.system.largest_bar_from(host, id)) {
        (Interface::Ehci, _) => 0,
        (Interface::Xhci, Some(bar)) => bar.base,
        (Interface::Xhci, None) => return refuse("it has no BAR for its doorbell".into(), "write `bars: 64 KiB`"),
    };
    let bytes = flow.command.0.max(1);
    let pieces = params.pieces(bytes);
    let least = work.depth.saturating_mul(pieces.count()).saturating_add(1);
    if least > MOST_TRANSFERS {
        let what = format!("`{name}`: {} transfers of {} pieces each are too many", work.depth, pieces.count());
        return refuse(what, "write a lower `queue_depth`, or shorter transfers: 65535 pieces in all");
    }
    let (count, event_count) = (least.next_power_of_two() as u32, (work.depth + 1).next_power_of_two() as u32);
    // A TRB ends at a multiple of 64 KiB at the latest, a qTD begins with a page.
    let aligned = Interface::Xhci.piece_bytes();
    let stride = if bytes > aligned { bytes.next_multiple_of(aligned) } else { bytes.next_power_of_two().max(4096) };
    let buffers = work.depth.min((MOST_BYTES / stride).max(1));
    let mut memory = resources.memory(host, buffers * stride + aligned)?;
    memory.base = memory.base.next_multiple_of(aligned);
    memory.bytes = buffers * stride;
    let entry = params.controller.entry_bytes();
    let ring_memory = resources.memory(host, u64::from(count) * entry)?;
    let events = resources.memory(host, u64::from(event_count) * EVENT_BYTES)?;
    let ring = Rings {
        flow: number as u32,
        interface: params.controller,
        pieces: Ring::new(ring_memory, u64::from(count), entry),
        events: Ring::new(events, u64::from(event_count), EVENT_BYTES),
        doorbell,
        message: resources.message(host)?,
    };
    Ok((ring, Transfers { pieces, memory, stride, depth: work.depth, all: flow.commands() }))
}
