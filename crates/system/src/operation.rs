//! What a flow may do.
//!
//! An operation is a word and what tells it from others: all that descriptions, the limit, the simulation and metrics ask of
//! it. Those of DMA and of CPUs are here; a kind of part that a crate above registers may declare its own, as one of its
//! `operations`, and they are known as these are.

/// What a flow does. The initiator makes the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    word: &'static str,
    shape: OperationShape,
}

/// What stands at an end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A host: its memory, or its CPUs.
    Host,
    /// An endpoint.
    Card,
}

/// What tells one operation from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationShape {
    /// Where the data comes from and goes to.
    pub ends: (End, End),
    /// Payload travels to the initiator, as completions: the end that the data goes to makes the requests.
    pub reads: bool,
    /// Payload travels from the initiator, as requests: where it does not read as well, the end that the data comes from.
    pub writes: bool,
    /// For people: from whom to whom.
    pub ways: &'static str,
}

/// What moves in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// The end that the data comes from writes it.
    Writes,
    /// The end that it goes to reads it.
    Reads,
    /// A card reads it and writes it back.
    Both,
}

#[allow(non_upper_case_globals, reason = "they stand in patterns, as variants do")]
impl Operation {
    /// Card to host memory, the card writes.
    pub const DmaWrite: Operation =
        Operation::new("dma-write", (End::Card, End::Host), Moves::Writes, "a card to the host: `card -> host`");
    /// Host memory to card, the card reads.
    pub const DmaRead: Operation =
        Operation::new("dma-read", (End::Host, End::Card), Moves::Reads, "the host to a card: `host -> card`");
    /// CPU stores to a card's write-combining BAR.
    pub const PioWrite: Operation =
        Operation::new("pio-write", (End::Host, End::Card), Moves::Writes, "the host to a card: `host -> card`");
    /// CPU loads from a card's BAR.
    pub const PioRead: Operation =
        Operation::new("pio-read", (End::Card, End::Host), Moves::Reads, "a card to the host: `card -> host`");
    /// Card to card, the source writes.
    pub const P2pWrite: Operation =
        Operation::new("p2p-write", (End::Card, End::Card), Moves::Writes, "one card to another");
    /// Card to card, the sink reads.
    pub const P2pRead: Operation =
        Operation::new("p2p-read", (End::Card, End::Card), Moves::Reads, "one card to another");
    /// Host memory to card and back, through the card's FIFO.
    pub const Loopback: Operation = Operation::new(
        "loopback",
        (End::Host, End::Card),
        Moves::Both,
        "the host to a card (and back): `host -> card`",
    );
}

impl Operation {
    /// Those of this crate.
    pub const OWN: &'static [Operation] = &[
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::PioWrite,
        Operation::PioRead,
        Operation::P2pWrite,
        Operation::P2pRead,
        Operation::Loopback,
    ];

    /// One that is written `word`, whose data goes from one of `ends` to the other; `ways` says so to people.
    pub const fn new(word: &'static str, ends: (End, End), moves: Moves, ways: &'static str) -> Operation {
        let (reads, writes) = match moves {
            Moves::Writes => (false, true),
            Moves::Reads => (true, false),
            Moves::Both => (true, true),
        };
        Operation { word, shape: OperationShape { ends, reads, writes, ways } }
    }
    /// As it is written.
    pub const fn word(self) -> &'static str {
        self.word
    }
    /// What tells it from others.
    pub const fn shape(self) -> OperationShape {
        self.shape
    }
    /// True where the initiator asks and all the data comes as completions.
    pub const fn is_read(self) -> bool {
        !self.shape.writes
    }
    /// True where data comes to the initiator as completions, of a loopback as well.
    pub const fn reads(self) -> bool {
        self.shape.reads
    }
    /// True where a CPU makes the requests.
    pub fn is_pio(self) -> bool {
        let OperationShape { ends: (from, to), reads, .. } = self.shape;
        (if reads { to } else { from }) == End::Host
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_cpu_ask_for_pio_alone() {
        for operation in Operation::OWN {
            let pio = [Operation::PioRead, Operation::PioWrite].contains(operation);
            assert_eq!(operation.is_pio(), pio, "{}", operation.word());
        }
    }
}
