//! The results of commands, and their failures.

pub use ask::Complaint;
use miette::Diagnostic;
use std::io::ErrorKind;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything requested was done.
    Done,
    /// A given bound does not hold.
    BoundBroken,
    /// A machine has an error.
    ErrorFound,
    /// Interrupted with Ctrl-C. What was finished by then has been output.
    Interrupted,
}

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// The output was closed by its reader, so there is nobody to report to.
    ReaderGone,
    /// Input that is wrong, or a file that cannot be written.
    Input(Box<dyn Diagnostic + Send + Sync>),
    /// An internal error: the program contradicts itself.
    Internal(Box<dyn Diagnostic + Send + Sync>),
}

/// The diagnostic code of internal errors.
const INTERNAL: &str = "internal";

impl<E: Diagnostic + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Failure {
        let internal = error.code().is_some_and(|code| code.to_string() == INTERNAL);
        if internal { Failure::Internal(Box::new(error)) } else { Failure::Input(Box::new(error)) }
    }
}

/// Where a file could be written that cannot be written for this reason.
pub fn place(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "a disk with more space",
        ErrorKind::FileTooLarge => "a higher limit of the size of files (`ulimit -f`)",
        ErrorKind::BrokenPipe => "a reader that reads to the end",
        _ => "a folder that exists and may be written",
    }
}
