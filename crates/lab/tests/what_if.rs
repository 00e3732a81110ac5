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
fn does_most_gain_what_holds_the_flow() {
    let (_, wire) = asked("rosta-rb8v7", "host-write-many", "devices=4");
    let most = |found: &WhatIf| found.gains.iter().max_by(|a, b| a.gained.total_cmp(&b.gained)).unwrap().change.clone();
    assert_eq!((most(&wire).sort, most(&wire).from.as_str()), (Sort::Part, "Gen2 x8"));
    let (_, tags) = asked("gen4-workstation", "dma-read", "requests=4;lanes=8");
    assert_eq!(most(&tags).what, "card.read_requests");
    let (_, slot) = asked("gen4-workstation", "dma-write", "payload=256;lanes=4");
    // The slot has four lanes; the experiment lists the other slot that exists.
    let other = slot.gains.iter().find(|gain| gain.change.what == "axis lanes").unwrap();
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
    let cost = |gain: &lanescope_lab::what_if::Gain| (gain.change.sort, -gain.gained);
    assert!(found.gains.len() > 5 && found.gains.is_sorted_by(|a, b| cost(a) <= cost(b)));
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
        .map(|part| part.fields().filter(|f| !f.improved(&part.value(f.name).unwrap()).is_empty()).count())
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

/// A card of Gen3 x8 in a slot of four lanes behind a chipset, as people have them, and what is free in the machine.
fn in_the_chipset(host: &str, chipset: &str, card: &str) -> (DescribedMachine, WhatIf) {
    let text = format!(
        "parts:
  host:    {{ part: generic/gen5-host, slots: {{ dmi: gen4 x4{host} }} }}
  chipset: {{ kind: switch, ports: {{ up: gen4 x4, down: gen4 x4{chipset} }}, mps: 512 }}
  card:    {{ {card} }}
links:
  - host.dmi - chipset.up
  - {{ join: chipset.down - card.pcie, lanes: 4 }}
settings: {{ mps: 128, mrrs: 512, bars: above 4 GiB }}
experiments:
  write: {{ operation: dma-write, command: 64 KiB, volume: 1 MiB, flows: ['card -> host'], measures: [throughput] }}
"
    );
    let machine = DescribedMachine::described("m", system::Description::from_text("m.yaml", &text).unwrap()).unwrap();
    let found = what_if(&machine, &machine.description().experiments()[0].clone(), &[At::default()]).unwrap();
    (machine, found)
}

fn slots(found: &WhatIf) -> Vec<(&str, &str)> {
    let slots = found.gains.iter().filter(|gain| gain.change.sort == Sort::Slot);
    slots.map(|gain| (gain.change.what.as_str(), gain.change.to.as_str())).collect()
}

#[test]
fn is_a_free_slot_of_every_part_offered_and_only_one_that_takes_a_card() {
    let card = "part: generic/gen3-card";
    let free = |host: &str, chipset: &str| {
        let (_, found) = in_the_chipset(host, chipset, card);
        slots(&found).into_iter().map(|(what, to)| format!("{what}: {to}")).collect::<Vec<_>>()
    };
    assert_eq!(free(", slot1: gen5 x16", ""), ["card.pcie in host.slot1, which is free: Gen3 x8"]);
    assert_eq!(free(", \"slot[2]\": gen5 x16", ""), ["card.pcie in host.slot[0], which is free: Gen3 x8"]);
    assert_eq!(free("", ", other: gen3 x8"), ["card.pcie in chipset.other, which is free: Gen3 x8"]);
    assert_eq!(free(", m2: gen5 x4, sata: gen5 x16, usb: gen5 x8", ", dmi: gen4 x8"), Vec::<String>::new());
    let both = free(", a: gen5 x4, b: gen3 x16", "");
    assert_eq!(both[0], "card.pcie in host.b, which is free: Gen3 x8", "{both:?}");
}

#[test]
fn does_a_free_slot_give_what_the_machine_gives_that_is_described_so() {
    let (machine, found) = in_the_chipset(", slot1: gen5 x16", "", "part: generic/gen3-card");
    let moved = found.gains.iter().find(|gain| gain.change.sort == Sort::Slot).unwrap();
    let (machine, sets) = (machine.with(&moved.change.sets).unwrap(), &moved.change.sets);
    let system = machine.description().system().unwrap();
    let (_, above) = system.above(system.part_named("card").unwrap()).unwrap();
    assert_eq!(system.part(above).name, "host", "{sets:?}");
    assert!(moved.then > 1.7 * found.now, "{} {}", moved.then, found.now);
}

#[test]
fn is_what_costs_nothing_before_a_free_slot_and_that_before_a_new_part() {
    let (_, found) = in_the_chipset(", slot1: gen5 x16", "", "part: generic/gen3-card");
    let sorts: Vec<Sort> = found.gains.iter().map(|gain| gain.change.sort).collect();
    assert!(sorts.is_sorted(), "{sorts:?}");
    for sort in [Sort::Setting, Sort::Slot, Sort::Part] {
        assert!(sorts.contains(&sort), "{sorts:?}");
    }
    // A generation that the card has not is a new card.
    let newer = found.gains.iter().find(|gain| gain.change.what.contains("freed")).unwrap();
    assert_eq!(newer.change.sort, Sort::Part);
}

#[test]
fn is_each_change_listed_once_under_whatever_name() {
    for (system, experiment, at) in [
        ("gen4-workstation", "dma-write", "payload=128;lanes=4"),
        ("gen4-workstation", "dma-write", "payload=256;lanes=4"),
        ("rosta-rb8v7", "p2p-write", "flows=ring8;payload=128"),
        ("kfcr-5400", "dma-read", "core=kf;lanes=8;size=4096"),
    ] {
        let (_, found) = asked(system, experiment, at);
        once(&found, system);
    }
    once(&in_the_chipset(", slot1: gen5 x16", "", "part: generic/gen3-card").1, "described");
    once(&in_the_chipset("", "", "part: generic/gen3-card, mps: 128").1, "described");
}

/// No two changes do the same, and Max_Payload_Size of all parts is one of them.
fn once(found: &WhatIf, system: &str) {
    let sizes = |gain: &&lanescope_lab::what_if::Gain| {
        let all = ["Max_Payload_Size", "settings.mps", "axis payload"];
        all.iter().any(|name| gain.change.what == *name || gain.change.what.starts_with("Max_Payload_Size,"))
    };
    assert!(
        found.gains.iter().filter(sizes).count() <= 1,
        "{system}: {:?}",
        found.gains.iter().filter(sizes).collect::<Vec<_>>()
    );
    for (place, gain) in found.gains.iter().enumerate() {
        let same = |other: &lanescope_lab::what_if::Gain| {
            (&other.change.sets, &other.change.axis) == (&gain.change.sets, &gain.change.axis)
        };
        assert!(!found.gains[..place].iter().any(same), "{system}: {} twice", gain.change.what);
    }
}
