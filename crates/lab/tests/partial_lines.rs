//! Why are writes of less than a memory line so far below the formula on the eight-card rig?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::sweep::Job;
use lanescope_lab::{At, DescribedMachine, Quality, Unit, metric};

const PAYLOADS: [u64; 5] = [4, 8, 16, 32, 64];

/// One card that writes one command to the host.
fn job(sets: &[&str], payload: u64) -> Job {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_string()).collect();
    let machine = DescribedMachine::open("rosta-rb8v7", &sets).unwrap();
    let experiment = machine.description().experiment("host-write").unwrap();
    let at = At::parse(&format!("payload={payload};size=262144;devices=1")).unwrap();
    let mut job = machine.job(experiment, at).unwrap();
    for flow in &mut job.scenario.flows {
        flow.volume = flow.command;
    }
    job
}

fn fraction_of_theory(sets: &[&str], payload: u64) -> f64 {
    let job = job(sets, payload);
    let outcome = sim::run(&job.scenario, &dma::options()).unwrap();
    metric::simulated(Quality::FRACTION_OF_THEORY, Unit::One, &job.scenario, &outcome).unwrap()
}

fn limit_of_theory(sets: &[&str], payload: u64) -> f64 {
    let job = job(sets, payload);
    let limits = limit::limit(&job.scenario);
    metric::bounded(Quality::FRACTION_OF_THEORY, Unit::One, &job.scenario, &limits).unwrap()
}

#[test]
fn does_the_curve_rise_steadily_from_4_to_64_bytes() {
    let curve = PAYLOADS.map(|payload| fraction_of_theory(&[], payload));
    assert!(curve.is_sorted(), "{curve:?}");
    assert!(curve[1..4].iter().all(|&fraction| fraction < 0.8), "{curve:?}");
}

#[test]
fn does_it_return_to_the_links_own_rate_when_a_partly_filled_line_costs_nothing() {
    let off = ["host.partial_line_service=0 ns"];
    for payload in PAYLOADS {
        let (simulated, limit) = (fraction_of_theory(&off, payload), limit_of_theory(&off, payload));
        assert!((simulated / limit - 1.0).abs() < 0.015, "{payload}: {simulated} {limit}");
        assert!(simulated > 0.8 && simulated >= fraction_of_theory(&[], payload), "{payload}: {simulated}");
    }
}
