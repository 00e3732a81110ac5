//! How long a machine of 300 functions takes: read, joined to a tree, shown. Prints milliseconds of processor time, best
//! and median.

use lanescope_probe::{Tree, json, lspci, show};
use std::fmt::Write;
use std::sync::OnceLock;
use std::time::Instant;

/// Functions of the machine: root ports with a device each.
const FUNCTIONS: usize = 300;
/// How often it is done.
const TIMES: usize = 21;

fn main() {
    for (name, text) in [("text", machine(false)), ("text and hex", machine(true))] {
        let all: Vec<[f64; 2]> = (0..TIMES).map(|_| once(&text)).collect();
        for (index, what) in ["read and shown", "read and as JSON"].into_iter().enumerate() {
            let mut times: Vec<f64> = all.iter().map(|times| times[index]).collect();
            times.sort_by(f64::total_cmp);
            let (best, median) = (times[0], times[TIMES / 2]);
            println!("{FUNCTIONS} functions, {name}, {what}: {best:.1} ms at best, {median:.1} ms median of {TIMES}");
        }
    }
}

/// Milliseconds of processor time: to read and show a text, and to read it and make JSON of it.
fn once(text: &str) -> [f64; 2] {
    let start = now();
    let machine = lspci::parse(text);
    assert_eq!(machine.functions.len(), FUNCTIONS);
    let tree = Tree::of(&machine);
    let read = now();
    let rows = show::rows(&machine, &tree, true);
    assert!(rows.len() >= FUNCTIONS);
    let shown = now();
    let json = serde_json::to_string(&json::document(&machine, &tree)).map_or(0, |json| json.len());
    assert!(json > 0);
    [shown - start, read - start + (now() - shown)]
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

/// The same port and the same device again and again, from the machine beside the tests.
fn machine(hex: bool) -> String {
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
