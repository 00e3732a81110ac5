//! `lanescope`: where the bandwidth of a PCI Express system goes.
//!
//! What it is not: it holds no logic. Arguments come in, tables and files go out; answers come from `limit`, `sim`
//! and `lab`.

mod answer;
mod args;
mod axes;
mod commands;
mod exit;
mod file;
mod fitted;
mod interrupt;
mod output;
mod points_table;
mod progress;
mod screen;
mod theory;
mod tracing;
mod validation;
mod verdict;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = args::Arguments::parse();
    let screen = screen::Screen::of_this_process();
    exit::code(commands::run(&arguments.command, &screen), &screen)
}
