//! What a drive's thread asks for blocks: an io_uring ([`crate::ring`]); of a channel of a card, its driver's queue
//! ([`crate::aio`]), or the channel in ring mode ([`crate::queue`]).

use std::io;
use std::time::Duration;

/// The end of a block: its place, and its bytes or the kernel's error.
pub(crate) type Ended = (u32, Result<u64, io::Error>);

/// See the module.
pub(crate) trait Blocks {
    /// True where the kernel keeps the memory mapped: a limit of locked memory may forbid it. `None` where it is asked for with each
    /// block.
    fn is_registered(&self) -> Option<bool>;

    /// System calls so far.
    fn calls(&self) -> u64;

    /// Fills the memory of all places with what no drive can make shorter: random bytes, by a seed.
    fn fill(&mut self, seed: u64);

    /// Adds a read of the block at `at` into the memory of `place`, or a write from it. Nothing, where that place is in flight.
    fn ask(&mut self, place: u32, at: u64, reads: bool);

    /// Submits what was added, without waiting.
    fn submit(&mut self) -> io::Result<()>;

    /// Submits what was added, and waits for one end at least.
    fn wait(&mut self) -> io::Result<()>;

    /// Submits what was added, and waits for one end, not longer than `most`.
    fn wait_at_most(&mut self, most: Duration) -> io::Result<()>;

    /// Takes all ends that are there.
    fn ended(&mut self, ends: &mut Vec<Ended>);

    /// Gives up what is in flight, whose ends come then. False where that cannot be done.
    fn abandon(&mut self) -> bool;
}
