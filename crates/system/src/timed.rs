//! What the latency of a flow is measured over.

crate::words! {
    /// What the latency of a DMA read is measured over.
    pub enum Timed {
        /// Each request, among all others in flight.
        Requests = "requests",
        /// Each command, given when the one before has ended: from giving it until its end is known.
        Commands = "commands",
        /// The same, of a command that writes before it reads the same bytes back.
        WriteRead = "write-read",
    }
}

impl Timed {
    /// True where commands are given one by one.
    pub fn is_by_command(self) -> bool {
        self != Timed::Requests
    }
    /// True where each command writes before it reads.
    pub fn writes_first(self) -> bool {
        self == Timed::WriteRead
    }
}
