//! Remarks: what in the input was not understood, or contradicts.

use std::fmt;

/// A place in the input: a line of a text, or a file of a sysfs tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line, counted from 1.
    Line(usize),
    /// A file, relative to the root of the tree.
    File(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => f.pad(&format!("line {line}")),
            Place::File(file) => f.pad(file),
        }
    }
}

/// A remark on the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its place.
    pub place: Place,
    /// The text of the remark.
    pub what: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}: {}", self.place, self.what))
    }
}
