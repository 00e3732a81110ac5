//! Does a point of an experiment give the machine and the flows that it names?

#![allow(clippy::unwrap_used)]

use lanescope_system::field::Cap;
use lanescope_system::{Description, Drive, Operation, PartId, Point, Scenario};

fn scenario(system: &str, experiment: &str, at: &str, sets: &[&str]) -> Scenario {
    let mut description = Description::bundled(system).unwrap();
    sets.iter().for_each(|set| description.set(set).unwrap());
    let experiment = description.experiment(experiment).unwrap();
    description.scenario(experiment, &Point::parse(at).unwrap()).unwrap()
}

fn refused(system: &str, experiment: &str, at: &str) -> String {
    let description = Description::bundled(system).unwrap();
    let experiment = description.experiment(experiment).unwrap();
    description.scenario(experiment, &Point::parse(at).unwrap()).unwrap_err().report()
}

fn names(scenario: &Scenario) -> Vec<&str> {
    scenario.flows.iter().map(|f| f.name.as_str()).collect()
}

fn payload(scenario: &Scenario, part: PartId) -> Option<u64> {
    scenario.system.part(part).kind.card()?.payload.0.map(|p| p.0)
}

#[test]
fn a_number_takes_the_first_flows_and_a_name_takes_its_set() {
    let at = |flows: &str| scenario("rosta-rb8v7", "p2p-write", flows, &[]);
    assert_eq!(names(&at("flows=2")), ["card[0] -> card[1]", "card[1] -> card[2]"]);
    assert_eq!(names(&at("")), ["card[0] -> card[1]"]);
    assert_eq!(names(&at("flows=ring8"))[7], "card[7] -> card[0]");
    assert_eq!(at("flows=cross8").flows.len(), 8);
    let devices = scenario("rosta-rb8v7", "host-write-many", "devices=4", &[]);
    assert_eq!(names(&devices), ["card[0] -> host", "card[4] -> host", "card[1] -> host", "card[5] -> host"]);
}

#[test]
fn payload_raises_mps_on_the_path_and_nowhere_else() {
    for (bytes, mps) in [(4, 128), (128, 128), (132, 256), (256, 256), (512, 512)] {
        let s = scenario("rosta-rb8v7", "p2p-write", &format!("flows=1;payload={bytes}"), &[]);
        let of = |name: &str| s.system.part(s.system.part_named(name).unwrap()).mps.bytes();
        assert_eq!(["card[0]", "board[0]", "card[1]"].map(of), [mps; 3], "{bytes}");
        assert_eq!(["host", "rha25", "board[1]", "card[2]"].map(of), [128; 4], "{bytes}");
        assert_eq!(payload(&s, s.flows[0].initiator), Some(bytes));
        assert_eq!(payload(&s, s.flows[0].target), None);
    }
}

#[test]
fn payload_above_what_the_path_supports_is_refused_and_names_the_least() {
    let report = refused("rosta-rb8v7", "host-write", "payload=256");
    assert!(report.contains("passes `host`, which supports 128 bytes"), "{report}");
    assert!(report.contains("from 4 to 128"), "{report}");
    assert!(refused("rosta-rb8v7", "p2p-write", "flows=cross8;payload=1024").contains("supports 512 bytes"));
    assert!(refused("rosta-rb8v7", "p2p-write", "payload=0").contains("multiple of 4"));
}

#[test]
fn size_is_the_command_and_the_volume_is_whole_commands() {
    for (size, volume) in [(1, 4000), (512, 2_048_000), (32768, 245 * 32768)] {
        let s = scenario("kfcr-5400", "dma-read", &format!("core=kf;lanes=8;size={size}"), &[]);
        assert_eq!((s.flows[0].command.0, s.flows[0].volume.0), (size, volume));
        assert_eq!(s.flows[0].drive, Drive::Software);
    }
    let s = scenario("rosta-rb8v7", "p2p-latency", "switches=3;payload=256", &[]);
    assert_eq!((s.flows[0].command.0, names(&s)), (256, vec!["card[0] -> card[4]"]));
}

#[test]
fn a_named_value_overrides_what_it_lists() {
    let s = scenario("kfcr-x38", "dma-write", "core=p;lanes=4;size=1024", &[]);
    let card = s.system.part(s.system.part_named("card").unwrap());
    assert_eq!(card.model, "kfcr/p-core");
    assert_eq!(s.system.links[0].speed.to_string(), "Gen1 x4");
    let width = card.figures.iter().find(|f| f.field == "core_width").unwrap();
    assert_eq!((width.value.as_str(), width.origin.to_string().as_str()), ("8 B", "override by lanes=4"));
    assert!(refused("kfcr-x38", "dma-write", "lanes=2").contains("there are `1`, `4`, `8`"));
}

#[test]
fn the_command_line_wins_over_what_an_experiment_sets() {
    let s = scenario("kfcr-5400", "predictions", "version=four-requests", &["card.core_width=4 B"]);
    let Some(card) = s.system.parts[1].kind.card() else { unreachable!() };
    assert_eq!((card.core_width.0, card.read_requests.0), (4, 4));
    let s = scenario("rosta-rb8v7", "p2p-write", "gen=1", &["experiments.p2p-write.volume=2 MiB"]);
    assert_eq!((s.flows[0].volume.0, s.system.links[3].speed.to_string()), (2 << 20, "Gen1 x4".into()));
    assert!(refused("rosta-rb8v7", "p2p-write", "gen=3").contains("no port of this link reaches Gen3"));
}

#[test]
fn the_share_of_one_card_is_half_of_two() {
    let description = Description::bundled("rosta-rb8v7").unwrap();
    let latency = description.experiment("p2p-latency").unwrap();
    let points: Vec<String> = latency.points().iter().map(Point::to_string).collect();
    assert_eq!(points, ["switches=1", "switches=3", "part=fpga"]);
    assert_eq!(latency.points().iter().map(|p| latency.divisor(p)).collect::<Vec<_>>(), [1, 1, 2]);
}

#[test]
fn the_initiator_is_who_makes_the_requests() {
    let ends = |system: &str, experiment: &str| {
        let s = scenario(system, experiment, "", &[]);
        let name = |part| s.system.part(part).name.clone();
        (s.flows[0].operation, name(s.flows[0].initiator), name(s.flows[0].target))
    };
    let owned = |op, a: &str, b: &str| (op, a.to_string(), b.to_string());
    assert_eq!(ends("kfcr-5400", "dma-write"), owned(Operation::DmaWrite, "card", "host"));
    assert_eq!(ends("kfcr-5400", "dma-read"), owned(Operation::DmaRead, "card", "host"));
    assert_eq!(ends("kfcr-5400", "pio-write"), owned(Operation::PioWrite, "host", "card"));
    assert_eq!(ends("kfcr-5400", "pio-read"), owned(Operation::PioRead, "host", "card"));
    assert_eq!(ends("gen4-workstation", "loopback"), owned(Operation::Loopback, "card", "host"));
}

#[test]
fn payload_of_a_read_is_that_of_its_completions() {
    let s = scenario("rosta-rb8v7", "host-read", "payload=64", &[]);
    let Some(host) = s.system.parts[0].kind.host() else { unreachable!() };
    assert_eq!(host.completion_bytes.0, 64);
    assert!(s.system.part(s.flows[0].initiator).kind.card().is_some_and(|card| card.payload == Cap(None)));
    assert!(refused("rosta-rb8v7", "host-read", "payload=96").contains("multiple of 64"));
}

#[test]
fn is_a_command_larger_than_the_volume_an_error_and_not_a_long_run() {
    let description = Description::bundled("rosta-rb8v7").unwrap();
    let experiment = description.experiment("host-write").unwrap();
    let at = |size: u64| Point::parse(&format!("size={size}")).unwrap();
    assert!(description.scenario(experiment, &at(4 << 20)).is_ok());
    let error = description.scenario(experiment, &at(1 << 30)).err().map(|e| e.report()).unwrap();
    assert!(error.contains("a command of 1 GiB is larger than the volume of 4 MiB"), "{error}");
    assert!(error.contains("experiments.host-write.volume=1 GiB"), "{error}");
}
