//! Repeated items are shown once, long lists are shortened with a hint at the full list, and `--all` shows everything.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh};
use std::fmt::Write;

/// The `lspci -vv` output of `count` equal drives, each below its own root port, with `lanes` of four lanes in use.
fn drives(count: usize, lanes: u32) -> String {
    let mut text = String::new();
    for n in 0..count {
        let (device, function, bus) = (1 + n / 8, n % 8, n + 1);
        let _ = write!(
            text,
            "00:{device:02x}.{function} PCI bridge: A Maker A Port (prog-if 00 [Normal decode])\n\
             \tBus: primary=00, secondary={bus:02x}, subordinate={bus:02x}, sec-latency=0\n\
             \tCapabilities: [40] Express (v2) Root Port (Slot+), MSI 00\n\
             \t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0\n\
             \t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n\
             \t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n\
             \t\tLnkCap:\tPort #1, Speed 8GT/s, Width x4, ASPM L1\n\
             \t\tLnkSta:\tSpeed 8GT/s, Width x{lanes}\n\
             \t\t\tTrErr- Train- SlotClk+ DLActive+ BWMgmt- ABWMgmt-\n\n\
             {bus:02x}:00.0 Non-Volatile memory controller: A Maker A Drive (prog-if 02 [NVM Express])\n\
             \tPhysical Slot: {n}\n\
             \tCapabilities: [40] Express (v2) Endpoint, MSI 00\n\
             \t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0\n\
             \t\tDevCtl:\tCorrErr- NonFatalErr- FatalErr- UnsupReq-\n\
             \t\t\tMaxPayload 256 bytes, MaxReadReq 512 bytes\n\
             \t\tLnkCap:\tPort #0, Speed 8GT/s, Width x4, ASPM L1\n\
             \t\tLnkSta:\tSpeed 8GT/s, Width x{lanes}\n\
             \t\t\tTrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-\n\n"
        );
    }
    text
}

/// The output of `inspect` on a terminal of 100 columns.
fn inspect(name: &str, machine: &str, more: &[&str]) -> String {
    let file = fresh(name).join("machine.txt");
    std::fs::write(&file, machine).unwrap();
    let output = command(&["inspect"]).arg(&file).args(more).env("COLUMNS", "100").output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn are_eleven_equal_drives_one_row_of_the_tree_and_one_of_the_limits() {
    let text = inspect("eleven", &drives(11, 4), &[]);
    assert_eq!(count(&text, "A Drive"), 1, "{text}");
    assert!(text.contains("11 × A Maker A Drive") && text.contains("slots 0, 1, 2"), "{text}");
    assert_eq!((count(&text, "SSD 0"), count(&text, "11 × SSD")), (0, 1), "{text}");
    for bus in 1..=11 {
        assert_eq!(count(&text, &format!("{bus:02x}:00.0")), 2, "each address in the tree and in the limits: {text}");
    }
    let all = inspect("eleven_all", &drives(11, 4), &["--all"]);
    assert_eq!((count(&all, "A Drive"), count(&all, "  SSD 0")), (11, 11), "{all}");
}

#[test]
fn is_a_long_list_cut_with_the_way_to_see_it_whole() {
    let text = inspect("many", &drives(56, 4), &[]);
    assert!(text.contains("and 44 more: --all"), "{text}");
    assert!(text.lines().count() < 60, "{text}");
    let all = inspect("many_all", &drives(56, 4), &["--all"]);
    assert!(!all.contains("--all") && count(&all, "A Drive") == 56, "{all}");
}

#[test]
fn is_the_same_finding_at_several_links_told_once_with_its_advice() {
    let (text, all) = (inspect("narrow", &drives(5, 2), &[]), inspect("narrow_all", &drives(5, 2), &["--all"]));
    let told = |text: &str| (count(text, "[width]"), count(text, "         do     "));
    let ((once, advice), (five, of_five)) = (told(&text), told(&all));
    assert_eq!((once, five), (1, 5), "{text}");
    assert!(text.contains("also   ") && text.contains("(each)"), "{text}");
    assert!(advice > 0 && advice < of_five, "{advice} of {of_five} lines of advice: {text}");
    for bus in 1..=5 {
        assert!(text.contains(&format!("{bus:02x}:00.0")), "{text}");
    }
}

#[test]
fn is_there_one_table_of_who_writes_to_whom() {
    let machine = drives(11, 4).replace("Non-Volatile memory controller", "3D controller");
    let list = inspect("pairs", &machine, &[]);
    assert!(list.contains("card to card") && list.contains("more: --all"), "{list}");
    let matrix = inspect("matrix", &machine, &["--matrix"]);
    assert!(!matrix.contains("card to card"), "{matrix}");
    assert_eq!(count(&matrix, "MB/s, from \\ to"), 1, "{matrix}");
    let all = inspect("matrix_all", &machine, &["--matrix", "--all"]);
    for bus in 1..=11 {
        assert!(all.lines().any(|line| line.starts_with(&format!("{bus:02x}:00.0 "))), "a row for each: {all}");
    }
    assert!(all.lines().all(|line| line.chars().count() <= 100), "{all}");
}
