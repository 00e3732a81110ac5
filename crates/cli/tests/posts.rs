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

#[test]
fn are_lines_that_grep_left_of_a_function_read_without_their_title() {
    let said = inspected("filtered-lnk-lines.txt");
    holds(&said, &["0004:01:00.0  Hosin", "8 GT/s x4  full, as far as the device goes", "SSD 0004:01:00.0       3300"]);
    holds(&said, &["0004:00:00.0: the bus below it is not in this text"]);
}

#[test]
fn is_what_a_list_does_not_print_not_called_absent() {
    for name in ["list-only.txt", "busybox.txt"] {
        let said = inspected(name);
        holds(
            &said,
            &["whose registers were not printed", "a bus whose bridge was not printed", "`sudo lspci -vvv` prints it"],
        );
        assert!(!said.contains("inside the root complex"), "{said}");
    }
}

#[test]
fn is_a_function_on_one_line_read_as_on_many() {
    let said = inspected("one-line-per-device.txt");
    holds(&said, &["0004:00:00.0  root port", "8 GT/s x4  full", "1 link and 1 device were judged"]);
    // The same functions, as lspci prints them, behind a byte-order mark.
    let whole = inspected("utf8-bom.txt");
    let tail = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_string());
    assert_eq!(tail(&said), tail(&whole));
}

#[test]
fn is_pciconf_of_freebsd_read() {
    let said = inspected("freebsd-pciconf.txt");
    holds(&said, &["01:00.0  Samsung", "MPS 128 of 256, MRRS 512", "x2 of its x4: 1652 of 3300 MB/s to memory"]);
}

#[test]
fn is_a_cardbus_bridge_no_fault() {
    let said = inspected("cardbus.txt");
    assert!(!said.contains("disagree"), "{said}");
}
