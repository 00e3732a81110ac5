//! Does any input make it panic? Random bytes, random YAML, and mutations of the bundled machines.

#![allow(clippy::unwrap_used, clippy::panic)]

use lanescope_system::{Description, bundled, tree};
use proptest::prelude::*;

/// Everything that can be asked of a text.
fn exercise(text: &str, overrides: &[String]) {
    let mut description = match Description::from_text("x.yaml", text) {
        Ok(description) => description,
        Err(error) => {
            check(&error);
            return;
        }
    };
    for text in overrides {
        if let Err(error) = description.set(text) {
            check(&error);
        }
    }
    match description.system() {
        Ok(system) => {
            tree::show(&system);
            tree::figures(&system, true);
        }
        Err(error) => check(&error),
    }
    for experiment in description.experiments() {
        let points = experiment.points();
        for point in points.iter().take(2).chain(points.last()) {
            if let Err(error) = description.scenario(experiment, point) {
                check(&error);
            }
        }
    }
}

/// An error prints, and its place is inside its source.
fn check(error: &lanescope_system::Error) {
    assert!(!error.report().is_empty());
    if let Some(place) = error.place() {
        assert!(place.span().offset() + place.span().len() <= place.source().text.len());
        assert!(place.line() >= 1 && place.column() >= 1);
    }
}

/// Words that descriptions are made of, and some that they should not be.
fn word() -> impl Strategy<Value = String> {
    let words = [
        "parts",
        "links",
        "settings",
        "experiments",
        "host",
        "card",
        "card[i]",
        "card[4*i + j]",
        "count",
        "part",
        "kind",
        "switch",
        "dma-card",
        "ports",
        "up",
        "down[4]",
        "gen3 x8",
        "gen9 x7",
        "generic/gen4-host",
        "- ",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "->",
        " - ",
        "0",
        "-1",
        "99999999999999999999",
        "1e300 s",
        "4 KiB",
        "255 ns",
        "infinite",
        "by policy",
        "&a",
        "*a",
        "!!str",
        "|",
        ">",
        "\"",
        "'",
        "#",
        "%",
        "\t",
        "é",
        "\u{0}",
        "i-3",
        "bars",
        "16 TiB 64-bit",
        "axes",
        "payload",
        "flows",
        "set",
        "values",
        "divide",
        "command",
        "one TLP",
        "volume",
        "1 B",
        "max_commands",
        "timed",
        "points",
        "formula",
        "page_bytes",
        "lanes",
        "32",
        "propagation",
        "18446744073709551615",
    ];
    prop_oneof![9 => prop::sample::select(words.to_vec()).prop_map(String::from), 1 => ".{0,6}"]
}

/// What to do to a text, by position (in parts of 1000): remove some, insert a word, repeat a line.
#[derive(Clone, Debug)]
enum Change {
    Remove(usize, usize),
    Insert(usize, String),
    Replace(usize, String),
    Repeat(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..1000usize, 1..40usize).prop_map(|(at, n)| Change::Remove(at, n)),
        (0..1000usize, word()).prop_map(|(at, w)| Change::Insert(at, w)),
        (0..1000usize, word()).prop_map(|(at, w)| Change::Replace(at, w)),
        (0..1000usize).prop_map(Change::Repeat),
    ]
}

fn apply(text: &str, change: &Change) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let place = |at: usize| at * chars.len() / 1000;
    match change {
        Change::Remove(at, n) => {
            let at = place(*at);
            let end = (at + n).min(chars.len());
            chars.drain(at..end);
        }
        Change::Insert(at, word) => {
            let at = place(*at);
            chars.splice(at..at, word.chars());
        }
        Change::Replace(at, word) => {
            let from = place(*at);
            let inside = |c: &char| c.is_alphanumeric() || *c == '_';
            let end = from + chars[from..].iter().take_while(|c| inside(c)).count();
            let start = from - chars[..from].iter().rev().take_while(|c| inside(c)).count();
            chars.splice(start..end, word.chars());
        }
        Change::Repeat(at) => {
            let lines: Vec<&str> = text.lines().collect();
            let line = lines.get(at * lines.len() / 1000).copied().unwrap_or("");
            return text.replacen(line, &format!("{line}\n{line}"), 1);
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #[test]
    fn random_text_is_an_error_or_a_machine(text in "(?s).{0,200}") {
        exercise(&text, &[]);
    }

    #[test]
    fn random_words_are_an_error_or_a_machine(words in prop::collection::vec(word(), 0..80)) {
        exercise(&words.concat(), &[]);
    }

    #[test]
    fn a_mutated_machine_is_an_error_or_a_machine(
        which in 0..bundled::NAMES.len(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        let text = bundled::text(bundled::NAMES[which]).unwrap_or_default().to_string();
        exercise(&changes.iter().fold(text, |text, change| apply(&text, change)), &[]);
    }

    #[test]
    fn a_random_override_is_an_error_or_a_machine(
        which in 0..bundled::NAMES.len(),
        part in prop_oneof!["card", "host", "board", "card\\[[0-9]\\]", "links\\.[0-3]", "settings", "[a-z]{1,4}"],
        field in prop_oneof![
            "tx_latency", "payload", "mps", "count", "part", "kind", "bars", "lanes", "gen", "propagation", "mrrs",
            "ports\\.pcie", "slots\\.pcie", "page_bytes", "setpci\\.mps", "core_clock", "fifo", "descriptor_cost",
        ],
        value in word(),
    ) {
        let text = bundled::text(bundled::NAMES[which]).unwrap_or_default();
        exercise(text, &[format!("{part}.{field}={value}")]);
    }
}
