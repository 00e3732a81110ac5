//! What is measured: which subsets of the drives, with which blocks, depths and patterns, and for how long.

use crate::pattern::Pattern;
use std::time::Duration;

/// Which of both directions a thread has first, where each of its turns is a call of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// It reads, and then writes.
    ReadWrite,
    /// It writes, and then reads: what a design sends back, for instance.
    WriteRead,
}

impl Order {
    /// Its words: `read,write` and `write,read`.
    pub fn words(self) -> &'static str {
        match self {
            Order::ReadWrite => "read,write",
            Order::WriteRead => "write,read",
        }
    }

    /// The order of these words.
    pub fn from_words(words: &str) -> Option<Order> {
        [Order::ReadWrite, Order::WriteRead].into_iter().find(|order| order.words() == words)
    }
}

/// Transfers of channels by `read` and `write`, by as many threads as transfers are in flight: see [`crate::run`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Calls {
    /// How long a call looks for its end before it sleeps, in microseconds: the channel's setting `poll_us`, for the run. `None`
    /// leaves it as it is.
    pub poll_us: Option<u32>,
    /// Each thread has both directions of a channel's number, one after the other; `None` where each thread has one.
    pub order: Option<Order>,
}

impl Calls {
    /// True where calls look for their ends.
    pub fn polls(&self) -> bool {
        self.poll_us.is_some_and(|us| us > 0)
    }
}

/// What each drive of a run is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Bytes of a block.
    pub block: u64,
    /// Blocks in flight at each drive.
    pub depth: u32,
    /// Their order.
    pub pattern: Pattern,
    /// Percent of the blocks that are read; the others are written.
    pub reads: u8,
    /// Bytes a second that are asked of each drive, evenly in time; `None` for as many as it gives. The blocks in flight bound
    /// it still.
    pub rate: Option<u64>,
    /// Of channels: by calls. `None` for an io_uring of each drive, or ring mode.
    pub calls: Option<Calls>,
}

/// A card that writes to the window of another one: see [`crate::run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// As in `lanescope0 -> lanescope1`.
    pub name: String,
    /// The channel that sends, a channel to the host.
    pub from: usize,
    /// A channel to the card of the other card, whose window it is.
    pub to: usize,
    /// Where the sending design is a loopback, the channel through which it gets its frames; `None` where it sends by itself.
    pub give: Option<usize>,
    /// Where the other design gives what arrives to its host, the channel from which it is taken, of what was given; `None` where
    /// it takes it by itself.
    pub take: Option<usize>,
}

impl Pair {
    /// What may be under way to a window of 1 MiB, where a design keeps frames for its host; and so the longest frame.
    pub const MOST: u64 = 512 << 10;
}

/// One run: a subset, by the places of its drives, and a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// What the subset is called.
    pub subset: String,
    /// The drives.
    pub drives: Vec<usize>,
    /// Where it is a pair of cards, which one of the plan; its only drive is the channel that sends.
    pub pair: Option<usize>,
    /// What each of them is asked for.
    pub load: Load,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Subsets with their names.
    pub subsets: Vec<(String, Vec<usize>)>,
    /// Pairs of cards, which run after them.
    pub pairs: Vec<Pair>,
    /// Bytes of a block.
    pub blocks: Vec<u64>,
    /// Blocks in flight.
    pub depths: Vec<u32>,
    /// Percent of the blocks that are read.
    pub reads: u8,
    /// Bytes a second that are asked of each drive; `None` for as many as it gives.
    pub rate: Option<u64>,
    /// Orders.
    pub patterns: Vec<Pattern>,
    /// True where ends of blocks are looked for at the device, and not told by interrupts: see [`crate::Polling`]. Channels of
    /// cards are in ring mode then.
    pub polls: bool,
    /// Ways of making calls, each with all blocks and depths; none for transfers that are not made by calls.
    pub calls: Vec<Calls>,
    /// Time of each run that does not count, and that counts.
    pub warm_up: Duration,
    /// See [`Plan::warm_up`].
    pub time: Duration,
}

impl Plan {
    /// Its runs: subset by subset, all loads of each.
    pub fn points(&self) -> Vec<Point> {
        let calls: Vec<Option<Calls>> =
            if self.calls.is_empty() { vec![None] } else { self.calls.iter().copied().map(Some).collect() };
        let mut loads = Vec::new();
        for (&pattern, &block) in
            self.patterns.iter().flat_map(|pattern| self.blocks.iter().map(move |block| (pattern, block)))
        {
            for (&depth, &calls) in self.depths.iter().flat_map(|depth| calls.iter().map(move |calls| (depth, calls))) {
                loads.push(Load { block, depth, pattern, reads: self.reads, rate: self.rate, calls });
            }
        }
        let subsets = self.subsets.iter().map(|(subset, drives)| (subset, drives.clone(), None));
        let pairs = self.pairs.iter().enumerate().map(|(at, pair)| (&pair.name, vec![pair.from], Some(at)));
        let point = |(subset, drives, pair): (&String, Vec<usize>, Option<usize>)| {
            let of = |&load: &Load| Point { subset: subset.clone(), drives: drives.clone(), pair, load };
            loads.iter().map(of).collect::<Vec<_>>()
        };
        subsets.chain(pairs).flat_map(point).collect()
    }

    /// How long all of it takes.
    pub fn lasts(&self) -> Duration {
        (self.warm_up + self.time) * u32::try_from(self.points().len()).unwrap_or(u32::MAX)
    }
}
