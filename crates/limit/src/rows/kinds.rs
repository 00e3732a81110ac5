//! Rows that the kinds of the parts at both ends declare.

use super::memory::LAST;
use super::queues::mixed;
use super::subject::Subject;
use crate::place::Place;
use crate::resource::{KindRow, MIXED, NeedTarget};
use crate::table::{Row, Table};
use system::kind;

/// Adds the rows of both kinds.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    add_end(table, of, false);
    add_end(table, of, true);
}

fn add_end(table: &mut Table, of: &Subject<'_, '_>, there: bool) {
    let plan = of.plan;
    let place = if there && !plan.flow.operation.is_pio() { Place::Target } else { Place::Card };
    let mut alone = 0;
    for declared in plan.declared.iter().filter(|(at, _)| *at == there).map(|(_, declared)| declared) {
        let row = row(declared, place);
        match KindRow::of(declared.shared, plan.reads()) {
            Some(which) => {
                let target = if there { NeedTarget::TargetKind(which) } else { NeedTarget::OwnKind(which) };
                let need = of.need(target, LAST, row.fs_per_byte());
                table.add(row.shared(need));
            }
            None => {
                table.add(if FIRST_ALONE + alone < MIXED { mixed(of, FIRST_ALONE + alone, row) } else { row });
                alone += 1;
            }
        }
    }
}

/// What mixed flows share of their queues has the numbers before.
const FIRST_ALONE: usize = 3;

fn row(declared: &kind::Row, place: Place) -> Row {
    let mean = declared.mean.unwrap_or(declared.rate);
    let row = Row::server(1e15 / mean.0, place, declared.cause);
    if declared.mean.is_some() { row.at_least(1e15 / declared.rate.0) } else { row }
}
