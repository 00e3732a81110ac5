//! Run options, and reports of progress.

use crate::parts::Provider;
use std::sync::atomic::AtomicBool;
use system::graph::Direction;

/// Run options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Directions whose symbols take 1/1.05 of their time: a test whether a link is the bottleneck.
    pub faster: &'a [Direction],
    /// Checked now and then. True ends the run with a partial outcome.
    pub interrupted: Option<&'a AtomicBool>,
    /// Flips one payload bit of this TLP, counted from 1 over all links: a test that the comparison of payload can
    /// fail. Zero for none.
    pub flip: u64,
    /// Providers of parts; the first that builds a part is used. Registered providers come after these.
    pub kinds: &'a [&'a dyn Provider],
    /// Receives reports of progress.
    pub watch: Option<Watch<'a>>,
    /// Ends the run with its window: see [`Brief`].
    pub brief: Option<Brief>,
}

/// A run that ends with its window, for the rates of a scenario that was run before. The window opens where that of the
/// whole run opens, or earlier, and closes as soon as every flow has moved enough. Volumes, and what an application sees of their end,
/// are not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// True where the whole run extended its flows: [`crate::MeasuredWindow::prolonged`].
    pub prolonged: bool,
    /// The window opens after one part in this many of what a whole run needs for that.
    pub warm_part: u64,
    /// The window needs one part in this many of what a whole run needs.
    pub part: u64,
    /// A run that takes more events than this is given up: its outcome is partial.
    pub most_events: u64,
}

/// A receiver of reports of progress.
#[derive(Clone, Copy)]
pub struct Watch<'a>(pub &'a (dyn Fn(Told) + Sync));

/// The progress of a run, in payload bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Bytes delivered.
    pub done: u64,
    /// Bytes to deliver.
    pub of: u64,
    /// Bytes to deliver at first. A second run with extended flows adds to that.
    pub at_first: u64,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}
