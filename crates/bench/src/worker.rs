//! The thread of one drive.

use crate::aio::Queued;
use crate::blocks::Blocks;
use crate::drive::Drive;
use crate::error::Error;
use crate::pattern::Places;
use crate::plan::Load;
use crate::queue::Lent;
use crate::ring::{Ring, queues};
use crate::tally::{Counted, Course, GRACE, Tally};
use std::io;
use std::time::{Duration, Instant};

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

/// Which blocks are read: so many of a hundred, spread evenly.
struct Mix {
    reads: u8,
    owed: u32,
}

impl Mix {
    fn next(&mut self) -> bool {
        self.owed += u32::from(self.reads);
        let reads = self.owed >= 100;
        self.owed -= if reads { 100 } else { 0 };
        reads
    }
}

/// Reads or writes a drive until the course is over. Waits at the barrier even where there is no ring, so that no other waits in vain.
pub(crate) fn work(drive: &Drive, load: Load, seed: u64, course: &Course<'_>) -> Result<Counted, Error> {
    let load = Load { reads: drive.reads(load.reads), ..load };
    let is_channel = drive.direction().is_some();
    if load.reads < 100 && !is_channel && !drive.is_claimed() {
        course.barrier.wait();
        return Err(Error::Used {
            path: drive.path.clone(),
            why: "it was opened for reading".into(),
            help: "claim it first",
        });
    }
    let mut given = None;
    let place = &mut given;
    let ring: Result<Box<dyn Blocks + '_>, Error> = if is_channel && course.polls {
        Lent::new(drive, load.depth, load.block).map(|lent| Box::new(lent) as _)
    } else if is_channel {
        Queued::new(&drive.file, load.depth, load.block).map(|queued| Box::new(queued) as _)
    } else {
        queues(load.depth, course.polls)
            .and_then(move |queues| Ring::new(place.insert(queues), &drive.file, load.depth, load.block as u32))
            .map(|ring| Box::new(ring) as _)
    };
    course.barrier.wait();
    let mut ring = ring?;
    // A channel has one place, at which all that streams through it is.
    let mut places = Places::new(load.pattern, load.block, (drive.writes_from.unwrap_or(0), drive.bytes), seed);
    let mut abandoned = false;
    if load.reads < 100 {
        ring.fill(seed);
    }
    let mut mix = Mix { reads: load.reads, owed: 0 };
    let mut asked = vec![(Instant::now(), 0, true); load.depth as usize];
    let begun = Instant::now();
    let mut tally = Tally::new(course, begun, ring.is_registered());
    let mut free: Vec<u32> = (0..load.depth).rev().collect();
    let mut due = Due::new(load, begun);
    let mut ends = Vec::with_capacity(load.depth as usize);
    let mut now = begun;
    while !tally.is_over() || free.len() < load.depth as usize {
        while !tally.is_over()
            && let Some(since) = due.next(now, !free.is_empty())
            && let Some(place) = free.pop()
        {
            let (at, reads) = (places.next(), mix.next());
            asked[place as usize] = (since, at, reads);
            ring.ask(place, at, reads);
            // A drive that waits for a second block of the same call is idle meanwhile.
            if !free.is_empty() {
                ring.submit().map_err(|source| Error::Ring { source })?;
            }
        }
        let waits = match due.wait(now).filter(|_| !tally.is_over() && !free.is_empty()) {
            Some(until) => {
                let left = tally.ends_at.saturating_duration_since(now).min(MOST_WAIT);
                ring.wait_at_most(until.min(left).max(LEAST_WAIT))
            }
            // A drive ends what it was asked for; a channel waits for its design as long as that takes.
            None if is_channel => ring.wait_at_most(MOST_WAIT),
            None => ring.wait(),
        };
        waits.map_err(|source| Error::Ring { source })?;
        ring.ended(&mut ends);
        now = Instant::now();
        tally.look(now, ring.calls());
        if is_channel && !abandoned && tally.over_since().is_some_and(|ended| now > ended + GRACE) {
            abandoned = ring.abandon();
        }
        for (place, end) in ends.drain(..) {
            if abandoned {
                free.push(place);
                continue;
            }
            let (since, at, reads) = asked[place as usize];
            let got = end.map_err(|source| wrong(drive, load.block, (at, reads), course.polls, source))?;
            // A read from a card ends with its frame.
            if got != load.block && !(is_channel && reads) {
                return Err(torn(drive, load.block, (at, reads), got));
            }
            tally.add(got, reads, now - since);
            free.push(place);
        }
    }
    Ok(tally.counted())
}

/// The error of a block at a place that is read, or written.
pub(crate) fn wrong(drive: &Drive, block: u64, (at, reads): (u64, bool), polls: bool, source: io::Error) -> Error {
    let path = drive.path.clone();
    match source.raw_os_error() {
        _ if drive.direction().is_some() => Error::Transfer { path, block, source },
        Some(libc::EOPNOTSUPP) if polls => Error::Poll { path },
        _ => Error::Failed { path, what: word(reads), block, at, source },
    }
}

/// The same of one that is short.
pub(crate) fn torn(drive: &Drive, block: u64, (at, reads): (u64, bool), got: u64) -> Error {
    let path = drive.path.clone();
    match drive.direction() {
        Some(_) => Error::Transfer { path, block, source: io::Error::other(format!("it was cut after {got} bytes")) },
        None => Error::Torn { path, what: word(reads), block, at, got },
    }
}

fn word(reads: bool) -> &'static str {
    if reads { "read" } else { "write" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_reads_spread_evenly_among_writes() {
        let of = |reads| {
            let mut mix = Mix { reads, owed: 0 };
            (0..100).map(|_| mix.next()).collect::<Vec<bool>>()
        };
        for reads in [0u8, 1, 30, 50, 70, 99, 100] {
            assert_eq!(of(reads).iter().filter(|read| **read).count(), usize::from(reads));
        }
        assert!(of(70).chunks(10).all(|ten| ten.iter().filter(|read| **read).count() == 7));
    }
}
