//! Tests that `lspci -F` and this crate decode the same bytes to the same fields.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::config::Config;
use common::{Numbers, dumps, fresh, text};
use lanescope_probe::report::Report;
use lanescope_probe::{Function, Machine, Source, Tree, lspci};
use std::path::Path;
use std::process::Command;

/// The output of pciutils for a file of bytes, read as text.
fn oracle(program: &Path, dump: &Path) -> Machine {
    let output = Command::new(program).arg("-F").arg(dump).arg("-vvv").output().unwrap();
    lspci::parse(&String::from_utf8_lossy(&output.stdout))
}

/// The number of register bits that are known from both text and bytes.
fn compared(text: &Function, hex: &Function) -> u32 {
    let mut bits = 0;
    for told in &text.capabilities.0 {
        let read = hex.capabilities.0.iter().find(|c| c.id == told.id && c.offset == told.offset);
        let views = read.map(|read| read.body.views()).unwrap_or_default();
        for (ours, theirs) in views.iter().zip(told.body.views()) {
            bits += (ours.register.known() & theirs.register.known()).count_ones();
        }
    }
    bits
}

/// Asserts that every field known from both is equal, and that every word of pciutils was understood. Gives
/// the number of bits compared.
fn agree(name: &str, told: &Machine, read: &Machine) -> u32 {
    let strange: Vec<String> = told.remarks.iter().map(ToString::to_string).collect();
    assert_eq!(strange, Vec::<String>::new(), "{name}");
    assert_eq!(told.functions.len(), read.functions.len(), "{name}");
    let (mut bits, mut conflicts) = (0, Vec::new());
    for (address, text) in &told.functions {
        let hex = &read.functions[address];
        bits += compared(text, hex);
        let mut joined = hex.clone();
        // The names of classes and devices come from two databases.
        let mut other = text.clone();
        other.names = hex.names.clone();
        other.header.class = None;
        conflicts.extend(joined.join(other).into_iter().map(|field| format!("{address} {field}")));
    }
    assert_eq!(conflicts, Vec::<String>::new(), "{name}");
    bits
}

#[test]
fn are_the_bytes_of_real_dumps_decoded_as_pciutils_decodes_them() {
    let test = "are_the_bytes_of_real_dumps_decoded_as_pciutils_decodes_them";
    let Some(program) = testing::tool(test, "lspci") else { return };
    for (name, path) in dumps(test) {
        let whole = text(&path);
        // Only the bytes: any text with them would be merged with what is tested.
        let bytes: String =
            whole.lines().filter(|line| is_head_or_bytes(line)).map(|line| format!("{line}\n")).collect();
        let read = lspci::parse(&bytes);
        if read.source == Source::Hex {
            let bits = agree(&name, &oracle(&program, &path), &read);
            println!("{name}: {bits} bits of registers agree");
            assert!(bits > 100, "{name}: {bits}");
        }
    }
}

/// The output for programs (`-mm`, `-vmm`) has the same names and ids as the output for people.
#[test]
fn are_the_forms_for_programs_read_as_that_for_people() {
    let test = "are_the_forms_for_programs_read_as_that_for_people";
    let Some(program) = testing::tool(test, "lspci") else { return };
    let machine = testing::machine::healthy(7);
    let path = fresh(test).join("machine.txt");
    std::fs::write(&path, machine.hex()).unwrap();
    let print = |options: &[&str]| {
        let output = Command::new(&program).arg("-F").arg(&path).args(options).output().unwrap();
        lspci::parse(&String::from_utf8_lossy(&output.stdout))
    };
    let people = print(&["-nn", "-v"]);
    for (options, has_ids) in [
        (&["-mm"][..], false),
        (&["-m"], false),
        (&["-mm", "-nn"], true),
        (&["-mm", "-n", "-D"], true),
        (&["-vmm"], false),
        (&["-vm"], false),
        (&["-vmm", "-nn"], true),
        (&["-vmm", "-n", "-D"], true),
    ] {
        let read = print(options);
        assert_eq!(
            (read.functions.len(), read.remarks.len()),
            (people.functions.len(), 0),
            "{options:?}: {:?}",
            read.remarks
        );
        for (told, read) in people.functions.values().zip(read.functions.values()) {
            let of = |f: &Function| (f.address, f.header.class, f.header.revision.unwrap_or(0), f.title());
            assert_eq!(of(told), of(read), "{options:?}");
            let ids = |f: &Function| (f.header.vendor, f.header.device, f.header.subsystem);
            if has_ids {
                assert_eq!(ids(told), ids(read), "{options:?} {}", told.address);
            }
        }
    }
}

fn is_head_or_bytes(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or("");
    let is_offset = first.strip_suffix(':').is_some_and(|offset| u16::from_str_radix(offset, 16).is_ok());
    is_offset || first.parse::<lanescope_probe::Address>().is_ok()
}

/// Registers with random bits, reserved codes included, for each type of port.
#[test]
fn are_random_registers_decoded_as_pciutils_decodes_them() {
    let test = "are_random_registers_decoded_as_pciutils_decodes_them";
    let Some(program) = testing::tool(test, "lspci") else { return };
    let mut numbers = Numbers(0x5eed_1a9e_5c09_e001);
    let mut dump = String::new();
    for n in 0..250_u64 {
        let config = random(&mut numbers, (n % 11) as u16);
        dump += &config.hex(&format!("{:02x}:{:02x}.0", n / 32, n % 32));
    }
    let path = fresh(test).join("random.txt");
    std::fs::write(&path, &dump).unwrap();
    let bits = agree("random", &oracle(&program, &path), &lspci::parse(&dump));
    println!("{bits} bits of registers agree");
    assert!(bits > 100_000, "{bits}");
}

/// A function with random bits in every capability that both programs know.
fn random(numbers: &mut Numbers, kind: u16) -> Config {
    let mut config = Config::endpoint(0x1234, 0x5678, 0x0108);
    config.capability(0x40, 0x10);
    for at in (0x42..0x80).step_by(2) {
        config.u16(at, numbers.next() as u16);
    }
    config.u16(0x42, numbers.next() as u16 & 0x7f00 | kind << 4 | 2);
    // pciutils prints Supported Link Speeds as a range up to the fastest: so there are no gaps, and only speeds that it knows.
    let speeds = (1_u32 << numbers.below(6)) - 1;
    config.u32(0x6c, numbers.next() as u32 & !0xfe | speeds << 1);
    config.capability(0x80, 0x01).u16(0x82, numbers.next() as u16).u16(0x84, numbers.next() as u16);
    config.capability(0x90, 0x05).u16(0x92, numbers.next() as u16 & 0xff00 | (numbers.below(6) as u16 * 0x12) & 0x7e);
    config.capability(0xb0, 0x11).u16(0xb2, numbers.next() as u16).u32(0xb4, numbers.next() as u32);
    let lists = [(0x100, 0x01, 2, 0x38), (0x140, 0x0d, 1, 8), (0x150, 0x0e, 1, 8), (0x160, 0x0f, 1, 8)];
    let more =
        [(0x170, 0x1b, 1, 8), (0x180, 0x18, 1, 8), (0x190, 0x1e, 1, 16), (0x1b0, 0x1d, 1, 12), (0x1d0, 0x19, 1, 12)];
    for (at, id, version, length) in lists.into_iter().chain(more) {
        config.extended(at, id, version);
        for offset in (at + 4..at + length).step_by(4) {
            config.u32(offset, numbers.next() as u32);
        }
    }
    config.extended(0x200, 0x10, 1);
    for offset in (0x204..0x240).step_by(4) {
        config.u32(offset, numbers.next() as u32);
    }
    // The base addresses of virtual functions are 0, so that no lines about them are printed.
    (0x224..0x23c).step_by(4).for_each(|at| {
        config.u32(at, 0);
    });
    config
}

/// Compares the most important fields with a count of words in the text: this finds errors that the readers of text
/// and of bytes have in common.
#[test]
fn are_payload_sizes_and_links_those_that_pciutils_prints() {
    let test = "are_payload_sizes_and_links_those_that_pciutils_prints";
    for (name, path) in dumps(test) {
        let machine = lspci::parse(&text(&path));
        let whole = text(&path).replace('\n', " ");
        let all = |pattern: &str| whole.matches(pattern).count();
        let count = |is: &dyn Fn(&Function) -> bool| machine.functions.values().filter(|f| is(f)).count();
        // Each function prints the supported and the set size. Not compared: dumps of bytes, which print nothing, and texts
        // in which a function is printed twice.
        if machine.source == Source::Text && !machine.remarks.iter().any(|remark| remark.what.contains("comes again")) {
            for size in [128, 256, 512, 1024, 2048, 4096] {
                let size = pcie::PayloadSize::new(size).unwrap();
                let (set, able) = (count(&|f| f.mps() == Some(size)), count(&|f| f.mps_supported() == Some(size)));
                assert_eq!(set + able, all(&format!("MaxPayload {size} bytes")), "{name} {size}");
                assert_eq!(
                    count(&|f| f.mrrs() == Some(size)),
                    all(&format!("MaxReadReq {size} bytes")),
                    "{name} {size}"
                );
            }
        }
    }
}

/// The tree that `lspci -t` and `-tv` draw has the functions of the machine, each below the bridge that it is below; whatever is
/// said of it is no figure and no fault.
#[test]
fn is_the_tree_that_lspci_draws_that_of_the_machine() {
    let test = "is_the_tree_that_lspci_draws_that_of_the_machine";
    let Some(program) = testing::tool(test, "lspci") else { return };
    let folder = fresh(test);
    let made: Vec<(String, std::path::PathBuf)> = (0..40)
        .map(|seed| {
            let path = folder.join(format!("{seed}.txt"));
            std::fs::write(&path, testing::machine::healthy(seed).hex()).unwrap();
            (format!("machine {seed}"), path)
        })
        .collect();
    let mut functions = 0;
    for (name, path) in made.into_iter().chain(dumps(test)) {
        let read = lspci::parse(&text(&path));
        if read.source != Source::Hex {
            continue;
        }
        for option in ["-t", "-tv"] {
            let output = Command::new(&program).arg("-F").arg(&path).arg(option).output().unwrap();
            let drawn = lspci::parse(&String::from_utf8_lossy(&output.stdout));
            assert_eq!(drawn.remarks, Vec::new(), "{name} {option}");
            assert!(drawn.functions.keys().eq(read.functions.keys()), "{name} {option}: {:?}", drawn.functions.keys());
            let (of_drawn, of_read) = (Tree::of(&drawn), Tree::of(&read));
            for &at in read.functions.keys() {
                assert_eq!(of_drawn.parent(at), of_read.parent(at), "{name} {option}: {at}");
                assert_eq!(drawn.is_root_bus(at), of_drawn.parent(at).is_none(), "{name} {option}: {at}");
            }
            let report = Report::of(&drawn, &of_drawn, false);
            assert!(report.findings.is_empty() && report.limits.devices.is_empty(), "{name}: {:?}", report.findings);
            functions += drawn.functions.len();
        }
    }
    assert!(functions > 400, "{functions}");
}
