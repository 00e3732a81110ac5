//! Output that cannot be written ends with exit code 2 and a sentence, and no part of a file stays.
//!
//! The commands and the options that name a file are read from `--help`, so that a new one without an entry here fails.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{data, fresh, lanescope, stdout};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A quick request for each command.
const REQUESTS: [&[&str]; 26] = [
    &["show", "pair.yaml"],
    &["limit", "pair.yaml", "write"],
    &["run", "pair.yaml", "read"],
    &["stream", "bit-nvme-vc707", "low-link", "--bytes", "2 GB"],
    &["advise", "database"],
    &["fit", "kfcr-x38", "--params", "host.command_cost", "--on", "kfcr.csv", "--by", "limit"],
    &["calibrate", "--on", "mine.csv", "--by", "limit"],
    &["tune", "pair.yaml", "copy"],
    &["sweep", "pair.yaml", "read", "--by", "limit", "--over", "host.read_latency=100ns..300ns/2"],
    &["validate", "--reference", "own.csv"],
    &["systems"],
    &["parts"],
    &["kinds"],
    &["metrics"],
    &["inspect", "traps.txt"],
    &["describe", "traps.txt"],
    &["bench", "disk", "big.file", "--time", "500ms", "--warm-up", "1ms"],
    &["bench", "file", "made.file", "4MiB"],
    &["explain", "--machine", "traps.txt", "--measured", "disk=ssd0 rate=180MB/s"],
    &["diff", "traps.txt", "traps.txt"],
    &["symbols", "make", "a.symbols", "--link", "gen1x1"],
    &["symbols", "read", "a.symbols"],
    &["capture", "mine.tar.zst", "--sysfs", "sys"],
    &["completions", "bash"],
    &["man"],
    &["schema"],
];

/// Requests that a machine for tests cannot do: a card with lanescope's driver. Its files are written as those of `bench disk`.
const NOT_HERE: [&str; 1] = ["bench card"];

/// Options whose value is a file or a folder that is read.
const READ: [&str; 6] = ["--on", "--machine", "--sysfs", "--reference", "--trace-links", "--waves"];

/// The ending that an option's file has where the help leaves it open.
fn ending(option: &str) -> &'static str {
    match option {
        "--out" => ".csv",
        "--trace" => ".pcapng",
        _ => "",
    }
}

/// The names of the commands in a help text.
fn subcommands(arguments: &[&str]) -> Vec<String> {
    let text = stdout(arguments);
    let list = text.split("Commands:").nth(1).and_then(|rest| rest.split("Options:").next()).unwrap_or("");
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_string).collect()
}

/// The options of a command whose value is a file or a folder that is written, with that value's name.
fn written(command: &[&str]) -> Vec<(String, String)> {
    let text = stdout(&[command, &["--help"]].concat());
    let options = text.lines().map(str::trim_start).filter(|line| line.starts_with("--"));
    let mut found = Vec::new();
    for line in options {
        let Some((name, rest)) = line.split_once(['[', ' ']).filter(|(_, rest)| rest.contains('<')) else { continue };
        let value = rest.split('<').nth(1).and_then(|value| value.split('>').next()).unwrap_or("");
        // Letters up to a `.`, a `|` or a digit: DIRECTION is no DIR.
        let word = value.split(|letter: char| !letter.is_ascii_uppercase()).next();
        if word.is_some_and(|word| ["FILE", "DIR", "FOLDER"].contains(&word)) && !READ.contains(&name) {
            found.push((name.to_string(), value.to_string()));
        }
    }
    found
}

/// The command of a request: one word, or two for `bench`.
fn command_of<'r>(request: &'r [&'r str]) -> &'r [&'r str] {
    &request[..if ["bench", "symbols"].contains(&request[0]) { 2 } else { 1 }]
}

/// A folder with what the requests read.
fn prepared(name: &str) -> std::path::PathBuf {
    let folder = fresh(name);
    stdout(&["symbols", "make", folder.join("a.symbols").to_str().unwrap(), "--link", "gen1x1"]);
    for file in ["pair.yaml", "own.csv"] {
        std::fs::copy(data().join(file), folder.join(file)).unwrap();
    }
    std::fs::copy(data().join("../../../probe/tests/machines/traps.txt"), folder.join("traps.txt")).unwrap();
    testing::machine::healthy(1).write_sysfs(&folder.join("sys")).unwrap();
    std::fs::write(folder.join("big.file"), vec![7; 16 << 20]).unwrap();
    std::fs::write(folder.join("mine.csv"), MEASURED).unwrap();
    folder
}

/// A measurement for `calibrate`.
const MEASURED: &str = "system,experiment,at,metric,value,unit,source,note
mine,read,requests=1;request=128 B,throughput,100,MB/s,me,
mine,read,requests=1;request=512 B,throughput,400,MB/s,me,
";

/// Runs a request in a shell, which sets limits and redirections before.
fn shell(before: &str, request: &[&str], after: &str, folder: &Path) -> Output {
    let script = format!("{before} \"$@\" {after}");
    let program = env!("CARGO_BIN_EXE_lanescope");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, "sh", program]).args(request).current_dir(folder);
    shell.stdin(Stdio::null()).output().unwrap()
}

fn check(output: &Output, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("io_uring") || said.contains("O_DIRECT") {
        println!("skipped: {what}: {said}");
        return;
    }
    assert_eq!(output.status.code(), Some(2), "{what}: {said}");
    assert!(said.contains("be written") || said.contains("be made"), "{what}: {said}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn is_there_a_request_for_every_command_here() {
    let mut commands = subcommands(&["--help"]);
    for group in ["bench", "symbols"] {
        commands.retain(|name| name != group && name != "help");
        let within = subcommands(&[group, "--help"]).into_iter().filter(|name| name != "help");
        commands.extend(within.map(|name| format!("{group} {name}")));
    }
    assert!(commands.len() > 20, "{commands:?}");
    for name in commands {
        let is_here = REQUESTS.iter().any(|request| command_of(request).join(" ") == name);
        assert!(is_here || NOT_HERE.contains(&name.as_str()), "no request for `{name}` here");
    }
}

#[test]
fn does_every_command_say_that_standard_output_is_full() {
    let folder = prepared("full-output");
    for request in REQUESTS {
        // A file that is made, and a capture, are told on standard output after they are there.
        check(&shell("", request, "> /dev/full", &folder), &request.join(" "));
        let _ = std::fs::remove_file(folder.join("made.file"));
    }
    for asked in [&["--help"][..], &["run", "--help"], &["--version"]] {
        check(&shell("", asked, "> /dev/full", &folder), &asked.join(" "));
    }
    let machine = shell("", &["limit", "--link", "gen3x4", "--json"], "> /dev/full", &folder);
    check(&machine, "limit --json");
}

#[test]
fn is_a_reader_that_goes_away_no_failure() {
    let folder = prepared("reader-gone");
    // The status of the program, and not that of the pipe.
    let script = "{ \"$@\"; echo $? >&3; } 3>status | true";
    let program = env!("CARGO_BIN_EXE_lanescope");
    let mut shell = Command::new("sh");
    shell.args(["-c", script, "sh", program, "schema"]).current_dir(&folder);
    let output = shell.output().unwrap();
    assert!(output.stderr.is_empty(), "{output:?}");
    assert_eq!(std::fs::read_to_string(folder.join("status")).unwrap().trim(), "0");
}

/// No file may have a byte, as on a full disk.
const NO_ROOM: &str = "trap '' XFSZ; ulimit -f 0; exec";

#[test]
fn is_a_file_that_cannot_be_written_said_and_no_part_of_it_left() {
    let folder = prepared("full-files");
    let before = names(&folder);
    let mut count = 0;
    for request in REQUESTS {
        for (option, value) in written(command_of(request)) {
            let path = format!("out{}{}", value.find('.').map_or("", |dot| &value[dot..]), ending(&option));
            let option = format!("{option}={path}");
            let asked = [request, &[option.as_str()]].concat();
            check(&shell(NO_ROOM, &asked, "", &folder), &asked.join(" "));
            let _ = std::fs::remove_dir(folder.join(&path));
            assert_eq!(names(&folder), before, "{asked:?}");
            count += 1;
        }
    }
    assert!(count > 20, "{count} options");
    for request in REQUESTS.iter().filter(|request| request.contains(&"capture") || request.contains(&"file")) {
        check(&shell(NO_ROOM, request, "", &folder), &request.join(" "));
        assert_eq!(names(&folder), before, "{request:?}");
    }
}

#[test]
fn is_a_file_of_another_time_kept_where_a_new_one_cannot_be_written() {
    let folder = prepared("kept");
    std::fs::write(folder.join("out.csv"), "of yesterday").unwrap();
    check(&shell(NO_ROOM, &["limit", "--link", "gen3x4", "--csv", "out.csv"], "", &folder), "limit --csv");
    assert_eq!(std::fs::read_to_string(folder.join("out.csv")).unwrap(), "of yesterday");
    // A device is written as it is.
    for device in ["/dev/full", "/dev/null"] {
        let output = shell("", &["limit", "--link", "gen3x4", "--csv", device], "> /dev/null", &folder);
        assert_eq!(output.status.code(), Some(if device == "/dev/full" { 2 } else { 0 }), "{output:?}");
        assert!(File::open(device).is_ok());
    }
    let both = shell("", &["limit", "--link", "gen3x4", "--csv", "/dev/stdout"], "> both.txt", &folder);
    let both = (both.status.code(), std::fs::read_to_string(folder.join("both.txt")).unwrap());
    assert!(
        both.0 == Some(0) && both.1.contains("payload_at_most,unit,rate") && both.1.contains("reads, completions"),
        "{both:?}"
    );
    assert!(lanescope(&["--version"]).status.success());
}
