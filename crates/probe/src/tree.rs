//! The tree of bridges: who is behind whom, and the links between them.

use crate::address::Address;
use crate::link::{self, Link};
use crate::machine::Machine;
use std::collections::{BTreeMap, BTreeSet};

/// Parents, children and links of a machine's functions. Parents come from the paths of the input where it has
/// them, else from the bus numbers of bridges. It has no cycles, whatever the input says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    parents: BTreeMap<Address, Address>,
    children: BTreeMap<Address, Vec<Address>>,
    roots: Vec<Address>,
    links: Vec<Link>,
    above: BTreeMap<Address, usize>,
}

impl Tree {
    /// The tree of a machine.
    pub fn of(machine: &Machine) -> Tree {
        let mut tree = Tree { parents: parents(machine), ..Tree::default() };
        tree.break_cycles();
        for &address in machine.functions.keys() {
            match tree.parents.get(&address) {
                Some(parent) => tree.children.entry(*parent).or_default().push(address),
                None => tree.roots.push(address),
            }
        }
        tree.links = link::find(machine, &tree);
        tree.above = tree.lower_ends();
        tree
    }
    /// Functions that are behind no bridge, in their order.
    pub fn roots(&self) -> &[Address] {
        &self.roots
    }
    /// The bridge that a function is behind.
    pub fn parent(&self, address: Address) -> Option<Address> {
        self.parents.get(&address).copied()
    }
    /// The functions behind a bridge, in their order.
    pub fn children(&self, address: Address) -> &[Address] {
        self.children.get(&address).map_or(&[], Vec::as_slice)
    }
    /// The bridges above a function, nearest first.
    pub fn ancestors(&self, address: Address) -> impl Iterator<Item = Address> {
        std::iter::successors(self.parent(address), |above| self.parent(*above))
    }
    /// Everything below a function, in the order of a walk; not the function itself.
    pub fn descendants(&self, address: Address) -> Vec<Address> {
        let (mut found, mut open) = (Vec::new(), vec![address]);
        while let Some(next) = open.pop() {
            let children = self.children(next);
            found.extend(children);
            open.extend(children.iter().rev());
        }
        found
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

    fn break_cycles(&mut self) {
        let all: Vec<Address> = self.parents.keys().copied().collect();
        let mut sound = BTreeSet::new();
        for start in all {
            let mut walked = BTreeSet::new();
            let mut at = start;
            while !sound.contains(&at) && walked.insert(at) {
                let Some(&above) = self.parents.get(&at) else { break };
                if walked.contains(&above) {
                    self.parents.remove(&at);
                    break;
                }
                at = above;
            }
            sound.extend(walked);
        }
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

fn parents(machine: &Machine) -> BTreeMap<Address, Address> {
    let buses = Buses::of(machine);
    let parent = |address: Address, path: Option<&Vec<Address>>| {
        let seen = |above: &&Address| **above != address && machine.functions.contains_key(above);
        match path {
            Some(path) => path.iter().rev().find(seen).copied(),
            None => buses.bridge_above(address),
        }
    };
    let functions = machine.functions.values();
    functions.filter_map(|f| Some((f.address, parent(f.address, f.path.as_ref())?))).collect()
}

/// The bridges of a machine by the buses behind them.
struct Buses {
    /// By domain and secondary bus.
    secondary: BTreeMap<(u32, u8), Address>,
    /// Domain, first and last bus behind, and the bridge.
    ranges: Vec<(u32, u8, u8, Address)>,
}

impl Buses {
    fn of(machine: &Machine) -> Buses {
        let (mut secondary, mut ranges) = (BTreeMap::new(), Vec::new());
        for (address, function) in &machine.functions {
            // A bridge that was never set up has bus 0 behind it; one that claims its own bus, or one before it,
            // contradicts itself.
            let Some(buses) = function.header.buses.filter(|buses| buses.secondary > address.bdf.bus()) else {
                continue;
            };
            secondary.entry((address.domain, buses.secondary)).or_insert(*address);
            ranges.push((address.domain, buses.secondary, buses.subordinate, *address));
        }
        Buses { secondary, ranges }
    }
    /// The bridge whose secondary bus the function is on; else (a virtual function on a bus of its own) that with
    /// the fewest buses around it.
    fn bridge_above(&self, address: Address) -> Option<Address> {
        let bus = address.bdf.bus();
        let exact = self.secondary.get(&(address.domain, bus)).copied();
        let around = |range: &&(u32, u8, u8, Address)| range.0 == address.domain && range.1 < bus && bus <= range.2;
        let narrowest = || self.ranges.iter().filter(around).min_by_key(|range| range.2 - range.1);
        exact.or_else(|| narrowest().map(|range| range.3)).filter(|bridge| *bridge != address)
    }
}
