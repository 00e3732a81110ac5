//! Does the machine of `docs/describe.md` work as the page says?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh, stdout, without_digits};
use std::path::{Path, PathBuf};

/// The first block of a language.
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

/// Figures move with the models (`make readme` prints them anew); the words around them must not differ.
#[test]
fn does_the_readme_show_what_the_program_prints() {
    const MARK: &str = "<!-- output of: lanescope ";
    let readme = root("README.md");
    let shown: Vec<&str> = readme.split(MARK).skip(1).collect();
    assert_eq!(shown.len(), 2);
    for part in shown {
        let (arguments, rest) = part.split_once(" -->\n```\n").unwrap();
        let block = rest.split("```").next().unwrap();
        let printed = stdout(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(without_digits(block), without_digits(&printed), "make readme");
    }
}

/// What needs the compiled engine says beside it what to type first, and without the engine says it again.
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
