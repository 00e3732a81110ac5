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
    /// Payload travels to the initiator, as completions: the end that the data goes to makes the requests.
    pub reads: bool,
    /// Payload travels from the initiator, as requests: where it does not read as well, the end that the data comes from.
    pub writes: bool,
    /// For people: from whom to whom.
    pub ways: &'static str,
}

impl Operation {
    /// What tells it from others.
    pub const fn shape(self) -> Shape {
        const fn of(ends: (End, End), reads: bool, writes: bool, ways: &'static str) -> Shape {
            Shape { ends, reads, writes, ways }
        }
        use End::{Card, Host};
        match self {
            Operation::DmaWrite => of((Card, Host), false, true, "a card to the host: `card -> host`"),
            Operation::DmaRead => of((Host, Card), true, false, "the host to a card: `host -> card`"),
            Operation::PioWrite => of((Host, Card), false, true, "the host to a card: `host -> card`"),
            Operation::PioRead => of((Card, Host), true, false, "a card to the host: `card -> host`"),
            Operation::P2pWrite => of((Card, Card), false, true, "one card to another"),
            Operation::P2pRead => of((Card, Card), true, false, "one card to another"),
            Operation::Loopback => of((Host, Card), true, true, "the host to a card (and back): `host -> card`"),
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
        let Shape { ends: (from, to), reads, .. } = self.shape();
        (if reads { to } else { from }) == End::Host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_every_operation_move_something_and_a_cpu_ask_for_pio_alone() {
        for operation in Operation::ALL {
            let shape = operation.shape();
            assert!(shape.reads || shape.writes, "{operation:?} moves nothing");
            assert_eq!(
                operation.is_pio(),
                [Operation::PioRead, Operation::PioWrite].contains(operation),
                "{operation:?}"
            );
        }
    }
}
