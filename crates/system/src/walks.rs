//! The IOMMU of a host: which pages its IOTLB can hold, and what a flow makes it walk, or ask for with ATS.

use crate::flow::{Drive, Flow};
use crate::graph::System;
use crate::kinds::HostParams;
use crate::kinds::host::PAGE_BYTES;
use crate::pattern::{Order, mixed};
use pcie::Time;

/// Pages of one page table.
pub const PAGES_PER_TABLE: u64 = 512;

impl HostParams {
    /// The sets of the IOTLB, and the pages of each. Superpages have no sets: which address bits choose a set is known only
    /// once the size of the page is, so that an array of their own is searched as a whole.
    pub fn iotlb(&self) -> (u64, u64) {
        let entries = self.iotlb_entries.0.max(1);
        let ways = match self.iommu_page > PAGE_BYTES {
            true => entries,
            false => self.iotlb_ways.0.map_or(entries, |ways| ways.0.clamp(1, entries)),
        };
        (entries / ways, ways)
    }

    /// The set of page `number` among `sets`.
    pub fn iotlb_set(number: u64, sets: u64) -> u64 {
        if sets <= 1 { 0 } else { mixed(number) % sets }
    }

    /// The most of `pages` that the IOTLB holds at once: all its entries without sets; with sets, what these hold on average
    /// where a hash gives each page its set, and three standard deviations more.
    fn most_held(&self, pages: f64) -> f64 {
        let (sets, ways) = self.iotlb();
        if sets == 1 {
            return ways as f64;
        }
        // The number of pages of a set follows Poisson's law.
        let mean = pages / sets as f64;
        let (mut share, mut rest, mut held, mut square) = ((-mean).exp(), 1.0, 0.0, 0.0);
        for n in 0..ways {
            (held, square) = (held + n as f64 * share, square + (n * n) as f64 * share);
            rest -= share;
            share *= mean / (n + 1) as f64;
        }
        (held, square) = (held + ways as f64 * rest, square + (ways * ways) as f64 * rest);
        let sets = sets as f64;
        sets * held + 3.0 * (sets * (square - held * held).max(0.0)).sqrt()
    }
}

/// The least share that misses in `count` tries where the mean is `mean`: three standard deviations below.
fn least(mean: f64, count: u64) -> f64 {
    (mean - 3.0 * (mean * (1.0 - mean) / count as f64).sqrt()).max(0.0)
}

impl Flow {
    /// True where the card translates its addresses itself (ATS).
    pub fn is_translated(&self, system: &System) -> bool {
        let card = || system.part(self.initiator).kind.card().is_some_and(|card| card.ats && !card.is_compiled());
        let host = || system.part(self.target).kind.host().is_some_and(|host| host.iommu);
        !self.operation.is_pio() && !self.timed.is_by_command() && host() && card()
    }

    /// Page walks of the IOMMU of `host` for each command, at least, while this flow alone fills the IOTLB.
    pub fn walks(&self, host: &HostParams) -> f64 {
        if !host.iommu || self.operation.is_pio() {
            return 0.0;
        }
        self.entered(host, host.iotlb_entries.0, |pages| host.most_held(pages)).max(self.anew(host))
    }

    /// Translation Requests for each command, at least, of an Address Translation Cache of `entries` pages.
    pub fn translations(&self, host: &HostParams, entries: u64) -> f64 {
        self.entered(host, entries, |_| entries as f64).max(self.anew(host))
    }

    /// Pages that each command enters for the first time since the last invalidation, at least.
    fn anew(&self, host: &HostParams) -> f64 {
        let strict = host.invalidates() && host.invalidation_commands.0 == 1 && self.drive == Drive::Software;
        if strict { (self.command.0 as f64 / host.iommu_page.0.max(1) as f64).max(1.0) } else { 0.0 }
    }

    /// Pages for each command that are not among those which a cache holds, at least. It holds `most_held` of so many pages at
    /// once, and so many of them that are used one after another over and over as fit into its `entries`.
    fn entered(&self, host: &HostParams, entries: u64, most_held: impl Fn(f64) -> f64) -> f64 {
        let pages = self.pages(host);
        if self.operation.is_queued() {
            // Buffers are used again as commands end, in whatever order: each page was last used a random time ago.
            return self.command_pages(host) * (1.0 - (most_held(pages) / pages.max(1.0)).min(1.0));
        }
        // Commands one after another enter each page once, the first one before the steady state.
        let Some(pattern) = self.pattern else { return self.command_pages(host) * (1.0 - 1.0 / pages.max(1.0)) };
        match pattern.order {
            Order::Sequential if pages <= entries as f64 => 0.0,
            Order::Sequential => self.command_pages(host),
            Order::Random => {
                let missed = 1.0 - (most_held(pages) / pages).min(1.0);
                least(missed, self.commands()) * self.command_pages(host)
            }
        }
    }

    /// The pages that a command of its own enters: less than one where commands share pages one after another.
    pub fn command_pages(&self, host: &HostParams) -> f64 {
        let (page, command) = (host.iommu_page.0.max(1) as f64, self.command.0.max(1));
        let own = command as f64 / page;
        if self.operation.is_queued() {
            return own.ceil();
        }
        match self.pattern {
            None => own,
            Some(pattern) if pattern.order == Order::Random => own.max(1.0),
            Some(pattern) => (pattern.stride(command) as f64 / page).min(own.ceil()),
        }
    }

    /// The pages of its buffer that commands touch.
    fn pages(&self, host: &HostParams) -> f64 {
        let (page, command) = (host.iommu_page.0.max(1) as f64, self.command.0.max(1));
        if self.operation.is_queued() {
            // Each command in flight has a buffer of its own, wherever on the drive its data lies.
            return self.work.in_flight() as f64 * (command as f64 / page).ceil();
        }
        let Some(pattern) = self.pattern else { return (self.whole_volume().0 as f64 / page).ceil() };
        // Places farther apart than a page leave pages between them that no command touches.
        let own = (command as f64 / page).ceil();
        (pattern.bytes(command) as f64 / page).ceil().min(pattern.places(command) as f64 * own)
    }

    /// How long a page walk takes on average, at least.
    pub fn walk_time(&self, host: &HostParams) -> Time {
        let random = self.pattern.is_some_and(|pattern| pattern.order == Order::Random);
        let (Some(held), true) = (host.walk_cache.0, random) else { return host.walk_latency };
        let tables = self.pages(host) / PAGES_PER_TABLE as f64;
        let missed = least((1.0 - held.0 as f64 / tables).max(0.0), self.commands());
        host.walk_latency + Time::from_fs((host.table_latency.as_fs() as f64 * missed) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Cap, Count};

    #[test]
    fn how_many_pages_do_sets_of_one_page_hold() {
        let host = HostParams { iotlb_entries: Count(128), iotlb_ways: Cap(Some(Count(1))), ..HostParams::default() };
        assert_eq!(host.iotlb(), (128, 1));
        for pages in [64_u64, 128, 256, 1024] {
            // Each set is empty with the probability exp(-pages / 128).
            let by_hand = 128.0 * (1.0 - (-(pages as f64) / 128.0).exp());
            let deviation = (128.0 * (by_hand / 128.0) * (1.0 - by_hand / 128.0)).sqrt();
            assert!((host.most_held(pages as f64) - by_hand - 3.0 * deviation).abs() < 1e-6);
            let mut sets = [false; 128];
            (0..pages).for_each(|page| sets[HostParams::iotlb_set(page + 77, 128) as usize] = true);
            let held = sets.iter().filter(|&&set| set).count() as f64;
            assert!((held - by_hand).abs() < 3.0 * deviation.max(1.0), "{pages} pages: {held}, by hand {by_hand}");
        }
        let superpages = HostParams { iommu_page: pcie::Bytes(2 << 20), ..host };
        assert_eq!(superpages.iotlb(), (1, 128), "superpages have no sets");
    }
}
