//! Is nothing written that is in use, or holds anything? On loop devices, with a checksum before and after.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
#[path = "destroy/disk.rs"]
mod disk;

use common::{command, complaint, fresh};
use disk::{Disk, sum};
use std::fs;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use testing::{skip, tool};

/// What `bench disk` says of writing to a path; nothing is printed beside it, and it ends with 2.
fn refused(path: &str) -> String {
    let (code, told) = complaint(&words(path));
    assert_eq!(code, Some(2), "{told}");
    assert_eq!(told.matches('×').count(), 1, "one error: {told}");
    told
}

fn words(path: &str) -> [&str; 11] {
    ["bench", "disk", path, "--reads", "0", "--destroy-data", path, "--time", "500ms", "--warm-up", "0s"]
}

/// That a disk is refused for `why`, and not changed.
fn is_spared(disk: &Disk, why: &[&str]) {
    let before = disk.checksum();
    let told = refused(&disk.device);
    assert!(why.iter().any(|why| told.contains(why)), "{why:?}: {told}");
    assert_eq!(disk.checksum(), before, "{told}");
}

#[test]
fn is_a_mounted_disk_spared_and_one_with_a_file_system() {
    let test = "spares_mounted";
    let Some(disk) = Disk::new(test) else { return };
    if !disk.made_by(test, "mkfs.ext4", &["-q", "-F"]) {
        return;
    }
    let place = fresh("mounted here");
    let mounted = Command::new("mount").arg(&disk.device).arg(&place).status().is_ok_and(|status| status.success());
    if mounted {
        let told = refused(&disk.device);
        let _ = Command::new("umount").arg(&place).status();
        assert!(told.contains("it is mounted at "), "{told}");
    } else {
        skip(test, "nothing can be mounted here");
    }
    is_spared(&disk, &["it holds an ext file system"]);
}

#[test]
fn is_swap_spared_in_use_and_not() {
    let test = "spares_swap";
    let Some(disk) = Disk::new(test) else { return };
    if !disk.made_by(test, "mkswap", &["-q"]) {
        return;
    }
    is_spared(&disk, &["it holds swap"]);
    if disk.made_by(test, "swapon", &[]) {
        let told = refused(&disk.device);
        let _ = Command::new("swapoff").arg(&disk.device).status();
        assert!(told.contains("it is swap in use"), "{told}");
    }
}

#[test]
fn is_a_disk_with_partitions_spared() {
    let table = |file: &fs::File| {
        // One partition of type 83h, from sector 2048 on.
        file.write_all_at(&[0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0x40, 0, 0], 446).unwrap();
        file.write_all_at(&[0; 48], 462).unwrap();
        file.write_all_at(&[0x55, 0xaa], 510).unwrap();
    };
    // A kernel that does not look for partitions on loop devices leaves the signature.
    let Some(disk) = Disk::with("spares_partitioned", table) else { return };
    is_spared(&disk, &["it has partitions (loop", "it holds a partition table"]);
}

#[test]
fn are_members_of_arrays_volumes_and_pools_spared() {
    let md = 0xa92b_4efcu32.to_le_bytes();
    let end = disk::BYTES as u64;
    let cases: [(&str, u64, &[u8], &str); 7] = [
        ("md12", 4096, &md, "a member of an md array"),
        ("md10", end / 4096 * 4096 - 8192, &md, "a member of an md array"),
        ("md09", end / 65536 * 65536 - 65536, &md, "a member of an md array"),
        ("lvm", 512, b"LABELONE", "a physical volume of LVM"),
        ("luks", 0, b"LUKS\xba\xbe", "a LUKS volume"),
        ("zfs", end - (128 << 10), &0x00ba_b10cu64.to_le_bytes(), "a member of a ZFS pool"),
        ("gpt", end - 512, b"EFI PART", "a GUID partition table"),
    ];
    for (name, at, bytes, what) in cases {
        let write = |file: &fs::File| file.write_all_at(bytes, at).unwrap();
        let Some(disk) = Disk::with(&format!("spares_{name}"), write) else { return };
        is_spared(&disk, &[what]);
    }
}

#[test]
fn does_wipefs_see_nothing_where_we_see_nothing() {
    let test = "spares_as_wipefs";
    let (Some(wipefs), Some(disk)) = (tool(test, "wipefs"), Disk::new(test)) else { return };
    let seen = |disk: &Disk| !Command::new(&wipefs).arg("-n").arg(&disk.device).output().unwrap().stdout.is_empty();
    assert!(!seen(&disk), "the disk of this test is empty");
    for (program, arguments) in [("mkfs.ext4", ["-q", "-F"]), ("mkswap", ["-q", "-f"])] {
        if disk.made_by(test, program, &arguments) {
            assert!(seen(&disk));
            is_spared(&disk, &["it holds "]);
        }
    }
}

#[test]
fn is_a_disk_spared_that_something_holds() {
    let Some(disk) = Disk::new("spares_held") else { return };
    let held = disk.held().unwrap();
    is_spared(&disk, &["something holds it open for itself"]);
    drop(held);
}

#[test]
fn is_a_disk_waited_for_that_is_held_for_a_moment() {
    let Some(disk) = Disk::new("waits") else { return };
    let held = disk.held().unwrap();
    let mut drive = bench::Drive::open(&disk.device).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            drop(held);
        });
        drive.claim().unwrap();
    });
    assert!(drive.is_claimed() && disk.held().is_err(), "it stays held");
    drop(drive);
    assert!(disk.held().is_ok());
}

/// The kernel may keep the files of a ring for a moment after the run, and a claim with them: the next one waits for that.
#[test]
fn is_a_disk_claimed_again_as_soon_as_a_run_is_over() {
    let Some(disk) = Disk::new("frees") else { return };
    let plan = bench::Plan {
        subsets: vec![("all".into(), vec![0])],
        pairs: Vec::new(),
        blocks: vec![4096],
        depths: vec![16],
        patterns: vec![bench::Pattern::Random],
        reads: 0,
        rate: None,
        polls: false,
        calls: Vec::new(),
        warm_up: Duration::ZERO,
        time: Duration::from_millis(100),
    };
    for _ in 0..30 {
        let mut drive = bench::Drive::open(&disk.device).unwrap();
        drive.claim().unwrap();
        let drives = [drive];
        let done = bench::run(&drives, &plan, &plan.points()[0], &AtomicBool::new(false), &mut || ());
        if let Err(error @ bench::Error::Ring { .. }) = done {
            return skip("frees", &error.to_string());
        }
        assert!(done.unwrap().is_some());
    }
}

#[test]
fn is_only_that_lost_which_is_spelt_out() {
    let test = "spares_unnamed";
    let (Some(disk), Some(other)) = (Disk::new(test), Disk::new("spares_other")) else { return };
    let before = [disk.checksum(), other.checksum()];
    let (one, two) = (disk.device.as_str(), other.device.as_str());
    let cases: [(&[&str], &str); 5] = [
        (&["bench", "disk", one, "--reads", "0"], "all data on "),
        (&["bench", "disk", one, two, "--reads", "50", "--destroy-data", one], "all data on "),
        (&["bench", "disk", one, "--reads", "0", "--destroy-data", two], "which is not measured"),
        (&["bench", "disk", one, "--destroy-data", one], "nothing would be written"),
        (&["bench", "disk", one, "--reads", "101", "--destroy-data", one], "101"),
    ];
    for (words, what) in cases {
        let (code, told) = complaint(words);
        assert_eq!(code, Some(2), "{told}");
        assert!(told.contains(what), "{what}: {told}");
    }
    assert_eq!([disk.checksum(), other.checksum()], before);
}

#[test]
fn is_one_disk_spared_where_another_of_the_same_run_is_refused() {
    let test = "spares_both";
    let write = |file: &fs::File| file.write_all_at(b"LABELONE", 0).unwrap();
    let (Some(clean), Some(other)) = (Disk::new(test), Disk::with("spares_volume", write)) else { return };
    let before = clean.checksum();
    let (one, two) = (clean.device.as_str(), other.device.as_str());
    let (code, told) =
        complaint(&["bench", "disk", one, two, "--reads", "0", "--destroy-data", one, "--destroy-data", two]);
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("a physical volume of LVM") && clean.checksum() == before, "{told}");
}

#[test]
fn is_what_is_no_disk_refused() {
    assert!(refused("/dev/null").contains("a character device"));
    assert!(refused("/proc").contains("is a folder"));
    assert!(refused("/nowhere").contains("cannot be opened"));
    let file = fresh("destroy-plain").join("plain");
    fs::write(&file, vec![1; 4 << 20]).unwrap();
    let before = sum(&file);
    let told = refused(file.to_str().unwrap());
    // A build on a file system without O_DIRECT stops before.
    assert!(told.contains("it was not made to be written") || told.contains("O_DIRECT"), "{told}");
    assert_eq!(sum(&file), before);
}

#[test]
fn is_a_disk_of_others_refused() {
    const NOBODY: u32 = 65_534;
    let Some(disk) = Disk::new("spares_others") else { return };
    let before = disk.checksum();
    let mut nobody = command(&words(&disk.device));
    let Ok(output) = nobody.uid(NOBODY).gid(NOBODY).env("COLUMNS", "1000").output() else {
        return skip("spares_others", "another user cannot run the program here");
    };
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && told.contains("its readers are root and the group `disk`"), "{told}");
    assert_eq!(disk.checksum(), before);
}

#[test]
fn is_a_file_system_without_o_direct_named() {
    let (code, told) = complaint(&["bench", "disk", "/proc/version"]);
    assert!(code == Some(2) && told.contains("its file system has no O_DIRECT"), "{told}");
}

#[test]
fn is_a_kernel_without_io_uring_named() {
    // A filter of system calls, as containers have it: io_uring_setup is EPERM.
    const FILTER: &str = r#"
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = b"".join(struct.pack("<HBBI", *line) for line in
    [(0x20, 0, 0, 0), (0x15, 0, 1, 425), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)])
held = ctypes.create_string_buffer(code)
program = struct.pack("<HxxxxxxQ", 4, ctypes.addressof(held))
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, program, 0, 0) != 0:
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"#;
    let test = "names_no_io_uring";
    let Some(disk) = Disk::new(test) else { return };
    let Some(python) = tool(test, "python3") else { return };
    let before = disk.checksum();
    let output = Command::new(python)
        .args(["-c", FILTER, env!("CARGO_BIN_EXE_lanescope")])
        .args(words(&disk.device))
        .output()
        .unwrap();
    if output.status.code() == Some(77) {
        return skip(test, "no filter of system calls can be set here");
    }
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && told.contains("the kernel gives no io_uring"), "{told}");
    assert_eq!(disk.checksum(), before);
}

#[test]
fn is_an_empty_disk_written_where_it_is_spelt_out() {
    let Some(disk) = Disk::new("writes") else { return };
    let before = disk.checksum();
    for reads in ["0", "70"] {
        let mut words = words(&disk.device);
        words[4] = reads;
        let output = command(&words).arg("--csv").arg("-").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if told.contains("io_uring") {
            return skip("writes", "no io_uring");
        }
        assert_eq!(output.status.code(), Some(0), "{told}");
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.lines().nth(1).unwrap().contains(&format!(",sequential,{reads},")), "{table}");
    }
    assert_ne!(disk.checksum(), before);
}

#[test]
fn is_a_file_that_was_made_for_it_written_behind_its_mark() {
    let folder = fresh("destroy-made");
    let path = folder.join("made");
    let made = path.to_str().unwrap();
    let output = command(&["bench", "file", made, "8MiB"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let before = fs::read(&path).unwrap();
    assert_eq!(before.len(), 8 << 20);
    let output = command(&words(made)).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if told.contains("io_uring") || told.contains("O_DIRECT") {
        return skip("writes_file", &told);
    }
    assert!(output.status.success(), "{told}");
    let after = fs::read(&path).unwrap();
    assert!(
        after[..1 << 20] == before[..1 << 20] && after[1 << 20..] != before[1 << 20..] && after.len() == before.len()
    );
    // Twice the same file is not made, and no short one.
    let (code, told) = complaint(&["bench", "file", made, "8MiB"]);
    assert!(code == Some(2) && told.contains("cannot be made") && fs::read(&path).unwrap() == after, "{told}");
    let short = folder.join("short");
    let (code, told) = complaint(&["bench", "file", short.to_str().unwrap(), "1MiB"]);
    assert!(code == Some(2) && told.contains("2 MiB at least") && !Path::new(&short).exists(), "{told}");
}
