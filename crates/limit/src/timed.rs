//! Commands that are given one by one: what they take besides the path of their read.

use crate::burst::{Burst, Starts};
use crate::plan::Plan;
use system::kinds::card::WriteDone;

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// From giving a command to the first symbol of its first request.
pub fn before_fs(plan: &Plan<'_>) -> f64 {
    let card = &plan.card;
    let (handover, tx) = (fs(card.handover_latency), fs(card.tx_latency));
    if !plan.flow.timed.writes_first() {
        return handover + tx;
    }
    let first = fs(card.write_handover(plan.cut.bytes));
    let (decided, left) = written(plan);
    let done = match card.write_done {
        WriteDone::HandedOver => decided,
        WriteDone::Sent => tx + left,
    };
    // The request follows the TLPs of the write on the link, and memory has served them before it reads.
    let told = first + (done + fs(card.write_done_latency) + handover + tx).max(tx + left);
    let asked = plan.requests.first().map_or(0.0, |hop| hop.tlp_time(&plan.request));
    told.max(first + tx + left + last_service(plan) - asked)
}

/// What memory takes after the last symbol of a write whose TLPs come as fast as the link carries them.
fn last_service(plan: &Plan<'_>) -> f64 {
    let Some(hop) = plan.requests.first() else { return 0.0 };
    let (mut free, mut at) = (0.0, 0.0);
    for &bytes in &plan.written {
        at += hop.tlp_time(&plan.write_tlp(bytes));
        free = f64::max(free, at) + plan.memory_fs(0, bytes);
    }
    free - at
}

/// From the decision of a write's first TLP to that of its last, and from its first symbol to its last.
fn written(plan: &Plan<'_>) -> (f64, f64) {
    let (mut at, mut last, mut left) = (0.0, 0.0, 0.0);
    let mut burst = Burst::new(&plan.requests[..plan.requests.len().min(1)], Starts::Anywhere);
    for &bytes in &plan.written {
        (_, left) = burst.send(at, &plan.write_tlp(bytes));
        last = at;
        at += fs(plan.card.core_time(bytes));
    }
    (last, left)
}

/// From the last byte of a read to the logic that gave it.
pub fn after_fs(plan: &Plan<'_>) -> f64 {
    fs(plan.card.read_done(plan.cut.bytes))
}
