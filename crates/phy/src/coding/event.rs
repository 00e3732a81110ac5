//! What a receiver tells.

use crate::coding::ordered::Set;

/// What a receiver sees of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symptom {
    /// Ten bits that no symbol has (8b/10b).
    CodeViolation,
    /// A code that the running disparity excludes (8b/10b).
    Disparity,
    /// A symbol or token where none of its kind may be.
    Framing,
    /// A TLP whose LCRC does not fit.
    Lcrc,
    /// A DLLP whose CRC does not fit.
    DllpCrc,
    /// A sync header of 00b or 11b, or lanes whose headers differ (128b/130b).
    SyncHeader,
    /// The parity that a SKP ordered set carries is not that of the data before it (128b/130b).
    Parity,
    /// A SKP ordered set that carries another register than that of the scrambler (128b/130b).
    SkpContent,
    /// Ordered sets that arrive on some lanes earlier or later than before, or not at all.
    Deskew,
    /// Nothing is received any more before the link trains again.
    Lost,
}

impl Symptom {
    /// All.
    pub const ALL: [Symptom; 10] = [
        Symptom::CodeViolation,
        Symptom::Disparity,
        Symptom::Framing,
        Symptom::Lcrc,
        Symptom::DllpCrc,
        Symptom::SyncHeader,
        Symptom::Parity,
        Symptom::SkpContent,
        Symptom::Deskew,
        Symptom::Lost,
    ];

    /// Its name in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Symptom::CodeViolation => "code violation",
            Symptom::Disparity => "disparity",
            Symptom::Framing => "framing",
            Symptom::Lcrc => "LCRC",
            Symptom::DllpCrc => "DLLP CRC",
            Symptom::SyncHeader => "sync header",
            Symptom::Parity => "SKP parity",
            Symptom::SkpContent => "SKP content",
            Symptom::Deskew => "deskew",
            Symptom::Lost => "lost",
        }
    }
}

/// What is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A TLP.
    Tlp {
        /// Its sequence number.
        sequence: u16,
        /// Header, data and digest.
        bytes: &'a [u8],
    },
    /// A TLP that its sender took back; it is not delivered.
    Nullified,
    /// A DLLP with its CRC.
    Dllp([u8; 6]),
    /// An ordered set on all lanes.
    Set(Set),
    /// Something wrong.
    Symptom(Symptom),
}

/// Symbols of all lanes in the order of striping.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// 8b/10b: control symbols and descrambled data, as [`code`](crate::coding::code) writes them.
    Codes(&'a [u16]),
    /// A block of 128b/130b: data descrambled, ordered sets as they arrived.
    Block {
        /// Its sync header is that of an ordered set.
        ordered: bool,
        /// The symbols of all lanes.
        bytes: &'a [u8],
    },
}

/// Gets the events of a stream in order, each with the symbol time, on lane 0 as it arrives, in which it began.
pub trait Receiver {
    /// One event.
    fn event(&mut self, at: u64, event: Event<'_>);
    /// Symbols of all lanes from symbol time `at` on, for who looks at more than packets.
    fn symbols(&mut self, at: u64, row: Row<'_>) {
        let _ = (at, row);
    }
}

impl<F: FnMut(u64, Event<'_>)> Receiver for F {
    fn event(&mut self, at: u64, event: Event<'_>) {
        self(at, event);
    }
}
