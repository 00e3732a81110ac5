//! Is a long stream by its samples what it is in full?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lab::DescribedMachine;
use lab::stream::{Stream, stream};
use lab::sweep::{self, Job, RunOptions};
use pcie::Bytes;
use std::sync::atomic::AtomicBool;

const MIB: u64 = 1 << 20;

fn job(volume: u64, op: &str) -> Job {
    let _ = lanescope_storage::register();
    // As small beside the cache as the buffer of a drive is: what it takes in when the state turns is not in the samples.
    let small = ["ssd.slc_cache=90 MiB", "ssd.write_buffer=2 MiB"].map(String::from);
    let sets = [&small[..], &[format!("experiments.sequential.volume={volume} MiB")]].concat();
    let machine = DescribedMachine::open("bit-nvme-zcu106", &sets).unwrap();
    let experiment = machine.description().experiment("sequential").unwrap();
    let axes =
        [("gen", "3"), ("op", op), ("drives", "1")].map(|(name, value)| (name.to_string(), vec![value.to_string()]));
    let at = machine.points(experiment, &axes).unwrap().remove(0);
    machine.job(experiment, at).unwrap()
}

fn with<T>(run: impl FnOnce(&RunOptions<'_>) -> T) -> T {
    let interrupted = AtomicBool::new(false);
    run(&RunOptions { threads: Some(1), interrupted: &interrupted, step: &|| (), kinds: &[] })
}

fn streamed(total: u64, each: u64, op: &str) -> Stream {
    with(|options| stream(&job(32, op), (Bytes(total * MIB), Bytes(each * MIB)), options).unwrap().unwrap())
}

#[test]
fn is_a_stream_by_its_samples_as_long_as_in_full() {
    let sampled = streamed(256, 64, "write");
    assert_eq!(sampled.samples.len(), 2, "one before the cache is full, and one after");
    let full = with(|options| sweep::run(vec![job(256, "write")], options).unwrap().done.remove(0));
    let (sampled, full) = (sampled.mean.as_mb_per_s(), full.outcome.flows[0].app.as_mb_per_s());
    assert!((sampled / full - 1.0).abs() < 0.01, "{sampled} by samples, {full} in full");
}

#[test]
fn has_the_part_in_which_the_state_turns_the_mean_of_both() {
    let Stream { rates, samples, .. } = streamed(256, 64, "write");
    let [before, turn, after, last] = rates[..] else { panic!("{rates:?}") };
    assert_eq!((before, after, last), (samples[0].rate, samples[1].rate, samples[1].rate));
    // 26 of its 64 MiB go to the cache.
    let by_hand = 64.0 / (26.0 / before.0 + 38.0 / after.0);
    assert!((turn.0 / by_hand - 1.0).abs() < 1e-9, "{turn:?} {by_hand}");
    let read = streamed(256, 64, "read");
    assert_eq!((read.samples.len(), read.stretches().len()), (1, 1), "reads leave the drive as it is");
}

#[test]
fn does_a_stream_of_a_drive_that_was_written_before_begin_where_that_ended() {
    let mut job = job(32, "write");
    let drive = job.scenario.flows[0].initiator;
    let change = system::Change::Field(drive, "written", "80 MiB".into());
    job.scenario.system.amend(change, system::Origin::Settled("a test".into())).unwrap();
    let found = with(|options| stream(&job, (Bytes(64 * MIB), Bytes(MIB)), options).unwrap().unwrap());
    assert_eq!(found.samples.iter().map(|s| s.to.0 / MIB).collect::<Vec<_>>(), [10, 64]);
    assert_eq!(found.samples[0].simulated.0 / MIB, 10, "a sample ends where the state turns");
}
