//! Does every mistake give one error, at its place, with what would be right?

#![allow(clippy::unwrap_used, clippy::panic)]

use lanescope_system::{Description, Error, Point};
use std::fmt::Write;

/// A small machine that is right; each case replaces one text in it.
const GOOD: &str = "\
parts:
  host: { part: generic/gen4-host, slots: { a: gen4 x8, b: gen3 x4 } }
  switch: { part: generic/gen3-switch }
  card: { part: generic/gen4-card }
  fpga: { part: generic/gen3-card, count: 2 }
links:
  - { join: host.a - card.pcie, lanes: 4 }
  - host.b - switch.up
  - switch.down[i] - fpga[i].pcie
settings: { mps_policy: path }
experiments:
  write:
    operation: dma-write
    flows: ['card -> host', 'fpga[i] -> host']
    flow_sets: { all: ['fpga[i] -> host'] }
    axes:
      payload: [128]
      flows: [1]
      lanes: { 1: { links.0.lanes: 1 }, 4: { links.0.lanes: 4 } }
      requests: { set: [card.read_requests], values: [8] }
";

fn run(text: &str, point: &str) -> Result<(), Error> {
    let description = Description::from_text("x.yaml", text)?;
    description.system()?;
    let experiment = description.experiment("write")?;
    description.scenario(experiment, &Point::parse(point).unwrap()).map(drop)
}

#[test]
fn the_machine_of_these_tests_is_right() {
    run(GOOD, "payload=64;flows=all;lanes=1;requests=3").unwrap_or_else(|e| panic!("{}", e.report()));
}

/// Name, text to replace, replacement, point.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("a dangling link: no such part", "host.a - card.pcie", "host.a - crad.pcie", ""),
    ("a dangling link: no such port", "host.b - switch.up", "host.c - switch.up", ""),
    ("a dangling link: an array without its index", "switch.down[i] - fpga[i].pcie", "switch.down[0] - fpga.pcie", ""),
    ("a dangling link: an index where there is no array", "host.b - switch.up", "host.b - switch[0].up", ""),
    ("an index out of range", "switch.down[i] - fpga[i].pcie", "switch.down[i+3] - fpga[i].pcie", ""),
    ("a letter that runs over nothing", "switch.down[i] - fpga[i].pcie", "switch.down[2*k] - fpga[i].pcie", ""),
    ("a port used twice", "host.b - switch.up", "host.a - switch.up", ""),
    ("two ports that both face away", "host.b - switch.up", "host.b - switch.down[3]", ""),
    ("a loop", "host.b - switch.up", "switch.down[3] - switch.up", ""),
    ("a width that no link has", "slots: { a: gen4 x8", "slots: { a: gen4 x7", ""),
    ("a width that no port of the link has", "lanes: 4 }\n  - host.b", "lanes: 16 }\n  - host.b", ""),
    ("lanes that no link has", "lanes: 4 }\n  - host.b", "lanes: 3 }\n  - host.b", ""),
    ("a generation that is unknown", "b: gen3 x4", "b: gen9 x4", ""),
    ("an unknown catalogue entry", "generic/gen3-switch", "generic/gen3-swich", ""),
    ("an unknown kind", "part: generic/gen3-switch", "kind: swtch", ""),
    ("neither part nor kind", "part: generic/gen3-switch", "latency: 3 ns", ""),
    ("an unknown field", "part: generic/gen4-card }", "part: generic/gen4-card, tx_latncy: 3 ns }", ""),
    ("a unit missing", "part: generic/gen4-card }", "part: generic/gen4-card, tx_latency: 3 }", ""),
    ("a time beyond belief", "part: generic/gen4-card }", "part: generic/gen4-card, tx_latency: 3000 s }", ""),
    ("a page of no bytes", "part: generic/gen4-card }", "part: generic/gen4-card, page_bytes: 0 B }", ""),
    (
        "cycles of no clock",
        "part: generic/gen4-card }",
        "part: generic/gen4-card, core_clock: infinite, rx_latency_cycles: 12 }",
        "",
    ),
    (
        "a clock that follows the link of a datapath without a width",
        "part: generic/gen4-card }",
        "kind: dma-card, ports: { pcie: gen4 x8 }, clock_follows_link: yes, tx_latency_cycles: 12 }",
        "",
    ),
    (
        "cycles of a switch without the width of its datapath",
        "part: generic/gen3-switch }",
        "part: generic/gen3-switch, latency_cycles: 20 }",
        "",
    ),
    ("fewer credits than one TLP takes", "part: generic/gen4-card }", "part: generic/gen4-card, posted_data: 8 }", ""),
    (
        "a replay buffer that holds no TLP",
        "part: generic/gen4-card }",
        "part: generic/gen4-card, replay_buffer: 256 B }",
        "",
    ),
    (
        "completions that are no multiple of RCB",
        "slots: { a: gen4 x8",
        "rcb: 128, completion_bytes: 64, slots: { a: gen4 x8",
        "",
    ),
    (
        "a figure with two origins",
        "part: generic/gen4-card }",
        "part: generic/gen4-card, tx_latency: { value: 1 ns, cited: a, assumed: b } }",
        "",
    ),
    (
        "a figure without its value",
        "part: generic/gen4-card }",
        "part: generic/gen4-card, tx_latency: { cited: a } }",
        "",
    ),
    ("a BAR that does not fit", "part: generic/gen4-card }", "part: generic/gen4-card, bars: 1 GiB }", ""),
    ("a BAR that is no power of two", "part: generic/gen4-card }", "part: generic/gen4-card, bars: 3 MiB }", ""),
    ("several hosts", "fpga: {", "other: { part: generic/gen3-host }\n  fpga: {", ""),
    ("no host", "part: generic/gen4-host, slots: {", "kind: switch, ports: { up: gen3 x4,", ""),
    ("a part not joined to the host", "  - host.b - switch.up\n", "", ""),
    (
        "a switch without its upstream port",
        "part: generic/gen3-switch",
        "kind: switch, ports: { 'down[2]': gen3 x4 }",
        "",
    ),
    ("a count of none", "count: 2", "count: 0", ""),
    ("a count beyond reason", "count: 2", "count: 100000", ""),
    ("MPS by hand above what a part supports", "mps_policy: path", "mps: 1024", ""),
    ("a setting that does not exist", "mps_policy: path", "mps_polcy: path", ""),
    ("a setting with a wrong value", "mps_policy: path", "mps_policy: best", ""),
    ("YAML that does not read", "settings: { mps_policy", "settings: { mps_policy: [", ""),
    ("a tab for indentation", "  switch: {", "\tswitch: {", ""),
    ("a list where a mapping is wanted", "settings: { mps_policy: path }", "settings: [path]", ""),
    ("a mapping where a scalar is wanted", "count: 2", "count: { n: 2 }", ""),
    ("a key twice", "  card: {", "  host: { part: generic/gen4-host }\n  card: {", ""),
    ("an unknown section", "settings:", "setings:", ""),
    ("an unknown key of an experiment", "operation:", "opration:", ""),
    ("an unknown operation", "operation: dma-write", "operation: dma", ""),
    ("a flow that its operation does not allow", "'card -> host'", "'host -> card'", ""),
    ("a flow from nowhere", "'card -> host'", "'crad -> host'", ""),
    ("a flow that does not read", "'card -> host'", "'card host'", ""),
    ("an axis without values", "payload: [128]", "payload: []", ""),
    ("a listed value that is illegal", "payload: [128]", "payload: [130]", ""),
    ("a payload above what the path supports", "", "", "payload=1024"),
    ("a payload that is no multiple of 4", "", "", "payload=6"),
    ("more flows than there are", "", "", "flows=4"),
    ("a set of flows that does not exist", "", "", "flows=ring8"),
    ("a value outside a closed axis", "", "", "lanes=2"),
    ("a value that its field does not take", "", "", "requests=0"),
    ("an axis that does not exist", "", "", "lane=4"),
    ("an axis twice", "", "", "lanes=4;lanes=1"),
    ("an experiment that does not exist", "  write:", "  wrte:", ""),
    ("an override of an axis that leads nowhere", "1: { links.0.lanes: 1 }", "1: { links.7.lanes: 1 }", "lanes=1"),
];

#[test]
fn every_mistake_gives_one_error_with_its_place_and_what_would_be_right() {
    let mut all = String::new();
    for (name, from, to, point) in CASES {
        assert!(GOOD.contains(from), "{name}");
        let text = if from.is_empty() { GOOD.to_string() } else { GOOD.replacen(from, to, 1) };
        let error = run(&text, point).err().unwrap_or_else(|| panic!("{name}: no error"));
        assert!(!error.advice().is_empty(), "{name}");
        let _ = writeln!(all, "{name}\n  {}", error.report());
    }
    insta::assert_snapshot!(all);
}

#[test]
fn an_override_that_is_wrong_says_so_with_its_place() {
    let mut all = String::new();
    for wrong in [
        "card.tx_latency",
        "crad.tx_latency=3 ns",
        "fpga[2].tx_latency=3 ns",
        "card[0].tx_latency=3 ns",
        "fpga[x].tx_latency=3 ns",
        "card=3",
        "links.9.lanes=4",
        "links.lanes=4",
        "links.0.lanes=5",
        "settings.mrrs=100",
        "experiments.reed.volume=1 MiB",
        "experiments.write.volume=1",
        "card.tx_latncy=3 ns",
        "card.tx_latency=3",
        "fpga[1].part=generic/gen3-crad",
        "fpga.count=5",
    ] {
        let mut description = Description::from_text("x.yaml", GOOD).unwrap();
        let result = description.set(wrong).and_then(|()| description.system().map(drop));
        let error = result.err().unwrap_or_else(|| panic!("{wrong}: no error"));
        let _ = writeln!(all, "{wrong}\n  {}", error.report());
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_file_or_name_that_is_not_there_says_what_is() {
    let report = |name: &str| Description::open(name).err().map(|e| e.report()).unwrap_or_default();
    assert!(report("rosta-rb8v8").contains("did you mean `rosta-rb8v7`?"));
    assert!(report("no/such.yaml").contains("bundled machine"));
}

#[test]
fn is_a_wrong_value_of_an_axis_marked_where_it_stands_and_not_where_its_axis_is_named() {
    let marked = |text: &str, point: &str| {
        let error = run(text, point).unwrap_err();
        let place = error.place().unwrap();
        (place.file().to_string(), place.line(), place.written().to_string())
    };
    let listed = |from: &str, to: &str, point: &str| marked(&GOOD.replacen(from, to, 1), point);
    let (file, line, written) = listed("payload: [128]", "payload: [128, 130]", "");
    assert_eq!((file.as_str(), line, written.as_str()), ("x.yaml", 17, "130"));
    let (file, line, written) = listed("values: [8]", "values: [8, none]", "requests=none");
    assert_eq!((file.as_str(), line, written.as_str()), ("x.yaml", 20, "none"));
    let (file, _, written) = marked(GOOD, "requests=none");
    assert_eq!((file.as_str(), written.as_str()), ("asked for", "none"));
}

#[test]
fn does_a_time_that_is_too_long_say_how_long_one_may_be() {
    for time in ["11 s", "99999999999999 s", "1e300 s"] {
        let text = GOOD.replacen("generic/gen4-card }", &format!("generic/gen4-card, tx_latency: {time} }}"), 1);
        let report = run(&text, "").unwrap_err().report();
        assert!(report.starts_with("x.yaml:4:48") && report.contains("a time of at most 10 s"), "{report}");
    }
}

#[test]
fn does_a_flow_that_does_not_read_show_the_form_with_an_operation_of_its_own() {
    for (from, to) in [
        ("'card -> host'", "'card host'"),
        ("'card -> host'", "{ flow: 'card -> host', opration: dma-read }"),
        ("    operation: dma-write\n", ""),
    ] {
        let report = run(&GOOD.replacen(from, to, 1), "").unwrap_err().report();
        assert!(report.contains("{ flow: \"card") && report.contains("operation: dma-write }"), "{report}");
    }
}

/// Of the mistakes above, those that the schema sees: words, forms and bounds. The others need the machine.
const SEEN_BY_THE_SCHEMA: [&str; 22] = [
    "a width that no link has",
    "lanes that no link has",
    "a generation that is unknown",
    "an unknown catalogue entry",
    "an unknown kind",
    "neither part nor kind",
    "an unknown field",
    "a unit missing",
    "a figure with two origins",
    "a figure without its value",
    "a count of none",
    "a count beyond reason",
    "a setting that does not exist",
    "a setting with a wrong value",
    "YAML that does not read",
    "a tab for indentation",
    "a list where a mapping is wanted",
    "a mapping where a scalar is wanted",
    "an unknown section",
    "an unknown key of an experiment",
    "an unknown operation",
    "a flow that does not read",
];

/// What the schema says of some descriptions: their names, and whether it accepts them.
fn judged(test: &str, texts: &[(String, String)]) -> Option<Vec<(String, bool)>> {
    let python = testing::python(test, "jsonschema, yaml")?;
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("schema.json"), lanescope_system::schema::schema().to_string()).unwrap();
    let files: Vec<_> = texts.iter().enumerate().map(|(n, _)| folder.join(format!("{n}.yaml"))).collect();
    for (file, (_, text)) in files.iter().zip(texts) {
        std::fs::write(file, text).unwrap();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/check_schema.py");
    let output = std::process::Command::new(python).arg(script).arg(folder.join("schema.json")).args(&files).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let words = String::from_utf8(output.stdout).unwrap();
    let accepted = words.lines().map(|line| line.starts_with("accepted"));
    Some(texts.iter().map(|(name, _)| name.clone()).zip(accepted).collect())
}

#[test]
fn does_the_schema_accept_every_bundled_machine() {
    let name = |name: &&str| (name.to_string(), lanescope_system::bundled::text(name).unwrap().to_string());
    let mut texts: Vec<_> = lanescope_system::bundled::NAMES.iter().map(name).collect();
    texts.push(("the machine of these tests".into(), GOOD.into()));
    let Some(judged) = judged("does_the_schema_accept_every_bundled_machine", &texts) else { return };
    assert_eq!(judged.len(), texts.len());
    assert!(judged.iter().all(|(_, accepted)| *accepted), "{judged:?}");
}

#[test]
fn does_the_schema_refuse_the_mistakes_that_a_schema_can_see() {
    let cases = CASES.iter().filter(|(_, from, to, _)| !from.is_empty() && from != to);
    let texts: Vec<_> = cases.map(|(name, from, to, _)| (name.to_string(), GOOD.replacen(from, to, 1))).collect();
    let Some(judged) = judged("does_the_schema_refuse_the_mistakes_that_a_schema_can_see", &texts) else { return };
    let refused: Vec<&str> = judged.iter().filter(|(_, ok)| !ok).map(|(name, _)| name.as_str()).collect();
    assert_eq!(refused, SEEN_BY_THE_SCHEMA);
}
