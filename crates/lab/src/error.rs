//! Errors of this crate, each with its place and with advice.

use crate::place::RowPlace;
use miette::{Diagnostic, NamedSource, SourceSpan};
use std::fmt;
use std::sync::Arc;

/// A row of a reference that cannot be read, or that names something that does not exist.
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
    /// An error about the row at `place`.
    pub fn new(place: &RowPlace, what: String, right: String) -> RowError {
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

/// An error that stops an experiment or a comparison.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub enum Error {
    /// A file that cannot be read.
    #[error("{file} cannot be read: {source}")]
    #[diagnostic(help("write the path of a file that is there and may be read"))]
    Read {
        /// The file, as the caller named it.
        file: String,
        /// The cause.
        source: std::io::Error,
    },
    /// An error in a description.
    #[error(transparent)]
    #[diagnostic(transparent)]
    System(#[from] system::Error),
    /// An error in a row of a reference.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Row(#[from] Box<RowError>),
    /// Something that the caller asked for does not exist.
    #[error("{what}")]
    #[diagnostic(help("{right}"))]
    Asked {
        /// What was asked for.
        what: String,
        /// What would be valid.
        right: String,
    },
    /// The simulation of one point stopped.
    #[error("{at}: {why}")]
    Stuck {
        /// The system, the experiment and the point.
        at: String,
        /// The reason.
        why: sim::SimError,
    },
    /// A simulation that contradicts itself: an error of this program.
    #[error("{at}: {why}")]
    #[diagnostic(code(internal))]
    Internal {
        /// The system, the experiment and the point.
        at: String,
        /// The contradiction found.
        why: sim::SimError,
    },
    /// A simulation far above its limit: an error of this program, in one of the two.
    #[error(
        "internal error: {at} is simulated at {:.1} MB/s, above its limit of {:.1} MB/s; please report this",
        simulated.0 / 1e6,
        limit.0 / 1e6
    )]
    #[diagnostic(code(internal))]
    AboveLimit {
        /// The system, the experiment and the point.
        at: String,
        /// What the simulation gives.
        simulated: pcie::Rate,
        /// What `limit` allows.
        limit: pcie::Rate,
    },
}

impl Error {
    /// The error for a simulation of the point `at` that did not complete.
    pub fn stuck(at: String, why: sim::SimError) -> Error {
        if why.is_internal() { Error::Internal { at, why } } else { Error::Stuck { at, why } }
    }
    /// True for an error of this program, which must not be hidden.
    pub fn is_internal(&self) -> bool {
        matches!(self, Error::Internal { .. } | Error::AboveLimit { .. })
    }
    /// The error for something asked for that does not exist.
    pub fn asked(what: impl fmt::Display, right: impl fmt::Display) -> Error {
        Error::Asked { what: what.to_string(), right: right.to_string() }
    }
    /// True if two settings set one field.
    pub fn is_of_two_settings(&self) -> bool {
        matches!(self, Error::System(error) if matches!(error.problem(), system::Problem::TwoSettings { .. }))
    }
    /// What would be valid; empty if the error has no such advice.
    pub fn right(&self) -> String {
        self.help().map_or_else(String::new, |help| help.to_string())
    }
}

impl RowPlace {
    /// An error about this row.
    pub fn error(&self, what: impl Into<String>, right: impl Into<String>) -> Error {
        Error::Row(Box::new(RowError::new(self, what.into(), right.into())))
    }
}
