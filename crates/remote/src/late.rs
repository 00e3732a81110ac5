//! Writes of the engine that reach the guest's memory later than they were sent, by faults; loads of registers are answered at
//! once meanwhile, as a block may do that keeps no order between the two (UltraScale+).

use crate::counters::{Counters, Fault, SLOW};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// How long they take with [`Fault::LateWrites`].
const LATE: Duration = Duration::from_millis(30);
/// Offset of a channel's register with the address of its records, and bytes of all of them.
const RECORD_BASE: u64 = 0x10;
const RECORDS: u64 = 16 << 10;
/// Of the first double word of a record: cause and count. One of no descriptors that were aborted ends an abort.
const CAUSE_AND_COUNT: u32 = 0xffff_0f00;
const ENDS: u32 = 0x0600;

/// What the engine has written: an address of the bus, and bytes.
pub type Write = (u64, Vec<u8>);

/// See the module.
#[derive(Debug, Default)]
pub struct Late {
    /// In the order in which they were sent.
    queue: VecDeque<(Instant, Write)>,
    /// Records that end an abort, each by itself.
    ends: Vec<(Instant, Write)>,
    /// Where the records of each channel are, by the offset of its registers.
    records: BTreeMap<u64, u64>,
    /// Until when channels that were aborted say that they are busy.
    slow: BTreeMap<u64, Instant>,
}

impl Late {
    /// The guest has stored a value at that register of a channel.
    pub fn stored(&mut self, offset: u64, value: u64) {
        if offset & 0xff == RECORD_BASE {
            self.records.insert(offset - RECORD_BASE, value);
        }
    }

    /// That channel is aborted, and takes its time.
    pub fn slow(&mut self, channel: u64) {
        self.slow.insert(channel, Instant::now() + SLOW);
    }

    /// Whether it says still that it is busy.
    pub fn is_slow(&self, channel: u64) -> bool {
        self.slow.get(&channel).is_some_and(|until| Instant::now() < *until)
    }

    /// Whether a write is the record that ends an abort of a channel, and of which.
    pub fn ends(&self, (address, data): &Write) -> Option<u64> {
        let first = u32::from_le_bytes(data.get(..4)?.try_into().ok()?);
        let ends = data.len() == 16 && first & CAUSE_AND_COUNT == ENDS;
        let channel = self.records.iter().find(|(_, base)| address.checked_sub(**base).is_some_and(|at| at < RECORDS));
        channel.filter(|_| ends).map(|(channel, _)| *channel)
    }

    /// A write that lands now, unless a fault holds it up.
    pub fn sent(&mut self, write: Write, counters: &Counters) -> Option<Write> {
        if let Some(until) = self.ends(&write).and_then(|channel| self.slow.get(&channel))
            && Instant::now() < *until
        {
            self.ends.push((*until, write));
            return None;
        }
        if counters.lasts(Fault::LateWrites) || !self.queue.is_empty() {
            self.queue.push_back((Instant::now() + LATE, write));
            return None;
        }
        Some(write)
    }

    /// How long until the next one lands; `None` where none is late.
    pub fn next(&self) -> Option<Duration> {
        let first = self.queue.front().into_iter().chain(&self.ends).map(|(until, _)| *until).min()?;
        Some(first.saturating_duration_since(Instant::now()))
    }

    /// One that lands now.
    pub fn land(&mut self) -> Option<Write> {
        if self.queue.is_empty() && self.ends.is_empty() {
            return None;
        }
        let now = Instant::now();
        if self.queue.front().is_some_and(|(until, _)| *until <= now) {
            return self.queue.pop_front().map(|(_, write)| write);
        }
        let due = self.ends.iter().position(|(until, _)| *until <= now)?;
        Some(self.ends.swap_remove(due).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn is_the_record_that_ends_an_abort_told_from_others() {
        let mut late = Late::default();
        late.stored(0x210, 0x4000);
        late.stored(0x218, 0x8000);
        let record = |first: u32| [first.to_le_bytes().to_vec(), vec![0; 12]].concat();
        let ends = [(0x4010, 0x0601), (0x4010, 0x1_0601), (0x4010, 1), (0x8010, 0x0601)];
        assert_eq!(ends.map(|(at, first)| late.ends(&(at, record(first)))), [Some(0x200), None, None, None]);
    }

    #[test]
    fn do_late_writes_land_in_their_order_and_none_passes_them() {
        let (mut late, counters) = (Late::default(), Counters::default());
        assert_eq!(late.sent((1, vec![]), &counters), Some((1, vec![])));
        counters.fault.store(1 << 8 | Fault::LateWrites as u32, Ordering::Relaxed);
        assert_eq!(late.sent((2, vec![]), &counters), None);
        counters.fault.store(0, Ordering::Relaxed);
        assert_eq!(late.sent((3, vec![]), &counters), None);
        assert_eq!(late.land(), None);
        std::thread::sleep(late.next().unwrap() + LATE);
        assert_eq!(
            [late.land(), late.land(), late.land()].map(|write| write.map(|(at, _)| at)),
            [Some(2), Some(3), None]
        );
    }
}
