//! Output for programs: `--json`, `--csv FILE`, `--csv -`.

use crate::args::{Csv, Files, Forms};
use crate::exit::{Complaint, Failure};
use crate::file;
use crate::screen::Screen;
use serde_json::Value;
use std::path::Path;

/// True where the table is printed to standard output instead of the text for people.
pub fn is_told(asked: &Csv) -> bool {
    asked.csv.as_deref() == Some(Path::new("-"))
}

/// Checks early whether the file can be written.
///
/// # Errors
/// A folder that does not exist.
pub fn check(asked: &Csv) -> Result<(), Failure> {
    match &asked.csv {
        Some(path) if !is_told(asked) => file::check(path),
        _ => Ok(()),
    }
}

/// Writes or prints the table where it was requested. The text for people is printed too, unless the table replaces it.
///
/// # Errors
/// A file that cannot be written; a closed output.
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

/// Checks early whether the files can be written, and that only one form is printed to standard output.
///
/// # Errors
/// One of these checks fails.
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

/// Outputs the result of a command that accepts `--json`, `--json=FILE` and `--csv FILE`. Files are written first, so
/// that a closed output does not prevent this.
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

/// Outputs a result in the requested form.
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
