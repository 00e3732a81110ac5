//! What a flow asks of the kind of part that moves its data.

use crate::operation::Operation;
use crate::work::Work;
use pcie::Bytes;

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// What the flow does; of a loopback, what one of its halves does.
    pub operation: Operation,
    /// Length of one command.
    pub command: Bytes,
    /// How many commands it has.
    pub commands: u64,
    /// The commands that software keeps in the queues of a drive.
    pub work: Work,
}

impl Demand {
    /// One command of 4 KiB.
    pub fn of_one(operation: Operation) -> Demand {
        Demand { operation, command: Bytes(4096), commands: 1, work: Work::default() }
    }
}
