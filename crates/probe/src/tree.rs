//! The tree of bridges: who is behind whom, and the links between them.

use crate::address::Address;
use crate::bridges::Bridges;
use crate::link::{Link, ends};
use crate::machine::Machine;
use std::collections::BTreeMap;

/// Parents, children and links of a machine's functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    bridges: Bridges,
    links: Vec<Link>,
    above: BTreeMap<Address, usize>,
}

impl Tree {
    /// The tree of a machine.
    pub fn of(machine: &Machine) -> Tree {
        let bridges = Bridges::of(machine);
        let links = ends::find(machine, &bridges);
        let mut tree = Tree { bridges, links, ..Tree::default() };
        tree.above = tree.lower_ends();
        tree
    }
    /// Functions that are behind no bridge, in their order.
    pub fn roots(&self) -> &[Address] {
        self.bridges.roots()
    }
    /// The bridge that a function is behind.
    pub fn parent(&self, address: Address) -> Option<Address> {
        self.bridges.parent(address)
    }
    /// The functions behind a bridge, in their order.
    pub fn children(&self, address: Address) -> &[Address] {
        self.bridges.children(address)
    }
    /// The bridges above a function, nearest first.
    pub fn ancestors(&self, address: Address) -> impl Iterator<Item = Address> {
        self.bridges.ancestors(address)
    }
    /// Everything below a function, in the order of a walk; not the function itself.
    pub fn descendants(&self, address: Address) -> Vec<Address> {
        self.bridges.descendants(address)
    }
    /// Every link, in the order of its upper port (or of its lower where none was seen above).
    pub fn links(&self) -> &[Link] {
        &self.links
    }
    /// The link above a device: the one that joins it, or another function of it, to the bridge above.
    pub fn link_above(&self, address: Address) -> Option<&Link> {
        self.above.get(&address).and_then(|index| self.links.get(*index))
    }
    /// The link below a root or downstream port.
    pub fn link_below(&self, address: Address) -> Option<&Link> {
        self.links.iter().find(|link| link.upper == Some(address))
    }
    /// The links between a function and the root, nearest first.
    pub fn links_to_root(&self, address: Address) -> Vec<&Link> {
        let chain = std::iter::once(address).chain(self.ancestors(address));
        let mut links: Vec<&Link> = chain.filter_map(|address| self.link_above(address)).collect();
        links.dedup();
        links
    }

    /// Which link every function of a device hangs on.
    fn lower_ends(&self) -> BTreeMap<Address, usize> {
        let mut above = BTreeMap::new();
        for (index, link) in self.links.iter().enumerate() {
            match (link.upper, link.lower) {
                (Some(upper), _) => above.extend(self.children(upper).iter().map(|child| (*child, index))),
                (None, Some(lower)) => {
                    above.insert(lower, index);
                }
                (None, None) => {}
            }
        }
        above
    }
}
