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

/// What stands at an end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A host: its memory, or its CPUs.
    Host,
    /// An endpoint.
    Card,
}

/// What tells one operation from another: all that reads descriptions, the limit and metrics ask of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Where the data comes from and goes to.
    pub ends: (End, End),
    /// True where the end that the data comes from makes the requests.
    pub source_asks: bool,
    /// Payload travels to the initiator, as completions.
    pub reads: bool,
    /// Payload travels from the initiator, as requests.
    pub writes: bool,
    /// For people: from whom to whom.
    pub ways: &'static str,
}

impl Operation {
    /// What tells it from others.
    pub const fn shape(self) -> Shape {
        const fn of(ends: (End, End), source_asks: bool, reads: bool, writes: bool, ways: &'static str) -> Shape {
            Shape { ends, source_asks, reads, writes, ways }
        }
        use End::{Card, Host};
        match self {
            Operation::DmaWrite => of((Card, Host), true, false, true, "a card to the host: `card -> host`"),
            Operation::DmaRead => of((Host, Card), false, true, false, "the host to a card: `host -> card`"),
            Operation::PioWrite => of((Host, Card), true, false, true, "the host to a card: `host -> card`"),
            Operation::PioRead => of((Card, Host), false, true, false, "a card to the host: `card -> host`"),
            Operation::P2pWrite => of((Card, Card), true, false, true, "one card to another"),
            Operation::P2pRead => of((Card, Card), false, true, false, "one card to another"),
            Operation::Loopback => of((Host, Card), false, true, true, "the host to a card (and back): `host -> card`"),
        }
    }
    /// True where the initiator asks and all the data comes as completions.
    pub fn is_read(self) -> bool {
        !self.shape().writes
    }
    /// True where data comes to the initiator as completions, of a loopback as well.
    pub fn reads(self) -> bool {
        self.shape().reads
    }
    /// True where a CPU makes the requests.
    pub fn is_pio(self) -> bool {
        let Shape { ends: (from, to), source_asks, .. } = self.shape();
        (if source_asks { from } else { to }) == End::Host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_payload_go_to_whoever_reads_and_from_whoever_writes() {
        for operation in Operation::ALL {
            let shape = operation.shape();
            assert!(shape.reads || shape.writes, "{operation:?} moves nothing");
            assert!(
                shape.source_asks != shape.reads,
                "{operation:?}: who has the data writes it, who wants it reads it"
            );
        }
        assert!(Operation::PioRead.is_pio() && Operation::PioWrite.is_pio() && !Operation::DmaRead.is_pio());
    }
}
