//! The findings of a machine: what is wrong or worth knowing, with evidence, cost and advice.
//!
//! A finding is a difference between what was observed and what training and firmware would have settled. Its cost is the
//! limit with only this finding corrected, minus the limit as it is. Each kind has its own file; `ALL` lists them. What a
//! dump cannot show becomes a question ([`Severity::Question`]).
//!
//! No file here reports what is as it should be. A device that could do more than its slot is reported once. Empty ports,
//! links inside chips, tunnels and emulated ports are skipped.

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
mod one_end;
mod peers;
mod relaxed;
mod silent;
mod slot;
mod speed;
mod target;
mod told;
mod tunnel;
mod uplink;
mod width;

use crate::finding::{Finding, Severity};
use crate::view::View;
use std::cmp::Reverse;

/// A check of a machine.
struct Check {
    /// The kinds of finding that it gives. A row of `docs/findings.md` and a case in `tests/kinds.rs` are demanded for each.
    kinds: &'static [&'static str],
    find: fn(&View<'_>) -> Vec<Finding>,
}

/// All checks.
const ALL: [Check; 23] = [
    Check { kinds: &["width"], find: width::find },
    Check { kinds: &["speed"], find: speed::find },
    Check { kinds: &["target-speed"], find: target::find },
    Check { kinds: &["mps", "mps-held", "mps-mismatch"], find: mps::find },
    Check { kinds: &["mrrs"], find: mrrs::find },
    Check { kinds: &["shared-uplink", "chipset-uplink", "ask-uplink"], find: uplink::find },
    Check { kinds: &["acs-redirect"], find: acs::find },
    Check { kinds: &["numa-unknown", "numa-apart"], find: numa::find },
    Check { kinds: &["aer"], find: aer::find },
    Check { kinds: &["log-limited", "log-aer", "smi-link"], find: told::find },
    Check { kinds: &["silent"], find: silent::find },
    Check { kinds: &["controller"], find: controller::find },
    Check { kinds: &["nic-ports"], find: nic::find },
    Check { kinds: &["iommu-strict"], find: iommu::find },
    Check { kinds: &["relaxed-ordering"], find: relaxed::find },
    Check { kinds: &["slower-than-drives"], find: peers::find },
    Check { kinds: &["inside-card"], find: inside::find },
    Check { kinds: &["board-default"], find: board::find },
    Check { kinds: &["slot-limited"], find: slot::find },
    Check { kinds: &["tunnel"], find: tunnel::find },
    Check { kinds: &["idle"], find: idle::find },
    Check { kinds: &["one-end"], find: one_end::find },
    Check { kinds: &["ask-node", "ask-load"], find: ask::find },
];

/// The kinds of all findings that there are.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|check| check.kinds.iter().copied())
}

/// All findings of a machine: errors and warnings by cost, then notes, then questions.
pub fn findings(view: &View<'_>) -> Vec<Finding> {
    let mut all: Vec<Finding> = ALL.iter().flat_map(|check| (check.find)(view)).collect();
    // The cost of an error without a figure may be the whole rate, so such errors come first.
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

/// The highest severity of the findings.
pub fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(|finding| finding.severity).max_by_key(|&severity| Reverse(severity))
}
