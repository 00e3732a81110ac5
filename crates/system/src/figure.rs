//! Figures: the value of a field of a part, and its origin.

use std::fmt;

/// The origin of a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Written in the description: file and line.
    Given {
        /// File name, as given by the user.
        file: String,
        /// Line number, from 1.
        line: usize,
    },
    /// From the command line (`--set`) or from an axis of an experiment.
    Override(String),
    /// From the catalogue, with a document other than the measurement itself.
    Cited(String),
    /// From the catalogue, fitted on the named reference rows.
    Fitted(String),
    /// An assumption; the text gives the reason.
    Assumed(String),
    /// The default of the kind: the value of the standard, or the effect switched off.
    Default,
    /// Set by training or firmware; the text gives the reason.
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
    /// Its value, as written in a description.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}
