//! The operations of flows.
//!
//! An operation is a word and a shape: all that descriptions, the limit, the simulation and metrics need of it. DMA and
//! CPU operations are defined here. A kind of another crate may declare more, in its `operations`.

/// The operation of a flow. The initiator makes the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    word: &'static str,
    shape: OperationShape,
}

/// What is at an end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A host: memory or CPUs.
    Host,
    /// An endpoint.
    Card,
}

/// The properties that distinguish operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationShape {
    /// The source and the sink of the data.
    pub ends: (End, End),
    /// True where payload travels to the initiator in completions: the sink makes read requests.
    pub reads: bool,
    /// True where payload travels from the initiator in requests. Without `reads`, the source is the initiator.
    pub writes: bool,
    /// Source and sink as text.
    pub ways: &'static str,
    /// True where software keeps commands in the queues of a drive ([`Work`](crate::Work)).
    pub queued: bool,
}

/// How the data moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// The source writes it.
    Writes,
    /// The sink reads it.
    Reads,
    /// A card reads host memory and writes the data back: the flow runs as two halves ([`Operation::halves`]).
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
    /// The operations of this crate.
    pub const OWN: &'static [Operation] = &[
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::PioWrite,
        Operation::PioRead,
        Operation::P2pWrite,
        Operation::P2pRead,
        Operation::Loopback,
    ];

    /// The operation with the name `word`, whose data goes from the first of `ends` to the second; `ways` is that as
    /// text.
    pub const fn new(word: &'static str, ends: (End, End), moves: Moves, ways: &'static str) -> Operation {
        let (reads, writes) = match moves {
            Moves::Writes => (false, true),
            Moves::Reads => (true, false),
            Moves::Both => (true, true),
        };
        Operation { word, shape: OperationShape { ends, reads, writes, ways, queued: false } }
    }
    /// The same operation, of a device with queues: software keeps commands in them.
    pub const fn queued(self) -> Operation {
        Operation { shape: OperationShape { queued: true, ..self.shape }, ..self }
    }
    /// True where software keeps commands in the queues of a device.
    pub const fn is_queued(self) -> bool {
        self.shape.queued
    }
    /// Its name in descriptions.
    pub const fn word(self) -> &'static str {
        self.word
    }
    /// Its properties.
    pub const fn shape(self) -> OperationShape {
        self.shape
    }
    /// True where the initiator only reads: all data arrives in completions.
    pub const fn is_read(self) -> bool {
        !self.shape.writes
    }
    /// True where the initiator reads, including loopbacks.
    pub const fn reads(self) -> bool {
        self.shape.reads
    }
    /// True where the initiator reads the data and writes it back.
    pub const fn is_loop(self) -> bool {
        self.shape.reads && self.shape.writes
    }
    /// The operations of the two flows that a loop runs as: one reads, and is queued where the whole is; the other writes what was
    /// read. `None` where it is no loop.
    pub fn halves(self) -> Option<(Operation, Operation)> {
        let OperationShape { ends: (from, to), .. } = self.shape;
        match self {
            Operation::Loopback => Some((Operation::DmaRead, Operation::DmaWrite)),
            _ if self.is_loop() => {
                let reads = OperationShape { writes: false, ..self.shape };
                let writes = OperationShape { ends: (to, from), reads: false, queued: false, ..self.shape };
                Some((Operation { shape: reads, ..self }, Operation { shape: writes, ..self }))
            }
            _ => None,
        }
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

    #[test]
    fn which_halves_has_a_loop_of_another_kind() {
        assert_eq!(Operation::Loopback.halves(), Some((Operation::DmaRead, Operation::DmaWrite)));
        assert_eq!(Operation::DmaRead.halves(), None);
        let copy = Operation::new("copy", (End::Host, End::Card), Moves::Both, "").queued();
        let (reads, writes) = copy.halves().unwrap();
        assert_eq!((reads.word(), writes.word()), ("copy", "copy"));
        assert!(reads.is_read() && reads.is_queued() && !reads.is_pio());
        assert!(!writes.reads() && !writes.is_queued() && !writes.is_pio());
        assert!(copy.is_loop() && !reads.is_loop() && !writes.is_loop());
    }
}
