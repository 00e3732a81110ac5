//! A piece of text with its tone.

/// How a piece of text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// What to look at first.
    Strong,
    /// What stands beside it.
    Faint,
    /// Below what it could be, or counted errors.
    Bad,
    /// At its best.
    Good,
}

/// A piece of text with its tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

impl Span {
    /// A text in a tone.
    pub fn new(tone: Tone, text: impl Into<String>) -> Span {
        Span { text: text.into(), tone }
    }
}
