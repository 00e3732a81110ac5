//! Does what is said of a part of what `lspci` prints hold for the whole, or is it put as a question?
//!
//! The parts are those that people post: lines that `grep` left, one line for each device, a list, a drawing, and two of these in
//! one text.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;
mod made;

use common::{dumps, fresh, text};
use lanescope_probe::finding::Severity;
use lanescope_probe::{Machine, Tree, lspci};
use made::{report, said};
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::machine::Fault;
use testing::machine::fault::plant;

fn printed(program: &Path, file: &Path, options: &[&str]) -> String {
    let output = Command::new(program).arg("-F").arg(file).args(options).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn is_head(line: &str) -> bool {
    line.starts_with(|first: char| first.is_ascii_hexdigit())
}

/// The heads, and the lines with one of `words`.
fn grep(text: &str, words: &[&str]) -> String {
    let kept = text.lines().filter(|line| is_head(line) || words.iter().any(|word| line.contains(word)));
    kept.map(|line| format!("{line}\n")).collect()
}

/// Each function on one line.
fn one_line(text: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match all.last_mut().filter(|_| !is_head(line)) {
            Some(last) => *last += &format!(" {}", line.trim()),
            None => all.push(line.to_string()),
        }
    }
    all.join("\n")
}

/// The parts of what is printed of a file, by name.
fn parts(program: &Path, file: &Path) -> Vec<(&'static str, String)> {
    let whole = printed(program, file, &["-vvv"]);
    let (list, drawn) = (printed(program, file, &["-nn"]), printed(program, file, &["-tv"]));
    let links = grep(&whole, &["LnkCap:", "LnkSta:"]);
    let states = grep(&whole, &["LnkSta:"]);
    let payloads = grep(&whole, &["Express (", "LnkCap:", "LnkSta:", "MaxPayload", "DevCtl:", "DevCap:"]);
    vec![
        ("one line a function", one_line(&whole)),
        ("links and a drawing", format!("{links}\n{drawn}")),
        ("a drawing and states", format!("{drawn}\n{states}")),
        ("a list and states", format!("{list}\n{states}")),
        ("links", links),
        ("states", states),
        ("payloads and a list", format!("{payloads}\n{list}")),
        ("payloads", payloads),
        ("a list", list),
        ("a drawing", drawn),
    ]
}

/// Compares what is said of a part with what is said of the whole. Returns how many statements were compared.
fn compare(name: &str, part: &Machine, whole: &Machine) -> usize {
    let (cut, all) = (report(part), report(whole));
    let (own, tree) = (Tree::of(part), Tree::of(whole));
    let place = || format!("{name}: {}", said(part, &cut));
    let mut compared = 0;
    for finding in cut.findings.iter().filter(|finding| finding.severity <= Severity::Warning) {
        let known = all.findings.iter().any(|other| other.kind == finding.kind && other.at.contains(&finding.at[0]));
        assert!(known, "{finding:#?} is not said of the whole: {}", place());
        compared += 1;
    }
    for limit in &cut.limits.devices {
        let known = all.limits.devices.iter().find(|other| other.at == limit.at);
        let known = known.unwrap_or_else(|| panic!("{} has no limit in the whole: {}", limit.at, place()));
        // Without its registers a device is taken to send the least payload; with them, what is above can only take away.
        let payload = |machine: &Machine| machine.function(limit.at).and_then(|function| function.mps());
        let link = |tree: &Tree| tree.link_above(limit.at).and_then(|link| link.now);
        if payload(part) == payload(whole) && link(&own) == link(&tree) {
            let (own, seen) = (limit.to_memory.rate.0, known.to_memory.rate.0);
            assert!(own >= seen * 0.999, "{}: {own} here, {seen} in the whole: {}", limit.at, place());
            compared += 1;
        }
    }
    compared
}

#[test]
fn does_what_is_said_of_a_part_of_a_text_hold_for_the_whole() {
    let test = "does_what_is_said_of_a_part_of_a_text_hold_for_the_whole";
    let Some(program) = testing::tool(test, "lspci") else { return };
    let folder = fresh(test);
    let made = Fault::ALL.into_iter().cycle().take(45).enumerate().map(|(number, fault)| {
        let path = folder.join(format!("{number}.txt"));
        std::fs::write(&path, plant(fault, number as u64).machine.hex()).unwrap();
        (format!("{fault:?} {number}"), path)
    });
    let files: Vec<(String, PathBuf)> = made.chain(dumps(test)).collect();
    let (mut compared, mut read) = (0, 0);
    for (name, path) in files {
        let whole = lspci::parse(&text(&path));
        // `lspci -F` reads bytes alone; and nothing in a part says that its machine is emulated.
        if whole.source != lanescope_probe::Source::Hex || whole.is_emulated() {
            continue;
        }
        read += 1;
        for (part, text) in parts(&program, &path) {
            compared += compare(&format!("{name}, {part}"), &lspci::parse(&text), &whole);
        }
    }
    assert!(read >= 45 && compared > 10 * read, "{compared} of {read} machines");
}
