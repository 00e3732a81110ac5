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
    let asked = plan.translations.as_ref().map(|asked| (asked.per_byte, asked.per_byte * asked.walked));
    let (lookups, walks) = asked.unwrap_or((lines(of), plan.walks));
    let begun = walks * fs(host.walk_gap) + lookups * fs(host.line_lookup);
    let fs_per_byte = begun.max(walks * fs(plan.flow.walk_time(host)) / walkers);
    // Requests of a read meet it before their data. A write has passed all links, and waits in the buffer of the last.
    let hop = if plan.reads() { 0 } else { plan.data.len() };
    let row = Row::server(fs_per_byte, Place::Host, Cause::Walks).after(hop, links::before(of, hop));
    table.add(row.shared(of.need(NeedTarget::Walks, LAST, fs_per_byte)));
}

/// Lines of read requests for each byte, which are looked up.
fn lines(of: &Subject<'_, '_>) -> f64 {
    let plan = of.plan;
    let translated = plan.host.iommu && !plan.flow.operation.is_pio() && plan.target_card.is_none();
    if !translated || !plan.reads() || plan.translations.is_some() {
        return 0.0;
    }
    let lines = |piece: &crate::tlps::Piece| HostParams::lines_of(piece.offset, piece.bytes).count() as f64;
    let (all, bytes) = plan.pieces.iter().fold((0.0, 0.0), |(all, bytes), (piece, weight)| {
        (all + weight * lines(piece), bytes + weight * piece.bytes as f64)
    });
    all / bytes.max(1.0)
}
