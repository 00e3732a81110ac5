//! Files of symbols from the command line.

#![allow(clippy::unwrap_used)]

mod common;

use common::{command, complaint, fresh, lanescope, stdout};
use serde_json::Value;

/// The lines of a file as `symbols read` tells them.
fn read(path: &str) -> Vec<Value> {
    stdout(&["symbols", "read", path]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn are_the_packets_of_a_file_those_that_were_made() {
    let folder = fresh("symbols-made");
    for (link, form) in [("gen1x1", "byte"), ("gen2x8", "code"), ("gen3x4", "block"), ("gen5x16", "block")] {
        let path = folder.join(link).to_str().unwrap().to_string();
        let asked =
            ["symbols", "make", &path, "--link", link, "--form", form, "--seed", "5", "--skew", "20", "--reversed"];
        let told = stdout(&[&asked[..], &["--skp-interval", "300"]].concat());
        assert!(told.contains("200 packets"), "{told}");
        let made = std::fs::read_to_string(path.clone() + ".packets").unwrap();
        let made: Vec<Value> = made.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let received = read(&path);
        let bare = |value: &Value| (value["kind"].clone(), value["sequence"].clone(), value["bytes"].clone());
        let packets = received.iter().filter(|value| value["bytes"].is_string());
        assert!(packets.map(bare).eq(made.iter().map(bare)), "{link}");
        assert!(received.iter().any(|value| value["kind"] == "skp"), "{link}");
    }
}

#[test]
fn do_the_symbols_of_a_link_carry_the_packets_of_its_trace() {
    let path = fresh("symbols-run").join("one.symbols").to_str().unwrap().to_string();
    let point = ["run", "rosta-rb8v7", "p2p-write", "--axis", "flows=1", "--axis", "payload=128"];
    let output = lanescope(&[&point[..], &["--trace", &path, "--symbols", "card[0].pcie -> *"]].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.starts_with("trace: 8192 TLPs and "), "{told}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), stdout(&point));
    let received = read(&path);
    let of = |kind: &str| received.iter().filter(|value| value["kind"] == kind).count();
    assert_eq!((of("tlp"), of("symptom")), (8192, 0));
    let text = stdout(&["symbols", "read", &path, "--text", "300", "--from", "2400"]);
    let first = stdout(&["symbols", "read", &path, "--text", "12"]);
    assert!(first.lines().count() > 1, "nothing where data begins: {first}");
    assert!(text.contains("STP  00") && text.contains("MWr, 140 bytes"), "{text}");
}

#[test]
fn is_what_is_no_link_form_or_file_of_symbols_refused() {
    let folder = fresh("symbols-refused");
    let path = folder.join("x.symbols").to_str().unwrap().to_string();
    let (code, text) = complaint(&["symbols", "make", &path, "--link", "gen9x1"]);
    assert!(code == Some(2) && text.contains("gen1 to gen5"), "{text}");
    let (code, text) = complaint(&["symbols", "make", &path, "--link", "gen3x1", "--form", "code"]);
    assert!(code == Some(2) && text.contains("no form of Gen3 x1"), "{text}");
    std::fs::write(&path, "{}\n").unwrap();
    let (code, text) = complaint(&["symbols", "read", &path]);
    assert!(code == Some(2) && text.contains("not that of a file of symbols"), "{text}");
    let point = ["run", "rosta-rb8v7", "p2p-write", "--axis", "flows=1", "--axis", "payload=128", "--trace"];
    let (code, text) = complaint(&[&point[..], &[&path, "--symbols", "card*"]].concat());
    assert!(code == Some(2) && text.contains("matches 8 directions") && text.contains("card[0].pcie -> "), "{text}");
    let (code, text) = complaint(&[&point[..], &["x.pcapng", "--symbols", "card[0].pcie -> *"]].concat());
    assert!(code == Some(2) && text.contains("ends in .symbols"), "{text}");
}

#[test]
fn is_a_damaged_file_told_by_the_exit_code() {
    let path = fresh("symbols-damaged").join("a.symbols").to_str().unwrap().to_string();
    stdout(&["symbols", "make", &path, "--link", "gen1x1"]);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = (bytes.len() / 2) | 1;
    bytes[middle - 1] ^= 0x0f;
    std::fs::write(&path, bytes).unwrap();
    let output = command(&["symbols", "read", &path]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("symptom"));
}
