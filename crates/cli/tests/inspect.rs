//! The output for a real machine has not changed since it was last reviewed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{complaint, fresh, inspected, lanescope, stdout};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn machine(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../probe/tests/machines").join(name).display().to_string()
}

/// A whole machine made of the port and the device in the folder.
fn desktop(folder: &str) -> String {
    let read = |name: &str| std::fs::read_to_string(machine(name)).unwrap();
    let text = format!("00:01.0 {}\n01:00.0 {}", read("port.txt"), read("device.txt"));
    let path = fresh(folder).join("desktop.txt");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn how_does_a_machine_with_every_trap_read() {
    insta::assert_snapshot!(inspected(&["inspect", &machine("traps.txt")]));
}

#[test]
fn how_does_a_desktop_read() {
    insta::assert_snapshot!(inspected(&["inspect", &desktop("inspect_short")]));
}

#[test]
fn how_does_a_desktop_read_at_length() {
    insta::assert_snapshot!(inspected(&["inspect", &desktop("inspect_long"), "--long"]));
}

#[test]
fn how_does_a_link_read_in_json() {
    let json: serde_json::Value =
        serde_json::from_str(&inspected(&["inspect", &desktop("inspect_json"), "--json"])).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&json["links"]).unwrap());
}

/// Every key of the output is in the page's tables, and every key of the tables can occur.
#[test]
fn is_every_key_of_the_json_described_in_its_page() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/inspect.md");
    let page = std::fs::read_to_string(page).unwrap();
    let described: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .flat_map(|(keys, _)| keys.split(", ").map(str::to_string).collect::<Vec<_>>())
        .collect();
    let mut found = BTreeSet::new();
    for file in [machine("traps.txt"), desktop("inspect_keys")] {
        let json: serde_json::Value =
            serde_json::from_str(&inspected(&["inspect", &file, "--json", "--together", "ssds"])).unwrap();
        keys(&json, &mut found);
    }
    let missing: Vec<&String> = found.difference(&described).collect();
    assert!(missing.is_empty(), "not in docs/inspect.md: {missing:?}");
}

/// Keys of objects, except those of registers and fields, which are names of the standard.
fn keys(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, inner) in map {
                found.insert(key.clone());
                match key.as_str() {
                    "registers" => inner.as_object().unwrap().values().for_each(|register| keys(register, found)),
                    "fields" | "aer_counters" => {}
                    _ => keys(inner, found),
                }
            }
        }
        serde_json::Value::Array(all) => all.iter().for_each(|inner| keys(inner, found)),
        _ => {}
    }
}

#[test]
fn is_a_question_about_no_device_refused_with_what_would_be_right() {
    let file = desktop("inspect_together_wrong");
    for (asked, says) in [
        ("disks", "write ssds, gpus, accelerators, nics, storage, behind=PORT"),
        ("gpus", "there are no gpus here"),
        ("behind=01:00.0", "is no port with devices behind it"),
        ("behind=chipset", "there are no devices behind the chipset here"),
        ("07:00.0", "there is no function 0000:07:00.0"),
        ("00:01.0", "is no device below a link"),
        ("01:00.0,01:00.0", "is named twice"),
    ] {
        let (code, text) = complaint(&["inspect", &file, "--together", asked]);
        assert_eq!(code, Some(2), "{asked}: {text}");
        let told = text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(told.contains(says), "{asked}: {text}");
    }
}

#[test]
fn does_a_capture_come_back_as_the_tree_it_was_made_of() {
    let folder = fresh("capture");
    let file = folder.join("mine.tar.zst").display().to_string();
    let sysfs = folder.join("sys");
    std::fs::create_dir_all(sysfs.join("bus/pci/devices/0000:00:01.0")).unwrap();
    std::fs::write(sysfs.join("bus/pci/devices/0000:00:01.0/vendor"), "0x8086\n").unwrap();
    let sysfs = sysfs.display().to_string();
    assert!(stdout(&["capture", &file, "--sysfs", &sysfs]).contains("1 function,"));
    assert!(inspected(&["inspect", &file, "--long"]).contains("00:01.0"));
    let svg = folder.join("tree.svg");
    inspected(&["inspect", "--sysfs", &sysfs, "--svg", &svg.display().to_string()]);
    assert!(std::fs::read_to_string(svg).unwrap().starts_with("<svg "));
}

#[test]
fn is_what_is_no_machine_refused_with_what_would_be_right() {
    let (code, text) = complaint(&["inspect", "no-such-file"]);
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = complaint(&["inspect", "pair.yaml"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("no function of `lspci` output") && text.contains("lspci -vvv"), "{text}");
    assert_eq!(lanescope(&["capture", "no/such/folder/x.tar.zst"]).status.code(), Some(2));
}
