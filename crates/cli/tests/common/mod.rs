//! Runs the program as somebody would.

#![allow(dead_code, reason = "each test file uses what it needs")]

use std::path::PathBuf;
use std::process::{Command, Output};

/// The program with some arguments, in a folder of its own tests' data.
pub fn lanescope(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// The same, not yet started.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
    command.args(arguments).current_dir(data()).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// Files that tests read.
pub fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// A folder of this test's own, empty.
pub fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What came out, for a run that must end well.
pub fn stdout(arguments: &[&str]) -> String {
    let output = lanescope(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What came out of an inspection: a machine with an error ends with 1.
pub fn inspected(arguments: &[&str]) -> String {
    let output = lanescope(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)) && complaint.is_empty(), "{arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// Code and complaint of a run that must not end well, on a terminal that is wide enough for every sentence.
pub fn complaint(arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(arguments).env("COLUMNS", "1000").output().unwrap();
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// `text` with every number (signs and points included) as `#`, and runs of blanks as one.
pub fn without_digits(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let sign = matches!(c, '+' | '-') && characters.peek().is_some_and(char::is_ascii_digit);
        if c.is_ascii_digit() || sign {
            while characters.peek().is_some_and(|next| next.is_ascii_digit() || *next == '.') {
                characters.next();
            }
            out.push('#');
        } else if !(c == ' ' && out.ends_with(' ')) {
            out.push(c);
        }
    }
    out
}
