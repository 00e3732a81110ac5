//! Tests that a dump reads the same after mail, answers to mail, terminals or compression have altered it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{dumps, machine, text};
use lanescope_probe::{Function, Machine, Problem, lspci, read};
use std::io::Write;
use std::process::{Command, Stdio};

/// The texts that are altered: the one in `tests/machines`, and the dumps of real machines if there are any.
fn texts(test: &str) -> Vec<(String, String)> {
    let mut all = vec![("traps".to_string(), text(&machine("traps.txt")))];
    all.extend(dumps(test).into_iter().map(|(name, path)| (name, text(&path))));
    all
}

/// The functions without their line numbers, and with one blank between words.
fn functions(machine: &Machine) -> Vec<Function> {
    let blanks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut all: Vec<Function> = machine.functions.values().cloned().collect();
    for function in &mut all {
        function.place = None;
        let (names, os) = (&mut function.names, &mut function.os);
        let named = [&mut names.class, &mut names.device, &mut names.subsystem, &mut os.slot, &mut os.label];
        named.into_iter().flatten().for_each(|name| *name = blanks(name));
        function.capabilities.0.iter_mut().for_each(|capability| capability.text = blanks(&capability.text));
    }
    all
}

/// The text of both functions around the first difference.
fn first_difference(left: &Function, right: &Function) -> String {
    let both = [format!("{left:?}"), format!("{right:?}")];
    let same = both[0].chars().zip(both[1].chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &String| text.chars().skip(same.saturating_sub(60)).take(200).collect::<String>();
    format!("{:?} became {:?}", around(&both[0]), around(&both[1]))
}

/// Asserts that every text reads the same after `mangle`; gives the number of additional remarks.
fn same(test: &str, mangle: impl Fn(&str) -> String) -> usize {
    let mut remarks = 0;
    for (name, text) in texts(test) {
        let (before, after) = (lspci::parse(&text), lspci::parse(&mangle(&text)));
        let (left, right) = (functions(&before), functions(&after));
        assert_eq!(left.len(), right.len(), "{name}: {:?}", after.remarks);
        for (left, right) in left.iter().zip(&right) {
            assert!(left == right, "{name} {}: {}", left.address, first_difference(left, right));
        }
        remarks += after.remarks.len().saturating_sub(before.remarks.len());
    }
    remarks
}

/// Wraps lines as mail programs do: at the last blank before a column, with no indentation after it. A text that mail has
/// wrapped before has no tabs, and is not changed.
fn wrapped(text: &str, columns: usize) -> String {
    let mut all = String::new();
    if !text.contains("\n\t\t") {
        return text.to_string();
    }
    for line in text.lines() {
        let mut used = 0;
        for (number, word) in line.split_inclusive(' ').enumerate() {
            let width: usize = word.trim_end().chars().map(|c| if c == '\t' { 8 } else { 1 }).sum();
            if number > 0 && used + width > columns && !all.ends_with('\n') {
                all.truncate(all.trim_end_matches(' ').len());
                all.push('\n');
                used = 0;
            }
            all.push_str(word);
            used += width + usize::from(word.ends_with(' '));
        }
        all.push('\n');
    }
    all
}

fn quoted(text: &str, mark: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

#[test]
fn does_a_dump_that_mail_has_quoted_say_the_same() {
    for mark in ["> ", ">", ">> ", "> > > "] {
        assert_eq!(same("does_a_dump_that_mail_has_quoted_say_the_same", |text| quoted(text, mark)), 0, "{mark}");
    }
}

#[test]
fn does_a_dump_that_mail_has_wrapped_say_the_same() {
    for columns in [72, 76, 80] {
        same("does_a_dump_that_mail_has_wrapped_say_the_same", |text| wrapped(text, columns));
        same("does_a_dump_that_mail_has_wrapped_and_quoted_say_the_same", |text| quoted(&wrapped(text, columns), "> "));
    }
}

#[test]
fn do_answers_between_quoted_lines_leave_the_dump_as_it_is() {
    let test = "do_answers_between_quoted_lines_leave_the_dump_as_it_is";
    let answered = |text: &str| {
        let answer = "\nThis one looks fine to me.\nDid you try another slot?\n\n";
        let one = |line: &str| format!("{}> {line}\n", if line.contains("Capabilities: [") { answer } else { "" });
        text.lines().map(one).collect()
    };
    assert!(same(test, answered) > 0, "what was answered is told");
}

#[test]
fn does_prose_before_and_behind_a_dump_stay_outside() {
    let test = "does_prose_before_and_behind_a_dump_stay_outside";
    let before = "59:00.0 was runtime suspended between these two\nprints, and 0000:00:1c.0 is the port above:\n\n$ lspci -vvv\n";
    for behind in
        ["```\nThanks for any help,\nRajat\n", "-- \nRajat, on 3/4: it is 01:00.0 that fails\n", "\n   kind regards\n"]
    {
        assert!(same(test, |text| format!("{before}{}\n{behind}", text.trim_end())) > 0);
    }
}

#[test]
fn do_colours_and_line_ends_of_terminals_not_matter() {
    let test = "do_colours_and_line_ends_of_terminals_not_matter";
    same(test, |text| text.replace('\n', "\r\n"));
    same(test, |text| text.replace("PCI", "\u{1b}[01;31m\u{1b}[KPCI\u{1b}[m\u{1b}[K"));
    same(test, |text| text.replace('\t', "        "));
}

/// The bytes compressed by a program; `None` if there is no such program.
fn packed(test: &str, program: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let path = testing::tool(test, program)?;
    let mut child = Command::new(path).arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    Some(output.stdout)
}

#[test]
fn is_a_compressed_text_read_as_it_is_and_never_unpacked_beyond_measure() {
    let test = "is_a_compressed_text_read_as_it_is_and_never_unpacked_beyond_measure";
    let whole = text(&machine("traps.txt"));
    let plain = functions(&lspci::parse(&whole));
    for program in ["gzip", "xz", "zstd"] {
        let Some(one) = packed(test, program, whole.as_bytes()) else { continue };
        assert_eq!(functions(&read::of_bytes(one.clone()).unwrap()), plain, "{program}");
        // Two compressed texts in a row are one text, as with `cat a.gz b.gz`.
        let both = read::of_bytes([one.clone(), one.clone()].concat()).unwrap();
        assert_eq!(both.functions.len(), plain.len(), "{program}");
        let damaged = read::of_bytes(one[..one.len() / 2].to_vec());
        assert!(matches!(damaged, Err(Problem::Archive(_))), "{program}: {damaged:?}");
        let twice = packed(test, program, &one).unwrap();
        assert!(matches!(read::of_bytes(twice), Err(Problem::Compressed(_))), "{program}");
        let bomb = packed(test, program, &vec![b' '; read::MOST_BYTES + 1]).unwrap();
        assert!(bomb.len() < 1 << 20, "{program}");
        assert!(matches!(read::of_bytes(bomb), Err(Problem::TooLarge(64))), "{program}");
    }
}
