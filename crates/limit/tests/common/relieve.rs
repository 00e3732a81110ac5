//! Makes better what the limit names as the bottleneck of the only flow.
#![allow(clippy::unwrap_used, clippy::panic)] // a panic is a failure

use crate::common::Scenario;
use pcie::generation::Generation;
use pcie::{Class, LinkSpeed, Rate, Time, Width};
use system::cause::Pool;
use system::field::{Cap, Count, Frequency};
use system::graph::{Direction, PartId};
use system::kinds::{CardParams, HostParams, PortParams, SwitchParams};
use system::{Bottleneck, Cause, Kind, Location};

/// Something that limits the flow.
#[derive(Clone, Debug)]
pub struct Named {
    pub location: Location,
    pub cause: Cause,
    pub said: String,
}

impl Named {
    fn new(Bottleneck { location, name, cause, .. }: Bottleneck) -> Named {
        Named { location, cause, said: format!("{name}: {cause}") }
    }

    /// True where both are the same place and mechanism, perhaps with other figures.
    pub fn is(&self, other: &Named) -> bool {
        self.touches(other) && std::mem::discriminant(&self.cause) == std::mem::discriminant(&other.cause)
    }

    /// True where a change of one changes the other: they are the same mechanism at the same place, or two at one link
    /// or part whose figures are the same.
    pub fn touches(&self, other: &Named) -> bool {
        figures(self) == figures(other)
    }
}

/// What the limit names.
pub fn named(scenario: &Scenario) -> Named {
    Named::new(lanescope_limit::limit(scenario).alone.remove(0).bottleneck)
}

/// What all rows of the flow's table name, the slowest first.
pub fn rows(scenario: &Scenario) -> Vec<Named> {
    lanescope_limit::near::rows(scenario, 0).into_iter().map(|near| Named::new(near.bottleneck)).collect()
}

/// The figures that a cause stands for, as text: where they are, and which.
fn figures(named: &Named) -> String {
    let (what, at) = match named.cause {
        Cause::Transmit(_) | Cause::ReadRequests(_) => ("speed", named.location),
        Cause::Port(_) | Cause::Inside(_) => ("cap", named.location),
        Cause::Core => ("core", named.location),
        Cause::Fifo => ("fifo", named.location),
        Cause::Writes => ("writes", named.location),
        Cause::ReadGap => ("gap", named.location),
        Cause::Walks => ("walks", named.location),
        Cause::Lines => ("lines", named.location),
        Cause::Dram => ("dram", named.location),
        Cause::Translations => ("translations", named.location),
        Cause::Credits(class, pool) => return format!("{:?} {class:?} {pool:?}", named.location),
        Cause::Replay => ("replay", named.location),
        Cause::CommandStart(_) => ("start", named.location),
        Cause::Software(_) => ("software", named.location),
        Cause::Descriptors(_) => ("descriptors", named.location),
        Cause::Queue(_) => ("queue", named.location),
        Cause::Requests(_) => ("requests", named.location),
        Cause::Loads(_) => ("loads", named.location),
        Cause::CompletionSpace => ("space", named.location),
        Cause::Stores => ("stores", named.location),
        Cause::Drain => ("drain", named.location),
        Cause::Own(words) => (words, named.location),
    };
    match at {
        // Both directions of a link have its speed.
        Location::Direction(direction) if what == "speed" => format!("{:?} speed", direction.link),
        at => format!("{at:?} {what}"),
    }
}

/// Makes what is named better by one step: what the cause stands for is doubled or halved, a link has the next
/// generation or width. Where `often` such steps have not been enough, the cause has something else that it stands for:
/// see [`last_resort`].
pub fn relieve(scenario: &mut Scenario, named: &Named, often: usize) {
    if often >= STEPS && last_resort(scenario, named) {
        return;
    }
    match (named.cause, named.location) {
        (Cause::Transmit(_) | Cause::ReadRequests(_), Location::Direction(on)) => {
            scenario.system.remake(|graph| {
                let link = &mut graph.links[on.link.0];
                link.speed = faster(link.speed);
            });
        }
        (Cause::Port(_), Location::Port(port)) => {
            let part = scenario.system.port(port).part;
            of_host(scenario, part, |host| {
                doubled_rate(&mut host.port_cap);
                doubled_rate(&mut host.lane_cap);
            });
            of_switch(scenario, part, |switch| doubled_rate(&mut switch.port_cap));
        }
        (Cause::Credits(class, pool), Location::Direction(on)) => {
            let receiver = end(scenario, on, true);
            of_habits(scenario, receiver, |habits| {
                let credits = match (class, pool) {
                    (Class::Posted, Pool::Header) => &mut habits.posted_headers,
                    (Class::Posted, Pool::Data) => &mut habits.posted_data,
                    (Class::NonPosted, _) => &mut habits.nonposted_headers,
                    (Class::Completion, Pool::Header) => &mut habits.completion_headers,
                    (Class::Completion, Pool::Data) => &mut habits.completion_data,
                };
                doubled(credits);
            });
        }
        (Cause::Replay, Location::Direction(on)) => {
            let sender = end(scenario, on, false);
            of_habits(scenario, sender, |habits| {
                if let Some(bytes) = &mut habits.replay_buffer.0 {
                    bytes.0 *= 2;
                }
            });
        }
        (Cause::Writes, Location::Part(part)) => of_host(scenario, part, |host| {
            let times = [
                &mut host.write_service,
                &mut host.line_service,
                &mut host.partial_line_service,
                &mut host.page_service,
            ];
            times.into_iter().for_each(halve);
        }),
        (Cause::ReadGap, Location::Part(part)) => of_host(scenario, part, |host| halve(&mut host.read_gap)),
        (Cause::Walks, Location::Part(part)) => of_host(scenario, part, |host| {
            [&mut host.walk_gap, &mut host.line_lookup, &mut host.walk_latency].into_iter().for_each(halve);
        }),
        (Cause::Lines, Location::Part(part)) => of_host(scenario, part, |host| {
            host.read_table = host.read_table.0.map_or(Cap::NONE, |places| Cap(Some(Count(2 * places.0))));
        }),
        (Cause::Dram, Location::Part(part)) => of_host(scenario, part, |host| halve(&mut host.dram_line_service)),
        (Cause::Translations, Location::Part(part)) => {
            of_card(scenario, part, |card| card.translation_requests.0 *= 2);
        }
        (Cause::Core, Location::Part(part)) => of_card(scenario, part, |card| {
            if let Some(Frequency(hertz)) = &mut card.core_clock.0 {
                *hertz *= 2;
            }
        }),
        (Cause::Fifo, Location::Part(part)) => of_card(scenario, part, |card| card.fifo.0 *= 2),
        (Cause::Descriptors(_), Location::Part(part)) => {
            of_card(scenario, part, |card| halve(&mut card.descriptor_wait))
        }
        (Cause::CompletionSpace, Location::Part(part)) => of_card(scenario, part, |card| {
            if let Some(bytes) = &mut card.completion_buffer.0 {
                bytes.0 *= 2;
            }
        }),
        (Cause::Requests(_), Location::Part(part)) => {
            of_card(scenario, part, |card| card.read_requests.0 *= 2);
            scenario.system.remake(|graph| graph.parts[part.0].tags *= 2);
        }
        (Cause::CommandStart(_), Location::Part(part)) => {
            of_card(scenario, part, |card| halve(&mut card.command_latency))
        }
        (Cause::Software(_), Location::Part(part)) => of_host(scenario, part, |host| {
            let times = [
                &mut host.command_cost,
                &mut host.descriptor_cost,
                &mut host.call_cost,
                &mut host.poll_interval,
                &mut host.interrupt_latency,
            ];
            times.into_iter().for_each(halve);
        }),
        (Cause::Loads(_), Location::Part(part)) => of_host(scenario, part, |host| {
            host.pio_read_bytes.0 = (host.pio_read_bytes.0 * 2).min(64);
        }),
        (Cause::Stores, Location::Part(part)) => of_host(scenario, part, |host| {
            halve(&mut host.pio_line_fill);
            halve(&mut host.pio_call_cost);
            host.pio_buffers.0 *= 2;
        }),
        (Cause::Drain, Location::Part(part)) => of_host(scenario, part, |host| {
            halve(&mut host.pio_gap);
            halve(&mut host.pio_restart);
        }),
        (cause, location) => panic!("{cause} at {location:?}"),
    }
}

/// The steps of what a cause stands for in the first place.
const STEPS: usize = 2;

/// The rest of the time that a cause stands for, where its own figure is a small part of that: the command itself, which
/// moves twice as much; the way of a load to the card and back; the link into which the root port drains.
fn last_resort(scenario: &mut Scenario, named: &Named) -> bool {
    match named.cause {
        Cause::CommandStart(_) | Cause::Software(_) => larger_commands(scenario),
        Cause::Loads(_) => {
            for part in (0..scenario.system.parts.len()).map(PartId) {
                of_host(scenario, part, |host| {
                    halve(&mut host.pio_read_cost);
                    halve(&mut host.pio_call_cost);
                });
                of_switch(scenario, part, |switch| halve(&mut switch.latency));
                of_card(scenario, part, |card| halve(&mut card.target_read_latency));
            }
        }
        Cause::Drain => {
            let flow = &scenario.flows[0];
            let first = scenario.system.path(flow.initiator, flow.target)[0].link;
            scenario.system.remake(|graph| graph.links[first.0].speed = faster(graph.links[first.0].speed));
        }
        _ => return false,
    }
    true
}

/// The next speed of a link: of the next generation, or of the next width.
fn faster(speed: LinkSpeed) -> LinkSpeed {
    match Generation::from_number(speed.generation.number() + 1) {
        Some(generation) => LinkSpeed { generation, ..speed },
        None => {
            let wider = Width::ALL.into_iter().find(|width| width.lanes() >= 2 * speed.width.lanes());
            LinkSpeed { width: wider.unwrap_or(speed.width), ..speed }
        }
    }
}

/// Each command moves twice as much: what it costs is there half as often.
fn larger_commands(scenario: &mut Scenario) {
    let flow = &mut scenario.flows[0];
    flow.command.0 *= 2;
    flow.volume.0 *= 2;
}

/// The part at one end of a direction.
fn end(scenario: &Scenario, on: Direction, receiver: bool) -> PartId {
    let (from, to) = scenario.system.ends(on);
    scenario.system.port(if receiver { to } else { from }).part
}

fn halve(time: &mut Time) {
    *time = Time::from_fs(time.as_fs() / 2);
}

fn doubled(count: &mut Cap<Count>) {
    if let Some(count) = &mut count.0 {
        count.0 *= 2;
    }
}

fn doubled_rate(cap: &mut Cap<Rate>) {
    if let Some(rate) = &mut cap.0 {
        rate.0 *= 2.0;
    }
}

fn of_habits(scenario: &mut Scenario, part: PartId, change: impl FnOnce(&mut PortParams)) {
    scenario.system.remake(|graph| change(&mut graph.parts[part.0].habits));
}

fn of_host(scenario: &mut Scenario, part: PartId, change: impl FnOnce(&mut HostParams)) {
    scenario.system.remake(|graph| {
        if let Some(host) = graph.parts[part.0].kind.host_mut() {
            change(host);
        }
    });
}

fn of_card(scenario: &mut Scenario, part: PartId, change: impl FnOnce(&mut CardParams)) {
    scenario.system.remake(|graph| {
        if let Some(card) = graph.parts[part.0].kind.card_mut() {
            change(card);
        }
    });
}

fn of_switch(scenario: &mut Scenario, part: PartId, change: impl FnOnce(&mut SwitchParams)) {
    scenario.system.remake(|graph| {
        let kind = &mut graph.parts[part.0].kind;
        if let Some(mut switch) = kind.switch().cloned() {
            change(&mut switch);
            *kind = Kind::new(switch);
        }
    });
}
