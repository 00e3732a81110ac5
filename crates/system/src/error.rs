//! Errors in descriptions: the problem, its place, and what would be right.

use crate::source::Place;
use miette::{Diagnostic, LabeledSpan, SourceCode};
use std::fmt;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read.
    #[error("{0}")]
    Io(String),
    /// Not YAML, or YAML that descriptions do not use.
    #[error("this is not YAML: {0}")]
    Syntax(String),
    /// Too deeply nested, too many repetitions, or too large.
    #[error("too much: {0}")]
    TooMuch(String),
    /// A mapping in place of a list, or similar.
    #[error("{what} should be {wanted}, and is {found}")]
    Type {
        /// Of what.
        what: String,
        /// Wanted.
        wanted: &'static str,
        /// Found.
        found: &'static str,
    },
    /// The same key twice.
    #[error("`{0}` is written twice")]
    Duplicate(String),
    /// A key that is needed.
    #[error("{what} has no `{key}`")]
    Missing {
        /// What lacks it.
        what: String,
        /// The key.
        key: &'static str,
    },
    /// An unknown name: part, field, port, catalogue entry, experiment, axis or key.
    #[error("`{name}` is no {what}")]
    Unknown {
        /// The sort of name.
        what: String,
        /// As written.
        name: String,
    },
    /// A value that the field does not accept.
    #[error("`{value}` is no value for {field}")]
    Value {
        /// The field.
        field: String,
        /// As written.
        value: String,
    },
    /// An index outside its array.
    #[error("`{name}` does not exist: {why}")]
    Index {
        /// With its index.
        name: String,
        /// The size of the array.
        why: String,
    },
    /// A link, flow or override with wrong syntax.
    #[error("`{text}` does not read as {wanted}")]
    Form {
        /// As written.
        text: String,
        /// The right syntax.
        wanted: &'static str,
    },
    /// An end of a link that is not a port.
    #[error("the link dangles: {0}")]
    Dangling(String),
    /// A port in two links.
    #[error("`{port}` is used twice: it is already joined to `{other}`")]
    PortTwice {
        /// The port.
        port: String,
        /// The port that it is already joined to.
        other: String,
    },
    /// Two ports that cannot be joined.
    #[error("`{0}` and `{1}` cannot be joined: {2}")]
    Ends(String, String, &'static str),
    /// A width or generation that the port, the link or the standard does not have.
    #[error("{0}")]
    Width(String),
    /// Parts in a ring.
    #[error("the links make a loop: {0}")]
    Loop(String),
    /// A part that no link joins to the host.
    #[error("`{0}` is not joined to the host")]
    NotJoined(String),
    /// No host, or hosts that cannot be combined.
    #[error("{0}")]
    Hosts(String),
    /// Bus or device numbers run out.
    #[error("{0}")]
    Buses(String),
    /// Addresses run out.
    #[error("the BARs do not fit: {0}")]
    Bars(String),
    /// A payload, an MPS or another size that the path does not allow.
    #[error("{0}")]
    Mps(String),
    /// A value of an axis that is not legal.
    #[error("`{axis}={value}` is not possible: {why}")]
    Axis {
        /// Its name.
        axis: String,
        /// The value.
        value: String,
        /// Why.
        why: String,
    },
    /// Two settings of one field, so that one of them would have no effect.
    #[error("`{first}` and `{second}` both set {field}")]
    TwoSettings {
        /// As written.
        first: String,
        /// As written.
        second: String,
        /// The field.
        field: String,
    },
    /// A flow that its operation does not allow.
    #[error("{0}")]
    Flow(String),
    /// An inconsistency in an experiment.
    #[error("{0}")]
    Experiment(String),
}

impl Problem {
    /// A stable identifier.
    pub fn code(&self) -> &'static str {
        match self {
            Problem::Io(_) => "io",
            Problem::Syntax(_) => "syntax",
            Problem::TooMuch(_) => "too-much",
            Problem::Type { .. } => "type",
            Problem::Duplicate(_) => "duplicate",
            Problem::Missing { .. } => "missing",
            Problem::Unknown { .. } => "unknown",
            Problem::Value { .. } => "value",
            Problem::Index { .. } => "index",
            Problem::Form { .. } => "form",
            Problem::Dangling(_) => "dangling-link",
            Problem::PortTwice { .. } => "port-twice",
            Problem::Ends(..) => "ends",
            Problem::Width(_) => "width",
            Problem::Loop(_) => "loop",
            Problem::NotJoined(_) => "not-joined",
            Problem::Hosts(_) => "hosts",
            Problem::Buses(_) => "buses",
            Problem::Bars(_) => "bars",
            Problem::Mps(_) => "mps",
            Problem::Axis { .. } => "axis",
            Problem::TwoSettings { .. } => "two-settings",
            Problem::Flow(_) => "flow",
            Problem::Experiment(_) => "experiment",
        }
    }
}

/// A problem, where it is, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    problem: Problem,
    place: Option<Place>,
    help: String,
}

impl Error {
    /// An error at a place in a source.
    pub fn new(place: &Place, problem: Problem, help: impl Into<String>) -> Error {
        Error(Box::new(Inner { problem, place: Some(place.clone()), help: help.into() }))
    }
    /// An error without a place in a file.
    pub fn nowhere(problem: Problem, help: impl Into<String>) -> Error {
        Error(Box::new(Inner { problem, place: None, help: help.into() }))
    }
    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
    /// Where: file, line, column.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
    /// What would be right.
    pub fn advice(&self) -> &str {
        &self.0.help
    }
    /// Place, problem and advice as plain text.
    pub fn report(&self) -> String {
        let place = self.place().map(|p| format!("{p}: ")).unwrap_or_default();
        let help = if self.0.help.is_empty() { String::new() } else { format!("\n  help: {}", self.0.help) };
        format!("{place}{}{help}", self.0.problem)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.problem, f)
    }
}

impl std::error::Error for Error {}

impl Diagnostic for Error {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(format!("description::{}", self.0.problem.code())))
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.0.help.is_empty()).then(|| Box::new(&self.0.help) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place().map(|p| p.source() as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.place()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_primary_with_span(Some("here".into()), place.span()))))
    }
}
