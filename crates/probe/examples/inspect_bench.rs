//! How long machines of 300 functions take: read and joined to a tree, shown, made JSON of, their limits and findings.
//! Prints milliseconds of processor time, best and median, beside the bound of 50 ms for what `inspect` does in all.
//!
//! Two machines: ports with a device each, printed at length, where the text is what takes time; and two-socket machines
//! of our own making as hex, where there are switches, accelerators and drives to ask limits about.

#![allow(clippy::unwrap_used, reason = "an example that cannot go on has failed")]

use lanescope_probe::report::Report;
use lanescope_probe::{Tree, lspci};
use std::fmt::Write;
use std::sync::OnceLock;
use std::time::Instant;
use testing::machine::{GeneratedMachine, healthy};
use view::machine::{json, show};

/// Functions of a machine, at least.
const FUNCTIONS: usize = 300;
/// How often it is done.
const TIMES: usize = 21;
/// What one time is taken of.
const STEPS: [&str; 6] = ["read", "shown", "as JSON", "limits and findings", "inspect", "inspect --json"];

fn main() {
    for (name, text) in [("text", printed(false)), ("text and hex", printed(true)), ("two sockets, hex", sockets())] {
        let all: Vec<[f64; STEPS.len()]> = (0..TIMES).map(|_| once(&text)).collect();
        let functions = lspci::parse(&text).functions.len();
        for (index, what) in STEPS.into_iter().enumerate() {
            let mut times: Vec<f64> = all.iter().map(|times| times[index]).collect();
            times.sort_by(f64::total_cmp);
            let (best, median) = (times[0], times[TIMES / 2]);
            println!("{functions} functions, {name}, {what}: {best:.1} ms at best, {median:.1} ms median of {TIMES}");
        }
    }
    println!("bound of inspect: 50 ms");
}

/// Milliseconds of processor time of each step.
fn once(text: &str) -> [f64; STEPS.len()] {
    let start = now();
    let machine = lspci::parse(text);
    assert!(machine.functions.len() >= FUNCTIONS);
    let tree = Tree::of(&machine);
    let read = now();
    let rows = show::rows(&machine, &tree, true);
    assert!(rows.len() >= FUNCTIONS);
    let shown = now();
    let json = serde_json::to_string(&json::document(&machine, &tree)).map_or(0, |json| json.len());
    assert!(json > 0);
    let written = now();
    let report = Report::of(&machine, &tree, false);
    assert!(!report.limits.devices.is_empty());
    let judged = now();
    let [read, shown, written, judged] = [read - start, shown - read, written - shown, judged - written];
    [read, shown, written, judged, read + shown + judged, read + written + judged]
}

/// Milliseconds that this thread has run: other work of the machine does not count. Where the kernel does not say,
/// those of the clock.
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let run = stat.and_then(|stat| stat.split_whitespace().next()?.parse::<f64>().ok());
    run.map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |ns| ns * 1e-6)
}

/// Two-socket machines, each in a domain of its own.
fn sockets() -> String {
    let mut all = GeneratedMachine { functions: Vec::new(), nodes: 2, group_type: "DMA-FQ" };
    for machine in (0..).map(healthy).filter(|machine| machine.nodes == 2) {
        let domain = all.functions.last().map_or(0, |function| function.domain + 1);
        all.functions.extend(machine.functions.into_iter().map(|mut function| {
            function.domain = domain;
            function
        }));
        if all.functions.len() >= FUNCTIONS {
            break;
        }
    }
    all.hex()
}

/// The same port and the same device again and again, from the machine beside the tests.
fn printed(hex: bool) -> String {
    let mut text = String::new();
    let (port, device) = (include_str!("../tests/machines/port.txt"), include_str!("../tests/machines/device.txt"));
    for n in 0..FUNCTIONS / 2 {
        let secondary = n + 1;
        let buses = format!("primary=00, secondary={secondary:02x}, subordinate={secondary:02x}");
        let address = format!("00:{:02x}.{}", n / 8, n % 8);
        let _ = writeln!(text, "{address} {}", port.replace("primary=00, secondary=01, subordinate=01", &buses));
        text += &if hex { bytes(true, secondary as u8) } else { String::new() };
        let _ = writeln!(text, "\n{secondary:02x}:00.0 {device}");
        text += &if hex { bytes(false, 0) } else { String::new() };
        text += "\n";
    }
    text
}

/// 4096 bytes with the header only: long lists of capabilities stand in the text.
fn bytes(bridge: bool, secondary: u8) -> String {
    let mut bytes = vec![0_u8; 4096];
    bytes[..4].copy_from_slice(&[0x34, 0x12, 0x78, 0x56]);
    if bridge {
        bytes[0x0a..0x0f].copy_from_slice(&[0x04, 0x06, 0, 0, 1]);
        bytes[0x18..0x1b].copy_from_slice(&[0, secondary, secondary]);
    } else {
        bytes[0x0a..0x0c].copy_from_slice(&[0x08, 0x01]);
    }
    let line = |(n, chunk): (usize, &[u8])| {
        let chunk: Vec<String> = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{:02x}: {}\n", n * 16, chunk.join(" "))
    };
    bytes.chunks(16).enumerate().map(line).collect()
}
