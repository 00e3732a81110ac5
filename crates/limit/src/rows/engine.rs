//! Rows of a card that writes: its core and its FIFO.

use super::subject::{Subject, fs};
use crate::place::Place;
use crate::table::{Ahead, Row, Table};
use system::Cause;

/// Adds the row of the FIFO.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    if plan.data.is_empty() {
        return;
    }
    let (round, Ahead { bytes, .. }) = fifo(of);
    table.add(Row::of_loop(bytes, round, Place::Card, Cause::Fifo));
}

/// The FIFO towards the link. Returns the time from the decision for a TLP to its last symbol, and the buffer that the
/// FIFO is. It always has room for one TLP.
pub fn fifo(of: &Subject<'_, '_>) -> (f64, Ahead) {
    let plan = of.plan;
    let bytes = of.held(plan.card.fifo.0.max(of.longest()), |payload| payload);
    let sent = plan.data.first().map_or(0.0, |hop| hop.tlp_time(&of.tlp()));
    let round_fs = fs(plan.card.tx_latency) + sent;
    (round_fs, Ahead { bytes, round_fs })
}

/// Adds the core. While a page or a command is waited for, the core works ahead as far as the FIFO has room. For
/// commands that software starts, it does not work ahead.
pub fn add_core(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let time: f64 = plan.cut.sizes.iter().map(|&(size, n)| n * fs(plan.card.core_time(size))).sum();
    let bytes_ahead = if plan.by_software() { 0.0 } else { plan.card.fifo.0 as f64 };
    let ahead = Ahead { bytes: bytes_ahead, round_fs: 0.0 };
    table.add(Row::server(time / plan.cut.bytes as f64, Place::Card, Cause::Core).after(0, ahead));
}

/// Adds what the engine takes for each command, and for each read request.
pub fn add_paces(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let bytes = plan.flow.command;
    let (command, request) = match plan.reads() {
        true => (plan.card.read_command(bytes.0.max(1)), fs(plan.card.read_request_time)),
        false => (plan.card.write_command(bytes.0.max(1)), 0.0),
    };
    if command > pcie::Time::ZERO {
        let fs_per_byte = fs(command) / bytes.0.max(1) as f64;
        table.add(Row::server(fs_per_byte, Place::Card, Cause::CommandStart(bytes)));
    }
    if request > 0.0 {
        table.add(Row::server(request / of.piece, Place::Card, Cause::Core));
    }
}
