//! Answers for programs: `--json`, `--csv FILE`, `--csv -`.

use crate::args::{Csv, Files, Forms};
use crate::exit::{Complaint, Failure};
use crate::file;
use crate::screen::Screen;
use serde_json::Value;
use std::path::Path;

/// True where the table goes to standard output, in place of what people read.
pub fn is_told(asked: &Csv) -> bool {
    asked.csv.as_deref() == Some(Path::new("-"))
}

/// Says early that the file could not be written.
///
/// # Errors
/// A folder that does not exist.
pub fn check(asked: &Csv) -> Result<(), Failure> {
    match &asked.csv {
        Some(path) if !is_told(asked) => file::check(path),
        _ => Ok(()),
    }
}

/// Writes or prints the table where it was asked for; then tells people the rest, unless the table took its place.
///
/// # Errors
/// A file that cannot be written, a reader that went away.
pub fn give(
    asked: &Csv,
    csv: impl FnOnce() -> String,
    people: impl FnOnce() -> String,
    screen: &Screen,
) -> Result<(), Failure> {
    match &asked.csv {
        Some(_) if is_told(asked) => return screen.print(&csv()),
        Some(path) => file::write(path, csv())?,
        None => {}
    }
    screen.tell(&people())
}

/// Says early that a file could not be written, or that two forms would mix on standard output.
///
/// # Errors
/// Either of these.
pub fn check_all(files: &Files, table: &Csv) -> Result<(), Failure> {
    if let Some(Some(path)) = &files.json {
        file::check(path)?;
    }
    if matches!(files.json, Some(None)) && is_told(table) {
        let right = "`--json=FILE` or `--csv FILE` for one of them";
        return Err(Complaint::new("`--json` and `--csv -` would mix on standard output", right).into());
    }
    check(table)
}

/// An answer of a command that takes `--json`, `--json=FILE` and `--csv FILE`: files first, so that a reader who goes away
/// does not keep them from being written.
///
/// # Errors
/// As [`give`].
pub fn tell(
    (files, table): (&Files, &Csv),
    json: impl Fn() -> String,
    csv: impl Fn() -> String,
    people: impl FnOnce() -> String,
    screen: &Screen,
) -> Result<(), Failure> {
    if let Some(Some(path)) = &files.json {
        file::write(path, json())?;
    }
    if !matches!(files.json, Some(None)) {
        return give(table, csv, people, screen);
    }
    if let Some(path) = &table.csv {
        file::write(path, csv())?;
    }
    screen.print(&json())
}

/// An answer in the form that was asked for.
///
/// # Errors
/// As [`give`].
pub fn answer(
    asked: &Forms,
    json: impl FnOnce() -> Value,
    csv: impl FnOnce() -> String,
    people: impl FnOnce() -> String,
    screen: &Screen,
) -> Result<(), Failure> {
    if asked.json { screen.print(&view::json::pretty(&json())) } else { give(&asked.table, csv, people, screen) }
}
