//! What a search for causes is given.

use std::sync::atomic::AtomicBool;

/// The flows whose causes are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The slowest flow; if the flows have several operations, the slowest flow of each.
    Slowest,
    /// Each flow.
    Each,
}

/// How much is run to find the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Nothing is run: the answer is what the limit names, without a proof.
    Nothing,
    /// No more events than the run itself, or a few million where that is more: short runs of what the limit and the waits
    /// of the links suggest. What they do not confirm is not proved.
    AsTheRun,
    /// Everything is tried, however long it takes. This is what the other effort is judged by.
    Full,
}

/// Options of the search for causes.
pub struct SearchOptions<'a> {
    /// The number of points searched at a time; `None`: the number of cores.
    pub threads: Option<usize>,
    /// Set to true to end the search early.
    pub interrupted: &'a AtomicBool,
    /// Providers of parts whose kinds the simulation does not have itself.
    pub kinds: &'a [&'a dyn sim::parts::Provider],
    /// The flows whose causes are searched.
    pub whose: Whose,
    /// How much is run.
    pub effort: Effort,
}
