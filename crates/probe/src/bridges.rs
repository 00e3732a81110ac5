//! Which bridge each function is below.

use crate::address::Address;
use crate::machine::Machine;
use std::collections::{BTreeMap, BTreeSet};

/// The parent and the children of each function. A parent comes from the path in the input if there is one, else from the
/// bus numbers of the bridges. There are no cycles, whatever the input says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bridges {
    parents: BTreeMap<Address, Address>,
    children: BTreeMap<Address, Vec<Address>>,
    roots: Vec<Address>,
}

impl Bridges {
    /// The bridges of a machine.
    pub fn of(machine: &Machine) -> Bridges {
        let mut bridges = Bridges { parents: parents(machine), ..Bridges::default() };
        bridges.break_cycles();
        for &address in machine.functions.keys() {
            match bridges.parents.get(&address) {
                Some(parent) => bridges.children.entry(*parent).or_default().push(address),
                None => bridges.roots.push(address),
            }
        }
        bridges
    }
    /// Functions below no bridge, in the order of their addresses.
    pub fn roots(&self) -> &[Address] {
        &self.roots
    }
    /// The bridge directly above a function.
    pub fn parent(&self, address: Address) -> Option<Address> {
        self.parents.get(&address).copied()
    }
    /// The functions directly below a bridge, in the order of their addresses.
    pub fn children(&self, address: Address) -> &[Address] {
        self.children.get(&address).map_or(&[], Vec::as_slice)
    }
    /// The bridges above a function, nearest first.
    pub fn ancestors(&self, address: Address) -> impl Iterator<Item = Address> {
        std::iter::successors(self.parent(address), |above| self.parent(*above))
    }
    /// All functions below a function, without the function itself. Functions with the same parent are adjacent.
    pub fn descendants(&self, address: Address) -> Vec<Address> {
        let (mut found, mut open) = (Vec::new(), vec![address]);
        while let Some(next) = open.pop() {
            let children = self.children(next);
            found.extend(children);
            open.extend(children.iter().rev());
        }
        found
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

/// The bridges of a machine, by the buses below them.
struct Buses {
    /// By domain and secondary bus.
    secondary: BTreeMap<(u32, u8), Address>,
    /// Domain, secondary bus, subordinate bus, and the bridge.
    ranges: Vec<(u32, u8, u8, Address)>,
}

impl Buses {
    fn of(machine: &Machine) -> Buses {
        let (mut secondary, mut ranges) = (BTreeMap::new(), Vec::new());
        for (address, function) in &machine.functions {
            // An unconfigured bridge has secondary bus 0. A bridge whose secondary bus is its own bus or a
            // lower one contradicts itself.
            let Some(buses) = function.header.buses.filter(|buses| buses.secondary > address.bdf.bus()) else {
                continue;
            };
            secondary.entry((address.domain, buses.secondary)).or_insert(*address);
            ranges.push((address.domain, buses.secondary, buses.subordinate, *address));
        }
        Buses { secondary, ranges }
    }
    /// The bridge whose secondary bus the function is on. If there is none (a virtual function may have a higher bus number):
    /// the bridge with the smallest range of buses that contains the bus.
    fn bridge_above(&self, address: Address) -> Option<Address> {
        let bus = address.bdf.bus();
        let exact = self.secondary.get(&(address.domain, bus)).copied();
        let around = |range: &&(u32, u8, u8, Address)| range.0 == address.domain && range.1 < bus && bus <= range.2;
        let narrowest = || self.ranges.iter().filter(around).min_by_key(|range| range.2 - range.1);
        exact.or_else(|| narrowest().map(|range| range.3)).filter(|bridge| *bridge != address)
    }
}
