//! Drives of a running machine: what `bench disk` says of two that share a limit, of one that is pulled, of one with bad
//! sectors, of a full disk, and after Ctrl-C; and whether `explain` names the limit.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;
#[path = "guest/cpio.rs"]
mod cpio;
#[path = "guest/program.rs"]
mod program;
#[path = "guest/vm.rs"]
mod vm;

use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use testing::tool;
use vm::{Guest, Parts, kernel, section};

const HEAD: &str = r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module"; done
stty -F /dev/ttyS1 raw
send() { echo; echo "BEGIN $1"; base64; echo "END $1"; }
there() { tries=0; while [ ! -e /dev/$1 ] && [ $tries -lt 300 ]; do sleep 0.1; tries=$((tries + 1)); done; }
"#;

/// A guest with these drives that runs a script; `None` with a message where there is no QEMU.
fn guest(test: &str, script: &str, drives: &[&dyn Fn(&Path) -> String]) -> Option<Guest> {
    let (qemu, kernel) = (tool(test, "qemu-system-x86_64")?, kernel(test)?);
    let folder = common::fresh(test);
    let script = format!("{HEAD}{{\n{script}\necho DONE\n}} >/dev/ttyS1\nsync\npoweroff -f\n");
    Some(Parts { qemu, kernel, folder }.boot_with(&script, drives))
}

fn json(out: &[u8], name: &str) -> Value {
    let bytes = section(out, name);
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)))
}

fn text(out: &[u8], name: &str) -> String {
    String::from_utf8_lossy(&section(out, name)).into_owned()
}

/// What a run gave, MB/s.
fn rate(result: &Value, subset: &str) -> f64 {
    let runs = result["runs"].as_array().unwrap();
    runs.iter().find(|run| run["subset"] == subset).and_then(|run| run["mb_per_s"].as_f64()).unwrap()
}

/// Both drives in one throttling group.
const CAP: f64 = 24.0;

#[test]
fn is_a_limit_that_two_drives_share_named_with_its_value() {
    let throttled = |image: &Path| {
        format!("file={},format=raw,throttling.group=shared,throttling.bps-total={}", image.display(), CAP * 1e6)
    };
    let script = "
there nvme0n1; there nvme1n1
/lanescope bench disk /dev/nvme0n1 /dev/nvme1n1 --depth 8 --time 4s --json=/result.json >/text 2>&1; send text </text
send result </result.json
/lanescope explain /result.json --json | send explained
/lanescope explain /result.json | send told
";
    let Some(mut guest) = guest("guest-shared", script, &[&throttled, &throttled]) else { return };
    guest.wait_for("DONE", Duration::from_secs(300));
    let out = guest.out();
    println!("{}\n{}", text(&out, "text"), text(&out, "told"));
    let result = json(&out, "result");
    let (alone, both) = (rate(&result, "nvme0n1"), rate(&result, "nvme0n1 + nvme1n1"));
    if (alone / CAP - 1.0).abs() > 0.1 {
        return testing::skip(
            "guest-shared",
            &format!("this machine emulates a drive at {alone} MB/s, less than the limit"),
        );
    }
    assert!((both / CAP - 1.0).abs() < 0.1, "{both}");
    let found = json(&out, "explained");
    let first = &found["hypotheses"][0];
    let shared = first["cause"].as_str().unwrap();
    assert!(
        shared.contains("that all devices share") || shared.contains("a cap at "),
        "{shared}: {}",
        text(&out, "told")
    );
    let value = first["fitted"][0]["mb_per_s"].as_f64().unwrap();
    assert!((value / CAP - 1.0).abs() < 0.1, "{value}");
}

#[test]
fn is_a_pulled_drive_told_and_what_was_done_before_kept() {
    let raw = |image: &Path| format!("file={},format=raw", image.display());
    let script = "
there nvme0n1; there nvme1n1
echo; echo RUNNING
/lanescope bench disk /dev/nvme0n1 /dev/nvme1n1 --subsets nvme0n1 --subsets nvme1n1 --time 15s --warm-up 0s --json=/result.json >/text 2>/error
echo $? | send code
send text </text; send error </error; send result </result.json
";
    let Some(mut guest) = guest("guest-pulled", script, &[&raw, &raw]) else { return };
    guest.wait_for("RUNNING", Duration::from_secs(180));
    std::thread::sleep(Duration::from_secs(17));
    // The driver lets it go some seconds after the button was pressed.
    guest.monitor("device_del nvme1");
    guest.wait_for("DONE", Duration::from_secs(180));
    let out = guest.out();
    let (code, error) = (text(&out, "code"), text(&out, "error"));
    assert_eq!(code.trim(), "2", "{error}");
    assert!(error.contains("/dev/nvme1n1: a read of 131072 bytes at "), "{error}");
    let result = json(&out, "result");
    assert_eq!((result["complete"].as_bool(), result["runs"].as_array().unwrap().len()), (Some(false), 1), "{error}");
    assert!(rate(&result, "nvme0n1") > 0.0 && text(&out, "text").contains("nvme0n1"));
}

#[test]
fn are_bad_sectors_a_full_disk_and_ctrl_c_told_and_nothing_left_behind() {
    let bad = |image: &Path| {
        let image = image.display();
        // Sector 20480 is at 10 MiB.
        format!(
            "driver=blkdebug,image.driver=file,image.filename={image},inject-error.0.event=none,inject-error.0.iotype=read,\
             inject-error.0.errno=5,inject-error.0.sector=20480"
        )
    };
    let good = |image: &Path| format!("file={},format=raw", image.display());
    let script = "
there nvme0n1; there nvme1n1
/lanescope bench disk /dev/nvme0n1 /dev/nvme1n1 --subsets nvme1n1 --subsets nvme0n1 --depth 1 --time 2s --json=/result.json >/text 2>/error
echo $? | send code
send error </error; send result </result.json
mkdir /small; mount -t tmpfs -o size=8m small /small
/lanescope bench file /small/file 64MiB >/text 2>/error
echo $? | send full_code; send full </error; ls /small | send left
/lanescope bench disk /dev/nvme1n1 --time 1s --block 4KiB,128KiB --depth 1 --json=/kept.json >/text 2>/error &
sleep 2; kill -INT $!; wait $!
echo $? | send stopped; send kept </kept.json
";
    let Some(mut guest) = guest("guest-bad", script, &[&bad, &good]) else { return };
    guest.wait_for("DONE", Duration::from_secs(240));
    let out = guest.out();
    let error = text(&out, "error");
    assert_eq!(text(&out, "code").trim(), "2", "{error}");
    assert!(error.contains("/dev/nvme0n1: a read of 131072 bytes at 10485760 failed"), "{error}");
    let result = json(&out, "result");
    assert_eq!(result["runs"].as_array().unwrap().len(), 1, "{result}");
    assert!(rate(&result, "nvme1n1") > 0.0);
    let full = text(&out, "full");
    assert_eq!((text(&out, "full_code").trim(), text(&out, "left").trim()), ("2", ""), "{full}");
    assert!(full.contains("/small/file cannot be made") && full.contains("No space left"), "{full}");
    assert_eq!(text(&out, "stopped").trim(), "130");
    let kept = json(&out, "kept");
    assert_eq!(kept["complete"].as_bool(), Some(false));
    assert!(!kept["runs"].as_array().unwrap().is_empty(), "{kept}");
}
