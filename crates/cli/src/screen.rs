//! The terminal, or the stream that replaces it.

use crate::exit::{Complaint, Failure, place};
use console::Style;
use lab::Unit;
use std::io::{IsTerminal, Write};

/// The capabilities of the two output streams.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// True for colours on standard output.
    pub colour: bool,
    /// True for colours on standard error.
    pub error_colour: bool,
    /// True where standard error is a terminal.
    pub watched: bool,
    /// Width in columns. Text for people is folded to it; only a single word can be wider.
    pub width: usize,
    /// The unit of all rates, where one was requested.
    pub unit: Option<Unit>,
}

/// Width in columns of a pipe or a file, where none is given.
const STATED_WIDTH: usize = 120;
/// Least width in columns to which text is folded.
const LEAST_WIDTH: usize = 40;
/// Largest width in columns of sentences; longer lines are hard to read.
const PROSE_WIDTH: usize = 110;

/// Writes bytes to standard output.
///
/// # Errors
/// [`Failure::ReaderGone`] where the reader has closed its end; a complaint for every other error, such as a full disk.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Complaint::new(format!("standard output cannot be written: {error}"), place(&error)).into(),
    })
}

impl Screen {
    /// The screen of this process. Colours are used only on a terminal, and not with `NO_COLOR` or on a dumb terminal.
    pub fn of_this_process() -> Screen {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = !set("NO_COLOR") && !dumb;
        let (out, err) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
        let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
        let terminal = || console::Term::stdout().size_checked().filter(|_| out).map(|(_, columns)| columns.into());
        let width = said.filter(|columns| *columns > 0).or_else(terminal).unwrap_or(STATED_WIDTH).max(LEAST_WIDTH);
        Screen { colour: wanted && out, error_colour: wanted && err, watched: err && !dumb, width, unit: None }
    }
    /// The width in columns to which sentences are folded.
    pub fn prose(&self) -> usize {
        self.width.min(PROSE_WIDTH)
    }
    /// Writes text for people to standard output, folded to the screen.
    ///
    /// # Errors
    /// As [`Screen::print`].
    pub fn tell(&self, text: &str) -> Result<(), Failure> {
        self.print(&view::layout::fit(text, self.width))
    }
    /// Writes output for programs (JSON, CSV, Markdown) to standard output, unchanged.
    ///
    /// # Errors
    /// As [`print_bytes`].
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        print_bytes(text.as_bytes())
    }
    /// Writes text to standard error, folded to the screen.
    pub fn complain(&self, text: &str) {
        self.complain_as_is(&view::layout::fit(text, self.width));
    }
    /// Writes text to standard error, unchanged. Errors are ignored.
    pub fn complain_as_is(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
    /// `text` in a style, where colours are used.
    pub fn style(&self, text: &str, style: Style) -> String {
        style.force_styling(self.colour).apply_to(text).to_string()
    }
    /// The style of headings and of the most important figure.
    pub fn strong(&self, text: &str) -> String {
        self.style(text, Style::new().bold())
    }
    /// The style of secondary text.
    pub fn faint(&self, text: &str) -> String {
        self.style(text, Style::new().dim())
    }
    /// The style of errors.
    pub fn bad(&self, text: &str) -> String {
        self.style(text, Style::new().red().bold())
    }
    /// The style of bounds that hold.
    pub fn good(&self, text: &str) -> String {
        self.style(text, Style::new().green())
    }
}
