//! What is measured: which subsets of the drives, with which blocks, depths and patterns, and for how long.

use crate::pattern::Pattern;
use std::time::Duration;

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
}

/// One run: a subset, by the places of its drives, and a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// What the subset is called.
    pub subset: String,
    /// The drives.
    pub drives: Vec<usize>,
    /// What each of them is asked for.
    pub load: Load,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Subsets with their names.
    pub subsets: Vec<(String, Vec<usize>)>,
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
    /// Time of each run that does not count, and that counts.
    pub warm_up: Duration,
    /// See [`Plan::warm_up`].
    pub time: Duration,
}

impl Plan {
    /// Its runs: subset by subset, all loads of each.
    pub fn points(&self) -> Vec<Point> {
        let loads = self.patterns.iter().flat_map(|&pattern| {
            let (reads, rate) = (self.reads, self.rate);
            let of_block =
                move |block: u64| self.depths.iter().map(move |&depth| Load { block, depth, pattern, reads, rate });
            self.blocks.iter().flat_map(move |&block| of_block(block))
        });
        let loads: Vec<Load> = loads.collect();
        let point = |(subset, drives): &(String, Vec<usize>)| {
            let of = |&load: &Load| Point { subset: subset.clone(), drives: drives.clone(), load };
            loads.iter().map(of).collect::<Vec<_>>()
        };
        self.subsets.iter().flat_map(point).collect()
    }

    /// How long all of it takes.
    pub fn lasts(&self) -> Duration {
        (self.warm_up + self.time) * u32::try_from(self.points().len()).unwrap_or(u32::MAX)
    }
}
