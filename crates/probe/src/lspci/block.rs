//! One function's part of a text, with its lines put together again.

use crate::lspci::head::{Form, Head};
use crate::lspci::hex::HexLine;
use crate::lspci::line::Line;
use crate::lspci::shape::BEHIND;

/// One capability as printed: everything behind `Capabilities:`, lines joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where it begins.
    pub line: usize,
    /// `[100 v1] Advanced Error Reporting`, and then its registers.
    pub text: String,
}

/// Everything that belongs to one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line of its head.
    pub line: usize,
    /// Address and names.
    pub head: Head,
    /// What stands before the capabilities, and behind them.
    pub lines: Vec<Line>,
    /// The capabilities.
    pub capabilities: Vec<Told>,
    /// The capabilities were there and hidden.
    pub hidden: bool,
    /// The bytes.
    pub hex: Vec<HexLine>,
}

impl Block {
    /// Of a head, with nothing below it.
    pub fn new(line: usize, head: Head) -> Block {
        Block { line, head, lines: Vec::new(), capabilities: Vec::new(), hidden: false, hex: Vec::new() }
    }
    /// One physical line of text; `own` where it cannot be the rest of a wrapped one.
    pub fn add(&mut self, line: usize, text: &str, own: bool) {
        if self.head.form == Form::Record {
            self.lines.push(Line { line, text: text.to_string() });
        } else if let Some(rest) = text.strip_prefix("Capabilities:") {
            self.capability(line, rest.trim());
        } else if is_behind(text) {
            self.lines.push(Line { line, text: text.to_string() });
        } else if self.goes_on_behind() {
            self.continue_last(text);
        } else if let Some(capability) = self.capabilities.last_mut() {
            capability.text.push(' ');
            capability.text.push_str(text);
        } else if own {
            self.lines.push(Line { line, text: text.to_string() });
        } else {
            self.continue_last(text);
        }
    }
    fn capability(&mut self, line: usize, text: &str) {
        if text.starts_with("<access denied>") {
            self.hidden = true;
        } else {
            self.capabilities.push(Told { line, text: text.to_string() });
        }
    }
    /// Nothing but a head so far.
    pub fn is_bare(&self) -> bool {
        self.lines.is_empty() && self.capabilities.is_empty()
    }
    /// The lines behind the capabilities have begun: nothing but more of them follows.
    pub fn is_over(&self) -> bool {
        self.lines.last().is_some_and(|last| is_behind(&last.text))
    }
    /// The last line is a list of modules that was wrapped; a driver's name is one word.
    pub fn goes_on_behind(&self) -> bool {
        self.is_over() && self.lines.last().is_some_and(|last| last.text.ends_with(','))
    }
    /// The rest of a wrapped line, be it the head itself.
    fn continue_last(&mut self, text: &str) {
        match self.lines.last_mut() {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            None => self.head.go_on(text),
        }
    }
}

fn is_behind(text: &str) -> bool {
    BEHIND.iter().any(|label| text.starts_with(label))
}
