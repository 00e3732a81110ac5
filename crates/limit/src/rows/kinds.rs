//! Rows of the servers that the kinds of the parts at both ends add to their engines.

use super::memory::LAST;
use super::subject::Subject;
use crate::place::Place;
use crate::resource::{KindServer, NeedTarget};
use crate::table::{Row, Table};

/// Adds the rows of both kinds. Flows of a part that go one way share its servers, each at its place.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    add_end(table, of, false);
    add_end(table, of, true);
}

fn add_end(table: &mut Table, of: &Subject<'_, '_>, there: bool) {
    let plan = of.plan;
    let place = if there && !plan.flow.operation.is_pio() { Place::Target } else { Place::Card };
    let other_way = plan.is_other_way[usize::from(there)];
    let servers = plan.servers.iter().filter(|(at, _)| *at == there).map(|(_, server)| server);
    for (number, server) in servers.enumerate() {
        let fs_per_byte = 1e15 / server.rate.0;
        let which = KindServer { place: number, other_way };
        let target = if there { NeedTarget::TargetKind(which) } else { NeedTarget::OwnKind(which) };
        let need = (number < KindServer::SHARED).then(|| of.need(target, LAST, fs_per_byte));
        table.add(Row { need, ..Row::server(fs_per_byte, place, server.cause) });
    }
}
