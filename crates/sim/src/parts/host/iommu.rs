//! Translation of addresses by an IOMMU: the IOTLB, and the walks of those whose page is not in it.

use crate::parts::recent::Recent;
use pcie::Time;
use system::kinds::HostParams;
use system::walks::PAGES_PER_TABLE;

/// A page in the IOTLB.
#[derive(Clone, Copy, Debug)]
struct Page {
    number: u64,
    /// The flow that it was walked for.
    flow: u32,
    /// When it is translated.
    at: Time,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Iommu {
    /// By set: the pages of the IOTLB.
    sets: Vec<Recent<Page>>,
    /// The page-walk cache, by table; `None` where it holds all.
    tables: Option<Recent<u64>>,
    page_bytes: u64,
    walk_latency: Time,
    walk_gap: Time,
    line_lookup: Time,
    table_latency: Time,
    /// When the pipeline is free for the next request.
    free: Time,
    /// When each walker is free; empty where there is no bound.
    walkers: Vec<Time>,
    /// By root port: when the last write was translated. Writes stay in order.
    last_write: Vec<Time>,
}

impl Iommu {
    /// The IOMMU of a host with `params` and so many root ports; `None` where there is none.
    pub fn new(params: &HostParams, ports: usize) -> Option<Iommu> {
        let (sets, ways) = params.iotlb();
        params.iommu.then(|| Iommu {
            sets: vec![Recent::new(ways); sets as usize],
            tables: params.walk_cache.0.map(|tables| Recent::new(tables.0)),
            page_bytes: params.iommu_page.0.max(1),
            walk_latency: params.walk_latency,
            walk_gap: params.walk_gap,
            line_lookup: params.line_lookup,
            table_latency: params.table_latency,
            free: Time::ZERO,
            walkers: vec![Time::ZERO; params.walkers.0.map_or(0, |walkers| walkers.0 as usize)],
            last_write: vec![Time::ZERO; ports],
        })
    }

    /// When the address of a read request of `flow` for `bytes` that arrives at `now` is translated.
    pub fn read(&mut self, now: Time, flow: u32, (address, bytes): (u64, u64)) -> Time {
        let lines = HostParams::lines_of(address, bytes);
        self.translate(now, flow, address, self.line_lookup * (lines.end - lines.start))
    }

    /// A request that needs `lookups` of the pipeline, and the walk of its page where the IOTLB does not have it.
    fn translate(&mut self, now: Time, flow: u32, address: u64, lookups: Time) -> Time {
        let number = address / self.page_bytes;
        let place = HostParams::iotlb_set(number, self.sets.len() as u64) as usize;
        let Some(set) = self.sets.get_mut(place) else { return now };
        let passed = now.max(self.free) + lookups;
        self.free = passed;
        if let Some(page) = set.find(|page| page.number == number) {
            return page.at.max(passed);
        }
        let walker = self.walkers.iter_mut().min();
        let begins = passed.max(walker.as_deref().copied().unwrap_or(Time::ZERO));
        self.free = begins + self.walk_gap;
        let table = number / PAGES_PER_TABLE;
        let known = self.tables.as_mut().is_none_or(|tables| tables.find(|other| *other == table).is_some());
        if let Some(tables) = self.tables.as_mut().filter(|_| !known) {
            tables.add(table);
        }
        let at = begins + self.walk_latency + if known { Time::ZERO } else { self.table_latency };
        if let Some(walker) = walker {
            *walker = at;
        }
        set.add(Page { number, flow, at });
        at
    }

    /// Software has invalidated the pages of `flow`.
    pub fn forget(&mut self, flow: u32) {
        self.sets.iter_mut().for_each(|set| set.keep(|page| page.flow != flow));
    }

    /// When all writes that have arrived by `port` are translated. A message waits for them and is not translated itself.
    pub fn last_write(&self, port: usize) -> Time {
        self.last_write.get(port).copied().unwrap_or(Time::ZERO)
    }

    /// When a write of `flow` that arrives by `port` at `now` is translated, and all before it.
    pub fn write(&mut self, port: usize, now: Time, flow: u32, address: u64) -> Time {
        let translated = self.translate(now, flow, address, Time::ZERO);
        let Some(last) = self.last_write.get_mut(port) else { return translated };
        *last = translated.max(*last);
        *last
    }
}
