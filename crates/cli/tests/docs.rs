//! Does the machine of `docs/describe.md` work as the page says?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh};
use std::path::{Path, PathBuf};

/// The first block of a language.
fn block(page: &str, language: &str) -> String {
    let start = page.find(&format!("```{language}\n")).unwrap() + language.len() + 4;
    page[start..].split("```").next().unwrap().to_string()
}

fn page() -> String {
    std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/describe.md")).unwrap()
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
