//! The part of a text that belongs to one function, with wrapped lines joined.

use crate::lspci::head::{Form, Head};
use crate::lspci::hex::HexLine;
use crate::lspci::line::Line;
use crate::lspci::shape::BEHIND;

/// Registers of the PCI Express capability, by which a capability without its title is known.
const EXPRESS: [&str; 6] = ["DevCap:", "DevCtl:", "LnkCap:", "LnkSta:", "LnkCtl:", "LnkCap2:"];

/// One capability as printed: everything after `Capabilities:`, lines joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The line where it begins.
    pub line: usize,
    /// The text: `[100 v1] Advanced Error Reporting`, then its registers.
    pub text: String,
}

/// Everything that belongs to one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line of its head.
    pub line: usize,
    /// Address and names.
    pub head: Head,
    /// The lines before the capabilities, and those after them.
    pub lines: Vec<Line>,
    /// The capabilities.
    pub capabilities: Vec<Told>,
    /// True if the capabilities exist but were hidden.
    pub hidden: bool,
    /// The lines of the hex dump.
    pub hex: Vec<HexLine>,
}

impl Block {
    /// A block with a head only.
    pub fn new(line: usize, head: Head) -> Block {
        Block { line, head, lines: Vec::new(), capabilities: Vec::new(), hidden: false, hex: Vec::new() }
    }
    /// Adds one physical line of text. `own`: it cannot be the rest of a wrapped line.
    pub fn add(&mut self, line: usize, text: &str, own: bool) {
        if self.head.form == Form::Record {
            self.lines.push(Line { line, text: text.to_string() });
        } else if let Some(rest) = text.strip_prefix("Capabilities:") {
            self.capability(line, rest.trim());
        } else if self.capabilities.is_empty() && Block::is_express(text) {
            // Somebody kept these lines and left their title out.
            self.capabilities.push(Told { line, text: format!("Express {text}") });
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
    /// True for a register of the PCI Express capability.
    pub fn is_express(text: &str) -> bool {
        EXPRESS.iter().any(|label| text.starts_with(label))
    }
    /// True if there is only a head so far.
    pub fn is_bare(&self) -> bool {
        self.lines.is_empty() && self.capabilities.is_empty()
    }
    /// True if the lines after the capabilities have begun: only further ones of them may follow.
    pub fn is_over(&self) -> bool {
        self.lines.last().is_some_and(|last| is_behind(&last.text))
    }
    /// True if the last line is a wrapped list of modules; the name of a driver is one word and is not wrapped.
    pub fn goes_on_behind(&self) -> bool {
        self.is_over() && self.lines.last().is_some_and(|last| last.text.ends_with(','))
    }
    /// Appends the rest of a wrapped line to the last line, or to the head.
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
