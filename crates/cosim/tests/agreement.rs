//! Does the gateware do in a system what a behavioural card does that carries its parameters?

mod common;
use common::{absent, assert_near, outcome, rosta};
use cosim::counterpart;
use system::Scenario;

/// What the two may differ by.
const PERCENT: f64 = 1.5;
const VOLUME: u64 = 128 << 10;

#[track_caller]
fn agree(scenario: &Scenario) {
    let (compiled, behavioural) = (outcome(scenario), outcome(&counterpart(scenario)));
    for (a, b) in compiled.flows.iter().zip(&behavioural.flows) {
        assert_near(a.stream.as_mib_per_s(), b.stream.as_mib_per_s(), PERCENT);
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
