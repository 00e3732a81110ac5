//! Finds neighbours that are alike in everything but their addresses and names, so that one row or box stands for them.

use crate::machine::show::facts::likeness;
use crate::machine::show::link;
use crate::machine::show::port::{empty, kind};
use probe::address::Address;
use probe::function::Function;
use probe::machine::Machine;
use probe::tree::Tree;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

/// Compares functions, each with everything below it.
pub struct Alike<'a> {
    machine: &'a Machine,
    tree: &'a Tree,
    /// Number of each text or list found so far. Equal ones have the same number.
    numbers: RefCell<HashMap<String, usize>>,
    known: RefCell<HashMap<Address, Looks>>,
}

/// The numbers by which functions are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Looks {
    /// Number for the function and everything below it.
    own: usize,
    /// Number for the link above it.
    link: usize,
}

impl<'a> Alike<'a> {
    /// Prepares the comparison for a machine.
    pub fn new(machine: &'a Machine, tree: &'a Tree) -> Alike<'a> {
        Alike { machine, tree, numbers: RefCell::default(), known: RefCell::default() }
    }
    /// Runs of neighbours that are alike.
    pub fn runs(&self, functions: &[Address]) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (index, &address) in functions.iter().enumerate() {
            let joins = |run: &Range<usize>| functions.get(run.start).is_some_and(|&first| self.alike(first, address));
            match runs.last_mut().filter(|run| joins(run)) {
                Some(run) => run.end = index + 1,
                None => runs.push(index..index + 1),
            }
        }
        runs
    }
    /// True where two functions are alike. The functions of one device share a link, which is shown at the first of
    /// them.
    fn alike(&self, one: Address, other: Address) -> bool {
        let place = |address: Address| (address.domain, address.bdf.bus(), address.bdf.device());
        let (one_looks, other_looks) = (self.looks(one), self.looks(other));
        one_looks.own == other_looks.own && (place(one) == place(other) || one_looks.link == other_looks.link)
    }
    fn looks(&self, address: Address) -> Looks {
        if let Some(&known) = self.known.borrow().get(&address) {
            return known;
        }
        let below: Vec<(usize, usize)> =
            self.tree.children(address).iter().map(|&child| self.looks(child)).map(|l| (l.own, l.link)).collect();
        let looks = match self.machine.function(address) {
            None => Looks { own: self.number(String::new()), link: self.number(String::new()) },
            Some(function) => self.of(function, &below),
        };
        self.known.borrow_mut().insert(address, looks);
        looks
    }
    fn of(&self, function: &Function, below: &[(usize, usize)]) -> Looks {
        let above = self.tree.link_above(function.address).filter(|link| link.lower == Some(function.address));
        let above: Vec<String> = above.map(link).unwrap_or_default().into_iter().map(|span| span.text).collect();
        let empty = empty(self.tree, function).map(|span| span.text);
        let class = (function.header.class, kind(function), function.title());
        let own = format!("{class:?} {} {empty:?} {below:?}", likeness(function, self.tree));
        Looks { own: self.number(own), link: self.number(format!("{above:?}")) }
    }
    fn number(&self, text: String) -> usize {
        let mut numbers = self.numbers.borrow_mut();
        let next = numbers.len();
        *numbers.entry(text).or_insert(next)
    }
}
