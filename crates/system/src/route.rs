//! Routing by address and by ID (Transaction Layer, Address Based and ID Based Routing Rules).

use crate::graph::{Bar, Node, PartId, PortId, PortRole, System, Window};
use pcie::tlp::{FOUR_GIB, HEADER_3DW_BYTES, HEADER_4DW_BYTES};
use pcie::{Bdf, Bytes};

/// The start of DMA buffers below 4 GiB.
const LOW_MEMORY: u64 = 256 << 20;

impl System {
    /// The first host.
    pub fn host(&self) -> PartId {
        PartId(0)
    }
    /// The start of a host's DMA buffers: 4 GiB, or lower where `memory_above_4g` is off. At least 2 GiB are free from
    /// there on.
    pub fn memory_address(&self, host: PartId) -> u64 {
        match self.part(host).kind.host() {
            Some(params) if params.memory_above_4g => FOUR_GIB,
            _ => LOW_MEMORY,
        }
    }
    /// The largest BAR of `card` at the port that TLPs from `from` arrive at; of equal ones, the last. `None` where
    /// there is no path or no BAR.
    pub fn largest_bar_from(&self, from: PartId, card: PartId) -> Option<Window> {
        let (_, port) = self.ends(*self.path(from, card).last()?);
        let here = |bar: &&Bar| self.part(card).ports.get(bar.port) == Some(&port);
        let windows = self.part(card).bars.iter().filter(here).map(|bar| bar.window);
        windows.max_by_key(|window| window.bytes)
    }
    /// The address of a card's largest BAR; `None` for a part without BARs.
    pub fn bar_address(&self, card: PartId) -> Option<u64> {
        self.largest_bar(card).map(|(base, _)| base)
    }
    /// The size of a card's largest BAR; `None` for a part without BARs.
    pub fn bar_bytes(&self, card: PartId) -> Option<Bytes> {
        self.largest_bar(card).map(|(_, bytes)| Bytes(bytes))
    }
    fn largest_bar(&self, card: PartId) -> Option<(u64, u64)> {
        let windows = self.part(card).bars.iter().map(|bar| (bar.window.bytes, bar.window.base));
        windows.max_by_key(|&(bytes, base)| (bytes, std::cmp::Reverse(base))).map(|(bytes, base)| (base, bytes))
    }
    /// Bytes of the header of a request to host memory or to a card's BAR: 12 below 4 GiB, 16 from 4 GiB on.
    pub fn header_bytes(&self, target: PartId) -> u64 {
        let address = match self.part(target).kind.is_root() {
            true => self.memory_address(target),
            false => self.bar_address(target).unwrap_or(0),
        };
        if address < FOUR_GIB { HEADER_3DW_BYTES } else { HEADER_4DW_BYTES }
    }

    /// The port by which a request to `address` leaves a part. `None` where it stays there: the part is the target, or,
    /// at the host, there is no target.
    pub fn route(&self, part: PartId, address: u64) -> Option<PortId> {
        let node = self.part(part);
        if node.bars.iter().any(|bar| bar.window.holds(address)) {
            return None;
        }
        let mut down = node.ports.iter().copied().filter(|&p| self.port(p).role.faces_down());
        down.find(|&p| self.port(p).windows.iter().any(|w| w.holds(address))).or_else(|| self.up(part))
    }

    /// The name of a root complex on the way from one part to another, where it sends on no requests (`p2p`).
    pub fn closed_root(&self, from: PartId, to: PartId) -> Option<&str> {
        let path = self.path(from, to);
        let between = path.iter().skip(1).map(|&on| self.part(self.port(self.ends(on).0).part));
        let closed = |part: &&Node| part.kind.host().is_some_and(|host| !host.p2p);
        between.into_iter().find(closed).map(|part| part.name.as_str())
    }

    /// The port by which a completion for `requester` leaves a part; `None` where the part is the requester.
    pub fn route_id(&self, part: PartId, requester: Bdf) -> Option<PortId> {
        if self.bdf(part) == requester {
            return None;
        }
        let mut down = self.part(part).ports.iter().copied().filter(|&p| self.port(p).role.faces_down());
        down.find(|&p| self.port(p).ids().contains(&requester)).or_else(|| self.up(part))
    }

    /// The requester ID of a part: for a card, of its first port; for a switch, of its upstream port; for a host,
    /// 00:00.0 in its first Segment Group.
    pub fn bdf(&self, part: PartId) -> Bdf {
        let of_root = || {
            let first = self.part(part).ports.first().map_or(0, |&port| self.port(port).bdf.segment());
            Bdf::default().in_segment(first)
        };
        self.up(part).map_or_else(of_root, |port| self.port(port).bdf)
    }
    /// The requester ID in requests from a part to `to`: that of the port by which they leave.
    pub fn bdf_towards(&self, part: PartId, to: PartId) -> Bdf {
        match self.path(part, to).first() {
            Some(&on) if on.up => self.port(self.ends(on).0).bdf,
            _ => self.bdf(part),
        }
    }

    /// The part with that requester ID.
    pub fn part_at(&self, bdf: Bdf) -> Option<PartId> {
        (0..self.parts.len()).map(PartId).find(|&part| self.bdf(part) == bdf)
    }

    /// The upstream-facing port; of several, the first with a link.
    pub fn up(&self, part: PartId) -> Option<PortId> {
        let ports = self.part(part).ports.iter().copied();
        let mut up = ports.filter(|&p| matches!(self.port(p).role, PortRole::Upstream | PortRole::Endpoint));
        up.clone().find(|&p| self.port(p).link.is_some()).or_else(|| up.next())
    }
}
