//! The differences between two views of a machine (before and after), in fields, findings and MB/s.
//!
//! Functions are matched by address. A device that is gone and a new one of the same name count as one device that moved.
//! Values that change on their own (interrupts, names of block devices) are not reported; changed error counters are.

mod field;

use crate::address::Address;
use crate::finding::Finding;
use crate::function::Function;
use crate::machine::Machine;
use crate::report::Report;
use field::{COUNTER, fields};
use pcie::Rate;
use std::collections::BTreeMap;

/// A machine with its report.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// What was observed.
    pub machine: &'a Machine,
    /// Its limits and findings.
    pub report: &'a Report,
}

/// A changed field of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The function.
    pub at: Address,
    /// The name of the field, as tools print it.
    pub field: String,
    /// The value in the first view.
    pub before: String,
    /// The value in the second view.
    pub after: String,
    /// For a counter of errors that grew, where both views say when they were taken: errors a second.
    pub per_s: Option<f64>,
}

/// A changed limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The device or set.
    pub of: String,
    /// The direction of the data.
    pub way: &'static str,
    /// The rate in the first view; `None` if the device or set was not there.
    pub before: Option<Rate>,
    /// The rate in the second view; `None` if the device or set is gone.
    pub after: Option<Rate>,
    /// The bottleneck in the second view; if the limit is gone there, in the first view.
    pub by: String,
}

/// All differences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diff {
    /// Devices that are gone.
    pub gone: Vec<(Address, String)>,
    /// Devices that are new.
    pub new: Vec<(Address, String)>,
    /// Devices at another address: first address, second address, name.
    pub moved: Vec<(Address, Address, String)>,
    /// Fields that changed.
    pub changes: Vec<Change>,
    /// Seconds between the two, where both say when they were taken and no start of the kernel lies between.
    pub seconds: Option<f64>,
    /// Limits that changed.
    pub limits: Vec<Moved>,
    /// Findings of the first view that the second one does not have.
    pub mended: Vec<Finding>,
    /// Findings of the second view that the first one does not have.
    pub found: Vec<Finding>,
}

/// The differences from `before` to `after`.
pub fn diff(before: Side<'_>, after: Side<'_>) -> Diff {
    let mut diff = Diff::default();
    let (mut gone, mut new) = (only(before.machine, after.machine), only(after.machine, before.machine));
    gone.retain(|function| match new.iter().position(|other| other.title() == function.title()) {
        Some(place) => {
            let other = new.remove(place);
            diff.moved.push((function.address, other.address, function.title()));
            false
        }
        None => true,
    });
    let named = |functions: Vec<&Function>| functions.into_iter().map(|f| (f.address, f.title())).collect();
    (diff.gone, diff.new) = (named(gone), named(new));
    diff.seconds = seconds(before.machine, after.machine);
    for (at, function) in &before.machine.functions {
        match after.machine.function(*at) {
            // Its registers are no change of the other's.
            Some(other) if is_another(function, other) => {
                let (before, after) = (function.title(), other.title());
                diff.changes.push(Change { at: *at, field: "device".to_string(), before, after, per_s: None });
            }
            Some(other) => diff.changes.extend(changes(function, other, diff.seconds)),
            None => {}
        }
    }
    diff.limits = limits(before.report, after.report);
    diff.mended = others(&before.report.findings, &after.report.findings);
    diff.found = others(&after.report.findings, &before.report.findings);
    diff
}

/// Seconds from one view to the other, where no start of the kernel lies between: then no counter has become less.
fn seconds(before: &Machine, after: &Machine) -> Option<f64> {
    let seconds = after.uptime? - before.uptime?;
    let is_less = |function: &Function| {
        let same = after.function(function.address).filter(|other| !is_another(function, other));
        let (old, new) = (fields(function), same.map(fields).unwrap_or_default());
        let mut counters = old.iter().filter_map(|(field, count)| counted(field, count, new.get(field)?));
        counters.any(|(before, after)| after < before)
    };
    let same = before.kernel == after.kernel && !before.functions.values().any(is_less);
    (SHORTEST..LONGEST).contains(&seconds).then_some(seconds).filter(|_| same)
}

/// The shortest time, in seconds, that gives errors a rate, and a time for which no kernel has run.
const SHORTEST: f64 = 1.0;
const LONGEST: f64 = 1e9;

/// A counter of errors, before and after; `None` for another field.
fn counted(field: &str, before: &str, after: &str) -> Option<(u64, u64)> {
    let count = |text: &str| text.parse::<u64>().ok().filter(|_| field.starts_with(COUNTER));
    count(before).zip(count(after))
}

/// True for a device that is not the one that was there.
fn is_another(before: &Function, after: &Function) -> bool {
    let ids = |function: &Function| function.header.vendor.zip(function.header.device);
    ids(before).zip(ids(after)).is_some_and(|(before, after)| before != after)
}

/// Functions of `one` that `other` does not have.
fn only<'m>(one: &'m Machine, other: &Machine) -> Vec<&'m Function> {
    one.functions.values().filter(|function| other.function(function.address).is_none()).collect()
}

/// Findings of `one` that `other` does not have.
fn others(one: &[Finding], other: &[Finding]) -> Vec<Finding> {
    let same = |a: &Finding, b: &Finding| a.kind == b.kind && a.at.first() == b.at.first();
    one.iter().filter(|finding| !other.iter().any(|f| same(finding, f))).cloned().collect()
}

/// Fields that both views have, with different values.
fn changes(before: &Function, after: &Function, seconds: Option<f64>) -> Vec<Change> {
    let (old, new) = (fields(before), fields(after));
    let both = old.into_iter().filter_map(|(field, before)| {
        let after = new.get(&field)?.clone();
        Some((field, before, after))
    });
    let at = before.address;
    both.filter(|(_, before, after)| before != after)
        .map(|(field, before, after)| {
            let more = counted(&field, &before, &after).and_then(|(before, after)| after.checked_sub(before));
            let per_s = more.zip(seconds).map(|(more, seconds)| more as f64 / seconds);
            Change { at, field, before, after, per_s }
        })
        .collect()
}

/// Changed limits of devices and sets, matched by name.
fn limits(before: &Report, after: &Report) -> Vec<Moved> {
    let (old, new) = (rates(before), rates(after));
    let names: BTreeMap<&(String, &'static str), ()> = old.keys().chain(new.keys()).map(|key| (key, ())).collect();
    let moved = names.into_keys().map(|key| {
        let (before, after) = (old.get(key), new.get(key));
        let by = after.or(before).map_or(String::new(), |(_, by)| by.clone());
        let rate = |side: Option<&(Rate, String)>| side.map(|(rate, _)| *rate);
        Moved { of: key.0.clone(), way: key.1, before: rate(before), after: rate(after), by }
    });
    moved.filter(|moved| moved.is_told()).collect()
}

impl Moved {
    /// True for a change of more than 0.5 %, the accuracy of `limit`.
    fn is_told(&self) -> bool {
        match (self.before, self.after) {
            (Some(before), Some(after)) => (after.0 - before.0).abs() > 0.005 * before.0.max(after.0),
            _ => true,
        }
    }
}

fn rates(report: &Report) -> BTreeMap<(String, &'static str), (Rate, String)> {
    let devices = report.limits.devices.iter().flat_map(|device| {
        let name = format!("{} {}", device.role, device.at);
        let (to, from) = (&device.to_memory, &device.from_memory);
        [
            ((name.clone(), "to memory"), (to.rate, to.by.to_string())),
            ((name, "from memory"), (from.rate, from.by.to_string())),
        ]
    });
    let sets = report.limits.sets.iter().map(|set| {
        let by = set.shares.iter().map(|(_, limited)| limited.by.to_string()).next().unwrap_or_default();
        ((format!("{} at once", set.name), "to memory"), (set.sum, by))
    });
    devices.chain(sets).collect()
}
