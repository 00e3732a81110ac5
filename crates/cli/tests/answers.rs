//! Answers are complete, the same every time, and readable by programs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, data, fresh, lanescope, stdout};
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;

fn json(arguments: &[&str]) -> Vec<Value> {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

#[test]
fn are_the_bytes_the_same_at_any_number_of_threads() {
    let run = |threads| stdout(&["run", "pair.yaml", "--json", "--threads", threads]);
    assert_eq!(run("1"), run("4"));
}

#[test]
fn does_every_point_stand_beside_its_limit_with_a_budget_that_adds_up() {
    let points = json(&["run", "pair.yaml", "--json"]);
    assert_eq!(points.len(), 4 + 1 + 1);
    for point in &points {
        for figure in point["figures"].as_array().unwrap() {
            // The tests of `limit` check how closely the two agree.
            let (simulated, limit) = (figure["simulated"].as_f64().unwrap(), figure["limit"].as_f64().unwrap());
            assert!(simulated > 0.0 && simulated <= limit * 1.01, "{point}");
        }
        for flow in point["flows"].as_array().unwrap() {
            let budget: f64 = flow["budget"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
            assert!((budget - 1.0).abs() < 1e-6, "{budget} {flow}");
            for thing in flow["bottleneck"]["things"].as_array().unwrap() {
                assert!(!thing["name"].as_str().unwrap().is_empty());
            }
        }
    }
    assert_eq!(points[5]["flows"][0]["integrity"]["wrong_bytes"], 0);
    assert_eq!(points[5]["flows"][0]["integrity"]["compared_bytes"], 65536);
}

/// A mean over flows that write and flows that read would be the rate of neither.
#[test]
fn are_flows_that_do_unlike_things_told_apart_each_with_its_own_bottleneck() {
    let points = json(&["run", "mixed.yaml", "--json"]);
    let (figures, flows) = (points[0]["figures"].as_array().unwrap(), points[0]["flows"].as_array().unwrap());
    let limit = &json(&["limit", "mixed.yaml", "--json"])[0]["flows"];
    let text = stdout(&["run", "mixed.yaml", "--csv", "-"]);
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!((figures.len(), rows.len()), (2, 2), "{text}");
    for (figure, row) in figures.iter().zip(&rows) {
        let own: Vec<&Value> = flows.iter().filter(|flow| flow["operation"] == figure["operation"]).collect();
        let mean = |of: &dyn Fn(&Value) -> f64| own.iter().map(|flow| of(flow)).sum::<f64>() / own.len() as f64;
        let rate = mean(&|flow| flow["stream_mb_per_s"].as_f64().unwrap() * 1e6 / f64::from(1 << 20));
        assert!((figure["simulated"].as_f64().unwrap() - rate).abs() < 1e-6 * rate, "{figure}");
        let slowest = own
            .iter()
            .min_by(|a, b| a["stream_mb_per_s"].as_f64().unwrap().total_cmp(&b["stream_mb_per_s"].as_f64().unwrap()));
        let cause = slowest.unwrap()["bottleneck"]["name"].as_str().unwrap();
        assert!(row[10].starts_with(cause), "{cause} in {row:?}");
        assert_eq!(row[4], *figure["operation"].as_str().unwrap());
    }
    assert_eq!(limit.as_array().unwrap().len(), flows.len());
    let bottlenecks = [&rows[0][10], &rows[1][10]];
    assert_ne!(bottlenecks[0], bottlenecks[1], "one direction each");
}

#[test]
fn does_an_override_change_what_it_names() {
    let rate =
        |set: &str| json(&["run", "pair.yaml", "read", "--json", "--set", set])[0]["figures"][0]["simulated"].clone();
    assert!(rate("card.read_requests=8").as_f64() > rate("card.read_requests=2").as_f64());
}

#[test]
fn do_files_hold_what_the_screen_would() {
    let folder = fresh("files");
    let (csv, json_file) = (folder.join("out.csv"), folder.join("out.json"));
    let json_option = format!("--json={}", json_file.display());
    let screen = stdout(&["run", "pair.yaml", "read", "--csv", csv.to_str().unwrap(), &json_option]);
    assert!(screen.contains("bottleneck"), "{screen}");
    assert_eq!(std::fs::read_to_string(json_file).unwrap(), stdout(&["run", "pair.yaml", "read", "--json"]));
    let lines = std::fs::read_to_string(csv).unwrap();
    assert_eq!(lines.lines().count(), 2);
    let head = "system,experiment,at,metric,operation,unit,simulated,limit,published,error_percent,bottleneck";
    assert!(lines.starts_with(head), "{lines}");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2, "something was left behind");
}

#[test]
fn does_validate_answer_in_the_columns_of_a_reference() {
    let rows = json(&["validate", "--reference", "own.csv", "--json"]);
    assert_eq!(rows.len(), 4);
    let keys: Vec<&str> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    let wanted = [
        "at",
        "error_percent",
        "experiment",
        "fair",
        "limit",
        "metric",
        "note",
        "reference_formula",
        "schema",
        "simulated",
        "source",
        "system",
        "unit",
        "value",
    ];
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, wanted);
    let [formula, below, range, measured] = &rows[..] else { panic!("four rows") };
    assert!(formula["simulated"].is_null() && formula["reference_formula"] == 0.92 && formula["error_percent"] == 0.0);
    assert!(below["simulated"].as_f64() < below["value"].as_f64() && below["error_percent"] == 0.0);
    assert_eq!((range["value"].as_str(), range["error_percent"].as_f64()), (Some("500..2000"), Some(0.0)));
    assert!(measured["limit"].as_f64().is_some() && measured["reference_formula"].is_null());
}

#[test]
fn does_a_broken_bound_end_with_1() {
    let output = lanescope(&["validate", "--reference", "broken.csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("BROKEN"));
}

#[test]
fn is_a_reader_that_goes_away_no_panic() {
    let mut child = command(&["kinds"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert_eq!((child.wait().unwrap().code(), complaint.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn does_ctrl_c_keep_what_was_finished() {
    let folder = fresh("interrupted");
    let csv = folder.join("out.csv");
    let mut run = command(&["run", "rosta-rb8v7", "p2p-write", "--csv", csv.to_str().unwrap(), "--threads", "1"]);
    // The volume is large enough that the run cannot end before the signal.
    run.args(["--set", "experiments.p2p-write.volume=16 GiB"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = run.spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(800));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(std::fs::read_to_string(csv).unwrap().starts_with("system,experiment"));
}

#[test]
fn does_limit_answer_in_json() {
    let link: Value =
        serde_json::from_str(&stdout(&["limit", "--link", "gen4x8", "--latency", "1us", "--json"])).unwrap();
    assert_eq!(link["requests_in_flight"], 29);
    let points = json(&["limit", "pair.yaml", "write", "--axis", "cards=2", "--axis", "payload=128", "--json"]);
    let flows = points[0]["flows"].as_array().unwrap();
    let rate = |flow: &Value, which: &str| flow[which]["stream_mb_per_s"].as_f64().unwrap();
    assert_eq!(flows.len(), 2);
    assert!(flows.iter().all(|flow| rate(flow, "fair") < 0.6 * rate(flow, "limit")), "{flows:?}");
}

#[test]
fn does_every_shell_get_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(stdout(&["completions", shell]).contains("lanescope"), "{shell}");
    }
}

#[test]
fn does_every_bundled_machine_show() {
    for (name, _) in
        stdout(&["systems"]).lines().filter(|line| !line.starts_with(' ')).filter_map(|l| l.split_once(':'))
    {
        assert!(stdout(&["show", name, "--figures"]).contains("experiments"), "{name}");
    }
    assert!(data().is_dir());
}

#[test]
fn does_a_run_without_proof_say_so_in_every_form() {
    let asked = ["run", "pair.yaml", "write", "--axis", "cards=2", "--axis", "payload=128", "--no-proof"];
    assert!(stdout(&asked).contains("(not proved)"));
    let with = |form: &[&str]| stdout(&[&asked[..], form].concat());
    assert!(with(&["--csv", "-"]).contains("(not proved)"));
    let json = with(&["--json"]);
    assert!(json.contains("\"proved\": false") && !json.contains("\"proved\": true"), "{json}");
}

/// A cache of cells with one bit makes a drive fast until it is full: the rate is marked with how long it lasts.
#[test]
fn is_a_rate_that_a_full_cache_ends_marked_with_how_long_it_lasts() {
    let point =
        ["run", "bit-nvme-vc707", "sequential", "--axis", "gen=2", "--axis", "drives=1", "--no-proof", "--json"];
    let flow = |more: &[&str]| json(&[&point[..], &["--axis"], more].concat())[0]["flows"][0].clone();
    let cached = flow(&["op=write", "--set", "ssd.slc_program_time=900us"]);
    let (lasts, until) =
        (cached["burst"]["lasts_ns"].as_f64().unwrap(), cached["burst"]["until_bytes"].as_f64().unwrap());
    let rate = until / lasts * 1e3;
    assert_eq!(until, 42e9);
    // 64 dies with 16 KiB each in 900 us, which come over a channel of 533 MB/s before.
    assert!((rate / (64.0 * 16384.0 / (900.0 + 16384.0 / 533.0)) - 1.0).abs() < 0.02, "{rate} MB/s");
    assert!(flow(&["op=write", "--set", "ssd.written=42GB"])["burst"].is_null(), "it is full at the start");
    assert!(flow(&["op=read"])["burst"].is_null());
}

/// A scenario is read before it is known who builds its parts: compiled gateware of a host as well as of a card.
#[test]
fn does_a_run_with_compiled_gateware_in_a_host_move_bytes_or_say_what_is_missing() {
    let run =
        ["run", "bit-nvme-vc707", "sequential", "--set", "fpga.gateware=nvme_host", "--set", "ssd.ready_latency=100us"];
    let point =
        ["--set", "experiments.sequential.volume=512KiB", "--axis", "gen=2", "--axis", "drives=1", "--axis", "op=read"];
    let output = lanescope(&[&run[..], &point, &["--no-proof"]].concat());
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    match output.status.code() {
        Some(0) => assert!(text.contains("simulated"), "{text}"),
        _ => assert!(text.contains("no gateware is compiled in"), "{text}"),
    }
}
