//! The answers of fit, what-if, tune and calibrate.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{complaint, fresh, lanescope, stdout, without_digits};
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

/// Rows of a host that answers in 560 ns, later than `generic/gen3-host`, by the closed form.
const MEASURED: [(&str, &str); 4] = [
    ("read", "requests=1;request=128 B"),
    ("read", "requests=1;request=512 B"),
    ("read", "requests=4;request=128 B"),
    ("read", "requests=4;request=512 B"),
];

/// A file of such rows, with the values of `limit` for the bench.
fn measured(folder: &Path) -> String {
    let bench = folder.join("bench.yaml");
    let [host, card, slot] = ["generic/gen3-host", "generic/gen3-card", "gen3 x8"].map(str::to_string);
    let text = lab::calibrate::bench::text(&lab::calibrate::bench::Bench { host, card, slot }, "A bench", "");
    std::fs::write(&bench, text).unwrap();
    let mut csv = "system,experiment,at,metric,value,unit,source,note\r\n".to_string();
    for (experiment, at) in MEASURED {
        let axes = at.split(';').flat_map(|pair| ["--axis".to_string(), pair.to_string()]);
        let mut all: Vec<String> = ["limit", bench.to_str().unwrap(), experiment].map(str::to_string).to_vec();
        all.extend(axes);
        all.extend(["--set", "host.read_latency=560 ns", "--unit", "MB/s", "--json"].map(str::to_string));
        let found: Value = serde_json::from_str(&stdout(&all.iter().map(String::as_str).collect::<Vec<_>>())).unwrap();
        let rate = found[0]["flows"][0]["fair"]["app_mb_per_s"].as_f64().unwrap_or_else(|| panic!("{found}"));
        csv += &format!("mine,{experiment},{at},throughput,{rate},MB/s,me,\r\n");
    }
    let path = folder.join("mine.csv");
    std::fs::write(&path, csv).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn does_a_calibration_say_what_it_needs_and_give_a_host_that_a_description_takes() {
    let needs = stdout(&["calibrate"]);
    for word in ["one-read", "partial-writes", "read_latency", "why"] {
        assert!(needs.contains(word), "{needs}");
    }
    let needs: Value = serde_json::from_str(&stdout(&["calibrate", "--json"])).unwrap();
    assert_eq!(needs["measurements"].as_array().map(Vec::len), Some(lab::calibrate::figure::MEASUREMENTS.len()));
    let folder = fresh("calibrated");
    let (csv, out) = (measured(&folder), folder.join("found.yaml"));
    let arguments = ["calibrate", "--on", &csv, "--by", "limit", "--out", out.to_str().unwrap()];
    let text = stdout(&arguments);
    let found = text.split("read_latency: { value: ").nth(1).and_then(|rest| rest.split(' ').next());
    let found: f64 = found.unwrap_or_else(|| panic!("{text}")).parse().unwrap();
    assert!((found / 560.0 - 1.0).abs() < 1e-3 && text.contains("keeps its default"), "{text}");
    assert!(text.contains("line_service") && text.contains("no row depends on it"), "{text}");
    let shown = stdout(&["show", out.to_str().unwrap(), "--figures"]);
    assert!(shown.contains("mine.csv"), "{shown}");
    let json: Value = serde_json::from_str(&stdout(&[&arguments[..5], &["--json"]].concat())).unwrap();
    assert_eq!((json["result"].as_bool(), json["part"].as_str()), (Some(true), Some("host")));
    assert!(json["yaml"].as_str().unwrap().contains("part: generic/gen3-host"));
    assert!(json["kept"].as_array().unwrap().iter().any(|kept| kept["field"] == "line_service"));
}

#[test]
fn is_what_has_not_converged_no_result() {
    // Seven figures on seven rows: other sizes and counts meet the rows as well.
    let params = "card.read_requests,card.read_request,card.completion_buffer,card.fifo,host.read_latency,host.read_gap,host.command_cost";
    let asked =
        ["fit", "kfcr-5400", "--params", params, "--on", "kfcr.csv", "--rows", "dma-read core=p", "--by", "limit"];
    let output = lanescope(&asked);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("not converged:") && !text.contains("to write down") && !text.contains("found"), "{text}");
    let output = lanescope(&[&asked[..], &["--json"]].concat());
    let fit: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), fit["converged"].as_bool()), (Some(1), Some(false)), "{fit}");
    assert!(fit["not_converged"].is_string() && fit["ended_at"].is_array() && fit["figures"].is_null(), "{fit}");
}

#[test]
fn is_a_set_that_does_not_exist_refused_with_the_nearest() {
    let (code, text) = complaint(&["validate", "--set", "kfcr-x3"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("kfcr-x38"), "{text}");
    let rows = stdout(&["validate", "--set", "kfcr-x38", "--csv", "-"]);
    assert_eq!(rows.lines().count(), 1 + 6, "{rows}");
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
    let completions = gains.iter().find(|gain| gain["what"] == "host.completion_bytes").unwrap();
    assert_eq!(
        (completions["from"].as_str(), completions["sets"][0].as_str()),
        (Some("128"), Some("host.completion_bytes=256"))
    );
    let tune: Value = serde_json::from_str(&stdout(&["tune", "pair.yaml", "read", "--json"])).unwrap();
    assert!(tune["after"].as_f64() >= tune["before"].as_f64());
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

#[test]
fn are_two_settings_of_one_field_refused_wherever_they_meet() {
    let kfcr = ["--on", "kfcr.csv", "--rows", "dma-read core=p"];
    let fit = |more: &[&'static str]| [&["fit", "kfcr-5400", "--by", "limit"], more, &kfcr].concat();
    let gen4 = |verb: &'static str, more: &[&'static str]| [&[verb, "gen4-workstation", "dma-read"], more].concat();
    let cases: [(Vec<&str>, &str, &str); 12] = [
        (
            gen4("sweep", &["--over", "card.read_requests=2,4", "--over", "host.read_latency=1us", "--by", "limit"]),
            "--over card.read_requests=2",
            "--over requests=",
        ),
        (
            gen4("sweep", &["--over", "requests=2,4", "--set", "card.read_requests=1", "--by", "limit"]),
            "--set card.read_requests=1",
            "requests=2",
        ),
        (
            vec!["sweep", "pair.yaml", "read", "--over", "host.read_latency=1us,2us", "--set", "host.read_latency=3us"],
            "--set host.read_latency=3us",
            "say it once",
        ),
        (
            vec!["sweep", "pair.yaml", "read", "--over", "card[0].read_requests=1,2", "--over", "card.read_requests=4"],
            "--over card[0].read_requests=1",
            "wider one first",
        ),
        (vec!["sweep", "pair.yaml", "write", "--over", "cards=1", "--over", "cards=2"], "--over cards", "1,2,4"),
        (
            vec!["sweep", "pair.yaml", "write", "--over", "card.payload=32,64", "--by", "limit"],
            "--over card.payload=32",
            "--over payload=",
        ),
        (gen4("run", &["--set", "card.read_requests=16"]), "--set card.read_requests=16", "--axis requests="),
        (gen4("limit", &["--set", "links.0.lanes=2"]), "--set links.0.lanes=2", "lanes=4"),
        (gen4("limit", &["--set", "links.0.lanes=2", "--what-if"]), "--set links.0.lanes=2", "lanes=4"),
        (gen4("tune", &["--set", "card.read_requests=16"]), "--set card.read_requests=16", "--axis requests="),
        (fit(&["--params", "host.read_latency", "--set", "host.read_latency=1 us"]), "--params host.read", "--start"),
        (
            fit(&["--params", "host.read_latency+host.command_cost,host.command_cost"]),
            "--params host.command_cost",
            "set by nothing else",
        ),
    ];
    for (arguments, names, right) in cases {
        let (code, text) = complaint(&arguments);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(names) && text.contains(right), "{arguments:?}: {text}");
    }
}

#[test]
fn does_a_row_whose_axis_sets_what_is_to_be_found_say_so() {
    let folder = fresh("decided");
    let rows = "gen4-workstation,dma-read,requests=4;lanes=8,throughput,2800,MiB/s,me,\n";
    let csv = folder.join("rows.csv");
    std::fs::write(&csv, format!("system,experiment,at,metric,value,unit,source,note\n{rows}")).unwrap();
    let path = csv.to_str().unwrap();
    let (code, text) = complaint(&["fit", "gen4-workstation", "--params", "card.read_requests", "--on", path]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("--params card.read_requests") && text.contains("requests=4"), "{text}");
}

#[test]
fn does_a_copy_of_a_bundled_machine_stand_beside_what_was_published_of_it() {
    let folder = fresh("copy");
    let path = folder.join("kfcr-x38.yaml");
    let text = std::fs::read_to_string(common::data().join("../../../../systems/kfcr-x38.yaml")).unwrap();
    let run = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let at = ["--axis", "core=kf", "--axis", "lanes=1", "--axis", "size=1024"];
        let short = ["--set", "experiments.dma-write.max_commands=20"];
        stdout(&[&["run", path.to_str().unwrap(), "dma-write"], &at[..], &short].concat())
    };
    assert!(run(&text).contains("published"), "{}", run(&text));
    let changed = text.replacen("part: intel/x38", "part: intel/x38, command_cost: 3 us", 1);
    assert!(changed != text && !run(&changed).contains("published"));
}

#[test]
fn is_a_bad_fit_told_and_nothing_printed_to_write_down() {
    let folder = fresh("bad");
    let csv = folder.join("rows.csv");
    let row = |size: u32, value: u32| format!("pair,read,size={size},throughput,{value},MiB/s,me,\n");
    let rows: String =
        [(4096, 900), (8192, 300), (16384, 900), (65536, 100)].map(|(size, value)| row(size, value)).concat();
    std::fs::write(&csv, format!("system,experiment,at,metric,value,unit,source,note\n{rows}")).unwrap();
    let yaml = folder.join("pair.yaml");
    let text = std::fs::read_to_string(common::data().join("pair.yaml")).unwrap();
    let axes = "flows: [\"host -> card[0]\"]\n    axes: { size: [4096] }";
    std::fs::write(&yaml, text.replace("flows: [\"host -> card[0]\"]", axes)).unwrap();
    let (yaml, csv) = (yaml.to_str().unwrap(), csv.to_str().unwrap());
    let all = ["fit", yaml, "--params", "host.read_latency", "--on", csv, "--by", "limit"];
    let output = lanescope(&all);
    let text = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("this is no fit") && text.contains("4 % is the most"), "{text}");
    assert!(!text.contains("to write down") && text.contains("host.read_latency"), "{text}");
    let json = lanescope(&[&all[..], &["--json"]].concat());
    let value: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((json.status.code(), value["near"].as_bool()), (Some(1), Some(false)));
}
