//! What a description is written from.

use super::names::Names;
use crate::address::Address;
use crate::report::Report;
use crate::view::View;
use std::collections::BTreeMap;
use system::PortId;

/// A machine with its report, and the names of its parts.
pub(super) struct Source<'m> {
    pub view: &'m View<'m>,
    pub report: &'m Report,
    pub names: Names,
    /// The functions of ports.
    pub addresses: BTreeMap<PortId, Address>,
    /// Sizes of all ports are written, not only those that firmware would have settled otherwise.
    pub whole: bool,
}

impl<'m> Source<'m> {
    pub fn new(view: &'m View<'m>, report: &'m Report) -> Source<'m> {
        let (model, mut addresses) = (&report.model, BTreeMap::new());
        for seen in view.tree.links() {
            let Some(id) = seen.lower.or(seen.upper).and_then(|at| model.link(at)) else { continue };
            let link = model.system.link(id);
            addresses.extend(seen.upper.map(|at| (link.upper, at)));
            addresses.extend(seen.lower.map(|at| (link.lower, at)));
        }
        Source { view, report, names: Names::of(model), addresses, whole: false }
    }
}
