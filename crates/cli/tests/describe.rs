//! Can what `describe` writes be shown, limited, run and changed, and is what cannot be described refused?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, data, fresh};
use std::path::Path;

/// Exit code, standard output, and standard error.
fn ran(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = command(arguments).env("COLUMNS", "1000").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn post(name: &str) -> String {
    data().join("posts").join(name).to_str().unwrap().to_string()
}

#[test]
fn does_what_was_written_run_at_once() {
    let file = fresh("describe_runs").join("mine.yaml");
    let file = file.to_str().unwrap();
    let (code, said, _) = ran(&["describe", &post("card-with-own-switch.txt"), "--out", file]);
    assert_eq!(code, Some(0));
    assert!(said.contains("1 device with a limit, 2 links"), "{said}");
    let (code, shown, _) = ran(&["show", file]);
    assert!(code == Some(0) && shown.contains("switch_01_00_0"), "{shown}");
    let (code, limits, _) = ran(&["limit", file]);
    // `inspect` says 420 MB/s to memory.
    assert!(code == Some(0) && limits.contains("limit       400.2 MiB/s"), "{limits}");
    let (code, simulated, errors) = ran(&["run", file, "write"]);
    assert!(code == Some(0) && simulated.contains("limit  400.2"), "{simulated}{errors}");
    let (code, slower, errors) = ran(&["limit", file, "write", "--set", "links.0.gen=1"]);
    assert!(code == Some(0) && slower.contains("limit       200.1 MiB/s"), "{slower}{errors}");
}

#[test]
fn do_several_texts_make_one_machine() {
    let folder = fresh("describe_texts");
    let text = std::fs::read_to_string(post("wide-card.txt")).unwrap();
    let place = text.find("04:00.0 Memory").unwrap();
    let [one, two] = [("ports.txt", &text[..place]), ("card.txt", &text[place..])].map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    });
    let (_, whole, _) = ran(&["describe", &post("wide-card.txt")]);
    let (code, joined, errors) = ran(&["describe", &one, &two]);
    let rest = |text: &str| text.lines().filter(|line| !line.contains(".txt")).collect::<Vec<_>>().join("\n");
    assert_eq!((code, rest(&joined)), (Some(0), rest(&whole)), "{errors}");
    let capture = data().join("captures/interface.tar.zst");
    let (code, _, error) = ran(&["describe", &one, capture.to_str().unwrap()]);
    assert!(code == Some(2) && error.contains("this is no text"), "{error}");
    let (code, _, error) = ran(&["describe", &one, "-"]);
    assert!(code == Some(2) && error.contains("save it to a file first"), "{error}");
}

#[test]
fn is_what_cannot_be_described_refused_and_nothing_written() {
    let folder = fresh("describe_refused");
    let out = folder.join("mine.yaml");
    std::fs::write(&out, "mine").unwrap();
    for (text, says) in
        [(post("list-only.txt"), "no link here says what it carries"), (String::from("nowhere.txt"), "No such file")]
    {
        let (code, _, error) = ran(&["describe", &text, "--out", out.to_str().unwrap()]);
        assert!(code == Some(2) && error.contains(says), "{error}");
        assert_eq!(std::fs::read_to_string(&out).unwrap(), "mine", "the file of before is kept");
    }
    let text = folder.join("text.txt");
    std::fs::copy(post("wide-card.txt"), &text).unwrap();
    let (code, _, error) = ran(&["describe", text.to_str().unwrap(), "--out", text.to_str().unwrap()]);
    assert!(code == Some(2) && error.contains("is what is read"), "{error}");
    // A link that is not modelled, and a line that holds a serial number.
    let fast =
        std::fs::read_to_string(post("wide-card.txt")).unwrap().replace("8GT/s", "64GT/s").replace("16GT/s", "64GT/s");
    std::fs::write(&text, fast).unwrap();
    let (code, _, error) = ran(&["describe", text.to_str().unwrap()]);
    assert!(code == Some(2) && error.contains("is not modelled"), "{error}");
    let odd = std::fs::read_to_string(post("wide-card.txt")).unwrap() + "\t\tWhatever: Serial number: S5XSECRET\n";
    std::fs::write(&text, odd).unwrap();
    let (code, said, _) = ran(&["describe", text.to_str().unwrap()]);
    assert!(code == Some(0) && !said.contains("S5XSECRET"), "{said}");
    let nowhere = Path::new("no/such/folder/mine.yaml");
    let (code, _, error) = ran(&["describe", &post("wide-card.txt"), "--out", nowhere.to_str().unwrap()]);
    assert!(code == Some(2) && error.contains("cannot be written"), "{error}");
}

#[test]
fn is_a_machine_compared_with_its_description() {
    let folder = fresh("describe_built");
    let file = folder.join("mine.yaml");
    let [mine, text] = [file.to_str().unwrap().to_string(), post("wide-card.txt")];
    assert_eq!(ran(&["describe", &text, "--out", &mine]).0, Some(0));
    let (code, said, _) = ran(&["diff", &mine, &text]);
    assert_eq!(
        (code, said.as_str()),
        (Some(0), "as described: links, Max_Payload_Size, Max_Read_Request_Size and tags\n")
    );
    // The card trained to two lanes.
    let narrow = folder.join("narrow.txt");
    let whole = std::fs::read_to_string(&text).unwrap();
    let (ports, card) = whole.split_at(whole.find("03:00.0 PCI bridge").unwrap());
    let card =
        card.replace("Speed 8GT/s (downgraded), Width x4 (ok)", "Speed 8GT/s (downgraded), Width x2 (downgraded)");
    let card = card.replace("LnkSta:\tSpeed 8GT/s, Width x4", "LnkSta:\tSpeed 8GT/s, Width x2");
    std::fs::write(&narrow, format!("{ports}{card}")).unwrap();
    let narrow = narrow.to_str().unwrap();
    let (code, said, errors) = ran(&["diff", &mine, narrow]);
    let line = "switch_02_00_0.p03_00_0 - device_04_00_0.pcie link: described Gen3 x4, found Gen3 x2; costs ";
    assert!(code == Some(0) && said.starts_with(line) && said.matches("described").count() == 1, "{said}{errors}");
    let (_, json, _) = ran(&["diff", narrow, &mine, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let one = &json["differences"][0];
    let [now, described] = ["now_mb_per_s", "as_described_mb_per_s"].map(|rate| one["cost"][rate].as_f64().unwrap());
    assert!((described / now - 2.0).abs() < 0.02, "{now} {described}");
    let (code, _, error) = ran(&["diff", &mine, &mine]);
    assert!(code == Some(2) && error.contains("both are descriptions"), "{error}");
    let (code, _, error) = ran(&["diff", &mine, &post("card-with-own-switch.txt")]);
    assert!(code == Some(2) && error.contains("no part of"), "{error}");
}

#[test]
fn does_tune_print_the_commands_of_the_machine_that_was_described() {
    let folder = fresh("describe_tune");
    let file = folder.join("mine.yaml");
    let mine = file.to_str().unwrap();
    assert_eq!(ran(&["describe", &post("wide-card.txt"), "--out", mine]).0, Some(0));
    let (code, said, errors) = ran(&["tune", mine, "write"]);
    assert_eq!(code, Some(0), "{errors}");
    for at in ["00:02.1", "02:00.0", "03:00.0", "04:00.0"] {
        assert!(said.contains(&format!("setpci -s {at} CAP_EXP+08.w=")), "{at}: {said}");
    }
    assert!(said.contains("as root, in this order:\n") && !said.contains("placeholders"), "{said}");
    let (_, json, _) = ran(&["tune", mine, "write", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["writes"][3]["address"], "04:00.0");
    // An address that is none is refused with its place.
    let text = std::fs::read_to_string(&file).unwrap().replace("address: 04:00.0", "address: 04:00");
    std::fs::write(&file, text).unwrap();
    let (code, _, error) = ran(&["show", mine]);
    assert!(code == Some(2) && error.contains("the address of a function, as in `04:00.0`"), "{error}");
}
