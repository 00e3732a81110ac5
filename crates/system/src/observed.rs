//! Builds a system from what was observed of a real machine, as an alternative to [`settle`](crate::settle).
//!
//! Nothing is trained, enumerated or chosen here. The caller reports what the registers say, part by part from the host
//! down. Every part is added below an existing one, so that the result is a tree. What was not observed is reported as
//! an assumption, by its [`Figure`]. What [`settle`](crate::settle) would give for the same parts is
//! [`Observed::settled`], for comparison.

use crate::error::Error;
use crate::field::FieldType;
use crate::figure::{Figure, Origin};
use crate::graph::{Bar, Graph, Less, Link, LinkId, Node, PartId, Port, PortId, PortRole, System, Window};
use crate::kinds::PortParams;
use crate::kinds::kind::Kind;
use crate::settle::{MpsPolicy, Settings, settle_in_place};
use pcie::{Bdf, LinkSpeed, PayloadSize, Time};

/// An observed part.
#[derive(Clone, Debug)]
pub struct PartSeen {
    /// Unique, as in `0000:03:00.0`.
    pub name: String,
    /// Its model, as the part reports it.
    pub model: String,
    /// Its kind, with assumed values where nothing was observed.
    pub kind: Kind,
    /// The settings of its ports.
    pub habits: PortParams,
    /// Max_Payload_Size as observed.
    pub mps: PayloadSize,
    /// Max_Payload_Size Supported; `None` where it was not observed: no more than `mps` is then expected.
    pub mps_supported: Option<PayloadSize>,
    /// Max_Read_Request_Size as observed.
    pub mrrs: PayloadSize,
    /// Number of tags as observed.
    pub tags: u64,
    /// The origins of its figures.
    pub figures: Vec<Figure>,
}

/// An observed port.
#[derive(Clone, Debug)]
pub struct PortSeen {
    /// As in `0000:00:01.0`.
    pub name: String,
    /// The highest speed and width that it supports.
    pub able: LinkSpeed,
    /// Its bus, device and function number.
    pub bdf: Bdf,
    /// Its Max_Payload_Size, where it differs from that of the part.
    pub mps: Option<PayloadSize>,
    /// Its Max_Payload_Size Supported, where it differs from that of the part.
    pub mps_supported: Option<PayloadSize>,
}

/// The observed speed of a link, and why it is not higher.
#[derive(Clone, Debug)]
pub struct LinkSeen {
    /// As observed at its ends.
    pub speed: LinkSpeed,
    /// Why not a higher speed or width; `None` where both ends run at their best.
    pub why: Option<String>,
}

/// A system under construction, from the host down.
#[derive(Clone, Debug)]
pub struct Observed {
    system: System,
    /// Max_Payload_Size Supported of each part, and of each port that has its own.
    supported: (Vec<PayloadSize>, Vec<Option<PayloadSize>>),
}

/// The assumed size of every card's BAR, bytes.
const BAR_BYTES: u64 = 1 << 24;

impl Observed {
    /// A system with a host only.
    pub fn new(name: &str, title: &str, host: PartSeen) -> Observed {
        let graph = Graph { name: name.to_string(), title: title.to_string(), ..Graph::default() };
        let system = System::of(graph);
        let mut observed = Observed { system, supported: (Vec::new(), Vec::new()) };
        observed.part(host);
        observed
    }

    /// Adds `lower` below `upper`, with a link between two new ports.
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

    /// The finished system.
    pub fn system(self) -> System {
        self.system
    }

    /// The same parts and links as training and firmware would have settled them with the settings of a machine after
    /// reset: speeds, widths, MPS (of each part, the least up to the host), MRRS and tags. Buses and addresses are those
    /// that were observed.
    ///
    /// # Errors
    /// As for [`settle`](crate::settle::settle).
    pub fn settled(&self) -> Result<System, Error> {
        let mut system = self.system.clone();
        for (part, &most) in system.graph.parts.iter_mut().zip(&self.supported.0) {
            part.habits.mps = most;
        }
        for (port, &most) in system.graph.ports.iter_mut().zip(&self.supported.1) {
            let own = |most: PayloadSize| Figure { field: "mps", value: most.print(), origin: Origin::Default };
            most.into_iter().for_each(|most| port.list(own(most)));
        }
        let settings = Settings { mps_policy: MpsPolicy::Path, ..Settings::default() };
        settle_in_place(&mut system, &settings)?;
        Ok(system)
    }

    fn part(&mut self, seen: PartSeen) -> PartId {
        let id = PartId(self.system.parts.len());
        let PartSeen { name, model, kind, habits, mps, mps_supported, mrrs, tags, figures } = seen;
        self.supported.0.push(mps_supported.unwrap_or(mps));
        let window = Window { base: (id.0 as u64 + 1) * BAR_BYTES, bytes: BAR_BYTES };
        let bars = if kind.is_endpoint() { vec![Bar { window, is_64bit: false, port: 0 }] } else { Vec::new() };
        let ports = Vec::new();
        self.system.graph.parts.push(Node { name, model, kind, habits, ports, bars, mps, mrrs, tags, figures });
        id
    }

    fn port(&mut self, part: PartId, seen: PortSeen, role: PortRole) -> PortId {
        let id = PortId(self.system.ports.len());
        let PortSeen { name, able, bdf, mps, mps_supported } = seen;
        self.supported.1.push(mps_supported.or(mps));
        let buses = (bdf.bus(), bdf.bus());
        let (link, windows, own, address) = (None, Vec::new(), Vec::new(), None);
        self.system.graph.ports.push(Port { name, part, role, able, bdf, link, windows, buses, own, mps, address });
        self.system.graph.parts[part.0].ports.push(id);
        id
    }

    /// Sets the windows of the ports above a part, so that they contain its BARs.
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
        PartSeen { name: name.into(), model, kind, habits, mps, mps_supported: None, mrrs, tags: 32, figures }
    }

    fn port(name: &str, bus: u8) -> PortSeen {
        let able = LinkSpeed { generation: pcie::Generation::Gen3, width: pcie::Width::ALL[2] };
        PortSeen {
            name: name.into(),
            able,
            bdf: Bdf::new(bus, 0, 0).unwrap_or_default(),
            mps: None,
            mps_supported: None,
        }
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
