//! The settled graph: parts, ports, links and addresses.

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

/// The role of a port on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortRole {
    /// A root port of a host.
    Root,
    /// The upstream port of a switch.
    Upstream,
    /// A downstream port of a switch.
    Downstream,
    /// The port of an endpoint.
    Endpoint,
}

impl PortRole {
    /// True for root ports and downstream ports.
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
    /// Number of addresses, bytes.
    pub bytes: u64,
}

impl Window {
    /// True where `address` lies in it.
    pub fn holds(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }
}

/// A Base Address Register with its assigned address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The assigned addresses.
    pub window: Window,
    /// True for a 64-bit BAR, which firmware may place above 4 GiB.
    pub is_64bit: bool,
    /// The port by which it is reached: an index into [`Node::ports`]. An endpoint with several ports is a function at
    /// each.
    pub port: usize,
}

/// A part of the graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// As in the description, `card[3]` for the fourth of an array.
    pub name: String,
    /// Its catalogue entry or kind, as in `rosta/rc-47`.
    pub model: String,
    /// Its kind, with its settings.
    pub kind: Kind,
    /// The settings of its ports, except where a port has its own: see [`System::habits`].
    pub habits: PortParams,
    /// Its ports, in order of the catalogue entry.
    pub ports: Vec<PortId>,
    /// For an endpoint: its BARs.
    pub bars: Vec<Bar>,
    /// The settled Max_Payload_Size, for sending and receiving. For a host or a switch, it holds for ports without
    /// their own: see [`System::mps`].
    pub mps: PayloadSize,
    /// Max_Read_Request_Size as settled.
    pub mrrs: PayloadSize,
    /// The settled number of tags.
    pub tags: u64,
    /// All fields with their origins, settled ones last.
    pub figures: Vec<Figure>,
}

impl Node {
    /// The fields of its kind, then those of its ports.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.kind.fields().iter().chain(PortParams::FIELDS)
    }
    /// Adds a figure. It replaces a listed figure of the same field.
    pub(crate) fn list(&mut self, figure: Figure) {
        match self.figures.iter_mut().find(|known| known.field == figure.field) {
            Some(known) => *known = figure,
            None => self.figures.push(figure),
        }
    }
    /// The value of a field, as written in a description.
    pub fn value(&self, field: &str) -> Option<String> {
        self.kind.get(field).or_else(|| self.habits.get(field))
    }
}

/// A port, which may be one end of a link.
#[derive(Clone, Debug)]
pub struct Port {
    /// As in `host.pcie` or `board[1].down[2]`.
    pub name: String,
    /// Its part.
    pub part: PartId,
    /// Its role on its link.
    pub role: PortRole,
    /// The highest speed and width that it supports.
    pub able: LinkSpeed,
    /// Its bus, device and function number.
    pub bdf: Bdf,
    /// Its link.
    pub link: Option<LinkId>,
    /// The memory windows of a bridge or root port: non-prefetchable, prefetchable.
    pub windows: Vec<Window>,
    /// Secondary and subordinate bus of a bridge.
    pub buses: (u8, u8),
    /// Its own values of fields with [`Field::is_of_port`], with their origins. They replace those of the part.
    pub own: Vec<Figure>,
    /// Its own settled Max_Payload_Size; `None` where that of the part holds.
    pub mps: Option<PayloadSize>,
    /// Its address in the machine that this describes, as `setpci -s` takes it: `04:00.0`, `10000:e1:00.0`. `None` where none
    /// was named.
    pub address: Option<String>,
}

impl Port {
    /// Adds an own figure. It replaces an own figure of the same field.
    pub(crate) fn list(&mut self, figure: Figure) {
        self.own.retain(|known| known.field != figure.field);
        self.own.push(figure);
    }
    /// The IDs of all functions below it: its buses, in its Segment Group.
    pub fn ids(&self) -> RangeInclusive<Bdf> {
        let at = |bus: u8, rest: u16| Bdf::from_bits((bus as u16) << 8 | rest).in_segment(self.bdf.segment());
        at(self.buses.0, 0)..=at(self.buses.1, 0xff)
    }
}

/// A link between two ports.
#[derive(Clone, Debug)]
pub struct Link {
    /// The end nearer to the host.
    pub upper: PortId,
    /// The other.
    pub lower: PortId,
    /// The speed and width that it trained to.
    pub speed: LinkSpeed,
    /// Why not a higher speed or width.
    pub why: Less,
    /// Propagation delay in one direction.
    pub propagation: Time,
    /// True where its ends have separate spread-spectrum clocks (SRIS).
    pub sris: bool,
}

/// Why a link trained to less than the better of its ends supports. Empty where both run at their best.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Less {
    /// For a described link: what limits the width, as in `x4 of x8: the slot has 4 lanes`.
    pub width: Option<String>,
    /// For a described link: what limits the generation, as in `Gen2 of Gen3: the link is held to it`.
    pub generation: Option<String>,
    /// For an observed link: what was concluded.
    pub observed: Option<String>,
}

impl fmt::Display for Less {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> =
            [&self.width, &self.generation, &self.observed].into_iter().flatten().map(String::as_str).collect();
        f.pad(&all.join("; "))
    }
}

/// The content of a system, accessible to code that builds one.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// As in `rosta-rb8v7`.
    pub name: String,
    /// One line.
    pub title: String,
    /// All parts; the hosts are the first.
    pub parts: Vec<Node>,
    /// All ports of all parts.
    pub ports: Vec<Port>,
    /// All links.
    pub links: Vec<Link>,
    /// How much longer than nominal a symbol is, in parts per million.
    pub clock_slow_ppm: u64,
}

/// A machine with everything that training and firmware settle. It dereferences to its [`Graph`]. Changes go through
/// [`System::amend`], which records their origin; [`System::remake`] builds a different machine from it.
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

/// One direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Direction {
    /// The link.
    pub link: LinkId,
    /// True towards the host.
    pub up: bool,
}

impl System {
    /// The system of a graph that is settled already. The origins are those of the graph.
    pub fn of(graph: Graph) -> System {
        System { graph }
    }
    /// Replaces the system by a different machine built from it. The new graph brings its own origins. To change one
    /// value of a system, use [`System::amend`].
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
    /// The hosts: the roots of the trees.
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
    /// The name of a direction: `board[0].up -> rha25.down[0]`.
    pub fn direction_name(&self, direction: Direction) -> String {
        let (from, to) = self.ends(direction);
        [self.port(from).name.as_str(), " -> ", self.port(to).name.as_str()].concat()
    }
    /// For each upstream-facing port of `part` with a link: the link, and the part above. Empty for a host.
    pub fn all_above(&self, part: PartId) -> impl Iterator<Item = (LinkId, PartId)> {
        let facing_up = self.part(part).ports.iter().filter(|&&p| !self.port(p).role.faces_down());
        let links = facing_up.filter_map(|&p| self.port(p).link);
        links.map(|link| (link, self.port(self.link(link).upper).part))
    }
    /// The first of [`System::all_above`], and the only one except for an endpoint with several ports.
    pub fn above(&self, part: PartId) -> Option<(LinkId, PartId)> {
        self.all_above(part).next()
    }
    /// The paths from a part up to its hosts, one for each upstream-facing port. For a host, one empty path.
    pub fn ways_up(&self, part: PartId) -> Vec<Vec<(LinkId, PartId)>> {
        let on =
            |first: (LinkId, PartId)| std::iter::successors(Some(first), |&(_, upper)| self.above(upper)).collect();
        let all: Vec<_> = self.all_above(part).map(on).collect();
        if all.is_empty() { vec![Vec::new()] } else { all }
    }
    /// The hosts above a part, by its ports; for a host, itself.
    pub fn hosts_of(&self, part: PartId) -> impl Iterator<Item = PartId> {
        self.ways_up(part).into_iter().map(move |way| way.last().map_or(part, |&(_, root)| root))
    }
    /// The host whose software and memory a flow between two parts uses: one of the two, or a host above both.
    pub fn host_for(&self, initiator: PartId, target: PartId) -> PartId {
        if self.part(target).kind.is_root() {
            return target;
        }
        let theirs: Vec<PartId> = self.hosts_of(target).collect();
        let mut own = self.hosts_of(initiator);
        own.find(|host| theirs.contains(host)).unwrap_or_else(|| self.host())
    }
    /// The directions that a TLP takes from one part to another. Empty where both are the same, or have no host in
    /// common.
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
