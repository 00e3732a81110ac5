//! What is said of the text that people post: of one device, or of a few?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, data, fresh};
use std::fs;
use std::path::Path;

/// What is said of a file, on a screen so wide that no sentence is folded.
fn said_of(file: &Path) -> (Option<i32>, String) {
    let output = command(&["inspect", file.to_str().unwrap()]).env("COLUMNS", "1000").output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn inspected(name: &str) -> String {
    let (code, said) = said_of(&data().join("posts").join(name));
    assert_eq!(code, Some(0), "{said}");
    said
}

fn holds(text: &str, parts: &[&str]) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        let part = part.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&part), "{part} is not in:\n{text}");
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
        let said = said_of(&file).1;
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
    let said = said_of(&file).1;
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

/// The drawing has an order of buses and no registers: nothing is a bus whose bridge was not printed.
#[test]
fn is_the_tree_that_lspci_draws_read() {
    let said = inspected("lspci-t.txt");
    holds(&said, &["11 functions", "│   └ 03:00.0, 03:01.0  2 × bridge", "whose registers were not printed"]);
    holds(&said, &["its link is not in this text: `sudo lspci -vvv` prints it"]);
    assert!(!said.contains("a bus whose bridge"), "{said}");
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

#[test]
fn is_what_the_kernels_log_says_of_a_device_read() {
    let said = inspected("dmesg-limited-by.txt");
    holds(&said, &["the slowest link of 01:00.0 at 00:00.0: 8 GT/s x4, 3938 MB/s", "the device can 16 GT/s x4"]);
    holds(&inspected("dmesg-mlx5.txt"), &["the slowest link of b3:00.1 at b2:00.0: 8 GT/s x8", "can 16 GT/s x16"]);
    let said = inspected("dmesg-aer.txt");
    holds(&said, &["at least 3 corrected errors of the link at 00:1b.0 (RxErr 1, Timeout 1) in 2.9 s"]);
}

#[test]
fn is_the_link_section_of_nvidia_smi_read() {
    let (code, said) = said_of(&data().join("posts/nvidia-smi-q.txt"));
    assert_eq!(code, Some(1), "rollovers are an error: {said}");
    holds(&said, &["65:00.0  NVIDIA GeForce RTX 4090  2.5 GT/s x8", "replayed 211 times, with 3 rollovers"]);
    holds(&said, &["its host can 8 GT/s of the card's 16 GT/s", "1679 of 13199 MB/s to memory"]);
}

/// The order in which texts are pasted changes nothing, and neither hides the other.
#[test]
fn are_texts_of_several_programs_read_together() {
    let read = |name: &str| std::fs::read_to_string(data().join("posts").join(name)).unwrap();
    let (lspci, log, smi) =
        (read("endpoint-only-downgraded.txt"), read("dmesg-limited-by.txt"), read("nvidia-smi-q.txt"));
    let folder = fresh("posts together");
    let orders = [[&lspci, &log, &smi], [&smi, &log, &lspci], [&log, &lspci, &smi]];
    let said = orders.map(|texts| {
        let file = folder.join("post.txt");
        std::fs::write(&file, texts.map(String::as_str).join("\n")).unwrap();
        said_of(&file).1
    });
    holds(&said[0], &["2.5 GT/s x1 of its 8 GT/s x4", "the slowest link of 01:00.0 at 00:00.0", "replayed 211 times"]);
    assert!(said.iter().all(|other| *other == said[0]), "{said:?}");
}

#[test]
fn is_an_idle_card_asked_about_its_speed_and_its_missing_lanes_priced_at_full_speed() {
    let (code, said) = said_of(&data().join("posts/idle-x8-of-x16.txt"));
    assert_eq!(code, Some(1), "lanes are missing: {said}");
    holds(
        &said,
        &["costs 14349 MB/s: 14349 of 28698 to memory", "question 01:00.0 is at 2.5 GT/s of 16 GT/s: is it idle?"],
    );
    assert!(!said.contains("[speed]") && !said.contains("Signal quality"), "{said}");
}

#[test]
fn is_a_port_whose_wire_brings_more_than_its_link_takes_told() {
    holds(&inspected("r10-10g-gen3x1.txt"), &["whose port may run at 10 Gb/s, brings 1230 MB/s; its link takes 896"]);
}

/// The kernel keeps the last of several such parameters, and a shell ends a command at `;`.
#[test]
fn is_one_parameter_given_for_all_switches() {
    let (_, said) = said_of(&data().join("posts/acs-on.txt"));
    assert_eq!(said.matches("pci=disable_acs_redir=").count(), 1, "{said}");
    holds(&said, &["'pci=disable_acs_redir=11:00.0;", ";31:00.0;", ";71:03.0'"]);
}

/// Drives below a switch whose downstream ports were cut out share its uplink all the same.
#[test]
fn is_a_device_whose_port_was_cut_out_below_the_nearest_bridge_that_was_not() {
    let said = said_of(&data().join("posts/switch-without-ports.txt")).1;
    holds(&said, &["all SSDs (3) 3587 10762 01:00.0 -> 00:01.0: Gen3 x4, transmit, shared", "[shared-uplink]"]);
}

/// Of two devices alone it is not known what joins them.
#[test]
fn is_what_joins_devices_whose_ports_were_not_printed_said_to_be_unknown() {
    let drive = std::fs::read_to_string(data().join("posts/endpoint-only-downgraded.txt")).unwrap();
    let file = fresh("posts two drives").join("two.txt");
    std::fs::write(&file, format!("{drive}\n{}", drive.replace("01:00.0", "02:00.0"))).unwrap();
    holds(&said_of(&file).1, &["all SSDs (2) 420 420 not known: what joins them was not printed"]);
    let asked = command(&["inspect", file.to_str().unwrap(), "--together", "ssds"]).output().unwrap();
    holds(&String::from_utf8(asked.stdout).unwrap(), &["what joins them was not printed: they may get less"]);
    let json = command(&["inspect", file.to_str().unwrap(), "--json"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["limits"]["sets"][0]["unseen_above"], true, "{json}");
}

#[test]
fn are_registers_given_to_no_function_where_a_head_was_lost() {
    let said = inspected("two-commands.txt");
    assert!(!said.contains("x2"), "the lines are of 01:00.0, and below the head of 02:00.0: {said}");
    let said = inspected("lost-head.txt");
    holds(&said, &["8 GT/s x2 of the device's 16 GT/s x4", "LnkCap again LnkSta again"]);
    let said = inspected("heads-and-lnksta.txt");
    holds(&said, &["01:00.0, 02:00.0: the port above it was not seen"]);
}

/// One unit in one answer.
#[test]
fn are_all_rates_of_an_answer_in_one_unit() {
    for entry in fs::read_dir(data().join("posts")).unwrap() {
        let (_, said) = said_of(&entry.unwrap().path());
        assert!(!said.contains("iB/s"), "{said}");
    }
}

/// A list beside one device with its registers: of the others, nothing was printed.
#[test]
fn is_a_function_that_was_only_listed_not_said_to_have_no_link() {
    let folder = fresh("posts_listed");
    let one = fs::read_to_string(data().join("posts/endpoint-only-downgraded.txt")).unwrap();
    let list = "00:00.0 Host bridge [0600]: Intel Corporation Device [8086:460f]\n\
                00:01.0 PCI bridge [0604]: Intel Corporation Device [8086:460d]\n\
                41:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)\n";
    let file = folder.join("list.txt");
    fs::write(&file, format!("{list}\n{one}")).unwrap();
    let (_, said) = said_of(&file);
    assert!(!said.contains("inside the root complex"), "{said}");
    holds(&said, &["41:00.0", "its link is not in this text"]);
}
