//! The flows that a figure covers.

use system::{Flow, Operation};

/// The flows that a figure covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All flows.
    All,
    /// The flows with this operation. A mean over flows that read and flows that write would describe neither.
    Operation(Operation),
}

impl Over {
    /// The operation, if the figure covers only one of several.
    pub fn operation(self) -> Option<Operation> {
        match self {
            Over::All => None,
            Over::Operation(operation) => Some(operation),
        }
    }
    /// The operation as a word; empty for all flows.
    pub fn word(self) -> &'static str {
        self.operation().map_or("", Operation::word)
    }
    /// True if the figure covers `flow`.
    pub fn holds(self, flow: &Flow) -> bool {
        self.operation().is_none_or(|operation| flow.operation == operation)
    }
}
