//! Rows of the servers that the kinds of the parts at both ends add to their engines.

use super::memory::LAST;
use super::subject::Subject;
use crate::place::Place;
use crate::resource::{KindServer, NeedTarget};
use crate::table::{Row, Table};
use system::kind::Server;

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
        let row = server_row(server, place);
        let fs_per_byte = row.fs_per_byte();
        let which = KindServer { place: number, other_way };
        let target = if there { NeedTarget::TargetKind(which) } else { NeedTarget::OwnKind(which) };
        let need = (number < KindServer::SHARED).then(|| of.need(target, LAST, fs_per_byte));
        table.add(Row { need, ..row });
    }
}

/// The row of a server at `place`.
pub fn server_row(server: &Server, place: Place) -> Row {
    let mean = server.mean.unwrap_or(server.rate);
    let row = Row::server(1e15 / mean.0, place, server.cause);
    if server.mean.is_some() { row.at_least(1e15 / server.rate.0) } else { row }
}
