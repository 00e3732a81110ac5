//! The rows of the tree: one for each function, with the branches in front.

use crate::machine::show::alike::Alike;
use crate::machine::show::facts::MOST_NAMES;
use crate::machine::show::port::{empty, kind};
use crate::machine::show::{Span, Tone, facts, link};
use probe::address::Address;
use probe::function::{Function, Reach};
use probe::machine::Machine;
use probe::tree::Tree;
use std::ops::Range;

/// One row of the tree, with the facts shown below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The branches before the address.
    pub branch: String,
    /// The branches before the second line.
    pub below: String,
    /// Address, kind and name, and the link above.
    pub line: Vec<Span>,
    /// All other facts.
    pub facts: Vec<Span>,
    /// The function; `None` for a row that stands for several.
    pub address: Option<Address>,
}

/// The rows of a machine. Without `all`, functions inside the root complex without anything to report are one row for
/// each bus, and neighbours that are alike in everything but their addresses and names are one row.
pub fn rows(machine: &Machine, tree: &Tree, all: bool) -> Vec<Row> {
    let mut rows = Rows { machine, tree, all, rows: Vec::new(), alike: Alike::new(machine, tree) };
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
    alike: Alike<'a>,
}

impl Rows<'_> {
    fn root_bus(&mut self, functions: &[Address]) {
        let Some(first) = functions.first() else { return };
        let name = format!("{:04x}:{:02x}", first.domain, first.bdf.bus());
        let kind = if self.machine.is_root_bus(*first) { "root bus" } else { "a bus whose bridge was not printed" };
        self.rows.push(Row {
            branch: String::new(),
            below: String::new(),
            line: vec![Span::new(Tone::Strong, name), Span::new(Tone::Faint, kind)],
            facts: Vec::new(),
            address: None,
        });
        self.children(&[functions], "");
    }
    /// Adds the rows below functions that are alike: one row for what is alike below each.
    fn children(&mut self, below: &[&[Address]], prefix: &str) {
        let parted: Vec<(Vec<Address>, Vec<Address>)> =
            below.iter().map(|all| all.iter().partition(|address| self.speaks(**address))).collect();
        let Some((first, quiet)) = parted.first() else { return };
        let named = |at: &&Address| self.machine.function(**at).is_some_and(|function| function.reach == Reach::Named);
        let is_named = !self.machine.has_registers() || quiet.iter().any(|at| named(&at));
        let quiet = quiet.len() * below.len();
        let runs = self.runs(first);
        for (index, run) in runs.iter().enumerate() {
            let last = index + 1 == runs.len() && quiet == 0;
            let members: Vec<Address> =
                parted.iter().flat_map(|(shown, _)| shown.get(run.clone()).unwrap_or_default()).copied().collect();
            self.functions(&members, prefix, last);
        }
        if quiet > 0 {
            let plural = if quiet == 1 { "function" } else { "functions" };
            let text = match is_named {
                false => format!("{quiet} {plural} inside the root complex"),
                true => format!("{quiet} {plural}, whose registers were not printed"),
            };
            self.rows.push(Row {
                branch: format!("{prefix}└ "),
                below: format!("{prefix}  "),
                line: vec![Span::new(Tone::Faint, text)],
                facts: Vec::new(),
                address: None,
            });
        }
    }
    /// Runs of neighbours that one row stands for.
    fn runs(&self, functions: &[Address]) -> Vec<Range<usize>> {
        if self.all { (0..functions.len()).map(|one| one..one + 1).collect() } else { self.alike.runs(functions) }
    }
    /// Adds one row, for one function or for several that are alike.
    fn functions(&mut self, addresses: &[Address], prefix: &str, last: bool) {
        let functions: Vec<&Function> = addresses.iter().filter_map(|&at| self.machine.function(at)).collect();
        let Some(&first) = functions.first() else { return };
        let below: Vec<&[Address]> = addresses.iter().map(|&at| self.tree.children(at)).collect();
        let (corner, bar) = if last { ("└ ", "  ") } else { ("├ ", "│ ") };
        let inner = format!("{prefix}{bar}");
        let has_children = below.iter().any(|children| !children.is_empty());
        self.rows.push(Row {
            branch: format!("{prefix}{corner}"),
            below: format!("{inner}{}", if has_children { "│ " } else { "  " }),
            line: self.line(first, addresses),
            facts: facts(&functions, self.tree),
            address: (addresses.len() == 1).then_some(first.address),
        });
        if has_children {
            self.children(&below, &inner);
        }
    }
    fn line(&self, function: &Function, addresses: &[Address]) -> Vec<Span> {
        let names: Vec<String> = addresses.iter().map(|&address| self.short(address)).collect();
        let mut line = vec![Span::new(Tone::Strong, crate::layout::list(&names, MOST_NAMES))];
        let times = if names.len() > 1 { format!("{} × ", names.len()) } else { String::new() };
        match kind(function) {
            Some(kind) => line.extend([Span::new(Tone::Plain, times + kind), Span::new(Tone::Plain, function.title())]),
            None => line.push(Span::new(Tone::Plain, times + &function.title())),
        }
        line.extend(self.above(function));
        line.extend(empty(self.tree, function));
        line
    }
    /// The link above a function. A device of several functions has one link, which is shown at its first function.
    fn above(&self, function: &Function) -> Vec<Span> {
        let above = self.tree.link_above(function.address).filter(|link| link.lower == Some(function.address));
        above.map(link).unwrap_or_default()
    }
    /// The address, without the domain where the machine has only one.
    fn short(&self, address: Address) -> String {
        let only = self.machine.functions.keys().next_back().is_some_and(|last| last.domain == 0);
        if only { address.bdf.to_string() } else { address.to_string() }
    }
    fn speaks(&self, address: Address) -> bool {
        self.all || speaks(self.machine, self.tree, address)
    }
}

/// True where a function has a row of its own: it is below a bridge, has a link or functions below it, has a name in
/// software, carries data, or has errors.
pub(crate) fn speaks(machine: &Machine, tree: &Tree, address: Address) -> bool {
    let Some(function) = machine.function(address) else { return false };
    let os = &function.os;
    let named = !(os.blocks.is_empty() && os.nets.is_empty() && os.cards.is_empty());
    tree.parent(address).is_some()
        || !tree.children(address).is_empty()
        || tree.link_below(address).is_some()
        || tree.link_above(address).is_some()
        || named
        || function.port_type().is_none() && function.link_max().is_some_and(|most| most.width.is_some())
        || function.header.class.is_some_and(carries_data)
        || super::aer(function).is_some()
}

/// Storage, network, display, serial buses and accelerators: base classes 01, 02, 03, 0C and 12.
fn carries_data(class: u16) -> bool {
    matches!(class >> 8, 0x01 | 0x02 | 0x03 | 0x0c | 0x12)
}
