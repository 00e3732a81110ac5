//! The rows of lines at memory: so many are read at once, and DRAM takes its time for those that are not in the cache.

use super::links;
use super::memory::LAST;
use super::subject::{Subject, fs};
use crate::place::Place;
use crate::resource::NeedTarget;
use crate::table::{Row, Table};
use system::Cause;
use system::kinds::HostParams;

/// Adds the rows.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let (plan, host) = (of.plan, &of.plan.host);
    if plan.flow.operation.is_pio() || !plan.is_at_host || !host.bounds_lines() {
        return;
    }
    let (lines, bytes) = plan.pieces.iter().fold((0.0, 0.0), |(lines, bytes), (piece, weight)| {
        let touched = HostParams::lines_of(piece.offset, piece.bytes).count() as f64;
        (lines + weight * touched, bytes + weight * piece.bytes as f64)
    });
    let each = lines / f64::max(bytes, 1.0);
    if let Some(places) = host.read_table.0.filter(|_| plan.reads()) {
        let held = places.0 as f64 / each.max(1e-12);
        table.add(Row::of_loop(held, plan.completer.at_memory_fs, Place::Host, Cause::Lines));
    }
    let held = if plan.reads() { plan.flow.hit_share(host) } else { plan.flow.written_share(host) };
    // Of lines in random order, more may be there than on average: by at most three standard deviations.
    let held = (held + 3.0 * (held * (1.0 - held) / plan.flow.commands() as f64).sqrt()).min(1.0);
    let fs_per_byte = each * (1.0 - held) * fs(host.dram_line_service) / host.dram_channels.0.max(1) as f64;
    let hop = if plan.reads() { 0 } else { plan.data.len() };
    let row = Row::server(fs_per_byte, Place::Host, Cause::Dram).after(hop, links::before(of, hop));
    table.add(row.shared(of.need(NeedTarget::Dram, LAST, fs_per_byte)));
}
