//! What carries a flow out: its software, its card's channel, the FIFO that feeds it.

use crate::engine::numbering;
use crate::engine::region::Region;
use crate::engine::window::volume;
use crate::link::exit::Exit;
use crate::link::fabric::Fabric;
use crate::parts::card::Channel;
use crate::parts::card::command::{Orders, Progress};
use crate::parts::card::feed::Feed;
use crate::parts::card::reader::Reader;
use crate::parts::card::ring::Ring;
use crate::parts::card::writer::Writer;
use crate::parts::host::{Driver, RESUME};
use crate::parts::node::Node;
use crate::parts::{Provider, needed_provider};
use crate::run::error::SimError;
use crate::software::buffers::{RING_BYTES, RING_OFFSET, buffer};
use crate::software::commands::CommandLoop;
use crate::software::pio::{Loads, Stores, Thread};
use crate::software::thread::Thread as OtherThread;
use system::kinds::CardParams;
use system::kinds::card::Descriptors;
use system::kinds::host::PAGE_BYTES;
use system::{Drive, Flow, Operation, Part, PartId, Scenario, System, Window};

/// The largest BAR of a card, as it is reached from `from`, in whole pages.
fn bar(system: &System, from: PartId, card: PartId) -> Result<Window, SimError> {
    let part = system.part(card);
    let largest = system.largest_bar_from(from, card);
    let bytes = largest.map_or(0, |window| window.bytes / PAGE_BYTES.0 * PAGE_BYTES.0);
    match largest {
        Some(window) if bytes > 0 => Ok(Window { bytes, ..window }),
        _ => Err(SimError::NoBar { part: part.name.clone() }),
    }
}

/// Adds flow `number` to its card and its host.
pub(super) fn add_flow(
    scenario: &Scenario,
    number: usize,
    flow: &Flow,
    brought: Option<&dyn Provider>,
    fabric: &mut Fabric,
    nodes: &mut [Node],
) -> Result<(), SimError> {
    let system = &scenario.system;
    let target = system.part(flow.target);
    let region = match target.kind.host() {
        Some(params) => Region::new(buffer(params, number)),
        None => Region::new(bar(system, flow.initiator, flow.target)?),
    };
    let card_part = if flow.operation.is_pio() { flow.target } else { flow.initiator };
    let is_other = matches!(nodes[card_part.0], Node::Other(_));
    let root = system.host_for(flow.initiator, flow.target);
    let Node::Host(host) = &mut nodes[root.0] else { return Ok(()) };
    let direction = system.path(root, card_part).first().map_or(0, |&on| numbering::of(on));
    let thread_source = fabric.directions[direction as usize].sources.add();
    if is_other && !flow.operation.is_pio() {
        let refused = |why| SimError::Kind { part: system.part(card_part).name.clone(), why };
        let provider = needed_provider(brought, system.part(card_part)).map_err(refused)?;
        host.real[number] = provider.works_on_bytes();
        if let Some(driver) = provider.driver(scenario, number).map_err(refused)? {
            host.store.get_or_insert_default();
            let (flow, token) = (number as u32, RESUME | number as u32);
            let exit = Exit { direction, source: thread_source, requester: system.bdf(root) };
            let thread = OtherThread::new(flow, exit, (host.part, token), driver);
            host.drivers[number] = Some(Driver::Other(thread));
        }
        return Ok(());
    }
    if flow.operation.is_pio() {
        let thread = Thread {
            flow: number as u32,
            direction,
            source: thread_source,
            requester: system.bdf(root),
            region,
            call: flow.command.0.max(1),
            volume: volume(flow),
            integrity: scenario.integrity,
        };
        host.drivers[number] = Some(match flow.operation {
            Operation::PioRead => Driver::Loads(Loads::new(thread)),
            _ => Driver::Stores(Stores::new(thread)),
        });
        return Ok(());
    }
    let status_address = buffer(&host.params, number).base;
    if flow.drive == Drive::Software {
        host.drivers[number] = Some(Driver::Commands(CommandLoop {
            flow: number as u32,
            direction,
            source: thread_source,
            requester: system.bdf(root),
            doorbell_address: bar(system, root, flow.initiator)?.base,
            commands_left: volume(flow) / flow.command.0.max(1),
            descriptors: pushed_descriptors(system.part(flow.initiator), flow),
            each: begins_with_each(system.part(flow.initiator)),
        }));
    }
    if let Node::Card(card) = &mut nodes[flow.initiator.0] {
        // What the card sends goes to the target, and where that is another card, status writes to the host: by the port
        // that leads to it.
        let way = system.path(flow.initiator, flow.target);
        let port = way.first().map(|&on| system.port(system.ends(on).0));
        let Some(direction) = port.and_then(numbering::leaving) else { return Ok(()) };
        let source = fabric.directions[direction as usize].sources.add();
        let exit = Exit { direction, source, requester: system.bdf_towards(flow.initiator, flow.target) };
        let orders = Orders {
            flow: number as u32,
            exit,
            region,
            command: flow.command.0.max(1),
            volume: volume(flow),
            drive: flow.drive,
            stride: stride(&card.outlet.params, flow),
            status_address,
            integrity: scenario.integrity,
        };
        let ring_window = Window { base: status_address + RING_OFFSET, bytes: RING_BYTES };
        let fetches = card.outlet.params.descriptors == Descriptors::Ring;
        let ring = fetches.then(|| Ring::new(number as u32, exit, Region::new(ring_window)));
        card.channels.insert(number as u32, channel(system.part(flow.initiator), flow, Progress::new(orders, ring)));
        if let Some(from) = flow.fed_by.filter(|&from| from < scenario.flows.len() && from != number) {
            card.feeds.insert(number as u32, Feed::new(from as u32, card.outlet.params.fifo.0));
            card.feeds_into.insert(from as u32, number as u32);
        }
    }
    Ok(())
}

fn pushed_descriptors(card: &Part, flow: &Flow) -> u64 {
    match card.kind.card() {
        Some(params) if params.descriptors == Descriptors::Pushed => {
            flow.command.0.div_ceil(params.page_bytes.0.max(1))
        }
        _ => 0,
    }
}

/// True where the engine begins with each descriptor that is pushed.
fn begins_with_each(card: &Part) -> Option<u64> {
    match card.kind.card() {
        Some(params) if params.overlap && params.descriptors == Descriptors::Pushed => Some(params.descriptor_bytes.0),
        _ => None,
    }
}

/// What the engine of `flow` is handed at once.
fn stride(params: &CardParams, flow: &Flow) -> u64 {
    match flow.drive {
        Drive::Card if params.overlap => volume(flow),
        Drive::Software if params.overlap && params.descriptors == Descriptors::Pushed => params.page_bytes.0.max(1),
        _ => flow.command.0.max(1),
    }
}

fn channel(part: &Part, flow: &Flow, progress: Progress) -> Channel {
    let Some(params) = part.kind.card() else { unreachable!("only cards have channels") };
    if flow.operation.is_read() {
        let request = params.read_request.bytes().min(part.mrrs.bytes());
        let tags = params.read_requests.0.min(part.tags.max(1));
        Channel::Reader(Reader::new(progress, request, tags, params.completion_buffer.0.map(|b| b.0)))
    } else {
        let payload = params.payload.0.map_or(part.mps.bytes(), |p| p.0.min(part.mps.bytes()));
        Channel::Writer(Writer::new(progress, payload))
    }
}
