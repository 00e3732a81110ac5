//! Are files read as they lie on their disk, and counted right?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use bench::{Drive, DriveKind, Error, Load, Pattern, Plan, Point, Run, run};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// A file of `mib` on the disk of the build; removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, mib: usize) -> Temporary {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        let bytes: Vec<u8> = (0..mib * MIB).map(|n| (n / 4096) as u8).collect();
        fs::write(&path, bytes).unwrap();
        Temporary(path)
    }
    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn plan(drives: usize, block: u64, depth: u32, pattern: Pattern) -> (Plan, Point) {
    let plan = Plan {
        subsets: vec![("all".into(), (0..drives).collect())],
        pairs: Vec::new(),
        blocks: vec![block],
        depths: vec![depth],
        patterns: vec![pattern],
        reads: 100,
        rate: None,
        polls: false,
        calls: Vec::new(),
        warm_up: Duration::from_millis(100),
        time: Duration::from_millis(500),
    };
    let point = plan.points().remove(0);
    (plan, point)
}

/// The run, or `None` with a message where this machine has no io_uring or its build lies on a disk without O_DIRECT.
fn ran(files: &[&Temporary], block: u64, depth: u32, pattern: Pattern) -> Option<Run> {
    let drives: Result<Vec<Drive>, Error> = files.iter().map(|file| Drive::open(file.path())).collect();
    let (plan, point) = plan(files.len(), block, depth, pattern);
    let done = drives.and_then(|drives| run(&drives, &plan, &point, &AtomicBool::new(false), &mut || ()));
    match done {
        Ok(done) => done,
        Err(error @ (Error::Ring { .. } | Error::Open { .. })) => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn are_so_many_blocks_in_flight_as_were_asked_for() {
    let file = Temporary::new("depth", 32);
    for (block, depth) in [(4096, 1), (4096, 16), (131_072, 4)] {
        for pattern in [Pattern::Sequential, Pattern::Random] {
            let Some(run) = ran(&[&file], block, depth, pattern) else { return };
            let drive = &run.drives[0];
            // Little's law: a block is asked for again when its end has been seen. Blocks that began before the window, and those
            // that had not ended after it, are each off by what one takes at most. The window is from an end to an end, and so
            // shorter than asked for where the machine stands still as it opens.
            let window = drive.latency.count as f64 / drive.iops;
            let in_flight = drive.iops * drive.latency.mean.as_secs();
            let near = in_flight / f64::from(depth);
            let edge = drive.latency.greatest.as_secs() / window;
            assert!(
                (0.9 - edge..1.02 + edge).contains(&near),
                "{block} x {depth} {}: {in_flight} in flight",
                pattern.word()
            );
            assert!((drive.rate.0 / (drive.iops * block as f64) - 1.0).abs() < 1e-9);
            let counted: f64 = drive.parts.iter().map(|part| part.0).sum::<f64>() / drive.parts.len() as f64;
            assert!((counted / drive.rate.0 - 1.0).abs() < 0.1 + edge, "{counted} in parts, {} over all", drive.rate.0);
            assert!(drive.busy > 0.0 && drive.busy <= 1.01 && drive.calls_per_block <= 2.01, "{drive:?}");
            let percentiles: Vec<_> = drive.latency.percentiles.iter().map(|(_, time)| *time).collect();
            assert!(percentiles.is_sorted() && percentiles[0] >= drive.latency.least, "{percentiles:?}");
        }
    }
}

#[test]
fn do_drives_of_a_subset_run_at_once() {
    let files = [Temporary::new("one", 16), Temporary::new("two", 16), Temporary::new("three", 16)];
    let begun = Instant::now();
    let Some(run) = ran(&[&files[0], &files[1], &files[2]], 65536, 8, Pattern::Sequential) else { return };
    assert!(
        begun.elapsed() < Duration::from_millis(1700),
        "one after the other would take 1.8 s: {:?}",
        begun.elapsed()
    );
    assert_eq!(run.drives.iter().map(|drive| drive.drive).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(run.drives.iter().all(|drive| drive.rate.0 > 0.0));
    assert_eq!(run.latency.count, run.drives.iter().map(|drive| drive.latency.count).sum::<u64>());
}

#[test]
fn does_a_rate_hold_and_is_what_waits_for_its_place_late() {
    let file = Temporary::new("rate", 32);
    let at = |rate: u64, depth| {
        let drives = [Drive::open(file.path()).ok()?];
        let (mut plan, _) = plan(1, 4096, depth, Pattern::Random);
        plan.rate = Some(rate);
        let point = plan.points().remove(0);
        run(&drives, &plan, &point, &AtomicBool::new(false), &mut || ()).ok().flatten()
    };
    let Some(slow) = at(4_096_000, 16) else { return };
    // 1000 blocks a second.
    assert!((slow.iops() / 1000.0 - 1.0).abs() < 0.05, "{}", slow.iops());
    assert!(slow.drives[0].busy < 0.5 && slow.behind_rate().next().is_none(), "{slow:?}");
    // More than any disk: blocks wait for their place, and their latency with them.
    let Some(fast) = at(1 << 40, 1) else { return };
    assert_eq!(fast.behind_rate().count(), 1);
    assert!(fast.latency.mean.as_secs() > 0.1, "blocks that were due in the first second: {:?}", fast.latency.mean);
}

#[test]
fn is_the_machine_looked_at_while_drives_are_read() {
    let file = Temporary::new("watched", 16);
    let Ok(drive) = Drive::open(file.path()) else { return };
    let (plan, point) = plan(1, 4096, 4, Pattern::Random);
    let (begun, mut looked) = (Instant::now(), Vec::new());
    let done = run(&[drive], &plan, &point, &AtomicBool::new(false), &mut || looked.push(begun.elapsed()));
    if done.is_err() {
        return;
    }
    let [at] = looked[..] else { panic!("{looked:?}") };
    assert!(at >= Duration::from_millis(350) && at < begun.elapsed(), "{at:?} after the start");
}

#[test]
fn does_an_interrupt_keep_what_was_counted() {
    interrupted(false);
    interrupted(true);
}

fn interrupted(slow: bool) {
    let file = Temporary::new("interrupted", 16);
    let Ok(drive) = Drive::open(file.path()) else { return };
    let (mut plan, _) = plan(1, 4096, 4, Pattern::Random);
    plan.time = Duration::from_secs(20);
    // One block in ten seconds: the thread waits, and looks up all the same.
    plan.rate = slow.then_some(410);
    let point = plan.points().remove(0);
    let interrupted = AtomicBool::new(false);
    let begun = Instant::now();
    let done = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(600));
            interrupted.store(true, Ordering::Relaxed);
        });
        run(&[drive], &plan, &point, &interrupted, &mut || ())
    });
    let Ok(done) = done else { return };
    assert!(begun.elapsed() < Duration::from_secs(5));
    let run = done.unwrap();
    assert!(run.time < Duration::from_secs(1) && (slow || run.rate().0 > 0.0), "{:?}", run.time);
}

#[test]
fn is_what_cannot_be_read_refused_with_what_would_be_right() {
    let told = |path: &str| {
        let error = Drive::open(path).err().unwrap();
        let help = miette::Diagnostic::help(&error).map(|help| help.to_string()).unwrap_or_default();
        format!("{error}; {help}")
    };
    assert!(told("/nowhere").contains("/nowhere cannot be opened; name a block device"));
    assert!(told("/dev").contains("/dev is a folder"));
    assert!(told("/dev/null").contains("a character device"));
    let file = Temporary::new("short", 1);
    let Ok(drive) = Drive::open(file.path()) else { return };
    assert_eq!((drive.kind, drive.bytes), (DriveKind::File, MIB as u64));
    assert!(drive.check(1000).unwrap_err().to_string().contains("does not fit"));
    assert!(drive.check(2 << 20).unwrap_err().to_string().contains("less than one block"));
    assert!(drive.check(0).is_err() && drive.check(4096).is_ok());
}

/// The kernel is asked itself: no disk of a test has poll queues, or it has, and then the file is read.
#[test]
fn is_a_disk_without_poll_queues_named_where_the_kernel_refuses() {
    let file = Temporary::new("polled", 4);
    let Ok(drive) = Drive::open(file.path()) else { return };
    let (mut plan, point) = plan(1, 4096, 4, Pattern::Random);
    plan.polls = true;
    match run(&[drive], &plan, &point, &AtomicBool::new(false), &mut || ()) {
        Err(error @ Error::Poll { .. }) => assert!(error.to_string().contains("has no poll queues")),
        Err(Error::Ring { source }) => println!("skipped: {source}"),
        Err(other) => panic!("{other}"),
        // Kernels before 6.10 wait for the interrupt in place of that.
        Ok(done) => assert!(done.is_some_and(|run| run.polled && run.generator_bound().next().is_none())),
    }
}

#[test]
fn are_all_loads_of_all_subsets_planned() {
    let plan = Plan {
        subsets: vec![("a".into(), vec![0]), ("b".into(), vec![1]), ("all".into(), vec![0, 1])],
        pairs: Vec::new(),
        blocks: vec![4096, 131_072],
        depths: vec![1, 32],
        patterns: vec![Pattern::Random],
        reads: 100,
        rate: None,
        polls: false,
        calls: Vec::new(),
        warm_up: Duration::from_secs(1),
        time: Duration::from_secs(4),
    };
    let points = plan.points();
    assert_eq!((points.len(), plan.lasts()), (12, Duration::from_secs(60)));
    assert_eq!(
        points[11].load,
        Load { block: 131_072, depth: 32, pattern: Pattern::Random, reads: 100, rate: None, calls: None }
    );
    assert_eq!((points[11].subset.as_str(), points[11].drives.as_slice()), ("all", [0, 1].as_slice()));
}
