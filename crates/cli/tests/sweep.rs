//! Sweeps: interrupted and resumed, sampled, in each output format.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh, lanescope, stdout};
use serde_json::Value;
use std::path::Path;

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
    // The state after Ctrl-C: some points in any order, and a half-written line where the program was killed.
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
    let lines = folder.join("out.jsonl");
    assert!(sweep(&lines, &["--by", "limit"]).status.success());
    let text = std::fs::read_to_string(lines).unwrap();
    assert_eq!(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Value>>(), values);
}

#[test]
fn does_every_example_of_a_sweep_work() {
    let folder = fresh("examples");
    let page = std::fs::read_to_string(common::data().join("../../../../docs/describe.md")).unwrap();
    let yaml = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    std::fs::write(folder.join("mine.yaml"), yaml).unwrap();
    let help = stdout(&["sweep", "--help"]);
    // The help folds long lines to the terminal.
    let examples = help.split("Examples:").nth(1).unwrap().split("\n\n").next().unwrap();
    // Fewer points than in the example are enough for this test.
    let few = examples.replace("--sample 500", "--sample 5").replace("/1000log", "/5log");
    let examples = few.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ");
    let examples: Vec<&str> = examples.split("lanescope ").map(str::trim).filter(|text| !text.is_empty()).collect();
    assert!(examples.len() >= 4, "{help}");
    for example in examples {
        let arguments: Vec<&str> = example.split(' ').chain(["--by", "limit"]).collect();
        let output = command(&arguments).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{example}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn does_a_sweep_on_dask_say_what_to_install() {
    let asked = |python: &str| {
        let mut all: Vec<&str> = SWEEP.to_vec();
        all.extend(["--dask", "tcp://127.0.0.1:9"]);
        command(&all).env("LANESCOPE_PYTHON", python).output().unwrap()
    };
    for python in ["/nowhere/python", "false"] {
        let said = asked(python);
        let error = String::from_utf8_lossy(&said.stderr).into_owned();
        assert_eq!(said.status.code(), Some(2), "{error}");
        assert!(error.contains("pip install"), "{error}");
    }
}
