//! What registers show, and a change makes better.

use super::cause::Cause;
use super::suspect::{endpoints, ports};
use pcie::{Bytes, Generation, LinkSpeed, PayloadSize, Width};
use std::collections::BTreeSet;
use system::graph::{LinkId, PortId};
use system::{Change, Drive, Origin, PartId, Scenario, System};

/// A link that nothing here fills.
const ENDLESS: LinkSpeed = LinkSpeed { generation: Generation::Gen5, width: Width::ALL[5] };

/// A scenario with one thing made better.
pub(super) struct Remedy {
    pub cause: Cause,
    pub scenario: Scenario,
}

/// Everything that can be made better in a scenario.
pub(super) fn remedies(scenario: &Scenario) -> Vec<Remedy> {
    let system = &scenario.system;
    let links: BTreeSet<LinkId> =
        scenario.flows.iter().flat_map(|flow| ports(system, flow)).filter_map(|port| system.port(port).link).collect();
    // What one flow passes is its own; of a device that several flows reach, its link is shared.
    let passing = |link: LinkId| {
        scenario
            .flows
            .iter()
            .filter(|flow| system.path(flow.initiator, flow.target).iter().any(|on| on.link == link))
            .count()
    };
    let is_own = |link: &LinkId| {
        system.part(system.port(system.link(*link).lower).part).kind.is_endpoint() && passing(*link) < 2
    };
    let (own, shared): (Vec<LinkId>, Vec<LinkId>) = links.into_iter().partition(is_own);
    let mut found = Vec::new();
    // The links of devices together, and each that is shared; of one device, its link is one of its own.
    let shared = shared.into_iter().map(|link| (vec![link], false));
    for (set, own) in std::iter::once((own, true)).chain(shared) {
        let held: Vec<LinkId> = set.iter().copied().filter(|&link| able(system, link) != speed(system, link)).collect();
        if let Some(&first) = held.first() {
            let cause = Cause::Link {
                links: named(system, &held),
                speed: speed(system, first),
                alike: held.iter().all(|&link| speed(system, link) == speed(system, first)),
                able: Some(able(system, first)),
                own,
            };
            found.extend(amended(scenario, held.iter().map(|&link| Change::Speed(link, able(system, link))), cause));
        }
        if let Some(&first) = set.first() {
            let alike = set.iter().all(|&link| speed(system, link) == speed(system, first));
            let cause = Cause::Link { links: named(system, &set), speed: speed(system, first), alike, able: None, own };
            found.extend(amended(scenario, set.iter().map(|&link| Change::Speed(link, ENDLESS)), cause));
        }
    }
    found.extend(payload(scenario));
    found.extend(requests(scenario));
    found.extend(in_flight(scenario));
    found
}

/// How many times as deep queues make waiting for them no limit.
const DEEPER: u64 = 16;

/// More commands in the queues of drives, or more read requests of cards at once.
fn in_flight(scenario: &Scenario) -> Option<Remedy> {
    let mut deeper = scenario.clone();
    let queued = scenario.flows.iter().filter(|flow| flow.drive == Drive::Software && flow.operation.is_queued());
    if let Some(flow) = queued.min_by_key(|flow| flow.work.in_flight()) {
        let cause = Cause::InFlight { count: flow.work.in_flight(), bytes: flow.command };
        for flow in deeper.flows.iter_mut().filter(|flow| flow.drive == Drive::Software) {
            flow.work.depth *= DEEPER;
            flow.volume = Bytes(flow.volume.0.max(flow.command.0 * flow.work.in_flight()));
        }
        return Some(Remedy { cause, scenario: deeper });
    }
    let system = &scenario.system;
    // Of reads that a card requests, its tags are what may be in flight.
    let reads = scenario.flows.iter().filter(|flow| flow.operation.is_read() && !flow.operation.is_queued());
    let cards: BTreeSet<PartId> =
        reads.map(|flow| flow.initiator).filter(|&part| !system.part(part).kind.is_root()).collect();
    let least = cards.iter().copied().min_by_key(|&part| system.part(part).tags)?;
    let cause = Cause::InFlight { count: system.part(least).tags, bytes: Bytes(system.part(least).mrrs.bytes()) };
    let number = |part: PartId| (system.part(part).tags * DEEPER).to_string();
    for &part in &cards {
        let by = || Origin::Override("a remedy".into());
        // A part whose requests are not a field has tags only.
        let _ = deeper.system.amend(Change::Field(part, "read_requests", number(part)), by());
        deeper.system.amend(Change::Tags(part, system.part(part).tags * DEEPER), by()).ok()?;
    }
    Some(Remedy { cause, scenario: deeper })
}

fn named(system: &System, links: &[LinkId]) -> Vec<String> {
    links.iter().map(|&link| system.port(system.link(link).upper).name.clone()).collect()
}

fn speed(system: &System, link: LinkId) -> LinkSpeed {
    system.link(link).speed
}

/// What both ends of a link can do.
fn able(system: &System, link: LinkId) -> LinkSpeed {
    let link = system.link(link);
    let (upper, lower) = (system.port(link.upper).able, system.port(link.lower).able);
    let able = LinkSpeed { generation: upper.generation.min(lower.generation), width: upper.width.min(lower.width) };
    // An observed link may have trained to more than is known of its ends.
    LinkSpeed { generation: able.generation.max(link.speed.generation), width: able.width.max(link.speed.width) }
}

fn amended(scenario: &Scenario, changes: impl Iterator<Item = Change>, cause: Cause) -> Option<Remedy> {
    let mut scenario = scenario.clone();
    for change in changes {
        scenario.system.amend(change, Origin::Override("a remedy".into())).ok()?;
    }
    Some(Remedy { cause, scenario })
}

/// The parts on the way of all flows.
fn parts(scenario: &Scenario) -> BTreeSet<PartId> {
    let system = &scenario.system;
    let ways = scenario.flows.iter().flat_map(|flow| system.path(flow.initiator, flow.target));
    ways.flat_map(|on| [system.link(on.link).upper, system.link(on.link).lower])
        .map(|port| system.port(port).part)
        .collect()
}

fn payload(scenario: &Scenario) -> Option<Remedy> {
    let (system, parts) = (&scenario.system, parts(scenario));
    let parse = |text: &str| <PayloadSize as system::FieldType>::parse(text);
    let of_parts = parts.iter().filter_map(|&part| parse(&system.part(part).value("mps")?));
    let own = |port: PortId| parse(&system.port(port).own.iter().find(|figure| figure.field == "mps")?.value);
    let on_way = scenario.flows.iter().flat_map(|flow| system.path(flow.initiator, flow.target));
    let of_ports = on_way.flat_map(|on| [system.link(on.link).upper, system.link(on.link).lower]).filter_map(own);
    let to = of_parts.chain(of_ports).min()?;
    // What a switch is set to says nothing of what goes through it.
    let from =
        parts.iter().map(|&part| system.part(part)).filter(|part| !part.kind.is_switch()).map(|part| part.mps).min()?;
    let changes = parts.iter().map(|&part| Change::Mps(part, to));
    if to > from { amended(scenario, changes, Cause::Payload { from, to }) } else { None }
}

fn requests(scenario: &Scenario) -> Option<Remedy> {
    let system = &scenario.system;
    let to = PayloadSize::MAX;
    let devices: BTreeSet<PartId> = scenario.flows.iter().flat_map(|flow| endpoints(system, flow)).collect();
    let from = devices.iter().map(|&part| system.part(part).mrrs).min()?;
    let changes = devices.iter().map(|&part| Change::Mrrs(part, to));
    if to > from { amended(scenario, changes, Cause::Requests { from, to }) } else { None }
}
