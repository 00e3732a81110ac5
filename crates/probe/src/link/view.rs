//! What links are looked for in.

use crate::bridges::Bridges;
use crate::machine::Machine;

/// A machine and its tree, looked at for links.
pub struct View<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Its tree.
    pub tree: &'a Bridges,
    /// No link of it is a wire.
    pub emulated: bool,
}
