//! One run: all drives of a subset at once.

use crate::calls;
use crate::drive::Drive;
use crate::error::Error;
use crate::peers::{Between, Far};
use crate::plan::{Calls, Load, Plan, Point};
use crate::setting::Settings;
use crate::spent::Spent;
use crate::steady::{PARTS, Steadiness};
use crate::stop::Stop;
use crate::tally::{Counted, Course, GRACE, histogram};
use crate::worker::work;
use hdrhistogram::Histogram;
use pcie::{Rate, Time};
use std::os::fd::AsFd;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// Latencies of the blocks of a drive, or of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies {
    /// Of how many blocks.
    pub count: u64,
    /// Their mean.
    pub mean: Time,
    /// The least and the greatest.
    pub least: Time,
    /// See [`Latencies::least`].
    pub greatest: Time,
    /// Percentiles: 50, 90, 99, 99.9 and 99.99 %.
    pub percentiles: [(f64, Time); 5],
}

/// The percentiles that are told.
const SHARES: [f64; 5] = [50.0, 90.0, 99.0, 99.9, 99.99];

impl Latencies {
    fn of(all: &Histogram<u64>) -> Latencies {
        let told = |share| (share, Time::from_ns(all.value_at_percentile(share)));
        Latencies {
            count: all.len(),
            mean: Time::from_ns(all.mean().round() as u64),
            least: Time::from_ns(all.min()),
            greatest: Time::from_ns(all.max()),
            percentiles: SHARES.map(told),
        }
    }

    /// The percentile `share`; `None` where it is not among those that are told.
    pub fn at(&self, share: f64) -> Option<Time> {
        self.percentiles.iter().find(|(known, _)| *known == share).map(|&(_, time)| time)
    }
}

/// What one drive gave in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveRun {
    /// Its place among the drives of the plan.
    pub drive: usize,
    /// Bytes a second.
    pub rate: Rate,
    /// Blocks a second.
    pub iops: f64,
    /// The part of the rate that was written, bytes a second.
    pub written: Rate,
    /// Rates of the parts of the run.
    pub parts: Vec<Rate>,
    /// Whether they stay what they are.
    pub steady: Steadiness,
    /// Latencies of its blocks.
    pub latency: Latencies,
    /// CPU time of its thread over the time of the run: 1 is a whole core.
    pub busy: f64,
    /// CPU time for each block.
    pub cpu_per_block: Time,
    /// System calls for each block.
    pub calls_per_block: f64,
    /// False where the kernel did not let it register its buffers; `None` where it gives its memory with each call.
    pub registered: Option<bool>,
    /// The NUMA node of the core that its thread ran on at the end.
    pub node: Option<u32>,
    /// Degrees Celsius after the run.
    pub celsius: Option<f64>,
    /// How the card's engine spent the first half of the time that counts, where it says so.
    pub engine: Option<Spent>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What was run.
    pub point: Point,
    /// The time that counted.
    pub time: Duration,
    /// True where ends were looked for at the device: threads are busy all the time then, whatever the drives give.
    pub polled: bool,
    /// What each of its drives gave, in their order.
    pub drives: Vec<DriveRun>,
    /// Latencies of all of them.
    pub latency: Latencies,
}

/// A core that is busy for more than this share of a run leaves nothing for more blocks.
const FULL_CORE: f64 = 0.9;

impl Run {
    /// What all drives give together.
    pub fn rate(&self) -> Rate {
        Rate(self.drives.iter().map(|drive| drive.rate.0).sum())
    }

    /// Blocks of all drives a second.
    pub fn iops(&self) -> f64 {
        self.drives.iter().map(|drive| drive.iops).sum()
    }

    /// The drives whose threads had no time left: there the generator is the limit.
    pub fn generator_bound(&self) -> impl Iterator<Item = &DriveRun> {
        self.drives.iter().filter(|drive| !self.polled && drive.busy > FULL_CORE)
    }

    /// Drives that gave less than the rate that was asked of them, by more than a hundredth.
    pub fn behind_rate(&self) -> impl Iterator<Item = &DriveRun> {
        let asked = self.point.load.rate.unwrap_or(0) as f64;
        self.drives.iter().filter(move |drive| drive.rate.0 < 0.99 * asked)
    }

    /// The first drive that was not steady.
    pub fn unsteady(&self) -> Option<&DriveRun> {
        self.drives.iter().find(|drive| drive.steady != Steadiness::Steady)
    }
}

/// Runs a point of a plan, and calls `under_load` once in the middle of it. `None` if it was interrupted before anything
/// counted.
///
/// # Errors
/// A drive that does not take the load, no ring, or a read that fails.
pub fn run(
    drives: &[Drive],
    plan: &Plan,
    point: &Point,
    interrupted: &AtomicBool,
    under_load: &mut dyn FnMut(),
) -> Result<Option<Run>, Error> {
    let of: Vec<(usize, &Drive)> = point.drives.iter().filter_map(|&at| Some((at, drives.get(at)?))).collect();
    for (_, drive) in &of {
        drive.check(point.load.block)?;
    }
    let pair = point.pair.and_then(|at| plan.pairs.get(at));
    let mut looks = Looks::new(&of, under_load);
    let counted = match (pair, point.load.calls) {
        (Some(pair), _) => {
            let file = |at: Option<usize>| Some(&drives.get(at?)?.file);
            let far = Far::open(drives, pair)?;
            let between = Between::new(pair, &far, (file(pair.give), file(pair.take)), point.load);
            by_pair(&between, plan, interrupted, &mut looks)?
        }
        (None, None) => by_queues(&of, plan, point.load, interrupted, &mut looks)?,
        (None, Some(calls)) => by_calls(&of, plan, point.load, calls, interrupted, &mut looks)?,
    };
    let part = plan.time / PARTS as u32;
    let time = counted.iter().map(|one| one.time).min().unwrap_or_default();
    if time.is_zero() {
        return if interrupted.load(Ordering::Relaxed) { Ok(None) } else { Err(Error::Unseen) };
    }
    let mut all = histogram();
    for one in &counted {
        // Both have the same bounds.
        let _ = all.add(&one.latencies);
    }
    let mut spent = looks.spent.into_iter();
    let each = of.iter().zip(&counted).map(|(&(at, drive), one)| DriveRun {
        celsius: drive.celsius(),
        engine: spent.next().flatten(),
        ..of_drive(at, part, one)
    });
    let each = each.collect();
    Ok(Some(Run {
        point: point.clone(),
        time,
        polled: plan.polls || point.load.calls.is_some_and(|calls| calls.polls()),
        drives: each,
        latency: Latencies::of(&all),
    }))
}

/// A thread for each drive; what each has counted.
fn by_queues(
    of: &[(usize, &Drive)],
    plan: &Plan,
    load: Load,
    interrupted: &AtomicBool,
    looks: &mut Looks<'_>,
) -> Result<Vec<Counted>, Error> {
    let barrier = Barrier::new(of.len());
    let course = course(plan, &barrier, interrupted);
    std::thread::scope(|scope| {
        let begun: Vec<_> = of
            .iter()
            .map(|&(at, drive)| {
                let course = &course;
                scope.spawn(move || work(drive, load, at as u64, course))
            })
            .collect();
        watch(plan, interrupted, &begun, looks);
        begun.into_iter().filter_map(|thread| thread.join().ok()).collect()
    })
}

/// Threads that make calls; what those of each drive have counted together.
fn by_calls(
    of: &[(usize, &Drive)],
    plan: &Plan,
    load: Load,
    calls: Calls,
    interrupted: &AtomicBool,
    looks: &mut Looks<'_>,
) -> Result<Vec<Counted>, Error> {
    let drives: Vec<&Drive> = of.iter().map(|&(_, drive)| drive).collect();
    let threads = calls::threads(&drives, load, calls.order)?;
    let _settings = calls.poll_us.map(|us| Settings::poll(&drives, us)).transpose()?;
    let (barrier, stop) = (
        Barrier::new(threads.len()),
        Stop::new(threads.len(), drives.iter().map(|drive| drive.file.as_fd()).collect()),
    );
    let course = course(plan, &barrier, interrupted);
    let counted: Vec<Result<Vec<Counted>, Error>> = std::thread::scope(|scope| {
        let begun: Vec<_> = threads
            .iter()
            .enumerate()
            .map(|(number, channels)| {
                let own: Vec<&Drive> = channels.iter().map(|&place| drives[place]).collect();
                let (course, stop) = (&course, &stop);
                scope.spawn(move || calls::call(&own, load, (number, number as u64), course, stop))
            })
            .collect();
        let ends = Instant::now() + plan.warm_up + plan.time;
        watch(plan, interrupted, &begun, looks);
        slept(ends.saturating_duration_since(Instant::now()), interrupted);
        let grace = Instant::now() + GRACE;
        while begun.iter().any(|thread| !thread.is_finished()) {
            if Instant::now() > grace {
                stop.strike();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        begun.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let mut of_drive: Vec<Option<Counted>> = of.iter().map(|_| None).collect();
    for (channels, counted) in threads.iter().zip(counted) {
        for (&place, counted) in channels.iter().zip(counted?) {
            match &mut of_drive[place] {
                Some(known) => known.add(&counted),
                none => *none = Some(counted),
            }
        }
    }
    Ok(of_drive.into_iter().flatten().collect())
}

/// From a card to another; what the threads that send have counted together.
pub(crate) fn by_pair(
    between: &Between<'_>,
    plan: &Plan,
    interrupted: &AtomicBool,
    looks: &mut Looks<'_>,
) -> Result<Vec<Counted>, Error> {
    let depth = between.load.depth as usize;
    let barrier = Barrier::new(depth + usize::from(between.give.is_some()) + usize::from(between.take.is_some()));
    let course = &course(plan, &barrier, interrupted);
    let (counted, host) = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..depth).map(|number| scope.spawn(move || between.send(number, course))).collect();
        let gives = between.give.map(|to| scope.spawn(move || between.give_all(depth, to, course)));
        let takes = between.take.map(|from| scope.spawn(move || between.take_all(depth + 1, from, course)));
        let host: Vec<_> = gives.into_iter().chain(takes).collect();
        let ends = Instant::now() + plan.warm_up + plan.time;
        watch(plan, interrupted, &senders, looks);
        let is_there =
            || senders.iter().any(|thread| !thread.is_finished()) || host.iter().any(|thread| !thread.is_finished());
        let mut over = None;
        while is_there() {
            let now = Instant::now();
            if over.is_none() && (now >= ends || interrupted.load(Ordering::Relaxed)) {
                between.close();
                over = Some(now);
            }
            if between.has_failed() || over.is_some_and(|over| now > over + PAIR_GRACE) {
                between.stop.strike();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let counted: Vec<_> = senders.into_iter().filter_map(|thread| thread.join().ok()).collect();
        let host: Vec<_> = host.into_iter().filter_map(|thread| thread.join().ok()).collect();
        (counted, host)
    });
    host.into_iter().collect::<Result<Vec<()>, Error>>()?;
    let mut all: Option<Counted> = None;
    for one in counted {
        match (&mut all, one?) {
            (Some(all), one) => all.add(&one),
            (none, one) => *none = Some(one),
        }
    }
    Ok(all.into_iter().collect())
}

/// How long frames on their way may take to come to the end of it.
const PAIR_GRACE: Duration = Duration::from_secs(2);

fn course<'a>(plan: &Plan, barrier: &'a Barrier, interrupted: &'a AtomicBool) -> Course<'a> {
    let part = plan.time / PARTS as u32;
    Course { barrier, warm_up: plan.warm_up, time: plan.time, part, interrupted, polls: plan.polls }
}

/// What is looked at while a run goes on.
pub(crate) struct Looks<'a> {
    drives: &'a [(usize, &'a Drive)],
    under_load: &'a mut dyn FnMut(),
    /// How the engine of each drive has spent its cycles between two looks.
    spent: Vec<Option<Spent>>,
}

impl<'a> Looks<'a> {
    /// At these drives; nothing was looked at yet.
    pub(crate) fn new(drives: &'a [(usize, &'a Drive)], under_load: &'a mut dyn FnMut()) -> Looks<'a> {
        Looks { drives, under_load, spent: Vec::new() }
    }

    fn engines(&self) -> Vec<Option<Spent>> {
        self.drives.iter().map(|(_, drive)| Spent::read(drive)).collect()
    }
}

/// Looks at the engines when the run begins to count, and at everything once in the middle, where all threads are still there.
fn watch<T>(plan: &Plan, interrupted: &AtomicBool, begun: &[ScopedJoinHandle<'_, T>], looks: &mut Looks<'_>) {
    if !slept(plan.warm_up, interrupted) {
        return;
    }
    let middle = Instant::now() + plan.time / 2;
    let before = looks.engines();
    if slept(middle.saturating_duration_since(Instant::now()), interrupted)
        && !begun.iter().any(ScopedJoinHandle::is_finished)
    {
        let since = |(now, before): (Option<Spent>, &Option<Spent>)| now?.since(before.as_ref()?);
        looks.spent = looks.engines().into_iter().zip(&before).map(since).collect();
        (looks.under_load)();
    }
}

/// The NUMA node of a core.
fn node_of(cpu: usize) -> Option<u32> {
    let entries = std::fs::read_dir(format!("/sys/devices/system/cpu/cpu{cpu}")).ok()?.filter_map(Result::ok);
    entries.filter_map(|entry| entry.file_name().to_string_lossy().strip_prefix("node")?.parse().ok()).next()
}

/// Sleeps. False if interrupted before the end.
fn slept(time: Duration, interrupted: &AtomicBool) -> bool {
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        if interrupted.load(Ordering::Relaxed) {
            return false;
        }
        std::thread::sleep(left.min(Duration::from_millis(50)));
    }
    true
}

fn of_drive(drive: usize, part: Duration, counted: &Counted) -> DriveRun {
    let time = counted.time.as_secs_f64();
    let (blocks, bytes) = (counted.latencies.len() as f64, counted.parts.iter().sum::<u64>() as f64);
    // A run that was interrupted has whole parts up to its end.
    let whole = ((time / part.as_secs_f64()).round() as usize).min(counted.parts.len());
    let rates: Vec<f64> = counted.parts[..whole].iter().map(|&bytes| bytes as f64 / part.as_secs_f64()).collect();
    let each = |value: f64| if blocks > 0.0 { value / blocks } else { 0.0 };
    DriveRun {
        drive,
        rate: Rate(bytes / time),
        iops: blocks / time,
        written: Rate(counted.written as f64 / time),
        steady: Steadiness::of(&rates),
        parts: rates.into_iter().map(Rate).collect(),
        latency: Latencies::of(&counted.latencies),
        busy: counted.busiest.as_secs_f64() / time,
        cpu_per_block: Time::from_ns(each(counted.cpu.as_nanos() as f64).round() as u64),
        calls_per_block: each(counted.calls as f64),
        registered: counted.registered,
        node: counted.cpu_number.and_then(node_of),
        celsius: None,
        engine: None,
    }
}
