//! The row of pages: the first piece of a page waits for its descriptor after the last piece of the page before has
//! left.

use super::{Subject, fs};
use crate::place::Place;
use crate::table::{Holds, Row, Table};
use crate::tlps::Tlp;
use system::Cause;

/// Adds the row of pages. `table` already has the rows that delay the pieces of a page; each piece leaves as `tlp`.
pub fn add(table: &mut Table, of: &Subject<'_, '_>, tlp: &Tlp) {
    let plan = of.plan;
    let (wait, pages) = (fs(plan.card.descriptor_wait), plan.cut.pages);
    let hop = if plan.reads() { plan.requests.first() } else { plan.data.first() };
    let Some(hop) = hop.filter(|_| wait > 0.0 && pages > 1.0) else { return };
    let bytes = plan.cut.bytes as f64 / pages;
    let (span, _) = table.span((bytes - of.piece).max(0.0), 0);
    let left = hop.tlp_time(tlp);
    // Pieces that wait for whole rounds of another loop that end within a page wait for that page's descriptor too.
    let rounds = (1..=ROUNDS).map(f64::from);
    let other = |row: &Row| match row.holds {
        Holds::Loop { bytes: held, round_fs } => rounds
            .clone()
            .filter(|n| n * held % bytes > 0.5)
            .map(|n| (n * round_fs + left + wait) / (n * held / bytes).ceil())
            .fold(0.0, f64::max),
        Holds::Server { .. } => 0.0,
    };
    let between = if plan.reads() { table.rows.iter().map(other).fold(0.0, f64::max) } else { 0.0 };
    let round = (span + left + wait).max(between);
    let row = Row::of_loop(bytes, round, Place::Card, Cause::Descriptors(plan.card.descriptor_wait));
    table.add(Row { within: plan.commands > 1, ..row });
}

/// Number of rounds of another loop that are considered.
const ROUNDS: u32 = 8;
