//! The row of Address Translation Services: so many Translation Requests may be in flight, each for a page.

use super::subject::Subject;
use crate::place::Place;
use crate::table::{Row, Table};
use crate::translated::round_fs;
use system::Cause;

/// Adds the row of Translation Requests.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let Some(translations) = plan.translations.as_ref().filter(|all| all.per_byte > 0.0) else { return };
    let bytes = plan.card.translation_requests.0 as f64 / translations.per_byte;
    let row = Row::of_loop(bytes, round_fs(plan, translations), Place::Card, Cause::Translations);
    // A command's first pages come at once, after a round that is counted before the command.
    table.add(Row { grain: (bytes - of.payload).max(0.0), ..row });
}
