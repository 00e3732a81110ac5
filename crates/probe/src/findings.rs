//! What is wrong with a machine, or worth knowing: each with its evidence, what it costs, and what to do.
//!
//! A finding is a difference between what was observed and what training and firmware would have settled; its cost is
//! the limit with that one thing mended, less the limit as it is. One file a kind, all of them in [`ALL`]. What a dump
//! cannot show is asked about ([`Severity::Question`]).
//!
//! What no file here may do: speak of what is as it should be. A device that could do more than its slot is said once;
//! empty ports, links inside chips, tunnels and emulated ports are passed over.

pub(crate) mod acs;
mod aer;
mod ask;
mod board;
mod controller;
mod gone;
mod idle;
mod inside;
mod iommu;
mod mps;
mod mrrs;
mod nic;
mod numa;
mod peers;
mod relaxed;
mod silent;
mod slot;
mod speed;
mod target;
mod tunnel;
mod uplink;
mod width;

use crate::finding::{Finding, Severity};
use crate::view::View;
use std::cmp::Reverse;

/// One kind of finding.
type Check = fn(&View<'_>) -> Vec<Finding>;

/// All of them.
const ALL: [Check; 21] = [
    width::find,
    speed::find,
    target::find,
    mps::find,
    mrrs::find,
    uplink::find,
    acs::find,
    numa::find,
    aer::find,
    silent::find,
    controller::find,
    nic::find,
    iommu::find,
    relaxed::find,
    peers::find,
    inside::find,
    board::find,
    slot::find,
    tunnel::find,
    idle::find,
    ask::find,
];

/// All findings of a machine: errors and warnings by what they cost, then notes, then questions.
pub fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut all: Vec<Finding> = ALL.iter().flat_map(|check| check(view)).collect();
    // What an error costs that has no figure may be all of it.
    let unknown = |finding: &Finding| if finding.severity == Severity::Error { f64::INFINITY } else { 0.0 };
    let lost = |finding: &Finding| finding.cost.as_ref().map_or(unknown(finding), |cost| cost.lost().0);
    let class = |finding: &Finding| finding.severity.max(Severity::Warning);
    all.sort_by(|a, b| {
        let costly = lost(b).total_cmp(&lost(a));
        let rest = || (a.severity, &a.at, a.kind).cmp(&(b.severity, &b.at, b.kind));
        class(a).cmp(&class(b)).then(costly).then_with(rest)
    });
    all
}

/// Errors first.
pub fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max_by_key(|&severity| Reverse(severity))
}
