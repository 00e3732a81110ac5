//! How a command ends, or why it does not.

use miette::Diagnostic;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything asked for is there.
    Done,
    /// A stated bound is broken.
    BoundBroken,
    /// Something on a machine is wrong.
    ErrorFound,
    /// Ctrl-C; what was finished by then is there.
    Interrupted,
}

/// Why a command did not end.
#[derive(Debug)]
pub enum Failure {
    /// Whoever read the output went away: nobody is left to tell.
    ReaderGone,
    /// Input that is wrong, or a file that cannot be written.
    Input(Box<dyn Diagnostic + Send + Sync>),
    /// This program contradicts itself.
    Internal(Box<dyn Diagnostic + Send + Sync>),
}

/// The diagnostic code of errors of this program itself.
const INTERNAL: &str = "internal";

impl<E: Diagnostic + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Failure {
        let internal = error.code().is_some_and(|code| code.to_string() == INTERNAL);
        if internal { Failure::Internal(Box::new(error)) } else { Failure::Input(Box::new(error)) }
    }
}

/// A complaint of the command line itself.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
#[diagnostic(help("{right}"))]
pub struct Complaint {
    what: String,
    right: String,
}

impl Complaint {
    /// What is wrong, and what would be right.
    pub fn new(what: impl Into<String>, right: impl Into<String>) -> Complaint {
        Complaint { what: what.into(), right: right.into() }
    }
}
