//! Has every cause of waiting, and every quantity that is measured, a case that has it? A new one without a case fails here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

#[path = "../../limit/tests/common/mod.rs"]
mod common;

use common::random::case;
use lanescope_lab::metric::{self, Quality};
use lanescope_lab::{DescribedMachine, Machines, reference};
use std::collections::BTreeSet;
use strum::IntoEnumIterator;
use system::{Cause, CauseKind, Description, Point, Scenario, Share, Wait};

/// The random systems of the limit's own tests: one flow each.
const RANDOM: u64 = 120;
/// The share of time from which a wait is one of a run.
const WAITED: f64 = 0.02;

/// Two cards below a switch, without DLLPs and SKPs.
const CARDS: &str = r#"
title: Two cards below a switch
parts:
  host: { kind: host, mps: 256, completion_bytes: 256, read_latency: 400 ns, slots: { pcie: gen3 x16 }, skp: no, dllps: no }
  switch: { kind: switch, ports: { up: gen3 x16, a: gen3 x16, b: gen3 x16 }, mps: 256, skp: no, dllps: no }
  card: { kind: dma-card, count: 2, ports: { pcie: gen3 x16 }, mps: 256, aligned: yes, overlap: yes, skp: no, dllps: no,
          read_requests: 256, bars: 1 MiB }
links: [host.pcie - switch.up, "switch.a - card[0].pcie", "switch.b - card[1].pcie"]
settings: { mrrs: 512, mps: 256 }
experiments:
  write: { operation: dma-write, command: 4 KiB, volume: 1 MiB, flows: ["card[0] -> host"] }
  read: { operation: dma-read, command: 4 KiB, volume: 1 MiB, flows: ["host -> card[0]"] }
  both: { operation: dma-write, command: 4 KiB, volume: 1 MiB, flows: ["card[0] -> host", "card[1] -> host"] }
"#;

/// Two drives at an expander.
const DRIVES: &str = "
title: Drives at an expander
parts:
  host: { part: generic/gen4-host, slots: { pcie: gen4 x8 } }
  hba: { kind: sata-controller, protocol: sas, ports: { pcie: gen4 x8 }, bars: 8 KiB, read_requests: 64, tag_bits: 8,
         sata_ports: 2, device: ssd, media_rate: 2 GB/s, message_bytes: 128, expander_lanes: 1 }
links: [host.pcie - hba.pcie]
experiments:
  both: { operation: disk-read, drive: software, command: 128 KiB, volume: 4 MiB, queue_depth: 8,
          flows: [hba -> host, hba -> host] }
";

/// Causes and waits that neither a bundled machine nor a random system has: a machine, its experiment, and what is set.
const CASES: [(&str, &str, &[&str]); 9] = [
    (CARDS, "both", &[]),
    (DRIVES, "both", &[]),
    (CARDS, "read", &["host.read_table=16"]),
    (CARDS, "write", &["host.dram_line_service=40ns", "host.direct_io=512KiB"]),
    (CARDS, "write", &["host.line_service=40ns"]),
    (CARDS, "write", &["host.iommu=yes", "host.iotlb_entries=1", "host.walk_latency=1900ns", "host.walkers=1"]),
    (CARDS, "write", &["host.iommu=yes", "host.iotlb_entries=1", "host.walk_latency=1900ns", "card.ats=yes"]),
    (CARDS, "read", &["card.completion_buffer=1KiB"]),
    (CARDS, "write", &["host.memory_socket=1", "host.socket_rate=1GB/s"]),
];

fn cases() -> impl Iterator<Item = Scenario> {
    CASES.iter().map(|(text, experiment, settings)| {
        let mut description = Description::from_text("case.yaml", text).unwrap();
        for setting in *settings {
            description.set(setting).unwrap();
        }
        description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap()
    })
}

/// The first and the last point of each experiment of the bundled machines, with a volume that takes little time.
fn bundled() -> Vec<Scenario> {
    let mut all = Vec::new();
    for name in system::bundled::names() {
        let machine = DescribedMachine::open(name, &[]).unwrap();
        for experiment in machine.description().experiments().iter().filter(|one| one.formula.is_none()) {
            let short = machine.with([format!("experiments.{}.volume=1MiB", experiment.name)]);
            let machine = short.as_ref().unwrap_or(&machine);
            let experiment = machine.description().experiment(&experiment.name).unwrap();
            let points = machine.points(experiment, &[]).unwrap();
            let ends = [points.first(), points.last()].into_iter().flatten();
            all.extend(ends.filter_map(|at| Some(machine.job(experiment, at.clone()).ok()?.scenario)));
        }
    }
    all
}

/// What limits the flows, each alone and all together.
fn named(scenario: &Scenario) -> Vec<Cause> {
    let limits = limit::limit(scenario);
    limits.alone.iter().chain(&limits.together).map(|flow| flow.bottleneck.cause).collect()
}

#[test]
fn has_every_cause_a_case() {
    let _ = storage::register();
    let mut scenarios: Vec<Scenario> = cases().chain(bundled()).collect();
    scenarios.extend((0..RANDOM).map(|seed| case(seed).scenario));
    let mut known = BTreeSet::new();
    for scenario in &scenarios {
        known.extend(named(scenario).iter().map(CauseKind::from));
    }
    let missing: Vec<CauseKind> = CauseKind::iter().filter(|cause| !known.contains(cause)).collect();
    assert!(missing.is_empty(), "no case is limited by {missing:?}: add one to CASES");
}

#[test]
fn is_every_wait_waited_in_a_run() {
    let _ = storage::register();
    let mut scenarios: Vec<Scenario> = cases().chain(bundled()).collect();
    scenarios.extend((0..RANDOM).step_by(3).map(|seed| case(seed).scenario));
    let (mut waited, mut words) = (BTreeSet::new(), BTreeSet::new());
    for scenario in &scenarios {
        words.extend(named(scenario).into_iter().filter_map(|cause| match cause {
            Cause::Own(own) => Some(Wait::own(own).index()),
            _ => None,
        }));
        let Ok(outcome) = sim::run(scenario, &dma::options()) else { continue };
        let of = |wait: &Wait| outcome.flows.iter().any(|flow| flow.budget.of(Share::Idle(*wait)) > WAITED);
        waited.extend(Wait::all().filter(of).map(Wait::index));
    }
    // The words of kinds are causes of limits, too.
    let has = |wait: &Wait| waited.contains(&wait.index()) || words.contains(&wait.index());
    let missing: Vec<String> = Wait::all().filter(|wait| !has(wait)).map(|wait| wait.to_string()).collect();
    assert!(missing.is_empty(), "no run {missing:?}: add a case to CASES");
}

/// Rows of quantities that no bundled table has, in the form of these.
const ROWS: &str = "system,experiment,at,metric,value,unit,source,note\n";

#[test]
fn has_every_quantity_a_row() {
    let _ = storage::register();
    let mut references = reference::bundled().unwrap();
    references.push(reference::parse("rows.csv", ROWS).unwrap());
    let machines = Machines::of(&references).unwrap();
    for declared in Quality::measured() {
        let of = |row: &&reference::Row| row.metric.quality.word() == declared.word;
        let row = references.iter().flat_map(|one| &one.rows).find(of);
        let row = row.unwrap_or_else(|| panic!("no row measures `{}`: add one to ROWS", declared.word));
        let machine = machines.of_row(row).unwrap();
        let at = machine.points_of_row(row).unwrap().remove(0);
        let job = machine.job_of_row(row, at).unwrap();
        let outcome = sim::run(&job.scenario, &dma::options()).unwrap();
        let found = metric::simulated(row.metric.quality, row.unit, &job.scenario, &outcome);
        assert!(found.is_some_and(|found| found > 0.0), "{}: {found:?}", declared.word);
    }
}
