//! Output fits the terminal, and uses a wide one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh};
use std::path::PathBuf;
use testing::folder;
use testing::machine::fault::plant;
use testing::machine::{Fault, healthy};

const WIDTHS: [usize; 4] = [60, 80, 100, 140];

/// The output of the program on a terminal of `columns` columns, whatever the exit code.
fn printed(arguments: &[&str], columns: usize) -> String {
    let output = command(arguments).env("COLUMNS", columns.to_string()).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 3), "{arguments:?}: {:?}", output.status);
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// True where a line fits, or where it is a single word after its branches or mark.
fn fits(line: &str, columns: usize) -> bool {
    let words = line.trim_start_matches([' ', '│', '├', '└', '─', '×', '╭', '╰', '·', '[', '├']);
    line.chars().count() <= columns || !words.trim().contains(' ')
}

/// True for the characters that draw a tree.
fn branch(c: char) -> bool {
    matches!(c, '│' | '├' | '└' | '─')
}

/// Asserts that every printed line fits. The words are the same at every width, so that none is cut.
fn check(arguments: &[&str]) {
    check_at(arguments, &WIDTHS);
}

fn check_at(arguments: &[&str], widths: &[usize]) {
    let mut all: Vec<Vec<String>> = Vec::new();
    for &columns in widths {
        let text = printed(arguments, columns);
        assert!(!text.trim().is_empty(), "{arguments:?} prints nothing");
        for line in text.lines() {
            assert!(fits(line, columns), "{arguments:?} at {columns} columns prints {} columns: {line}", line.len());
        }
        // A matrix that does not fit is printed as several tables, whose rows start with the same words.
        if arguments.contains(&"--matrix") {
            continue;
        }
        // A line for a shell is continued where it is cut.
        let is_word = |word: &&str| !word.chars().all(branch) && *word != "\\";
        let mut words: Vec<String> = text.split_whitespace().filter(is_word).map(str::to_string).collect();
        words.sort_unstable();
        all.push(words);
    }
    for (words, columns) in all.iter().zip(widths).skip(1) {
        let other = words.iter().zip(&all[0]).find(|(one, other)| one != other);
        assert!(other.is_none(), "{arguments:?}: words at {columns} columns and at {}: {other:?}", widths[0]);
    }
}

#[test]
fn does_what_is_said_of_described_systems_fit() {
    for system in system::bundled::names() {
        check(&["show", system, "--figures"]);
    }
    check(&["show", "pair.yaml", "--all"]);
    for arguments in [
        &["limit", "rosta-rb8v7", "p2p-write"][..],
        &["limit", "pair.yaml"],
        &["limit", "pair.yaml", "write", "--what-if"],
        &["limit", "--link", "gen4x8", "--latency", "1us"],
        &["run", "pair.yaml", "write"],
        &["run", "pair.yaml", "write", "--detail"],
        &["run", "rosta-rb8v7", "link-table"],
        &["validate", "--reference", "own.csv"],
        &["fit", "kfcr-x38", "--params", "host.command_cost", "--on", "kfcr.csv", "--by", "limit", "--detail"],
        &["tune", "pair.yaml", "copy"],
        &["systems"],
        &["parts"],
        &["kinds"],
    ] {
        check(arguments);
    }
}

#[test]
fn does_what_is_said_of_made_machines_fit() {
    let folder = fresh("width_made");
    for seed in 0..6 {
        let file = folder.join(format!("{seed}.txt"));
        std::fs::write(&file, healthy(seed).hex()).unwrap();
        let file = file.display().to_string();
        check(&["inspect", &file]);
        check_at(&["inspect", &file, "--matrix", "--long"], &[80]);
    }
    for fault in Fault::ALL {
        let file = folder.join(format!("{fault:?}.txt"));
        std::fs::write(&file, plant(fault, 3).machine.hex()).unwrap();
        check(&["inspect", &file.display().to_string()]);
    }
}

#[test]
fn does_what_is_said_of_real_machines_fit() {
    let Some(folder) = folder("does_what_is_said_of_real_machines_fit", "LANESCOPE_DUMPS") else { return };
    let mut dumps: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    dumps.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
    assert!(!dumps.is_empty());
    for dump in dumps {
        let dump = dump.display().to_string();
        check(&["inspect", &dump]);
        check_at(&["inspect", &dump, "--matrix", "--long"], &[80]);
    }
}

#[test]
fn do_help_and_complaints_fit() {
    for name in ["", "inspect", "limit", "run", "sweep", "fit", "tune", "validate", "show"] {
        let arguments: Vec<&str> = [name, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        for columns in [80, 100, 140] {
            let text = printed(&arguments, columns);
            let wide = text.lines().find(|line| !fits(line, columns));
            assert!(wide.is_none(), "{arguments:?} at {columns} columns: {wide:?}");
        }
    }
    check(&["show", "no-such-system"]);
    check(&["run", "pair.yaml", "no-such-experiment"]);
    check(&["inspect", "pair.yaml"]);
}

#[test]
fn is_what_goes_to_a_file_the_same_wherever_it_is_made() {
    let text = |columns: Option<&str>| {
        let mut command = command(&["limit", "rosta-rb8v7", "p2p-write"]);
        columns.map(|columns| command.env("COLUMNS", columns));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert_eq!(text(None), text(Some("120")), "a pipe has 120 columns where nobody says how many");
    assert_eq!(text(Some("no number")), text(None));
    assert_eq!(text(Some("0")), text(None));
}
