//! One line of a text.

/// One logical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where it begins.
    pub line: usize,
    /// The text, wrapped parts joined.
    pub text: String,
}
