//! A text cut into functions: one block each, with its lines put together again.

use crate::lspci::head::Head;
use crate::lspci::hex::HexLine;
use crate::remark::{Place, Remark};

/// One logical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it begins.
    pub line: usize,
    /// The text, wrapped parts joined.
    pub text: String,
}

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

/// Labels behind the capabilities of a function; everything else there belongs to the last capability.
const BEHIND: [&str; 2] = ["Kernel driver in use:", "Kernel modules:"];

/// Labels before the capabilities, for texts that lost their indentation.
const BEFORE: [&str; 20] = [
    "Subsystem:",
    "DeviceName:",
    "Physical Slot:",
    "Device tree node:",
    "Control:",
    "Status:",
    "Flags:",
    "Latency:",
    "Interrupt:",
    "NUMA node:",
    "IOMMU group:",
    "Region ",
    "Memory at ",
    "I/O ports at ",
    "Expansion ROM at ",
    "Bus:",
    "I/O behind bridge:",
    "Memory behind bridge:",
    "Prefetchable memory behind bridge:",
    "BridgeCtl:",
];

/// What programs say besides, on the same terminal.
const CHATTER: [&str; 3] = ["pcilib:", "lspci:", "setpci:"];

/// The blocks of a text; what stands outside of them becomes remarks.
pub fn split(text: &str, remarks: &mut Vec<Remark>) -> Vec<Block> {
    let mut splitter = Splitter { blocks: Vec::new(), remarks, after_blank: false, outside: None };
    for (index, line) in text.lines().enumerate() {
        splitter.line(index + 1, line);
    }
    splitter.end_outside();
    splitter.blocks
}

struct Splitter<'a> {
    blocks: Vec<Block>,
    remarks: &'a mut Vec<Remark>,
    after_blank: bool,
    /// The first line of a stretch that belongs to no function, and how many lines it has.
    outside: Option<(usize, usize)>,
}

impl Splitter<'_> {
    fn line(&mut self, number: usize, raw: &str) {
        let text = raw.trim();
        if text.is_empty() {
            self.after_blank = true;
            return;
        }
        let indented = raw.starts_with([' ', '\t']);
        let blank_before = std::mem::take(&mut self.after_blank);
        // Most lines of a long dump are bytes.
        if let Some((block, hex)) = self.blocks.last_mut().and_then(|block| Some((block, HexLine::read(number, text)?)))
        {
            block.hex.push(hex);
        } else if let Some(head) = Head::read(text) {
            self.end_outside();
            self.blocks.push(Block::new(number, head));
        } else if CHATTER.iter().any(|program| text.starts_with(program)) {
            self.remarks.push(Remark { place: Place::Line(number), what: text.to_string() });
        } else if !self.belongs(number, text, indented, blank_before) {
            self.count_outside(number, text);
        }
    }
    /// Adds the line to the function above it; false where there is none, or where prose begins.
    fn belongs(&mut self, number: usize, text: &str, indented: bool, blank_before: bool) -> bool {
        if self.outside.is_some() {
            return false;
        }
        let labelled = indented || BEFORE.iter().chain(&BEHIND).any(|label| text.starts_with(label));
        let prose = blank_before && !labelled && !text.starts_with("Capabilities:");
        let Some(block) = self.blocks.last_mut().filter(|_| !prose) else { return false };
        block.add(number, text, labelled);
        true
    }
    fn count_outside(&mut self, number: usize, text: &str) {
        match &mut self.outside {
            Some((_, count)) => *count += 1,
            // A comment says of itself that it is none of ours.
            None if text.starts_with('#') => {}
            None => self.outside = Some((number, 1)),
        }
    }
    fn end_outside(&mut self) {
        if let Some((line, count)) = self.outside.take() {
            let lines =
                if count == 1 { "a line that belongs".to_string() } else { format!("{count} lines that belong") };
            self.remarks.push(Remark { place: Place::Line(line), what: format!("{lines} to no function") });
        }
    }
}

impl Block {
    fn new(line: usize, head: Head) -> Block {
        Block { line, head, lines: Vec::new(), capabilities: Vec::new(), hidden: false, hex: Vec::new() }
    }
    /// One physical line of text; `own` where it cannot be the rest of a wrapped one.
    fn add(&mut self, line: usize, text: &str, own: bool) {
        if let Some(rest) = text.strip_prefix("Capabilities:") {
            self.capability(line, rest.trim());
        } else if BEHIND.iter().any(|label| text.starts_with(label)) {
            self.lines.push(Line { line, text: text.to_string() });
        } else if self.is_behind() {
            self.continue_last(line, text);
        } else if let Some(capability) = self.capabilities.last_mut() {
            capability.text.push(' ');
            capability.text.push_str(text);
        } else if own {
            self.lines.push(Line { line, text: text.to_string() });
        } else {
            self.continue_last(line, text);
        }
    }
    fn capability(&mut self, line: usize, text: &str) {
        if text.starts_with("<access denied>") {
            self.hidden = true;
        } else {
            self.capabilities.push(Told { line, text: text.to_string() });
        }
    }
    /// The lines behind the capabilities have begun.
    fn is_behind(&self) -> bool {
        self.lines.last().is_some_and(|last| BEHIND.iter().any(|label| last.text.starts_with(label)))
    }
    /// The rest of a wrapped line, be it the head itself.
    fn continue_last(&mut self, _line: usize, text: &str) {
        match self.lines.last_mut() {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(text);
            }
            None => self.head.go_on(text),
        }
    }
}
