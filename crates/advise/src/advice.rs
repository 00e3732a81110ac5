//! The answer: what was found of each candidate.

use crate::candidate::Candidate;
use crate::slot::Slot;
use crate::workload::Workload;
use pcie::{LinkSpeed, Rate, Time};

/// What was found of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It carries the workload, and its growth.
    Carries,
    /// It carries the workload as it is, and not its growth.
    UntilItGrows,
    /// It does not carry the workload.
    TooSlow,
    /// The machine has too few free slots for it.
    NoSlot,
}

impl Verdict {
    /// The verdict as words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Carries => "carries it",
            Verdict::UntilItGrows => "until it grows",
            Verdict::TooSlow => "too slow",
            Verdict::NoSlot => "no slot",
        }
    }
}

/// What a candidate gives to one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// The most that it gives this stream alone, with no more in flight than the stream has and within its bound of latency;
    /// simulated. 0 if not even one block is answered in time.
    pub rate: Rate,
    /// The limit of the same.
    pub limit: Rate,
    /// The least number in flight that was tried and suffices, growth included.
    pub in_flight: Option<u64>,
    /// The mean latency of a block with so many in flight; with as many as give `rate` where none suffices.
    pub latency: Time,
    /// How long a load takes beside the other streams; `None` without a load, or where they leave nothing.
    pub load_time: Option<Time>,
    /// Where it stops.
    pub stops_at: String,
}

/// A candidate in its slots.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The candidate.
    pub candidate: Candidate,
    /// Its slots, one for each of its parts.
    pub slots: Vec<Slot>,
    /// Free slots of the machine that its part goes into.
    pub fits: usize,
    /// In the order of the streams; empty without a slot.
    pub served: Vec<Served>,
    /// How many times the workload as it is.
    pub headroom: f64,
    /// How many times the workload with its growth.
    pub grown: f64,
    /// What follows.
    pub verdict: Verdict,
    /// True if streams move the arm of a disk from one to another.
    pub moves_arm: bool,
}

/// The advised candidate in another slot, or on another link.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The slot.
    pub slot: Slot,
    /// How many times the workload as it is.
    pub headroom: f64,
    /// What follows.
    pub verdict: Verdict,
    /// Where it stops, by the stream with the greatest share.
    pub stops_at: String,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Advice {
    /// What must be carried.
    pub workload: Workload,
    /// The name of the machine.
    pub machine: String,
    /// Each candidate, cheapest first. Fewer if interrupted.
    pub judged: Vec<Judged>,
    /// For the usual machine: the least link with which the advised candidate carries the workload.
    pub least_link: Option<LinkSpeed>,
    /// For the user's own machine: the advised candidate, if it takes one slot, in each of its free slots.
    pub slots: Vec<Tried>,
    /// False if interrupted.
    pub complete: bool,
}

impl Advice {
    /// The first candidate that carries the workload with its growth.
    pub fn choice(&self) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.verdict == Verdict::Carries)
    }
}
