//! Rows that a kind adds to the limit's table of a flow.

use crate::cause::Cause;
use pcie::Rate;

/// A row of the limit that a kind declares: something in a part that each byte of a flow has to pass, independent of the links.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name as a bottleneck: [`Cause::Own`] with words that the kind declares, for example `the sensor`.
    pub cause: Cause,
    /// The most payload that it passes.
    pub rate: Rate,
    /// What it passes on average, where that depends on how commands meet; `None` where it is `rate`.
    pub mean: Option<Rate>,
    /// The flows that pass it together.
    pub shared: Shared,
}

/// The flows of a part that share a row. Each byte of any of them takes the row for the time that the rate of its own flow says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shared {
    /// All flows that have a row of this number, below [`Shared::ROWS`].
    Part(u8),
    /// Those of them whose payload goes the same way: into the part, or out of it.
    Way(u8),
    /// The flow alone.
    Flow,
}

impl Shared {
    /// How many numbers there are.
    pub const ROWS: u8 = 5;

    /// The number; `None` where nothing is shared.
    pub fn number(self) -> Option<u8> {
        match self {
            Shared::Part(number) | Shared::Way(number) => Some(number),
            Shared::Flow => None,
        }
    }
}

impl Row {
    /// A row with the words of a kind.
    pub fn new(words: &'static str, rate: Rate, shared: Shared) -> Row {
        Row { cause: Cause::Own(words), rate, mean: None, shared }
    }
}
