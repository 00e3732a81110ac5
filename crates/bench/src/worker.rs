//! The thread of one drive.

use crate::clock;
use crate::drive::Drive;
use crate::error::Error;
use crate::pattern::Places;
use crate::plan::Load;
use crate::ring::Ring;
use hdrhistogram::Histogram;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest latency that a histogram tells apart from longer ones.
const LONGEST_NS: u64 = 60_000_000_000;
/// Digits of a latency that it keeps.
const DIGITS: u8 = 3;

/// When a run begins to count and ends, after its barrier; and what ends it before.
pub(crate) struct Course<'a> {
    pub barrier: &'a Barrier,
    pub warm_up: Duration,
    pub time: Duration,
    /// Parts of the time, each counted by itself.
    pub part: Duration,
    pub interrupted: &'a AtomicBool,
}

/// What a thread has counted.
pub(crate) struct Counted {
    /// Blocks by part.
    pub parts: Vec<u64>,
    /// Of all of them, in ns.
    pub latencies: Histogram<u64>,
    /// Time that was counted, and the CPU time and the system calls in it.
    pub time: Duration,
    pub cpu: Duration,
    pub calls: u64,
    pub registered: bool,
}

/// The least time that a thread waits for an end: shorter waits would only be system calls. And the longest without a look at
/// whether it is interrupted.
const LEAST_WAIT: Duration = Duration::from_micros(1);
const MOST_WAIT: Duration = Duration::from_millis(100);

/// When blocks are due. Without a rate, whenever there is a place for one.
struct Due {
    every: Option<Duration>,
    next: Instant,
}

impl Due {
    fn new(load: Load, begun: Instant) -> Due {
        let every = load.rate.map(|rate| Duration::from_secs_f64(load.block as f64 / rate.max(1) as f64));
        Due { every, next: begun }
    }

    /// From when on the latency of the next block counts, if one is due and there is a place for it: from when it was due, even
    /// where it waited for its place.
    fn next(&mut self, now: Instant, has_place: bool) -> Option<Instant> {
        if !has_place {
            return None;
        }
        let Some(every) = self.every else { return Some(now) };
        let due = self.next;
        if due > now {
            return None;
        }
        self.next += every;
        Some(due)
    }

    /// How long until the next one is due; `None` without a rate.
    fn wait(&self, now: Instant) -> Option<Duration> {
        self.every.map(|_| self.next.saturating_duration_since(now))
    }
}

/// Reads a drive until the course is over. Waits at the barrier even where there is no ring, so that no other waits in vain.
pub(crate) fn work(drive: &Drive, load: Load, seed: u64, course: &Course<'_>) -> Result<Counted, Error> {
    let ring = Ring::new(&drive.file, load.depth, load.block as u32);
    course.barrier.wait();
    let mut ring = ring?;
    let mut places = Places::new(load.pattern, load.block, drive.bytes, seed);
    let mut asked = vec![(Instant::now(), 0); load.depth as usize];
    let begun = Instant::now();
    let counts_from = begun + course.warm_up;
    let ends_at = counts_from + course.time;
    let count = (course.time.as_secs_f64() / course.part.as_secs_f64()).ceil().max(1.0) as usize;
    let mut counted = Counted {
        parts: vec![0; count],
        latencies: histogram(),
        time: Duration::ZERO,
        cpu: Duration::ZERO,
        calls: 0,
        registered: ring.is_registered(),
    };
    let mut free: Vec<u32> = (0..load.depth).rev().collect();
    let mut due = Due::new(load, begun);
    let (mut ends, mut before) = (Vec::with_capacity(load.depth as usize), None);
    let mut over = None;
    let mut now = begun;
    while over.is_none() || free.len() < load.depth as usize {
        while over.is_none()
            && let Some(since) = due.next(now, !free.is_empty())
            && let Some(place) = free.pop()
        {
            let at = places.next();
            asked[place as usize] = (since, at);
            ring.read(place, at);
            // A drive that waits for a batch is idle while the batch is made.
            if !free.is_empty() {
                ring.submit().map_err(|source| Error::Ring { source })?;
            }
        }
        let waits = match due.wait(now).filter(|_| over.is_none() && !free.is_empty()) {
            Some(until) => {
                let left = ends_at.saturating_duration_since(now).min(MOST_WAIT);
                ring.wait_at_most(until.min(left).max(LEAST_WAIT))
            }
            None => ring.wait(),
        };
        waits.map_err(|source| Error::Ring { source })?;
        ring.ended(&mut ends);
        now = Instant::now();
        if now >= counts_from && before.is_none() {
            before = Some((now, clock::spent(), ring.calls));
        }
        if over.is_none() && (now >= ends_at || course.interrupted.load(Ordering::Relaxed)) {
            over = Some((now, clock::spent(), ring.calls));
        }
        for (place, read) in ends.drain(..) {
            let (since, at) = asked[place as usize];
            let wrong = |source| Error::Read { path: drive.path.clone(), block: load.block, at, source };
            let got = read.map_err(wrong)?;
            if got != load.block {
                return Err(Error::Torn { path: drive.path.clone(), block: load.block, at, got });
            }
            if before.is_some() && over.is_none() {
                let part = (now - counts_from).as_nanos() / course.part.as_nanos().max(1);
                counted.parts[(part as usize).min(count - 1)] += 1;
                counted.latencies.saturating_record((now - since).as_nanos() as u64);
            }
            free.push(place);
        }
    }
    if let (Some((from, cpu, calls)), Some((to, cpu_then, calls_then))) = (before, over) {
        counted.time = to.saturating_duration_since(from);
        (counted.cpu, counted.calls) = (cpu_then.saturating_sub(cpu), calls_then - calls);
    }
    Ok(counted)
}

/// An empty histogram of latencies.
#[allow(clippy::unwrap_used, reason = "the library takes these bounds and digits, which are constants")]
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST_NS, DIGITS).unwrap()
}
