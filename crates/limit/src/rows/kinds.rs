//! Rows that the kinds of the parts at both ends declare.

use super::memory::LAST;
use super::queues::mixed;
use super::subject::Subject;
use crate::place::Place;
use crate::resource::{KindRow, MIXED, NeedTarget};
use crate::table::{Row, Table};
use system::kind;

/// Adds the rows of both kinds; those that a flow has for itself are numbered over both.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let mut alone = FIRST_ALONE..MIXED;
    for (there, declared) in &plan.declared {
        let place = if *there && !plan.flow.operation.is_pio() { Place::Target } else { Place::Card };
        let row = row(declared, place);
        // A read brings payload to the part that makes it, a write to its target.
        table.add(match KindRow::of(declared.shared, plan.reads() != *there) {
            Some(which) => {
                let target = if *there { NeedTarget::TargetKind(which) } else { NeedTarget::OwnKind(which) };
                let need = of.need(target, LAST, row.fs_per_byte());
                row.shared(need)
            }
            None => match alone.next() {
                Some(number) => mixed(of, number, row),
                None => row,
            },
        });
    }
}

/// What mixed flows share of their queues has the numbers before.
const FIRST_ALONE: usize = 4;

fn row(declared: &kind::Row, place: Place) -> Row {
    let mean = declared.mean.unwrap_or(declared.rate);
    let row = Row::server(1e15 / mean.0, place, declared.cause);
    if declared.mean.is_some() { row.at_least(1e15 / declared.rate.0) } else { row }
}
