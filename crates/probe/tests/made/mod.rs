//! Generated machines, written as sysfs files or as a hex dump, and read again.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test file uses what it needs; a test that cannot go on has failed"
)]

use lanescope_probe::finding::Severity;
use lanescope_probe::report::Report;
use lanescope_probe::{Machine, Tree, live, lspci, sysfs};
use std::path::PathBuf;
use testing::machine as ours;
use testing::machine::sysfs::Entry;
use view::machine::verdict::{self, Paint};

/// An empty folder for one test.
pub fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The machine read from its sysfs files, which are written below a folder of that name and then removed.
pub fn by_sysfs(machine: &ours::GeneratedMachine, name: &str) -> Machine {
    let folder = fresh(name);
    machine.write_sysfs(&folder).unwrap();
    let read = live(&folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    read
}

/// The machine read from the same files in a tar, as in a capture: without a file system.
pub fn by_files(machine: &ours::GeneratedMachine) -> Machine {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, entry) in machine.sysfs() {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        let written = match entry {
            Entry::File(bytes) => {
                header.set_size(bytes.len() as u64);
                tar.append_data(&mut header, path, bytes.as_slice())
            }
            Entry::Link(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_size(0);
                tar.append_link(&mut header, path, target)
            }
            Entry::Folder => Ok(()),
        };
        written.unwrap();
    }
    sysfs::read(&sysfs::Archive::new(&tar.into_inner().unwrap()).unwrap()).unwrap()
}

/// The machine read from its bytes, printed in hex.
pub fn by_hex(machine: &ours::GeneratedMachine) -> Machine {
    lspci::parse(&machine.hex())
}

/// The report of a machine.
pub fn report(machine: &Machine) -> Report {
    Report::of(machine, &Tree::of(machine), false)
}

/// The report of a machine as it is printed, without colours.
pub fn said(machine: &Machine, report: &Report) -> String {
    let heading = |text: &str| text.to_string();
    let severity = |_: Severity, text: &str| text.to_string();
    verdict::text(machine, report, Paint { heading: &heading, severity: &severity, width: 500, prose: 500, all: false })
}
