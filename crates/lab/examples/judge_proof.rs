//! What does the proof of a bottleneck cost beside the run, and does it name what the full search names?
//!
//! `judge_proof [--full] [--slowest] [--record FILE] [--against FILE] SOURCE...`, where a source is `bundled`,
//! `random:0..150` (one flow each), `mix:0..50` (several flows each), or a YAML file. It prints the CPU time of all runs
//! and of all proofs for each experiment; with `--against`, how many flows have the same bottleneck as in a file that
//! was recorded. `make judge-proof` compares with the full search.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    reason = "a program for developers that stops where it fails"
)]

#[path = "../../limit/tests/common/mod.rs"]
mod common;
#[path = "../../limit/tests/common/mix.rs"]
mod mix;

use lanescope_lab as lab;
extern crate limit as lanescope_limit;
use lab::cause::{self, Effort, Moves, SearchOptions, Whose};
use lab::sweep::{self, Job, Measured, RunOptions};
use lab::{At, DescribedMachine, reference};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

/// CPU time of the process so far, in milliseconds.
fn cpu_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Points that belong together, and the rate that is compared at each.
struct Group {
    name: String,
    jobs: Vec<Job>,
    moves: Moves,
}

fn described(name: &str) -> Vec<Group> {
    let machine = DescribedMachine::open(name, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
    let references = reference::bundled().unwrap();
    let experiments = machine.description().experiments().iter().filter(|experiment| experiment.formula.is_none());
    let group = |experiment: &system::Experiment| Group {
        name: format!("{} {}", machine.name(), experiment.name),
        jobs: machine
            .points(experiment, &[])
            .unwrap()
            .into_iter()
            .map(|at| machine.job(experiment, at).unwrap())
            .collect(),
        moves: Moves::of(&machine.measures(experiment, &references).unwrap()),
    };
    experiments.map(group).collect()
}

fn random(kind: &str, range: &str) -> Vec<Group> {
    let (from, to) = range.split_once("..").unwrap();
    let group = |seed: u64| {
        let case = if kind == "mix" { mix::mix(seed) } else { common::random::case(seed) };
        let (system, experiment, at) = (format!("{kind}:{seed}"), String::new(), At::default());
        let job = Job { system, experiment, at, scenario: case.scenario, divisor: 1 };
        Group { name: format!("{kind}:{seed}"), jobs: vec![job], moves: Moves::Stream }
    };
    (from.parse::<u64>().unwrap()..to.parse().unwrap()).map(group).collect()
}

fn groups(source: &str) -> Vec<Group> {
    match source.split_once(':') {
        Some((kind @ ("random" | "mix"), range)) => random(kind, range),
        _ if source == "bundled" => system::bundled::names().flat_map(described).collect(),
        _ => described(source),
    }
}

fn key(measured: &Measured, flow: usize) -> String {
    let job = &measured.job;
    format!("{} {} {} #{flow}", job.system, job.experiment, job.at)
}

fn main() {
    storage::register().unwrap();
    let mut arguments = std::env::args().skip(1);
    let (mut record, mut against, mut sources, mut whose) = (None, None, Vec::new(), Whose::Each);
    let mut effort = Effort::AsTheRun;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--record" => record = arguments.next(),
            "--against" => against = arguments.next(),
            "--full" => effort = Effort::Full,
            "--slowest" => whose = Whose::Slowest,
            _ => sources.push(argument),
        }
    }
    let known: BTreeMap<String, String> = against.map_or_else(BTreeMap::new, |path| {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().filter_map(|line| line.split_once('\t')).map(|(a, b)| (a.to_string(), b.to_string())).collect()
    });
    let never = AtomicBool::new(false);
    let options = RunOptions { threads: Some(1), interrupted: &never, step: &|| (), kinds: dma::KINDS };
    let search = SearchOptions { threads: Some(1), interrupted: &never, kinds: dma::KINDS, whose, effort };
    let (mut recorded, mut same, mut other) = (String::new(), 0, 0);
    let mut all = (0.0, 0.0);
    for group in sources.iter().flat_map(|source| groups(source)) {
        let begin = cpu_ms();
        let Ok(sweep) = sweep::run(group.jobs, &options) else {
            println!("{}: cannot be run", group.name);
            continue;
        };
        let (mut done, ran) = (sweep.done, cpu_ms());
        cause::find(&mut done, |_| group.moves, &search).unwrap();
        let proved = cpu_ms();
        let (run, proof) = (ran - begin, proved - ran);
        all = (all.0 + run, all.1 + proof);
        println!(
            "{:<44} {:>4} points {run:>9.1} ms, proof {proof:>9.1} ms: {:.2} x",
            group.name,
            done.len(),
            1.0 + proof / run
        );
        for measured in &done {
            for (flow, _) in measured.outcome.flows.iter().enumerate() {
                let Some(cause) = measured.cause(flow) else { continue };
                let (key, answer) = (key(measured, flow), cause.plain());
                match known.get(&key) {
                    Some(before) if *before == answer || (!cause.is_proved() && before.starts_with("none of")) => {
                        same += 1
                    }
                    Some(before) => {
                        other += 1;
                        println!("  {key}\n    before: {before}\n    now:    {cause}");
                    }
                    None => (),
                }
                let _ = writeln!(recorded, "{key}\t{answer}");
            }
        }
        if let Some(path) = &record {
            std::fs::write(path, &recorded).unwrap();
        }
    }
    println!("runs {:.1} s, proofs {:.1} s of CPU", all.0 / 1e3, all.1 / 1e3);
    if same + other > 0 {
        println!(
            "same bottleneck: {same} of {}, {:.1} %",
            same + other,
            100.0 * f64::from(same) / f64::from(same + other)
        );
    }
}
