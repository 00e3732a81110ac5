//! Runs the program as a user would.

#![allow(dead_code, reason = "each test file uses what it needs")]

use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs the program with some arguments, in the folder of the tests' data.
pub fn lanescope(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// The same command, not yet started.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
    command.args(arguments).current_dir(data()).env_remove("NO_COLOR").env_remove("COLUMNS");
    command
}

/// The folder of files that tests read.
pub fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// An empty folder for one test.
pub fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The standard output of a run that must succeed.
pub fn stdout(arguments: &[&str]) -> String {
    let output = lanescope(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The standard output of an inspection, which may end with 1 where the machine has an error.
pub fn inspected(arguments: &[&str]) -> String {
    let output = lanescope(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1)) && complaint.is_empty(), "{arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// Exit code and error message of a run that must fail, on a terminal wide enough for all sentences.
pub fn complaint(arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(arguments).env("COLUMNS", "1000").output().unwrap();
    assert!(output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// `text` with each number (with its sign and point) as `#`, and several blanks as one.
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
