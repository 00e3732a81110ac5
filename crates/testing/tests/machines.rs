//! Are the machines of our own making what they should be, in the eyes of pciutils?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_testing::machine::fault::plant;
use lanescope_testing::machine::{Fault, GeneratedMachine, healthy};
use lanescope_testing::tool;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for what lspci is to read, empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// `lspci -vvv` of a machine's hex dump, by function.
fn lspci(lspci: &Path, folder: &Path, machine: &GeneratedMachine) -> Vec<(String, String)> {
    let file = folder.join("machine.txt");
    std::fs::write(&file, machine.hex()).unwrap();
    let output = Command::new(lspci).args(["-D", "-n", "-vvv", "-F"]).arg(&file).output().unwrap();
    // On standard error it may miss the kernel's modules: not what is asked.
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let blocks = text.split("\n\n").filter(|block| !block.trim().is_empty());
    blocks.map(|block| (block.split(' ').next().unwrap().to_string(), block.to_string())).collect()
}

#[test]
fn does_lspci_show_each_planted_fault() {
    let Some(program) = tool("does_lspci_show_each_planted_fault", "lspci") else { return };
    let folder = folder("planted");
    for (number, fault) in Fault::ALL.into_iter().cycle().take(90).enumerate() {
        let planted = plant(fault, number as u64);
        let functions = lspci(&program, &folder, &planted.machine);
        let name = &planted.at[0];
        let (_, block) = functions.iter().find(|(n, _)| n == name).unwrap();
        for shown in &planted.shown {
            assert!(block.contains(shown), "{fault:?} of seed {number}: no `{shown}` at {name}:\n{block}");
        }
    }
}

#[test]
fn does_lspci_read_healthy_machines_to_the_last_capability() {
    let Some(program) = tool("does_lspci_read_healthy_machines_to_the_last_capability", "lspci") else { return };
    let folder = folder("healthy");
    for seed in 0..20 {
        let machine = healthy(seed);
        let functions = lspci(&program, &folder, &machine);
        assert_eq!(functions.len(), machine.functions.len());
        for ((name, block), function) in functions.iter().zip(&machine.functions) {
            assert_eq!(*name, function.name());
            assert_eq!(
                block.matches("Advanced Error Reporting").count(),
                usize::from(function.aer.is_some()),
                "{block}"
            );
            assert_eq!(block.matches("Access Control Services").count(), usize::from(function.acs.is_some()));
            assert!(!block.contains("access denied") && !block.contains("<chain"), "{block}");
        }
    }
}

#[test]
fn is_a_machine_the_same_for_the_same_seed_and_its_tree_a_tree() {
    for seed in 0..100 {
        let machine = healthy(seed);
        assert_eq!(machine, healthy(seed));
        for function in &machine.functions {
            let roots = [0x00, 0x80].contains(&function.bdf.0);
            assert!(roots || machine.above(function).is_some(), "{} of seed {seed} hangs nowhere", function.name());
        }
    }
}

#[test]
fn does_a_tree_of_sysfs_hold_what_was_asked() {
    let folder = folder("sysfs");
    let machine = healthy(7);
    machine.write_sysfs(&folder).unwrap();
    for function in &machine.functions {
        let at = folder.join("bus/pci/devices").join(function.name());
        let config = std::fs::read(at.join("config")).unwrap();
        assert_eq!(u16::from_le_bytes([config[0], config[1]]), function.id.0);
        assert_eq!(std::fs::read_to_string(at.join("numa_node")).unwrap().trim(), function.node.to_string());
        assert!(function.driver.is_none() || at.join("driver").is_dir());
        assert!(at.join("iommu_group/type").is_file());
        assert!(function.blocks.iter().all(|block| folder.join("block").join(block).is_dir()));
    }
}
