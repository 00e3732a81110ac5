//! What does `lanescope bench disk` print, keep and refuse?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, complaint, fresh};
use serde_json::Value;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

/// Two files on the disk of the build.
fn files(name: &str) -> (String, String) {
    let folder = fresh(name);
    let path = |name: &str| {
        let path = folder.join(name);
        std::fs::write(&path, vec![7; 16 << 20]).unwrap();
        path.to_str().unwrap().to_string()
    };
    (path("one.img"), path("two.img"))
}

/// The output, or `None` where this machine has no io_uring, or no O_DIRECT where the build lies.
fn ran(arguments: &[&str]) -> Option<Output> {
    let output = command(arguments).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    if complaint.contains("io_uring") || complaint.contains("O_DIRECT") {
        println!("skipped: {complaint}");
        return None;
    }
    Some(output)
}

const QUICK: [&str; 4] = ["--time", "500ms", "--warm-up", "100ms"];

#[test]
fn are_drives_measured_alone_and_together_and_kept_as_json() {
    let (one, two) = files("bench-json");
    let json = Path::new(&one).with_file_name("result.json");
    let saved = format!("--json={}", json.display());
    let mut words =
        vec!["bench", "disk", &one, &two, "--block", "4KiB,128KiB", "--depth", "4", "--pattern", "random", &saved];
    words.extend(QUICK);
    let Some(output) = ran(&words) else { return };
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{table}");
    assert!(table.contains("one.img + two.img") || table.contains(" all "), "{table}");
    let result: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!((&result["schema"], &result["complete"]), (&"lanescope-bench/1".into(), &true.into()));
    assert_eq!(result["drives"].as_array().unwrap().len(), 2);
    let runs = result["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 6, "three subsets, two blocks");
    for run in runs {
        let rate = run["mb_per_s"].as_f64().unwrap();
        let sum: f64 = run["drives"].as_array().unwrap().iter().map(|drive| drive["mb_per_s"].as_f64().unwrap()).sum();
        assert!(rate > 0.0 && (rate / sum - 1.0).abs() < 1e-9, "{run}");
        let blocks = run["iops"].as_f64().unwrap() * run["block"].as_f64().unwrap() / 1e6;
        assert!((rate / blocks - 1.0).abs() < 1e-9);
        let told = |name: &str| run["latency"][name].as_f64().unwrap();
        assert!(told("min_ns") <= told("p50_ns") && told("p50_ns") <= told("p99.99_ns"), "{run}");
    }
    // The table has the figures of the JSON.
    let rate = format!("{:.0}", runs[5]["iops"].as_f64().unwrap());
    assert!(table.contains(&rate), "{rate} in {table}");
}

#[test]
fn are_the_subsets_run_that_were_named() {
    let (one, two) = files("bench-subsets");
    let mut words = vec!["bench", "disk", &one, &two, "--subsets", "two.img", "--csv", "-"];
    words.extend(QUICK);
    let Some(output) = ran(&words) else { return };
    let csv = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 2, "{csv}");
    assert!(lines[1].starts_with("two.img,131072,32,sequential,100,MB/s,"), "{csv}");
}

#[test]
fn does_ctrl_c_keep_what_was_counted() {
    let (one, _) = files("bench-interrupted");
    let child = command(&["bench", "disk", &one, "--time", "30s", "--warm-up", "100ms", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    std::thread::sleep(Duration::from_millis(3000));
    let signalled = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    if complaint.contains("io_uring") || complaint.contains("O_DIRECT") {
        return;
    }
    assert_eq!(output.status.code(), Some(130), "{complaint}");
    assert!(begun.elapsed() < Duration::from_secs(20));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["complete"], false);
    let time = result["runs"][0]["time_s"].as_f64().unwrap();
    assert!(time > 0.5 && time < 20.0, "{time} s were counted");
}

#[test]
fn is_a_wrong_option_or_drive_refused_with_what_would_be_right() {
    let (one, _) = files("bench-wrong");
    let told = |words: &[&str]| {
        let (code, text) = complaint(&[&["bench", "disk"], words].concat());
        assert_eq!(code, Some(2), "{text}");
        text
    };
    assert!(told(&["/nowhere"]).contains("/nowhere cannot be opened"));
    assert!(told(&["/dev/null"]).contains("a character device"));
    assert!(told(&[&one, "--block", "100 B"]).contains("a multiple of the logical block"));
    assert!(told(&[&one, "--block", "1 GiB"]).contains("--block does not take"));
    assert!(told(&[&one, "--depth", "0"]).contains("1 to 4096"));
    assert!(told(&[&one, "--pattern", "backwards"]).contains("sequential or random"));
    assert!(told(&[&one, "--time", "1 ms"]).contains("0.5s or more"));
    assert!(told(&[&one, "--subsets", "three.img"]).contains("three.img, which is not among the drives"));
    assert!(told(&[&one, &one]).contains("named twice"));
    assert!(told(&[&one, "--block", "16 MiB", "--depth", "1024"]).contains("more than 1 GiB of memory"));
    assert!(told(&[&one, "--rate", "fast"]).contains("as in 200MB/s"));
    assert!(told(&[&one, "--poll=often"]).contains("auto, always or never"));
    // Where the disk of the file has poll queues, it is read.
    let output = command(&[&["bench", "disk", &one, "--poll"], &QUICK[..]].concat()).output().unwrap();
    let (code, text) = (output.status.code(), String::from_utf8_lossy(&output.stderr));
    assert!(code == Some(0) || code == Some(2) && text.contains("has no poll queues"), "{text}");
}

#[test]
fn is_a_report_whole_with_a_table_behind_every_picture() {
    let (one, two) = files("bench-report");
    let page = Path::new(&one).with_file_name("report.html");
    let mut words = vec!["bench", "disk", &one, &two, "--report", page.to_str().unwrap()];
    words.extend(QUICK);
    if ran(&words).is_none() {
        return;
    }
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains("default-src 'none'") && !text.contains("<script") && !text.contains("src="));
    let figures: Vec<&str> = text.split("<figure>").skip(1).collect();
    assert_eq!(figures.len(), 3, "subsets, the course of the run, latencies");
    assert!(figures.iter().all(|figure| figure.contains("<table>") && figure.matches("role=\"img\"").count() == 2));
    for shown in ["one.img + two.img", "128 KiB x 32, sequential", "Over the run", "busiest thread"] {
        assert!(text.contains(shown), "{shown}");
    }
}
