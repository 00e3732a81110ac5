//! How much does a hop cost, counted in what does not depend on the clock: events and entries.
#![allow(clippy::unwrap_used)]

use lanescope_sim::run;
use system::description::Description;
use system::experiment::Point;

/// Events for each TLP on each link, of an experiment of the eight-card rig.
fn events_per_hop(experiment: &str, point: &str) -> f64 {
    let description = Description::bundled("rosta-rb8v7").unwrap();
    let experiment = description.experiment(experiment).unwrap();
    let mut scenario = description.scenario(experiment, &Point::parse(point).unwrap()).unwrap();
    for flow in &mut scenario.flows {
        flow.volume.0 = flow.volume.0.min(512 << 10).max(flow.command.0);
    }
    let outcome = run(&scenario, &dma::options()).unwrap();
    outcome.events as f64 / outcome.tlp_hops as f64
}

/// Cards that fill one link wait for credits at every transmitter: a look at who goes next, a DLLP in two of three hops,
/// and the arrival at the host in one of three.
#[test]
fn is_no_transmitter_looked_at_while_it_has_no_credits() {
    let spent = events_per_hop("host-write-many", "devices=8");
    assert!(spent < 2.05, "{spent:.2} events a hop");
}

/// Where credits are there, a hop is a look at who goes next, and at its end an arrival.
#[test]
fn does_a_tlp_go_through_a_switch_without_an_event_of_its_own() {
    for (experiment, point, most) in [("host-read-many", "devices=8", 1.42), ("p2p-write", "flows=4;payload=128", 2.3)]
    {
        let spent = events_per_hop(experiment, point);
        assert!(spent < most, "{experiment}: {spent:.2} events a hop");
    }
}
