//! Flows, and the scenario that a consumer runs: a system with the flows through it.

use crate::graph::{PartId, System};
use crate::operation::Operation;
use pcie::Bytes;

/// Who starts the commands of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// Software on the host: each command has its cost, its doorbell and its notice.
    Software,
    /// The initiator itself, one command behind the other.
    Card,
}

/// One stream of data.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Unique within its scenario, as in `card0 -> host`.
    pub name: String,
    /// What it does.
    pub operation: Operation,
    /// Who makes the requests.
    pub initiator: PartId,
    /// Whose memory or BAR they go to.
    pub target: PartId,
    /// Length of one command (one call, for PIO).
    pub command: Bytes,
    /// How much it moves in all, whole commands: at least one.
    pub volume: Bytes,
    /// Who starts its commands.
    pub drive: Drive,
    /// The flow (its place in [`Scenario::flows`]) whose data this one passes on: what arrives from it at this one's
    /// initiator goes through the card's `fifo` into this one's writes. `None` where the data is the card's own.
    pub fed_by: Option<usize>,
}

impl Flow {
    /// How many commands it has.
    pub fn commands(&self) -> u64 {
        (self.volume.0 / self.command.0.max(1)).max(1)
    }

    /// What it moves in all: whole commands, one or more.
    pub fn whole_volume(&self) -> Bytes {
        Bytes(self.commands() * self.command.0.max(1))
    }
}

/// A settled system and the flows through it: all that `limit` and `sim` need.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Settled at this point of the experiment.
    pub system: System,
    /// All start at once, at a barrier.
    pub flows: Vec<Flow>,
    /// True where payload bytes travel and are compared.
    pub integrity: bool,
}
