//! What a flow may do.

crate::words! {
    /// What a flow does. The initiator makes the requests.
    pub enum Operation {
        /// Card to host memory, the card writes.
        DmaWrite = "dma-write",
        /// Host memory to card, the card reads.
        DmaRead = "dma-read",
        /// CPU stores to a card's write-combining BAR.
        PioWrite = "pio-write",
        /// CPU loads from a card's BAR.
        PioRead = "pio-read",
        /// Card to card, the source writes.
        P2pWrite = "p2p-write",
        /// Card to card, the sink reads.
        P2pRead = "p2p-read",
        /// Host memory to card and back, through the card's FIFO.
        Loopback = "loopback",
    }
}

impl Operation {
    /// True where the initiator asks and the data comes as completions.
    pub fn is_read(self) -> bool {
        matches!(self, Operation::DmaRead | Operation::PioRead | Operation::P2pRead)
    }
    /// True where a CPU makes the requests.
    pub fn is_pio(self) -> bool {
        matches!(self, Operation::PioRead | Operation::PioWrite)
    }
}
