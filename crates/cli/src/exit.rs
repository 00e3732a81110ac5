//! Exit codes, and how a failure is told.

use crate::screen::Screen;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything asked for is there.
    Done,
    /// A stated bound is broken.
    BoundBroken,
    /// Something on a machine is wrong.
    ErrorFound,
    /// Ctrl-C; what was finished by then is there.
    Interrupted,
}

/// Why a command did not end.
#[derive(Debug)]
pub enum Failure {
    /// Whoever read the output went away: nobody is left to tell.
    ReaderGone,
    /// Input that is wrong, or a file that cannot be written.
    Input(Box<dyn Diagnostic + Send + Sync>),
    /// This program contradicts itself.
    Internal(Box<dyn Diagnostic + Send + Sync>),
}

/// The diagnostic code of errors of this program itself.
const INTERNAL: &str = "internal";

impl<E: Diagnostic + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Failure {
        let internal = error.code().is_some_and(|code| code.to_string() == INTERNAL);
        if internal { Failure::Internal(Box::new(error)) } else { Failure::Input(Box::new(error)) }
    }
}

/// A complaint of the command line itself.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
#[diagnostic(help("{right}"))]
pub struct Complaint {
    what: String,
    right: String,
}

impl Complaint {
    /// What is wrong, and what would be right.
    pub fn new(what: impl Into<String>, right: impl Into<String>) -> Complaint {
        Complaint { what: what.into(), right: right.into() }
    }
}

/// The code of this process: 0 done, 1 a bound broken or an error found, 2 bad input, 130 interrupted.
pub fn code(result: Result<End, Failure>, screen: &Screen) -> ExitCode {
    match result {
        Ok(End::Done) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Ok(End::BoundBroken | End::ErrorFound) => ExitCode::from(1),
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(Failure::Input(error)) => {
            screen.complain_as_is(&render(&*error, screen));
            ExitCode::from(2)
        }
        // What the simulation says of itself does not hold: a bound that is broken, whatever the input was.
        Err(Failure::Internal(error)) => {
            screen.complain(&render(&*error, screen));
            ExitCode::from(1)
        }
    }
}

fn render(error: &(dyn Diagnostic + Send + Sync + 'static), screen: &Screen) -> String {
    let theme = if screen.error_colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    let handler = handler.with_width(screen.width).with_break_words(false);
    match handler.render_report(&mut text, error) {
        Ok(()) => text,
        Err(_) => format!("{error}\n"),
    }
}
