//! What Wireshark's tshark says of a pcapng trace, with the dissector of `docs/lanescope.lua`.
#![allow(clippy::unwrap_used)]

mod common;
use lanescope_trace::Format;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const DISSECTOR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/lanescope.lua");

/// The program, where it is installed and can run Lua.
fn tshark(test: &str) -> Option<PathBuf> {
    let tshark = testing::tool(test, "tshark")?;
    let version = Command::new(&tshark).arg("--version").output().unwrap();
    let lua = String::from_utf8_lossy(&version.stdout).contains("with Lua");
    if !lua {
        testing::skip(test, "this `tshark` was built without Lua");
    }
    lua.then_some(tshark)
}

/// The values of `fields` in every packet that `filter` lets through, by name.
fn rows(tshark: &Path, trace: &Path, filter: &str, fields: &[&str]) -> Vec<HashMap<String, String>> {
    let mut command = Command::new(tshark);
    command.arg("-X").arg(format!("lua_script:{DISSECTOR}")).arg("-r").arg(trace).args(["-2", "-T", "fields"]);
    if !filter.is_empty() {
        command.args(["-Y", filter]);
    }
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.env("HOME", env!("CARGO_TARGET_TMPDIR")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(!errors.to_lowercase().contains("lua"), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |line: &str| fields.iter().zip(line.split('\t')).map(|(f, v)| (f.to_string(), v.to_string())).collect();
    text.lines().map(row).collect()
}

#[test]
fn does_tshark_show_every_tlp_and_dllp_by_field() {
    let test = "does_tshark_show_every_tlp_and_dllp_by_field";
    let Some(tshark) = tshark(test) else { return };
    let trace = common::trace(test, &common::peers(), Format::Pcapng, "");
    let kinds = rows(&tshark, &trace.path, "", &["lanescope.kind", "lanescope.tlp.type", "lanescope.dllp.type"]);
    let count = |kind: &str| kinds.iter().filter(|row| row["lanescope.kind"] == kind).count() as u64;
    assert_eq!((count("0"), count("1")), (trace.summary.tlps, trace.summary.dllps));
    // Two flows of 64 KiB, 128 bytes a TLP, two links each.
    assert_eq!(trace.summary.tlps, 2 * 2 * 512);
    let dllps: Vec<&str> = kinds.iter().map(|row| row["lanescope.dllp.type"].as_str()).collect();
    assert!(dllps.contains(&"0x00") && dllps.contains(&"0x80"), "ACKs and UpdateFCs of posted credits");
    let fields = ["lanescope.tlp.type", "lanescope.tlp.length_dw", "lanescope.tlp.requester", "lanescope.tlp.address"];
    let from_card = "lanescope.kind == 0 && frame.interface_name matches \"^card.0..pcie -> \"";
    let writes = rows(&tshark, &trace.path, from_card, &fields);
    assert_eq!(writes.len(), 512);
    for (n, write) in writes.iter().enumerate() {
        assert_eq!((&*write["lanescope.tlp.type"], &*write["lanescope.tlp.length_dw"]), ("MWr", "32"));
        assert_eq!(write["lanescope.tlp.requester"], writes[0]["lanescope.tlp.requester"]);
        let address = |write: &HashMap<String, String>| {
            u64::from_str_radix(write["lanescope.tlp.address"].trim_start_matches("0x"), 16).unwrap()
        };
        assert_eq!(address(write), address(&writes[0]) + 128 * n as u64);
    }
}

#[test]
fn are_sequence_numbers_of_a_direction_without_a_gap_and_acknowledged_behind() {
    let test = "are_sequence_numbers_of_a_direction_without_a_gap_and_acknowledged_behind";
    let Some(tshark) = tshark(test) else { return };
    let trace = common::trace(test, &common::peers(), Format::Pcapng, "card[1]");
    let fields = ["frame.interface_name", "lanescope.tlp.seq", "lanescope.dllp.ack_seq"];
    let rows = rows(&tshark, &trace.path, "", &fields);
    let mut next: HashMap<&str, u64> = HashMap::new();
    for row in &rows {
        let (from, to) = row["frame.interface_name"].split_once(" -> ").unwrap();
        assert!([from, to].contains(&"card[1].pcie"), "only the links of the card are chosen");
        if let Ok(sequence) = row["lanescope.tlp.seq"].parse::<u64>() {
            assert_eq!(sequence, *next.entry(from).or_default() % 4096);
            *next.entry(from).or_default() += 1;
        } else if let Ok(acknowledged) = row["lanescope.dllp.ack_seq"].parse::<u64>() {
            assert!(acknowledged < next[to], "an ACK of a TLP that was not sent");
        }
    }
    assert_eq!(next.values().copied().collect::<Vec<_>>(), [512, 512]);
}

#[test]
fn does_every_request_find_its_completions_and_how_long_they_took() {
    let test = "does_every_request_find_its_completions_and_how_long_they_took";
    let Some(tshark) = tshark(test) else { return };
    let trace = common::trace(test, &common::read(), Format::Pcapng, "");
    let fields = ["frame.number", "lanescope.tlp.type", "lanescope.response_in", "lanescope.response_to"];
    let fields =
        [&fields[..], &["lanescope.response_ns", "lanescope.tlp.byte_count", "lanescope.tlp.length_dw"]].concat();
    let rows = rows(&tshark, &trace.path, "lanescope.kind == 0", &fields);
    let of = |kind: &str| rows.iter().filter(|row| row["lanescope.tlp.type"] == kind).collect::<Vec<_>>();
    let (requests, completions) = (of("MRd"), of("CplD"));
    assert_eq!(requests.len(), 32, "128 KiB in requests of 4 KiB");
    assert_eq!(completions.len(), 1024, "in completions of 128 B");
    for request in &requests {
        let frame = &request["frame.number"];
        let own: Vec<_> = completions.iter().filter(|row| &row["lanescope.response_to"] == frame).collect();
        assert_eq!(own.len(), 32);
        assert_eq!(own[31]["frame.number"], request["lanescope.response_in"]);
        let counts: Vec<u64> = own.iter().map(|row| row["lanescope.tlp.byte_count"].parse().unwrap()).collect();
        assert!(counts.iter().copied().eq((1..=32).rev().map(|n| 128 * n)), "{counts:?}");
        let times: Vec<f64> = own.iter().map(|row| row["lanescope.response_ns"].parse().unwrap()).collect();
        assert!(times.is_sorted() && times[0] > 500.0, "{times:?}");
    }
}

#[test]
fn are_payload_and_lcrc_there_where_payload_travels_and_their_length_where_not() {
    let test = "are_payload_and_lcrc_there_where_payload_travels_and_their_length_where_not";
    let Some(tshark) = tshark(test) else { return };
    let fields = ["frame.len", "frame.cap_len", "lanescope.tlp.data", "lanescope.tlp.lcrc"];
    for integrity in [false, true] {
        let mut scenario = common::peers();
        scenario.integrity = integrity;
        let trace = common::trace(test, &scenario, Format::Pcapng, "");
        for row in rows(&tshark, &trace.path, "lanescope.kind == 0", &fields) {
            let whole = 24 + 2 + 12 + 128 + 4;
            assert_eq!(row["frame.len"], whole.to_string());
            assert_eq!(row["frame.cap_len"], if integrity { whole } else { 24 + 2 + 12 }.to_string());
            assert_eq!(row["lanescope.tlp.data"].len(), if integrity { 256 } else { 0 });
            assert_eq!(row["lanescope.tlp.lcrc"].is_empty(), !integrity);
        }
    }
}

#[test]
fn do_stamps_and_names_of_interfaces_keep_what_the_standard_tools_can_show() {
    let test = "do_stamps_and_names_of_interfaces_keep_what_the_standard_tools_can_show";
    let Some(tshark) = tshark(test) else { return };
    let trace = common::trace(test, &common::peers(), Format::Pcapng, "");
    let fields =
        ["frame.time_epoch", "lanescope.start_fs", "lanescope.duration_ps", "lanescope.gen", "lanescope.lanes"];
    let rows = rows(&tshark, &trace.path, "lanescope.link == 3 && lanescope.kind == 0", &fields);
    assert!(!rows.is_empty());
    for row in rows {
        let seconds: f64 = row["frame.time_epoch"].parse().unwrap();
        let fs: f64 = row["lanescope.start_fs"].parse().unwrap();
        assert!((seconds * 1e9 - (fs * 1e-6).floor()).abs() < 0.5, "{row:?}");
        // 148 bytes at 2 bytes a nanosecond.
        assert_eq!(
            (&*row["lanescope.duration_ps"], &*row["lanescope.gen"], &*row["lanescope.lanes"]),
            ("74000", "2", "4")
        );
    }
}
