//! Tests that every planted fault is found, and nothing else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::finding::{Finding, Severity};
use made::{by_files, by_hex, by_sysfs, fresh, report};
use std::process::Command;
use testing::machine::fault::plant;
use testing::machine::{Fault, Planted, healthy};
use testing::tool;

/// The kinds of finding that may report a fault.
fn kinds(fault: Fault) -> &'static [&'static str] {
    match fault {
        Fault::Width => &["width"],
        Fault::Speed => &["speed"],
        Fault::Target => &["target-speed"],
        Fault::Mps => &["mps", "mps-held", "mps-mismatch"],
        Fault::Mrrs => &["mrrs"],
        Fault::Uplink => &["shared-uplink", "chipset-uplink"],
        Fault::Acs => &["acs-redirect"],
        Fault::Numa => &["numa-unknown", "numa-apart"],
        Fault::Aer => &["aer"],
    }
}

fn is_alarm(finding: &&Finding) -> bool {
    matches!(finding.severity, Severity::Error | Severity::Warning)
}

/// Asserts that a planted machine has one error or warning, which is its fault.
fn is_named(planted: &Planted, findings: &[Finding], from: &str) {
    let alarms: Vec<&Finding> = findings.iter().filter(is_alarm).collect();
    let own = |f: &&&Finding| kinds(planted.fault).contains(&f.kind) && planted.at.contains(&f.at[0].to_string());
    let all = format!("{:?} at {:?}, by {from}: {alarms:#?}", planted.fault, planted.at);
    assert!(alarms.iter().any(|f| own(&f)), "not named: {all}");
    assert_eq!(alarms.len(), 1, "something else is named: {all}");
    let costs_nothing = |f: &&&Finding| f.cost.as_ref().is_some_and(|cost| cost.lost().0 <= 0.0);
    assert!(!alarms.iter().any(|f| costs_nothing(&f)), "mended, nothing is gained: {all}");
}

/// True if no register shows the fault, only the kernel.
fn needs_kernel(fault: Fault) -> bool {
    fault == Fault::Numa
}

#[test]
fn is_every_one_of_300_planted_faults_named_and_nothing_beside_it() {
    for (number, fault) in Fault::ALL.into_iter().cycle().take(300).enumerate() {
        let planted = plant(fault, number as u64);
        is_named(&planted, &report(&by_files(&planted.machine)).findings, "sysfs");
        if number < Fault::ALL.len() {
            is_named(&planted, &report(&by_sysfs(&planted.machine, "planted")).findings, "sysfs on disk");
        }
        if !needs_kernel(fault) {
            is_named(&planted, &report(&by_hex(&planted.machine)).findings, "hex");
        }
    }
}

#[test]
fn does_lspci_show_first_what_registers_can_show() {
    let Some(lspci) = tool("does_lspci_show_first_what_registers_can_show", "lspci") else { return };
    let file = fresh("first").join("machine.txt");
    for (number, fault) in Fault::ALL.into_iter().cycle().take(300).enumerate() {
        let planted = plant(fault, number as u64);
        let Some(slot) = planted.at.first().filter(|_| !planted.shown.is_empty()) else { continue };
        std::fs::write(&file, planted.machine.hex()).unwrap();
        let mut command = Command::new(&lspci);
        let output = command.args(["-n", "-vvv", "-s", slot, "-F"]).arg(&file).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(planted.shown.iter().all(|shown| text.contains(shown)), "{fault:?} {:?}: {text}", planted.shown);
    }
}

#[test]
fn are_100_healthy_machines_left_alone() {
    for seed in 0..100 {
        let machine = healthy(seed);
        for read in [by_files(&machine), by_hex(&machine)] {
            let findings = report(&read).findings;
            let alarms: Vec<&Finding> = findings.iter().filter(is_alarm).collect();
            assert!(alarms.is_empty(), "seed {seed}: {alarms:#?}");
            // Findings that a healthy machine may have.
            let quiet = ["slot-limited", "slower-than-drives", "ask-node", "ask-load"];
            let loud: Vec<&Finding> = findings.iter().filter(|f| !quiet.contains(&f.kind)).collect();
            assert!(loud.is_empty(), "seed {seed}: {loud:#?}");
        }
    }
}

#[test]
fn is_a_device_that_can_do_more_than_its_slot_spoken_of_once() {
    let mut told = 0;
    for seed in 0..40 {
        let findings = report(&by_hex(&healthy(seed))).findings;
        let mut at: Vec<_> = findings.iter().filter(|f| f.kind == "slot-limited").map(|f| f.at[0]).collect();
        told += at.len();
        at.sort_unstable();
        at.dedup();
        assert_eq!(at.len(), findings.iter().filter(|f| f.kind == "slot-limited").count());
    }
    assert!(told > 10, "{told}: hardly any machine had one");
}
