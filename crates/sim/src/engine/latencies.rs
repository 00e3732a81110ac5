//! Latencies with three significant digits, stored sparsely. The histogram library computes shares and medians.

use hdrhistogram::Histogram;
use pcie::Time;

/// The latencies of a flow's TLPs (of its requests, for a read).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    /// How many were measured.
    pub count: u64,
    /// Their mean.
    pub mean: Time,
    /// The least.
    pub min: Time,
    /// Half of them are at most this.
    pub median: Time,
    /// 99 % of them are at most this.
    pub p99: Time,
    /// 99.9 % of them are at most this.
    pub p999: Time,
    /// The greatest.
    pub max: Time,
}

/// Significant bits kept: as many as the library keeps for three significant digits.
const BITS: u32 = 11;
/// Counters in one page.
const PAGE: usize = 32;

/// How often each latency occurred, in picoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies {
    /// Sorted page numbers; `numbers[i]` belongs to `pages[i]`.
    numbers: Vec<u32>,
    pages: Vec<[u64; PAGE]>,
    /// The index of the page used last.
    last: usize,
}

impl Latencies {
    pub fn record(&mut self, ps: u64) {
        let key = key(ps);
        let number = key / PAGE as u32;
        if self.numbers.get(self.last) != Some(&number) {
            self.last = self.numbers.binary_search(&number).unwrap_or_else(|place| {
                self.numbers.insert(place, number);
                self.pages.insert(place, [0; PAGE]);
                place
            });
        }
        self.pages[self.last][key as usize % PAGE] += 1;
    }

    /// All latencies as a histogram of the library.
    pub fn histogram(&self) -> Histogram<u64> {
        let mut all = new_histogram();
        for (&number, page) in self.numbers.iter().zip(&self.pages) {
            for (key, &count) in (number * PAGE as u32..).zip(page.iter()).filter(|(_, count)| **count > 0) {
                // The histogram resizes itself: recording cannot fail.
                let _ = all.record_n(value(key), count);
            }
        }
        all
    }
}

/// The key of a latency: equal for values with the same leading bits, and in order of the values.
fn key(ps: u64) -> u32 {
    let shift = (u64::BITS - ps.leading_zeros()).saturating_sub(BITS);
    (shift << BITS) + (ps >> shift) as u32
}

/// The smallest value with this key.
fn value(key: u32) -> u64 {
    let shift = key >> BITS;
    ((key & ((1 << BITS) - 1)) as u64) << shift
}

/// A histogram in picoseconds with three significant digits.
fn new_histogram() -> Histogram<u64> {
    #[expect(clippy::expect_used, reason = "three significant digits are within the library's 0 to 5")]
    let mut histogram = Histogram::new(3).expect("3 significant digits");
    histogram.auto(true);
    histogram
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_what_comes_out_that_of_a_histogram_with_room_for_everything(
            latencies in prop::collection::vec((0u32..60, 0u64..4096), 1..300),
        ) {
            let (mut some, mut all) = (Latencies::default(), new_histogram());
            for (shift, ps) in latencies.into_iter().map(|(shift, ps)| (shift.min(50), ps)) {
                let ps = ps << shift | ps;
                some.record(ps);
                all.record(ps).unwrap();
            }
            let made = some.histogram();
            prop_assert_eq!((made.len(), made.min(), made.max()), (all.len(), all.min(), all.max()));
            for share in [0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0] {
                prop_assert_eq!(made.value_at_quantile(share), all.value_at_quantile(share));
            }
        }
    }

    #[test]
    fn do_latencies_of_one_octave_take_a_few_kilobytes() {
        let mut latencies = Latencies::default();
        (0..1_000_000).for_each(|n| latencies.record(1_000_000 + n));
        assert!(latencies.pages.len() * PAGE * 8 <= 16 << 10, "{} pages", latencies.pages.len());
    }
}
