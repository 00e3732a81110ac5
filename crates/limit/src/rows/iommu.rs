//! The row of the IOMMU: walks for pages that are not in the IOTLB begin one after another.

use super::links;
use super::memory::LAST;
use super::subject::{Subject, fs};
use crate::place::Place;
use crate::resource::NeedTarget;
use crate::table::{Row, Table};
use system::Cause;

/// Adds the row of the walks. They are one server for all flows of a host.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let fs_per_byte = of.plan.walks * fs(of.plan.host.walk_gap);
    // Requests of a read meet it before their data. A write has passed all links, and waits in the buffer of the last.
    let hop = if of.plan.reads() { 0 } else { of.plan.data.len() };
    let row = Row::server(fs_per_byte, Place::Host, Cause::Walks).after(hop, links::before(of, hop));
    table.add(row.shared(of.need(NeedTarget::Walks, LAST, fs_per_byte)));
}
