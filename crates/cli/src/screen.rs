//! The terminal, or what stands in for it.

use crate::exit::Failure;
use console::Style;
use probe::verdict::WIDTH;
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
    /// Columns at which sentences about a real machine are folded: those of the terminal, within what reads well.
    pub width: usize,
}

/// Fewer columns than this are not folded for.
const LEAST_WIDTH: usize = 60;

impl Screen {
    /// Colours only on a terminal, and never where `NO_COLOR` is set or the terminal is dumb.
    pub fn of_this_process() -> Screen {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = !set("NO_COLOR") && !dumb;
        let (out, err) = (std::io::stdout().is_terminal(), std::io::stderr().is_terminal());
        let columns = console::Term::stdout().size_checked().filter(|_| out).map(|(_, columns)| usize::from(columns));
        let width = columns.map_or(WIDTH, |columns| columns.clamp(LEAST_WIDTH, WIDTH));
        Screen { colour: wanted && out, error_colour: wanted && err, watched: err && !dumb, width }
    }
    /// Writes to standard output.
    ///
    /// # Errors
    /// [`Failure::ReaderGone`] where nobody reads any more.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|_| Failure::ReaderGone)
    }
    /// Writes to standard error; where that is gone too, there is nothing to be done.
    pub fn complain(&self, text: &str) {
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
