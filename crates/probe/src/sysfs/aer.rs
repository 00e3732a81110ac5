//! AER counters: `aer_dev_correctable` and similar files, each a list of names and counts.

use crate::os::AerCounters;
use crate::sysfs::files::{Files, text};
use std::collections::BTreeMap;

/// The counters of a function; `None` if the kernel has none for it.
pub fn read(files: &dyn Files, function: &str) -> Option<AerCounters> {
    let counts = |name: &str| text(files, &format!("{function}/{name}")).map(|text| parse(&text));
    let root = ["cor", "nonfatal", "fatal"].iter().filter_map(|kind| {
        let name = format!("aer_rootport_total_err_{kind}");
        let count = text(files, &format!("{function}/{name}"))?.parse().ok()?;
        Some((format!("TOTAL_ERR_{}", kind.to_uppercase()), count))
    });
    let counters = AerCounters {
        correctable: counts("aer_dev_correctable").unwrap_or_default(),
        nonfatal: counts("aer_dev_nonfatal").unwrap_or_default(),
        fatal: counts("aer_dev_fatal").unwrap_or_default(),
        root: root.collect(),
    };
    (counters != AerCounters::default()).then_some(counters)
}

/// The counts by name. Each line has a name, which may contain blanks, and a count.
fn parse(text: &str) -> BTreeMap<String, u64> {
    let pair = |line: &str| {
        let (name, count) = line.trim().rsplit_once(char::is_whitespace)?;
        Some((name.trim().to_string(), count.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}
