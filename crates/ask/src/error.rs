//! Errors of this crate: its own, and those of the libraries as they are.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use textwrap::WordSplitter;

/// An option that is wrong.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
#[diagnostic(help("{right}"))]
pub struct Complaint {
    what: String,
    right: String,
}

impl Complaint {
    /// A complaint that says what is wrong and what would be right.
    pub fn new(what: impl Into<String>, right: impl Into<String>) -> Complaint {
        Complaint { what: what.into(), right: right.into() }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum Error {
    /// An option.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Option(#[from] Complaint),
    /// An experiment, a description, a row or a simulation.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lab(#[from] lab::Error),
    /// A real machine.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Probe(#[from] probe::Error),
    /// A drive that is measured.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Bench(#[from] bench::Error),
}

impl From<system::Error> for Error {
    fn from(error: system::Error) -> Error {
        Error::Lab(error.into())
    }
}

/// The error as text, with the lines of the file that it is about.
pub fn report(error: &(dyn Diagnostic + Send + Sync + 'static), width: usize, colour: bool) -> String {
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    let handler = handler.with_width(width).with_break_words(false).with_word_splitter(WordSplitter::NoHyphenation);
    match handler.render_report(&mut text, error) {
        Ok(()) => text,
        Err(_) => format!("{error}\n"),
    }
}

/// The file and line that an error is about.
pub fn place(error: &dyn Diagnostic) -> Option<(String, usize)> {
    let source = error.source_code()?;
    let label = error.labels()?.next()?;
    let found = source.read_span(label.inner(), 0, 0).ok()?;
    Some((found.name()?.to_string(), found.line() + 1))
}
