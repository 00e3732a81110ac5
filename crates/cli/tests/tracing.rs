//! Traces from the command line: only one point can be traced, and an unfinished trace is readable.

#![allow(clippy::unwrap_used)]

mod common;

use common::{command, complaint, fresh, lanescope, stdout};
use std::process::{Command, Stdio};
use std::time::Duration;

const POINT: [&str; 5] = ["run", "rosta-rb8v7", "p2p-write", "--axis", "flows=2"];

#[test]
fn is_a_trace_of_several_points_or_of_no_known_format_refused_before_anything_runs() {
    let (code, text) = complaint(&["run", "rosta-rb8v7", "p2p-write", "--trace", "x.pcapng"]);
    assert!(code == Some(2) && text.contains("6 are selected") && text.contains("--axis flows=4"), "{text}");
    let (code, text) = complaint(&[&POINT[..], &["--trace", "x.trace"]].concat());
    assert!(code == Some(2) && text.contains(".pcapng") && text.contains(".perfetto"), "{text}");
    let (code, text) = complaint(&[&POINT[..], &["--trace", "x.pcapng", "--trace-links", "crad*"]].concat());
    assert!(code == Some(2) && text.contains("no link matches `crad*`") && text.contains("card[0].pcie"), "{text}");
    let (code, text) = complaint(&["run", "rosta-rb8v7", "link-table", "--trace", "x.pcapng"]);
    assert!(code == Some(2) && text.contains("a formula has none"), "{text}");
}

#[test]
fn does_a_trace_leave_the_answer_as_it_is_and_no_other_file_behind() {
    let folder = fresh("trace-answer");
    for name in ["two.pcapng", "two.perfetto"] {
        let path = folder.join(name);
        let output = lanescope(&[&POINT[..], &["--trace", path.to_str().unwrap(), "--trace-links", "card*"]].concat());
        assert!(output.status.success());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), stdout(&POINT));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.starts_with("trace: 32768 TLPs and "), "{told}");
    }
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn does_ctrl_c_leave_a_trace_of_what_has_passed() {
    let path = fresh("trace-interrupted").join("long.pcapng");
    let mut long = command(&["run", "rosta-rb8v7", "host-write-many", "--axis", "devices=8", "--trace"]);
    long.arg(&path).args(["--set", "experiments.host-write-many.volume=16 GiB"]);
    let child = long.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[..4], 0x0a0d_0d0au32.to_le_bytes());
    // Reads all blocks up to the end of the file.
    let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut blocks) = (0, 0);
    while at < bytes.len() {
        let whole = length(at + 4);
        assert_eq!(length(at + whole - 4), whole, "a block ends as it begins");
        at += whole;
        blocks += 1;
    }
    assert!(at == bytes.len() && blocks > 1000, "{blocks} blocks");
}
