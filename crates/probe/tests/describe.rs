//! Does the description of a machine settle to what was observed, with the limits that `inspect` tells?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;
mod made;

use common::{dumps, machine, text};
use lanescope_probe::describe::built::differences;
use lanescope_probe::describe::{Refused, describe};
use lanescope_probe::model::short;
use lanescope_probe::rates::Way;
use lanescope_probe::read::read;
use lanescope_probe::report::Report;
use lanescope_probe::{Machine, Tree, lspci};
use made::{by_files, by_hex};
use std::path::Path;
use system::Description;
use testing::machine::fault::plant;
use testing::machine::function::{PortType, class};
use testing::machine::rng::Rng;
use testing::machine::single::{endpoint, machine as single, port};
use testing::machine::{Fault, healthy};

/// Generated machines: so many healthy ones, and so many with a fault.
const GENERATED: u64 = 40;
/// Machines in which one value is changed.
const CHANGED: u64 = 60;
/// Of each dump, so many texts of which something is lost.
const CUTS: u64 = 12;
/// How far the limit of a description may be from that of `inspect`.
const FAR: f64 = 0.001;

/// What is wrong with the description of a machine.
fn wrong(machine: &Machine) -> Vec<String> {
    let tree = Tree::of(machine);
    let report = Report::of(machine, &tree, false);
    let described = match describe(machine, &tree, &report) {
        Ok(described) => described,
        Err(Refused::NoLink(_)) => {
            assert!(report.limits.devices.is_empty());
            return Vec::new();
        }
        Err(beyond) => return vec![beyond.to_string()],
    };
    let mut wrong: Vec<String> = described.apart.iter().map(|apart| apart.to_string()).collect();
    let description = match Description::from_text("described.yaml", &described.text) {
        Ok(description) => description,
        Err(error) => return vec![format!("{error:?}")],
    };
    if !wrong.is_empty() {
        return wrong;
    }
    for device in &report.limits.devices {
        let address = report.model.device(device.at).unwrap().address;
        let plain = format!("_{}", short(machine, address).replace([':', '.'], "_"));
        for (experiment, way) in [("write", Way::ToMemory), ("read", Way::FromMemory)] {
            let experiment = description.experiment(experiment).unwrap();
            let points = experiment.points();
            let point = points.into_iter().find(|point| point.to_string().ends_with(&plain));
            let Some(point) = point else {
                wrong.push(format!("no {} of {address}", experiment.name));
                continue;
            };
            let scenario = description.scenario(experiment, &point).unwrap();
            let (limit, told) = (limit::limit(&scenario).together[0].stream.0, device.way(way).rate.0);
            if (limit / told - 1.0).abs() > FAR {
                wrong.push(format!("{address} {}: {:.1} of {:.1} MB/s", way.words(), limit / 1e6, told / 1e6));
            }
        }
    }
    wrong.extend(wrong_pairs(&report, &description));
    wrong
}

/// Limits from card to card that are not those of `inspect`: the pairs stand in its order.
fn wrong_pairs(report: &Report, description: &Description) -> Vec<String> {
    let direct: Vec<_> = report.limits.peers.iter().filter(|peer| !peer.redirected).collect();
    let Ok(experiment) = description.experiment("card_to_card") else {
        return direct.iter().map(|peer| format!("no pair {} {}", peer.from, peer.to)).collect();
    };
    let points = experiment.points();
    assert_eq!(points.len(), direct.len());
    let told = points.iter().zip(direct).map(|(point, peer)| {
        let scenario = description.scenario(experiment, point).unwrap();
        (point, limit::limit(&scenario).together[0].stream.0, peer.limited.rate.0)
    });
    let far = told.filter(|(_, limit, told)| (limit / told - 1.0).abs() > FAR);
    far.map(|(point, limit, told)| format!("{point}: {:.1} of {:.1} MB/s", limit / 1e6, told / 1e6)).collect()
}

#[test]
fn does_every_dump_settle_to_what_it_says() {
    let mut all = Vec::new();
    for (name, path) in dumps("does_every_dump_settle_to_what_it_says") {
        let machine = read(&path).unwrap();
        all.extend(wrong(&machine).into_iter().map(|wrong| format!("{name}: {wrong}")));
    }
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn does_every_generated_machine_settle_to_what_it_says() {
    let healthy = (0..GENERATED).map(healthy);
    let planted = Fault::ALL.into_iter().cycle().zip(0..GENERATED).map(|(fault, seed)| plant(fault, seed).machine);
    let mut all = Vec::new();
    for (number, machine) in healthy.chain(planted).enumerate() {
        for (from, read) in [("files", by_files(&machine)), ("hex", by_hex(&machine))] {
            all.extend(wrong(&read).into_iter().map(|wrong| format!("{number} by {from}: {wrong}")));
        }
    }
    assert!(all.is_empty(), "{} of them: {:#?}", all.len(), &all[..all.len().min(20)]);
}

#[test]
fn does_every_posted_text_settle_to_what_it_says() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/data");
    let texts = ["posts", "captures"].iter().flat_map(|folder| std::fs::read_dir(data.join(folder)).unwrap());
    let texts = texts.map(|entry| entry.unwrap().path());
    let read = texts.filter_map(|path| Some((path.clone(), read(&path).ok()?)));
    let told = |(path, machine): (std::path::PathBuf, Machine)| {
        wrong(&machine).into_iter().map(move |wrong| format!("{}: {wrong}", path.display()))
    };
    let all: Vec<String> = read.flat_map(told).collect();
    assert!(all.is_empty(), "{all:#?}");
}

/// A text of which lines are lost, and parts of lines.
fn cut(text: &str, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let often = 2 + rng.below(30);
    let keep = |line: &str| match rng.below(often) {
        0 => None,
        1 => line.get(..rng.below(line.len() + 1)).map(str::to_string),
        _ => Some(line.to_string()),
    };
    text.lines().filter_map(keep).collect::<Vec<_>>().join("\n")
}

#[test]
fn does_a_cut_text_settle_to_what_it_says() {
    let mut texts = vec![text(&machine("traps.txt"))];
    texts.extend(dumps("does_a_cut_text_settle_to_what_it_says").into_iter().map(|(_, path)| text(&path)));
    let mut all = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        for seed in 0..CUTS {
            let machine = lspci::parse(&cut(text, seed * 31 + number as u64));
            all.extend(wrong(&machine).into_iter().map(|wrong| format!("{number}, cut {seed}: {wrong}")));
        }
    }
    assert!(all.is_empty(), "{} of them: {:#?}", all.len(), &all[..all.len().min(20)]);
}

/// Something of a machine that is changed: of a link, or of a function with one.
fn change(machine: &mut testing::machine::GeneratedMachine, draw: u64) -> Option<&'static str> {
    let places: Vec<usize> =
        (0..machine.functions.len()).filter(|&place| machine.functions[place].express.is_some()).collect();
    let place = *places.get(draw as usize / 3 % places.len().max(1))?;
    let express = machine.functions[place].express.as_mut()?;
    match draw % 3 {
        0 => {
            express.read_request = if express.read_request == 5 { 2 } else { 5 };
            Some("Max_Read_Request_Size")
        }
        1 => {
            express.payload.1 = u8::from(express.payload.1 == 0);
            Some("Max_Payload_Size")
        }
        _ => {
            let above = machine.above(&machine.functions[place])?.name();
            let above = machine.place(&above)?;
            for end in [place, above] {
                let link = machine.functions[end].link_mut().filter(|link| link.width > 1)?;
                link.width /= 2;
            }
            Some("link")
        }
    }
}

#[test]
fn is_each_value_named_that_was_built_otherwise() {
    let (mut planted, mut named) = (0, 0);
    for seed in 0..CHANGED {
        let machine = healthy(seed);
        let before = by_hex(&machine);
        let tree = Tree::of(&before);
        let report = Report::of(&before, &tree, false);
        let Ok(described) = describe(&before, &tree, &report) else { continue };
        let system = Description::from_text("mine.yaml", &described.text).unwrap().system().unwrap();
        assert!(differences(&system, &before, &tree, &report).is_empty(), "{seed}: nothing was changed");
        let mut changed = machine.clone();
        let Some(field) = change(&mut changed, seed) else { continue };
        let after = by_hex(&changed);
        let tree = Tree::of(&after);
        let report_after = Report::of(&after, &tree, false);
        let differences = differences(&system, &after, &tree, &report_after);
        let speeds = |report: &Report| report.model.system.links.iter().map(|link| link.speed).collect::<Vec<_>>();
        let moved = speeds(&report) != speeds(&report_after)
            || (0..report.model.system.parts.len()).any(|part| {
                let [before, after] = [&report, &report_after].map(|report| &report.model.system.parts[part]);
                before.kind.is_endpoint() && (before.mps, before.mrrs) != (after.mps, after.mrrs)
            });
        let others = differences.iter().filter(|one| one.field != field).count();
        assert_eq!(others, 0, "{seed}, {field}: {differences:#?}");
        planted += usize::from(moved);
        named += usize::from(moved && !differences.is_empty());
    }
    assert!(planted > 10 && named == planted, "{named} of {planted}");
}

/// A host with forty drives, each at a root port of its own, and a switch with as many.
#[test]
fn is_a_machine_with_more_ports_than_a_bus_has_described_or_refused() {
    let rate = ((4, 4), (4, 4));
    let drive = |bus: u8| endpoint((bus, 0, 0), (0x144d, 0xa80a), class::NVME, rate);
    let root = |number: u8, (device, function): (u8, u8)| {
        port((0, device, function), (0x8086, 0x347a), PortType::Root, rate, (number, number))
    };
    let many = (1..=40).flat_map(|number| [root(number, (1 + number / 8, number % 8)), drive(number)]).collect();
    assert_eq!(wrong(&by_hex(&single(many))), [""; 0]);
    let mut below = vec![
        port((0, 1, 0), (0x8086, 0x347a), PortType::Root, rate, (1, 50)),
        port((1, 0, 0), (0x10b5, 0x9797), PortType::Upstream, rate, (2, 50)),
    ];
    for number in 3..=42 {
        below.push(port((2, number / 8, number % 8), (0x10b5, 0x9797), PortType::Downstream, rate, (number, number)));
        below.push(drive(number));
    }
    let told = wrong(&by_hex(&single(below)));
    assert!(told.len() == 1 && told[0].contains("cannot be described"), "{told:?}");
}
