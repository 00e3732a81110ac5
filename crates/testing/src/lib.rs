//! What tests of several crates share: tools and folders that a machine may lack, and skips that are counted.
//!
//! A test that lacks what it needs says so and returns. The test runner (`tools/test.py`) names a file in
//! `LANESCOPE_SKIPS`; each skip is a line there, so that the last line of `make test` counts it.
//!
//! What it is not: a place for fixtures of one crate. Those stand beside that crate's tests. [`machine`] makes machines for
//! the tests of several.
//!
//! | word | meaning |
//! |---|---|
//! | tool | a program that is looked for on PATH (`tshark`, `lspci`, `qemu-system-x86_64`) |
//! | skip | a test that was not run, because a tool or a folder is missing |

#![allow(clippy::panic, reason = "tests use it: what cannot be is a failure")]

pub mod described;
pub mod machine;
mod python;
mod skip;

pub use python::python;
pub use skip::skip;

use std::env;
use std::path::PathBuf;

/// The program of that name on PATH; where there is none, the test `test` is skipped: one line says so.
///
/// ```
/// let Some(shell) = lanescope_testing::tool("this_example", "sh") else { return };
/// assert!(shell.is_file());
/// ```
pub fn tool(test: &str, name: &str) -> Option<PathBuf> {
    let found = on_path(name);
    if found.is_none() {
        skip(test, &format!("`{name}` is not installed (`make test-deps` installs it)"));
    }
    found
}

/// The folder that the environment variable names; where it is unset or no folder, the test is skipped.
pub fn folder(test: &str, variable: &str) -> Option<PathBuf> {
    let found = env::var_os(variable).map(PathBuf::from).filter(|path| path.is_dir());
    if found.is_none() {
        skip(test, &format!("{variable} names no folder"));
    }
    found
}

/// The first file of that name in the folders of PATH.
fn on_path(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_tool_that_exists_found_and_one_that_does_not_reported() {
        assert!(tool("here", "sh").is_some());
        assert!(on_path("no-program-has-this-name").is_none());
    }
}
