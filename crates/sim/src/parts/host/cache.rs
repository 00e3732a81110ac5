//! What the last-level cache does to reads: which lines are in it, and what a request waits beside `read_latency`.

use pcie::Time;
use system::Scenario;
use system::kinds::HostParams;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache {
    /// By flow: how many of 2^32 lines of its buffer are in the cache.
    hits: Vec<u64>,
    /// By flow: true where each command writes its lines before it reads them.
    written: Vec<bool>,
}

impl Cache {
    /// The cache of a host with `params`, where memory is at the other socket of a port with `far`; `None` where all
    /// requests take the same time.
    pub fn new(params: &HostParams, scenario: &Scenario, far: bool) -> Option<Cache> {
        let writes = |flow: &system::Flow| flow.timed.writes_first();
        let hit = |flow: &system::Flow| {
            let share = if writes(flow) { flow.written_share(params) } else { flow.hit_share(params) };
            (share * (1_u64 << 32) as f64) as u64
        };
        let flows = &scenario.flows;
        let varies = params.varies() || params.bounds_lines() || far && !params.far_cache || flows.iter().any(writes);
        let cache = || Cache { hits: flows.iter().map(hit).collect(), written: flows.iter().map(writes).collect() };
        varies.then(cache)
    }

    /// True where requests of `flow` read what it has written before.
    pub fn reads_back(&self, flow: u32) -> bool {
        self.written.get(flow as usize).is_some_and(|&written| written)
    }

    /// True where all lines of a request have just been written, and are where the writes of devices may stay.
    pub fn is_held(&self, flow: u32, address: u64, bytes: u64) -> bool {
        self.reads_back(flow) && !HostParams::lines_of(address, bytes).any(|line| self.is_missed(flow, line))
    }

    pub fn is_missed(&self, flow: u32, line: u64) -> bool {
        mixed(line) >> 32 >= self.hits.get(flow as usize).copied().unwrap_or(1 << 32)
    }

    /// What a request of `flow` waits beside `read_latency`, for memory that is `far` or not.
    pub fn extra(&self, params: &HostParams, flow: u32, (address, bytes): (u64, u64), far: bool) -> Time {
        let mut lines = HostParams::lines_of(address, bytes);
        let missed = match (self.reads_back(flow), far) {
            (true, false) => HostParams::partly_filled(address, bytes).any(|line| self.is_missed(flow, line)),
            (true, true) => !self.is_held(flow, address, bytes),
            (false, _) => far && !params.far_cache || lines.any(|line| self.is_missed(flow, line)),
        };
        let missed = if missed { params.miss_latency } else { Time::ZERO };
        if HostParams::is_split(address, bytes) { missed + params.split_latency } else { missed }
    }
}

/// A number that looks random, always the same for one line.
pub(crate) fn mixed(line: u64) -> u64 {
    let z = (line ^ (line >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
