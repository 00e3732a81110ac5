//! Outcomes of loopbacks, each of which ran as its two halves.

use crate::run::outcome::Outcome;
use system::loopback::Halves;

/// The outcome in the order of the flows whose halves ran: of a loopback, what its writing half did.
pub(crate) fn whole(outcome: Outcome, halves: &Halves) -> Outcome {
    if halves.last.len() == outcome.flows.len() {
        return outcome;
    }
    let flows = halves.last.iter().filter_map(|&half| outcome.flows.get(half).cloned()).collect();
    Outcome { flows, ..outcome }
}
