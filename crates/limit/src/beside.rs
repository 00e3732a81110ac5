//! What the commands of a drive put on links besides their payload.

use crate::plan::Plan;
use crate::tlps::Tlp;
use pcie::tlp::HEADER_3DW_BYTES;
use system::kinds::queues::{Beside, Queues};

/// The TLPs of a block of `plan` besides its payload on a direction, each with how many there are: with `up`, those that
/// the drive sends.
pub fn tlps(plan: &Plan<'_>, up: bool) -> Vec<(Tlp, f64)> {
    let Some(queued) = &plan.queued else { return Vec::new() };
    let Queues { written, fetched, stored, .. } = &queued.queues;
    let of = |all: &[Beside], tlp: &dyn Fn(u64) -> Tlp| -> Vec<(Tlp, f64)> {
        all.iter().map(|beside| (tlp(beside.bytes), beside.each)).collect()
    };
    let mut all = match up {
        true => of(written, &|bytes| plan.status_tlp(bytes)),
        false => of(stored, &|bytes| Tlp::new(plan.doorbell.1.shape.header_bytes(), bytes)),
    };
    all.extend(match up {
        true => of(fetched, &|_| plan.request),
        // Completions carry at least as much as one can.
        false => of(fetched, &|bytes| Tlp::new(HEADER_3DW_BYTES, bytes)),
    });
    all
}
