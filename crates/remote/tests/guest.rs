//! The Linux driver in a real kernel against the real gateware: a QEMU guest with two cards, each a process that runs the
//! engine. The tests themselves are `driver/tests/`, which the guest runs; what it prints is asserted here. `lanescope bench card` runs there
//! as well, where it was built beside this test.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

#[path = "guest/benched.rs"]
mod benched;
#[path = "../../cli/tests/guest/cpio.rs"]
mod cpio;
mod inside;
#[path = "guest/machine.rs"]
mod machine;
#[path = "../../cli/tests/guest/program.rs"]
mod program;

use cpio::Cpio;
use machine::{Machine, Running, compiled, root, soak_sources, sources, target, text};
use program::program;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use testing::{skip, tool};

/// A guest that has printed nothing for so long hangs, however long it takes in all: its suite ends a test that does nothing in
/// half of that, and says now and then that one goes on.
const SILENCE: Duration = Duration::from_secs(480);
/// The same after a test that failed: what it left undone may hold up all that follows.
const SILENCE_AFTER_FAILURE: Duration = Duration::from_secs(120);

/// How much of a file is shown, and of a line.
const SHOWN_LINES: usize = 100;
const SHOWN_COLUMNS: usize = 400;

/// Held while the driver is built: the guests run side by side, since each waits for most of its time.
static BUILD: Mutex<()> = Mutex::new(());

const SCRIPT: &str = r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
stty -F /dev/ttyS1 raw
{
  insmod /lanescope.ko completion_timeout=100
  insmod /ls_aer.ko
  insmod /ls_slow.ko
  if grep -q swiotlb= /proc/cmdline; then
    mount -t securityfs none /sys/kernel/security
    /suite bounced
    # A read that waits when the system goes.
    dd if=/dev/lanescope0/c2h1 of=/dev/null bs=4096 count=1 &
    sleep 1
    echo DONE
    poweroff -f
  fi
  ls -l /dev/lanescope*
  grep lanescope /proc/interrupts
  grep 0000:00:0 /proc/interrupts
  if [ -e /lanescope ]; then
    # Both cards, one of which the suite ends. Each thread writes, and then reads what comes back, for which there is room in the
    # loopback; interrupts beside a look of 2 ms, whose setting is put back.
    settings=$(echo /sys/class/lanescope/lanescope*/settings/poll_us)
    echo 7 >/sys/class/lanescope/lanescope0!c2h0/settings/poll_us
    # For as long as it takes until each thread has made some calls each way.
    for time in 600ms 4s 30s; do
      /lanescope bench card /dev/lanescope0 /dev/lanescope1 --in-turn=write,read --poll 0us,2ms --size 2KiB --depth 1 \
        --subsets lanescope0/c2h0,lanescope0/h2c0,lanescope1/c2h0,lanescope1/h2c0 --time $time --warm-up 100ms --json=/turns
      few=$(tr -d ' \n' </turns | grep -o '"count":[0-9]*' | cut -d : -f 2 | sort -n | head -n 1)
      [ "$few" -gt 2 ] && break
    done
    echo "turns $(tr -d '\n' </turns)"
    echo "settings after turns: $(cat $settings | tr '\n' ' ')"
    /lanescope bench card /dev/lanescope0 /dev/lanescope1 --peers=give,take --size 2KiB --depth 2 --time 500ms --json=/peers
    echo "card to card ends with $?"
    echo "peers $(tr -d '\n' </peers)"
    # In the other order nothing comes of a loopback, and calls that wait for ever are ended; so they are by Ctrl-C.
    /lanescope bench card /dev/lanescope0 --in-turn --size 4KiB --depth 2 --time 500ms --warm-up 0s --poll 9us \
      --subsets lanescope0/c2h0,lanescope0/h2c0
    /lanescope bench card /dev/lanescope0 --calls --size 4KiB --time 60s --poll 9us --subsets lanescope0/c2h0 & bench=$!
    looks=0; until [ "$(cat /sys/class/lanescope/lanescope0!c2h0/settings/poll_us)" = 9 ] || [ $looks = 20 ]; do
      sleep 1; looks=$((looks + 1))
    done
    echo "settings under way: $(cat /sys/class/lanescope/lanescope0!c2h0/settings/poll_us)"
    kill -INT $bench; wait $bench
    echo "interrupted bench ends with $?; settings: $(cat $settings | tr '\n' ' ')"
    echo 0 >/sys/class/lanescope/lanescope0!c2h0/settings/poll_us
  fi
  /suite $(sed 's/.*suite=\([^ ]*\).*/\1/;t;s/.*//' /proc/cmdline | tr , ' ')
  rmmod ls_aer; rmmod ls_slow
  echo 1 >/sys/module/lanescope/parameters/unsafe_rings
  /round_trip /dev/lanescope0/h2c0 /dev/lanescope0/c2h0 64 50
  echo "the example ends with $?"
  echo 0 >/sys/module/lanescope/parameters/unsafe_rings
  /inside --ignored --test-threads 1 inside_
  echo "what runs inside ends with $?"
  # After the suite: what a run gives up stays in the loopback.
  if [ -e /lanescope ]; then
    /lanescope bench card /dev/lanescope0 --subsets lanescope0/h2c0 --subsets lanescope0/c2h0,lanescope0/h2c0 \
      --size 16KiB --depth 4 --time 2s --json=/result
    echo "bench $(tr -d '\n' </result)"
    /lanescope bench card /dev/lanescope0 --rings --subsets lanescope0/c2h0,lanescope0/h2c0 --size 16KiB --depth 4 --time 1s 2>&1
    echo "bench of rings that nobody allowed ends with $?"
    echo 1 >/sys/module/lanescope/parameters/unsafe_rings
    /lanescope bench card /dev/lanescope0 --rings --subsets lanescope0/c2h0,lanescope0/h2c0 --size 16KiB --depth 4 --time 2s \
      --json=/rings
    echo "rings $(tr -d '\n' </rings)"
    echo 0 >/sys/module/lanescope/parameters/unsafe_rings
    # A completion with Unsupported Request in the middle of it: the fault of the suite, by the card's configuration space.
    moved=/sys/class/lanescope/lanescope0!h2c0/counters/transfers; before=$(cat $moved)
    (while [ "$(cat $moved)" = "$before" ]; do usleep 50000; done; sleep 1; printf '\001\001\000\000' | dd of=/sys/bus/pci/devices/0000:00:05.0/config bs=4 seek=53 2>/dev/null) &
    /lanescope bench card /dev/lanescope0 --subsets lanescope0/c2h0,lanescope0/h2c0 --size 16KiB --depth 4 --time 3s 2>&1
    echo "bench of a card that fails ends with $?"
  fi
  rmmod lanescope && echo "ok the_module_leaves"
  # The card that was killed is not there any more; its slot would be taken for one of a card that does not answer.
  cd /typed
  sh -e ./commands
  echo "the commands of the page end with $?"
  rmmod lanescope
  dmesg | grep -E 'lanescope|BUG|Oops|WARNING|RIP:|hung|irq' | sed 's/^/dmesg: /'
  dmesg | grep -qE 'BUG|Oops|WARNING|RIP:|hung_task' || echo "ok the_kernel_complains_of_nothing"
  echo DONE
} >/dev/ttyS1 2>&1
poweroff -f
"#;

/// A kernel, and the driver built for it.
struct Kernel {
    /// The folder with `vmlinuz`.
    folder: PathBuf,
    /// The folder with `lanescope.ko` and the modules of its tests.
    driver: PathBuf,
}

/// That version of the kernel; else why not.
fn kernel(version: &str) -> Result<Kernel, String> {
    let missing = |what: &str| format!("no {what} of {version} in target (`make test-deps` fetches them)");
    let folder = if version == "6.1" { "guest".into() } else { format!("guest/{version}") };
    let folder = target(&folder).filter(|f| f.join("vmlinuz").is_file()).ok_or_else(|| missing("kernel"))?;
    let headers = target(&format!("headers/{version}/kernel")).ok_or_else(|| missing("headers"))?;
    let [image, headers] =
        [folder.join("kernel"), headers].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    if headers.replace("headers", "image") != image {
        return Err(format!("{} and {} are not of one kernel", image.trim(), headers.trim()));
    }
    let _build = BUILD.lock().unwrap_or_else(PoisonError::into_inner);
    let built = Command::new(root().join("tools/driver.sh")).args(["build", version]).output().unwrap();
    print!("{}", String::from_utf8_lossy(&built.stdout));
    assert!(built.status.success(), "the driver does not build");
    let driver = target(&format!("driver/{version}")).ok_or_else(|| missing("driver"))?;
    Ok(Kernel { folder, driver })
}

/// The library of C programs compiles as C++, too, and the example with it.
fn example(folder: &Path) -> PathBuf {
    let library = root().join("driver/include/lanescope/card.h");
    let mut compiler = Command::new("c++");
    compiler.args(["-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++"]).arg(library);
    assert!(compiler.status().is_ok_and(|status| status.success()), "lanescope/card.h is no C++");
    let source = root().join("driver/examples/round_trip.c");
    compiled(&[source], &folder.join("round_trip")).unwrap_or_else(|| panic!("the example does not compile"))
}

fn initramfs(busybox: &Path, driver: &Path, suite: &Path, example: &Path) -> Vec<u8> {
    let mut cpio = Cpio::default();
    for folder in ["bin", "proc", "sys", "dev", "tmp"] {
        cpio.folder(folder);
    }
    cpio.file("init", SCRIPT.as_bytes());
    cpio.file("bin/busybox", &std::fs::read(busybox).unwrap());
    for module in ["lanescope.ko", "ls_aer.ko", "ls_slow.ko"] {
        let place = if module == "lanescope.ko" { driver.to_path_buf() } else { driver.join("module") };
        cpio.file(module, &std::fs::read(place.join(module)).unwrap());
    }
    typed(&mut cpio);
    cpio.file("suite", &std::fs::read(suite).unwrap());
    cpio.file("round_trip", &std::fs::read(example).unwrap());
    if let Some(lanescope) = lanescope() {
        program(&mut cpio, &lanescope, "lanescope", suite.parent().unwrap());
    }
    program(&mut cpio, &std::env::current_exe().unwrap(), "inside", suite.parent().unwrap());
    cpio.finish()
}

/// The commands of `docs/driver.md` from the driver to the first transfer, as they stand there, and what they want of the guest:
/// `make` and `cc` give what was built outside, by their words.
fn typed(cpio: &mut Cpio) {
    let page = std::fs::read_to_string(root().join("docs/driver.md")).unwrap();
    let block = page.split("<!-- typed in the guest -->\n```\n").nth(1).and_then(|rest| rest.split("```").next());
    let lines = block.unwrap().lines().filter(|line| lanescope().is_some() || !line.starts_with("lanescope"));
    let mut commands = String::new();
    for line in lines {
        commands += &format!("echo '$ {line}'\n{line}\n");
    }
    for folder in ["typed", "typed/driver"] {
        cpio.folder(folder);
    }
    cpio.file("typed/commands", commands.as_bytes());
    let stands = [
        ("sudo", "exec \"$@\"\n"),
        ("lanescope", "exec /lanescope \"$@\"\n"),
        ("make", "[ \"$*\" = '-C driver' ] && cp /lanescope.ko driver/lanescope.ko\n"),
        (
            "cc",
            "[ \"$*\" = '-O2 -I driver/include -o round_trip driver/examples/round_trip.c' ] && cp /round_trip round_trip\n",
        ),
    ];
    for (name, script) in stands {
        cpio.file(&format!("bin/{name}"), format!("#!/bin/busybox sh\n{script}").as_bytes());
    }
}

/// The program, where it was built by the same command.
fn lanescope() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_BIN_EXE_lanescope-remote")).with_file_name("lanescope");
    beside.is_file().then_some(beside)
}

/// What has failed, as the suite says it.
fn failures(out: &str) -> Vec<&str> {
    out.lines().filter(|line| line.starts_with("not ok")).collect()
}

/// The same as the end of a message.
fn told(out: &str) -> String {
    let failed = failures(out);
    if failed.is_empty() { "no test has failed".into() } else { format!("failed:\n{}", failed.join("\n")) }
}

/// The end of a text, for a log of which people read the end.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}

/// Without what only programs read: results in JSON are one line each.
fn readable(out: &str) -> String {
    let short = |line: &str| match line.char_indices().nth(SHOWN_COLUMNS) {
        Some((at, _)) => format!("{} ... ({} bytes)", &line[..at], line.len()),
        None => line.to_string(),
    };
    out.lines().map(short).collect::<Vec<_>>().join("\n")
}

/// What the guest has printed when it is done. The second card is killed when the guest asks for it.
fn watch(folder: &Path, running: &mut Running) -> String {
    let (mut killed, mut last, mut shown) = (false, Instant::now(), 0);
    loop {
        // Looked at before what was printed: a guest that is done is off at once.
        let ended = running.0[2].try_wait().unwrap();
        let out = text(folder, "out");
        if out.contains("\nDONE\n") {
            return out;
        }
        if !killed && out.contains("\nKILL\n") {
            std::thread::sleep(Duration::from_millis(300));
            running.0[1].kill().unwrap();
            killed = true;
        }
        if out.len() > shown {
            (last, shown) = (Instant::now(), out.len());
        }
        let longest = if failures(&out).is_empty() { SILENCE } else { SILENCE_AFTER_FAILURE };
        if ended.is_some() || last.elapsed() > longest {
            for name in ["card0", "card1", "qemu", "console"] {
                println!("== {name}\n{}", last_lines(&text(folder, name)));
            }
            println!("== what it printed\n{}", readable(&out));
            let why = ended
                .map_or(format!("has printed nothing for {} s", longest.as_secs()), |how| format!("ended ({how})"));
            let at = out.lines().last().unwrap_or_default();
            panic!("the guest {why} before it was done; its last line: {at:?}; {}", told(&out));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Words of which tests have one in their name, with commas between them; none: all.
fn wanted() -> String {
    std::env::var("LANESCOPE_SUITE").unwrap_or_default()
}

/// What a guest says of that version of the kernel, with that on its command line, too; `None` where it cannot be had.
fn boot(test: &str, version: &str, iommu: bool, append: &str) -> Option<String> {
    if !remote::MISSING.is_empty() {
        skip(test, remote::MISSING);
        return None;
    }
    let program = tool(test, "qemu-system-x86_64")?;
    let kernel = kernel(version).map_err(|why| skip(test, &why)).ok()?;
    let Some(busybox) = target("guest/busybox") else {
        skip(test, "no busybox in target/guest");
        return None;
    };
    let kind = if append.contains("swiotlb") { "-bounced" } else { "" };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("guest-driver-{version}{kind}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let Some(suite) = compiled(&sources("driver/tests"), &folder.join("suite")) else {
        skip(test, "no C compiler that links statically (libc6-dev)");
        return None;
    };
    std::fs::write(folder.join("initramfs"), initramfs(&busybox, &kernel.driver, &suite, &example(&folder))).unwrap();
    let machine = Machine {
        program,
        kernel: kernel.folder.join("vmlinuz"),
        append: format!("quiet suite={} {append}", wanted()),
        iommu,
        traces: !kind.is_empty(),
        ..Machine::default()
    };
    let mut running = machine.start(&folder);
    let mut out = watch(&folder, &mut running);
    if machine.traces {
        out += &last_store(&folder, &mut running);
    }
    Some(out)
}

/// What the guest has last stored to the control register of a channel that had a read when the system went down.
fn last_store(folder: &Path, running: &mut Running) -> String {
    let until = Instant::now() + SILENCE_AFTER_FAILURE;
    while running.0[2].try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "the guest does not go: {}", text(folder, "console"));
        std::thread::sleep(Duration::from_millis(50));
    }
    let traced = text(folder, "card0");
    let mut stores = traced.lines().filter_map(|line| Some(line.split_once("host store 0x600 ")?.1));
    format!("last store: {}\n", stores.next_back().unwrap_or("none"))
}

/// Boots that version of the kernel, with an IOMMU or without, and runs the suite in it. Where the driver has the card, that
/// passes the IOMMU, as without one; a process in ring mode is bounded by it.
fn run(test: &str, version: &str, iommu: bool) {
    let append = if iommu { "intel_iommu=on iommu=pt " } else { "" };
    let Some(out) = boot(test, version, iommu, append) else { return };
    println!("{}", readable(&out));
    assert!(failures(&out).is_empty(), "{}", told(&out));
    says(&out, "all tests run");
    benched::check_bench(&out);
    benched::check_rings(&out, iommu);
    benched::check_turns(&out);
    benched::check_peers(&out);
    if wanted().is_empty() {
        assert_eq!(
            out.contains("no IOMMU in this guest"),
            !iommu,
            "an IOMMU is there: {iommu}, and the suite says otherwise"
        );
    }
    says(&out, "the example ends with 0");
    says(&out, "what runs inside ends with 0");
    says(&out, "ok the_module_leaves");
    says(&out, "the commands of the page end with 0");
    says(&out, "ok the_kernel_complains_of_nothing");
}

/// That line is there; else the failure names it, and what came in its place.
fn says(out: &str, line: &str) {
    let begin = line.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let like: Vec<&str> = out.lines().filter(|other| other.starts_with(begin)).collect();
    assert!(out.lines().any(|other| other == line), "the guest does not say {line:?}, but {like:?}");
}

#[test]
fn does_the_linux_driver_work_with_the_gateware() {
    run("does_the_linux_driver_work_with_the_gateware", "6.1", false);
}

/// The kernel bounces all that cards reach, as in a confidential guest.
#[test]
fn does_it_where_all_is_bounced() {
    let Some(out) = boot("does_it_where_all_is_bounced", "6.12", false, "swiotlb=force") else { return };
    println!("{}", readable(&out));
    assert!(failures(&out).is_empty(), "{}", told(&out));
    says(&out, "all tests run");
    let last = out.lines().last().unwrap_or_default();
    assert!(last.starts_with("last store: [0, "), "the engine is on when the system has gone: {last}");
    assert!(out.contains("\nok registers_are_not_mapped_under_lockdown"), "registers are not looked at under lockdown");
}

#[test]
fn does_it_on_a_newer_kernel() {
    run("does_it_on_a_newer_kernel", "6.12", true);
}

/// It runs under `make soak-driver` alone, where it takes an hour.
#[test]
fn does_the_soak_compile() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("soak-compiles");
    if compiled(&soak_sources(), &program).is_none() {
        skip("does_the_soak_compile", "no C compiler that links statically (libc6-dev)");
    }
}
