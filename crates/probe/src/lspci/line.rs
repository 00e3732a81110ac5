//! One line of a text.

/// One logical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line number where it begins.
    pub line: usize,
    /// The text, with wrapped parts joined.
    pub text: String,
}
