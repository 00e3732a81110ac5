//! The classes of the loss budget, which divides the time of a link direction.

use crate::cause::Wait;
use std::fmt;

/// One class of the loss budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Share {
    /// Bits that the line encoding adds.
    Encoding,
    /// SKP ordered sets, with the tokens and alignment that they need.
    Skp,
    /// STP, sequence number, LCRC, END; the STP token.
    Framing,
    /// Headers of TLPs that carry the flow's payload.
    Headers,
    /// Symbols left empty because TLPs start only at certain lanes.
    Alignment,
    /// ACK and UpdateFC DLLPs for TLPs of the other direction.
    Dllps,
    /// Whole TLPs without payload of the flow: read requests, doorbells, status writes.
    Requests,
    /// TLPs of other flows.
    OtherFlows,
    /// The flow's payload.
    Payload,
    /// Nothing on the link.
    Idle(Wait),
}

impl Share {
    /// The classes with something on the link, in order of printing. Where two apply, the earlier one counts.
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

    /// The largest possible number of classes.
    pub const COUNT: usize = Share::BUSY.len() + Wait::COUNT;

    /// All classes in order of printing: first those with something on the link, then the waits.
    pub fn all() -> impl Iterator<Item = Share> {
        Share::BUSY.into_iter().chain(Wait::all().map(Share::Idle))
    }

    /// A unique number below [`Share::COUNT`].
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

/// The share of each class in the signalling time of a direction, by class number. The sum is 1.
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
    /// The shares above zero, in order of printing.
    pub fn shares(&self) -> impl Iterator<Item = (Share, f64)> + '_ {
        Share::all().map(|s| (s, self.of(s))).filter(|&(_, part)| part > 0.0)
    }
    /// The sum of all shares: 1, except for rounding.
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
        let numbers: BTreeSet<usize> = Share::all().map(Share::index).collect();
        assert_eq!(numbers.len(), Share::all().count());
        assert!(numbers.into_iter().all(|number| number < Share::COUNT));
    }
}
