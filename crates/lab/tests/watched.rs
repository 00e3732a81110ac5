//! Is a long point told of while it runs, and all of it in the end?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::sweep::{self, Manner};
use lanescope_lab::{At, Machine};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

/// All that was told, point after point.
fn told(at: &[&str]) -> (Vec<u64>, u64) {
    let machine = Machine::open("rosta-rb8v7", &["experiments.host-read.volume=8 MiB".to_string()]).unwrap();
    let experiment = machine.description().experiment("host-read").unwrap();
    let job = |at: &&str| machine.job(experiment, At::parse(at).unwrap()).unwrap();
    let jobs: Vec<_> = at.iter().map(job).collect();
    let whole = jobs.iter().map(sweep::Job::bytes).sum();
    let all = Mutex::new(Vec::new());
    let manner = Manner { threads: Some(1), interrupted: &NEVER, step: &|| (), cosim: &cosim::Cosim::default() };
    let done = sweep::run_watched(jobs, &manner, &|more| all.lock().unwrap().push(more)).unwrap();
    assert!(done.complete);
    (all.into_inner().unwrap(), whole)
}

#[test]
fn does_one_long_point_say_how_far_it_is() {
    let (told, whole) = told(&["devices=1"]);
    assert_eq!((told.iter().sum::<u64>(), whole), (8 << 20, 8 << 20));
    // Not all at the end: several times, and none of them half of it.
    assert!(told.len() > 3 && told.iter().all(|&more| more < whole / 2), "{told:?}");
}

#[test]
fn is_all_of_several_points_told_once() {
    let (told, whole) = told(&["devices=1", "devices=2"]);
    assert_eq!((told.iter().sum::<u64>(), whole), (24 << 20, 24 << 20));
}
