//! The command line of `lanescope`, which shows where the bandwidth of a PCI Express system goes. It is a library, so
//! that another program can be lanescope with its own kinds of part ([`main`]).
//!
//! This crate parses arguments and prints tables and files. Results come from `limit`, `sim` and `lab`.

mod answer;
mod args;
mod calibrated;
mod commands;
mod complete;
mod csv;
mod exit;
mod exit_code;
mod file;
mod fitted;
mod help;
mod input;
mod interrupt;
mod output;
mod pictures;
mod points_table;
mod progress;
mod running;
mod screen;
mod shell;
mod theory;
mod tracing;
mod validation;
mod verdict;

use clap::{CommandFactory, FromArgMatches};
use clap_complete::CompleteEnv;
use std::process::ExitCode;

const _: () = assert!(!pcie::HAS_PLANTED, "a program is built without errors planted for tests");

/// Runs the program, with the kinds of part that other crates define (see `docs/extending.md`).
pub fn main(kinds: &[sim::parts::Registration]) -> ExitCode {
    let mut screen = screen::Screen::of_this_process();
    let all: Vec<sim::parts::Registration> = storage::KINDS.iter().chain(kinds).copied().collect();
    if let Err(error) = sim::parts::register(&all) {
        let right = "mend what the kinds of this program declare of themselves";
        return exit_code::code(Err(exit::Complaint::new(error.to_string(), right).into()), &screen);
    }
    // A shell's request for completions is answered here, and the process ends.
    CompleteEnv::with_factory(args::Arguments::command).var(commands::COMPLETE_VARIABLE).complete();
    let command = args::Arguments::command().term_width(screen.prose());
    let mut command = help::folded(command, screen.prose());
    let read = command.try_get_matches_from_mut(std::env::args_os());
    let read = read
        .and_then(|matches| args::Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command)));
    let arguments = match read {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => error.exit(),
        // `--help` and `--version`.
        Err(asked) => return exit_code::code(print_help(&asked, &screen), &screen),
    };
    screen.unit = arguments.unit;
    exit_code::code(commands::run(&arguments.command, &screen), &screen)
}

/// Prints the answer to `--help` or `--version`.
fn print_help(asked: &clap::Error, screen: &screen::Screen) -> Result<exit::End, exit::Failure> {
    let text = asked.render();
    screen.print(&if screen.colour { text.ansi().to_string() } else { text.to_string() })?;
    Ok(exit::End::Done)
}
