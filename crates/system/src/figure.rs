//! Figures: a field of a part, its value as text, and where that value comes from.

use std::fmt;

/// Where a figure comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Written in the description: file and line.
    Given {
        /// As the reader named it.
        file: String,
        /// From 1.
        line: usize,
    },
    /// From the command line (`--set`) or from an axis of an experiment.
    Override(String),
    /// From the catalogue, with a document that is not the measurement itself.
    Cited(String),
    /// From the catalogue, fitted on the named reference rows.
    Fitted(String),
    /// Taken for want of anything better; the text says why it is plausible.
    Assumed(String),
    /// The default of the kind: the standard's own, or the effect switched off.
    Default,
    /// Found by training or firmware, and why.
    Settled(String),
}

impl Origin {
    /// One word, for tables.
    pub fn word(&self) -> &'static str {
        match self {
            Origin::Given { .. } => "given",
            Origin::Override(_) => "override",
            Origin::Cited(_) => "cited",
            Origin::Fitted(_) => "fitted",
            Origin::Assumed(_) => "assumed",
            Origin::Default => "default",
            Origin::Settled(_) => "settled",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Given { file, line } => write!(f, "given, {file}:{line}"),
            Origin::Default => write!(f, "default"),
            Origin::Override(by) => write!(f, "override by {by}"),
            Origin::Cited(text) | Origin::Fitted(text) | Origin::Assumed(text) | Origin::Settled(text) => {
                write!(f, "{}: {text}", self.word())
            }
        }
    }
}

/// One field of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The field's name.
    pub field: &'static str,
    /// Its value, as it would be written in a description.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}
