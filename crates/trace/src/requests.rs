//! Read requests from their first link to their last completion: their tags and their completers.

use pcie::tlp::TlpKind;
use pcie::{Bdf, Class, Time};
use sim::trace::{Purpose, TlpRecord};
use std::collections::{HashMap, VecDeque};
use system::graph::Direction;
use system::{Port, PortId, System};

/// Facts about a TLP that its record does not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The number of its request in the run, from 1; zero for a TLP without one.
    pub number: u64,
    /// The wire tag.
    pub tag: u16,
    /// For a completion: the completer ID.
    pub completer: Bdf,
    /// For a completion: the bytes of the request that remain, its own included.
    pub remaining: u64,
    /// True where the request starts with this record.
    pub opens: bool,
    /// True where the last completion reaches the requester with this record.
    pub closes: bool,
}

/// A request whose last completion has not arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unanswered {
    pub number: u64,
    pub requester: Bdf,
    pub tag: u16,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    number: u64,
    tag: u16,
    completer: Bdf,
    requester: Bdf,
}

/// The wire tags of one requester.
#[derive(Clone, Debug, Default)]
struct Tags {
    free: Vec<u16>,
    /// The lowest tag never used so far.
    next: u16,
    /// When the tags of completed requests become free.
    coming: VecDeque<(Time, u16)>,
}

impl Tags {
    fn take(&mut self, now: Time) -> u16 {
        while let Some(&(at, tag)) = self.coming.front() {
            if at > now {
                break;
            }
            self.coming.pop_front();
            self.free.push(tag);
        }
        self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }
}

/// All requests in flight.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: HashMap<(u32, Purpose, u32), Open>,
    tags: HashMap<Bdf, Tags>,
    count: u64,
    /// By part.
    ids: Vec<Bdf>,
    /// By direction, two for each link, up first: sender, receiver and propagation delay.
    ends: Vec<(PortId, PortId, Time)>,
    switches: Vec<bool>,
}

/// The index of a direction in tables with two entries for each link.
pub(crate) fn place(on: Direction) -> usize {
    2 * on.link.0 + usize::from(!on.up)
}

impl Requests {
    pub fn new(system: &System) -> Requests {
        let ends = crate::names::directions(system).map(|on| {
            let (from, to) = system.ends(on);
            (from, to, system.link(on.link).propagation)
        });
        Requests {
            ids: system.ports.iter().map(|port| id(system, port)).collect(),
            ends: ends.collect(),
            switches: system.ports.iter().map(|port| system.part(port.part).kind.is_switch()).collect(),
            ..Requests::default()
        }
    }

    /// When the last symbol of `sent` arrives at the other end.
    pub fn arrival(&self, sent: &TlpRecord) -> Time {
        sent.end + self.ends[place(sent.on)].2
    }

    /// The request of the TLP `sent`. Records must come in order of time.
    pub fn identify(&mut self, sent: &TlpRecord) -> Identity {
        if sent.kind.class() == Class::Posted {
            return Identity::default();
        }
        let key = (sent.flow, sent.purpose, sent.request);
        if sent.kind == TlpKind::MemoryRead {
            let opens = sent.first_hop;
            let open = if opens { self.begin(key, sent) } else { self.open.get(&key).copied() };
            return open.map_or_else(Identity::default, |open| Identity { opens, ..open.identity(sent) });
        }
        let (from, to, flight) = self.ends[place(sent.on)];
        let Some(open) = self.open.get_mut(&key) else { return Identity::default() };
        if sent.first_hop {
            open.completer = self.ids[from.0];
        }
        let open = *open;
        let closes = sent.last && !self.switches[to.0] && self.ids[to.0] == open.requester;
        if closes {
            self.open.remove(&key);
            self.tags.entry(open.requester).or_default().coming.push_back((sent.end + flight, open.tag));
        }
        Identity { closes, ..open.identity(sent) }
    }

    fn begin(&mut self, key: (u32, Purpose, u32), sent: &TlpRecord) -> Option<Open> {
        self.count += 1;
        let open = Open {
            number: self.count,
            tag: self.tags.entry(sent.requester).or_default().take(sent.start),
            completer: Bdf::default(),
            requester: sent.requester,
        };
        self.open.insert(key, open);
        Some(open)
    }

    /// The requests without their last completion, in order of their start.
    pub fn unanswered(&self) -> Vec<Unanswered> {
        let of = |open: &Open| Unanswered { number: open.number, requester: open.requester, tag: open.tag };
        let mut all: Vec<_> = self.open.values().map(of).collect();
        all.sort_unstable_by_key(|request| request.number);
        all
    }
}

impl Open {
    fn identity(&self, sent: &TlpRecord) -> Identity {
        Identity {
            number: self.number,
            tag: self.tag,
            completer: self.completer,
            remaining: u64::from(sent.asks),
            opens: false,
            closes: false,
        }
    }
}

/// The ID that a part uses at a port: that of the port, or of the root complex.
fn id(system: &System, port: &Port) -> Bdf {
    if system.part(port.part).kind.is_root() { system.bdf(port.part) } else { port.bdf }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::trace::{Record, Sink};
    use std::ops::ControlFlow;
    use system::{Description, Point, Scenario};

    /// Two hosts, and a card that reads from the second one by its second port, controlled by software there.
    const MACHINE: &str = "
title: a card at two hosts
parts:
  left: { part: generic/gen3-host, slots: { pcie: gen3 x4 } }
  right: { part: generic/gen3-host, slots: { pcie: gen3 x4 } }
  both: { part: generic/gen3-card, ports: { pcie: gen3 x4, other: gen3 x4 } }
links: [left.pcie - both.pcie, right.pcie - both.other]
experiments:
  read: { operation: dma-read, drive: software, command: 64 KiB, volume: 128 KiB, flows: [right -> both] }
";

    #[derive(Default)]
    struct Reader(Requests, usize);

    impl Sink for Reader {
        fn begin(&mut self, scenario: &Scenario) {
            self.0 = Requests::new(&scenario.system);
        }
        fn take(&mut self, records: &mut Vec<Record>) -> ControlFlow<()> {
            for record in records.drain(..) {
                if let Record::Tlp(sent) = record {
                    self.1 += usize::from(self.0.identify(&sent).closes);
                }
            }
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn is_a_request_by_any_port_answered_by_its_last_completion() {
        let description = Description::from_text("both.yaml", MACHINE).unwrap();
        let scenario = description.scenario(description.experiment("read").unwrap(), &Point::default()).unwrap();
        let mut reader = Reader::default();
        sim::run_traced(&scenario, &dma::options(), &mut reader).unwrap();
        assert_eq!((reader.1, reader.0.unanswered().len()), (128 * 1024 / 512, 0));
    }
}
