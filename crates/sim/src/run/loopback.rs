//! The outcome of loopbacks, which run as two flows each.

use crate::run::outcome::Outcome;
use system::loopback::Halves;

/// The outcome by flow of the description. A loopback has the outcome of its writing half.
pub(crate) fn whole(outcome: Outcome, halves: &Halves) -> Outcome {
    if halves.last.len() == outcome.flows.len() {
        return outcome;
    }
    let flows = halves.last.iter().filter_map(|&half| outcome.flows.get(half).cloned()).collect();
    Outcome { flows, ..outcome }
}
