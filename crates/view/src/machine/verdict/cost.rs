//! The cost of a finding in words.

use pcie::Rate;
use probe::finding::{Cost, Severity};

/// A rate in whole MB/s.
pub(crate) fn mb(rate: Rate) -> String {
    format!("{:.0}", rate.as_mb_per_s())
}

/// The cost of a finding. A note gives the possible gain; a question gives the cost if the answer is no. Where another
/// limit holds the same rate, nothing is lost now.
pub(crate) fn priced(severity: Severity, cost: &Cost) -> (&'static str, String) {
    match severity {
        _ if !cost.is_felt() => ("costs", "nothing now: something else holds it to the same".to_string()),
        Severity::Error | Severity::Warning => ("costs", costs(cost)),
        Severity::Note => ("gain", costs(cost).replacen(" of ", " now, ", 1)),
        Severity::Question => ("if not", format!("it costs {}", costs(cost))),
    }
}

/// Costs as text, for example `3300 MB/s: 3400 of 6700 to memory, SSD 03:00.0`.
pub fn costs(cost: &Cost) -> String {
    let (lost, now, mended) = (mb(cost.lost()), mb(cost.now), mb(cost.mended));
    format!("{lost} MB/s: {now} of {mended} {}, {}", cost.way.words(), cost.of)
}
