//! Which flows a figure is of.

use system::{Flow, Operation};

/// Which flows a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All of them.
    All,
    /// Those that do this: a mean over flows that read and flows that write would say nothing of either.
    Operation(Operation),
}

impl Over {
    /// The operation, where it is of one among several.
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
    /// True of a flow that is among them.
    pub fn holds(self, flow: &Flow) -> bool {
        self.operation().is_none_or(|operation| flow.operation == operation)
    }
}
