//! The streams of a workload as experiments, one for each number of blocks in flight.

use crate::candidate::Candidate;
use crate::workload::Stream;
use std::fmt::Write;

/// The least of a block that goes to one drive of a stripe; a block of less for each goes to one drive whole.
const CHUNK: u64 = 64 << 10;
/// A share of a block is a whole number of these.
const PAGE: u64 = 4096;
/// Where blocks of a random stream lie: on all of a drive of 1 TiB.
const WINDOW: &str = "1024 GiB";
/// Commands that a run has for each one in flight, and at least and at most in all.
const ROUNDS: u64 = 8;
const LEAST: u64 = 256;
const MOST: u64 = 8192;
/// Bytes of a run where its commands are long, of each drive.
const BYTES: u64 = 32 << 20;
/// With so long commands, this is the least number of rounds.
const FEW_ROUNDS: u64 = 3;

/// The numbers in flight that are tried: powers of two, and the most.
pub(crate) fn depths(most: u64) -> Vec<u64> {
    let mut depths: Vec<u64> = (0..63).map(|power| 1 << power).take_while(|&depth| depth < most).collect();
    depths.push(most);
    depths
}

/// What the queues of a drive take of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Blocks in flight that the drives of the candidate take at once, or the stream has: more would only wait.
    pub in_flight: u64,
    /// Threads with a queue of their own.
    pub jobs: u64,
}

/// The name of an experiment.
pub(crate) fn name(stream: usize, depth: u64) -> String {
    format!("stream{stream}_{depth}")
}

/// What each drive of a candidate gets of a stream.
struct Split {
    /// Drives that have commands.
    drives: u64,
    /// The length of a command.
    command: u64,
    /// Commands in flight at each.
    depth: u64,
}

fn split(stream: &Stream, drives: u64, depth: u64) -> Split {
    if stream.block.0 >= drives * CHUNK {
        return Split {
            drives,
            command: stream.block.0.div_ceil(drives).next_multiple_of(PAGE.min(stream.block.0)),
            depth,
        };
    }
    let drives = drives.min(depth);
    Split { drives, command: stream.block.0, depth: depth / drives }
}

/// Blocks in flight of the whole candidate if each of its drives takes `each`.
pub(crate) fn in_flight(stream: &Stream, drives: u64, each: u64) -> u64 {
    if stream.block.0 >= drives * CHUNK { each } else { each.saturating_mul(drives) }
}

/// The section `experiments:`. `part` is the name of the candidate's parts.
pub(crate) fn all(
    streams: &[(&Stream, Room)],
    candidate: &Candidate,
    (part, host): (&str, &str),
    anywhere: bool,
) -> String {
    let mut text = String::from("experiments:\n");
    for (number, (stream, room)) in streams.iter().enumerate() {
        for depth in depths(room.in_flight) {
            let Split { drives, command, depth: each } = split(stream, candidate.drives, depth);
            let jobs = room.jobs.min(each);
            let long = (BYTES / command).max(FEW_ROUNDS * each);
            let commands = (ROUNDS * each).clamp(LEAST, MOST.max(FEW_ROUNDS * each)).min(long);
            let operation = if stream.writes { "disk-write" } else { "disk-read" };
            let flow = |drive: u64| {
                let drive = format!("{part}[{}]", drive / candidate.on_one);
                if stream.writes { format!("\"{host} -> {drive}\"") } else { format!("\"{drive} -> {host}\"") }
            };
            // Where there are fewer blocks than drives, those that are in the worse slots have them: no block is answered later.
            let first = candidate.drives - drives;
            let flows = (first..candidate.drives).map(flow).collect::<Vec<_>>().join(", ");
            let pattern = if stream.random || anywhere {
                format!("\n    pattern: random\n    window: {WINDOW}")
            } else {
                String::new()
            };
            let _ = write!(
                text,
                "  {}:\n    operation: {operation}\n    drive: software\n    command: {command} B\n    volume: {} B\n    \
                 queue_depth: {}\n    jobs: {jobs}{pattern}\n    flows: [{flows}]\n",
                name(number, depth),
                command * commands,
                each / jobs,
            );
        }
    }
    text
}
