//! Are all causes of some rates told, each with its figure and what it explains?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, stdout};
use serde_json::Value;

fn words<'a>(machine: &'a str, measured: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["explain", "--noise", "3", "--machine", machine];
    measured.iter().for_each(|one| words.extend(["--measured", one]));
    words
}

/// The answer, whatever the exit code.
fn explained(machine: &str, measured: &[&str]) -> Value {
    let machine = format!("explain/{machine}.yaml");
    let mut words = words(&machine, measured);
    words.push("--json");
    serde_json::from_slice(&command(&words).output().unwrap().stdout).unwrap()
}

/// The kinds of the causes of a hypothesis.
fn kinds(hypothesis: &Value) -> Vec<&str> {
    hypothesis["causes"].as_array().unwrap().iter().map(|cause| cause["kind"].as_str().unwrap()).collect()
}

/// The first number of the figure of a cause.
fn figure(cause: &Value) -> f64 {
    cause["figures"][0].as_str().unwrap().split(' ').next().unwrap().parse().unwrap()
}

/// One drive gives an eighth of the others, and the link of the switch is full.
const SLOW_BESIDE_FULL: [&str; 5] = [
    "disk=drive[0] rate=7000MB/s",
    "disk=drive[1] rate=7000MB/s",
    "disk=drive[2] rate=7000MB/s",
    "disk=drive[3] rate=900MB/s",
    "disk=drive[0],drive[1],drive[2],drive[3] rate=14000MB/s",
];

#[test]
fn is_a_second_cause_told_with_its_figure_and_what_it_explains() {
    let found = explained("four-drives-one-switch", &SLOW_BESIDE_FULL);
    let first = &found["hypotheses"][0];
    assert_eq!((found["verdict"].as_str(), kinds(first)), (Some("found"), vec!["link-full", "device"]), "{found}");
    let slow = &first["causes"][1];
    assert_eq!((&slow["places"][0], &slow["explains"]), (&"drive[3]".into(), &vec![3].into()), "{slow}");
    assert!((figure(slow) / 900.0 - 1.0).abs() < 0.05, "{slow}");
    let told = stdout(&words("explain/four-drives-one-switch.yaml", &SLOW_BESIDE_FULL));
    assert!(told.contains("And: The device drive[3], or its slot: 9"), "{told}");
}

/// Each drive gives 60 % of its link and the switch passes 57 % of its own: either alone is no better than none.
const SLOW_AND_CAPPED: [&str; 7] = [
    "disk=drive[0] rate=4252MB/s",
    "disk=drive[1] rate=4172MB/s",
    "disk=drive[2] rate=4098MB/s",
    "disk=drive[3] rate=4121MB/s",
    "disk=drive[0],drive[2] rate=7938MB/s",
    "disk=drive[1],drive[3] rate=7896MB/s",
    "disk=drive[0],drive[1],drive[2],drive[3] rate=7894MB/s",
];

#[test]
fn are_slow_drives_and_a_cap_of_the_only_uplink_told_together() {
    let found = explained("four-drives-one-switch", &SLOW_AND_CAPPED);
    assert_eq!(found["verdict"], "undecided", "{found}");
    let all = found["hypotheses"].as_array().unwrap();
    let mut firsts: Vec<&str> = all[..2].iter().map(|one| kinds(one)[0]).collect();
    firsts.sort_unstable();
    // All pass one port: what it passes, and what memory takes, give the same rates.
    assert_eq!(firsts, ["memory", "uplink"], "{found}");
    let best = all[0]["score"].as_f64().unwrap();
    assert!(all[2..].iter().all(|one| one["score"].as_f64().unwrap() > best + 6.0), "just these two: {found}");
    for one in &all[..2] {
        assert_eq!(kinds(one)[1..], ["devices"], "{one}");
        assert!((figure(&one["causes"][1]) / 4160.0 - 1.0).abs() < 0.05, "{one}");
    }
    let next = found["next"]["what"].as_str().unwrap();
    assert!(next.contains("in a slot that is not below host.pcie"), "{next}");
    let (first, second) = (&found["next"]["first_mb_per_s"], &found["next"]["second_mb_per_s"]);
    assert!((first.as_f64().unwrap() / second.as_f64().unwrap()).ln().abs() > 0.2, "{found}");
}

#[test]
fn is_the_core_named_that_has_no_time_left() {
    let found = explained(
        "four-drives-direct",
        &[
            "disk=drive[0] rate=3550MB/s jobs=1 busy=30%",
            "disk=drive[1] rate=3550MB/s jobs=1 busy=30%",
            "disk=drive[0],drive[1],drive[2],drive[3] rate=9700MB/s jobs=1 busy=98%",
        ],
    );
    assert_eq!((found["verdict"].as_str(), kinds(&found["hypotheses"][0])[0]), (Some("found"), "core"), "{found}");
    let time = found["hypotheses"][0]["fitted"][0]["time_ns"].as_f64().unwrap();
    assert!((time / (131_072.0 / 9.7) - 1.0).abs() < 0.05, "{time} ns for each command");
}

#[test]
fn is_a_latency_named_that_few_requests_in_flight_wait_for() {
    // 100 us for each block of 16 KiB, with 1, 2 and 8 in flight: twice as many move twice as much.
    let rates = ["depth=1 rate=158MB/s", "depth=2 rate=316MB/s", "depth=8 rate=1263MB/s"];
    let one = |drive: usize| rates.map(|rate| format!("disk=drive[{drive}] block=16KiB {rate}"));
    let all: Vec<String> = [0, 1].into_iter().flat_map(one).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let found = explained("four-drives-direct", &all);
    let first = &found["hypotheses"][0];
    assert_eq!((found["verdict"].as_str(), kinds(first)), (Some("found"), vec!["in-flight"]), "{found}");
    assert!((figure(&first["causes"][0]) / 100.0 - 1.0).abs() < 0.05, "{first}");
    // At one depth, slow devices give the same.
    let found = explained("four-drives-direct", &[all[0], all[3]]);
    let mut firsts: Vec<&str> = found["hypotheses"].as_array().unwrap()[..2].iter().map(|one| kinds(one)[0]).collect();
    firsts.sort_unstable();
    assert_eq!((found["verdict"].as_str(), firsts), (Some("undecided"), vec!["devices", "in-flight"]), "{found}");
    assert_eq!(found["next"]["what"], "the same with 4 in flight for each device", "{found}");
}

#[test]
fn is_a_described_queue_that_is_too_short_told() {
    let found = explained("one-job-four-drives", &["disk=ssd[0] block=4KiB depth=1 order=random rate=80MB/s"]);
    let causes: Vec<&str> = found["hypotheses"].as_array().unwrap().iter().flat_map(kinds).collect();
    assert!(causes.contains(&"in-flight"), "{found}");
}

#[test]
fn is_what_cards_do_named_from_their_side() {
    let found = explained(
        "four-drives-direct",
        &["from=drive[0] to=host rate=3.4GB/s", "from=host to=drive[0] rate=3.3GB/s", "disk=drive[0] rate=3.4GB/s"],
    );
    let loads: Vec<&str> =
        found["measurements"].as_array().unwrap().iter().map(|one| one["load"].as_str().unwrap()).collect();
    assert_eq!(loads, ["dma-write 128 KiB", "dma-read 128 KiB", "read 128 KiB"]);
}

#[test]
fn is_no_measurement_proposed_that_was_made() {
    // Each alone, and all: what both hypotheses miss is not what would tell them apart.
    let all: Vec<String> = (0..4).map(|n| format!("disk=drive[{n}] rate={}GB/s", 1 + n % 2)).collect();
    let mut all: Vec<&str> = all.iter().map(String::as_str).collect();
    all.push("disk=drive[0],drive[1],drive[2],drive[3] rate=3GB/s");
    let found = explained("four-drives-direct", &all);
    let next = found["next"]["what"].as_str().unwrap_or_default();
    assert!(!next.ends_with(" alone"), "each was measured alone: {next}");
}

#[test]
fn is_a_full_link_named_before_a_payload_that_gives_less() {
    let found = explained("old-card-beside", &["from=card to=host rate=3200MB/s"]);
    let first = &found["hypotheses"][0];
    let losses: Vec<&str> =
        first["losses"].as_array().unwrap().iter().map(|loss| loss["cause"].as_str().unwrap()).collect();
    assert_eq!(losses[0], "the link below host.s, Gen3 x4: full", "{found}");
    assert!(losses[1].starts_with("Max_Payload_Size 128"), "{found}");
}
