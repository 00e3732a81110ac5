//! Exit codes, and the output of failures.

use crate::exit::{End, Failure};
use crate::screen::Screen;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use std::process::ExitCode;
use textwrap::WordSplitter;

/// The exit code of the process: 0 done, 1 a bound broken or an error found, 2 bad input, 130 interrupted.
pub fn code(result: Result<End, Failure>, screen: &Screen) -> ExitCode {
    match result {
        Ok(End::Done) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Ok(End::BoundBroken | End::ErrorFound) => ExitCode::from(1),
        Ok(End::Interrupted) => ExitCode::from(130),
        Err(Failure::Input(error)) => {
            screen.complain_as_is(&render(&*error, screen));
            ExitCode::from(2)
        }
        // A check of the simulation itself failed. This counts as a broken bound, whatever the input was.
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
    let handler =
        handler.with_width(screen.width).with_break_words(false).with_word_splitter(WordSplitter::NoHyphenation);
    match handler.render_report(&mut text, error) {
        Ok(()) => text,
        Err(_) => format!("{error}\n"),
    }
}
