//! The figures that a simulation is compared with.

use lab::Row;

/// What the figures of the rows are called.
#[derive(Clone, Copy, Debug)]
pub enum Figures {
    /// Those that come with lanescope.
    Published,
    /// The user's own.
    Measured,
}

impl Figures {
    /// The word, for the head of a column.
    pub fn word(self) -> &'static str {
        match self {
            Figures::Published => "published",
            Figures::Measured => "measured",
        }
    }
}

/// The figure of a row, or its range.
pub fn published(row: &Row) -> String {
    row.value.single().map_or_else(|| row.value.to_string(), |value| row.unit.print(value))
}
