//! What can go wrong, with the place and what would be right.

use crate::reference::Place;
use miette::{Diagnostic, NamedSource, SourceSpan};
use std::fmt;
use std::sync::Arc;

/// A row of a reference that cannot be read or names nothing.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[error("{file}:{line}: {what}")]
#[diagnostic(code(reference), help("{right}"))]
pub struct RowError {
    file: String,
    line: u64,
    what: String,
    right: String,
    #[source_code]
    text: NamedSource<Arc<str>>,
    #[label("this row")]
    span: SourceSpan,
}

impl RowError {
    /// About the row at `place`.
    pub fn new(place: &Place, what: String, right: String) -> RowError {
        let length = place.text[place.start.min(place.text.len())..].lines().next().map_or(0, str::len);
        RowError {
            file: place.file.to_string(),
            line: place.line,
            what,
            right,
            text: NamedSource::new(&*place.file, place.text.clone()),
            span: (place.start, length).into(),
        }
    }
}

/// What stops an experiment or a comparison.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum Error {
    /// A file that cannot be read.
    #[error("{file} cannot be read: {source}")]
    Read {
        /// As the reader named it.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A description.
    #[error(transparent)]
    #[diagnostic(transparent)]
    System(#[from] system::Error),
    /// A row of a reference.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Row(#[from] Box<RowError>),
    /// Something that the caller asked for does not exist.
    #[error("{what}")]
    #[diagnostic(help("{right}"))]
    Asked {
        /// What was asked for.
        what: String,
        /// What would be right.
        right: String,
    },
    /// The simulation of one point.
    #[error("{at}: {why}")]
    Stuck {
        /// Which: system, experiment, point.
        at: String,
        /// Why.
        why: sim::SimError,
    },
    /// A simulation that contradicts itself: an error of this program.
    #[error("{at}: {why}")]
    #[diagnostic(code(internal))]
    Internal {
        /// Which: system, experiment, point.
        at: String,
        /// What it found.
        why: sim::SimError,
    },
}

impl Error {
    /// The simulation of the point `at` did not come to its end.
    pub fn stuck(at: String, why: sim::SimError) -> Error {
        if why.is_internal() { Error::Internal { at, why } } else { Error::Stuck { at, why } }
    }
    /// True for an error of this program, which nothing may hide.
    pub fn is_internal(&self) -> bool {
        matches!(self, Error::Internal { .. })
    }
    /// Something asked for that does not exist.
    pub fn asked(what: impl fmt::Display, right: impl fmt::Display) -> Error {
        Error::Asked { what: what.to_string(), right: right.to_string() }
    }
    /// True where two settings set one field.
    pub fn is_of_two_settings(&self) -> bool {
        matches!(self, Error::System(error) if matches!(error.problem(), system::Problem::TwoSettings { .. }))
    }
    /// What would be right; empty where the error has no such advice.
    pub fn right(&self) -> String {
        self.help().map_or_else(String::new, |help| help.to_string())
    }
}
