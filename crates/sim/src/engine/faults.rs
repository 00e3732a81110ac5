//! What went wrong with the commands of a flow.

/// See the module. All zero where nothing did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Commands that ended with an error. What they would have read is not delivered.
    pub failed: u64,
    /// Commands that were answered late, by a fault.
    pub late: u64,
    /// True where nothing of the flow was answered any more from some time on. It has no rate, and the rates of the other
    /// flows are those from then on.
    pub stopped: bool,
}

impl Faults {
    /// True where something went wrong.
    pub fn any(&self) -> bool {
        *self != Faults::default()
    }
}
