//! The settled graph: parts, ports, links, addresses.

use crate::field::{Field, Params};
use crate::figure::Figure;
use crate::kind::Kind;
use crate::kinds::PortParams;
use pcie::{Bdf, LinkSpeed, PayloadSize, Time};
use std::fmt;
use std::ops::RangeInclusive;

/// Index into [`System::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub usize);

/// Index into [`System::ports`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub usize);

/// Index into [`System::links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub usize);

/// What a port is on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Of a host, facing down.
    Root,
    /// Of a switch, facing the host.
    Upstream,
    /// Of a switch, facing away from it.
    Downstream,
    /// Of a card.
    Endpoint,
}

impl Role {
    /// True where the port faces away from the host.
    pub fn faces_down(self) -> bool {
        matches!(self, Role::Root | Role::Downstream)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Role::Root => "root port",
            Role::Upstream => "upstream port",
            Role::Downstream => "downstream port",
            Role::Endpoint => "endpoint",
        })
    }
}

/// A range of addresses that firmware assigned: `base` to `base + bytes - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First address.
    pub base: u64,
    /// How many.
    pub bytes: u64,
}

impl Window {
    /// True where `address` lies in it.
    pub fn holds(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }
}

/// A Base Address Register, placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Where firmware put it.
    pub window: Window,
    /// 64-bit, and so above 4 GiB where firmware chose to.
    pub is_64bit: bool,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Part {
    /// As in the description, `card[3]` for the fourth of an array.
    pub name: String,
    /// Its catalogue entry or kind, as in `rosta/rc-47`.
    pub model: String,
    /// What it is, with its settings.
    pub kind: Kind,
    /// Habits and buffers of its ports.
    pub habits: PortParams,
    /// Its ports, in the order of the catalogue entry.
    pub ports: Vec<PortId>,
    /// Of an endpoint: where its BARs lie.
    pub bars: Vec<Bar>,
    /// Max_Payload_Size as settled: of what it sends, and the most it takes.
    pub mps: PayloadSize,
    /// Max_Read_Request_Size as settled.
    pub mrrs: PayloadSize,
    /// Requests that it can tell apart, as settled.
    pub tags: u64,
    /// Every field with its origin, settled ones behind the others.
    pub figures: Vec<Figure>,
}

impl Part {
    /// Its fields: those of its kind, then those of its ports.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.kind.fields().iter().chain(PortParams::FIELDS)
    }
    /// One field's value, as it would be written.
    pub fn value(&self, field: &str) -> Option<String> {
        self.kind.get(field).or_else(|| self.habits.get(field))
    }
}

/// One end of a link, or free.
#[derive(Clone, Debug)]
pub struct Port {
    /// As in `host.pcie` or `board[1].down[2]`.
    pub name: String,
    /// Whose it is.
    pub part: PartId,
    /// What it is on its link.
    pub role: Role,
    /// The most that it can do.
    pub able: LinkSpeed,
    /// Where enumeration found it.
    pub bdf: Bdf,
    /// What it is joined to.
    pub link: Option<LinkId>,
    /// Memory windows of a bridge (its downstream side) or of a root port: non-prefetchable, prefetchable.
    pub windows: Vec<Window>,
    /// Secondary and subordinate bus of a bridge.
    pub buses: (u8, u8),
}

impl Port {
    /// The IDs of all functions behind it: of its buses, in its Segment Group.
    pub fn ids(&self) -> RangeInclusive<Bdf> {
        let at = |bus: u8, rest: u16| Bdf::from_bits((bus as u16) << 8 | rest).in_segment(self.bdf.segment());
        at(self.buses.0, 0)..=at(self.buses.1, 0xff)
    }
}

/// Two ports joined.
#[derive(Clone, Debug)]
pub struct Link {
    /// The end nearer to the host.
    pub upper: PortId,
    /// The other.
    pub lower: PortId,
    /// What it trained to.
    pub speed: LinkSpeed,
    /// Why not more, as in `x4 of x8: the slot has 4 lanes`; empty where both ends run at their best.
    pub why: String,
    /// One way.
    pub propagation: Time,
    /// True with separate spread-spectrum clocks at its ends.
    pub sris: bool,
}

/// A described machine with what training and firmware settled.
#[derive(Clone, Debug)]
pub struct System {
    /// As in `rosta-rb8v7`.
    pub name: String,
    /// One line.
    pub title: String,
    /// Nodes; the host is the first.
    pub parts: Vec<Part>,
    /// All ports of all parts.
    pub ports: Vec<Port>,
    /// All links.
    pub links: Vec<Link>,
    /// How much later than nominal a symbol comes, in parts per million.
    pub clock_slow_ppm: u64,
}

/// One direction of a link: TLPs leave at `from` and arrive at `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Direction {
    /// Which link.
    pub link: LinkId,
    /// Towards the host.
    pub up: bool,
}

impl System {
    /// A part.
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id.0]
    }
    /// A port.
    pub fn port(&self, id: PortId) -> &Port {
        &self.ports[id.0]
    }
    /// A link.
    pub fn link(&self, id: LinkId) -> &Link {
        &self.links[id.0]
    }
    /// The part of that name.
    pub fn part_named(&self, name: &str) -> Option<PartId> {
        self.parts.iter().position(|p| p.name == name).map(PartId)
    }
    /// The ports that a direction leads from and to.
    pub fn ends(&self, direction: Direction) -> (PortId, PortId) {
        let link = self.link(direction.link);
        if direction.up { (link.lower, link.upper) } else { (link.upper, link.lower) }
    }
    /// `board[0].up -> rha25.down[0]`, for people.
    pub fn direction_name(&self, direction: Direction) -> String {
        let (from, to) = self.ends(direction);
        [self.port(from).name.as_str(), " -> ", self.port(to).name.as_str()].concat()
    }
    /// The link of the port of `part` that faces the host, and the part at its upper end; `None` at the host.
    pub fn above(&self, part: PartId) -> Option<(LinkId, PartId)> {
        let port = self.part(part).ports.iter().find(|&&p| !self.port(p).role.faces_down())?;
        let link = self.port(*port).link?;
        Some((link, self.port(self.link(link).upper).part))
    }
    /// The directions that a TLP takes from one part to another along the tree; empty where they are the same.
    ///
    /// A part that has no way to the host is refused when the description is read, so that every two parts of a
    /// system are joined.
    pub fn path(&self, from: PartId, to: PartId) -> Vec<Direction> {
        let to_root =
            |part: PartId| std::iter::successors(self.above(part), |&(_, upper)| self.above(upper)).collect::<Vec<_>>();
        let (mut up, mut down) = (to_root(from), to_root(to));
        while let (Some(a), Some(b)) = (up.last(), down.last()) {
            if a.0 != b.0 {
                break;
            }
            up.pop();
            down.pop();
        }
        let ups = up.into_iter().map(|(link, _)| Direction { link, up: true });
        let downs = down.into_iter().rev().map(|(link, _)| Direction { link, up: false });
        ups.chain(downs).collect()
    }
}
