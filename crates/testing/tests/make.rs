//! Does `make` build what a newcomer waits for without the slow profile, and do its tests say how far they are?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_testing::tool;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a target would run.
fn plan(make: &Path, target: &str) -> String {
    let mut command = Command::new(make);
    command.args(["--dry-run", "--no-print-directory", target]).current_dir(root());
    command.env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{target}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Link-time optimisation of the whole program takes minutes of one core; only benches and an installation want it.
#[test]
fn does_only_a_bench_wait_for_link_time_optimisation() {
    let Some(make) = tool("does_only_a_bench_wait_for_link_time_optimisation", "make") else { return };
    for target in ["demo", "engine", "validate", "readme", "schema", "fuzz", "check", "test"] {
        let plan = plan(&make, target);
        assert!(!plan.contains("--release"), "{target}: {plan}");
    }
    assert!(plan(&make, "demo").contains("--profile quick"));
    for target in ["bench", "bench-inspect"] {
        assert!(plan(&make, target).contains("--release"), "{target}");
    }
    for script in ["readme.py", "validation.py", "test.py"] {
        let text = std::fs::read_to_string(root().join("tools").join(script)).unwrap();
        assert!(!text.contains("--release"), "{script}");
    }
}

#[test]
fn does_help_name_the_inner_loop_and_the_engine() {
    let Some(make) = tool("does_help_name_the_inner_loop_and_the_engine", "make") else { return };
    let help = Command::new(make).args(["--silent", "help"]).current_dir(root()).output().unwrap();
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for target in ["make demo", "make engine", "make check", "make test"] {
        assert!(help.contains(target), "{target}: {help}");
    }
}

/// A folder with programs that stand in for cargo and its parts: clippy fails, one test of two fails.
fn stand_ins(folder: &Path) {
    let cargo = "#!/bin/sh\n\
        case $1 in\n\
        clippy) echo 'error: a lint'; exit 1;;\n\
        test) echo \"$@\"; echo 'test one ... FAILED'; \
        echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored'; exit 101;;\n\
        esac\n";
    for (name, text) in [("cargo", cargo), ("rustfmt", "#!/bin/sh\n"), ("cargo-clippy", "#!/bin/sh\n")] {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let done = Command::new("chmod").arg("+x").arg(&path).status().unwrap();
        assert!(done.success());
    }
}

#[test]
fn does_the_inner_loop_say_how_far_it_is_and_print_all_that_fails() {
    let Some(python) = tool("does_the_inner_loop_say_how_far_it_is_and_print_all_that_fails", "python3") else {
        return;
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stand-ins");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    stand_ins(&folder);
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let check = || {
        let mut command = Command::new(&python);
        command.arg(root().join("tools/test.py")).arg("check").env("PATH", &path).env("CARGO_TARGET_DIR", &folder);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, first) = check();
    assert_eq!(code, Some(1), "{first}");
    let steps = first.matches("=== step ").count();
    let last = format!("step {steps} of {steps}, ");
    let told =
        [&format!("step 1 of {steps}: format"), &last, " s so far: quick tests", "clippy: 0 passed, 1 failed, in 0 s"];
    for told in told {
        assert!(first.contains(told), "{told}: {first}");
    }
    assert!(first.contains("failed:\n  clippy\n  quick tests: one\n"), "all that fails: {first}");
    // The last line is the sum of what the steps said, those of the tools as well.
    let counts = |line: &str| {
        let (passed, rest) = line.split_once(" passed, ")?;
        let failed: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some((passed.rsplit(' ').next()?.parse::<u32>().ok()?, failed.parse::<u32>().ok()?))
    };
    let each = first.lines().filter(|line| line.starts_with("--- ")).filter_map(counts);
    let sum = each.fold((0, 0), |sum, (passed, failed)| (sum.0 + passed, sum.1 + failed));
    assert_eq!(first.lines().last().and_then(counts), Some(sum), "{first}");
    assert_eq!(sum.1, 2, "{first}");
    assert!(!first.contains("the last time"), "{first}");
    let (_, second) = check();
    assert!(second.contains(&format!("step 1 of {steps}, this one took 0 s the last time: format")), "{second}");
    let (tests, _) =
        first.split_once(&format!("=== step {steps}")).map(|(_, rest)| rest).unwrap().split_once("---").unwrap();
    assert!(tests.contains("--test golden") && !tests.contains("--test sensitivity"), "{tests}");
}

#[test]
fn does_a_silent_step_say_that_it_is_still_there() {
    let Some(python) = tool("does_a_silent_step_say_that_it_is_still_there", "python3") else { return };
    let program = "import sys, time; sys.path.insert(0, sys.argv[1]); from steptimes import Pulse\n\
                   with Pulse('tests', 482, silence=0) as pulse: pulse.hear('Running cards.rs'); time.sleep(1.5)";
    let output = Command::new(python).args(["-c", program]).arg(root().join("tools")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("... tests: 1 s, of 8 min 02 s the last time; last: Running cards.rs"), "{text}");
}
