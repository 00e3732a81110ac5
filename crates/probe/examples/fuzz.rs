//! Fuzzing of the readers: mutates seed inputs and reads them for a given number of seconds.
//!
//! Usage: `fuzz [SECONDS] [SEED] [FOLDER]`. With a folder, inputs are written there, and not read: for the tests of others.
//! A panic, a case longer than five seconds, or more than 1 GiB of memory ends the run with
//! exit code 1; the input is saved in a file. Seeds come from `tests/machines` and from this machine. If `LANESCOPE_DUMPS`
//! names a folder, its dumps of real machines are seeds too.

use flate2::Compression;
use flate2::write::GzEncoder;
use lanescope_probe::report::Report;
use lanescope_probe::{Function, Machine, Tree, capture, lspci, read, sysfs};
use lzma_rust2::{XzOptions, XzWriter};
use pcie::config::ConfigSpace;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use view::machine::{json, show, svg};

/// Time limit of one case.
const PATIENCE: Duration = Duration::from_secs(5);
/// Memory limit of the whole run.
const MOST_MEMORY_KIB: u64 = 1 << 20;

/// The input under test, and when it was started.
type Running = Arc<Mutex<Option<(Instant, Vec<u8>)>>>;

fn main() -> ExitCode {
    let argument = |n: usize| std::env::args().nth(n).and_then(|text| text.parse::<u64>().ok());
    let time = Duration::from_secs(argument(1).unwrap_or(30));
    let seed =
        argument(2).unwrap_or_else(|| Instant::now().elapsed().as_nanos() as u64 ^ u64::from(std::process::id()) << 20);
    let running: Running = Arc::default();
    let watched = Arc::clone(&running);
    std::thread::spawn(move || watch(&watched));
    // `fuzz` reports a panic together with the input. The default report would come first, without the input.
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(folder) = std::env::args().nth(3) {
        return write(&folder, seed | 1);
    }
    fuzz(time, seed | 1, &running)
}

fn fuzz(time: Duration, seed: u64, running: &Running) -> ExitCode {
    let mut numbers = Numbers(seed);
    let seeds = seeds();
    let (start, mut cases, mut functions) = (Instant::now(), 0_u64, 0_u64);
    while start.elapsed() < time {
        let input = mutate(&seeds, &mut numbers);
        set(running, Some((Instant::now(), input.clone())));
        match catch_unwind(AssertUnwindSafe(|| case(&input))) {
            Ok(found) => functions += found,
            Err(_) => return fail("a panic", &input),
        }
        cases += 1;
        if cases.is_multiple_of(256) && resident_kib("VmHWM:") > MOST_MEMORY_KIB {
            return fail("more memory than 1 GiB", &input);
        }
    }
    set(running, None);
    let peak = resident_kib("VmHWM:") / 1024;
    println!("fuzz: {cases} inputs, {functions} functions read, seed {seed}, {peak} MiB at most");
    println!("fuzz: 1 passed, 0 failed");
    ExitCode::SUCCESS
}

/// Inputs that are written for others.
const WRITTEN: u32 = 500;

/// Writes inputs into a folder.
fn write(folder: &str, seed: u64) -> ExitCode {
    let (mut numbers, seeds) = (Numbers(seed), seeds());
    let written = (0..WRITTEN)
        .try_for_each(|number| std::fs::write(format!("{folder}/{number:04}"), mutate(&seeds, &mut numbers)));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("fuzz: {folder} cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs every operation on one input; gives the number of functions read.
fn case(input: &[u8]) -> u64 {
    let machine = read::of_bytes(input.to_vec()).unwrap_or_default();
    look(&machine);
    // The same bytes as a configuration space, and as the hex dump of one function.
    let space = ConfigSpace::new(input.to_vec());
    let scrubbed = capture::scrub(&space);
    assert_eq!(capture::scrub(&scrubbed), scrubbed, "scrubbing twice is scrubbing once");
    let hex = scrubbed.bytes().chunks(16).enumerate().map(|(n, chunk)| {
        let bytes: Vec<String> = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{:02x}: {}\n", n * 16, bytes.join(" "))
    });
    let of_space = lspci::parse(&format!("00:00.0 x\n{}", hex.collect::<String>()));
    look(&of_space);
    (machine.functions.len() + of_space.functions.len()) as u64
}

fn look(machine: &Machine) {
    let tree = Tree::of(machine);
    let rows = show::rows(machine, &tree, true);
    let shown = rows.iter().filter(|row| row.address.is_some()).count();
    assert_eq!(shown, machine.functions.len(), "every function is shown once");
    for function in machine.functions.values() {
        function.capabilities.0.iter().for_each(|capability| drop(show::capability(capability)));
        assert!(tree.ancestors(function.address).count() < machine.functions.len(), "no cycles");
    }
    let shown = format!("{rows:?}");
    assert!(!shown.contains("\\u{1b}") && !shown.contains("\\u{9b}"), "no escape reaches a terminal");
    drop(serde_json::to_string(&json::document(machine, &tree)));
    drop(svg::draw(machine, &tree, &Report::of(machine, &tree, false)));
    drop(show::rows(machine, &tree, false));
}

/// The seeds: texts, bytes and archives of small machines, and dumps of real machines.
fn seeds() -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines");
    let dumps = std::env::var_os("LANESCOPE_DUMPS").map(std::path::PathBuf::from);
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for folder in [Some(folder), dumps].into_iter().flatten() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        seeds.extend(paths.iter().filter_map(|path| std::fs::read(path).ok()));
    }
    let forms: Vec<Vec<u8>> = seeds.iter().flat_map(|seed| forms(seed)).collect();
    seeds.extend(forms);
    let spaces: Vec<Vec<u8>> = seeds.iter().flat_map(|seed| spaces(seed)).take(64).collect();
    seeds.extend(spaces);
    seeds.extend(archive());
    seeds.push(vec![0; 4096]);
    seeds
}

/// The same text quoted as in mail, with its heads as `lspci -mm` and `-vmm` print them, and compressed.
fn forms(seed: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8_lossy(seed);
    let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
    let answered = quoted.replace("\n> \tCapabilities", "\n\nThis one: 01:00.0 is slow.\n\n> \tCapabilities");
    let machine = lspci::parse(&text);
    let name = |function: &Function| function.title().replace('"', "\\\"");
    let all = || machine.functions.values();
    let terse =
        all().map(|f| format!("{} \"PCI bridge\" \"[8086]\" \"{} [06b8]\" -r02 -p00 \"\" \"\"\n", f.address, name(f)));
    let record =
        all().map(|f| format!("Slot:\t{}\nClass:\t0604\nVendor:\t8086\nDevice:\t{}\nRev:\t02\n\n", f.address, name(f)));
    let (terse, record): (String, String) = (terse.collect(), record.collect());
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(1)).ok();
    let (_, _) = (gzip.write_all(seed), xz.as_mut().map(|xz| xz.write_all(seed)));
    let packed = [gzip.finish().ok(), xz.and_then(|xz| xz.finish().ok())].into_iter().flatten();
    let zstd = ruzstd::encoding::compress_to_vec(seed, ruzstd::encoding::CompressionLevel::Fastest);
    let texts = [quoted, answered, terse, record].map(String::into_bytes);
    texts.into_iter().chain(packed).chain([zstd]).collect()
}

/// The configuration spaces of a dump.
fn spaces(seed: &[u8]) -> Vec<Vec<u8>> {
    let machine = lspci::parse(&String::from_utf8_lossy(seed));
    let spaces = machine.functions.into_values().filter_map(|function| function.space);
    spaces.map(|space| space.bytes().to_vec()).collect()
}

/// A capture of this machine, compressed and uncompressed; empty without sysfs.
fn archive() -> Vec<Vec<u8>> {
    let packed = capture::capture(&sysfs::Folder::new(std::path::Path::new("/sys"))).ok();
    let unpacked = packed.as_ref().and_then(|packed| read::unzstd(packed).ok());
    packed.into_iter().chain(unpacked).collect()
}

fn mutate(seeds: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    // Most cases are small, so that many of them run.
    const MOST: usize = 1 << 16;
    let seed = &seeds[numbers.below(seeds.len())];
    let most = MOST >> numbers.below(8);
    let start = numbers.below(seed.len().saturating_sub(most) + 1);
    let mut input = seed[start..(start + most).min(seed.len())].to_vec();
    for _ in 0..1 + numbers.below(16) {
        change(&mut input, seeds, numbers);
    }
    input
}

fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], numbers: &mut Numbers) {
    const WORDS: [&[u8]; 26] = [
        b"\n",
        b" ",
        b"+",
        b"-",
        b":",
        b"00:00.0 ",
        b"10000:ff:1f.7 ",
        b"Capabilities: [100 v1] ",
        b"Capabilities: [40] Express (v2) ",
        b"LnkSta: ",
        b"Width x",
        b"4294967296",
        b"-1",
        b"ffffffff",
        b"\xff\xfe",
        b"<access denied>",
        b"Bus: primary=00, secondary=00, ",
        b"00:1c.4/07:00.0 ",
        b"\xf0\x9f",
        b"100: ff ff ff ff\n",
        b"\n> ",
        b"\nSlot:\t00:00.0\n",
        b" \"\\",
        b"\x1b[31m",
        b" (prog-if ",
        b"\nReport errors: Correctable+",
    ];
    let at = numbers.below(input.len() + 1);
    let length = numbers.below(64).min(input.len() - at);
    match numbers.below(8) {
        0 if at < input.len() => input[at] ^= 1 << numbers.below(8),
        1 if at < input.len() => input[at] = numbers.below(256) as u8,
        2 => drop(input.drain(at..at + length)),
        3 => {
            let copy = input[at..at + length].to_vec();
            let to = numbers.below(input.len() + 1);
            input.splice(to..to, copy);
        }
        4 => drop(input.splice(at..at, WORDS[numbers.below(WORDS.len())].iter().copied())),
        5 => {
            let other = &seeds[numbers.below(seeds.len())];
            let from = numbers.below(other.len() + 1);
            let piece = &other[from..(from + numbers.below(512)).min(other.len())];
            input.splice(at..at, piece.iter().copied());
        }
        6 => lines(input, numbers),
        _ => input.truncate(at.max(1)),
    }
}

/// Swaps two lines.
fn lines(input: &mut Vec<u8>, numbers: &mut Numbers) {
    let mut lines: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (numbers.below(lines.len()), numbers.below(lines.len()));
    lines.swap(a, b);
    *input = lines.join(&b'\n');
}

/// A pseudo-random number generator (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

fn set(running: &Running, case: Option<(Instant, Vec<u8>)>) {
    *running.lock().unwrap_or_else(PoisonError::into_inner) = case;
}

/// Ends the program when a case exceeds its time limit.
fn watch(running: &Running) {
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let hanging = running.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, input)) = hanging.filter(|(since, _)| since.elapsed() > PATIENCE) {
            fail("a case that does not end", &input);
            std::process::exit(1);
        }
    }
}

/// The value of a line of `/proc/self/status`, in KiB; 0 if the line is missing.
fn resident_kib(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap_or("0");
    value.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

fn fail(what: &str, input: &[u8]) -> ExitCode {
    let path = std::env::temp_dir().join(format!("lanescope-fuzz-{}", std::process::id()));
    let saved = std::fs::File::create(&path).and_then(|mut file| file.write_all(input));
    println!("fuzz: {what}; the input is in {} ({saved:?})", path.display());
    println!("fuzz: 0 passed, 1 failed");
    ExitCode::FAILURE
}
