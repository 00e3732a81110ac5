//! `lanescope`, with the kinds of part that are its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    lanescope_cli::main(&[])
}
