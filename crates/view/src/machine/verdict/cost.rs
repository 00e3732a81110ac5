//! What a finding costs, in words.

use pcie::Rate;
use probe::finding::{Cost, Severity};

/// In whole MB/s.
pub(crate) fn mb(rate: Rate) -> String {
    format!("{:.0}", rate.as_mb_per_s())
}

/// What a finding costs; a note tells what could be had, and a question what a no would cost. Where something else is in the
/// way too, nothing is lost now.
pub(crate) fn priced(severity: Severity, cost: &Cost) -> (&'static str, String) {
    match severity {
        _ if !cost.is_felt() => ("costs", "nothing now: something else holds it to the same".to_string()),
        Severity::Error | Severity::Warning => ("costs", costs(cost)),
        Severity::Note => ("gain", costs(cost).replacen(" of ", " now, ", 1)),
        Severity::Question => ("if not", format!("it costs {}", costs(cost))),
    }
}

/// `3300 MB/s: 3400 of 6700 to memory, SSD 03:00.0`.
pub fn costs(cost: &Cost) -> String {
    let (lost, now, mended) = (mb(cost.lost()), mb(cost.now), mb(cost.mended));
    format!("{lost} MB/s: {now} of {mended} {}, {}", cost.way.words(), cost.of)
}
