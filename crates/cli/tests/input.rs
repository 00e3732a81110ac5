//! Bad input gives one error with its place and a correction, exit code 2, and no incomplete file.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{complaint, fresh};
use std::path::Path;

const HEAD: &str = "system,experiment,at,metric,value,unit,source,note\n";

fn written(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// The error for a file in which `to` replaces `from`.
fn with(name: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(common::data().join("pair.yaml")).unwrap();
    assert!(text.contains(from), "{from}");
    let path = written(&fresh(name), "bad.yaml", &text.replacen(from, to, 1));
    let (code, complaint) = complaint(&["show", &path]);
    assert_eq!(code, Some(2), "{complaint}");
    complaint
}

#[test]
fn does_a_bad_description_tell_file_line_and_what_would_be_right() {
    let cases = [
        ("dangling", "switch.down[i] - card[i].pcie", "switch.down[i] - cart[i].pcie", "card"),
        ("unit", "read_latency: 400 ns", "read_latency: 400", "ns"),
        ("part", "generic/gen3-switch", "generic/gen3-swich", "generic/gen3-switch"),
        ("width", "gen2 x4", "gen2 x3", "1, 2, 4, 8"),
        ("field", "read_requests: 4", "read_request_count: 4", "read_request"),
        ("key", "links:", "link:", "links"),
        ("measure", "measures: [throughput_per_flow]", "measures: [throughput_per_flw]", "throughput_per_flow"),
        ("time", "read_latency: 400 ns", "read_latency: 99999 s", "at most 10 s"),
    ];
    for (name, from, to, right) in cases {
        let complaint = with(name, from, to);
        assert!(complaint.contains("bad.yaml:"), "{name}: {complaint}");
        assert!(complaint.contains("help:") && complaint.contains(right), "{name}: {complaint}");
    }
}

#[test]
fn does_a_row_that_names_nothing_tell_its_line() {
    let folder = fresh("rows");
    let cases = [
        ("rosta-rb8v8,p2p-write,flows=1,throughput_per_flow,1,MiB/s,me,", "rosta-rb8v7"),
        ("rosta-rb8v7,p2p-wrote,flows=1,throughput_per_flow,1,MiB/s,me,", "p2p-write"),
        ("rosta-rb8v7,p2p-write,flow=1,throughput_per_flow,1,MiB/s,me,", "flows"),
        ("rosta-rb8v7,p2p-write,flows=9,throughput_per_flow,1,MiB/s,me,", "ring8"),
        ("rosta-rb8v7,p2p-write,flows=1;payload=1024,throughput_per_flow,1,MiB/s,me,", "512"),
        ("rosta-rb8v7,p2p-write,flows=1,throughput_per_fly,1,MiB/s,me,", "throughput_per_flow"),
        ("rosta-rb8v7,p2p-write,flows=1,throughput_per_flow,fast,MiB/s,me,", "1.5..2"),
        ("rosta-rb8v7,p2p-write,flows=1,throughput_per_flow,1,ns,me,", "Gbit/s"),
        ("rosta-rb8v7,link-table,gen=3;lanes=3,information_rate,1,MiB/s,me,", "1, 2, 4, 8"),
        ("rosta-rb8v7,link-table,gen=3;lanes=4,fraction,1,1,me,", "efficiency"),
        ("rosta-rb8v7,p2p-write,flows=1", "it has 8"),
    ];
    for (row, right) in cases {
        let text = format!("{HEAD}rosta-rb8v7,efficiency,payload=8,fraction,0.258,1,me,\n{row}\n");
        let path = written(&folder, "own.csv", &text);
        let (code, complaint) = complaint(&["validate", "--reference", &path]);
        assert_eq!(code, Some(2), "{row}: {complaint}");
        assert!(complaint.contains("own.csv:3"), "{row}: {complaint}");
        assert!(complaint.contains(right), "{row}: {complaint}");
    }
}

#[test]
fn does_bad_input_leave_no_file_behind() {
    let folder = fresh("nothing");
    let csv = folder.join("out.csv").display().to_string();
    let (code, text) = complaint(&["run", "rosta-rb8v7", "p2p-write", "--axis", "payload=1024", "--csv", &csv]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("512"), "{text}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    let (code, text) = complaint(&["run", "rosta-rb8v7", "p2p-write", "--csv", "no/such/folder/out.csv"]);
    assert_eq!((code, text.contains("no/such/folder/out.csv cannot be written")), (Some(2), true), "{text}");
}

#[test]
fn does_a_bad_argument_say_what_would_be_right() {
    let cases: [(&[&str], &str); 10] = [
        (&["limit", "--link", "gen4x8", "--latency", "180000s"], "a time of at most 10 s"),
        (&["limit", "pair.yaml", "write", "--axis", "payload=63"], "asked for:1"),
        (&["limit", "--link", "gen4x7"], "1, 2, 4, 8, 12, 16 and 32"),
        (&["limit", "--link", "gen4x8", "--mps", "100"], "128, 256, 512"),
        (&["limit", "--link", "gen4x8", "--latency", "1"], "ns"),
        (&["kinds", "disk"], "dma-card"),
        (&["run", "rosta-rb8v7", "p2p"], "p2p-write"),
        (&["run", "rosta-rb8v7", "p2p-write", "--axis", "payload"], "--axis payload=128,256"),
        (&["run", "rosta-rb8v7", "p2p-write", "--axis", "flows=9"], "ring8"),
        (&["show", "rosta-rb8v7", "--set", "card.tx_latncy=1 ns"], "tx_latency"),
    ];
    for (arguments, right) in cases {
        let (code, text) = complaint(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(right), "{arguments:?}: {text}");
        assert!(!text.contains('\u{1b}'), "colours off a terminal: {text}");
    }
}
