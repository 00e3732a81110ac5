//! Are the bytes that the simulation counts on a link those that its symbols have?
//!
//! The transmitters of `phy` get the packets of the bundled machines' experiments with the instant at which each was handed
//! over, and place framing, SKP and idle by their own rules. `docs/symbols.md` tells what differs, and why.
#![allow(clippy::unwrap_used)]

use lanescope_lab::DescribedMachine;
use pcie::Framing;
use phy::coding::Tally;
use sim::trace::{Record, Sink};
use sim::{Options, run_traced};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use system::graph::Direction;
use system::{LinkId, Scenario};
use trace::Links;

/// Packets of a point that are compared.
const PACKETS: usize = 20_000;

/// What the simulation counts on a direction, in bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    tlps: u64,
    tlp_bytes: u64,
    framing: u64,
    dllp_bytes: u64,
    skp: u64,
    idle: u64,
    /// Gaps between packets.
    gaps: u64,
    /// How many bytes later than in the simulation a packet starts, at most, and earlier.
    late: u64,
    early: u64,
}

#[derive(Default)]
struct Compared {
    links: Option<Links>,
    counted: BTreeMap<(usize, bool), Counted>,
    lanes: Vec<u64>,
    framing: Vec<u64>,
    left: usize,
}

impl Compared {
    fn pass(&mut self, records: Vec<Record>, end: bool) {
        let Some(links) = &mut self.links else { return };
        let mut starts = Vec::new();
        links.take(records, end, |record, at| starts.push((record.clone(), at)));
        for (record, at) in starts {
            let (on, start, before, bytes) = match &record {
                Record::Tlp(sent) => {
                    let around = self.framing[sent.on.link.0];
                    let lanes = links.lanes(sent.on).unwrap();
                    let bytes = lanes.position(sent.end) - lanes.position(sent.start);
                    (sent.on, sent.start, sent.before, (bytes - around, around))
                }
                Record::Dllp { on, start, before, .. } => (*on, *start, *before, (0, 0)),
                _ => continue,
            };
            let counted = self.counted.entry((on.link.0, on.up)).or_default();
            match record {
                Record::Tlp(_) => {
                    counted.tlps += 1;
                    counted.tlp_bytes += bytes.0;
                    counted.framing += bytes.1;
                }
                _ => counted.dllp_bytes += pcie::dllp::WIRE_BYTES,
            }
            counted.skp += before.skp;
            counted.idle += before.idle + before.alignment;
            counted.gaps += u64::from(before.idle + before.alignment > 0);
            let place = links.lanes(on).unwrap().position(start);
            counted.late = counted.late.max(at.saturating_sub(place));
            counted.early = counted.early.max(place.saturating_sub(at));
        }
    }
}

impl Sink for Compared {
    fn begin(&mut self, scenario: &Scenario) {
        let links = &scenario.system.links;
        self.lanes = links.iter().map(|link| link.speed.width.lanes()).collect();
        self.framing = links.iter().map(|link| Framing::of(link.speed.generation.encoding()).around()).collect();
        self.links = Some(Links::new(scenario));
        self.left = PACKETS;
    }

    fn only_packets(&self) -> bool {
        true
    }

    fn take(&mut self, records: &mut Vec<Record>) -> ControlFlow<()> {
        let records = std::mem::take(records);
        self.left = self.left.saturating_sub(records.len());
        self.pass(records, false);
        if self.left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The first and the last point of each experiment of each bundled machine.
fn scenarios() -> Vec<(String, Scenario)> {
    let mut out = Vec::new();
    let _ = storage::register();
    for name in system::bundled::names() {
        let machine = DescribedMachine::open(name, &[]).unwrap();
        for experiment in machine.description().experiments().iter().filter(|e| e.formula.is_none()) {
            let points = machine.points(experiment, &[]).unwrap();
            let ends = [points.first(), points.last()].into_iter().flatten();
            for at in ends.take(if points.len() > 1 { 2 } else { 1 }) {
                let what = format!("{name} {} {at}", experiment.name);
                out.push((what, machine.job(experiment, at.clone()).unwrap().scenario));
            }
        }
    }
    out
}

#[test]
fn does_the_simulation_count_what_the_symbols_have() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (what, scenario) in scenarios() {
        let mut sink = Compared::default();
        let options = Options { kinds: &[&dma::Cards], ..Options::default() };
        run_traced(&scenario, &options, &mut sink).unwrap();
        sink.pass(Vec::new(), true);
        let counted = std::mem::take(&mut sink.counted);
        let mut links = sink.links.take().unwrap();
        for ((link, up), counted) in counted {
            let on = Direction { link: LinkId(link), up };
            let tally = *links.lanes(on).unwrap().tally();
            let lanes = sink.lanes[link];
            let speed = scenario.system.link(on.link).speed;
            compared += 1;
            if let Some(why) = differs(&counted, &tally, lanes) {
                wrong.push(format!("{what}\n  {} {speed}: {why}", scenario.system.direction_name(on)));
            }
        }
    }
    assert!(compared > 100, "{compared} directions");
    assert!(wrong.is_empty(), "{} of {compared} directions:\n{}", wrong.len(), wrong.join("\n"));
}

fn differs(counted: &Counted, tally: &Tally, lanes: u64) -> Option<String> {
    let pairs = [
        ("TLP bytes", counted.tlp_bytes, tally.tlp_bytes),
        ("framing", counted.framing, tally.framing),
        ("DLLP bytes", counted.dllp_bytes, tally.dllp_bytes),
        ("SKP bytes", counted.skp, tally.skp_bytes),
    ];
    let mut why: Vec<String> = pairs
        .into_iter()
        .filter(|(_, sim, symbols)| sim != symbols)
        .map(|(what, sim, symbols)| format!("{what} {sim} in the simulation, {symbols} in the symbols"))
        .collect();
    if counted.idle.abs_diff(tally.idle) > lanes * counted.gaps.max(1) {
        why.push(format!("idle {} and {} in {} gaps", counted.idle, tally.idle, counted.gaps));
    }
    if counted.late > lanes || counted.early > lanes {
        why.push(format!("a packet {} bytes later, {} earlier", counted.late, counted.early));
    }
    (!why.is_empty()).then(|| format!("{} TLPs; {}", counted.tlps, why.join("; ")))
}
