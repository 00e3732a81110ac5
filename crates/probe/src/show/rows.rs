//! One row a function, with the branches of the tree in front.

use crate::address::Address;
use crate::function::Function;
use crate::link::Why;
use crate::machine::Machine;
use crate::show::{Span, Tone, facts, link};
use crate::tree::Tree;
use pcie::config::PortType;

/// One line of the tree, and what is said below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The branches before the address.
    pub branch: String,
    /// The branches before the second line.
    pub below: String,
    /// Address, kind and name, and the link above.
    pub line: Vec<Span>,
    /// Everything else.
    pub facts: Vec<Span>,
    /// The function; `None` for a row that stands for several.
    pub address: Option<Address>,
}

/// The rows of a machine. Without `all`, functions inside the root complex of which nothing is to be said are one
/// row for each bus.
pub fn rows(machine: &Machine, tree: &Tree, all: bool) -> Vec<Row> {
    let mut rows = Rows { machine, tree, all, rows: Vec::new() };
    let mut roots = tree.roots();
    while let Some(first) = roots.first() {
        let bus = |address: &Address| (address.domain, address.bdf.bus());
        let count = roots.iter().take_while(|address| bus(address) == bus(first)).count();
        let (here, rest) = roots.split_at(count);
        rows.root_bus(here);
        roots = rest;
    }
    rows.rows
}

struct Rows<'a> {
    machine: &'a Machine,
    tree: &'a Tree,
    all: bool,
    rows: Vec<Row>,
}

impl Rows<'_> {
    fn root_bus(&mut self, functions: &[Address]) {
        let Some(first) = functions.first() else { return };
        let name = format!("{:04x}:{:02x}", first.domain, first.bdf.bus());
        self.rows.push(Row {
            branch: String::new(),
            below: String::new(),
            line: vec![Span::new(Tone::Strong, name), Span::new(Tone::Faint, "root bus")],
            facts: Vec::new(),
            address: None,
        });
        self.children(functions, "");
    }
    fn children(&mut self, functions: &[Address], prefix: &str) {
        let (shown, quiet): (Vec<Address>, Vec<Address>) = functions.iter().partition(|address| self.speaks(**address));
        for (index, address) in shown.iter().enumerate() {
            let last = index + 1 == shown.len() && quiet.is_empty();
            self.function(*address, prefix, last);
        }
        if !quiet.is_empty() {
            let plural = if quiet.len() == 1 { "function" } else { "functions" };
            let text = format!("{} {plural} inside the root complex", quiet.len());
            self.rows.push(Row {
                branch: format!("{prefix}└ "),
                below: format!("{prefix}  "),
                line: vec![Span::new(Tone::Faint, text)],
                facts: Vec::new(),
                address: None,
            });
        }
    }
    fn function(&mut self, address: Address, prefix: &str, last: bool) {
        let Some(function) = self.machine.function(address) else { return };
        let children = self.tree.children(address);
        let (corner, bar) = if last { ("└ ", "  ") } else { ("├ ", "│ ") };
        let inner = format!("{prefix}{bar}");
        self.rows.push(Row {
            branch: format!("{prefix}{corner}"),
            below: format!("{inner}{}", if children.is_empty() { "  " } else { "│ " }),
            line: self.line(function),
            facts: facts(function, self.tree),
            address: Some(address),
        });
        self.children(children, &inner);
    }
    fn line(&self, function: &Function) -> Vec<Span> {
        let mut line = vec![Span::new(Tone::Strong, self.short(function.address))];
        line.extend(kind(function).map(|kind| Span::new(Tone::Plain, kind)));
        line.push(Span::new(Tone::Plain, function.title()));
        // A device of several functions has one link: it stands at the first.
        let above = self.tree.link_above(function.address).filter(|link| link.lower == Some(function.address));
        line.extend(above.map(link).unwrap_or_default());
        let empty = self.tree.link_below(function.address).filter(|link| link.lower.is_none() && link.why == Why::Down);
        if let Some(below) = empty {
            let can = below.upper_max.map_or(String::new(), |max| format!(", can {max}"));
            line.push(Span::new(Tone::Faint, format!("nothing below{can}")));
        }
        line
    }
    /// Without the domain where the machine has only one.
    fn short(&self, address: Address) -> String {
        let only = self.machine.functions.keys().next_back().is_some_and(|last| last.domain == 0);
        if only { address.bdf.to_string() } else { address.to_string() }
    }
    /// A row of its own: ports, what has a link, what software has a name for, what is wrong.
    fn speaks(&self, address: Address) -> bool {
        let Some(function) = self.machine.function(address) else { return false };
        let os = &function.os;
        let named = !(os.blocks.is_empty() && os.nets.is_empty() && os.cards.is_empty());
        self.all
            || self.tree.parent(address).is_some()
            || !self.tree.children(address).is_empty()
            || self.tree.link_below(address).is_some()
            || named
            || function.header.class.is_some_and(carries_data)
            || super::aer(function).is_some()
    }
}

/// Storage, network, display, serial buses and accelerators: base classes 01, 02, 03, 0C and 12.
fn carries_data(class: u16) -> bool {
    matches!(class >> 8, 0x01 | 0x02 | 0x03 | 0x0c | 0x12)
}

/// What sort of port it is; devices go by their name alone.
fn kind(function: &Function) -> Option<&'static str> {
    Some(match function.port_type()? {
        PortType::RootPort => "root port",
        PortType::UpstreamPort => "upstream port",
        PortType::DownstreamPort => "downstream port",
        PortType::ExpressToPci | PortType::PciToExpress => "bridge",
        _ => return None,
    })
}
