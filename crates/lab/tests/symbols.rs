//! Are the bytes that the simulation counts on a link those that its symbols have?
//!
//! The transmitters of `phy` get the packets of the bundled machines' experiments with the instant at which each was handed
//! over, and place framing, SKP and idle by their own rules. `docs/coding.md` tells what differs, and why.
#![allow(clippy::unwrap_used)]

use lanescope_lab::DescribedMachine;
use pcie::{Encoding, Framing, LinkSpeed};
use phy::coding::receive::receive;
use phy::coding::{Event, Set, Tally, Transmitter};
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
    framing: Vec<u64>,
    left: usize,
}

impl Compared {
    fn pass(&mut self, records: Vec<Record>, end: bool) {
        let Some(links) = &mut self.links else { return };
        let mut starts = Vec::new();
        links.take(records, end, |record, at| starts.push((record.clone(), at))).unwrap();
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
    // Directions, those of ports with habits of their own, those with the same SKP bytes, and TLPs.
    let mut compared = (0, 0, 0, 0);
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
            let speed = scenario.system.link(on.link).speed;
            let habits = scenario.system.habits(scenario.system.ends(on).0);
            let standard = speed.start_alignment_bytes();
            let aligned = habits.start_alignment.bytes(standard, speed.width.lanes());
            // What the port keeps free between packets by a habit that the symbols do not know.
            let habit = if aligned > standard { aligned } else { 0 } + habits.tlp_gap.0;
            compared.0 += 1;
            compared.1 += u64::from(habit > 0);
            compared.2 += u64::from(counted.skp == tally.skp_bytes);
            compared.3 += counted.tlps;
            let received = received(links.lanes(on).unwrap().transmitter());
            let sent = *links.lanes(on).unwrap().tally();
            if received != Some((sent.tlps, sent.dllps, sent.skps)) {
                wrong.push(format!(
                    "{what}\n  {}: received {received:?} of {sent:?}",
                    scenario.system.direction_name(on)
                ));
            }
            if let Some(why) = differs(&counted, &tally, speed, habit) {
                wrong.push(format!("{what}\n  {} {speed}: {why}", scenario.system.direction_name(on)));
            }
        }
    }
    let (directions, with_habits, same_skp, tlps) = compared;
    println!(
        "{directions} directions, {with_habits} of ports with habits, {same_skp} with equal SKP bytes; {tlps} TLPs"
    );
    assert!(directions > 500 && with_habits < directions / 4, "{compared:?}");
    assert!(wrong.is_empty(), "{} of {directions} directions:\n{}", wrong.len(), wrong.join("\n"));
}

/// TLPs, DLLPs and SKP ordered sets in the data stream that a receiver gets from the lanes; `None` where something was wrong.
fn received(transmitter: &mut Transmitter) -> Option<(u64, u64, u64)> {
    let (mut tlps, mut dllps, mut skps, mut wrong) = (0, 0, 0, 0);
    transmitter.idle(transmitter.position());
    let trained = transmitter.training_times();
    receive(&transmitter.take(), &mut |at: u64, event: Event<'_>| match event {
        Event::Tlp { .. } => tlps += 1,
        Event::Dllp(_) => dllps += 1,
        Event::Set(Set::Skp) => skps += u64::from(at >= trained),
        Event::Symptom(_) => wrong += 1,
        Event::Set(_) | Event::Nullified => {}
    });
    (wrong == 0).then_some((tlps, dllps, skps))
}

/// Why the two differ: not at all, where the port has no habit that the symbols do not know. `habit` is what it keeps free between
/// packets by one. By that a packet may be ready before a SKP is due in the one and after it in the other, and a SKP may find the
/// rest of a symbol time or block behind a packet that is longer or shorter.
fn differs(counted: &Counted, tally: &Tally, speed: LinkSpeed, habit: u64) -> Option<String> {
    let lanes = speed.width.lanes();
    let (grid, skp) = match speed.generation.encoding() {
        Encoding::E8b10b => (lanes, 4 * lanes),
        Encoding::E128b130b => (16 * lanes, 2 * 16 * lanes + 4),
    };
    let most = |bytes: u64| if habit > 0 { bytes } else { 0 };
    let all = [
        ("TLP bytes", counted.tlp_bytes, tally.tlp_bytes, 0),
        ("framing", counted.framing, tally.framing, 0),
        ("DLLP bytes", counted.dllp_bytes, tally.dllp_bytes, 0),
        ("SKP bytes", counted.skp, tally.skp_bytes, most(grid * tally.skps)),
        ("idle", counted.idle, tally.idle, most(lanes * counted.gaps + grid * tally.skps)),
        ("SKP and idle", counted.skp + counted.idle, tally.skp_bytes + tally.idle, most(skp + habit + lanes)),
    ];
    let apart = all.into_iter().filter(|(_, sim, symbols, most)| sim.abs_diff(*symbols) > *most);
    let mut why: Vec<String> = apart
        .map(|(what, sim, symbols, _)| format!("{what} {sim} in the simulation, {symbols} in the symbols"))
        .collect();
    if counted.late > 0 || counted.early > most(lanes + skp + habit) {
        why.push(format!("a packet {} bytes later, {} earlier", counted.late, counted.early));
    }
    (!why.is_empty()).then(|| format!("{} TLPs; {}", counted.tlps, why.join("; ")))
}
