//! What values of a field look like in a description.

use crate::scale::Scale;

/// A type of field values. An implementation has to read what it prints: `parse(print(x))` gives `x`.
pub trait FieldType: Sized {
    /// What it accepts, with an example.
    const EXPECTS: &'static str;
    /// Its type of quantity.
    const SCALE: Scale;
    /// Words that it accepts in place of a quantity.
    const INSTEAD: &'static [&'static str] = &[];
    /// Reads the text of a description; `None` where it is not as [`FieldType::EXPECTS`] says.
    fn parse(text: &str) -> Option<Self>;
    /// The value as written in a description.
    fn print(&self) -> String;
}
