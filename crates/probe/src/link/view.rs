//! The input of the search for links.

use crate::bridges::Bridges;
use crate::machine::Machine;

/// A machine and its tree, which are searched for links.
pub struct LinkSearch<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Its tree.
    pub tree: &'a Bridges,
    /// True if no link of the machine is physical.
    pub emulated: bool,
}
