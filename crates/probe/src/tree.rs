//! The tree of bridges: parents and children of functions, and the links between them.

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
    /// Functions below no bridge, in the order of their addresses.
    pub fn roots(&self) -> &[Address] {
        self.bridges.roots()
    }
    /// The bridge directly above a function.
    pub fn parent(&self, address: Address) -> Option<Address> {
        self.bridges.parent(address)
    }
    /// The functions directly below a bridge, in the order of their addresses.
    pub fn children(&self, address: Address) -> &[Address] {
        self.bridges.children(address)
    }
    /// The bridges above a function, nearest first.
    pub fn ancestors(&self, address: Address) -> impl Iterator<Item = Address> {
        self.bridges.ancestors(address)
    }
    /// All functions below a function, without the function itself. Functions with the same parent are adjacent.
    pub fn descendants(&self, address: Address) -> Vec<Address> {
        self.bridges.descendants(address)
    }
    /// All links, in the order of their upper ports, then those whose upper port was not seen.
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

    /// The index of the link above each function of a device.
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
