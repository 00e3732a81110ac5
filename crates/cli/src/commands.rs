//! One file a command.

mod completions;
mod kinds;
mod limit;
mod link;
mod parts;
mod run;
mod show;
mod systems;
mod validate;

use crate::args::Command;
use crate::exit::{End, Failure};
use crate::screen::Screen;

/// Does what was asked.
///
/// # Errors
/// Bad input, or a reader that went away.
pub fn run(command: &Command, screen: &Screen) -> Result<End, Failure> {
    match command {
        Command::Kinds(asked) => kinds::run(asked, screen),
        Command::Completions(asked) => completions::run(asked, screen),
        Command::Show(asked) => show::run(asked, screen),
        Command::Limit(asked) => limit::run(asked, screen),
        Command::Run(asked) => run::run(asked, screen),
        Command::Validate(asked) => validate::run(asked, screen),
        Command::Systems => systems::run(screen),
        Command::Parts => parts::run(screen),
    }
}
