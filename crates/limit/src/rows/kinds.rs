//! Rows of what the kinds of the parts at both ends bring beside their engines.

use super::{Subject, memory::LAST};
use crate::place::Place;
use crate::resource::NeedTarget;
use crate::table::{Row, Table};

/// Adds them. What a part brings is one resource for all flows of it, of which each needs the slowest.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    for (there, server) in &plan.servers {
        let place = if *there && !plan.flow.operation.is_pio() { Place::Target } else { Place::Card };
        let fs_per_byte = 1e15 / server.rate.0;
        let row = Row::server(fs_per_byte, place, server.cause);
        let slowest = plan.slowest_server(*there).is_some_and(|slowest| std::ptr::eq(slowest, server));
        let target = if *there { NeedTarget::TargetKind } else { NeedTarget::OwnKind };
        let need = slowest.then(|| of.need(target, LAST, fs_per_byte));
        table.add(Row { need, ..row });
    }
}
