//! Is a setting that another one would undo refused, and one that only goes before another not?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_system::{Description, Error, Point, Problem, Scenario};

const MACHINE: &str = "
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen3 x8 } }
  switch: { part: generic/gen3-switch }
  card: { part: generic/gen3-card, count: 2 }
links: ['{ join: host.pcie - switch.up, lanes: 4 }', 'switch.down[i] - card[i].pcie']
experiments:
  read:
    operation: dma-read
    flows: ['host -> card[0]']
    set: { card.read_requests: 2, host.read_latency: 300 ns }
    axes:
      requests: { set: [card.read_requests], values: [1, 16] }
      again: { set: [card.read_requests] }
      one: { set: ['card[0].read_requests'] }
      lanes: { narrow: { links.0.lanes: 1, card.core_width: 8 B }, wide: { links.0.lanes: 8 } }
      payload: { values: [] }
      size: { values: [] }
      cards: { values: [] }
      flows: { values: [] }
  write:
    operation: dma-write
    flows: ['card[0] -> host']
    axes: { payload: [64, 128] }
";

fn point(experiment: &str, at: &str, sets: &[&str]) -> Result<Scenario, Error> {
    let text = MACHINE.replace("'{ join", "{ join").replace("4 }'", "4 }");
    let mut description = Description::from_text("two.yaml", &text).unwrap();
    sets.iter().try_for_each(|set| description.set(set))?;
    description.scenario(description.experiment(experiment)?, &Point::parse(at).unwrap())
}

fn card(scenario: &Scenario, number: usize) -> &lanescope_system::kinds::card::CardParams {
    scenario.system.parts[2 + number].kind.card().unwrap()
}

#[test]
fn what_an_axis_and_the_command_line_both_set_is_refused_and_both_are_named() {
    let cases: [(&str, &str, &[&str], &str, &str); 9] = [
        ("read", "requests=16", &["card.read_requests=4"], "requests=16", "--set card.read_requests=4"),
        ("read", "one=16", &["card.read_requests=4"], "one=16", "--set card.read_requests=4"),
        ("read", "lanes=narrow", &["links.0.lanes=8"], "lanes=narrow", "--set links.0.lanes=8"),
        ("read", "lanes=narrow", &["card.core_width=16 B"], "lanes=narrow", "--set card.core_width=16 B"),
        ("read", "size=4096", &["experiments.read.command=8 KiB"], "size=4096", "--set experiments.read.command"),
        ("read", "payload=64", &["host.completion_bytes=128"], "payload=64", "--set host.completion_bytes=128"),
        ("write", "payload=64", &["card[0].payload=128"], "payload=64", "--set card[0].payload=128"),
        ("write", "payload=256", &["settings.mps=128"], "payload=256", "--set settings.mps=128"),
        ("write", "payload=256", &["switch.setpci.mps=128"], "payload=256", "--set switch.setpci.mps=128"),
    ];
    for (experiment, at, sets, axis, set) in cases {
        let error = point(experiment, at, sets).map(drop).unwrap_err();
        assert!(matches!(error.problem(), Problem::TwoSettings { .. }), "{at} {sets:?}: {}", error.report());
        let report = error.report();
        assert!(report.contains(&format!("`{axis}`")) && report.contains(set) && report.contains("--axis"), "{report}");
    }
}

#[test]
fn two_axes_of_one_field_and_two_that_choose_flows_are_refused() {
    for at in ["requests=1;again=2", "one=1;requests=2", "cards=1;flows=1"] {
        let report = point("read", at, &[]).map(drop).unwrap_err().report();
        assert!(report.contains("both set") && report.contains("one axis"), "{at}: {report}");
    }
}

#[test]
fn a_field_asked_for_twice_is_refused_and_a_narrower_one_after_a_wider_is_an_exception() {
    let twice = point("write", "", &["card.read_requests=1", "card.read_requests=2"]).map(drop).unwrap_err().report();
    assert!(twice.contains("`--set card.read_requests=1` and `--set card.read_requests=2`"), "{twice}");
    let order = point("write", "", &["card[1].read_requests=1", "card.read_requests=2"]).map(drop).unwrap_err();
    assert!(order.advice().contains("the wider one first"), "{}", order.report());
    let both = point("write", "", &["card.read_requests=2", "card[1].read_requests=1"]).unwrap();
    assert_eq!([0, 1].map(|n| card(&both, n).read_requests.0), [2, 1]);
    let slots = point("write", "", &["host.slots.pcie=gen2 x8", "host.ports.pcie=gen1 x8"]).map(drop).unwrap_err();
    assert!(slots.report().contains("both set host.ports.pcie"), "{}", slots.report());
}

#[test]
fn an_experiments_own_set_gives_way_to_its_axes_and_to_the_command_line() {
    assert_eq!(card(&point("read", "", &[]).unwrap(), 0).read_requests.0, 2);
    assert_eq!(card(&point("read", "requests=16", &[]).unwrap(), 0).read_requests.0, 16);
    assert_eq!(card(&point("read", "", &["card.read_requests=4"]).unwrap(), 0).read_requests.0, 4);
    // What goes beside an axis takes nothing from it: another field, another value of the list, a narrower one.
    let beside = point("read", "requests=16;lanes=wide", &["card.core_width=16 B", "card[1].read_requests=4"]).unwrap();
    assert_eq!([0, 1].map(|n| card(&beside, n).read_requests.0), [16, 4]);
    assert_eq!(beside.system.links[0].speed.to_string(), "Gen3 x8");
}

#[test]
fn a_program_that_tries_a_value_has_it_in_place_of_an_axis() {
    let text = MACHINE.replace("'{ join", "{ join").replace("4 }'", "4 }");
    let mut description = Description::from_text("two.yaml", &text).unwrap();
    description.set("card.read_requests=4").unwrap();
    description.supersede("card.read_requests=8").unwrap();
    description.supersede("links.0.lanes=2").unwrap();
    let at = Point::parse("lanes=narrow").unwrap();
    let found = description.scenario(description.experiment("read").unwrap(), &at).unwrap();
    assert_eq!((card(&found, 0).read_requests.0, found.system.links[0].speed.to_string()), (8, "Gen3 x2".into()));
}

#[test]
fn a_command_of_one_tlp_has_no_size() {
    let text = MACHINE
        .replace("'{ join", "{ join")
        .replace("4 }'", "4 }")
        .replace("    operation: dma-write\n", "    operation: dma-write\n    command: one TLP\n");
    assert!(Description::from_text("one.yaml", &text).is_ok());
    let wrong = text.replace("{ payload: [64, 128] }", "{ size: [64, 128] }");
    let report = Description::from_text("one.yaml", &wrong).unwrap_err().report();
    assert!(report.contains("one TLP") && report.contains("sweep `payload`"), "{report}");
}
