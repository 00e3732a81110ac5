//! The settled graph: parts, ports, links, addresses.

use crate::field::{Field, Params};
use crate::figure::Figure;
use crate::kinds::PortParams;
use crate::kinds::kind::Kind;
use pcie::{Bdf, LinkSpeed, PayloadSize, Time};
use std::fmt;
use std::ops::{Deref, RangeInclusive};

/// Index into [`Graph::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub usize);

/// Index into [`Graph::ports`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortId(pub usize);

/// Index into [`Graph::links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub usize);

/// What a port is on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortRole {
    /// Of a host, facing down.
    Root,
    /// Of a switch, facing the host.
    Upstream,
    /// Of a switch, facing away from it.
    Downstream,
    /// Of a card.
    Endpoint,
}

impl PortRole {
    /// True where the port faces away from the host.
    pub fn faces_down(self) -> bool {
        matches!(self, PortRole::Root | PortRole::Downstream)
    }
}

impl fmt::Display for PortRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            PortRole::Root => "root port",
            PortRole::Upstream => "upstream port",
            PortRole::Downstream => "downstream port",
            PortRole::Endpoint => "endpoint",
        })
    }
}

/// A range of addresses that firmware assigned: `base` to `base + bytes - 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The port of its part that it is reached by, counted in [`Node::ports`]: one with several is a function at each.
    pub port: usize,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// As in the description, `card[3]` for the fourth of an array.
    pub name: String,
    /// Its catalogue entry or kind, as in `rosta/rc-47`.
    pub model: String,
    /// What it is, with its settings.
    pub kind: Kind,
    /// Habits and buffers of its ports, where they have none of their own: see [`System::habits`].
    pub habits: PortParams,
    /// Its ports, in the order of the catalogue entry.
    pub ports: Vec<PortId>,
    /// Of an endpoint: where its BARs lie.
    pub bars: Vec<Bar>,
    /// Max_Payload_Size as settled: of what it sends, and the most it takes. Of a host or a switch, that of each port that has
    /// none of its own: see [`System::mps`].
    pub mps: PayloadSize,
    /// Max_Read_Request_Size as settled.
    pub mrrs: PayloadSize,
    /// Requests that it can tell apart, as settled.
    pub tags: u64,
    /// Every field with its origin, settled ones behind the others.
    pub figures: Vec<Figure>,
}

impl Node {
    /// Its fields: those of its kind, then those of its ports.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.kind.fields().iter().chain(PortParams::FIELDS)
    }
    /// Lists a figure, in the place of what was listed of the field before.
    pub(crate) fn list(&mut self, figure: Figure) {
        match self.figures.iter_mut().find(|known| known.field == figure.field) {
            Some(known) => *known = figure,
            None => self.figures.push(figure),
        }
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
    pub role: PortRole,
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
    /// What it has for itself, in the place of what its part has, with its origin: fields with [`Field::is_of_port`].
    pub own: Vec<Figure>,
    /// Max_Payload_Size of its own, as settled; `None` where that is its part's.
    pub mps: Option<PayloadSize>,
}

impl Port {
    /// Lists a figure of its own, in the place of what was listed of the field before.
    pub(crate) fn list(&mut self, figure: Figure) {
        self.own.retain(|known| known.field != figure.field);
        self.own.push(figure);
    }
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
    /// Why not more.
    pub why: Less,
    /// One way.
    pub propagation: Time,
    /// True with separate spread-spectrum clocks at its ends.
    pub sris: bool,
}

/// Why a link trained to less than the better of its ends can: nothing where both run at their best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Less {
    /// Of a described link, what holds its width: `x4 of x8: the slot has 4 lanes`.
    pub width: Option<String>,
    /// Of a described link, what holds its generation: `Gen2 of Gen3: the link is held to it`.
    pub generation: Option<String>,
    /// What was made out of an observed link.
    pub observed: Option<String>,
}

impl fmt::Display for Less {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> =
            [&self.width, &self.generation, &self.observed].into_iter().flatten().map(String::as_str).collect();
        f.pad(&all.join("; "))
    }
}

/// What a machine consists of, with what training and firmware settled, open to whoever makes one.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// As in `rosta-rb8v7`.
    pub name: String,
    /// One line.
    pub title: String,
    /// Nodes; the hosts are the first.
    pub parts: Vec<Node>,
    /// All ports of all parts.
    pub ports: Vec<Port>,
    /// All links.
    pub links: Vec<Link>,
    /// How much later than nominal a symbol comes, in parts per million.
    pub clock_slow_ppm: u64,
}

/// A machine with what training and firmware settled. It reads as its [`Graph`]. What is changed of it goes through
/// [`System::amend`], which writes down where a change comes from; who makes another machine of it says so
/// ([`System::remake`]).
#[derive(Clone, Debug)]
pub struct System {
    pub(crate) graph: Graph,
}

impl Deref for System {
    type Target = Graph;
    fn deref(&self) -> &Graph {
        &self.graph
    }
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
    /// The machine of a graph that somebody else has settled: its origins are those that the graph has.
    pub fn of(graph: Graph) -> System {
        System { graph }
    }
    /// Makes another machine of it, in its place: a counterpart of it, or one that no description gives. Figures have the
    /// origins that the new graph has; what one machine is changed in goes through [`System::amend`].
    pub fn remake<R>(&mut self, make: impl FnOnce(&mut Graph) -> R) -> R {
        make(&mut self.graph)
    }
    /// A part.
    pub fn part(&self, id: PartId) -> &Node {
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
    /// The hosts: the parts that trees hang below.
    pub fn roots(&self) -> impl Iterator<Item = PartId> {
        self.parts.iter().enumerate().filter(|(_, part)| part.kind.is_root()).map(|(number, _)| PartId(number))
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
    /// The links of the ports of `part` that face a host, and the parts at their upper ends; none at a host.
    pub fn all_above(&self, part: PartId) -> impl Iterator<Item = (LinkId, PartId)> {
        let facing_up = self.part(part).ports.iter().filter(|&&p| !self.port(p).role.faces_down());
        let links = facing_up.filter_map(|&p| self.port(p).link);
        links.map(|link| (link, self.port(self.link(link).upper).part))
    }
    /// The first of [`System::all_above`]: the only one, but of an endpoint with several ports.
    pub fn above(&self, part: PartId) -> Option<(LinkId, PartId)> {
        self.all_above(part).next()
    }
    /// The ways of a part to hosts, one for each of its ports that face one; of a host, the empty one.
    pub fn ways_up(&self, part: PartId) -> Vec<Vec<(LinkId, PartId)>> {
        let on =
            |first: (LinkId, PartId)| std::iter::successors(Some(first), |&(_, upper)| self.above(upper)).collect();
        let all: Vec<_> = self.all_above(part).map(on).collect();
        if all.is_empty() { vec![Vec::new()] } else { all }
    }
    /// The hosts that a part hangs below, by its ports; of a host, itself.
    pub fn hosts_of(&self, part: PartId) -> impl Iterator<Item = PartId> {
        self.ways_up(part).into_iter().map(move |way| way.last().map_or(part, |&(_, root)| root))
    }
    /// The host whose software and memory a flow between two parts has: one of them, or that which both hang below.
    pub fn host_for(&self, initiator: PartId, target: PartId) -> PartId {
        if self.part(target).kind.is_root() {
            return target;
        }
        let theirs: Vec<PartId> = self.hosts_of(target).collect();
        let mut own = self.hosts_of(initiator);
        own.find(|host| theirs.contains(host)).unwrap_or_else(|| self.host())
    }
    /// The directions that a TLP takes from one part to another along their tree; empty where they are the same, or hang
    /// below different hosts.
    pub fn path(&self, from: PartId, to: PartId) -> Vec<Direction> {
        let root = |way: &[(LinkId, PartId)], part: PartId| way.last().map_or(part, |&(_, root)| root);
        let (ups, downs) = (self.ways_up(from), self.ways_up(to));
        let pairs = ups.into_iter().flat_map(|up| downs.iter().map(move |down| (up.clone(), down.clone())));
        let joined = pairs.into_iter().find(|(up, down)| root(up, from) == root(down, to));
        let Some((mut up, mut down)) = joined else { return Vec::new() };
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
