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
        let line = unquoted(line);
        let start = line.trim_start();
        // Of several host bridges an excerpt may show the later ones; of a bridge that was asked for, its address stands first.
        let is_first = start.starts_with("-[") || start.starts_with("-+-[") || from_bridge(start).is_some();
        let is_root = is_first || ["+-[", "\\-["].iter().any(|begin| start.strip_prefix(begin).is_some_and(has_domain));
        if is_first {
            self.branches.clear();
        }
        let goes_on = self.is_open && (start.starts_with(['|', '+', '\\']) || is_resource(start));
        self.is_open = is_root || goes_on;
        if self.is_open && is_resource(start) {
            return true;
        }
        let read = if self.is_open { self.nodes(line) } else { None };
        self.is_open = read.is_some();
        read.map(|nodes| self.found.extend(nodes)).is_some()
    }

    /// The functions of a line; `None` where something else is in it.
    fn nodes(&mut self, line: &str) -> Option<Vec<Node>> {
        let mut nodes: Vec<Node> = Vec::new();
        let (mut bus, mut is_new, mut column) = (None, true, 0);
        if let Some(at) = from_bridge(line) {
            nodes.push(Node { at, below: None, name: None });
            column = ADDRESS;
        }
        let mut is_below = column > 0;
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
                    let (domain, buses) = inside.split_once(':').unwrap_or(("", inside));
                    // Older programs write the domain before the buses below a bridge, too.
                    bus = Some(match nodes.last_mut().filter(|_| is_below) {
                        None => {
                            let root = (u32::from_str_radix(domain, 16).ok()?, byte(buses)?);
                            self.roots.insert(root);
                            root
                        }
                        Some(node) => {
                            let (first, last) = buses.split_once('-').unwrap_or((buses, buses));
                            let (first, last) = (byte(first)?, byte(last)?);
                            node.below = Some((first, last));
                            (node.at.domain, first)
                        }
                    });
                    (is_new, is_below) = (true, false);
                    inside.len() + 2
                }
                _ => {
                    let place = rest.get(..PLACE)?;
                    let (domain, on) = bus?;
                    let at: Address = format!("{domain:04x}:{on:02x}:{place}").parse().ok()?;
                    let name = rest.get(PLACE..)?.strip_prefix("  ").map(|name| name.trim().to_string());
                    let length = if name.is_some() { rest.len() } else { PLACE };
                    nodes.push(Node { at, below: None, name: name.filter(|name| !name.is_empty()) });
                    (is_new, is_below) = (false, true);
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

/// A line without the marks of a mail that quotes it.
fn unquoted(line: &str) -> &str {
    let mut rest = line;
    while let Some(inside) = rest.trim_start_matches(' ').strip_prefix('>') {
        rest = inside.strip_prefix(' ').unwrap_or(inside);
    }
    rest
}

/// True where a domain and a bus stand in a bracket that is open.
fn has_domain(rest: &str) -> bool {
    rest.split_once(']').is_some_and(|(inside, _)| inside.contains(':'))
}

/// The bridge at which a drawing begins that was asked for (`lspci -t -s 0000:00:1c.0`).
fn from_bridge(line: &str) -> Option<Address> {
    line.get(ADDRESS..)?.strip_prefix("-[")?;
    line.get(..ADDRESS)?.parse().ok()
}

/// Characters of an address with its domain.
const ADDRESS: usize = 12;

/// True for what `-tvv` prints below a device.
fn is_resource(start: &str) -> bool {
    let rest = start.trim_start_matches(['|', ' ']);
    rest.starts_with("Memory at ") || rest.starts_with("I/O ports at ")
}

/// Characters of a device and function, as in `1f.6`.
const PLACE: usize = 4;

fn byte(text: &str) -> Option<u8> {
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bridges with what is below them, and functions, of a text.
    fn drawn(text: &str) -> (Vec<String>, usize) {
        let (mut drawing, mut machine) = (Drawing::default(), Machine::default());
        let all = text.lines().all(|line| drawing.line(line));
        assert!(all, "{text}");
        drawing.told(&mut machine);
        let bridge = |f: &crate::function::Function| {
            let buses = f.header.buses?;
            Some(format!("{} {:02x}-{:02x}", f.address.bdf, buses.secondary, buses.subordinate))
        };
        (machine.functions.values().filter_map(bridge).collect(), machine.functions.len())
    }

    #[test]
    fn are_drawings_of_old_programs_of_one_bridge_and_with_resources_read() {
        let bridges = ["00:02.0 01-01", "00:1c.0 02-04", "02:00.0 03-03", "02:01.0 04-04"].map(str::to_string).to_vec();
        let old = [
            "-[0000:00]-+-00.0",
            "           +-02.0-[0000:01]----00.0",
            "           +-1c.0-[0000:02-04]--+-00.0-[0000:03]----00.0",
            "           |                    \\-01.0-[0000:04]----00.0",
            "           \\-1f.2",
        ];
        assert_eq!(drawn(&old.join("\n")), (bridges.clone(), 9));
        assert_eq!(drawn(&old.map(|line| format!("> > {line}")).join("\n")), (bridges.clone(), 9));
        let one = ["0000:00:1c.0-[02-04]--+-00.0-[03]----00.0", "                      \\-01.0-[04]----00.0"];
        assert_eq!(drawn(&one.join("\n")), (bridges[1..].to_vec(), 5));
        let resources = [
            "-[0000:00]-+-00.0  Intel Corporation Device",
            "           |      Memory at fed10000 (64-bit, non-prefetchable) [size=64K]",
            "           \\-1f.2  Intel Corporation SATA Controller",
            "                  I/O ports at f0b0 [size=8]",
        ];
        assert_eq!(drawn(&resources.join("\n")), (Vec::new(), 2));
        let excerpt = " +-[0000:5d]-+-00.0-[5e]----00.0\n \\-[0000:00]-+-00.0";
        assert_eq!(drawn(excerpt).0, ["5d:00.0 5e-5e"]);
    }
}
