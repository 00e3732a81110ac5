//! The row of pages: the first piece of a page waits for its descriptor after the last piece of the page before has
//! left.

use super::subject::{Subject, fs};
use crate::place::Place;
use crate::plan::Plan;
use crate::table::{Ahead, Holds, Row, Table};
use system::Cause;

/// Adds the row of pages. `table` already has the rows that delay the pieces of a page.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let (wait, pages) = (fs(plan.card.descriptor_wait), plan.cut.pages);
    let hop = if plan.reads() { plan.requests.first() } else { plan.data.first() };
    let Some(hop) = hop.filter(|_| wait > 0.0 && pages > 1.0) else { return };
    let bytes = plan.cut.bytes as f64 / pages;
    let last = last_of_page(plan);
    let smallest = plan.cut.sizes.last().map_or(0, |&(size, _)| size);
    let leaves = if plan.reads() { plan.request } else { plan.data_tlp(last.unwrap_or(smallest)) };
    let piece = last.map_or(of.piece, |last| last as f64);
    let before_last = match (of.loads.first(), last) {
        (Some(load), Some(_)) if !plan.reads() => load.before_last(bytes, leaves),
        _ => (bytes - piece).max(0.0),
    };
    let (span, slowest) = table.span(before_last, 0);
    let left = hop.tlp_time(&leaves);
    // A page's first piece waits, while the pieces before it take whole rounds of another loop. What the loop does not
    // hold of these pages follows at the pace of its places.
    let rounds = (1..=ROUNDS).map(f64::from);
    let other = |row: &Row| match row.holds {
        Holds::Loop { bytes: held, round_fs } if row.ahead == Ahead::default() => rounds
            .clone()
            .map(|n| {
                let pages = (n * held / bytes + 1e-9).floor() + 1.0;
                let rest = (pages * bytes - n * held - piece).max(0.0);
                (n * round_fs + left + wait + rest * row.returns) / pages
            })
            .fold(0.0, f64::max),
        _ => 0.0,
    };
    let between = if plan.reads() { table.rows.iter().map(other).fold(0.0, f64::max) } else { 0.0 };
    let round = (span + left + wait).max(between);
    let own = Row::of_loop(bytes, round, Place::Card, Cause::Descriptors(plan.card.descriptor_wait));
    // A server that takes the larger part of the round gives the name.
    let server = slowest.filter(|row| matches!(row.holds, Holds::Server { .. }) && span + left > round - span - left);
    let by = server.map_or(own.by, |row| row.by);
    table.add(Row { by, within: plan.commands > 1, ..own });
}

/// The length of the last piece of a page, where all pages have the same.
fn last_of_page(plan: &Plan<'_>) -> Option<u64> {
    let pieces = || plan.pieces.iter().map(|(piece, _)| piece);
    let next = pieces().skip(1).chain(pieces().take(1));
    let mut last = pieces().zip(next).filter(|(_, next)| next.opens_page).map(|(piece, _)| piece.bytes);
    last.next().filter(|&first| last.all(|other| other == first))
}

/// Number of rounds of another loop that are considered.
const ROUNDS: u32 = 8;
