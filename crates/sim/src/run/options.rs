//! How a run is to be made, and who is told of it.

use crate::parts::Provider;
use std::sync::atomic::AtomicBool;
use system::graph::Direction;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Directions whose symbols take 1/1.05 of their time: for seeing whether a link holds a flow back.
    pub faster: &'a [Direction],
    /// Looked at now and then: true ends the run with what there is.
    pub interrupted: Option<&'a AtomicBool>,
    /// The TLP, counted from 1 over all links, that is to have a bit of its payload flipped: for seeing that the
    /// comparison of payload can fail. Zero for none.
    pub flip: u64,
    /// Who builds parts, the first that builds one; after them those who are registered for their kinds.
    pub kinds: &'a [&'a dyn Provider],
    /// Told now and then how far the run is.
    pub watch: Option<Watch<'a>>,
}

/// Who is told how far a run is.
#[derive(Clone, Copy)]
pub struct Watch<'a>(pub &'a (dyn Fn(Told) + Sync));

/// How far a run is, in bytes of payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Where they go.
    pub done: u64,
    /// Of so many.
    pub of: u64,
    /// Of so many at first: where the flows have no window together, they are run once more, and there is more to do.
    pub at_first: u64,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}
