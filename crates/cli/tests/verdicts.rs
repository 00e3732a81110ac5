//! The verdicts on real machines are correct. The dumps are in the folder `LANESCOPE_DUMPS`. The snapshots here hold
//! only the verdicts, which were checked by hand against the registers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use std::path::PathBuf;
use testing::folder;
use testing::machine::fault::plant;
use testing::machine::{Fault, GeneratedMachine, healthy};

/// The output of `inspect` after the tree: limits, findings, what was judged and what was not; and the exit code.
fn verdict(dump: &str) -> Option<String> {
    asked(dump, &[])
}

/// The same output with more options.
fn asked(dump: &str, more: &[&str]) -> Option<String> {
    let file = folder(&format!("verdict of {dump}"), "LANESCOPE_DUMPS")?.join(format!("{dump}.txt"));
    let output = common::command(&["inspect"]).arg(&file).args(more).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let starts = |line: &str| line.starts_with("limits, MB/s") || line.contains(" judged") && !line.starts_with(' ');
    let behind = text.lines().skip_while(|line| !starts(line)).collect::<Vec<_>>().join("\n");
    assert!(!behind.is_empty(), "no verdict in {text}");
    Some(format!("exit code {}\n\n{behind}\n", output.status.code().unwrap()))
}

/// Both GPUs and both drives run at their best, each below its own socket. Two soldered network chips have one lane
/// each.
#[test]
fn what_is_said_of_a_server_with_two_sockets() {
    let Some(text) = verdict("server-2socket-broadwell-2xP100-2xnvme") else { return };
    insta::assert_snapshot!("server", text);
}

/// One drive is below the processor, one below the chipset, whose link is wide enough for all devices there.
#[test]
fn what_is_said_of_a_desktop_with_a_drive_on_either_side_of_dmi() {
    let Some(text) = verdict("z790-desktop-2nvme-cpu-vs-pch") else { return };
    insta::assert_snapshot!("z790", text);
}

/// A controller below an NF200 switch, a graphics card of the first generation, an empty slot that reads 2.5 GT/s x16.
#[test]
fn what_is_said_of_a_board_with_a_switch_by_text_and_by_hex() {
    let Some(text) = verdict("x58-asus-p6t6-nf200-switch.vvv") else { return };
    insta::assert_snapshot!("x58", text);
    assert_eq!(verdict("x58-asus-p6t6-nf200-switch.xxxx").unwrap(), text, "text and hex of one machine");
}

#[test]
fn what_is_said_of_arm_boards() {
    let boards = [
        ("amlogic", "amlogic-a311d-axg-pcie"),
        ("imx8", "imx8-pericom-switch-lan7430"),
        ("rockpro64", "rockpro64-rk3399-asm1184e-gtx-xxx"),
        ("visionfive2", "visionfive2-jh7110-gen4nvme-x1"),
    ];
    for (name, dump) in boards {
        let Some(text) = verdict(dump) else { return };
        insta::assert_snapshot!(name, text);
    }
}

/// A root port set to 256 bytes above a device that accepts 128, which therefore could not use DMA; and a drive behind
/// a cable.
#[test]
fn what_is_said_of_a_mismatch_and_of_a_tunnel() {
    for (name, dump) in [("exynos", "exynos-dwc-r8169-mps"), ("thunderbolt", "thunderbolt-x5-old-lspci")] {
        let Some(text) = verdict(dump) else { return };
        insta::assert_snapshot!(name, text);
    }
}

/// Ports to functions inside the processor, which this `lspci` had no name for; drives at their best.
#[test]
fn what_is_said_of_a_server_with_eleven_drives() {
    let Some(text) = asked("server-epyc-genoa-11nvme", &["--together", "ssds"]) else { return };
    insta::assert_snapshot!("epyc", text);
}

/// A 100 Gb/s card, a 1 Gb/s card, and a chipset that this `lspci` had no name for.
#[test]
fn what_is_said_of_a_server_with_one_fast_card() {
    let Some(text) = verdict("server-2socket-spr-cx5") else { return };
    insta::assert_snapshot!("spr", text);
}

#[test]
fn what_is_said_of_laptops_and_desktops() {
    let all = [
        ("amd_desktop", "amd-17h-desktop"),
        ("p45", "desktop-p45-gtx1650s-idle-gen1"),
        ("alderlake", "laptop-alderlake-rtx3070ti-2nvme-xxxx"),
        ("rxerr", "laptop-nvme-rxerr-aer"),
        ("lucienne", "minipc-amd-lucienne-nvme-aspm"),
    ];
    for (name, dump) in all {
        let Some(text) = verdict(dump) else { return };
        insta::assert_snapshot!(name, text);
    }
}

/// Machines that are emulated, hidden, or without a port above: nothing is reported as good.
#[test]
fn what_is_said_where_little_was_to_be_read() {
    let all = [
        ("xps9320", "laptop-xps9320-vnn"),
        ("qemu", "qemu-q35-switch-2nvme.vvv"),
        ("cxl", "pciutils-cap-dvsec-cxl"),
        ("lnkcap2", "pciutils-cap-exp-lnkcap2"),
        ("flit", "pciutils-cap-flitmode"),
    ];
    for (name, dump) in all {
        let Some(text) = verdict(dump) else { return };
        insta::assert_snapshot!(name, text);
    }
}

/// Writes a generated machine to a file.
fn file(name: &str, machine: &GeneratedMachine) -> PathBuf {
    let file = common::fresh(name).join("machine.txt");
    std::fs::write(&file, machine.hex()).unwrap();
    file
}

#[test]
fn what_is_said_of_a_planted_fault_and_does_it_end_with_1() {
    let planted = plant(Fault::Target, 2);
    let file = file("planted", &planted.machine);
    let output = common::command(&["inspect", "--matrix"]).arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!("planted", &text[text.find("limits, MB/s").unwrap()..]);
}

/// Drives below one switch whose uplink is too slow for all of them. Each gets a share of it.
#[test]
fn what_do_devices_get_at_once_that_are_asked_about_together() {
    let planted = plant(Fault::Uplink, 2);
    let (file, switch) = (file("together", &planted.machine), format!("behind={}", planted.at[0]));
    let asked = ["inspect", "--together", "ssds", "--together", &switch, "--together", "01:00.0"];
    let text = String::from_utf8(common::command(&asked).arg(&file).output().unwrap().stdout).unwrap();
    let (from, to) = (text.find("together: ").unwrap(), text.find("1 finding: ").unwrap());
    insta::assert_snapshot!("together", &text[from..to]);
}

#[test]
fn what_changed_between_a_healthy_machine_and_one_with_a_fault() {
    let planted = plant(Fault::Target, 2);
    let seed = (0..).map(|n| 2 + n * 1_000_003).find(|&seed| same(&healthy(seed), &planted.machine)).unwrap();
    let (before, after) = (file("before", &healthy(seed)), file("after", &planted.machine));
    let diff = |before: &PathBuf, after: &PathBuf| {
        let output = common::command(&["diff"]).args([before, after]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    insta::assert_snapshot!("diff", diff(&before, &after));
    assert_eq!(diff(&before, &before), "nothing changed that bears on bandwidth\n");
}

#[test]
fn are_limits_and_changes_to_be_had_as_csv() {
    let planted = plant(Fault::Target, 2);
    let seed = (0..).map(|n| 2 + n * 1_000_003).find(|&seed| same(&healthy(seed), &planted.machine)).unwrap();
    let (before, after) = (file("csv-before", &healthy(seed)), file("csv-after", &planted.machine));
    let rows = |command: &str, files: &[&PathBuf]| {
        let output = common::command(&[command]).args(files).args(["--csv", "-"]).output().unwrap();
        let mut reader = csv::Reader::from_reader(output.stdout.as_slice());
        reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect::<Vec<Vec<String>>>()
    };
    let (limits, changes) = (rows("inspect", &[&after]), rows("diff", &[&before, &after]));
    let json = common::command(&["inspect", "--json"]).arg(&after).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let devices = json["limits"]["devices"].as_array().unwrap();
    assert_eq!(limits.iter().filter(|row| row[0] == "device").count(), 2 * devices.len());
    for device in devices {
        let rate = device["to_memory_mb_per_s"].as_f64();
        let at = device["at"].as_str().unwrap();
        let row = limits.iter().find(|row| row[1] == at && row[3] == "to memory").unwrap();
        let told: f64 = row[4].parse().unwrap();
        assert!((told - rate.unwrap()).abs() < 0.001, "{row:?} {device}");
    }
    let asked = common::command(&["inspect", "--csv", "-", "--together", "ssds"]).arg(&after).output().unwrap();
    let asked = String::from_utf8(asked.stdout).unwrap();
    let shares = asked.lines().filter(|line| line.starts_with("together: ssds,")).count();
    assert!(shares > 2 && shares.is_multiple_of(2), "a share is not told as what a device has alone: {asked}");
    assert_eq!(asked.lines().filter(|line| line.starts_with("device,")).count(), 2 * devices.len());
    assert!(changes.iter().any(|row| row[0] == "limit, MB/s" && row[3] != row[4]), "{changes:?}");
    assert!(changes.iter().any(|row| row[0] == "finding" && row[2] == "target-speed"), "{changes:?}");
}

/// True where both machines have the same functions at the same places.
fn same(one: &GeneratedMachine, other: &GeneratedMachine) -> bool {
    let names = |machine: &GeneratedMachine| machine.functions.iter().map(|f| (f.name(), f.id)).collect::<Vec<_>>();
    names(one) == names(other)
}
