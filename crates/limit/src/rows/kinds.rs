//! Rows of the servers that the kinds of the parts at both ends add to their engines.

use super::memory::LAST;
use super::subject::Subject;
use crate::place::Place;
use crate::resource::NeedTarget;
use crate::table::{Row, Table};

/// Adds the rows of both kinds. The servers of a part are one resource for its flows of one way; each flow needs the slowest
/// of them.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    for (there, server) in &plan.servers {
        let place = if *there && !plan.flow.operation.is_pio() { Place::Target } else { Place::Card };
        let fs_per_byte = 1e15 / server.rate.0;
        let row = Row::server(fs_per_byte, place, server.cause);
        let slowest = plan.slowest_server(*there).is_some_and(|slowest| std::ptr::eq(slowest, server));
        let other = plan.is_other_way[usize::from(*there)];
        let target = if *there { NeedTarget::TargetKind(other) } else { NeedTarget::OwnKind(other) };
        let need = slowest.then(|| of.need(target, LAST, fs_per_byte));
        table.add(Row { need, ..row });
    }
}
