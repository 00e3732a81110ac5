//! The changes between two observations of a machine, as text and as JSON.

use crate::machine::verdict::{costs, finding_value};
use pcie::Rate;
use probe::Address;
use probe::diff::{Diff, Moved};
use probe::finding::{Finding, Severity};
use serde_json::{Value, json};
use std::fmt::Write;

/// The changes as text, with sentences folded to `width` columns.
pub fn show(diff: &Diff, width: usize) -> String {
    let mut text = String::new();
    let list = |text: &mut String, sign: &str, all: &[(Address, String)]| {
        for (at, title) in all {
            let _ = writeln!(text, "{sign} {at}  {title}");
        }
    };
    list(&mut text, "gone ", &diff.gone);
    list(&mut text, "new  ", &diff.new);
    for (from, to, title) in &diff.moved {
        let _ = writeln!(text, "moved {from} -> {to}  {title}");
    }
    for change in &diff.changes {
        let rate = change.per_s.zip(diff.seconds).map_or(String::new(), |(per_s, seconds)| rate(per_s, seconds));
        let _ = writeln!(text, "{}  {}: {} -> {}{rate}", change.at, change.field, change.before, change.after);
    }
    if !diff.limits.is_empty() {
        let _ = writeln!(text, "\n{:<38}{:>10}{:>10}{:>10}   MB/s", "limits", "before", "after", "change");
    }
    diff.limits.iter().for_each(|moved| text += &moved_line(moved));
    for (head, findings) in [("\nno longer", &diff.mended), ("\nnew", &diff.found)] {
        let told: Vec<&Finding> = findings.iter().filter(|f| f.severity != Severity::Question).collect();
        if !told.is_empty() {
            let _ = writeln!(text, "{head}");
        }
        told.into_iter().for_each(|finding| text += &finding_line(finding, width));
    }
    if text.is_empty() {
        "nothing changed that bears on bandwidth\n".to_string()
    } else {
        text.trim_start().to_string()
    }
}

/// How often errors come, as in ` in 60.0 s: 4.0 a second`; rare ones by the hour.
fn rate(per_s: f64, seconds: f64) -> String {
    let often = if per_s < 0.1 { format!("{:.1} an hour", per_s * 3600.0) } else { format!("{per_s:.1} a second") };
    format!(" in {seconds:.1} s: {often}")
}

fn moved_line(moved: &Moved) -> String {
    let mb = |rate: Option<Rate>| rate.map_or("-".to_string(), |rate| format!("{:.0}", rate.as_mb_per_s()));
    let change = match (moved.before, moved.after) {
        (Some(before), Some(after)) => format!("{:+.0}", after.as_mb_per_s() - before.as_mb_per_s()),
        _ => String::new(),
    };
    let (before, after) = (mb(moved.before), mb(moved.after));
    format!("  {:<36}{before:>10}{after:>10}{change:>10}   {}: {}\n", moved.of, moved.way, moved.by)
}

fn finding_line(finding: &Finding, width: usize) -> String {
    let cost = finding.cost.as_ref().map_or(String::new(), |cost| format!(" ({})", costs(cost)));
    let line = crate::layout::hanging(&format!("{}{cost}  [{}]", finding.what, finding.kind), 11, width);
    format!("  {:<8} {line}", finding.severity.word())
}

/// The changes as JSON.
pub fn value(diff: &Diff) -> Value {
    let devices = |all: &[(Address, String)]| {
        all.iter().map(|(at, name)| json!({ "at": at.to_string(), "name": name })).collect::<Vec<_>>()
    };
    let moved = diff
        .moved
        .iter()
        .map(|(from, to, name)| json!({ "from": from.to_string(), "to": to.to_string(), "name": name }));
    let changes = diff.changes.iter();
    let changes =
        changes.map(|c| {
            json!({ "at": c.at.to_string(), "field": c.field, "before": c.before, "after": c.after, "errors_per_s": c.per_s })
        });
    let mb = |rate: Option<Rate>| rate.map(|rate| (rate.as_mb_per_s() * 1000.0).round() / 1000.0);
    let limits = diff.limits.iter().map(|moved| {
        json!({
            "of": moved.of,
            "way": moved.way,
            "before_mb_per_s": mb(moved.before),
            "after_mb_per_s": mb(moved.after),
            "set_by": moved.by,
        })
    });
    json!({
        "seconds": diff.seconds,
        "gone": devices(&diff.gone),
        "new": devices(&diff.new),
        "moved": moved.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
        "limits": limits.collect::<Vec<_>>(),
        "findings_mended": diff.mended.iter().map(finding_value).collect::<Vec<_>>(),
        "findings_new": diff.found.iter().map(finding_value).collect::<Vec<_>>(),
    })
}
