//! The row of Address Translation Services: so many Translation Requests may be in flight, each for a page.

use super::subject::{Subject, fs};
use crate::path::flight_fs;
use crate::place::Place;
use crate::plan::{Plan, Translations};
use crate::table::{Row, Table};
use crate::tlps::Tlp;
use pcie::tlp::HEADER_3DW_BYTES;
use system::Cause;

/// Bytes of a translation.
const TRANSLATION_BYTES: u64 = 8;

/// Adds the row of Translation Requests.
pub fn add(table: &mut Table, of: &Subject<'_, '_>) {
    let plan = of.plan;
    let Some(translations) = plan.translations.as_ref().filter(|all| all.per_byte > 0.0) else { return };
    let bytes = plan.card.translation_requests.0 as f64 / translations.per_byte;
    let row = Row::of_loop(bytes, round_fs(plan, translations), Place::Card, Cause::Translations);
    // A command's first pages come at once, after a round that is counted before the command.
    table.add(Row { grain: (bytes - of.payload).max(0.0), ..row });
}

/// From the decision for a Translation Request to the time when the engine knows the translation.
fn round_fs(plan: &Plan<'_>, translations: &Translations) -> f64 {
    let host = &plan.host;
    let asked = fs(plan.card.tx_latency) + flight_fs(&translations.requests, &plan.request);
    let answered = flight_fs(&translations.answers, &Tlp::new(HEADER_3DW_BYTES, TRANSLATION_BYTES));
    let walked = translations.walked * fs(plan.flow.walk_time(host)) + fs(host.line_lookup);
    asked + walked + fs(host.translation_latency) + answered + fs(plan.card.rx_latency)
}

/// What a command that begins after the end of the one before waits for its translation, on average.
pub fn first_fs(plan: &Plan<'_>) -> f64 {
    let share = |all: &Translations| (all.per_byte * plan.flow.command.0 as f64).min(1.0);
    plan.translations.as_ref().map_or(0.0, |all| share(all) * round_fs(plan, all))
}
