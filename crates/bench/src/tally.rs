//! What the thread of a run counts: from the first end after the warm-up to the first one after the time of the run.
//!
//! The first of these ends counts and the last does not, so that as many blocks are counted as there are times between two ends.
//! Where the first end is late by more than a part of the time, the time begins with it.

use crate::clock;
use hdrhistogram::Histogram;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest latency that a histogram tells apart from longer ones.
const LONGEST_NS: u64 = 60_000_000_000;
/// Digits of a latency that it keeps.
const DIGITS: u8 = 3;
/// How long a channel may take for what is in flight at the end: its design may not want it at all.
pub(crate) const GRACE: Duration = Duration::from_millis(500);

/// When a run begins to count and ends, after its barrier; and what ends it before.
#[derive(Clone, Copy)]
pub(crate) struct Course<'a> {
    pub barrier: &'a Barrier,
    pub warm_up: Duration,
    pub time: Duration,
    /// Parts of the time, each counted by itself.
    pub part: Duration,
    pub interrupted: &'a AtomicBool,
    /// True where ends are looked for at the device ([`crate::Plan`]).
    pub polls: bool,
}

/// What a thread has counted, or several threads of one drive.
pub(crate) struct Counted {
    /// Bytes by part; and those that were written, of all.
    pub parts: Vec<u64>,
    pub written: u64,
    /// Of all of them, in ns.
    pub latencies: Histogram<u64>,
    /// How many threads it is of.
    pub threads: u32,
    /// Time that was counted, the mean of these threads; and their CPU time and system calls in it.
    pub time: Duration,
    pub cpu: Duration,
    pub calls: u64,
    /// CPU time of the busiest thread.
    pub busiest: Duration,
    pub registered: Option<bool>,
    /// The core that the thread ran on at the end.
    pub cpu_number: Option<usize>,
}

impl Counted {
    /// Adds what another thread has counted of the same drive: threads that run for as long, but for a call.
    pub fn add(&mut self, other: &Counted) {
        self.parts.iter_mut().zip(&other.parts).for_each(|(own, more)| *own += more);
        self.written += other.written;
        // Both have the same bounds.
        let _ = self.latencies.add(&other.latencies);
        let (own, more) = (self.threads, other.threads);
        self.time = (self.time * own + other.time * more) / (own + more);
        self.threads = own + more;
        self.cpu += other.cpu;
        self.calls += other.calls;
        self.busiest = self.busiest.max(other.busiest);
        let both = self.registered.zip(other.registered).map(|(one, other)| one && other);
        self.registered = both.or(self.registered).or(other.registered);
    }
}

/// Time, CPU time of the thread, and its system calls.
#[derive(Clone, Copy)]
struct Mark {
    at: Instant,
    cpu: Duration,
    calls: u64,
}

/// See the module.
pub(crate) struct Tally<'a> {
    course: Course<'a>,
    begun: Mark,
    counts_from: Instant,
    /// When the run is over.
    pub ends_at: Instant,
    part: usize,
    part_ends: Instant,
    before: Option<Mark>,
    over: Option<Mark>,
    counted: Counted,
}

impl<'a> Tally<'a> {
    /// A thread begins.
    pub fn new(course: &Course<'a>, begun: Instant, registered: Option<bool>) -> Tally<'a> {
        let counts_from = begun + course.warm_up;
        let count = (course.time.as_secs_f64() / course.part.as_secs_f64()).ceil().max(1.0) as usize;
        Tally {
            course: *course,
            begun: Mark { at: begun, cpu: clock::spent(), calls: 0 },
            counts_from,
            ends_at: counts_from + course.time,
            part: 0,
            part_ends: counts_from + course.part,
            before: None,
            over: None,
            counted: Counted {
                parts: vec![0; count],
                written: 0,
                latencies: histogram(),
                threads: 1,
                time: Duration::ZERO,
                cpu: Duration::ZERO,
                calls: 0,
                busiest: Duration::ZERO,
                registered,
                cpu_number: None,
            },
        }
    }

    /// A look at the clock, before what has just ended is added, with the system calls so far.
    pub fn look(&mut self, now: Instant, calls: u64) {
        let mark = || Mark { at: now, cpu: clock::spent(), calls };
        if now >= self.counts_from && self.before.is_none() {
            let late = now - self.counts_from;
            // A thread that had no processor, or a drive that ended nothing, has a time of its own.
            if late > self.course.part {
                self.counts_from += late;
                self.ends_at += late;
                self.part_ends += late;
            }
            self.before = Some(mark());
        }
        while now >= self.part_ends && self.part + 1 < self.counted.parts.len() {
            self.part += 1;
            self.part_ends += self.course.part;
        }
        if self.over.is_none() && (now >= self.ends_at || self.course.interrupted.load(Ordering::Relaxed)) {
            self.over = Some(mark());
        }
    }

    /// A call was given up: what was counted is counted up to the end of the run.
    pub fn cut(&mut self, now: Instant, calls: u64) {
        // Where nothing has ended since the run began to count, it began all the same.
        let at = self.counts_from;
        if now > at {
            self.before.get_or_insert(Mark { at, ..self.begun });
        }
        self.over.get_or_insert_with(|| Mark { at: now.min(self.ends_at), cpu: clock::spent(), calls });
    }

    /// True when nothing more is to be asked for.
    pub fn is_over(&self) -> bool {
        self.over.is_some()
    }

    /// Since when.
    pub fn over_since(&self) -> Option<Instant> {
        self.over.map(|over| over.at)
    }

    /// A block that has ended, in the time that counts or not.
    pub fn add(&mut self, got: u64, reads: bool, latency: Duration) {
        if self.before.is_some() && self.over.is_none() {
            self.counted.parts[self.part] += got;
            self.counted.written += if reads { 0 } else { got };
            self.counted.latencies.saturating_record(latency.as_nanos() as u64);
        }
    }

    /// What was counted.
    pub fn counted(mut self) -> Counted {
        if let (Some(before), Some(over)) = (self.before, self.over) {
            self.counted.time = over.at.saturating_duration_since(before.at);
            self.counted.cpu_number = Some(rustix::thread::sched_getcpu());
            self.counted.cpu = over.cpu.saturating_sub(before.cpu);
            self.counted.busiest = self.counted.cpu;
            self.counted.calls = over.calls - before.calls;
        }
        self.counted
    }
}

/// An empty histogram of latencies.
#[allow(clippy::unwrap_used, reason = "the library takes these bounds and digits, which are constants")]
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a thread counts that looks after each of these times since it began, in ms, and has then ended a block.
    fn counted(looks: &[u64]) -> Counted {
        let (barrier, interrupted, begun) = (Barrier::new(1), AtomicBool::new(false), Instant::now());
        let ms = Duration::from_millis;
        let (warm_up, time, part) = (ms(100), ms(1000), ms(100));
        let course = Course { barrier: &barrier, warm_up, time, part, interrupted: &interrupted, polls: false };
        let mut tally = Tally::new(&course, begun, None);
        for &at in looks {
            tally.look(begun + ms(at), 0);
            tally.add(1000, true, ms(1));
        }
        tally.counted()
    }

    #[test]
    fn is_all_counted_between_the_warm_up_and_the_end() {
        let all: Vec<u64> = (0..=120).map(|n| 10 * n).collect();
        let counted = counted(&all);
        assert_eq!((counted.time, counted.latencies.len()), (Duration::from_millis(1000), 100));
        assert_eq!(counted.parts, [10_000; 10]);
    }

    #[test]
    fn has_a_thread_that_looks_too_late_a_time_of_its_own() {
        // The time was over at 1100.
        let late: Vec<u64> = std::iter::once(50).chain((0..=120).map(|n| 3000 + 10 * n)).collect();
        let counted = counted(&late);
        assert_eq!((counted.time, counted.latencies.len()), (Duration::from_millis(1000), 100));
        assert_eq!(counted.parts, [10_000; 10]);
        // One that is late by less than a part has what is left.
        let counted = super::tests::counted(&[50, 150, 600, 1150]);
        assert_eq!((counted.time, counted.latencies.len()), (Duration::from_millis(1000), 2));
    }
}
