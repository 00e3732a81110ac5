//! Has every answer the number of its schema, and does `docs/json.md` name every field of it?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, complaint, fresh, stdout};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Commands that between them print every kind of answer, with the first word of the command that each is of.
fn answers() -> Vec<Vec<&'static str>> {
    vec![
        vec!["run", "pair.yaml", "read"],
        vec!["run", "mixed.yaml"],
        vec!["run", "rosta-rb8v7", "efficiency"],
        vec!["limit", "pair.yaml", "read"],
        vec!["limit", "--link", "gen4x8", "--latency", "1us"],
        vec!["limit", "pair.yaml", "read", "--what-if"],
        vec!["validate", "--reference", "own.csv"],
        vec!["tune", "pair.yaml", "read"],
        vec!["fit", "kfcr-5400", "--params", "host.command_cost", "--on", "kfcr.csv", "--by", "limit"],
        vec!["calibrate"],
        vec!["advise", "backup"],
        vec!["stream", "bit-nvme-zcu106", "sequential", "--bytes", "1GB"],
        vec!["show", "pair.yaml", "--all"],
        vec!["systems"],
        vec!["parts"],
        vec!["kinds"],
        vec!["metrics"],
        vec!["inspect", "captures/interface.tar.zst"],
        vec!["diff", "captures/interface.tar.zst", "captures/interface.tar.zst"],
        vec!["explain", "--on", "ahci"],
    ]
}

/// Maps whose keys are names of things, not fields.
const NAMES: [&str; 4] = ["budget", "registers", "engine", "by_core"];

fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, inner)| {
            found.insert(key.clone());
            if !NAMES.contains(&key.as_str()) {
                fields(inner, found);
            }
        }),
        Value::Array(all) => all.iter().for_each(|one| fields(one, found)),
        _ => {}
    }
}

fn answer(words: &[&str]) -> Option<Value> {
    let output = command(words).arg("--json").output().unwrap();
    if words[0] == "stream" && output.stdout.is_empty() {
        panic!("{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).ok()
}

/// The names between backticks of some pages.
fn named(pages: &[&str]) -> BTreeSet<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text: String = pages.iter().map(|page| std::fs::read_to_string(root.join(page)).unwrap()).collect();
    let spans = text.split('`').skip(1).step_by(2);
    spans.flat_map(|span| span.split(", ")).map(|name| name.trim().to_string()).collect()
}

#[test]
fn has_every_answer_its_number_and_is_every_field_in_the_page() {
    let pages = [named(&["json.md"]), named(&["json.md", "inspect.md"])];
    for words in answers() {
        let value = answer(&words).unwrap_or_else(|| panic!("{words:?} printed no JSON"));
        let all = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        assert!(!all.is_empty(), "{words:?}");
        for one in &all {
            match one["schema"].as_str() {
                None => assert_eq!(one["schema"], view::json::SCHEMA, "{words:?}: {one}"),
                Some("lanescope-machine") => assert_eq!(one["version"], view::machine::json::VERSION),
                Some(own) => assert!(own.ends_with("/1"), "{words:?}: {own}"),
            }
        }
        let mut found = BTreeSet::new();
        fields(&value, &mut found);
        let named = &pages[usize::from(["inspect", "diff"].contains(&words[0]))];
        let missing: Vec<&String> = found.iter().filter(|field| !named.contains(*field)).collect();
        assert!(missing.is_empty(), "docs/json.md has nothing of {missing:?}, which `{}` prints", words.join(" "));
    }
}

#[test]
fn is_every_command_that_prints_json_asked_here_and_does_its_help_name_the_page() {
    let help = stdout(&["--help"]);
    let commands =
        help.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with(char::is_lowercase));
    let asked: BTreeSet<&str> = answers().iter().map(|words| words[0]).collect();
    let mut with = 0;
    for name in commands.filter_map(|line| line.split_whitespace().next()) {
        let output = command(&[name, "--help"]).output().unwrap();
        let help = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        let page =
            std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md")).unwrap();
        let prints = ["--json[", "--json As", "--json JSON"].iter().any(|option| help.contains(option));
        if output.status.success() && prints {
            with += 1;
            assert!(asked.contains(name) || name == "bench", "{name} prints JSON, and is not asked here");
            assert!(help.contains("docs/json.md"), "{name} --help: {help}");
            let heads = page.lines().filter_map(|line| line.strip_prefix("## "));
            let mut words = heads.flat_map(|head| head.split([',', ' ']));
            assert!(words.any(|word| word == name), "docs/json.md has no section of {name}");
        }
    }
    assert!(with >= asked.len() - 1, "{with} of {asked:?}");
}

#[test]
fn is_every_field_of_a_measurement_in_the_page() {
    let file = fresh("json_bench").join("one.img");
    std::fs::write(&file, vec![7; 4 << 20]).unwrap();
    let words = [
        "bench",
        "disk",
        file.to_str().unwrap(),
        "--block",
        "4KiB",
        "--depth",
        "2",
        "--time",
        "200ms",
        "--warm-up",
        "50ms",
    ];
    let Some(value) = answer(&words) else {
        println!("skipped: no io_uring, or no O_DIRECT where the build lies");
        return;
    };
    let mut found = BTreeSet::new();
    fields(&value, &mut found);
    let named = named(&["json.md"]);
    let share = |field: &str| field.starts_with('p') && field.ends_with("_ns");
    let missing: Vec<&String> = found.iter().filter(|field| !named.contains(*field) && !share(field)).collect();
    assert!(missing.is_empty(), "docs/json.md has nothing of {missing:?}");
}

#[test]
fn is_a_result_of_a_higher_number_refused_with_a_sentence() {
    let folder = fresh("json_number");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let newer = file("higher.json", r#"{ "schema": "lanescope-bench/2", "drives": [], "runs": [] }"#);
    let (code, text) = complaint(&["explain", &newer]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("it is of a newer lanescope: its schema is `lanescope-bench/2`"), "{text}");
    for (name, schema) in [("other.json", "\"other/2\""), ("number.json", "7"), ("odd.json", "\"lanescope-bench/x\"")] {
        let path = file(name, &format!("{{ \"schema\": {schema} }}"));
        let (code, text) = complaint(&["explain", &path]);
        assert!(code == Some(2) && text.contains("schema") && !text.contains("newer"), "{text}");
    }
}
