//! `lanescope`, with copy engines.

use std::process::ExitCode;

fn main() -> ExitCode {
    lanescope_cli::main(&[copy_engine::COPY_ENGINE])
}
