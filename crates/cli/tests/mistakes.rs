//! Does the advice for a common mistake name its cure, and is what is to be pasted read back by a shell?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, complaint, data, fresh, stdout};
use std::process::Command;

#[test]
fn is_an_experiment_without_axes_told_from_a_misspelt_axis() {
    let (code, text) = complaint(&["run", "pair.yaml", "read", "--axis", "payload=128"]);
    assert!(code == Some(2) && text.contains("`read` has no axes: set a field in place of it, as in `--set"), "{text}");
    assert!(!text.contains("there is none"), "{text}");
}

#[test]
fn is_a_part_of_another_generation_no_slip() {
    let (code, text) = complaint(&["parts", "generic/gen6-card"]);
    assert!(code == Some(2) && !text.contains("did you mean"), "{text}");
    assert!(text.contains("`generic/gen3-card`, ") && !text.contains("`rosta"), "{text}");
}

#[test]
fn is_a_report_of_another_format_refused() {
    let folder = fresh("report-pdf");
    let path = folder.join("x.pdf").display().to_string();
    let (code, text) = complaint(&["run", "pair.yaml", "read", "--report", &path]);
    assert!(code == Some(2) && text.contains("x.html") && !folder.join("x.pdf").exists(), "{text}");
    let (code, text) = complaint(&["bench", "disk", "pair.yaml", "--report", &path]);
    assert!(code == Some(2) && text.contains("x.html"), "{text}");
}

#[test]
fn is_a_path_with_an_index_in_brackets_answered_with_quotes() {
    let file = fresh("brackets").join("x.yaml");
    let text = std::fs::read_to_string(data().join("pair.yaml")).unwrap();
    std::fs::write(&file, format!("{text}  bare: {{ operation: dma-read, flows: [host -> card[0]] }}\n")).unwrap();
    let (code, text) = complaint(&["limit", file.to_str().unwrap()]);
    assert!(code == Some(2) && text.contains("quote texts that hold `[`"), "{text}");
}

/// Lines that are much shorter than the screen, although the next word would have fit.
fn ragged(text: &str, columns: usize) -> Vec<&str> {
    let below = text.split("Options:").nth(1).and_then(|rest| rest.split_once("\n\n")).map_or("", |(_, below)| below);
    let lines: Vec<&str> = below.lines().collect();
    let fits = |one: &str, next: &str| {
        let word = next.split(' ').next().unwrap_or("").chars().count();
        one.chars().count() + 1 + word <= columns
    };
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let pairs = lines.windows(2).filter(|pair| pair.iter().all(|line| is_prose(line)) && !pair[0].ends_with(':'));
    pairs.filter(|pair| fits(pair[0], pair[1])).map(|pair| pair[0]).collect()
}

#[test]
fn is_the_help_filled_at_every_width() {
    let commands =
        ["run", "sweep", "fit", "calibrate", "tune", "advise", "inspect", "explain", "validate", "stream", "limit"];
    let all = commands
        .map(|name| vec![name, "--help"])
        .into_iter()
        .chain([vec!["bench", "disk", "--help"], vec!["bench", "card", "--help"]]);
    for words in all {
        for columns in [60, 80, 100] {
            let output = command(&words).env("COLUMNS", columns.to_string()).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(ragged(&text, columns).is_empty(), "{words:?} at {columns}: {:?}", ragged(&text, columns));
        }
    }
}

/// The lines behind `to see it:`.
fn pasted(text: &str) -> String {
    text.split("to see it:\n").nth(1).unwrap().to_string()
}

#[test]
fn is_what_tune_says_to_paste_read_back_and_are_its_addresses_placeholders() {
    // The second name is wider than the screen.
    let folder = fresh("tune paste");
    let files = [folder.join("my rig.yaml"), folder.join(format!("my {} rig.yaml", "long ".repeat(20)))];
    for (file, columns) in files.iter().flat_map(|file| [(file, "60"), (file, "120")]) {
        std::fs::copy(data().join("pair.yaml"), file).unwrap();
        let mut tune = command(&["tune", file.to_str().unwrap(), "copy", "--set", "settings.mps=128"]);
        let output = tune.env("COLUMNS", columns).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("with the addresses of your machine in place of these"), "{text}");
        assert!(said.contains("note: the addresses are placeholders") && said.contains("`lspci -tv`"), "{text}");
        let script = format!("lanescope() {{ for word; do printf '%s\\n' \"$word\"; done; }}\n{}", pasted(&text));
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let words = String::from_utf8(output.stdout).unwrap();
        let words: Vec<&str> = words.lines().collect();
        assert_eq!(&words[..3], ["run", file.to_str().unwrap(), "copy"], "{text}");
        let sets = words[3..].chunks(2).filter(|pair| pair[0] == "--set" && pair[1].ends_with("setpci.mps=512 B"));
        assert!(sets.count() >= 2, "{words:?}");
    }
}

#[test]
fn are_a_window_without_room_and_a_file_that_is_not_there_told_with_what_is_right() {
    let text = std::fs::read_to_string(data().join("pair.yaml")).unwrap();
    let file = fresh("no room").join("pair.yaml");
    std::fs::write(&file, text.replace("volume: 64 KiB", "volume: 64 KiB\n    window: 32 KiB")).unwrap();
    let (code, text) = complaint(&["run", file.to_str().unwrap(), "copy"]);
    assert!(code == Some(2) && text.contains("window") && text.contains("help: "), "{text}");
    let (code, text) = complaint(&["fit", "pair.yaml", "--on", "nosuch.csv", "--params", "switch.latency"]);
    assert!(code == Some(2) && text.contains("nosuch.csv") && text.contains("help: "), "{text}");
}

#[test]
fn are_the_bytes_of_a_flow_its_volume_where_it_is_extended_for_a_window() {
    let file = fresh("volume").join("drives.yaml");
    std::fs::write(&file, TWO_DRIVES).unwrap();
    let answer = stdout(&["run", file.to_str().unwrap(), "work", "--no-proof", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let (flow, window) = (&answer[0]["flows"][0], &answer[0]["window"]);
    assert_eq!((&flow["bytes"], &window["prolonged"]), (&(524_288.into()), &(true.into())), "{answer}");
    assert!(flow["moved_bytes"].as_u64() > flow["bytes"].as_u64(), "{answer}");
}

const TWO_DRIVES: &str = "\
title: Two drives
parts:
  host: { kind: host, ports: { \"p[2]\": gen4 x4 }, mps: 256 B }
  ssd: { kind: nvme-ssd, count: 2, ports: { pcie: gen4 x4 }, mps: 256 B }
links: [ \"host.p[0] - ssd[0].pcie\", { join: \"host.p[1] - ssd[1].pcie\", gen: 1, lanes: 1 } ]
experiments:
  work:
    { operation: disk-write, drive: software, command: 64 KiB, volume: 512 KiB, queue_depth: 4,
      flows: [\"host -> ssd[0]\", \"host -> ssd[1]\"], measures: [throughput] }
";

#[test]
fn are_rates_of_a_bottleneck_in_the_unit_asked_for_and_is_the_link_between_sockets_no_port() {
    let file = fresh("sockets").join("two.yaml");
    std::fs::write(&file, TWO_SOCKETS).unwrap();
    let asked = ["limit", file.to_str().unwrap(), "far", "--unit", "GB/s"];
    let text = stdout(&asked);
    assert!(text.contains("host: 20.000 GB/s on the link inside the host"), "{text}");
    assert!(!text.contains("MiB/s") && !text.contains("behind the port"), "{text}");
    let text = stdout(&[&["run"], &asked[1..]].concat());
    assert!(!text.contains("MB/s") && !text.contains("MiB/s"), "{text}");
    let text = stdout(&[&asked[..], &["--what-if"]].concat());
    assert!(text.contains("host: 20.000 GB/s on the link inside the host") && !text.contains("MiB/s"), "{text}");
    let text = stdout(&[&["run"], &asked[1..], &["--no-proof"]].concat());
    assert!(text.contains("host: 20.000 GB/s on the link inside the host") && !text.contains("MiB/s"), "{text}");
}

const TWO_SOCKETS: &str = "\
title: Two sockets
parts:
  host:
    part: generic/gen5-host
    slots: { \"pcie[2]\": gen5 x16 }
    at: { \"pcie[1]\": { socket: 1 } }
    socket_latency: 120 ns
    socket_rate: 20 GB/s
  card: { kind: dma-card, count: 2, ports: { pcie: gen5 x16 }, mps: 512, tag_bits: 10, read_requests: 512 }
links:
  - host.pcie[i] - card[i].pcie
experiments:
  far: { operation: p2p-write, command: 1 MiB, volume: 4 MiB, flows: [\"card[0] -> card[1]\"], measures: [throughput] }
";
