//! Sorts records by time.
//!
//! The simulation records DLLPs that no transmitter waited for when their direction makes its next decision, with times
//! in the past. Records are kept back until enough later ones have arrived. A record that arrives even later is
//! out of order in the file.
//!
//! Records stay in the batches in which they arrived; only keys are sorted. They arrive nearly in order, so that a batch
//! is read nearly from its beginning to its end.

use pcie::Time;
use sim::trace::Record;
use std::collections::VecDeque;

/// Records kept back.
const WINDOW: usize = 1 << 14;
/// Records that arrive between two releases.
const STEP: usize = 1 << 13;
/// How far a new record is moved back within `fresh`. TLPs of several links, and their effects, arrive nearly in order.
const NEAR: usize = 8;
/// The largest number of batches that later records may keep. Beyond it, the remaining records move into one batch.
const MOST: usize = 64;

/// Time, number of the batch and index in it, in one number. Records with equal times stay in the order in which they
/// came.
type Key = u128;

/// The records that are kept back, sorted by time, and by arrival where times are equal.
#[derive(Debug, Default)]
pub(crate) struct Order {
    batches: VecDeque<Batch>,
    /// The number of the first batch.
    first: u32,
    /// Sorted: kept back before.
    kept: Vec<Key>,
    /// Sorted: arrived since.
    fresh: Vec<Key>,
    /// Arrived since, with times in the past.
    late: Vec<Key>,
}

#[derive(Debug, Default)]
struct Batch {
    records: Vec<Record>,
    /// How many of them are still to be released.
    left: usize,
}

impl Order {
    /// Records more.
    pub fn push(&mut self, records: Vec<Record>) {
        let number = self.first + self.batches.len() as u32;
        for (place, record) in (0..).zip(&records) {
            self.put(key(when(record), number, place));
        }
        self.batches.push_back(Batch { left: records.len(), records });
    }

    /// Inserts a key into `fresh`, where its place is near the end.
    fn put(&mut self, key: Key) {
        if self.fresh.last().is_none_or(|&last| last < key) {
            self.fresh.push(key);
            return;
        }
        let near = self.fresh.len().saturating_sub(NEAR);
        match self.fresh[near..].iter().rposition(|&before| before < key) {
            Some(before) => self.fresh.insert(near + before + 1, key),
            None => self.late.push(key),
        }
    }

    /// Releases the records that are old enough, oldest first; all of them at the `end`.
    pub fn ripe(&mut self, end: bool, mut take: impl FnMut(&Record)) {
        let count = match (end, self.kept.len() + self.fresh.len() + self.late.len()) {
            (true, all) => all,
            (false, all) if all >= WINDOW + STEP => all - WINDOW,
            _ => return,
        };
        // What is in order already, the stable sort finds and leaves as it is.
        self.kept.append(&mut self.fresh);
        self.kept.append(&mut self.late);
        self.kept.sort();
        for key in self.kept.drain(..count) {
            let batch = &mut self.batches[(batch(key) - self.first) as usize];
            batch.left -= 1;
            take(&batch.records[place(key)]);
        }
        if self.batches.len() > MOST {
            self.gather();
        }
    }

    /// A batch of which all records, and those of all earlier batches, are released.
    pub fn spent(&mut self) -> Option<Vec<Record>> {
        if self.batches.front()?.left > 0 {
            return None;
        }
        self.first += 1;
        self.batches.pop_front().map(|batch| batch.records)
    }

    /// Moves the remaining records into one batch.
    fn gather(&mut self) {
        let next = self.first + self.batches.len() as u32;
        let mut records = Vec::with_capacity(self.kept.len());
        for (at, kept) in (0..).zip(&mut self.kept) {
            let record = &mut self.batches[(batch(*kept) - self.first) as usize].records[place(*kept)];
            *kept = key(when(record), next, at);
            records.push(std::mem::replace(record, GONE));
        }
        self.first = next;
        self.batches = VecDeque::from([Batch { left: records.len(), records }]);
    }
}

/// Replaces a released record.
const GONE: Record = Record::InFlight { flow: 0, requests: 0, at: Time::ZERO };

fn key(at: Time, batch: u32, place: u32) -> Key {
    (at.as_fs() as u128) << 64 | (batch as u128) << 32 | place as u128
}

fn batch(key: Key) -> u32 {
    (key >> 32) as u32
}

fn place(key: Key) -> usize {
    key as u32 as usize
}

/// The time at which a record starts.
pub(crate) fn when(record: &Record) -> Time {
    match record {
        Record::Queued { at, .. } | Record::Delivered { at, .. } | Record::InFlight { at, .. } => *at,
        Record::Tlp(sent) => sent.start,
        Record::Dllp { start, .. } => *start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BATCH: usize = 1000;

    fn at(ns: u64, flow: u32) -> Record {
        Record::Delivered { flow, bytes: 0, at: Time::from_ns(ns) }
    }

    /// The flows of the records in the order of release, and the largest number of batches.
    fn through(records: impl Iterator<Item = Record>) -> (Vec<u32>, usize) {
        let (mut order, mut out, mut most) = (Order::default(), Vec::new(), 0);
        let mut keep = |record: &Record| out.push(if let Record::Delivered { flow, .. } = record { *flow } else { 0 });
        let mut records = records.peekable();
        while records.peek().is_some() {
            order.push(records.by_ref().take(BATCH).collect());
            order.ripe(false, &mut keep);
            while order.spent().is_some() {}
            most = most.max(order.batches.len());
        }
        order.ripe(true, &mut keep);
        while order.spent().is_some() {}
        assert!(order.batches.is_empty());
        (out, most)
    }

    #[test]
    fn do_records_go_by_time_and_as_they_came_where_that_is_equal() {
        let all = 4 * (WINDOW + STEP) as u32;
        // Four at a time, each four in two pairs of equal times, the later pair first.
        let (flows, most) = through((0..all).map(|n| at((n as u64 / 4) * 10 + u64::from(n % 4 < 2), n)));
        assert!(flows.into_iter().eq((0..all).map(|n| n / 4 * 4 + (n + 2) % 4)));
        assert!(most <= (WINDOW + STEP) / BATCH + 2, "{most} batches: memory is bounded");
    }

    #[test]
    fn do_records_of_the_far_future_wait_without_holding_all_that_came_with_them() {
        let all = 10 * (WINDOW + STEP) as u32;
        let far = |n: u32| u64::from(n.is_multiple_of(BATCH as u32)) * 1_000_000_000;
        let (flows, most) = through((0..all).map(|n| at(n as u64 + far(n), n)));
        let (late, soon): (Vec<u32>, Vec<u32>) = (0..all).partition(|&n| far(n) > 0);
        assert!(flows.into_iter().eq(soon.into_iter().chain(late)));
        assert!(most <= MOST + STEP / BATCH + 1, "{most} batches: memory is bounded");
    }
}
