//! `lanescope completions SHELL`.

use crate::args::Completions;
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use clap_complete::env::Shells;

/// The environment variable with which a shell's script requests completions from the program.
pub const VARIABLE: &str = "LANESCOPE_COMPLETE";

/// Prints the completion script of one shell.
///
/// # Errors
/// A closed output.
pub fn run(asked: &Completions, screen: &Screen) -> Result<End, Failure> {
    let shell = asked.shell.to_string();
    let shells = Shells::builtins();
    let unknown = || Complaint::new(format!("there are no completions for {shell}"), "one of those that --help names");
    let completer = shells.completer(&shell).ok_or_else(unknown)?;
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = completer.write_registration(VARIABLE, "lanescope", "lanescope", "lanescope", &mut text);
    screen.print(&String::from_utf8_lossy(&text))?;
    Ok(End::Done)
}
