//! Do fit, what-if, tune and sweep answer as somebody would read them?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, complaint, fresh, lanescope, stdout, without_digits};
use serde_json::Value;
use std::path::Path;

#[test]
fn how_does_a_fit_read() {
    let arguments = [
        "fit",
        "kfcr-x38",
        "--params",
        "host.command_cost,host.poll_interval",
        "--on",
        "kfcr.csv",
        "--rows",
        "dma-write",
        "--hold-out",
        "size=2048",
        "--by",
        "limit",
        "--detail",
    ];
    insta::assert_snapshot!(without_digits(&stdout(&arguments)));
}

#[test]
fn how_does_what_if_read() {
    let arguments = ["limit", "pair.yaml", "write", "--axis", "cards=2", "--axis", "payload=64", "--what-if"];
    insta::assert_snapshot!(without_digits(&stdout(&arguments)));
}

#[test]
fn how_does_tune_read() {
    insta::assert_snapshot!(without_digits(&stdout(&["tune", "pair.yaml", "copy", "--set", "settings.mps=128"])));
}

#[test]
fn do_programs_read_the_same_answers() {
    let fit: Value = serde_json::from_str(&stdout(&[
        "fit",
        "kfcr-x38",
        "--params",
        "host.command_cost",
        "--on",
        "kfcr.csv",
        "--by",
        "limit",
        "--json",
    ]))
    .unwrap();
    assert_eq!(fit["figures"][0]["path"], "host.command_cost");
    assert_eq!((fit["fitted"]["rows"].as_u64(), fit["complete"].as_bool()), (Some(6), Some(true)));
    let what: Value = serde_json::from_str(&stdout(&["limit", "pair.yaml", "read", "--what-if", "--json"])).unwrap();
    let gains = what[0]["gains"].as_array().unwrap();
    let requests = gains.iter().find(|gain| gain["what"] == "card.read_requests").unwrap();
    assert_eq!((requests["from"].as_str(), requests["sets"][0].as_str()), (Some("4"), Some("card.read_requests=8")));
    let tune: Value = serde_json::from_str(&stdout(&["tune", "pair.yaml", "read", "--json"])).unwrap();
    assert!(tune["after"].as_f64() >= tune["before"].as_f64());
}

const SWEEP: [&str; 7] = [
    "sweep",
    "pair.yaml",
    "read",
    "--over",
    "host.read_latency=200ns..800ns/5",
    "--over",
    "card.read_requests=1,2,4,8",
];

fn sweep(out: &Path, more: &[&str]) -> std::process::Output {
    let mut all: Vec<&str> = SWEEP.to_vec();
    all.extend(["--out", out.to_str().unwrap()]);
    all.extend(more);
    lanescope(&all)
}

#[test]
fn does_a_sweep_that_was_interrupted_end_with_the_bytes_of_one_that_was_not() {
    let folder = fresh("resumed");
    let (whole, torn) = (folder.join("whole.csv"), folder.join("torn.csv"));
    assert!(sweep(&whole, &[]).status.success());
    let text = std::fs::read_to_string(&whole).unwrap();
    assert_eq!(text.lines().count(), 1 + 5 * 4);
    assert!(!folder.join("whole.csv.part").exists());
    // What Ctrl-C leaves: some points in any order, and half a line where the program was killed while it wrote.
    let mut all: Vec<&str> = SWEEP.to_vec();
    all.extend(["--threads", "1", "--out", torn.to_str().unwrap()]);
    all.extend(["--set", "experiments.read.volume=2 MiB"]);
    let mut child = command(&all).spawn().unwrap();
    let part = folder.join("torn.csv.part");
    for _ in 0..600 {
        let lines = std::fs::read_to_string(&part).map_or(0, |text| text.lines().count());
        if lines > 2 || torn.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let _ = child.kill();
    let _ = child.wait();
    if let Ok(text) = std::fs::read_to_string(&part) {
        std::fs::write(&part, format!("{text}{{\"point\":7,\"rec")).unwrap();
        let again = sweep(&torn, &["--set", "experiments.read.volume=2 MiB"]);
        assert_eq!(again.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&again.stderr).contains("--resume"));
    }
    assert!(sweep(&torn, &["--set", "experiments.read.volume=2 MiB", "--resume"]).status.success());
    assert_eq!(std::fs::read_to_string(&torn).unwrap(), text);
    assert!(!part.exists());
}

#[test]
fn is_what_another_sweep_kept_left_alone() {
    let folder = fresh("other");
    let out = folder.join("out.csv");
    std::fs::write(folder.join("out.csv.part"), "{\"survey\":\"0\"}\n").unwrap();
    let refused = sweep(&out, &["--resume"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another sweep"));
    assert_eq!(std::fs::read_to_string(folder.join("out.csv.part")).unwrap(), "{\"survey\":\"0\"}\n");
}

#[test]
fn are_samples_the_same_for_a_seed_and_the_first_of_more() {
    let sampled = |count: &str, seed: &str| {
        let over = "host.read_latency=200ns..2us log";
        stdout(&["sweep", "pair.yaml", "read", "--over", over, "--by", "limit", "--sample", count, "--seed", seed])
    };
    let (eight, four) = (sampled("8", "3"), sampled("4", "3"));
    assert!(eight.starts_with(&four) && eight.lines().count() == 9);
    assert_ne!(four, sampled("4", "4"));
}

#[test]
fn is_a_point_that_is_not_possible_a_line_that_says_so() {
    let output = lanescope(&["sweep", "pair.yaml", "write", "--over", "payload=64,1024", "--by", "limit"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("is not possible") && text.contains("throughput_per_flow"),
        "{text}"
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("2 of 4 points are not possible"));
}

#[test]
fn do_json_and_csv_hold_the_same_lines() {
    let folder = fresh("forms");
    let (csv, json) = (folder.join("out.csv"), folder.join("out.json"));
    assert!(sweep(&csv, &["--by", "limit"]).status.success() && sweep(&json, &["--by", "limit"]).status.success());
    let values: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let text = std::fs::read_to_string(csv).unwrap();
    assert_eq!(values.len(), text.lines().count() - 1);
    let limit = values[0]["limit"].as_f64().unwrap().to_string();
    assert!(text.lines().nth(1).unwrap().contains(&limit), "{limit}");
}

#[test]
fn do_published_figures_say_that_the_machine_was_changed() {
    let short = "experiments.dma-write.max_commands=20";
    let run = |sets: &[&str]| {
        let mut all =
            vec!["run", "kfcr-x38", "dma-write", "--axis", "core=kf", "--axis", "lanes=1", "--axis", "size=1024"];
        all.extend(sets.iter().flat_map(|set| ["--set", set]));
        stdout(&all)
    };
    assert!(run(&[short]).contains("published") && !run(&[short]).contains("note:"));
    let changed = run(&[short, "host.command_cost=2 us"]);
    assert!(changed.contains("note: published figures are of the machine as described"), "{changed}");
    assert!(changed.contains("--set host.command_cost=2 us"), "{changed}");
}

#[test]
fn does_a_wrong_question_say_what_would_be_right() {
    let cases: [(&[&str], &str); 9] = [
        (&["fit", "kfcr-x38", "--params", "host.comand_cost", "--on", "kfcr.csv"], "command_cost"),
        (&["fit", "kfcr-x38", "--params", "host.command_cost", "--on", "kfcr.csv", "--rows", "dma-rite"], "dma-write"),
        (&["fit", "kfcr-x38", "--params", "host.command_cost", "--on", "rosta.csv"], "system"),
        (&["fit", "kfcr-x38", "--params", "host.command_cost", "--on", "no.csv"], "no.csv"),
        (
            &["fit", "kfcr-x38", "--params", "host.command_cost", "--on", "kfcr.csv", "--start", "host.command_cost=5"],
            "unit",
        ),
        (&["tune", "pair.yaml", "cop"], "copy"),
        (&["sweep", "pair.yaml", "read", "--over", "host.read_latency"], "1,2,4"),
        (&["sweep", "pair.yaml", "read", "--over", "host.read_latency=1ns..2ns"], "--sample"),
        (&["sweep", "pair.yaml", "read", "--over", "cards=1", "--out", "x.txt"], ".csv"),
    ];
    for (arguments, right) in cases {
        let (code, text) = complaint(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(right), "{arguments:?}: {text}");
    }
}
