//! A running machine: a QEMU guest with a root port, a switch and two drives. The live observation equals that of its
//! capture, and injected errors are found.

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
use vm::{Parts, kernel, section};

/// The script of the guest. Each section of its output is in base64 between lines `BEGIN name` and `END name`.
const SCRIPT: &str = r#"#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
for module in /modules/*; do insmod "$module"; done
stty -F /dev/ttyS1 raw
send() { echo; echo "BEGIN $1"; base64; echo "END $1"; }
tries=0
while [ ! -e /sys/block/nvme1n1 ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
{
  /lanescope inspect --json | send live
  /lanescope capture /capture.tar.zst >/log 2>&1; send log </log
  send capture </capture.tar.zst
  echo READY
  # The monitor injects errors now; their bits stand in the second drive's port (its status register, 110h).
  tries=0
  while [ "$(hexdump -s 272 -n 1 -e '1/1 "%02x"' /sys/bus/pci/devices/0000:02:01.0/config)" = 00 ] && [ $tries -lt 300 ]
  do sleep 0.1; tries=$((tries + 1)); done
  /lanescope inspect --json | send injected
  echo DONE
} >/dev/ttyS1
sync
poweroff -f
"#;

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
}

/// Kinds of the findings about a function.
fn kinds(inspected: &Value, at: &str) -> Vec<String> {
    let findings = inspected["findings"].as_array().unwrap().iter();
    let here = findings.filter(|finding| finding["at"].as_array().unwrap().iter().any(|a| a == at));
    here.map(|finding| finding["kind"].as_str().unwrap().to_string()).collect()
}

/// A document without what differs by design between a machine and its capture: the source, and what a capture omits
/// (addresses of BARs, and of the AER header log).
fn without_what_a_capture_hides(mut inspected: Value) -> Value {
    for key in ["source", "name"] {
        inspected.as_object_mut().unwrap().remove(key);
    }
    for function in inspected["functions"].as_array_mut().unwrap() {
        let entries = |function: &mut Value, key: &str| {
            function.get_mut(key).and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default()
        };
        let mut bars = entries(function, "bars");
        bars.iter_mut().for_each(|bar| drop(bar.as_object_mut().unwrap().remove("address")));
        let mut capabilities = entries(function, "capabilities");
        capabilities.iter_mut().for_each(|capability| drop(capability.as_object_mut().unwrap().remove("header_log")));
        function["bars"] = bars.into();
        function["capabilities"] = capabilities.into();
    }
    inspected
}

fn inspect(file: &Path) -> Value {
    let output = common::command(&["inspect", "--json"]).arg(file).output().unwrap();
    json(&output.stdout)
}

#[test]
fn is_a_running_machine_what_its_capture_says_and_are_injected_errors_found() {
    let test = "is_a_running_machine_what_its_capture_says_and_are_injected_errors_found";
    let Some(qemu) = tool(test, "qemu-system-x86_64") else { return };
    let Some(kernel) = kernel(test) else { return };
    let folder = common::fresh("guest");
    let mut guest = Parts { qemu, kernel, folder: folder.clone() }.boot(SCRIPT);
    guest.wait_for("READY", Duration::from_secs(180));
    for error in ["down1 BAD_TLP", "down1 BAD_DLLP"] {
        let answer = guest.monitor(&format!("pcie_aer_inject_error -c {error}"));
        assert!(answer.contains("OK"), "{answer}");
    }
    guest.wait_for("DONE", Duration::from_secs(120));
    let out = guest.out();
    let live = json(&section(&out, "live"));
    assert!(live.to_string().contains("nvme0n1"), "both drives are seen with their block devices: {live}");

    let capture = folder.join("capture.tar.zst");
    std::fs::write(&capture, section(&out, "capture")).unwrap();
    let captured = without_what_a_capture_hides(inspect(&capture));
    assert_eq!(without_what_a_capture_hides(live.clone()), captured);
    assert_eq!(
        captured["functions"].as_array().unwrap().len(),
        10,
        "root port, switch of three ports, two drives, board"
    );

    assert_eq!(kinds(&live, "0000:02:01.0"), Vec::<String>::new(), "nothing is wrong at first");
    let injected = json(&section(&out, "injected"));
    assert_eq!(kinds(&injected, "0000:02:01.0"), ["aer"], "{}", injected["findings"]);
}
