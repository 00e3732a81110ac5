//! The lines of requests at memory: the table of those that are read at once, and the DRAM channels behind the cache.

use pcie::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use system::Scenario;
use system::kinds::HostParams;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    /// When each place of the table is free; empty where there is no bound.
    places: BinaryHeap<Reverse<Time>>,
    /// When each channel is free.
    channels: Vec<Time>,
    service: Time,
    /// By flow: how many of 2^32 lines that it writes stay in the cache.
    stay: Vec<u64>,
}

impl Lines {
    /// Those of a host with `params`; `None` where neither table nor channels bound anything.
    pub fn new(params: &HostParams, scenario: &Scenario) -> Option<Lines> {
        let share = |flow: &system::Flow| (flow.written_share(params) * (1_u64 << 32) as f64) as u64;
        params.bounds_lines().then(|| Lines {
            places: (0..params.read_table.0.map_or(0, |places| places.0)).map(|_| Reverse(Time::ZERO)).collect(),
            channels: vec![Time::ZERO; params.dram_channels.0.max(1) as usize],
            service: params.dram_line_service,
            stay: scenario.flows.iter().map(share).collect(),
        })
    }

    /// How long the lines `range` of a request that arrives at `now` wait for places and channels. The data of a line is
    /// ready `latency` after its turn, and its place is free then; `is_missed` says which are read from DRAM.
    pub fn read(
        &mut self,
        now: Time,
        range: std::ops::Range<u64>,
        latency: Time,
        is_missed: impl Fn(u64) -> bool,
    ) -> Time {
        let mut waited = Time::ZERO;
        for line in range {
            let free = self.places.peek().map_or(Time::ZERO, |place| place.0);
            let mut begins = now.max(free);
            if is_missed(line) {
                begins = self.pass(line, begins);
            }
            if let Some(mut place) = self.places.peek_mut() {
                place.0 = begins + latency;
            }
            waited = waited.max(begins - now);
        }
        waited
    }

    /// When the lines `range` that `flow` writes, and that do not stay in the cache, have been given to their channels.
    pub fn write(&mut self, now: Time, flow: u32, range: std::ops::Range<u64>) -> Time {
        let stay = self.stay.get(flow as usize).copied().unwrap_or(1 << 32);
        let spilled = |line: &u64| super::cache::mixed(*line) >> 32 >= stay;
        range.filter(spilled).fold(now, |at, line| at.max(self.pass(line, now)))
    }

    /// When the channel of `line` begins with it.
    fn pass(&mut self, line: u64, now: Time) -> Time {
        let place = (line % self.channels.len() as u64) as usize;
        let Some(free) = self.channels.get_mut(place) else { return now };
        let begins = now.max(*free);
        *free = begins + self.service;
        begins
    }
}
