//! The loss budget's words: where each instant of a link's direction goes.

use crate::cause::Wait;
use std::fmt;

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
    /// Those of something on the link, in the order of printing. Where two claim an instant, the earlier has it.
    const BUSY: [Share; 9] = [
        Share::Encoding,
        Share::Skp,
        Share::Framing,
        Share::Headers,
        Share::Alignment,
        Share::Dllps,
        Share::Requests,
        Share::OtherFlows,
        Share::Payload,
    ];

    /// How many there can be.
    pub const COUNT: usize = Share::BUSY.len() + Wait::COUNT;

    /// All classes, in the order of printing: those of something on the link, then the waits.
    pub fn all() -> impl Iterator<Item = Share> {
        Share::BUSY.into_iter().chain(Wait::all().map(Share::Idle))
    }

    /// A number of its own, below [`Share::COUNT`].
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
            Share::Idle(wait) => Share::BUSY.len() + wait.index(),
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
            Share::Idle(wait) => return wait.fmt(f),
        })
    }
}

/// Shares of the time of one direction (of its signalled bits), by their numbers; they add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget(pub [f64; Share::COUNT]);

impl Default for Budget {
    fn default() -> Budget {
        Budget([0.0; Share::COUNT])
    }
}

impl Budget {
    /// One share.
    pub fn of(&self, share: Share) -> f64 {
        self.0[share.index()]
    }
    /// All that are not zero, in the order of printing.
    pub fn shares(&self) -> impl Iterator<Item = (Share, f64)> + '_ {
        Share::all().map(|s| (s, self.of(s))).filter(|&(_, part)| part > 0.0)
    }
    /// 1, but for rounding.
    pub fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn has_every_class_a_number_of_its_own() {
        Wait::own("the kiln");
        let numbers: BTreeSet<usize> = Share::all().map(Share::index).collect();
        assert_eq!(numbers.len(), Share::all().count());
        assert!(numbers.into_iter().all(|number| number < Share::COUNT));
    }
}
