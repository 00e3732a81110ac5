//! Devices that a cable of Thunderbolt or USB4 carries: where their tunnel begins, and what feeds the controller there.
//!
//! Links to a controller and from one to what is in its enclosure are wires; what is between two controllers reads
//! 2.5 GT/s x4 whatever it carries. What a tunnel gives shows in no register.

use crate::address::Address;
use crate::link::{Link, Unreal};
use crate::tree::Tree;

/// How a device is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// The port above the tunnel nearest to the root.
    pub from: Address,
    /// The port below it.
    pub to: Address,
    /// The link that feeds the controller there; `None` where that is inside the processor.
    pub feed: Option<Link>,
}

impl Tunnel {
    /// That which a function is reached by; `None` where there is none on its way.
    pub fn of(tree: &Tree, at: Address) -> Option<Tunnel> {
        let links = tree.links_to_root(at);
        let place = links.iter().rposition(|link| link.unreal == Some(Unreal::Tunnel))?;
        let feed = links[place + 1..].iter().find(|link| link.unreal.is_none()).map(|&link| link.clone());
        Some(Tunnel { from: links[place].upper?, to: links[place].lower?, feed })
    }
    /// What devices share that are reached by it: the link that feeds the controller, else where the tunnel begins.
    pub fn shared(&self) -> Address {
        self.feed.as_ref().and_then(|feed| feed.lower).unwrap_or(self.from)
    }
}
