//! `lanescope`, with frame grabbers.

use std::process::ExitCode;

fn main() -> ExitCode {
    lanescope_cli::main(&[frame_grabber::FRAME_GRABBER])
}
