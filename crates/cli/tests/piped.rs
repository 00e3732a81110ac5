//! A machine that comes through a pipe is read, and no other machine in its place.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, data, fresh};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Output, Stdio};

fn traps() -> PathBuf {
    data().join("../../../probe/tests/machines/traps.txt")
}

/// Runs the program with `bytes` on its standard input.
fn piped(arguments: &[&str], bytes: &[u8]) -> Output {
    let mut child =
        command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program that rejects its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn is_what_is_piped_in_the_machine_with_and_without_a_dash() {
    let dump = std::fs::read(traps()).unwrap();
    for arguments in [&["inspect", "-"][..], &["inspect"]] {
        let output = piped(arguments, &dump);
        assert!(text(&output.stdout).starts_with("standard input  5 functions, read from lspci text"), "{output:?}");
    }
    let file = std::fs::File::open(traps()).unwrap();
    let redirected = command(&["inspect"]).stdin(file).output().unwrap();
    assert!(text(&redirected.stdout).starts_with("standard input  5 functions"), "{redirected:?}");
}

#[test]
fn is_an_empty_pipe_refused_with_what_would_be_right() {
    for (bytes, says) in [(&b""[..], "there is nothing in it"), (b"bash: lspci: command not found\n", "no function")] {
        let output = piped(&["inspect"], bytes);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty(), "another machine in its place: {output:?}");
        let told: Vec<String> = text(&output.stderr).split_whitespace().map(str::to_string).collect();
        let told = told.into_iter().filter(|word| word != "│").collect::<Vec<_>>().join(" ");
        assert!(told.contains("standard input") && told.contains(says) && told.contains("--sysfs /sys"), "{told}");
    }
}

#[test]
fn is_one_of_two_machines_to_compare_piped_in_and_never_both() {
    let (dump, file) = (std::fs::read(traps()).unwrap(), traps().display().to_string());
    let same = piped(&["diff", "-", &file], &dump);
    assert_eq!(text(&same.stdout), "nothing changed that bears on bandwidth\n", "{same:?}");
    let both = piped(&["diff", "-", "-"], &dump);
    assert_eq!(both.status.code(), Some(2));
    assert!(text(&both.stderr).contains("asked for twice"), "{both:?}");
}

#[test]
fn does_a_name_with_controls_reach_no_terminal() {
    let folder = fresh("controls");
    let file = folder.join("dump\u{1b}[2J.txt");
    std::fs::copy(traps(), &file).unwrap();
    let good = command(&["inspect"]).arg(&file).output().unwrap();
    std::fs::write(&file, "nothing").unwrap();
    let bad = command(&["inspect"]).arg(&file).output().unwrap();
    for bytes in [good.stdout, bad.stderr] {
        assert!(!bytes.is_empty() && !bytes.contains(&0x1b), "{}", text(&bytes));
    }
}

/// Changes of latency tolerance reporting and L1 substates, as in a real regression that concerned the LTR threshold.
#[test]
fn does_diff_tell_what_changed_in_ltr_and_l1_substates() {
    let folder = fresh("substates");
    let ssd = |ltr: &str, snoop: u64, control: &str, threshold: u64, power_on: u64| {
        format!(
            "01:00.0 Non-Volatile memory controller: Example Corp. SSD\n\
             \tCapabilities: [70] Express (v2) Endpoint, MSI 00\n\
             \t\tDevCtl2: Completion Timeout: 50us to 50ms, TimeoutDis-, {ltr}, OBFF Disabled\n\
             \tCapabilities: [188 v1] Latency Tolerance Reporting\n\
             \t\tMax snoop latency: {snoop}ns\n\
             \t\tMax no snoop latency: {snoop}ns\n\
             \tCapabilities: [190 v1] L1 PM Substates\n\
             \t\tL1SubCtl1: PCI-PM_L1.2- PCI-PM_L1.1- {control} ASPM_L1.1-\n\
             \t\t\t   T_CommonMode=0us LTR1.2_Threshold={threshold}ns\n\
             \t\tL1SubCtl2: T_PwrOn={power_on}us\n"
        )
    };
    let (before, after) = (folder.join("before.txt"), folder.join("after.txt"));
    std::fs::write(&before, ssd("LTR+", 3_145_728, "ASPM_L1.2+", 81_920, 10)).unwrap();
    std::fs::write(&after, ssd("LTR-", 0, "ASPM_L1.2-", 0, 150)).unwrap();
    let output = command(&["diff"]).args([&before, &after]).output().unwrap();
    let said = text(&output.stdout);
    for line in [
        "LTR: on -> off",
        "LTR snoop: 3145728 ns -> 0 ns",
        "LTR no-snoop: 3145728 ns -> 0 ns",
        "ASPM_L1.2: on -> off",
        "LTR1.2_Threshold: 81920 ns -> 0 ns",
        "T_PwrOn: 10 us -> 150 us",
    ] {
        assert!(said.contains(&format!("0000:01:00.0  {line}\n")), "{line} not in {said}");
    }
    assert_eq!(said.lines().count(), 6, "{said}");
}
