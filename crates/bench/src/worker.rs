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
    for place in 0..load.depth {
        let at = places.next();
        asked[place as usize] = (Instant::now(), at);
        ring.read(place, at);
    }
    let (mut ends, mut before) = (Vec::with_capacity(load.depth as usize), None);
    let mut in_flight = load.depth;
    let mut over = None;
    while in_flight > 0 {
        ring.wait().map_err(|source| Error::Ring { source })?;
        ring.ended(&mut ends);
        let now = Instant::now();
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
            if over.is_some() {
                in_flight -= 1;
                continue;
            }
            let at = places.next();
            asked[place as usize] = (now, at);
            ring.read(place, at);
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
