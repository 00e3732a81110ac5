//! Exit codes, and the output of failures.

use crate::exit::{End, Failure};
use crate::screen::Screen;
use std::process::ExitCode;

/// The exit code of the process: 0 done, 1 a bound broken or an error found, 2 bad input, 130 interrupted.
pub fn code(result: Result<End, Failure>, screen: &Screen) -> ExitCode {
    match result {
        Ok(End::Done) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Ok(End::BoundBroken | End::ErrorFound) => ExitCode::from(1),
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(Failure::Input(error)) => {
            screen.complain_as_is(&ask::report(&*error, screen.width, screen.error_colour));
            ExitCode::from(2)
        }
        // A check of the simulation itself failed. This counts as a broken bound, whatever the input was.
        Err(Failure::Internal(error)) => {
            screen.complain(&ask::report(&*error, screen.width, screen.error_colour));
            ExitCode::from(1)
        }
    }
}
