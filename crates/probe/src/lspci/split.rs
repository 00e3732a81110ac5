//! Splits a text into functions, one block each, whatever is before, between and after them.

use crate::lspci::block::Block;
use crate::lspci::head::{Form, Head};
use crate::lspci::hex::HexLine;
use crate::lspci::quote::unquote;
use crate::lspci::shape;
use crate::remark::{Place, Remark};
use std::iter::Map;

/// Beginnings of messages that programs print on the same terminal.
const CHATTER: [&str; 3] = ["pcilib:", "lspci:", "setpci:"];

/// The blocks of a text. Lines outside of them become remarks.
pub fn split(text: &str, remarks: &mut Vec<Remark>) -> Vec<Block> {
    let mut lines = text.lines().map(Line::of as Look<'_>);
    let (blocks, wrapped) = (Vec::new(), !lines.clone().any(Line::is_long_head));
    let mut splitter = Splitter { blocks, remarks, wrapped, above: None, after_blank: false, outside: None };
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        splitter.line(number, line, &lines);
    }
    splitter.end_outside();
    splitter.blocks
}

/// How a text line becomes a [`Line`].
type Look<'t> = fn(&'t str) -> Line<'t>;
/// The lines still to come.
type Lines<'t> = Map<std::str::Lines<'t>, Look<'t>>;

/// One line of the input.
#[derive(Clone, Copy)]
struct Line<'t> {
    /// The number of quote marks that mail has put before it.
    quoted: usize,
    /// The line without quote marks.
    raw: &'t str,
    /// The line without quote marks, and without blanks around it.
    text: &'t str,
}

impl Line<'_> {
    fn of(line: &str) -> Line<'_> {
        let (quoted, raw) = unquote(line);
        Line { quoted, raw, text: raw.trim() }
    }
    fn is_indented(self) -> bool {
        self.raw.starts_with(char::is_whitespace)
    }
    /// True for a head so long that mail would have wrapped it.
    fn is_long_head(self) -> bool {
        self.text.len() > shape::MOST_COLUMNS && Head::read(self.text).is_some_and(|head| head.is_sure())
    }
}

/// A run of lines that belong to no function.
struct Outside {
    /// Its first line.
    line: usize,
    /// The number of its lines.
    count: usize,
    /// True if it was written between the lines of a function, which may continue after it.
    inline: bool,
}

struct Splitter<'a, 't> {
    blocks: Vec<Block>,
    remarks: &'a mut Vec<Remark>,
    /// True if heads may have been wrapped: there is no head that is longer than mail allows.
    wrapped: bool,
    /// The last line that belongs to a function.
    above: Option<Line<'t>>,
    after_blank: bool,
    outside: Option<Outside>,
}

impl<'t> Splitter<'_, 't> {
    fn line(&mut self, number: usize, line: Line<'t>, next: &Lines<'t>) {
        if line.text.is_empty() {
            self.blank();
            return;
        }
        let blank_before = std::mem::take(&mut self.after_blank);
        // Bytes first: they are most of the lines of a long dump.
        if let Some((block, hex)) =
            self.blocks.last_mut().and_then(|block| Some((block, HexLine::read(number, line.text)?)))
        {
            block.hex.push(hex);
        } else if let Some(head) = Head::read(line.text).filter(|head| is_head(head, next)) {
            self.end_outside();
            self.blocks.push(Block::new(number, head));
            self.above = Some(line);
        } else if CHATTER.iter().any(|program| line.text.starts_with(program)) {
            self.remarks.push(Remark { place: Place::Line(number), what: line.text.to_string() });
        } else if !self.belongs(number, line, blank_before) {
            self.count_outside(number, line, blank_before);
        }
    }
    fn blank(&mut self) {
        self.after_blank = true;
        let answered = self.above.is_some_and(|above| above.quoted > 0);
        if let Some(outside) = self.outside.as_mut().filter(|_| !answered) {
            outside.inline = false;
        }
    }
    /// Adds the line to the function above it. False if there is none, or if the line is prose.
    fn belongs(&mut self, number: usize, line: Line<'t>, blank_before: bool) -> bool {
        let (Some(block), Some(above)) = (self.blocks.last_mut(), self.above) else { return false };
        let (like, same) = (shape::is_lspci(line.text), line.quoted == above.quoted);
        let after_prose = self.outside.as_ref().is_some_and(|outside| outside.inline && like && same);
        // After other text, the registers of a link may be those of another function.
        let is_lost = block.capabilities.is_empty() && Block::is_express(line.text);
        if self.outside.is_some() && (!after_prose || is_lost) {
            return false;
        }
        let blank_before = blank_before && !after_prose;
        let own = line.is_indented() || shape::is_labelled(line.text);
        let fits = match block.head.form {
            Form::Record => same && !blank_before && line.text.contains(':'),
            _ if block.is_over() => !blank_before && (shape::is_labelled(line.text) || block.goes_on_behind()),
            _ if blank_before => like && same && (own || line.text.starts_with("Capabilities:")),
            _ if !same => like,
            _ if own || like => true,
            _ if block.is_bare() && block.head.is_open() => true,
            _ => (self.wrapped || !block.is_bare()) && shape::is_wrapped(above.raw, line.text),
        };
        if fits {
            block.add(number, line.text, own);
            self.end_outside();
            self.above = Some(Line { quoted: above.quoted, ..line });
        }
        fits
    }
    fn count_outside(&mut self, number: usize, line: Line<'_>, blank_before: bool) {
        let answers = self.above.is_some_and(|above| line.quoted < above.quoted);
        match &mut self.outside {
            Some(outside) => outside.count += 1,
            // Comment lines of a file are skipped without a remark.
            None if line.text.starts_with('#') => {}
            None => self.outside = Some(Outside { line: number, count: 1, inline: answers || !blank_before }),
        }
    }
    fn end_outside(&mut self) {
        if let Some(Outside { line, count, .. }) = self.outside.take() {
            let lines =
                if count == 1 { "a line that belongs".to_string() } else { format!("{count} lines that belong") };
            self.remarks.push(Remark { place: Place::Line(line), what: format!("{lines} to no function") });
        }
    }
}

/// True for a head, false for a sentence that begins with an address. The class of a head is known, or lines of a function follow.
fn is_head(head: &Head, next: &Lines<'_>) -> bool {
    /// The number of lines that are examined: the first may be the rest of a wrapped head.
    const LOOKED_AT: usize = 2;
    if head.is_sure() {
        return true;
    }
    let mut next = next.clone().filter(|line| !line.text.is_empty());
    let Some(first) = next.next() else { return head.is_likely() };
    let follows = |line: Line<'_>| {
        let labelled = shape::is_labelled(line.text) || line.text.starts_with("Capabilities:");
        labelled || line.text.starts_with("!!! ") || HexLine::read(0, line.text).is_some()
    };
    std::iter::once(first).chain(next).take(LOOKED_AT).any(follows)
        || head.is_likely() && Head::read(first.text).is_some_and(|next| next.is_sure() || next.is_likely())
}
