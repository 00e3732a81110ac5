//! Does the gateware do in a system what a behavioural card does that carries its parameters?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
use common::{absent, assert_near, outcome, rosta, scenario};
use cosim::counterpart;
use system::Scenario;

/// What the two may differ by.
const PERCENT: f64 = 1.5;
const VOLUME: u64 = 128 << 10;

#[track_caller]
fn agree(scenario: &Scenario) {
    let (compiled, behavioural) = (outcome(scenario), outcome(&counterpart(scenario)));
    for (a, b) in compiled.flows.iter().zip(&behavioural.flows) {
        assert_near(a.stream.unwrap().as_mib_per_s(), b.stream.unwrap().as_mib_per_s(), PERCENT);
    }
}

#[test]
fn do_cards_that_write_to_each_other_agree() {
    if absent("do_cards_that_write_to_each_other_agree") {
        return;
    }
    for flows in ["1", "2", "4", "cross8"] {
        agree(&rosta("p2p-write", &format!("flows={flows}"), VOLUME, &[]));
    }
}

#[test]
fn do_cards_and_host_agree_whether_the_link_or_the_sharing_decides() {
    if absent("do_cards_and_host_agree_whether_the_link_or_the_sharing_decides") {
        return;
    }
    for devices in [1, 3, 8] {
        agree(&rosta("host-write-many", &format!("devices={devices}"), VOLUME, &[]));
        agree(&rosta("host-read-many", &format!("devices={devices}"), VOLUME, &[]));
    }
}

#[test]
fn do_they_agree_where_latency_decides() {
    if absent("do_they_agree_where_latency_decides") {
        return;
    }
    for request in ["card.read_request=512 B", "card.read_request=4096 B"] {
        agree(&rosta("host-read-many", "devices=1", VOLUME, &["card.read_requests=1", request]));
    }
}

#[test]
fn is_it_the_overlap_that_makes_short_commands_and_pushed_descriptors_quick() {
    if absent("is_it_the_overlap_that_makes_short_commands_and_pushed_descriptors_quick") {
        return;
    }
    let pushed = ["card.descriptors=pushed", "host.descriptor_cost=700 ns"];
    let short = ["experiments.loopback.command=4 KiB"];
    for scenario in [scenario("long-calls-in", &pushed), scenario("loopback", &short)] {
        let app = |scenario: &Scenario| outcome(scenario).flows[0].app.as_mib_per_s();
        let mut behavioural = counterpart(&scenario);
        let compiled = app(&scenario);
        assert_near(compiled, app(&behavioural), 2.0);
        behavioural.system.remake(|graph| {
            for part in &mut graph.parts {
                if let Some(card) = part.kind.card_mut() {
                    card.overlap = false;
                }
            }
        });
        let waits = app(&behavioural);
        assert!(waits < 0.85 * compiled, "{waits} beside {compiled}");
    }
}

#[test]
fn do_latencies_agree_over_payload() {
    if absent("do_latencies_agree_over_payload") {
        return;
    }
    for bytes in [128, 512] {
        let (mps, command) = (format!("settings.mps={bytes}"), format!("experiments.peer.command={bytes} B"));
        let scenario = scenario("peer", &[&mps, &command, "card.command_latency=5 us"]);
        let median = |scenario: &Scenario| outcome(scenario).flows[0].latency.median.as_ns();
        assert_near(median(&scenario), median(&counterpart(&scenario)), PERCENT);
    }
}
