//! The printed `setpci` lines have the effect that is claimed. The `setpci` of pciutils runs them on a generated sysfs
//! tree, whose `config` files can be written. A QEMU guest is not suitable: its devices do not change Max_Payload_Size
//! and Max_Read_Request_Size.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::machine::fault::plant;
use testing::machine::{Fault, Function, GeneratedMachine, healthy};
use testing::tool;

/// A generated machine in files, and the program that writes its registers.
struct Written {
    root: PathBuf,
    setpci: PathBuf,
}

impl Written {
    fn new(name: &str, setpci: &Path, machine: &GeneratedMachine) -> Written {
        let root = common::fresh(name);
        machine.write_sysfs(&root).unwrap();
        Written { root, setpci: setpci.to_path_buf() }
    }

    fn inspect(&self) -> Value {
        let output = common::command(&["inspect", "--json", "--sysfs"]).arg(&self.root).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs a line such as `setpci -s 03:00.0 CAP_EXP+8.w=2000:7000` as a shell would.
    fn run(&self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!((words[0], words.len()), ("setpci", 4), "{line}");
        let path = format!("sysfs.path={}/bus/pci", self.root.display());
        let output =
            Command::new(&self.setpci).args(["-A", "linux-sysfs", "-O", &path]).args(&words[1..]).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && complaint.is_empty(), "{line}: {complaint}");
    }
}

/// The findings of one kind.
fn of_kind<'v>(inspected: &'v Value, kind: &str) -> Vec<&'v Value> {
    inspected["findings"].as_array().unwrap().iter().filter(|finding| finding["kind"] == kind).collect()
}

/// The command in a remedy, without the text around it.
fn command(remedy: &str) -> Option<String> {
    let (_, line) = remedy.split_once("setpci ")?;
    let words: Vec<&str> = line.split_whitespace().take(3).map(|word| word.trim_end_matches([',', ';', '.'])).collect();
    Some(format!("setpci {}", words.join(" ")))
}

fn commands(finding: &Value) -> Vec<String> {
    finding["remedy"].as_array().unwrap().iter().filter_map(|remedy| command(remedy.as_str().unwrap())).collect()
}

/// Runs the commands of the findings of `kind`, and asserts that these findings are gone.
fn mends(machine: &Written, kind: &str) {
    let before = machine.inspect();
    let found = of_kind(&before, kind);
    assert!(!found.is_empty(), "{kind} is found at first: {}", before["findings"]);
    let lines: Vec<String> = found.into_iter().flat_map(commands).collect();
    assert!(!lines.is_empty(), "{kind} has a command");
    lines.iter().for_each(|line| machine.run(line));
    let after = machine.inspect();
    assert!(of_kind(&after, kind).is_empty(), "{kind} is gone after {lines:?}: {}", after["findings"]);
}

#[test]
fn do_the_commands_of_findings_mend_what_was_found() {
    let Some(setpci) = tool("do_the_commands_of_findings_mend_what_was_found", "setpci") else { return };
    for (fault, kind) in [(Fault::Mrrs, "mrrs"), (Fault::Target, "target-speed")] {
        for seed in 1..6 {
            let name = format!("setpci_{kind}_{seed}");
            mends(&Written::new(&name, &setpci, &plant(fault, seed).machine), kind);
        }
    }
    // In a third of the Max_Payload_Size faults, the two ends have different values.
    let mut differ = (0..30).map(|seed| Written::new("setpci_mps", &setpci, &plant(Fault::Mps, seed).machine));
    let differ = differ.find(|machine| !of_kind(&machine.inspect(), "mps-mismatch").is_empty()).unwrap();
    mends(&differ, "mps-mismatch");
}

#[test]
fn does_the_command_for_acs_end_redirection_at_every_port() {
    let Some(setpci) = tool("does_the_command_for_acs_end_redirection_at_every_port", "setpci") else { return };
    let machine = Written::new("setpci_acs", &setpci, &plant(Fault::Acs, 1).machine);
    let before = machine.inspect();
    let found = of_kind(&before, "acs-redirect")[0];
    let line = commands(found).remove(0);
    let named = line.split_whitespace().nth(2).unwrap();
    for port in found["evidence"].as_array().unwrap() {
        machine.run(&line.replace(named, port["at"].as_str().unwrap()));
    }
    assert!(of_kind(&machine.inspect(), "acs-redirect").is_empty());
}

#[test]
fn does_the_command_for_relaxed_ordering_switch_it_on() {
    let Some(setpci) = tool("does_the_command_for_relaxed_ordering_switch_it_on", "setpci") else { return };
    // A card of 100 Gb/s or more: Gen4 x8.
    let fast = |f: &Function| f.is_nic() && f.link().is_some_and(|link| (link.speed, link.width) == (4, 8));
    let mut machine = (0..).map(healthy).find(|machine| machine.functions.iter().any(fast)).unwrap();
    machine.functions.iter_mut().filter(|f| fast(f)).for_each(|f| f.express.as_mut().unwrap().relaxed = false);
    mends(&Written::new("setpci_relaxed", &setpci, &machine), "relaxed-ordering");
}

/// The functions that `tune` writes to, as endpoints with MPS and MRRS of 128 bytes.
fn functions_of(tuned: &Value) -> GeneratedMachine {
    let like = healthy(1).functions.into_iter().find(|f| f.is_ssd()).unwrap();
    let mut all: Vec<String> =
        tuned["writes"].as_array().unwrap().iter().map(|write| write["bdf"].as_str().unwrap().to_string()).collect();
    all.sort();
    all.dedup();
    let function = |bdf: String| {
        let number = |from: usize, to: usize| u8::from_str_radix(&bdf[from..to], 16).unwrap();
        let mut function = like.clone();
        (function.domain, function.bdf) = (0, (number(0, 2), number(3, 5), number(6, 7)));
        (function.blocks, function.group) = (Vec::new(), None);
        let express = function.express.as_mut().unwrap();
        (express.payload, express.read_request) = ((5, 0), 0);
        function
    };
    GeneratedMachine { functions: all.into_iter().map(function).collect(), nodes: 1, group_type: "DMA-FQ" }
}

#[test]
fn do_the_commands_of_tune_set_what_they_say_and_nothing_else() {
    let Some(setpci) = tool("do_the_commands_of_tune_set_what_they_say_and_nothing_else", "setpci") else { return };
    let asked = [
        &["tune", "rosta-rb8v7", "p2p-write", "--axis", "flows=2", "--json"][..],
        &["tune", "setpci.yaml", "read", "--json"],
    ];
    let mut said = [0, 0];
    for arguments in asked {
        let tuned: Value = serde_json::from_str(&common::stdout(arguments)).unwrap();
        let machine = functions_of(&tuned);
        let written = Written::new("setpci_tune", &setpci, &machine);
        let before = written.inspect();
        let writes = tuned["writes"].as_array().unwrap();
        writes.iter().for_each(|write| written.run(write["command"].as_str().unwrap()));
        let mut expected = before.clone();
        for function in expected["functions"].as_array_mut().unwrap() {
            let address = function["address"].as_str().unwrap().to_string();
            let here = writes.iter().filter(|write| address.ends_with(write["bdf"].as_str().unwrap()));
            for why in here.map(|write| write["why"].as_str().unwrap()) {
                for (i, (what, key)) in [("Max_Payload_Size ", "mps_bytes"), ("Max_Read_Request_Size ", "mrrs_bytes")]
                    .into_iter()
                    .enumerate()
                {
                    let Some((_, rest)) = why.split_once(what) else { continue };
                    let bytes: u64 = rest.split([',', ' ']).next().unwrap().parse().unwrap();
                    function[key] = bytes.into();
                    said[i] += 1;
                }
            }
        }
        let kept = |inspected: &Value| {
            let sizes = |f: &Value| ["address", "mps_bytes", "mrrs_bytes", "tag_bits"].map(|key| f[key].clone());
            inspected["functions"].as_array().unwrap().iter().map(sizes).collect::<Vec<_>>()
        };
        assert_eq!(kept(&written.inspect()), kept(&expected), "{arguments:?}");
    }
    assert!(said[0] > 0 && said[1] > 0, "both sizes are set by some line: {said:?}");
}
