//! Do the reported improvements have the reported effect?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_lab::what_if::{Sort, WhatIf, what_if};
use lanescope_lab::{At, DescribedMachine};

fn asked(system: &str, experiment: &str, at: &str) -> (DescribedMachine, WhatIf) {
    let machine = DescribedMachine::open(system, &[]).unwrap();
    let found = {
        let experiment = machine.description().experiment(experiment).unwrap();
        what_if(&machine, experiment, &[At::parse(at).unwrap()]).unwrap()
    };
    (machine, found)
}

#[test]
fn does_the_list_begin_with_what_holds_the_flow() {
    let (_, wire) = asked("rosta-rb8v7", "host-write-many", "devices=4");
    assert_eq!((wire.gains[0].change.sort, wire.gains[0].change.from.as_str()), (Sort::Link, "Gen2 x8"));
    let (_, tags) = asked("gen4-workstation", "dma-read", "requests=4;lanes=8");
    assert_eq!(tags.gains[0].change.what, "card.read_requests");
    let (_, slot) = asked("gen4-workstation", "dma-write", "payload=256;lanes=4");
    // The slot has four lanes; the experiment lists the other slot that exists.
    let other = slot.gains.iter().take(2).find(|gain| gain.change.what == "axis lanes").unwrap();
    assert_eq!((other.change.from.as_str(), other.change.to.as_str()), ("4", "8"));
}

/// The links that gain lanes by a change with a gain, each with its new speed.
fn wider(text: &str) -> Vec<(String, String)> {
    let machine =
        DescribedMachine::described("slots", system::Description::from_text("slots.yaml", text).unwrap()).unwrap();
    let found = what_if(&machine, &machine.description().experiments()[0].clone(), &[At::default()]).unwrap();
    let lanes = |speed: &str| speed.rsplit_once(" x").and_then(|(_, lanes)| lanes.parse::<u32>().ok());
    let changes = found.gains.iter().map(|gain| &gain.change);
    let wider = changes.filter(|c| lanes(&c.to).zip(lanes(&c.from)).is_some_and(|(to, from)| to > from));
    wider.map(|change| (change.what.clone(), change.to.clone())).collect()
}

#[test]
fn is_no_width_promised_that_the_slot_has_not() {
    let text = |slots: &str, card: &str, link: &str| {
        format!(
            "parts:
  host: {{ kind: host, slots: {{ {slots} }} }}
  card: {{ kind: dma-card, ports: {{ pcie: {card} }}, bars: 1 MiB, fifo: 64 KiB }}
links: [{link}]
experiments:
  write: {{ operation: dma-write, command: 64 KiB, volume: 1 MiB, flows: ['card -> host'], measures: [throughput_sum] }}
"
        )
    };
    let plain = "host.pcie - card.pcie";
    // A slot of four lanes, or with four wired lanes, whatever the card has.
    assert_eq!(wider(&text("pcie: gen3 x4", "gen3 x8", plain)), []);
    assert_eq!(wider(&text("pcie: gen3 x4", "gen3 x4", plain)), []);
    assert_eq!(wider(&text("pcie: gen3 x16", "gen3 x8", "{ join: host.pcie - card.pcie, lanes: 4 }")), []);
    assert_eq!(wider(&text("pcie: gen3 x16", "gen3 x4", "{ join: host.pcie - card.pcie, lanes: 4 }")), []);
    // A slot with more lanes than the card: the card may get as many as the slot has.
    let card = wider(&text("pcie: gen3 x4", "gen3 x2", plain));
    assert_eq!(card, [("host.pcie - card.pcie, width of card.pcie".to_string(), "Gen3 x4".to_string())]);
    // Another slot that is free.
    let free = wider(&text("pcie: gen3 x4, other: gen3 x16", "gen3 x8", plain));
    assert_eq!(free, [("card.pcie in host.other, which is free".to_string(), "Gen3 x8".to_string())]);
}

#[test]
fn does_each_change_give_what_it_is_said_to_give() {
    let (machine, found) = asked("kfcr-5400", "dma-read", "core=kf;lanes=8;size=4096");
    let experiment = machine.description().experiment("dma-read").unwrap();
    assert!(found.gains.len() > 5 && found.gains.is_sorted_by(|a, b| a.gained >= b.gained));
    for gain in found.gains.iter().filter(|gain| gain.change.axis.is_none()) {
        let better = machine.with(&gain.change.sets).unwrap();
        let job = better.job(experiment, At::parse("core=kf;lanes=8;size=4096").unwrap()).unwrap();
        let then = limit::limit(&job.scenario).together[0].app.as_mb_per_s();
        assert!((then - gain.then).abs() < 1e-6, "{:?}", gain.change);
    }
}

#[test]
fn is_everything_tried_that_a_kind_declares_and_no_mechanism_of_the_standard() {
    let (machine, found) = asked("rosta-rb8v7", "p2p-write", "flows=ring8;payload=128");
    let system = machine.description().system().unwrap();
    let movable: usize = ["host", "rha25", "board[0]", "card[0]"]
        .iter()
        .map(|name| system.part(system.part_named(name).unwrap()))
        .map(|part| part.fields().filter(|f| !f.scale.better(&part.value(f.name).unwrap()).is_empty()).count())
        .sum();
    assert!(found.tried > movable, "{} of {movable}", found.tried);
    let mechanism = |gain: &lanescope_lab::what_if::Gain| {
        gain.change.what.ends_with(".skp") || gain.change.what.ends_with(".dllps")
    };
    assert!(!found.gains.iter().any(mechanism));
    // Without both mechanisms, the same flows would be faster. So they were not left out for lack of effect.
    let without = machine.with(["card.dllps=no", "board.dllps=no"]).unwrap();
    let experiment = without.description().experiment("p2p-write").unwrap();
    let job = without.job(experiment, At::parse("flows=ring8;payload=128").unwrap()).unwrap();
    let sum: f64 = limit::limit(&job.scenario).together.iter().map(|flow| flow.stream.as_mb_per_s()).sum();
    assert!(sum > found.now * 1.01, "{sum} {}", found.now);
}
