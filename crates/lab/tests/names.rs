//! Do the limit and the simulation give one name to what a flow waits for?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

#[path = "../../limit/tests/common/mod.rs"]
mod common;

use common::random::case;
use lanescope_lab::cause::{self, Effort, Moves, SearchOptions, Whose};
use lanescope_lab::sweep::{Job, Measured};
use lanescope_lab::{At, DescribedMachine};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use system::{Budget, Description, Scenario, Share, Wait};

/// The share of time that must be waited before its name is compared.
const MUCH: f64 = 0.3;

/// The wait that takes most of the time of a budget, if it takes much.
fn greatest(budget: &Budget) -> Option<Wait> {
    let of = |wait: &Wait| budget.of(Share::Idle(*wait));
    Wait::all().max_by(|a, b| of(a).total_cmp(&of(b))).filter(|wait| of(wait) >= MUCH)
}

/// What the limit and the simulation say that the first flow waits for, where it moves as fast as its limit.
fn both(scenario: &Scenario) -> Option<(Wait, Wait)> {
    let (limits, outcome) = (limit::limit(scenario), sim::run(scenario, &dma::options()).ok()?);
    let (limit, found) = (&limits.alone[0], &outcome.flows[0]);
    let near = found.stream.is_some_and(|rate| rate.0 > 0.95 * limit.stream.0);
    (near && limit.direction == found.direction).then_some(())?;
    Some((greatest(&limit.budget)?, greatest(&found.budget)?))
}

#[test]
fn have_waits_one_name_over_random_systems() {
    let mut counts: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
    let (mut same, mut all) = (0, 0);
    for seed in 0..300 {
        let Some((limit, found)) = both(&case(seed).scenario) else { continue };
        all += 1;
        same += usize::from(limit == found);
        if limit != found {
            counts.entry((limit.to_string(), found.to_string())).or_default().push(seed);
        }
    }
    for ((limit, found), seeds) in &counts {
        println!("limit: {limit}; simulation: {found}; seeds {seeds:?}");
    }
    println!("{same} of {all}");
    // What a receiver's memory holds up has two names: memory, and the credits that it gives back late.
    assert!(all > 50 && same * 100 >= all * 85, "{same} of {all}: {counts:?}");
}

const GPU: &str = r#"
title: a GPU that reads one command of 4 KiB after another, with 256 requests
parts:
  host: { part: generic/gen5-host, slots: { gpu: gen5 x16 }, read_latency: 900 ns }
  gpu: { kind: dma-card, ports: { pcie: gen5 x16 }, mps: 256, read_requests: 256, tag_bits: 10, bars: 1 MiB }
links: [host.gpu - gpu.pcie]
experiments:
  read: { operation: dma-read, drive: card, command: 4 KiB, volume: 1 MiB, flows: [host -> gpu], axes: {} }
"#;

#[test]
fn does_a_card_that_waits_for_the_end_of_each_command_wait_for_that_and_not_for_tags() {
    let machine = DescribedMachine::described("gpu", Description::from_text("gpu.yaml", GPU).unwrap()).unwrap();
    let job: Job = machine.job(machine.description().experiment("read").unwrap(), At::default()).unwrap();
    let outcome = sim::run(&job.scenario, &dma::options()).unwrap();
    let limits = limit::limit(&job.scenario);
    assert_eq!(greatest(&limits.alone[0].budget), Some(Wait::Command));
    assert_eq!(greatest(&outcome.flows[0].budget), Some(Wait::Command), "{:?}", outcome.flows[0].budget);
    let mut measured = Measured { job, limits, outcome, causes: Vec::new() };
    let (never, threads, kinds) = (AtomicBool::new(false), None, dma::KINDS);
    let search = SearchOptions { threads, interrupted: &never, kinds, whose: Whose::Each, effort: Effort::AsTheRun };
    cause::of(&mut measured, Moves::Stream, &search);
    let (cause, stated) = (measured.cause(0).unwrap(), &measured.limits.together[0].bottleneck);
    assert!(cause.is_proved(), "{cause}");
    assert_eq!(cause.things[0].name, stated.name, "{cause}, and the limit says {stated}");
}

/// Flows of bundled machines that have one flow: what the limit and the simulation say that it waits for.
#[test]
fn have_waits_one_name_over_bundled_systems() {
    let mut wrong = Vec::new();
    let mut all = 0;
    for name in ["gen4-workstation", "nfp-t620v2", "kfcr-5400", "rosta-rb8v7"] {
        let machine = DescribedMachine::open(name, &[]).unwrap();
        for experiment in machine.description().experiments().iter().filter(|experiment| experiment.formula.is_none()) {
            for at in machine.points(experiment, &[]).unwrap().into_iter().step_by(7) {
                let job = machine.job(experiment, at.clone()).unwrap();
                if job.scenario.flows.len() > 1 || job.bytes() > 16 << 20 {
                    continue;
                }
                let Some((limit, found)) = both(&job.scenario) else { continue };
                all += 1;
                if limit != found {
                    wrong.push(format!("{name} {} {at}: limit {limit}, simulation {found}", experiment.name));
                }
            }
        }
    }
    println!("{} of {all} differ: {wrong:#?}", wrong.len());
    assert!(all > 10 && wrong.len() * 10 <= all, "{} of {all}: {wrong:#?}", wrong.len());
}
