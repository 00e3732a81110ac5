//! The Linux driver under load and faults at random, in a kernel that looks for mistakes (KASAN, lockdep, kmemleak, the
//! checks of the DMA API; `tools/soak-kernel.sh`). `make soak-driver` runs it: first mistakes that the kernel has to find,
//! then the driver's tests, then card to card below a switch, then faults at random (`driver/tests/soak/`). What the guest
//! says is printed as it comes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

#[path = "../../cli/tests/guest/cpio.rs"]
mod cpio;
#[path = "guest/machine.rs"]
mod machine;
#[path = "guest/processors.rs"]
mod processors;
#[path = "../../cli/tests/guest/program.rs"]
mod program;
#[path = "guest/races.rs"]
mod races;
#[path = "guest/reports.rs"]
mod reports;

use cpio::Cpio;
use machine::{Machine, compiled, root, soak_sources, sources, target, text};
use processors::Processors;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testing::{skip, tool};

const TEST: &str = "the_driver_outlives_faults_at_random";
/// A guest that has printed nothing for so long hangs.
const SILENCE: Duration = Duration::from_secs(300);
/// How often it is tried to boot one.
const BOOTS: usize = 3;
/// Until a report is whole.
const REPORT: Duration = Duration::from_secs(3);
/// The part that makes mistakes on purpose.
const CONTROLS: &str = "controls";
/// Card to card, with the cards below a switch.
const SWITCH: &str = "switch";
/// Ring mode behind an IOMMU, which translates what the driver gives the card as well; and with the cards below a switch that
/// lets one reach the other without it.
const IOMMU: &str = "iommu";
const GROUP: &str = "group";
/// Processes that use all channels without regard for each other, while cards are struck.
const CROWD: &str = "crowd";
/// The same behind an IOMMU, which translates what the driver gives the card.
const CROWD_BOUNDED: &str = "crowd_iommu";
/// The same with cards whose transfers never end, and as many CPUs.
const CROWD_SILENT: &str = "crowd_silent";
const CPUS: u32 = 4;
/// MiB that go card to card there, and how many without a word from the environment.
const FAR_BYTES: &str = "FAR_BYTES";
const FAR_BYTES_DEFAULT: &str = "16";
/// Mistakes that are made on purpose, and what the kernel says of each.
const MISTAKES: [(&str, &str); 5] = [
    ("use_after_free", "BUG: KASAN: use-after-free in ls_use_after_free"),
    ("sleep", "BUG: sleeping function called from invalid context"),
    ("mapping", "device driver tries to free DMA memory it has not allocated"),
    ("leak", "ls_leak"),
    ("lock_order", "WARNING: possible circular locking dependency detected"),
];

/// A value for the guest, from the environment.
fn setting(name: &str, default: &str) -> String {
    std::env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_string())
}

/// Which kernel: the folder in `target` of one that `tools/soak-kernel.sh` has built, or a version of Debian's.
const KERNEL: &str = "LANESCOPE_KERNEL";
const DEBIANS: [(&str, &str); 2] = [("6.1", "guest"), ("6.12", "guest/6.12")];

struct Soak {
    program: PathBuf,
    folder: PathBuf,
    kernel: PathBuf,
    /// The kernel tells at the end whether lockdep still looks.
    lockdep: bool,
}

/// What a part of the soak has left: what it printed, and what the kernel had to say.
struct Ended {
    out: String,
    console: String,
}

impl Soak {
    /// What is needed for it; else why it cannot be.
    fn new(program: PathBuf) -> Result<Soak, String> {
        let name = setting(KERNEL, "soak");
        let debians = DEBIANS.iter().find(|(version, _)| *version == name);
        let folder = debians.map_or(name.as_str(), |(_, folder)| folder);
        let missing = || {
            format!("no kernel in target/{folder} (tools/soak-kernel.sh builds one, `make test-deps` fetches Debian's)")
        };
        let kernel = target(&format!("{folder}/vmlinuz")).ok_or_else(missing)?;
        let busybox = target("guest/busybox").ok_or("no busybox in target/guest (`make test-deps` fetches it)")?;
        let built = Command::new(root().join("tools/driver.sh")).args(["build", &name]).output().unwrap();
        print!("{}", String::from_utf8_lossy(&built.stdout));
        assert!(built.status.success(), "the driver does not build");
        let driver = target(&format!("driver/{name}")).ok_or("no driver")?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(setting("LANESCOPE_FOLDER", "soak-driver"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let no_compiler = "no C compiler that links statically (libc6-dev)";
        let suite = compiled(&sources("driver/tests"), &folder.join("suite")).ok_or(no_compiler)?;
        let soak = compiled(&soak_sources(), &folder.join("soak")).ok_or(no_compiler)?;
        let archive = initramfs(&busybox, &driver, &[suite, soak], &folder);
        std::fs::write(folder.join("initramfs"), archive).unwrap();
        Ok(Soak { program, folder, kernel, lockdep: name == "soak" })
    }

    /// Boots a guest for that part of the soak, and prints what it says. QEMU itself ends with a segmentation fault now and then,
    /// where its IOMMU is set up by the guest's kernel.
    fn run(&self, part: &str) -> Ended {
        let ended = (0..BOOTS).find_map(|_| self.boot(part));
        ended.unwrap_or_else(|| panic!("{part}: QEMU has crashed {BOOTS} times before the guest said anything"))
    }

    /// The kernel complains. Only a whole report says of what.
    fn has_report(&self) -> bool {
        let complains = || !reports::marks(&text(&self.folder, "console")).is_empty();
        complains() && {
            std::thread::sleep(REPORT);
            complains()
        }
    }

    /// `None` where QEMU has crashed before the guest had said anything.
    fn boot(&self, part: &str) -> Option<Ended> {
        let mut append = format!("loglevel=7 kasan_multi_shot kcsan.interrupt_watcher=1 PART={part} ");
        match part {
            IOMMU | CROWD_BOUNDED => append += "intel_iommu=on ",
            GROUP => append += "intel_iommu=on iommu=pt ",
            // What ls_silent makes cards of.
            CROWD_SILENT => append += "mem=960M ",
            _ => {}
        }
        let settings = [
            ("PATIENCE", "4"),
            ("COUNT", "1000"),
            ("OPERATIONS", "10000"),
            ("SEED", "1"),
            ("BYTES", "64"),
            (FAR_BYTES, FAR_BYTES_DEFAULT),
            ("KINDS", ""),
            ("ROUNDS", "40"),
            ("SUITE", ""),
        ];
        for (name, default) in settings {
            append += &format!("LANESCOPE_{name}={} ", setting(&format!("LANESCOPE_{name}"), default));
        }
        let machine = Machine {
            program: self.program.clone(),
            kernel: self.kernel.clone(),
            append,
            mib: 1024,
            switch: [SWITCH, GROUP].contains(&part),
            iommu: [IOMMU, GROUP, CROWD_BOUNDED].contains(&part),
            traces: false,
            silent: (part == CROWD_SILENT).then_some(CPUS),
        };
        println!("== {part}");
        for name in ["out", "console"] {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
        let mut running = machine.start(&self.folder);
        let mut processors = Processors::new(running.0.last().unwrap().id());
        let (mut shown, mut last, mut killed) = (0, Instant::now(), false);
        loop {
            let ended = running.0.last_mut().unwrap().try_wait().unwrap();
            let out = text(&self.folder, "out");
            let whole = out.rfind('\n').map_or(0, |at| at + 1);
            if whole > shown {
                print!("{}", &out[shown..whole]);
                (shown, last) = (whole, Instant::now());
            }
            if let Some(said) = processors.look() {
                println!("({said})");
            }
            if !killed && out.contains("\nKILL\n") {
                running.0[1].kill().unwrap();
                killed = true;
            }
            if out.is_empty() && ended.is_some_and(|how| how.signal().is_some()) {
                println!("QEMU has crashed at the boot of the guest ({ended:?}): once more");
                return None;
            }
            // What comes after a report means little: it is the end, unless reports were asked for.
            let report = part != CONTROLS && self.has_report();
            if out.contains("\nDONE\n") || ended.is_some() || report || last.elapsed() > SILENCE {
                let before = processors.said.clone();
                println!("(before: {before}; then {})", processors.measure());
                let console = text(&self.folder, "console");
                for name in ["out", "console", "card0", "card1"] {
                    let _ = std::fs::copy(self.folder.join(name), self.folder.join(format!("{part}.{name}")));
                }
                let what = match ended {
                    _ if report => "has a report".into(),
                    Some(how) => format!("has ended ({how})"),
                    None => "says nothing any more".into(),
                };
                // A register access that QEMU has not passed on: nothing that comes after means anything.
                let qemu = text(&self.folder, "qemu");
                // (QEMU's IOMMU may drop an interrupt of the timer while it tells of a new layout of memory; the kernel's ticks do
                // not come that way.)
                let blocked = |line: &str| line.contains("Blocked re-entrant IO") && !line.contains("vtd-ir");
                assert!(!qemu.lines().any(blocked), "{qemu}");
                assert!(out.contains("\nDONE\n"), "the guest {what}:\n{}\n{console}", reports::shown(&console));
                return Some(Ended { out, console });
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn initramfs(busybox: &Path, driver: &Path, programs: &[PathBuf], folder: &Path) -> Vec<u8> {
    let mut cpio = Cpio::default();
    for folder in ["bin", "proc", "sys", "dev", "tmp"] {
        cpio.folder(folder);
    }
    cpio.file("init", include_bytes!("guest/soak.sh"));
    cpio.file("bin/busybox", &std::fs::read(busybox).unwrap());
    let modules = [
        "lanescope.ko",
        "module/ls_silent.ko",
        "module/ls_aer.ko",
        "module/ls_slow.ko",
        "module/ls_fault.ko",
        "module/ls_mistake.ko",
    ];
    // Debian's kernels make nothing fail, and have no mistakes to find.
    let built = modules.iter().map(|module| driver.join(module)).filter(|module| module.exists());
    let files = built.chain(programs.iter().cloned());
    for file in files {
        cpio.file(file.file_name().unwrap().to_str().unwrap(), &std::fs::read(&file).unwrap());
    }
    if let Some(lanescope) = beside("lanescope") {
        program::program(&mut cpio, &lanescope, "lanescope", folder);
    }
    cpio.finish()
}

/// A program that was built beside this test.
fn beside(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_BIN_EXE_lanescope-remote")).with_file_name(name);
    path.is_file().then_some(path)
}

impl Ended {
    /// Lockdep still looks.
    fn lockdep(&self) -> bool {
        let line = self.out.lines().find(|line| line.trim().starts_with("debug_locks:"));
        line.is_some_and(|line| line.ends_with('1'))
    }

    /// Of a part in which the kernel is to find nothing.
    fn check(&self, part: &str, lockdep: bool) {
        let found = reports::marks(&self.console);
        assert!(found.is_empty(), "{part}: the kernel complains:\n{found:#?}\n{}", reports::shown(&self.console));
        let races = races::unexplained(&self.console);
        assert!(races.is_empty(), "{part}: races that nobody has explained:\n{races}");
        let leaks: Vec<&str> = self.out.lines().filter(|line| line.starts_with("leak: ")).collect();
        assert!(leaks.is_empty(), "{part}: leaks:\n{}", leaks.join("\n"));
        assert!(!lockdep || self.lockdep(), "{part}: lockdep had given up");
        let wrong: Vec<&str> = self.out.lines().filter(|line| line.starts_with("not ok")).collect();
        assert!(wrong.is_empty(), "{part}: {wrong:#?}");
        assert!(self.out.contains("\nok the_module_leaves\n"), "{part}: the module does not leave");
        let last = match part {
            "soak" => "\nok the_soak\n",
            CROWD | CROWD_BOUNDED | CROWD_SILENT => "\nok the_crowd\n",
            _ => "\nall tests run\n",
        };
        assert!(self.out.contains(last), "{part}: it did not come to its end");
    }

    /// Of card to card: all that was asked for has gone.
    fn check_far_bytes(&self, mib: &str) {
        // Else its tests would have had nothing to do.
        assert!(!self.out.contains("no pair that may"), "the cards are not known to be connected");
        let whole = self.out.contains(&format!("\n{mib} MiB card to card in "));
        assert!(whole, "{mib} MiB did not go card to card");
    }

    /// Of `bench card --peers`, where it was built beside this test: each pair has figures for each load.
    fn check_peers(&self) {
        if !self.out.contains("card to card ends with") {
            return println!("bench card --peers: not run: no program beside this test");
        }
        assert!(self.out.contains("\ncard to card ends with 0\n"), "bench card --peers fails");
        let line = self.out.lines().find_map(|line| line.strip_prefix("peers ")).unwrap();
        let result: serde_json::Value = serde_json::from_str(line).unwrap();
        let runs = result["runs"].as_array().unwrap();
        assert!(runs.len() == 8 && result["complete"] == true, "{result}");
        for run in runs {
            assert!(run["mb_per_s"].as_f64().unwrap() > 0.0 && run["from"] != run["to"], "{run}");
        }
    }

    /// Of the part that makes mistakes: each has its report.
    fn check_mistakes(&self) {
        for (mistake, report) in MISTAKES {
            assert!(self.out.contains(&format!("made {mistake}\n")), "{mistake} was not made");
            let place = if mistake == "leak" { &self.out } else { &self.console };
            assert!(place.contains(report), "the kernel did not find {mistake}:\n{}", self.console);
            println!("found: {report}");
        }
        let found = reports::marks(&self.console).len();
        assert!(found >= MISTAKES.len(), "of these reports only {found} count as one:\n{}", self.console);
        assert!(!self.lockdep(), "lockdep goes on after a report");
    }
}

#[test]
#[ignore = "`make soak-driver` runs it: it needs a kernel of its own, and an hour"]
fn the_driver_outlives_faults_at_random() {
    if !remote::MISSING.is_empty() {
        return skip(TEST, remote::MISSING);
    }
    let Some(program) = tool(TEST, "qemu-system-x86_64") else { return };
    let soak = match Soak::new(program) {
        Ok(soak) => soak,
        Err(why) => return skip(TEST, &why),
    };
    let wanted = setting("LANESCOPE_PARTS", "controls,suite,iommu,group,switch,soak,crowd,crowd_iommu,crowd_silent");
    for part in wanted.split(',') {
        let ended = soak.run(part);
        println!("(races: {})", races::counted(&ended.console));
        match part {
            CONTROLS => ended.check_mistakes(),
            _ => ended.check(part, soak.lockdep),
        }
        if part == SWITCH {
            ended.check_peers();
        }
        let refused = ended.out.contains("neighbours in their groups");
        assert_eq!(
            refused,
            part == GROUP && setting("LANESCOPE_SUITE", "").is_empty(),
            "{part}: cards that have neighbours"
        );
        // With a choice of tests, bytes may not be among them.
        if part == SWITCH && setting("LANESCOPE_SUITE", "").is_empty() {
            ended.check_far_bytes(&setting(&format!("LANESCOPE_{FAR_BYTES}"), FAR_BYTES_DEFAULT));
        }
    }
}

/// What a guest has printed of `FAR_BYTES=64`, with so much at its end.
fn went(moved: &str) -> Ended {
    let out =
        format!("20 s: 64 MiB card to card\n{moved} MiB card to card in 70.1 s: 0.93 MB/s\nok bytes_go_card_to_card\n");
    Ended { out, console: String::new() }
}

#[test]
fn all_bytes_card_to_card_do_not_end_the_soak() {
    went("64").check_far_bytes("64");
}

#[test]
#[should_panic(expected = "64 MiB did not go card to card")]
fn too_few_bytes_card_to_card_end_the_soak() {
    went("60").check_far_bytes("64");
}

#[test]
#[should_panic(expected = "64 MiB did not go card to card")]
fn more_digits_before_the_bytes_are_another_number() {
    went("164").check_far_bytes("64");
}
