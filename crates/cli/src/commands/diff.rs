//! `lanescope diff BEFORE AFTER`.

use crate::args::Diff;
use crate::exit::{End, Failure};
use crate::screen::Screen;
use probe::diff::{Side, diff, show, value};
use probe::report::Report;
use probe::{Machine, Tree};
use std::path::Path;

/// Prints what changed between two views of a machine.
///
/// # Errors
/// A file that is no machine.
pub fn run(asked: &Diff, screen: &Screen) -> Result<End, Failure> {
    let (before, after) = (open(&asked.before)?, open(&asked.after)?);
    let side = |(machine, report)| Side { machine, report };
    let diff = diff(side((&before.0, &before.1)), side((&after.0, &after.1)));
    if asked.json {
        screen.print(&lab::json::pretty(&value(&diff)))?;
    } else {
        screen.tell(&show(&diff, screen.prose()))?;
    }
    Ok(End::Done)
}

fn open(path: &Path) -> Result<(Machine, Report), Failure> {
    let machine = probe::read(path)?;
    let report = Report::of(&machine, &Tree::of(&machine), false);
    Ok((machine, report))
}
