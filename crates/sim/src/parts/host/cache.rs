//! What the last-level cache does to reads: which lines are in it, and what a request waits beside `read_latency`.

use pcie::Time;
use system::Scenario;
use system::kinds::HostParams;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache {
    /// By flow: how many of 2^32 lines of its buffer are in the cache.
    hits: Vec<u64>,
}

impl Cache {
    /// The cache of a host with `params`; `None` where all requests take the same time.
    pub fn new(params: &HostParams, scenario: &Scenario) -> Option<Cache> {
        let hit = |flow: &system::Flow| (flow.hit_share(params) * (1_u64 << 32) as f64) as u64;
        params.varies().then(|| Cache { hits: scenario.flows.iter().map(hit).collect() })
    }

    /// What a request of `flow` waits beside `read_latency`.
    pub fn extra(&self, params: &HostParams, flow: u32, address: u64, bytes: u64) -> Time {
        let hits = self.hits.get(flow as usize).copied().unwrap_or(1 << 32);
        let missed = HostParams::lines_of(address, bytes).any(|line| mixed(line) >> 32 >= hits);
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
