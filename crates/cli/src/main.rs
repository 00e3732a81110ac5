//! `lanescope` with its own kinds of part.

use std::process::ExitCode;

fn main() -> ExitCode {
    lanescope_cli::main(&[])
}
