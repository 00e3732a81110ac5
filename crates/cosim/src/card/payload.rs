//! Streams of the engine, with what has become of their bytes.

use crate::design::Source;
use crate::wiring::Stream;
use pcie::Time;
use std::collections::VecDeque;

/// A stream into the engine, with the progress of its bytes.
pub(super) struct Feeding {
    pub stream: Stream,
    pub source: Source,
    /// Bytes in TLPs that the engine has sent, and bytes that have left the block.
    pub cut: u64,
    pub left: u64,
    /// When the engine took each command, and the offset at which it starts, for commands whose first TLP has not been
    /// sent.
    pub starts: VecDeque<(u64, Time)>,
}

/// A stream out of the engine.
pub(super) struct Drain {
    pub stream: Stream,
    /// True where this card has requested the data.
    pub reads: bool,
    pub got: u64,
    /// The ends of TLPs whose latency is measured, and when they were decided.
    pub marks: VecDeque<(u64, Time)>,
}

impl Feeding {
    pub fn new(stream: Stream, width: u64) -> Feeding {
        let source = Source::new(stream.origin, width, stream.frame, stream.volume);
        Feeding { source, stream, cut: 0, left: 0, starts: VecDeque::new() }
    }
}

impl Drain {
    pub fn new(stream: Stream, reads: bool) -> Drain {
        Drain { stream, reads, got: 0, marks: VecDeque::new() }
    }
}
