//! `lanescope advise`: its text, its errors and its exit codes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{fresh, lanescope, stdout, without_digits};
use serde_json::Value;

/// A workload of one stream that few candidates are asked about.
fn workload(name: &str, stream: &str, candidates: &str) -> String {
    let path = fresh(name).join("mine.yaml");
    std::fs::write(&path, format!("title: mine\nstreams:\n  one: {stream}\n{candidates}")).unwrap();
    path.to_str().unwrap().to_string()
}

const TWO: &str =
    "candidates:\n  one: { part: ssd/gen3-nvme }\n  two: { about: two of Gen4, part: ssd/gen4-nvme, drives: 2 }\n";

#[test]
fn how_does_advice_read() {
    insta::assert_snapshot!(without_digits(&stdout(&["advise", "database"])));
    let file = workload("advise-loads", "{ load: 5 GB, within: 2 s, block: 256 KiB, in_flight: 4 }", TWO);
    insta::assert_snapshot!(without_digits(&stdout(&["advise", &file])));
}

#[test]
fn is_each_free_slot_of_a_machine_tried() {
    let file = workload("advise-slots", "{ rate: 900 MB/s, in_flight: 4 }", TWO);
    let machine = fresh("advise-machine").join("mine.yaml");
    let slots =
        "parts: { host: { part: generic/gen4-host, slots: { slow: gen1 x2, fast: gen4 x4, sata: gen3 x4 } } }\n";
    std::fs::write(&machine, slots).unwrap();
    let text = stdout(&["advise", &file, "--machine", machine.to_str().unwrap(), "--json"]);
    let advice: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&advice["choice"], &advice["candidates"][0]["slots"][0]), (&"one".into(), &"host.fast".into()));
    let tried = advice["slots"].as_array().unwrap();
    let tried: Vec<_> =
        tried.iter().map(|one| (one["slot"].as_str().unwrap(), one["verdict"].as_str().unwrap())).collect();
    // Two lanes of Gen1 carry less than 900 MB/s of payload at this MPS.
    // A port for SATA takes no NVMe drive, however wide it is.
    assert_eq!(tried, [("host.slow", "too slow"), ("host.fast", "carries it")]);
    let slow = advice["slots"][0]["stops_at"].as_str().unwrap();
    assert!(slow.contains("Gen1 x2"), "{slow}");
}

#[test]
fn is_a_workload_that_nothing_carries_told_so() {
    let file = workload("advise-none", "{ rate: 90 GB/s, in_flight: 4 }", TWO);
    let output = lanescope(&["advise", &file]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("None of these carries it. The most is two"), "{text}");
    let bound = workload("advise-bound", "{ iops: 10, pattern: random, latency: 1 us, in_flight: 2 }", TWO);
    let output = lanescope(&["advise", &bound]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("not one block is answered in time"), "{text}");
}

#[test]
fn is_what_is_wrong_with_a_workload_told_with_its_place() {
    for (number, (stream, candidates, told)) in [
        ("{ rate: 900 }", "", "MB/s"),
        ("{ rate: 900 MB/s, iops: 4 }", "", "one of `rate`, `iops` and `load`"),
        ("{ load: 5 GB }", "", "within"),
        ("{ rate: 1 MB/s, within: 5 s }", "", "`load`"),
        ("{ iops: 5, block: 1000 B }", "", "512"),
        ("{ iops: -5 }", "", "300000"),
        ("{ iops: 5, growth: 0.5 }", "", "1 or more"),
        ("{ iops: 5, treads: 2 }", "", "threads"),
        ("{ iops: 5, operation: mix }", "", "`read` or `write`"),
        ("5", "", "mapping"),
        ("{ iops: 5 }", "candidates: { a: { drives: 2 } }", "part"),
        ("{ iops: 5 }", "candidates: { a: { part: ssd/gen9-nvme } }", "gen"),
        ("{ iops: 5 }", "candidates: { a: { part: \"x, y: z\" } }", "lanescope parts"),
        ("{ iops: 5 }", "candidate: {}", "candidates"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = workload(&format!("advise-wrong-{number}"), stream, candidates);
        let output = lanescope(&["advise", &file]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), text.contains(told)), (Some(2), true), "{stream} {candidates}: {text}");
    }
    let output = lanescope(&["advise", "ofice"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("office"));
    let output = lanescope(&["advise", "office", "--machine", "gen4-workstatoin"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("gen4-workstation"));
}
