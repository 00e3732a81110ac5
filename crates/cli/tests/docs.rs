//! The machine of `docs/describe.md` works as the page says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh, stdout, without_digits};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The first code block of a language in a page.
fn block(page: &str, language: &str) -> String {
    let start = page.find(&format!("```{language}\n")).unwrap() + language.len() + 4;
    page[start..].split("```").next().unwrap().to_string()
}

fn root(file: &str) -> String {
    std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)).unwrap()
}

fn page() -> String {
    root("docs/describe.md")
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(arguments).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

#[test]
fn does_every_command_of_the_page_work_on_its_machine() {
    let folder = fresh("describe");
    std::fs::write(folder.join("mine.yaml"), block(&page(), "yaml")).unwrap();
    for line in block(&page(), "sh").lines() {
        let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
        let (code, text) = run(&folder, &words[1..]);
        assert_eq!(code, Some(0), "{line}: {text}");
    }
    let (_, tree) = run(&folder, &["show", "mine.yaml"]);
    assert!(tree.contains("Gen3 x4"), "{tree}");
}

#[test]
fn are_the_pages_own_measurements_compared() {
    let folder = fresh("measured");
    std::fs::write(folder.join("mine.yaml"), block(&page(), "yaml")).unwrap();
    std::fs::write(folder.join("mine.csv"), block(&page(), "csv")).unwrap();
    let (code, text) = run(&folder, &["validate", "--reference", "mine.csv"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("2 rows in 2 tables"), "{text}");
}

/// Figures change with the models (`make readme` prints them again); the words around them must be the same.
#[test]
fn do_the_readme_and_the_pages_show_what_the_program_prints() {
    const MARK: &str = "<!-- output of: lanescope ";
    let pages = ["README.md", "docs/explore.md", "docs/validation.md", "docs/advise.md", "docs/report.md"].map(root);
    let shown: Vec<&str> = pages.iter().flat_map(|page| page.split(MARK).skip(1)).collect();
    assert_eq!(shown.len(), 7);
    for part in shown {
        let (arguments, rest) = part.split_once(" -->\n```\n").unwrap();
        let block = rest.split("```").next().unwrap();
        let printed = stdout(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(without_digits(block), without_digits(&printed), "make readme");
    }
}

/// Pages and help that need the compiled engine say what to type first. Without the engine, the error says it too.
#[test]
fn is_what_to_type_first_said_wherever_the_open_engine_is_shown() {
    let readme = root("README.md");
    let row = readme.lines().find(|line| line.contains("lanescope/virtex7-pcie-dma")).unwrap();
    assert!(row.contains("`make engine`"), "{row}");
    assert!(root("Makefile").contains("\nengine:\n"));
    for command in [["validate", "--help"], ["run", "--help"]] {
        assert!(stdout(&command).contains("`make engine`"), "{command:?}");
    }
    let asked: [&[&str]; 2] = [
        &["validate", "--gateware"],
        &["run", "rosta-rb8v7", "p2p-write", "--axis", "flows=1", "--set", "card.part=lanescope/virtex7-pcie-dma"],
    ];
    for arguments in asked.iter().filter(|_| !cosim::is_there()) {
        let (code, text) = run(Path::new(env!("CARGO_MANIFEST_DIR")), arguments);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("make engine"), "{text}");
    }
}

/// Names of all properties in a JSON Schema.
fn properties(schema: &Value, all: &mut BTreeSet<String>) {
    if let Some(object) = schema.as_object() {
        let named = object.get("properties").and_then(Value::as_object);
        all.extend(named.into_iter().flat_map(|map| map.keys().cloned()));
        object.values().for_each(|value| properties(value, all));
    }
    schema.as_array().into_iter().flatten().for_each(|value| properties(value, all));
}

/// The text between single backticks.
fn codes(text: &str) -> Vec<&str> {
    let lines = text.split("```").step_by(2).flat_map(str::lines);
    lines.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Words before a colon, as in `{ join: host.pcie - card.pcie, lanes: 4 }`.
fn keys(code: &str) -> Vec<&str> {
    let ends = code.match_indices(": ").map(|(at, _)| &code[..at]);
    let word =
        |text: &str| text.rfind(|c: char| !(c.is_ascii_alphanumeric() || "_.-".contains(c))).map_or(0, |at| at + 1);
    ends.map(|text| &text[word(text)..]).filter(|key| !key.is_empty() && !key.contains('.')).collect()
}

/// Every key that a page shows, in a code span or as the first word of a table row, is in the schema.
#[test]
fn are_the_keys_of_the_pages_real() {
    // Names that users choose: parts, ports, axes and their values, files.
    const CHOSEN: [&str; 11] =
        ["up", "pcie", "cards", "name", "slow", "fast", "core", "kf", "requests", "limit", "size"];
    let mut known = BTreeSet::new();
    properties(&serde_json::from_str(&stdout(&["schema"])).unwrap(), &mut known);
    assert!(known.contains("mps_policy") && known.contains("gen") && known.contains("read_requests"));
    let describe = page();
    let mut shown: Vec<&str> = codes(&describe).into_iter().flat_map(keys).collect();
    assert!(shown.contains(&"lanes") && shown.contains(&"cited"), "{shown:?}");
    for section in ["## Settings", "## Experiments"] {
        let rows = describe.split(section).nth(1).unwrap().split("\n## ").next().unwrap().lines();
        let first = rows.filter(|line| line.starts_with("| `")).map(|line| line.split(" | ").next().unwrap());
        shown.extend(first.flat_map(codes).map(|code| code.split(':').next().unwrap()));
    }
    let unreal: Vec<&&str> = shown.iter().filter(|key| !known.contains(**key) && !CHOSEN.contains(key)).collect();
    assert!(unreal.is_empty(), "no such keys: {unreal:?}");
}

/// The long form of a link accepts each row of its table, and a flow accepts its own operation.
#[test]
fn does_the_page_s_machine_take_what_the_tables_show() {
    let (describe, machine) = (page(), block(&page(), "yaml"));
    let folder = fresh("tables");
    let accepted = |from: &str, to: &str| {
        assert!(machine.contains(from), "{from}");
        std::fs::write(folder.join("mine.yaml"), machine.replacen(from, to, 1)).unwrap();
        let (code, text) = run(&folder, &["limit", "mine.yaml"]);
        assert_eq!(code, Some(0), "{to}: {text}");
    };
    let links = describe.split("## Links").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<&str> = links.lines().filter(|line| line.starts_with("| `")).map(|line| codes(line)[0]).collect();
    assert!(rows.len() >= 4, "{rows:?}");
    for row in rows {
        accepted("lanes: 4 }", &format!("{row} }}"));
    }
    let flow = codes(&describe).into_iter().find(|code| code.starts_with("{ flow: ")).unwrap();
    accepted("\"card[1] -> host\"]", &format!("{flow}]"));
}

#[test]
fn does_the_layout_of_the_readme_name_every_crate() {
    let readme = root("README.md");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in std::fs::read_dir(crates).unwrap() {
        let name = folder.unwrap().file_name().to_string_lossy().into_owned();
        assert!(readme.contains(&format!("`crates/{name}`")), "crates/{name}");
    }
}
