//! Rows of the links inside a host: between I/O hub and CPU, and between the sockets.

use super::Subject;
use super::links;
use super::memory::LAST;
use crate::place::Place;
use crate::resource::NeedTarget;
use crate::table::{Row, Table};
use system::Cause;

/// Adds the rows of the links inside the host that the payload passes.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    // Reads begin there, writes to memory end there, and what goes from one root port to another is half way.
    let (hops, reads) = (of.plan.data.len(), of.plan.reads());
    let hop = if reads { 0 } else { of.plan.data.iter().position(|hop| hop.at_host).map_or(hops, |at| at + 1) };
    for &(link, fs_per_byte) in &of.plan.inside {
        let stage = if reads {
            0
        } else if hop == hops {
            LAST
        } else {
            3 * hop
        };
        let need = of.need(NeedTarget::Inside(link), stage, fs_per_byte);
        let row = Row::server(fs_per_byte, Place::Host, Cause::Inside(pcie::Rate(1e15 / fs_per_byte)));
        table.add(row.after(hop, links::before(of, hop)).shared(need));
    }
}
