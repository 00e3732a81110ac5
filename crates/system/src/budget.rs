//! The loss budget's words: where each instant of a link's direction goes.

use std::fmt;

/// What a direction waits for when nothing is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// Flow-control credits of the receiver.
    Credits,
    /// Acknowledgements that would free the replay buffer.
    Replay,
    /// A tag, or space for completions.
    Tags,
    /// Memory: the latency of reads, the service of writes, a port's cap.
    Memory,
    /// Another source's turn, or a fuller link on the way.
    Arbitration,
    /// A descriptor.
    Descriptors,
    /// The card's own datapath or FIFO.
    Core,
    /// Software: commands, doorbells, notices, CPU stores.
    Software,
    /// The card's next command: its latency, from what begins it to its first TLP.
    Command,
    /// The root port's pipeline of PIO.
    RootPort,
    /// Nothing: there was nothing to send.
    Nothing,
}

impl Wait {
    /// How many there are.
    pub const COUNT: usize = Wait::Nothing as usize + 1;
}

/// One class of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    /// Bits that the line encoding adds.
    Encoding,
    /// SKP ordered sets, with what they need around them.
    Skp,
    /// STP, sequence number, LCRC, END; the STP token.
    Framing,
    /// Headers of TLPs that carry the flow's payload.
    Headers,
    /// Symbols left empty so that a TLP starts where its transmitter starts TLPs.
    Alignment,
    /// ACK and UpdateFC for what comes the other way.
    Dllps,
    /// Read requests, doorbells, status writes: whole TLPs without the flow's payload.
    Requests,
    /// TLPs of other flows.
    OtherFlows,
    /// The flow's payload.
    Payload,
    /// Nothing on the link.
    Idle(Wait),
}

impl Share {
    /// All classes, in the order of printing. Where two claim an instant, the earlier has it.
    pub const ALL: [Share; 9 + Wait::COUNT] = [
        Share::Encoding,
        Share::Skp,
        Share::Framing,
        Share::Headers,
        Share::Alignment,
        Share::Dllps,
        Share::Requests,
        Share::OtherFlows,
        Share::Payload,
        Share::Idle(Wait::Credits),
        Share::Idle(Wait::Replay),
        Share::Idle(Wait::Tags),
        Share::Idle(Wait::Memory),
        Share::Idle(Wait::Arbitration),
        Share::Idle(Wait::Descriptors),
        Share::Idle(Wait::Core),
        Share::Idle(Wait::Software),
        Share::Idle(Wait::Command),
        Share::Idle(Wait::RootPort),
        Share::Idle(Wait::Nothing),
    ];

    /// Its place in [`Share::ALL`].
    pub fn index(self) -> usize {
        match self {
            Share::Encoding => 0,
            Share::Skp => 1,
            Share::Framing => 2,
            Share::Headers => 3,
            Share::Alignment => 4,
            Share::Dllps => 5,
            Share::Requests => 6,
            Share::OtherFlows => 7,
            Share::Payload => 8,
            Share::Idle(wait) => 9 + wait as usize,
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Share::Encoding => "encoding",
            Share::Skp => "SKP",
            Share::Framing => "framing",
            Share::Headers => "headers",
            Share::Alignment => "start alignment",
            Share::Dllps => "DLLPs",
            Share::Requests => "requests",
            Share::OtherFlows => "other flows",
            Share::Payload => "payload",
            Share::Idle(Wait::Credits) => "waits for credits",
            Share::Idle(Wait::Replay) => "waits for ACKs (replay buffer)",
            Share::Idle(Wait::Tags) => "waits for tags",
            Share::Idle(Wait::Memory) => "waits for memory",
            Share::Idle(Wait::Arbitration) => "waits for arbitration",
            Share::Idle(Wait::Descriptors) => "waits for descriptors",
            Share::Idle(Wait::Core) => "waits for the card's core",
            Share::Idle(Wait::Software) => "waits for software",
            Share::Idle(Wait::Command) => "waits for the card's next command",
            Share::Idle(Wait::RootPort) => "waits for the root port's PIO pipeline",
            Share::Idle(Wait::Nothing) => "nothing to send",
        })
    }
}

/// Shares of the time of one direction (of its signalled bits), one for each of [`Share::ALL`]; they add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget(pub [f64; 9 + Wait::COUNT]);

impl Default for Budget {
    fn default() -> Budget {
        Budget([0.0; 9 + Wait::COUNT])
    }
}

impl Budget {
    /// One share.
    pub fn of(&self, share: Share) -> f64 {
        self.0[share.index()]
    }
    /// All that are not zero, in the order of printing.
    pub fn shares(&self) -> impl Iterator<Item = (Share, f64)> + '_ {
        Share::ALL.into_iter().map(|s| (s, self.of(s))).filter(|&(_, part)| part > 0.0)
    }
    /// 1, but for rounding.
    pub fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

/// The link or part that, made faster, would make the flow faster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottleneck {
    /// Which: `card[0].pcie -> board[0].down[0]`, `host`.
    pub name: String,
    /// What of it: `Gen2 x4, transmit`, `one read request in flight`.
    pub what: String,
}

impl fmt::Display for Bottleneck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}: {}", self.name, self.what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_own_place() {
        for (place, share) in Share::ALL.into_iter().enumerate() {
            assert_eq!(share.index(), place, "{share}");
        }
    }
}
