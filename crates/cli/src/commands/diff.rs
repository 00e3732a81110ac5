//! `lanescope diff BEFORE AFTER`.

use crate::args::Diff;
use crate::exit::{Complaint, End, Failure};
use crate::input;
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
    if input::is_standard(&asked.before) && input::is_standard(&asked.after) {
        return Err(Complaint::new("standard input is one machine, and was asked for twice", "- and a file").into());
    }
    let (before, after) = (open(&asked.before, screen)?, open(&asked.after, screen)?);
    let side = |(machine, report)| Side { machine, report };
    let diff = diff(side((&before.0, &before.1)), side((&after.0, &after.1)));
    if asked.json {
        screen.print(&lab::json::pretty(&value(&diff)))?;
    } else {
        screen.tell(&show(&diff, screen.prose()))?;
    }
    Ok(End::Done)
}

fn open(path: &Path, screen: &Screen) -> Result<(Machine, Report), Failure> {
    let machine = input::machine(path, screen)?;
    let report = Report::of(&machine, &Tree::of(&machine), false);
    Ok((machine, report))
}
