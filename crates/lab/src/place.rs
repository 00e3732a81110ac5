//! Where a row of a reference is written.

use std::sync::Arc;

/// The place of a row in a file, for error messages.
#[derive(Clone, Debug)]
pub struct RowPlace {
    /// The file, as the caller named it.
    pub file: Arc<str>,
    /// The whole text of the file.
    pub text: Arc<str>,
    /// The line number, from 1.
    pub line: u64,
    /// The offset of the line's start, in bytes.
    pub start: usize,
}
