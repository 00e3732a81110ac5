//! Rows of commands: the loop of an engine that overlaps them, and the loop of commands each of which waits for the one
//! before.

use super::engine;
use super::subject::Subject;
use crate::command::Command;
use crate::place::Place;
use crate::table::{Ahead, Row, Table};
use system::Cause;

/// Adds the loop of an engine that starts a command while the one before is still on its path. It starts a fixed time
/// after it decided the last piece of the one before. `table` has the rows that delay its decisions. For a write, the
/// rows of its path do so when the FIFO is full.
pub fn add_early(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let Some((bytes, latency)) = plan.next_command else { return };
    let (_, fifo) = engine::fifo(of);
    let ahead = |row: &Row| match row.by.cause {
        Cause::Core => Ahead::default(),
        _ if plan.reads() => row.ahead,
        _ => fifo.and(row.ahead),
    };
    // A request is decided as soon as it has a tag and buffer space, independent of its path.
    let holds = |row: &&Row| !plan.reads() || row.by.place == Place::Card;
    let rows = table.rows.iter().filter(holds).map(|row| Row { ahead: ahead(row), ..row.clone() });
    let decisions = Table { rows: rows.collect() };
    let (span, _) = decisions.span((bytes as f64 - of.piece).max(0.0), 0);
    table.add(Row::of_loop(bytes as f64, span + latency, Place::Card, Cause::CommandStart(pcie::Bytes(bytes))));
}

/// Adds the loop of commands, each of which waits for the one before.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    if plan.commands > 1 && !plan.flow.operation.is_pio() {
        let command = Command::new(plan, of.loads, table);
        let mut row = Row::of_loop(plan.cut.bytes as f64, command.cycle_fs, command.by.place, command.by.cause);
        row.wait = command.wait;
        row.answered = plan.reads();
        let row = row.among_others(command.among_fs / plan.cut.bytes as f64);
        table.add(row);
        table.rows.retain(|row| !row.within);
    }
}
