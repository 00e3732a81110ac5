//! Every answer is available in the forms for programs and in the requested unit, and shells complete the words.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, complaint, fresh, stdout};
use serde_json::Value;

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

/// Head and rows of the CSV on standard output.
fn csv(arguments: &[&str]) -> (Vec<String>, Vec<csv::StringRecord>) {
    let text = stdout(&[arguments, &["--csv", "-"]].concat());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().iter().map(str::to_string).collect();
    (head, reader.records().map(Result::unwrap).collect())
}

#[test]
fn do_programs_read_machines_parts_and_kinds() {
    let systems = json(&["systems", "--json"]);
    let rig = systems.as_array().unwrap().iter().find(|system| system["system"] == "rosta-rb8v7").unwrap();
    assert!(
        rig["experiments"]
            .as_array()
            .unwrap()
            .iter()
            .any(|e| e["name"] == "p2p-write" && e["axes"][0]["name"] == "flows")
    );
    assert!(json(&["parts", "--json"]).as_array().unwrap().iter().any(|part| part["part"] == "rosta/rc-47"));
    let kinds = json(&["kinds", "dma-card", "--json"]);
    assert!(kinds[0]["fields"].as_array().unwrap().iter().any(|f| f["field"] == "read_requests"));
    let show = json(&["show", "pair.yaml", "--json"]);
    assert_eq!((show["parts"].as_array().unwrap().len(), show["links"][0]["generation"].as_str()), (4, Some("Gen2")));
    assert!(show["figures"].as_array().unwrap().iter().any(|f| f["origin"] == "assumed"));
}

#[test]
fn has_a_part_every_figure_with_its_origin() {
    let text = stdout(&["parts", "rosta/virtex7-dma"]);
    for told in ["descriptor_wait", "255 ns", "fitted: rosta.csv host-write throughput_link", "gen2 x4", "default"] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let (head, rows) = csv(&["parts", "rosta/virtex7-dma"]);
    assert_eq!(head, ["part", "figure", "value", "origin", "source"]);
    let figure = |name: &str| rows.iter().find(|row| &row[1] == name).unwrap().clone();
    assert_eq!(&figure("tx_latency")[3], "fitted");
    assert_eq!(&figure("ring_ahead")[3], "default");
    let fields = json(&["kinds", "dma-card", "--json"])[0]["fields"].as_array().unwrap().len();
    assert!(rows.len() > fields, "every field of its kind, and those of its ports");
    let (code, text) = complaint(&["parts", "rosta/rc-74"]);
    assert_eq!((code, text.contains("rosta/rc-47")), (Some(2), true), "{text}");
}

#[test]
fn is_every_table_to_be_had_as_csv() {
    let cases: [(&[&str], &str, usize); 14] = [
        (&["systems"], "experiment", 10),
        (&["parts"], "kind", 10),
        (&["kinds", "switch"], "default", 4),
        (&["show", "pair.yaml"], "origin", 5),
        (&["limit", "pair.yaml", "write"], "fair", 6),
        (&["limit", "--link", "gen4x8"], "rate", 7),
        (&["limit", "pair.yaml", "read", "--what-if"], "gained", 2),
        (&["run", "pair.yaml", "read"], "simulated", 1),
        (&["validate", "--reference", "own.csv"], "error_percent", 4),
        (&["stream", "bit-nvme-vc707", "low-link", "--bytes", "8 GB"], "rate", 32),
        (&["advise", "database"], "stops_at", 13),
        (&["tune", "pair.yaml", "copy", "--set", "settings.mps=128"], "to", 1),
        (&["fit", "kfcr-x38", "--params", "host.command_cost", "--on", "kfcr.csv", "--by", "limit"], "found", 1),
        (&["parts", "rosta/rc-47"], "figure", 10),
    ];
    for (arguments, column, least) in cases {
        let (head, rows) = csv(arguments);
        assert!(head.iter().any(|name| name == column), "{arguments:?}: {head:?}");
        assert!(rows.len() >= least, "{arguments:?}: {} rows", rows.len());
    }
    let folder = fresh("forms-csv");
    let file = folder.join("limit.csv");
    let screen = stdout(&["limit", "pair.yaml", "read", "--csv", file.to_str().unwrap()]);
    assert!(screen.contains("bottleneck"), "a file stands beside the table: {screen}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), stdout(&["limit", "pair.yaml", "read", "--csv", "-"]));
    let (code, text) = complaint(&["run", "pair.yaml", "read", "--json", "--csv", "-"]);
    assert_eq!((code, text.contains("standard output")), (Some(2), true), "{text}");
}

#[test]
fn are_all_rates_of_a_page_in_the_unit_that_was_asked_for() {
    let pages: [&[&str]; 6] = [
        &["limit", "--link", "gen4x8"],
        &["limit", "pair.yaml", "read"],
        &["limit", "pair.yaml", "write", "--what-if"],
        &["run", "pair.yaml", "read", "--detail"],
        &["run", "rosta-rb8v7", "p2p-write", "--axis", "flows=1", "--detail"],
        &["validate", "--reference", "own.csv"],
    ];
    let all = ["MB/s", "MiB/s", "GB/s", "GiB/s", "Gbit/s"];
    for page in pages {
        for unit in ["GB/s", "MiB/s", "Gbit/s"] {
            let text = stdout(&[page, &["--unit", unit]].concat());
            assert!(text.contains(&format!(" {unit}")), "{page:?} {unit}: {text}");
            for other in all.into_iter().filter(|other| *other != unit) {
                assert!(!text.contains(&format!(" {other}")), "{page:?} {unit}: {other} in {text}");
            }
        }
        let told = stdout(page);
        let units = all.into_iter().filter(|unit| told.contains(&format!(" {unit}")));
        assert!(page[0] == "validate" || units.count() == 1, "one unit on a page: {told}");
    }
    let rate = |unit: &str| json(&["run", "pair.yaml", "read", "--json", "--unit", unit])[0]["figures"][0].clone();
    let (mega, giga) = (rate("MB/s"), rate("Gbit/s"));
    let ratio = mega["simulated"].as_f64().unwrap() / giga["simulated"].as_f64().unwrap();
    assert!((ratio - 125.0).abs() < 1e-9 && giga["unit"] == "Gbit/s", "{mega} {giga}");
    let (code, text) = complaint(&["run", "pair.yaml", "--unit", "furlongs"]);
    assert_eq!((code, text.contains("Gbit/s")), (Some(2), true), "{text}");
}

#[test]
fn are_measurements_in_other_units_read() {
    let folder = fresh("forms-units");
    let row = |rest: &str| format!("rosta-rb8v7,{rest},me,\n");
    let text = "system,experiment,at,metric,value,unit,source,note\n".to_string()
        + &row("p2p-write,flows=1;payload=128,throughput_per_flow,1.68,GB/s")
        + &row("p2p-write,flows=1;payload=128,throughput_per_flow,13.44,Gbit/s")
        + &row("p2p-write,flows=1;payload=128,throughput_per_flow,1602,MiB/s")
        + &row("p2p-latency,switches=1,latency,0.706,us")
        + "pair.yaml,read,,throughput,13000,IOPS,me,\n";
    let path = folder.join("own.csv");
    std::fs::write(&path, text).unwrap();
    let bytes = json(&["run", "pair.yaml", "read", "--json", "--unit", "MB/s"])[0]["figures"][0]["simulated"].as_f64();
    let rows = json(&["validate", "--reference", path.to_str().unwrap(), "--json"]);
    let errors: Vec<f64> = rows.as_array().unwrap().iter().map(|row| row["error_percent"].as_f64().unwrap()).collect();
    assert_eq!(errors.len(), 5);
    let commands = rows[4]["simulated"].as_f64().unwrap();
    assert!((commands * 65536.0 - bytes.unwrap() * 1e6).abs() < 1.0, "commands of 64 KiB: {commands}");
    assert!(errors[..4].iter().all(|error| error.abs() < 3.0), "{errors:?}");
    assert!((errors[0] - errors[1]).abs() < 1e-9, "1.68 GB/s are 13.44 Gbit/s: {errors:?}");
}

#[test]
fn are_manual_pages_written_into_a_folder_that_was_not_there() {
    let folder = fresh("forms-man").join("share/man/man1");
    stdout(&["man", "--dir", folder.to_str().unwrap()]);
    assert!(folder.join("lanescope-run.1").is_file());
}

/// The completions that a shell gets for the last of some words.
fn offered(words: &[&str]) -> Vec<String> {
    let mut asked = command(&["--", "lanescope"]);
    asked.args(words).env("LANESCOPE_COMPLETE", "fish");
    let output = asked.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split('\t').next().unwrap().to_string()).collect()
}

#[test]
fn do_completions_know_systems_experiments_axes_and_parts() {
    let cases: [(&[&str], &str); 10] = [
        (&["run", "ros"], "rosta-rb8v7"),
        (&["run", "pai"], "pair.yaml"),
        (&["run", "rosta-rb8v7", "p2p-w"], "p2p-write"),
        (&["run", "pair.yaml", "wr"], "write"),
        (&["run", "rosta-rb8v7", "p2p-write", "--axis", "fl"], "flows="),
        (&["run", "rosta-rb8v7", "p2p-write", "--axis", "flows=r"], "flows=ring8"),
        (&["parts", "rosta/rc"], "rosta/rc-47"),
        (&["limit", "pair.yaml", "--unit", "Gb"], "Gbit/s"),
        (&["validate", "--set", "kfcr-x"], "kfcr-x38"),
        (&["validate", "--set", "kfcr-x38,ros"], "kfcr-x38,rosta"),
    ];
    for (words, wanted) in cases {
        let offered = offered(words);
        assert!(offered.iter().any(|word| word == wanted), "{words:?}: {offered:?}");
    }
    let experiments = offered(&["run", "pair.yaml", ""]);
    assert!(!experiments.iter().any(|word| word == "p2p-write"), "of another machine: {experiments:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(stdout(&["completions", shell]).contains("LANESCOPE_COMPLETE"), "{shell}");
    }
}
