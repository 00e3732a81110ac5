//! Address Translation Services: the round trip of a Translation Request, and what commands wait for it.

use crate::path::flight_fs;
use crate::plan::{Plan, Translations};
use crate::tlps::Tlp;
use pcie::tlp::HEADER_3DW_BYTES;

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// Bytes of a translation.
const TRANSLATION_BYTES: u64 = 8;

/// From the decision for a Translation Request to the time when the engine knows the translation.
pub fn round_fs(plan: &Plan<'_>, translations: &Translations) -> f64 {
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
