//! `lanescope completions SHELL`.

use crate::args::{Arguments, Completions};
use crate::exit::{End, Failure};
use crate::screen::Screen;
use clap::CommandFactory;

/// Prints the script of one shell.
///
/// # Errors
/// A reader that went away.
pub fn run(asked: &Completions, screen: &Screen) -> Result<End, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(asked.shell, &mut Arguments::command(), "lanescope", &mut text);
    screen.print(&String::from_utf8_lossy(&text))?;
    Ok(End::Done)
}
