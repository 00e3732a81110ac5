//! A system whose settled part is what somebody observed: the other way into the waist beside [`settle`](crate::settle).
//!
//! Nothing is trained, enumerated or chosen here. Whoever reads a real machine says what its registers say, part by
//! part from the host down; every part hangs below one that is there already, so that the result is a tree. What was
//! not observed is given as an assumption, with its [`Figure`].

use crate::figure::Figure;
use crate::graph::{Bar, Graph, Less, Link, LinkId, Node, PartId, Port, PortId, PortRole, System, Window};
use crate::kinds::PortParams;
use crate::kinds::kind::Kind;
use pcie::{Bdf, LinkSpeed, PayloadSize, Time};

/// A part as it was found.
#[derive(Clone, Debug)]
pub struct PartSeen {
    /// Unique, as in `0000:03:00.0`.
    pub name: String,
    /// What it calls itself.
    pub model: String,
    /// What it is, with assumed figures where nothing was observed.
    pub kind: Kind,
    /// What it supports, and the habits of its ports.
    pub habits: PortParams,
    /// Max_Payload_Size as set.
    pub mps: PayloadSize,
    /// Max_Read_Request_Size as set.
    pub mrrs: PayloadSize,
    /// Requests that it can tell apart as set.
    pub tags: u64,
    /// Where its figures come from.
    pub figures: Vec<Figure>,
}

/// A port as it was found.
#[derive(Clone, Debug)]
pub struct PortSeen {
    /// As in `0000:00:01.0`.
    pub name: String,
    /// The most that it can do.
    pub able: LinkSpeed,
    /// Where enumeration found it.
    pub bdf: Bdf,
    /// Max_Payload_Size as set, where that is not its part's.
    pub mps: Option<PayloadSize>,
}

/// What a link trained to, and why not more.
#[derive(Clone, Debug)]
pub struct LinkSeen {
    /// Observed at its ends.
    pub speed: LinkSpeed,
    /// Why not more, for people; `None` where both ends run at their best.
    pub why: Option<String>,
}

/// A system that grows from its host down.
#[derive(Clone, Debug)]
pub struct Observed {
    system: System,
}

/// Every card gets a BAR of this size: one that nobody looked at.
const BAR_BYTES: u64 = 1 << 24;

impl Observed {
    /// With nothing but its host.
    pub fn new(name: &str, title: &str, host: PartSeen) -> Observed {
        let graph = Graph { name: name.to_string(), title: title.to_string(), ..Graph::default() };
        let system = System::of(graph);
        let mut observed = Observed { system };
        observed.part(host);
        observed
    }

    /// Hangs `lower` below `upper` by a link between two new ports.
    pub fn below(
        &mut self,
        upper: PartId,
        upper_port: PortSeen,
        lower: PartSeen,
        lower_port: PortSeen,
        link: LinkSeen,
    ) -> PartId {
        let down = if self.system.part(upper).kind.is_root() { PortRole::Root } else { PortRole::Downstream };
        let up = if lower.kind.is_switch() { PortRole::Upstream } else { PortRole::Endpoint };
        let id = self.part(lower);
        let (upper, lower) = (self.port(upper, upper_port, down), self.port(id, lower_port, up));
        let joined = LinkId(self.system.links.len());
        let speed = link.speed;
        let why = Less { observed: link.why, ..Less::default() };
        self.system.graph.links.push(Link { upper, lower, speed, why, propagation: Time::ZERO, sris: false });
        self.system.graph.ports[upper.0].link = Some(joined);
        self.system.graph.ports[lower.0].link = Some(joined);
        self.open_windows(id);
        id
    }

    /// The system.
    pub fn system(self) -> System {
        self.system
    }

    fn part(&mut self, seen: PartSeen) -> PartId {
        let id = PartId(self.system.parts.len());
        let PartSeen { name, model, kind, habits, mps, mrrs, tags, figures } = seen;
        let window = Window { base: (id.0 as u64 + 1) * BAR_BYTES, bytes: BAR_BYTES };
        let bars = if kind.is_endpoint() { vec![Bar { window, is_64bit: false, port: 0 }] } else { Vec::new() };
        let ports = Vec::new();
        self.system.graph.parts.push(Node { name, model, kind, habits, ports, bars, mps, mrrs, tags, figures });
        id
    }

    fn port(&mut self, part: PartId, seen: PortSeen, role: PortRole) -> PortId {
        let id = PortId(self.system.ports.len());
        let PortSeen { name, able, bdf, mps } = seen;
        let buses = (bdf.bus(), bdf.bus());
        let (link, windows, own) = (None, Vec::new(), Vec::new());
        self.system.graph.ports.push(Port { name, part, role, able, bdf, link, windows, buses, own, mps });
        self.system.graph.parts[part.0].ports.push(id);
        id
    }

    /// The windows of the ports above a part, around its BARs.
    fn open_windows(&mut self, part: PartId) {
        let (windows, bus) = {
            let bars = &self.system.part(part).bars;
            (bars.iter().map(|bar| bar.window).collect::<Vec<_>>(), self.system.bdf(part).bus())
        };
        let mut at = part;
        while let Some((link, above)) = self.system.above(at) {
            let upper = self.system.link(link).upper;
            let port = &mut self.system.graph.ports[upper.0];
            port.windows.extend(&windows);
            let first = if at == part { bus } else { port.buses.0.min(bus) };
            port.buses = (first, port.buses.1.max(bus));
            at = above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{CardParams, HostParams, SwitchParams};

    fn seen(name: &str, kind: Kind) -> PartSeen {
        let (model, habits, figures) = (kind.word().to_string(), PortParams::default(), Vec::new());
        let (mps, mrrs) = (PayloadSize::MIN, PayloadSize::MAX);
        PartSeen { name: name.into(), model, kind, habits, mps, mrrs, tags: 32, figures }
    }

    fn port(name: &str, bus: u8) -> PortSeen {
        let able = LinkSpeed { generation: pcie::Generation::Gen3, width: pcie::Width::ALL[2] };
        PortSeen { name: name.into(), able, bdf: Bdf::new(bus, 0, 0).unwrap_or_default(), mps: None }
    }

    #[test]
    fn a_tree_that_was_observed_routes_and_knows_its_ways() {
        let mut observed = Observed::new("x", "", seen("host", Kind::new(HostParams::default())));
        let link = || LinkSeen { speed: port("", 0).able, why: None };
        let root = PartId(0);
        let switch = seen("switch", Kind::new(SwitchParams::default()));
        let switch = observed.below(root, port("root", 0), switch, port("up", 1), link());
        let card = |name: &str| seen(name, Kind::new(CardParams::default()));
        let one = observed.below(switch, port("down0", 2), card("one"), port("one", 3), link());
        let two = observed.below(switch, port("down1", 2), card("two"), port("two", 4), link());
        let system = observed.system();
        assert_eq!(system.path(one, root).len(), 2);
        assert_eq!(system.path(one, two).len(), 2);
        let bar = system.bar_address(two).unwrap_or(0);
        assert_eq!(system.route(switch, bar).map(|p| system.port(p).name.as_str()), Some("down1"));
        assert_eq!(system.route_id(switch, system.bdf(one)).map(|p| system.port(p).name.as_str()), Some("down0"));
        assert_eq!(system.port(system.part(switch).ports[0]).role, PortRole::Upstream);
    }
}
