//! Is settled what training and firmware would settle?

#![allow(clippy::unwrap_used)]

use lanescope_system::{Description, Origin, System};

const MACHINE: &str = "\
parts:
  host: { kind: host, slots: { a: gen4 x16, b: gen3 x4 }, mps: 256, completer_tag_bits: 8 }
  switch: { kind: switch, ports: { up: gen3 x8, 'down[2]': gen3 x8 }, mps: 512 }
  card: { kind: dma-card, ports: { pcie: gen5 x8 }, mps: 512, tag_bits: 10, bars: 16 MiB }
  near: { kind: dma-card, ports: { pcie: gen3 x8 }, mps: 128, tag_bits: 5 }
links:
  - { join: host.a - switch.up, lanes: 4 }
  - switch.down[1] - card.pcie
  - host.b - near.pcie
";

fn system(sets: &[&str]) -> System {
    let mut description = Description::from_text("x.yaml", MACHINE).unwrap();
    sets.iter().for_each(|set| description.set(set).unwrap());
    description.system().unwrap()
}

fn link(sets: &[&str], number: usize) -> (String, String) {
    let link = system(sets).links[number].clone();
    (link.speed.to_string(), link.why.to_string())
}

fn mps(sets: &[&str]) -> Vec<u64> {
    system(sets).parts.iter().map(|p| p.mps.bytes()).collect()
}

#[test]
fn a_link_trains_to_what_both_ends_and_the_wiring_allow_and_says_why_not_more() {
    assert_eq!(link(&[], 0), ("Gen3 x4".into(), "x4 of x16: the slot has 4 lanes; Gen3 of Gen4: switch.up".into()));
    assert_eq!(link(&[], 1), ("Gen3 x8".into(), "Gen3 of Gen5: switch.down[1]".into()));
    assert_eq!(link(&[], 2), ("Gen3 x4".into(), "x4 of x8: the slot host.b has 4 lanes".into()));
    assert_eq!(link(&["links.1.gen=1"], 1), ("Gen1 x8".into(), "Gen1 of Gen5: the link is held to it".into()));
    assert_eq!(link(&["links.2.lanes=1"], 2).1, "x1 of x8: the slot has 1 lane");
    assert_eq!(link(&["near.ports.pcie=gen3 x4"], 2), ("Gen3 x4".into(), String::new()));
}

#[test]
fn mps_is_the_trees_minimum_or_the_paths_or_what_a_hand_wrote() {
    assert_eq!(mps(&[]), [128, 128, 128, 128]);
    assert_eq!(mps(&["settings.mps_policy=path"]), [256, 256, 256, 128]);
    assert_eq!(mps(&["settings.mps=128"]), [128; 4]);
    assert_eq!(mps(&["card.setpci.mps=512", "switch.setpci.mps=256"]), [128, 256, 512, 128]);
}

#[test]
fn mrrs_is_the_standards_until_somebody_writes_it() {
    let mrrs = |sets: &[&str]| system(sets).parts.iter().map(|p| p.mrrs.bytes()).collect::<Vec<_>>();
    assert_eq!(mrrs(&[]), [512; 4]);
    assert_eq!(mrrs(&["settings.mrrs=4096", "near.setpci.mrrs=1024"]), [4096, 4096, 4096, 1024]);
}

#[test]
fn tags_are_what_requester_and_completer_have_in_common() {
    let tags = |sets: &[&str]| system(sets).parts[2..].iter().map(|p| p.tags).collect::<Vec<_>>();
    assert_eq!(tags(&[]), [256, 32]);
    assert_eq!(tags(&["host.completer_tag_bits=10"]), [768, 32]);
    assert_eq!(tags(&["host.completer_tag_bits=14", "card.tag_bits=14"]), [15360, 32]);
}

#[test]
fn buses_are_numbered_depth_first() {
    let system = system(&[]);
    let of = |name: &str| system.bdf(system.part_named(name).unwrap()).to_string();
    assert_eq!(["host", "switch", "card", "near"].map(of), ["00:00.0", "01:00.0", "04:00.0", "05:00.0"]);
    let up = system.port(system.up(system.part_named("switch").unwrap()).unwrap());
    assert_eq!(up.buses, (2, 4));
}

#[test]
fn a_root_port_may_have_a_segment_group_of_its_own() {
    let system = system(&["settings.segments=root-port"]);
    let of = |name: &str| system.bdf(system.part_named(name).unwrap()).to_string();
    assert_eq!(["host", "switch", "card", "near"].map(of), ["00:00.0", "01:00.0", "04:00.0", "0001:01:00.0"]);
    // The same bus number below both root ports: completions find their way by the Segment Group.
    let near = system.part_named("near").unwrap();
    assert_eq!(
        system.route_id(system.host(), system.bdf(near)).map(|port| system.port(port).name.as_str()),
        Some("host.b")
    );
}

#[test]
fn a_bar_lies_above_4_gib_only_where_it_is_64_bit_and_firmware_wants_it() {
    let base = |sets: &[&str]| system(sets).parts[2].bars[0].window.base >> 32 > 0;
    assert!(!base(&[]));
    assert!(!base(&["settings.bars=above 4 GiB"]));
    assert!(!base(&["card.bars=16 MiB 64-bit"]));
    assert!(base(&["card.bars=16 MiB 64-bit", "settings.bars=above 4 GiB"]));
    let large = system(&["card.bars=64 GiB 64-bit", "settings.bars=above 4 GiB"]);
    assert_eq!(large.bar_bytes(large.part_named("card").unwrap()).map(|b| b.0), Some(64 << 30));
}

#[test]
fn every_field_of_every_part_has_a_figure_and_an_override_is_seen_in_it() {
    let system = system(&["card.tx_latency=7 ns"]);
    for part in &system.parts {
        assert!(part.kind.fields().iter().all(|field| part.figures.iter().any(|f| f.field == field.name)));
    }
    let figure = system.parts[2].figures.iter().find(|f| f.field == "tx_latency").unwrap();
    assert_eq!((figure.value.as_str(), figure.origin.word()), ("7 ns", "override"));
    assert_eq!(system.parts[3].figures[0].origin, Origin::Default);
}

#[test]
fn every_entry_of_the_catalogue_fits_into_a_machine() {
    for entry in lanescope_system::catalogue::entries().unwrap() {
        assert!(!entry.about().is_empty(), "{}", entry.name);
        let texts = [
            format!("parts: {{ host: {} }}", entry.name),
            format!("parts: {{ host: generic/gen3-host, x: {} }}\nlinks: [host.pcie - x.up]", entry.name),
            format!("parts: {{ host: generic/gen3-host, x: {} }}\nlinks: [host.pcie - x.pcie]", entry.name),
        ];
        let fits =
            texts.iter().filter(|text| Description::from_text("x", text).and_then(|d| d.system()).is_ok()).count();
        assert_eq!(fits, 1, "{}", entry.name);
    }
}
