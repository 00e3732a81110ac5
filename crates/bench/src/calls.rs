//! Transfers of channels by `read` and `write`: a thread has one call at a time.
//!
//! It has one channel, or both directions of a number, one after the other: each of its turns is then a call of each. A turn that
//! was begun is ended, so that what a design sends back for each write is read. A call that nothing ends is cancelled
//! ([`crate::stop`]), a moment after the end of the run.

use crate::drive::Drive;
use crate::error::Error;
use crate::pattern::{Pattern, Places};
use crate::plan::{Load, Order};
use crate::stop::Stop;
use crate::tally::{Counted, Course, Tally};
use crate::worker::{torn, wrong};
use card::Direction;
use std::io::{self, ErrorKind, Read, Write};
use std::time::Instant;

/// Memory of calls begins at a page, so that it lies in as few as possible.
pub(crate) const PAGE: usize = 4096;

/// A channel of a thread.
struct Side<'a> {
    drive: &'a Drive,
    reads: bool,
    /// A block, and what comes before it in its page.
    memory: Vec<u8>,
    from: usize,
    calls: u64,
    tally: Tally<'a>,
}

/// What a call has done.
enum Called {
    Ended,
    /// It was ended because the run is over.
    GivenUp,
}

impl<'a> Side<'a> {
    fn new((drive, (memory, from)): (&'a Drive, (Vec<u8>, usize)), begun: Instant, course: &Course<'a>) -> Side<'a> {
        let reads = drive.direction() == Some(Direction::ToHost);
        Side { drive, reads, memory, from, calls: 0, tally: Tally::new(course, begun, None) }
    }

    fn call(&mut self, block: u64, stop: &Stop<'_>) -> Result<Called, Error> {
        let memory = &mut self.memory[self.from..self.from + block as usize];
        let since = Instant::now();
        let done = loop {
            if stop.is_set() {
                break Err(io::Error::from(ErrorKind::Interrupted));
            }
            self.calls += 1;
            let mut file = &self.drive.file;
            let done = if self.reads { file.read(memory) } else { file.write(memory) };
            if !matches!(&done, Err(error) if error.kind() == ErrorKind::Interrupted) {
                break done;
            }
        };
        let now = Instant::now();
        let got = match done {
            Ok(got) if got as u64 == block || self.reads && !(stop.is_set() && got == 0) => got as u64,
            Ok(_) | Err(_) if stop.is_set() => {
                self.tally.cut(now, self.calls);
                return Ok(Called::GivenUp);
            }
            Ok(got) => return Err(torn(self.drive, block, (0, self.reads), got as u64)),
            Err(source) => return Err(wrong(self.drive, block, (0, self.reads), false, source)),
        };
        self.tally.look(now, self.calls);
        self.tally.add(got, self.reads, now - since);
        Ok(Called::Ended)
    }
}

/// Memory of a block that a channel is to take, or to give, and where it begins.
pub(crate) fn memory(block: usize, seed: u64) -> (Vec<u8>, usize) {
    let mut memory = vec![0; block + PAGE];
    let from = memory.as_ptr().align_offset(PAGE).min(PAGE);
    // What no design can make shorter.
    let mut random = Places::new(Pattern::Random, 1, (0, u64::MAX), seed);
    let words = memory[from..from + block].chunks_mut(8);
    words.for_each(|word| word.copy_from_slice(&random.next().to_le_bytes()[..word.len()]));
    (memory, from)
}

/// Makes calls of these channels, in turn, until the course is over; what was counted of each.
pub(crate) fn call(
    of: &[&Drive],
    load: Load,
    (number, seed): (usize, u64),
    course: &Course<'_>,
    stop: &Stop<'_>,
) -> Result<Vec<Counted>, Error> {
    let _here = stop.enter(number);
    let prepared: Vec<(&Drive, (Vec<u8>, usize))> =
        of.iter().map(|&drive| (drive, memory(load.block as usize, seed))).collect();
    course.barrier.wait();
    let begun = Instant::now();
    let mut sides: Vec<Side<'_>> = prepared.into_iter().map(|one| Side::new(one, begun, course)).collect();
    'run: while !sides.iter().all(|side| side.tally.is_over()) {
        for at in 0..sides.len() {
            if matches!(sides[at].call(load.block, stop)?, Called::GivenUp) {
                let now = Instant::now();
                sides.iter_mut().for_each(|side| side.tally.cut(now, side.calls));
                break 'run;
            }
        }
    }
    let count = of.len() as u32;
    Ok(sides
        .into_iter()
        .map(|side| {
            let counted = side.tally.counted();
            // The thread has as many calls of each.
            Counted { cpu: counted.cpu / count, ..counted }
        })
        .collect())
}

/// The channels of each thread, by their places: `depth` threads for each channel, or for both directions of a number.
///
/// # Errors
/// A channel without the other direction of its number.
pub(crate) fn threads(of: &[&Drive], load: Load, order: Option<Order>) -> Result<Vec<Vec<usize>>, Error> {
    let of_channels: Vec<Vec<usize>> = match order {
        None => (0..of.len()).map(|at| vec![at]).collect(),
        Some(order) => {
            let opposite = |at: usize| {
                let found = (0..of.len()).find(|&other| of[at].is_opposite(of[other]));
                found.ok_or_else(|| Error::Alone { path: of[at].path.clone() })
            };
            let pairs = (0..of.len()).map(|at| Ok((at, opposite(at)?))).collect::<Result<Vec<_>, Error>>()?;
            let reads = |at: usize| of[at].direction() == Some(Direction::ToHost);
            let first = |&(at, _): &(usize, usize)| reads(at) == (order == Order::ReadWrite);
            pairs.into_iter().filter(first).map(|(one, other)| vec![one, other]).collect()
        }
    };
    Ok(of_channels.iter().flat_map(|one| std::iter::repeat_n(one.clone(), load.depth as usize)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::drive::testing::stand_in;
    use crate::plan::{Calls, Plan, Point};
    use crate::run::{Run, run};
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// A pipe in the place of a loopback: what is written comes back, and nothing comes by itself.
    fn loopback(number: u32) -> [Drive; 2] {
        let (from, to) = std::io::pipe().unwrap();
        let path = |way: &str| format!("/dev/a/{way}{number}");
        [
            stand_in(&path("c2h"), Direction::ToHost, (0, 2 * number), File::from(OwnedFd::from(from))),
            stand_in(&path("h2c"), Direction::ToCard, (0, 2 * number + 1), File::from(OwnedFd::from(to))),
        ]
    }

    fn plan(drives: &[Drive], depth: u32, order: Option<Order>) -> (Plan, Point) {
        let plan = Plan {
            subsets: vec![("all".into(), (0..drives.len()).collect())],
            pairs: Vec::new(),
            blocks: vec![1024],
            depths: vec![depth],
            patterns: vec![Pattern::Sequential],
            reads: 100,
            rate: None,
            polls: false,
            calls: vec![Calls { poll_us: None, order }],
            warm_up: Duration::from_millis(50),
            time: Duration::from_millis(300),
        };
        let point = plan.points().remove(0);
        (plan, point)
    }

    fn ran(drives: &[Drive], depth: u32, order: Option<Order>) -> Run {
        let (plan, point) = plan(drives, depth, order);
        run(drives, &plan, &point, &AtomicBool::new(false), &mut || ()).unwrap().unwrap()
    }

    #[test]
    fn does_a_thread_write_and_then_read_what_comes_back() {
        let (one, other) = (loopback(0), loopback(1));
        let drives = [one, other].into_iter().flatten().collect::<Vec<_>>();
        let done = ran(&drives, 3, Some(Order::WriteRead));
        for pair in done.drives.chunks(2) {
            let [read, written] = pair else { panic!("{pair:?}") };
            // Three threads, each a call apart at most.
            let apart = read.latency.count.abs_diff(written.latency.count);
            assert!(read.latency.count > 10 && apart <= 3, "{read:?} {written:?}");
            assert!(read.written.0 == 0.0 && written.written == written.rate);
            assert!((read.rate.0 / read.iops - 1024.0).abs() < 1.0, "whole frames come back");
            assert!((0.9..1.2).contains(&read.calls_per_block), "{}", read.calls_per_block);
        }
        // Nothing is left: whoever reads next waits.
        let left = ran(&drives[..1], 1, None);
        assert_eq!((left.drives[0].rate.0, left.latency.count), (0.0, 0));
    }

    #[test]
    fn is_a_read_that_nothing_answers_given_up_and_told_as_one_that_moves_nothing() {
        let drives = loopback(0);
        let begun = Instant::now();
        let done = ran(&drives, 2, Some(Order::ReadWrite));
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_eq!(done.latency.count, 0);
        assert!(done.drives.iter().all(|drive| drive.rate.0 == 0.0 && drive.busy < 0.5), "{done:?}");
    }

    #[test]
    fn do_both_directions_run_at_once_with_threads_of_their_own() {
        let done = ran(&loopback(0), 1, None);
        assert!(done.drives.iter().all(|drive| drive.rate.0 > 0.0), "{done:?}");
    }

    #[test]
    fn is_a_channel_without_its_other_direction_refused_in_turns() {
        let [from, _] = loopback(0);
        let [_, to] = loopback(1);
        let (plan, point) = plan(&[from, to], 1, Some(Order::ReadWrite));
        let [from, _] = loopback(0);
        let [_, to] = loopback(1);
        let told = run(&[from, to], &plan, &point, &AtomicBool::new(false), &mut || ()).unwrap_err().to_string();
        assert_eq!(told, "/dev/a/c2h0 runs without the other direction of its number");
    }
}
