//! The rows of the IOMMU: walks for pages that are not in the IOTLB begin one after another, and so many run at once.

use super::links;
use super::memory::LAST;
use super::subject::{Subject, fs};
use crate::place::Place;
use crate::resource::NeedTarget;
use crate::table::{Row, Table};
use system::Cause;
use system::kinds::HostParams;

/// Adds the rows of the walks. They are one server for all flows of a host.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let (plan, host) = (of.plan, &of.plan.host);
    let walkers = host.walkers.0.map_or(f64::INFINITY, |walkers| walkers.0 as f64);
    let begun = plan.walks * fs(host.walk_gap) + looked_up_fs(of);
    let fs_per_byte = begun.max(plan.walks * fs(plan.flow.walk_time(host)) / walkers);
    // Requests of a read meet it before their data. A write has passed all links, and waits in the buffer of the last.
    let hop = if plan.reads() { 0 } else { plan.data.len() };
    let row = Row::server(fs_per_byte, Place::Host, Cause::Walks).after(hop, links::before(of, hop));
    table.add(row.shared(of.need(NeedTarget::Walks, LAST, fs_per_byte)));
}

/// What the lines of read requests take for each byte of the pipeline.
fn looked_up_fs(of: &Subject<'_, '_>) -> f64 {
    let plan = of.plan;
    let translated = plan.host.iommu && !plan.flow.operation.is_pio() && plan.target_card.is_none();
    if !translated || !plan.reads() {
        return 0.0;
    }
    let lines = |piece: &crate::tlps::Piece| HostParams::lines_of(piece.offset, piece.bytes).count() as f64;
    let (all, bytes) = plan.pieces.iter().fold((0.0, 0.0), |(all, bytes), (piece, weight)| {
        (all + weight * lines(piece), bytes + weight * piece.bytes as f64)
    });
    all / bytes.max(1.0) * fs(plan.host.line_lookup)
}
