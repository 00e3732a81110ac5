//! Translation of addresses by an IOMMU: the IOTLB, and the walks of those whose page is not in it.

use pcie::Time;
use system::kinds::HostParams;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Iommu {
    /// The pages in the IOTLB and when each is translated, the last used first.
    pages: Vec<(u64, Time)>,
    entries: usize,
    page_bytes: u64,
    walk_latency: Time,
    walk_gap: Time,
    /// When the next walk may begin.
    next_walk: Time,
    /// By root port: when the last write was translated. Writes stay in order.
    last_write: Vec<Time>,
}

impl Iommu {
    /// The IOMMU of a host with `params` and so many root ports; `None` where there is none.
    pub fn new(params: &HostParams, ports: usize) -> Option<Iommu> {
        params.iommu.then(|| Iommu {
            pages: Vec::new(),
            entries: params.iotlb_entries.0.max(1) as usize,
            page_bytes: params.iommu_page.0.max(1),
            walk_latency: params.walk_latency,
            walk_gap: params.walk_gap,
            next_walk: Time::ZERO,
            last_write: vec![Time::ZERO; ports],
        })
    }

    /// When the address of a read request that arrives at `now` is translated.
    pub fn read(&mut self, now: Time, address: u64) -> Time {
        let page = address / self.page_bytes;
        if let Some(place) = self.pages.iter().position(|(known, _)| *known == page) {
            self.pages[..=place].rotate_right(1);
            return self.pages[0].1.max(now);
        }
        let begins = now.max(self.next_walk);
        self.next_walk = begins + self.walk_gap;
        self.pages.truncate(self.entries - 1);
        self.pages.insert(0, (page, begins + self.walk_latency));
        begins + self.walk_latency
    }

    /// When all writes that have arrived by `port` are translated. A message waits for them and is not translated itself.
    pub fn last_write(&self, port: usize) -> Time {
        self.last_write.get(port).copied().unwrap_or(Time::ZERO)
    }

    /// When a write that arrives by `port` at `now` is translated, and all before it.
    pub fn write(&mut self, port: usize, now: Time, address: u64) -> Time {
        let translated = self.read(now, address);
        let Some(last) = self.last_write.get_mut(port) else { return translated };
        *last = translated.max(*last);
        *last
    }
}
