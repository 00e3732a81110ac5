//! Is what is said of one port taken, kept with its origin, and refused where it does not go?

#![allow(clippy::unwrap_used)]

use lanescope_system::{AmendError, Change, Description, Error, Origin, PortId, System, tree};

const MACHINE: &str = "\
parts:
  host:
    kind: host
    slots: { a: gen3 x8, b: gen3 x4 }
    mps: 512
    completion_bytes: 256
    at: { b: { completion_bytes: { value: 64, cited: a data sheet }, mps: 256 } }
  switch:
    kind: switch
    count: 2
    at: { 'down[1..2]': { port_cap: 800 MB/s }, 'down[2]': { port_cap: 900 MB/s, posted_data: 64 } }
    ports: { up: gen3 x8, 'down[4]': gen3 x4 }
    mps: 512
  card: { kind: dma-card, ports: { pcie: gen3 x8 }, mps: 512, at: { pcie: { replay_buffer: 8 KiB } } }
  near: { kind: dma-card, ports: { pcie: gen3 x8 }, mps: 512 }
links:
  - host.a - switch[0].up
  - host.b - switch[1].up
  - switch[0].down[0] - card.pcie
  - switch[1].down[0] - near.pcie
settings: { mps_policy: path }
";

fn described(sets: &[&str]) -> Result<Description, Error> {
    let mut description = Description::from_text("x.yaml", MACHINE)?;
    sets.iter().try_for_each(|set| description.set(set))?;
    Ok(description)
}

fn system(sets: &[&str]) -> System {
    described(sets).unwrap().system().unwrap()
}

fn at(system: &System, name: &str) -> PortId {
    PortId(system.ports.iter().position(|port| port.name == name).unwrap())
}

/// A field at a port, as it would be written.
fn value(system: &System, port: &str, field: &str) -> String {
    let port = at(system, port);
    system.kind_at(port).get(field).or_else(|| lanescope_system::Params::get(&*system.habits(port), field)).unwrap()
}

#[test]
fn a_port_has_what_is_said_of_it_and_all_else_of_its_part() {
    let system = system(&[]);
    assert_eq!(value(&system, "host.a", "completion_bytes"), "256");
    assert_eq!(value(&system, "host.b", "completion_bytes"), "64");
    let caps: Vec<String> = (0..4).map(|n| value(&system, &format!("switch[1].down[{n}]"), "port_cap")).collect();
    assert_eq!(caps, ["infinite", "800 MB/s", "900 MB/s", "infinite"]);
    assert_eq!(value(&system, "switch[0].down[2]", "posted_data"), "64");
    assert_eq!(value(&system, "card.pcie", "replay_buffer"), "8 KiB");
    assert_eq!(system.port_cap(at(&system, "switch[0].up")), None, "only ports that face down have one");
}

#[test]
fn what_comes_later_goes_before_and_the_whole_part_covers_its_ports() {
    let cap = |sets: &[&str], port| value(&system(sets), port, "port_cap");
    assert_eq!(cap(&["switch.down[1].port_cap=1 GB/s"], "switch[0].down[1]"), "1000 MB/s");
    assert_eq!(cap(&["switch[1].down.port_cap=1 GB/s"], "switch[1].down[3]"), "1000 MB/s");
    assert_eq!(cap(&["switch[1].down.port_cap=1 GB/s"], "switch[0].down[3]"), "infinite");
    assert_eq!(cap(&["switch.port_cap=1 GB/s"], "switch[0].down[2]"), "1000 MB/s");
    let both = ["switch.port_cap=1 GB/s", "switch.down[2].port_cap=2 GB/s"];
    assert_eq!(cap(&both, "switch[0].down[2]"), "2000 MB/s");
    let refused = |sets: &[&str]| described(sets).err().map(|error| error.report()).unwrap_or_default();
    assert!(refused(&[both[1], both[0]]).contains("switch.down[2].port_cap"), "{}", refused(&[both[1], both[0]]));
    assert!(refused(&["host.a.skp=no", "host . a.skp=yes"]).contains("say it once"));
}

#[test]
fn mps_of_a_port_is_what_it_supports_its_way_allows_or_a_hand_wrote() {
    let mps = |sets: &[&str]| {
        let system = system(sets);
        let of = |name: &str| system.mps(at(&system, name)).bytes();
        [of("host.a"), of("host.b"), of("switch[0].down[0]"), of("switch[1].up"), of("card.pcie"), of("near.pcie")]
    };
    assert_eq!(mps(&[]), [512, 256, 512, 256, 512, 256], "the least of each way up");
    assert_eq!(mps(&["settings.mps_policy=tree-minimum"]), [256; 6]);
    assert_eq!(mps(&["switch[0].down[0].setpci.mps=128"]), [512, 256, 128, 256, 512, 256]);
    assert_eq!(mps(&["settings.mps=128", "host.a.setpci.mps=256"])[..2], [256, 128]);
    let error = described(&["host.b.setpci.mps=512"]).unwrap().system().unwrap_err();
    assert!(error.report().contains("`host.b` supports: 256"), "{}", error.report());
}

#[test]
fn what_ports_have_for_themselves_is_listed_with_its_origin() {
    let system = system(&["host.a.lane_cap=100 MB/s"]);
    let line =
        |row: &tree::Row| format!("{} {} {} {}", row.parts, row.figure.field, row.figure.value, row.figure.origin);
    let all: Vec<String> = tree::figures(&system, false).iter().map(line).collect();
    for wanted in [
        "host.a lane_cap 100 MB/s override by --set host.a.lane_cap=100 MB/s",
        "host.b completion_bytes 64 cited: a data sheet",
        "switch[0..1].down[1] port_cap 800 MB/s given, x.yaml:11",
        "card.pcie replay_buffer 8 KiB given, x.yaml:14",
    ] {
        assert!(all.iter().any(|line| line == wanted), "{wanted}: {all:#?}");
    }
    assert!(tree::show(&system).contains("a 00:01.0  lane_cap 100 MB/s"), "{}", tree::show(&system));
}

#[test]
fn what_does_not_go_is_refused_with_its_place_and_what_would_be_right() {
    let advice = |set: &str| match described(&[set]).and_then(|described| described.system()) {
        Ok(_) => panic!("{set} was taken"),
        Err(error) => error.report(),
    };
    for (set, wanted) in [
        ("switch.down[4].port_cap=1 GB/s", "`down[0]` to `down[3]`"),
        ("switch.up[0].port_cap=1 GB/s", "without an index"),
        ("switch.dwn[1].port_cap=1 GB/s", "`down`"),
        ("switch.down[3..1].port_cap=1 GB/s", "`down[0..3]`"),
        ("switch.down[1].port_cp=1 GB/s", "`port_cap`"),
        ("switch.down[1].port_cap=1", "a rate with its unit"),
        ("switch.down[1].latency=1 ns", "of the whole part"),
        ("switch.down[1].posted_data=8", "takes 32 data credits"),
        ("host.a.completion_bytes=96", "a multiple of 64"),
        ("host.a.setpci.mps=100", "128, 256, 512"),
        ("card.pcie.setpci.mps=128", "one Max_Payload_Size"),
    ] {
        let report = advice(set);
        assert!(report.contains(wanted), "{set}: {report}");
    }
    let text = MACHINE.replace("port_cap: 800 MB/s", "port_cap: 800");
    let error = Description::from_text("x.yaml", &text).and_then(|described| described.system()).unwrap_err();
    assert!(error.report().contains("x.yaml:11"), "{}", error.report());
}

#[test]
fn a_port_is_changed_through_the_door_and_a_part_with_all_its_ports() {
    let (mut system, by) = (system(&[]), || Origin::Override("a test".into()));
    let (host, a, card) = (system.host(), at(&system, "host.a"), at(&system, "card.pcie"));
    system.amend(Change::PortField(a, "completion_bytes", "128".into()), by()).unwrap();
    system.amend(Change::PortMps(a, pcie::PayloadSize::MIN), by()).unwrap();
    assert_eq!((value(&system, "host.a", "completion_bytes").as_str(), system.mps(a).bytes()), ("128", 128));
    assert!(system.port(a).own.iter().all(|figure| figure.origin == by()));
    let no = |system: &mut System, change| system.amend(change, by()).unwrap_err();
    assert!(matches!(no(&mut system, Change::PortField(a, "rcb", "64".into())), AmendError::NoField { .. }));
    assert!(matches!(no(&mut system, Change::PortField(a, "skp", "maybe".into())), AmendError::Value { .. }));
    assert!(matches!(no(&mut system, Change::PortMps(card, pcie::PayloadSize::MIN)), AmendError::NoField { .. }));
    assert_eq!(no(&mut system, Change::PortField(PortId(999), "skp", "no".into())), AmendError::Nobody);
    system.amend(Change::Field(host, "completion_bytes", "192".into()), by()).unwrap();
    system.amend(Change::Mps(host, pcie::PayloadSize::MAX), by()).unwrap();
    for port in ["host.a", "host.b"] {
        let mps = system.mps(at(&system, port)).bytes();
        assert_eq!((value(&system, port, "completion_bytes").as_str(), mps), ("192", 4096));
    }
}
