//! Does a long point report progress while it runs, and its whole work by the end?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::sweep::{self, RunOptions};
use lanescope_lab::{At, DescribedMachine};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

/// All progress reports, point after point.
fn told(at: &[&str]) -> (Vec<u64>, u64) {
    let machine = DescribedMachine::open("rosta-rb8v7", &["experiments.host-read.volume=8 MiB".to_string()]).unwrap();
    let experiment = machine.description().experiment("host-read").unwrap();
    let job = |at: &&str| machine.job(experiment, At::parse(at).unwrap()).unwrap();
    let jobs: Vec<_> = at.iter().map(job).collect();
    let whole = jobs.iter().map(sweep::Job::bytes).sum();
    let all = Mutex::new(Vec::new());
    let options = RunOptions { threads: Some(1), interrupted: &NEVER, step: &|| (), kinds: dma::KINDS };
    let done = sweep::run_watched(jobs, &options, &|work| all.lock().unwrap().push(work.done)).unwrap();
    assert!(done.complete);
    (all.into_inner().unwrap(), whole)
}

#[test]
fn does_one_long_point_say_how_far_it_is() {
    let (told, whole) = told(&["devices=1"]);
    assert_eq!((told.iter().sum::<u64>(), whole), (8 << 20, 8 << 20));
    // Progress is reported several times, and no report covers half of the work.
    assert!(told.len() > 3 && told.iter().all(|&more| more < whole / 2), "{told:?}");
}

#[test]
fn is_all_of_several_points_told_once() {
    let (told, whole) = told(&["devices=1", "devices=2"]);
    assert_eq!((told.iter().sum::<u64>(), whole), (24 << 20, 24 << 20));
}

/// Flows of very unequal volumes have no common window. They are run a second time, which adds to the work.
#[test]
fn is_a_run_that_goes_on_told_of_as_more_work() {
    let machine = DescribedMachine::open("rosta-rb8v7", &[]).unwrap();
    let experiment = machine.description().experiment("host-write-many").unwrap();
    let mut job = machine.job(experiment, At::parse("devices=2").unwrap()).unwrap();
    job.scenario.flows[1].volume = pcie::Bytes(64 << 10);
    job.scenario.flows[1].command = pcie::Bytes(64 << 10);
    let whole = job.bytes();
    let sum = Mutex::new((0, 0, false));
    let options = RunOptions { threads: Some(1), interrupted: &NEVER, step: &|| (), kinds: dma::KINDS };
    let watch = |work: sweep::Work| {
        let mut sum = sum.lock().unwrap();
        *sum =
            (sum.0 + work.done, sum.1 + work.more, sum.2 || (work.more > 0 && sum.0 + work.done < whole + work.more));
    };
    let done = sweep::run_watched(vec![job], &options, &watch).unwrap();
    assert!(done.complete && done.done[0].outcome.window.is_ok());
    let (done, more, room) = *sum.lock().unwrap();
    assert!(more > 0 && room, "there was more to do than was known, and the bar did not stand at its end");
    assert_eq!(done, whole + more, "all of it in the end");
}
