//! Devices that are reached through a Thunderbolt or USB4 cable: where their tunnel begins, and which link
//! feeds the controller there.
//!
//! The link to a controller, and the links from it to the devices of its enclosure, are physical. A link between two
//! controllers reports 2.5 GT/s x4, whatever it carries. No register shows the rate of a tunnel.

use crate::address::Address;
use crate::link::{Link, Unreal};
use crate::tree::Tree;

/// The tunnel that a device is reached through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// The port above the tunnel nearest to the root.
    pub from: Address,
    /// The port below that tunnel.
    pub to: Address,
    /// The physical link that feeds the controller there; `None` if the controller is inside the processor.
    pub feed: Option<Link>,
}

impl Tunnel {
    /// The tunnel on the way to a function; `None` if there is none.
    pub fn of(tree: &Tree, at: Address) -> Option<Tunnel> {
        let links = tree.links_to_root(at);
        let place = links.iter().rposition(|link| link.unreal == Some(Unreal::Tunnel))?;
        let feed = links[place + 1..].iter().find(|link| link.unreal.is_none()).map(|&link| link.clone());
        Some(Tunnel { from: links[place].upper?, to: links[place].lower?, feed })
    }
    /// What the devices below the tunnel share: the lower port of the link that feeds the controller, else the
    /// port where the tunnel begins.
    pub fn shared(&self) -> Address {
        self.feed.as_ref().and_then(|feed| feed.lower).unwrap_or(self.from)
    }
}
