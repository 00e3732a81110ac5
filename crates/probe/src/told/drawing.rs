//! The tree that `lspci -t` and `-tv` draw (its manual page, option `-t`): which function is on which bus, and which buses are below
//! a bridge. With `-v`, the name of each device.

use crate::address::Address;
use crate::machine::Machine;
use pcie::config::{BusNumbers, HeaderKind};
use std::collections::{BTreeMap, BTreeSet};

/// A domain, and a bus of it.
type Bus = (u32, u8);

/// A function in the drawing.
struct Node {
    at: Address,
    below: Option<(u8, u8)>,
    name: Option<String>,
}

/// What was drawn so far.
#[derive(Default)]
pub struct Drawing {
    /// By the column of a line that goes down: the bus whose functions hang on it; `None` for the line of the host bridges.
    branches: BTreeMap<usize, Option<Bus>>,
    found: Vec<Node>,
    roots: BTreeSet<Bus>,
    /// True from the first line of a drawing to its last.
    is_open: bool,
}

impl Drawing {
    /// Reads a line; false where it is none of a drawing.
    pub fn line(&mut self, line: &str) -> bool {
        let start = line.trim_start();
        let is_root = start.starts_with("-[") || start.starts_with("-+-[");
        if is_root {
            self.branches.clear();
        }
        self.is_open = is_root || self.is_open && start.starts_with(['|', '+', '\\']);
        let read = if self.is_open { self.nodes(line) } else { None };
        self.is_open = read.is_some();
        read.map(|nodes| self.found.extend(nodes)).is_some()
    }

    /// The functions of a line; `None` where something else is in it.
    fn nodes(&mut self, line: &str) -> Option<Vec<Node>> {
        let mut nodes: Vec<Node> = Vec::new();
        let (mut bus, mut is_new, mut column) = (None, true, 0);
        while let Some(rest) = line.get(column..).filter(|rest| !rest.is_empty()) {
            column += match rest.chars().next()? {
                ' ' | '|' | '-' => 1,
                '+' | '\\' => {
                    if is_new && (bus.is_some() || !self.branches.contains_key(&column)) {
                        self.branches.insert(column, bus);
                    }
                    (bus, is_new) = (*self.branches.get(&column)?, false);
                    1
                }
                '[' => {
                    let inside = rest.get(1..rest.find(']')?)?;
                    bus = Some(match inside.split_once(':') {
                        Some((domain, bus)) => {
                            let root = (u32::from_str_radix(domain, 16).ok()?, byte(bus)?);
                            self.roots.insert(root);
                            root
                        }
                        None => {
                            let node = nodes.last_mut()?;
                            let (first, last) = inside.split_once('-').unwrap_or((inside, inside));
                            let (first, last) = (byte(first)?, byte(last)?);
                            node.below = Some((first, last));
                            (node.at.domain, first)
                        }
                    });
                    is_new = true;
                    inside.len() + 2
                }
                _ => {
                    let place = rest.get(..PLACE)?;
                    let (domain, on) = bus?;
                    let at: Address = format!("{domain:04x}:{on:02x}:{place}").parse().ok()?;
                    let name = rest.get(PLACE..)?.strip_prefix("  ").map(|name| name.trim().to_string());
                    let length = if name.is_some() { rest.len() } else { PLACE };
                    nodes.push(Node { at, below: None, name: name.filter(|name| !name.is_empty()) });
                    is_new = false;
                    length
                }
            };
        }
        Some(nodes)
    }

    /// Adds the functions to a machine; what else is known of them stays.
    pub fn told(self, machine: &mut Machine) {
        machine.roots.extend(self.roots);
        for Node { at, below, name } in self.found {
            let known = machine.known(at);
            known.names.device = known.names.device.take().or(name);
            let Some((secondary, subordinate)) = below else { continue };
            known.header.kind.get_or_insert(HeaderKind::Bridge);
            let buses = BusNumbers { primary: at.bdf.bus(), secondary, subordinate };
            known.header.buses.get_or_insert(buses);
        }
    }
}

/// Characters of a device and function, as in `1f.6`.
const PLACE: usize = 4;

fn byte(text: &str) -> Option<u8> {
    u8::from_str_radix(text, 16).ok()
}
