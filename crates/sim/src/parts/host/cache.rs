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
    /// The cache of a host with `params`; `None` where all requests take the same time.
    pub fn new(params: &HostParams, scenario: &Scenario) -> Option<Cache> {
        let writes = |flow: &system::Flow| flow.timed.writes_first();
        let hit = |flow: &system::Flow| {
            let share = if writes(flow) { flow.written_share(params) } else { flow.hit_share(params) };
            (share * (1_u64 << 32) as f64) as u64
        };
        let flows = &scenario.flows;
        let varies = params.varies() || flows.iter().any(writes);
        let cache = || Cache { hits: flows.iter().map(hit).collect(), written: flows.iter().map(writes).collect() };
        varies.then(cache)
    }

    /// True where requests of `flow` read what it has written before.
    pub fn reads_back(&self, flow: u32) -> bool {
        self.written.get(flow as usize).is_some_and(|&written| written)
    }

    /// What a request of `flow` waits beside `read_latency`.
    pub fn extra(&self, params: &HostParams, flow: u32, address: u64, bytes: u64) -> Time {
        let hits = self.hits.get(flow as usize).copied().unwrap_or(1 << 32);
        let is_missed = |line: u64| mixed(line) >> 32 >= hits;
        let missed = match self.reads_back(flow) {
            true => HostParams::partly_filled(address, bytes).any(is_missed),
            false => HostParams::lines_of(address, bytes).any(is_missed),
        };
        let missed = if missed { params.miss_latency } else { Time::ZERO };
        if HostParams::is_split(address, bytes) { missed + params.split_latency } else { missed }
    }
}

/// A number that looks random, always the same for one line.
fn mixed(line: u64) -> u64 {
    let z = (line ^ (line >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
