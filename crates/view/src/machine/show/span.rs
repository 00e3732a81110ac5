//! Text with a tone.

/// The tone of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Normal text.
    Plain,
    /// The most important text.
    Strong,
    /// Secondary text.
    Faint,
    /// A value below what is possible, or counted errors.
    Bad,
    /// A value at its best.
    Good,
}

/// A piece of text with a tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// The tone.
    pub tone: Tone,
}

impl Span {
    /// A text with a tone.
    pub fn new(tone: Tone, text: impl Into<String>) -> Span {
        Span { text: text.into(), tone }
    }
}
