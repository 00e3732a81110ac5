//! Measures how long `inspect` takes for machines of 300 functions: reading, showing, JSON, limits and findings.
//! Prints the processor time in milliseconds, best and median, and the bound of 50 ms for `inspect` as a whole.
//!
//! Inputs: ports with one device each as full text, without and with hex, where the text takes most of the time; and
//! generated two-socket machines as hex, with switches, accelerators and drives whose limits are computed.

#![allow(clippy::unwrap_used, reason = "an example that cannot go on has failed")]

use lanescope_probe::report::Report;
use lanescope_probe::{Tree, lspci};
use std::fmt::Write;
use std::sync::OnceLock;
use std::time::Instant;
use testing::machine::{GeneratedMachine, healthy};
use view::machine::{json, show};

/// The least number of functions of a machine.
const FUNCTIONS: usize = 300;
/// Number of repetitions.
const TIMES: usize = 21;
/// The steps that are timed.
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

/// Processor time of this thread in milliseconds: other load on the machine does not count. If the kernel does not
/// report it, the elapsed time.
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let run = stat.and_then(|stat| stat.split_whitespace().next()?.parse::<f64>().ok());
    run.map_or_else(|| start.elapsed().as_secs_f64() * 1e3, |ns| ns * 1e-6)
}

/// Two-socket machines in one text, each in its own domain.
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

/// The text of one port and one device from `tests/machines`, repeated; with `hex`, their bytes too.
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

/// A configuration space of 4096 bytes with only a header: the capabilities are in the text.
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
