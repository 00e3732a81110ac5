//! `lanescope diff BEFORE AFTER`.

use crate::args::Diff;
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use crate::{csv, input};
use pcie::Rate;
use probe::describe::built::{Difference, differences};
use probe::diff::{Diff as Changes, Side, diff};
use probe::finding::Finding;
use probe::report::Report;
use probe::{Machine, Tree};
use std::path::Path;
use system::Description;
use view::machine::built::value as value_of;
use view::machine::diff::{show, value};

/// Prints the changes between two observations of a machine.
///
/// # Errors
/// A file that does not contain a machine.
pub fn run(asked: &Diff, screen: &Screen) -> Result<End, Failure> {
    csv::check(&asked.table)?;
    if input::is_standard(&asked.before) && input::is_standard(&asked.after) {
        return Err(Complaint::new("standard input is one machine, and was asked for twice", "- and a file").into());
    }
    let describes = |path: &Path| path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
    match (describes(&asked.before), describes(&asked.after)) {
        (true, false) => return built(asked, &asked.before, &asked.after, screen),
        (false, true) => return built(asked, &asked.after, &asked.before, screen),
        (true, true) => {
            let right = "a description and what `lspci -vvv` prints of the machine that was built, or a capture of it";
            return Err(Complaint::new("both are descriptions", right).into());
        }
        (false, false) => {}
    }
    let (before, after) = (open(&asked.before, screen)?, open(&asked.after, screen)?);
    let side = |(machine, report)| Side { machine, report };
    let diff = diff(side((&before.0, &before.1)), side((&after.0, &after.1)));
    if asked.json {
        screen.print(&view::json::pretty(&value(&diff)))?;
    } else {
        csv::give(&asked.table, || rows(&diff), || show(&diff, screen.prose()), screen)?;
    }
    Ok(End::Done)
}

/// Prints how a machine differs from its description.
fn built(asked: &Diff, described: &Path, found: &Path, screen: &Screen) -> Result<End, Failure> {
    let system = Description::load(described)?.system()?;
    let (machine, report) = open(found, screen)?;
    let tree = Tree::of(&machine);
    let differences = differences(&system, &machine, &tree, &report);
    let is_new = |one: &&Difference| one.field == "link" && one.described.is_none();
    if differences.iter().filter(is_new).count() == report.model.system.links.len() {
        let what = format!("no part of {} is named as those of this machine", described.display());
        let right = "names by role and address, as `lanescope describe` writes them: `gpu_01_00_0`, `host.p00_01_1`";
        return Err(Complaint::new(what, right).into());
    }
    if asked.json {
        screen.print(&view::json::pretty(&value_of(&differences)))?;
        return Ok(End::Done);
    }
    let rows = || {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let cost = |one: &Difference| view::csv::number(one.cost.as_ref().map(|cost| cost.lost().as_mb_per_s()));
        let row = |one: &Difference| {
            [one.what.clone(), one.field.to_string(), text(&one.described), text(&one.found), cost(one)]
        };
        view::csv::text(&["what", "field", "described", "found", "costs_mb_per_s"], differences.iter().map(row))
    };
    csv::give(&asked.table, rows, || view::machine::built::show(&differences, screen.prose()), screen)?;
    Ok(End::Done)
}

/// The changes as CSV: one line for each changed device, field, limit (in MB/s) or finding.
fn rows(diff: &Changes) -> String {
    let row = |what: &str, of: String, field: &str, before: String, after: String| {
        [what.to_string(), of, field.to_string(), before, after]
    };
    let rate = |rate: Option<Rate>| view::csv::number(rate.map(Rate::as_mb_per_s));
    let gone = diff.gone.iter().map(|(at, title)| row("gone", at.to_string(), "", title.clone(), String::new()));
    let new = diff.new.iter().map(|(at, title)| row("new", at.to_string(), "", String::new(), title.clone()));
    let moved =
        diff.moved.iter().map(|(from, to, title)| row("moved", title.clone(), "", from.to_string(), to.to_string()));
    let changes =
        diff.changes.iter().map(|c| row("field", c.at.to_string(), &c.field, c.before.clone(), c.after.clone()));
    let limits = diff.limits.iter().map(|l| row("limit, MB/s", l.of.clone(), l.way, rate(l.before), rate(l.after)));
    let about = |finding: &Finding| finding.at.first().map_or_else(String::new, ToString::to_string);
    let mended = diff.mended.iter().map(|f| row("finding", about(f), f.kind, f.what.clone(), String::new()));
    let found = diff.found.iter().map(|f| row("finding", about(f), f.kind, String::new(), f.what.clone()));
    let all = gone.chain(new).chain(moved).chain(changes).chain(limits).chain(mended).chain(found);
    view::csv::text(&["what", "of", "field", "before", "after"], all)
}

fn open(path: &Path, screen: &Screen) -> Result<(Machine, Report), Failure> {
    let machine = input::machine(path, screen)?;
    let report = Report::of(&machine, &Tree::of(&machine), false);
    Ok((machine, report))
}
