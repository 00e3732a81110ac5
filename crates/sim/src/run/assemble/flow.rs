//! What carries a flow out on its host: a CPU thread that stores or loads, or the software of its device.

use crate::engine::numbering;
use crate::link::exit::Exit;
use crate::link::fabric::Fabric;
use crate::parts::host::{Driver, RESUME};
use crate::parts::node::Node;
use crate::parts::{Provider, needed_provider, region};
use crate::run::error::SimError;
use crate::software::pio::{Loads, Stores, Thread};
use crate::software::thread::Thread as OtherThread;
use system::{Flow, Operation, Scenario};

/// Adds flow `number` to its host.
pub(super) fn add_flow(
    scenario: &Scenario,
    number: usize,
    flow: &Flow,
    brought: &[&dyn Provider],
    fabric: &mut Fabric,
    nodes: &mut [Node],
) -> Result<(), SimError> {
    let system = &scenario.system;
    let part = |id| system.part(id).name.clone();
    let region = region(scenario, number).ok_or_else(|| SimError::NoBar { part: part(flow.target) })?;
    let card_part = if flow.operation.is_pio() { flow.target } else { flow.initiator };
    let root = system.host_for(flow.initiator, flow.target);
    let Node::Host(host) = &mut nodes[root.0] else { return Ok(()) };
    let direction = system.path(root, card_part).first().map_or(0, |&on| numbering::of(on));
    let exit =
        Exit { direction, source: fabric.directions[direction as usize].sources.add(), requester: system.bdf(root) };
    if flow.operation.is_pio() {
        let thread = Thread {
            flow: number as u32,
            direction,
            source: exit.source,
            requester: exit.requester,
            region,
            call: flow.command.0.max(1),
            volume: flow.whole_volume().0,
            integrity: scenario.integrity,
        };
        host.drivers[number] = Some(match flow.operation {
            Operation::PioRead => Driver::Loads(Loads::new(thread)),
            _ => Driver::Stores(Stores::new(thread)),
        });
        return Ok(());
    }
    let refused = |why| SimError::Kind { part: part(card_part), why };
    let provider = needed_provider(brought, system.part(card_part)).map_err(refused)?;
    host.real[number] = provider.works_on_bytes();
    if let Some(driver) = provider.driver(scenario, number).map_err(refused)? {
        host.store.get_or_insert_default();
        let (flow, token) = (number as u32, RESUME | number as u32);
        let thread = OtherThread::new(flow, exit, (host.part, token), driver);
        host.drivers[number] = Some(Driver::Other(thread));
    }
    Ok(())
}
