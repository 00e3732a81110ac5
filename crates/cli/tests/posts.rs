//! What is said of the text that people post: of one device, or of a few?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{data, fresh, stdout};

fn inspected(name: &str) -> String {
    stdout(&["inspect", data().join("posts").join(name).to_str().unwrap()])
}

fn holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}

#[test]
fn is_a_card_with_more_lanes_than_its_slot_told_whatever_its_class() {
    let text = std::fs::read_to_string(data().join("posts/wide-card.txt")).unwrap();
    let folder = fresh("posts classes");
    let classes =
        ["Memory controller", "Signal processing controller", "Unassigned class [ff00]", "Processing accelerators"];
    for (number, class) in classes.iter().enumerate() {
        let file = folder.join(format!("{number}.txt"));
        std::fs::write(&file, text.replace("Memory controller", class)).unwrap();
        let said = stdout(&["inspect", file.to_str().unwrap()]);
        holds(
            &said,
            &[
                "slot-limited: the device can 8 GT/s x8",
                "could do 8 GT/s x8; its slot does 16 GT/s x4",
                "6600 to memory",
            ],
        );
    }
}

#[test]
fn is_a_card_that_brings_a_switch_compared_with_its_slot() {
    let said = inspected("card-with-own-switch.txt");
    holds(&said, &["the switch 01:00.0 could do 16 GT/s x16", "GPU 03:00.0        420", "1 device were judged"]);
    assert!(!said.contains("nothing wrong"), "{said}");
}

#[test]
fn is_of_one_device_said_what_it_has_of_what_it_could() {
    let said = inspected("endpoint-only-x1-of-x2.txt");
    holds(
        &said,
        &["x1 of its x2: 456 of 911 MB/s to memory, unless its slot has one lane", "`sudo lspci -vv` of the whole"],
    );
    let said = inspected("endpoint-only-downgraded.txt");
    holds(&said, &["2.5 GT/s x1 of its 8 GT/s x4: 210 of 3300 MB/s", "unless its slot can no more"]);
    let said = inspected("vm-i440.txt");
    holds(&said, &["8 GT/s x2 of its 16 GT/s x4", "the port above it was not seen"]);
    let text = std::fs::read_to_string(data().join("posts/vm-i440.txt")).unwrap();
    let file = fresh("posts full").join("full.txt");
    std::fs::write(&file, text.replace("8GT/s", "16GT/s").replace("Width x2", "Width x4")).unwrap();
    let said = stdout(&["inspect", file.to_str().unwrap()]);
    holds(&said, &["full, as far as the device goes", "nothing wrong, as far as the own ends of 1 device go"]);
}
