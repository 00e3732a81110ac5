//! A small builder of settled systems: a host, a chain of switches, cards under the last one.
#![allow(dead_code, unused_imports, clippy::unwrap_used)] // each test uses a part of it; a panic is a failure

pub mod random;

use pcie::{Bdf, Bytes, LinkSpeed};
pub use pcie::{PayloadSize, Time};
pub use system::graph::PartId as Id;
use system::graph::{Bar, Link, LinkId, Node, PartId, Port, PortId, PortRole, Window};
use system::kind::Kind;
use system::kinds::{CardParams, HostParams, PortParams, SwitchParams};
use system::{Drive, Graph, Operation, System};
pub use system::{Flow, Scenario};

/// Builds a system part by part.
pub struct Builder {
    pub system: System,
}

/// Parses a link speed, for example `gen2 x4`.
pub fn speed(text: &str) -> LinkSpeed {
    text.parse().unwrap()
}

impl Builder {
    pub fn new(host: HostParams, habits: PortParams) -> Builder {
        let graph = Graph {
            name: "test".into(),
            title: String::new(),
            parts: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
            clock_slow_ppm: host.clock_slow.0,
        };
        let system = System::of(graph);
        let mut builder = Builder { system };
        builder.part("host", Kind::new(host), habits);
        builder
    }

    fn part(&mut self, name: &str, kind: Kind, habits: PortParams) -> PartId {
        let id = PartId(self.system.parts.len());
        let bars = match kind.is_endpoint() {
            true => {
                vec![Bar { window: Window { base: (id.0 as u64) << 24, bytes: 1 << 20 }, is_64bit: false, port: 0 }]
            }
            false => Vec::new(),
        };
        let (mrrs, tags) = (PayloadSize::MAX, kind.tag_bits().map_or(32, |bits| bits.tags()));
        let mps = habits.mps;
        let (name, model) = (name.to_string(), kind.word().to_string());
        let ports = Vec::new();
        let part = Node { name, model, kind, habits, ports, bars, mps, mrrs, tags, figures: Vec::new() };
        self.system.remake(|graph| graph.parts.push(part));
        id
    }

    fn port(&mut self, part: PartId, role: PortRole, able: LinkSpeed) -> PortId {
        let id = PortId(self.system.ports.len());
        let name = format!("{}.{}", self.system.part(part).name, self.system.part(part).ports.len());
        let bdf = Bdf::new(part.0 as u8, 0, 0).unwrap();
        let windows = Vec::new();
        let own = Vec::new();
        let made =
            Port { name, part, role, able, bdf, link: None, windows, buses: (0, 0), own, mps: None, address: None };
        self.system.remake(|graph| graph.ports.push(made));
        self.system.remake(|graph| graph.parts[part.0].ports.push(id));
        id
    }

    fn link(&mut self, upper: PartId, lower: PartId, link: LinkSpeed, propagation: Time) -> LinkId {
        let host = self.system.part(upper).kind.is_root();
        let card = self.system.part(lower).kind.is_endpoint();
        let upper = self.port(upper, if host { PortRole::Root } else { PortRole::Downstream }, link);
        let lower = self.port(lower, if card { PortRole::Endpoint } else { PortRole::Upstream }, link);
        let id = LinkId(self.system.links.len());
        let made = Link { upper, lower, speed: link, why: Default::default(), propagation, sris: false };
        self.system.remake(|graph| graph.links.push(made));
        self.system.remake(|graph| graph.ports[upper.0].link = Some(id));
        self.system.remake(|graph| graph.ports[lower.0].link = Some(id));
        if card {
            self.route(PartId(self.system.parts.len() - 1));
        }
        id
    }

    /// Opens the windows and bus ranges of all ports above a card.
    fn route(&mut self, card: PartId) {
        let window = self.system.part(card).bars[0].window;
        let mut at = card;
        while let Some((link, above)) = self.system.above(at) {
            let port = self.system.link(link).upper;
            let bus = card.0 as u8;
            self.system.remake(|graph| {
                let port = &mut graph.ports[port.0];
                port.windows.push(window);
                port.buses =
                    if port.buses == (0, 0) { (bus, bus) } else { (port.buses.0.min(bus), port.buses.1.max(bus)) };
            });
            at = above;
        }
    }

    /// A switch under `upper`.
    pub fn switch(&mut self, upper: PartId, link: &str, switch: SwitchParams, habits: PortParams) -> PartId {
        let id = self.part(&format!("switch{}", self.system.parts.len()), Kind::new(switch), habits);
        self.link(upper, id, speed(link), Time::ZERO);
        id
    }

    /// A card under `upper`.
    pub fn card(&mut self, upper: PartId, link: &str, card: CardParams, habits: PortParams) -> PartId {
        let id = self.part(&format!("card{}", self.system.parts.len()), Kind::new(card), habits);
        self.link(upper, id, speed(link), Time::ZERO);
        id
    }
}

/// A flow that the card drives.
pub fn flow(operation: Operation, initiator: PartId, target: PartId, command: u64, commands: u64) -> Flow {
    let bytes = (Bytes(command), Bytes(command * commands));
    Flow::of_card(format!("{}-{}", initiator.0, target.0), operation, (initiator, target), bytes)
}

/// The same flow, driven by software.
pub fn by_software(flow: Flow) -> Flow {
    Flow { drive: Drive::Software, ..flow }
}

pub fn scenario(system: &System, flows: Vec<Flow>) -> Scenario {
    Scenario { system: system.clone(), flows, integrity: false }
}

pub const HOST: PartId = PartId(0);
