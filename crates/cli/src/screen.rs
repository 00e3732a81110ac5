//! The terminal, or what stands in for it.

use crate::exit::Failure;
use console::Style;
use lab::Unit;
use std::io::{IsTerminal, Write};

/// What the two output streams can show.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Colours on standard output.
    pub colour: bool,
    /// Colours on standard error.
    pub error_colour: bool,
    /// Somebody watches standard error.
    pub watched: bool,
    /// Columns: nothing that is printed for people is wider, but for a word that is.
    pub width: usize,
    /// What all rates are told in, where somebody asks for it.
    pub unit: Option<Unit>,
}

/// Columns where nobody says how many there are: of a pipe or a file.
const STATED_WIDTH: usize = 120;
/// Fewer columns than this are not folded for.
const LEAST_WIDTH: usize = 40;
/// Sentences are folded at this where the terminal is wider: longer lines are hard to read.
const PROSE_WIDTH: usize = 110;

impl Screen {
    /// Colours only on a terminal, and never where `NO_COLOR` is set or the terminal is dumb.
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
    /// Columns at which sentences are folded.
    pub fn prose(&self) -> usize {
        self.width.min(PROSE_WIDTH)
    }
    /// Writes what people read to standard output, folded to the screen.
    ///
    /// # Errors
    /// [`Failure::ReaderGone`] where nobody reads any more.
    pub fn tell(&self, text: &str) -> Result<(), Failure> {
        self.print(&view::layout::fit(text, self.width))
    }
    /// Writes what programs read (JSON, CSV, Markdown) to standard output, byte for byte.
    ///
    /// # Errors
    /// [`Failure::ReaderGone`] where nobody reads any more.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|_| Failure::ReaderGone)
    }
    /// Writes to standard error, folded to the screen.
    pub fn complain(&self, text: &str) {
        self.complain_as_is(&view::layout::fit(text, self.width));
    }
    /// Writes to standard error, byte for byte; where that is gone too, there is nothing to be done.
    pub fn complain_as_is(&self, text: &str) {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
    /// `text` in a style, where colours are shown.
    pub fn style(&self, text: &str, style: Style) -> String {
        style.force_styling(self.colour).apply_to(text).to_string()
    }
    /// A heading or the figure that counts.
    pub fn strong(&self, text: &str) -> String {
        self.style(text, Style::new().bold())
    }
    /// What stands beside it.
    pub fn faint(&self, text: &str) -> String {
        self.style(text, Style::new().dim())
    }
    /// Something that is wrong.
    pub fn bad(&self, text: &str) -> String {
        self.style(text, Style::new().red().bold())
    }
    /// Something that holds.
    pub fn good(&self, text: &str) -> String {
        self.style(text, Style::new().green())
    }
}
