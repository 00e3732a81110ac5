//! What does `lanescope explain` name as the cause of rates that were published or typed?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, complaint, fresh, stdout, without_digits};
use serde_json::Value;
use testing::folder;

/// The answer for a machine of `tests/data/explain` and rates in words.
fn explained(machine: &str, measured: &[&str]) -> Value {
    let machine = format!("explain/{machine}.yaml");
    let mut words = vec!["explain", "--machine", &machine, "--json"];
    measured.iter().for_each(|one| words.extend(["--measured", one]));
    let found: Value = serde_json::from_str(&stdout(&words)).unwrap();
    assert_eq!(found["schema"], "lanescope-explain/1");
    assert!(
        found["hypotheses"]
            .as_array()
            .unwrap()
            .iter()
            .all(|one| { one["predicted_mb_per_s"].as_array().unwrap().len() == measured.len() })
    );
    found
}

fn cause(found: &Value) -> &str {
    found["hypotheses"][0]["cause"].as_str().unwrap()
}

/// Cases of public threads: three cards of one width, of which one is at the chipset; two SSDs in RAID 0 at DMI 3.0 x4; four
/// disks at a controller of one lane, in a slot of Gen2; six SSDs that copy to a card at Gen3 x16; one job over four drives.
#[test]
fn is_the_true_cause_of_published_cases_named() {
    let pairs = [
        "from=gpu[0] to=gpu[1] rate=13GB/s",
        "from=gpu[0] to=gpu[2] rate=6.5GB/s",
        "from=gpu[1] to=gpu[2] rate=6.5GB/s",
    ];
    let cases: [(&str, &[&str], &str); 5] = [
        ("three-gpus", &pairs, "the link below host.dmi, Gen4 x4: full"),
        ("two-ssds-behind-dmi", &["disk=ssd rate=3.9GB/s"], "the link below host.dmi, Gen3 x4: full"),
        ("four-disks-one-lane", &["disk=card,card,card,card rate=500MB/s"], "the link below host.pcie, Gen2 x1: full"),
        ("six-ssds-one-gpu", &["from=ssd to=gpu rate=12GB/s"], "the link below host.gpu, Gen3 x16: full"),
        (
            "one-job-four-drives",
            &["disk=ssd[0] jobs=1 rate=6.5GB/s", "disk=ssd jobs=1 rate=13GB/s"],
            "one core that gives all commands",
        ),
    ];
    for (machine, measured, true_cause) in cases {
        let found = explained(machine, measured);
        assert_eq!((cause(&found), found["verdict"].as_str()), (true_cause, Some("found")), "{machine}: {found}");
    }
}

#[test]
fn is_a_rate_above_what_links_allow_said() {
    let words = ["--machine", "explain/four-disks-one-lane.yaml", "--measured", "disk=card,card rate=900MB/s"];
    let output = command(&["explain"]).args(words).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told.starts_with("Unexplained") && told.contains("more than the links allow"), "{told}");
}

#[test]
fn how_do_published_rates_read_when_they_are_explained() {
    insta::assert_snapshot!(without_digits(&stdout(&["explain", "--on", "ahci", "--unit", "MiB/s"])));
}

#[test]
fn are_rates_of_a_real_machine_explained_by_the_names_of_its_devices() {
    let Some(dumps) = folder("explains_z790", "LANESCOPE_DUMPS") else { return };
    let machine = dumps.join("z790-desktop-2nvme-cpu-vs-pch.txt");
    let words = |rates: [&'static str; 3]| {
        let mut words = vec!["explain", "--json", "--machine", machine.to_str().unwrap()];
        rates.iter().for_each(|one| words.extend(["--measured", one]));
        serde_json::from_str::<Value>(&stdout(&words)).unwrap()
    };
    // The one at the chipset gives a third of what its link does; the other one what it should.
    let found = words(["disk=ssd0 rate=6.8GB/s", "disk=ssd1 rate=1.2GB/s", "disk=01:00.0,04:00.0 rate=8GB/s"]);
    assert!(cause(&found).starts_with("the device itself (04:00.0)"), "{found}");
    // Small blocks, with threads that have no time left: each has its own, or one gives the commands of both.
    let found = words([
        "disk=ssd0 block=4KiB busy=99% rate=1.2GB/s",
        "disk=ssd1 block=4KiB busy=99% rate=1.2GB/s",
        "disk=ssd0,ssd1 block=4KiB busy=98% rate=2.4GB/s",
    ]);
    assert_eq!(cause(&found), "the thread that gives the commands of a device", "{found}");
    let time = found["hypotheses"][0]["fitted"][0]["time_ns"].as_f64().unwrap();
    assert!((time / (4096.0 / 1.2) - 1.0).abs() < 0.03, "{time} ns for each command");
    let found = words([
        "disk=ssd0 block=4KiB jobs=1 busy=99% rate=1.2GB/s",
        "disk=ssd1 block=4KiB jobs=1 busy=99% rate=1.2GB/s",
        "disk=ssd0,ssd1 block=4KiB jobs=1 busy=99% rate=1.2GB/s",
    ]);
    assert_eq!(cause(&found), "one core that gives all commands", "{found}");
    // Threads with time left are not the cause of the same rates.
    let found = words([
        "disk=ssd0 block=4KiB busy=40% rate=1.2GB/s",
        "disk=ssd1 block=4KiB busy=40% rate=1.2GB/s",
        "disk=ssd0,ssd1 block=4KiB busy=40% rate=2.4GB/s",
    ]);
    assert!(!found.to_string().contains("thread that gives"), "{found}");
}

#[test]
fn is_a_result_explained_with_the_machine_that_it_carries() {
    let folder = fresh("explain-result");
    let drive = folder.join("drive.img");
    std::fs::write(&drive, vec![7; 16 << 20]).unwrap();
    let result = folder.join("result.json");
    let json = format!("--json={}", result.display());
    let words = ["bench", "disk", drive.to_str().unwrap(), "--time", "500ms", "--warm-up", "100ms", &json];
    let output = command(&words).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if told.contains("io_uring") || told.contains("O_DIRECT") || !std::path::Path::new("/sys/bus/pci/devices").exists()
    {
        return testing::skip("explains_result", &format!("nothing can be measured here: {told}"));
    }
    let found: Value = serde_json::from_str(&stdout(&["explain", result.to_str().unwrap(), "--json"])).unwrap();
    assert_eq!(found["measurements"][0]["name"], "drive.img");
    assert!(cause(&found).starts_with("the device itself (drive.img)"), "{found}");
}

#[test]
fn is_what_cannot_be_explained_refused_with_what_would_be_right() {
    let folder = fresh("explain-refused");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let (no_json, other) = (file("a.json", "{"), file("b.json", r#"{ "schema": "lanescope-bench/9" }"#));
    let bare = file("c.json", r#"{ "schema": "lanescope-bench/1", "runs": [] }"#);
    let damaged = file("d.json", r#"{ "schema": "lanescope-bench/1", "runs": [], "capture": "AAAA" }"#);
    let gpus = "explain/three-gpus.yaml";
    let cases: [(&[&str], &str); 12] = [
        (&["explain"], "there is nothing to explain"),
        (&["explain", "/nowhere.json"], "No such file"),
        (&["explain", &no_json], "it is no JSON"),
        (&["explain", &other], "lanescope-bench/9"),
        (&["explain", &bare], "it carries no capture"),
        (&["explain", &damaged], "its capture is damaged"),
        (&["explain", "--on", "rosta"], "gives no rate"),
        (&["explain", "--on", "nothing"], "nothing cannot be read"),
        (&["explain", "--machine", gpus, "--measured", "disk=gpu[7] rate=1GB/s"], "there is no device `gpu[7]`"),
        (&["explain", "--machine", gpus, "--measured", "disk=gpu[0] rate=fast"], "`rate` does not take `fast`"),
        (&["explain", "--machine", gpus, "--measured", "disk=gpu[0] rate=1GB/s", "--noise", "0"], "0.1 to 50"),
        (&["explain", "--set", "a=1", "--measured", "disk=sda rate=1GB/s"], "--set changes a described machine"),
    ];
    for (words, what) in cases {
        let (code, told) = complaint(words);
        assert_eq!(code, Some(2), "{words:?}: {told}");
        assert!(told.contains(what) || words.contains(&"rosta"), "{words:?}: {told}");
    }
}
