//! The eight-card rig with our gateware in its cards: what the limit allows, what behavioural cards with the gateware's own
//! parameters do, what the gateware does, and what was published.

use crate::at::At;
use crate::error::Error;
use crate::machine::Machine;
use crate::metric::Quality;
use crate::reference::{self, Reference};
use crate::sweep::{self, Job, Manner, Measured};
use crate::unit::Unit;
use pcie::{Bytes, Time};
use std::fmt::Write;
use system::{Kind, Share, Wait};

/// The rig, and the card with gateware that takes the place of the published one.
const SYSTEM: &str = "rosta-rb8v7";
const CARD: &str = "card.part=lanescope/virtex7-pcie-dma";
/// Gateware against behavioural cards; gateware against published figures where the wire decides.
const PERCENT: f64 = 1.5;

/// What each of many flows moves here: their rates are steady long before.
const STEADY: Bytes = Bytes(512 << 10);

/// What a row of the table is.
struct Asked {
    /// Of the rig.
    experiment: &'static str,
    at: &'static str,
    quality: Quality,
    /// Overrides, and how they are told.
    set: &'static [&'static str],
    told: &'static str,
    /// True where the wire decides, so that the published figure binds.
    wire: bool,
}

const fn asked(experiment: &'static str, at: &'static str, quality: Quality) -> Asked {
    Asked { experiment, at, quality, set: &[], told: "", wire: false }
}

impl Asked {
    const fn wire(self) -> Asked {
        Asked { wire: true, ..self }
    }
    const fn with(self, set: &'static [&'static str], told: &'static str) -> Asked {
        Asked { set, told, ..self }
    }
}

const ONE_TAG: &[&str] = &["card.read_requests=1"];
const ONE: &str = "one tag, MRRS 4096";
const CHAIN_OF_ONE: &str = "one tag of 512 B";
const PUSHED: &[&str] = &["card.descriptors=pushed"];

fn rows() -> Vec<Asked> {
    use Quality::{Latency, ThroughputApp, ThroughputLink, ThroughputPerDevice, ThroughputPerFlow};
    let peers = ["flows=1", "flows=2", "flows=3", "flows=4", "flows=ring8", "flows=cross8"];
    let devices: [&'static str; 8] =
        ["devices=1", "devices=2", "devices=3", "devices=4", "devices=5", "devices=6", "devices=7", "devices=8"];
    let mut rows: Vec<Asked> = peers.iter().map(|at| asked("p2p-write", at, ThroughputPerFlow).wire()).collect();
    rows.extend(devices.iter().map(|at| asked("host-write-many", at, ThroughputPerDevice)));
    rows.extend(devices.iter().map(|at| asked("host-read-many", at, ThroughputPerDevice).with(&[], "32 tags")));
    rows.extend(
        devices[..3].iter().map(|at| asked("host-read-many", at, ThroughputPerDevice).with(ONE_TAG, ONE).wire()),
    );
    rows.push(asked("host-write", "payload=128", ThroughputLink).with(&[], "ring"));
    rows.push(asked("host-write", "payload=128", ThroughputApp).with(&[], "application, ring"));
    rows.push(asked("host-write", "payload=128", ThroughputApp).with(PUSHED, "application, descriptors by the CPU"));
    rows.push(asked("chain", "", ThroughputPerFlow).with(&[], "32 tags"));
    rows.push(asked("chain", "", ThroughputPerFlow).with(ONE_TAG, CHAIN_OF_ONE));
    let like_chain = &["card.read_requests=1", "card.read_request=512 B"];
    rows.push(asked("host-read-many", "devices=1", ThroughputPerDevice).with(like_chain, CHAIN_OF_ONE));
    rows.push(asked("loopback", "size=4096", ThroughputPerFlow));
    rows.push(asked("loopback", "size=4194304", ThroughputPerFlow));
    rows.push(asked("p2p-latency", "switches=1", Latency));
    rows.push(asked("p2p-latency", "switches=3", Latency));
    rows
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Line {
    /// Experiment and point, and what was set besides.
    pub name: String,
    /// Of all values.
    pub unit: Unit,
    /// By the closed form, for the behavioural cards.
    pub limit: Option<f64>,
    /// Behavioural cards with the gateware's parameters.
    pub behavioural: f64,
    /// The same without what the engine takes: block, links and switches alone.
    pub block: Option<f64>,
    /// Compiled.
    pub gateware: f64,
    /// As published.
    pub published: Option<f64>,
    /// True where the published figure binds.
    pub wire: bool,
    /// True where the behavioural cards bind. Latencies, application rates (another driver) and loopback in short commands
    /// (the design does not wait between them) are told, not bounded.
    pub near: bool,
    /// Bytes compared at their end, and wrong ones, over all flows; `None` where no payload was asked to be compared.
    pub compared: Option<(u64, u64)>,
    /// Share of the link's time that waits for descriptors, in the gateware's loss budget.
    pub descriptors: f64,
}

impl Line {
    /// From the behavioural cards, in per cent.
    pub fn from_behavioural(&self) -> f64 {
        (self.gateware / self.behavioural - 1.0) * 100.0
    }
    /// From what was published, in per cent.
    pub fn from_published(&self) -> Option<f64> {
        self.published.map(|published| (self.gateware / published - 1.0) * 100.0)
    }
    /// True where every bound of the row is kept.
    pub fn holds(&self) -> bool {
        let near = !self.near || self.from_behavioural().abs() <= PERCENT;
        let wire = !self.wire || self.from_published().is_none_or(|percent| percent.abs() <= PERCENT);
        near && wire && self.compared.is_none_or(|(_, wrong)| wrong == 0)
    }
}

/// All rows, and the clocks that were run and skipped.
#[derive(Clone, Debug)]
pub struct Table {
    /// In the order of the page.
    pub lines: Vec<Line>,
    /// False where the run was interrupted.
    pub complete: bool,
    /// Of all cards.
    pub clocks: (u64, u64),
    /// What descriptors cost the published card; `None` where it was not run.
    pub published_card: Option<Descriptors>,
}

/// What waiting for descriptors costs a card that writes to the host.
#[derive(Clone, Copy, Debug)]
pub struct Descriptors {
    /// A page, as described.
    pub wait: Time,
    /// Of its link's time, as simulated.
    pub share: f64,
    /// Its rate on the link, as simulated, in MiB/s.
    pub rate: f64,
}

/// How many points [`table`] runs.
pub fn points() -> usize {
    rows().iter().map(variants).sum::<usize>() + 1
}

fn variants(asked: &Asked) -> usize {
    if asked.quality == Quality::Latency { 3 } else { 2 }
}

/// Runs the table.
///
/// # Errors
/// A point that could not be run: without compiled gateware, the first.
pub fn table(manner: &Manner<'_>) -> Result<Table, Error> {
    let references = reference::bundled()?;
    let rows = rows();
    let mut jobs = Vec::new();
    for asked in &rows {
        let compiled = job(asked)?;
        let behavioural = Job { scenario: cosim::counterpart(&compiled.scenario), ..compiled.clone() };
        let bare = Job { scenario: cosim::counterpart::bare(&compiled.scenario), ..compiled.clone() };
        jobs.push(compiled);
        jobs.push(behavioural);
        if variants(asked) == 3 {
            jobs.push(bare);
        }
    }
    let (published, wait) = published_card()?;
    jobs.push(published);
    let sweep = sweep::run(jobs, manner)?;
    let mut done = sweep.done.iter();
    let mut lines = Vec::new();
    for asked in &rows {
        let taken: Vec<&Measured> = done.by_ref().take(variants(asked)).collect();
        if sweep.complete {
            lines.extend(line(asked, &taken, &references));
        }
    }
    let published_card = sweep.done.last().filter(|_| sweep.complete).and_then(|measured| {
        let share = measured.outcome.flows.first()?.budget.of(Share::Idle(Wait::Descriptors));
        Some(Descriptors { wait, share, rate: measured.simulated(Quality::ThroughputLink, Unit::MibPerS)? })
    });
    Ok(Table { lines, complete: sweep.complete, clocks: manner.cosim.clocks(), published_card })
}

/// The rig as it was published, one card writing to the host, and what its card waits for a descriptor.
fn published_card() -> Result<(Job, Time), Error> {
    let machine = Machine::open(SYSTEM, &[])?;
    let at = At::parse("payload=128").map_err(|piece| Error::asked(piece, "an axis and its value"))?;
    let job = machine.job(machine.description().experiment("host-write")?, at)?;
    let part = job.scenario.flows.first().map(|flow| &job.scenario.system.part(flow.initiator).kind);
    let wait = match part {
        Some(Kind::Card(card)) => card.descriptor_wait,
        _ => Time::ZERO,
    };
    Ok((job, wait))
}

fn job(asked: &Asked) -> Result<Job, Error> {
    let set: Vec<String> = [CARD].iter().chain(asked.set).map(|s| (*s).to_string()).collect();
    let machine = Machine::open(SYSTEM, &set)?;
    let experiment = machine.description().experiment(asked.experiment)?;
    let at = At::parse(asked.at).map_err(|piece| Error::asked(piece, "an axis and its value"))?;
    let mut job = machine.job(experiment, at)?;
    if asked.experiment.ends_with("-many") || asked.told == CHAIN_OF_ONE {
        for flow in &mut job.scenario.flows {
            (flow.command, flow.volume) = (STEADY, STEADY);
        }
    }
    Ok(job)
}

fn line(asked: &Asked, taken: &[&Measured], references: &[Reference]) -> Option<Line> {
    let (compiled, behavioural) = (taken.first()?, taken.get(1)?);
    let unit = if asked.quality == Quality::Latency { Unit::Ns } else { Unit::MibPerS };
    let rows = references.iter().flat_map(|reference| &reference.rows);
    let mut mine = rows.filter(|row| {
        row.system == SYSTEM
            && row.experiment == asked.experiment
            && row.metric.quality == asked.quality
            && !row.metric.below
            && asked_covers(asked, &row.at)
    });
    let whole = compiled.outcome.flows.iter().filter_map(|flow| flow.integrity);
    let compared = whole.reduce(|a, b| sim::Integrity { compared: a.compared + b.compared, wrong: a.wrong + b.wrong });
    let mut name = asked.experiment.to_string();
    for text in [asked.at, asked.told].iter().filter(|text| !text.is_empty()) {
        let _ = write!(name, ", {text}");
    }
    Some(Line {
        name,
        unit,
        limit: behavioural.limit(asked.quality, unit),
        behavioural: behavioural.simulated(asked.quality, unit)?,
        block: taken.get(2).and_then(|bare| bare.simulated(asked.quality, unit)),
        gateware: compiled.simulated(asked.quality, unit)?,
        published: mine.next().map(|row| row.value.low),
        wire: asked.wire,
        near: !matches!(asked.quality, Quality::Latency | Quality::ThroughputApp) && asked.experiment != "loopback",
        compared: compared.map(|integrity| (integrity.compared, integrity.wrong)),
        descriptors: compiled.outcome.flows.first()?.budget.of(Share::Idle(Wait::Descriptors)),
    })
}

/// True where a published row is of the row's point: it names the same values, and what else it names is as described.
fn asked_covers(asked: &Asked, at: &At) -> bool {
    let described = [("payload", "128"), ("size", "4194304"), ("devices", "1")];
    let Ok(point) = At::parse(asked.at) else { return false };
    let named = point.pairs().all(|(axis, value)| at.get(axis) == Some(value));
    let rest = at.pairs().all(|(axis, value)| point.get(axis).is_some() || described.contains(&(axis, value)));
    named && rest
}

/// The table as Markdown.
pub fn markdown(table: &Table) -> String {
    let mut text = String::from(
        "| | limit | behavioural | gateware | from behavioural | published | from published | bound |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for line in &table.lines {
        let digits = if line.unit == Unit::Ns { 1 } else { usize::from(line.gateware < 1000.0) };
        let number = |value: f64| format!("{value:.digits$}");
        let percent = |value: f64| format!("{value:+.2} %");
        let dash = || "-".to_string();
        let bound = match (!line.near, line.wire && line.published.is_some(), line.holds()) {
            (true, ..) => "stated",
            (_, true, true) => "1.5 %, both: held",
            (_, true, false) => "1.5 %, both: **broken**",
            (_, false, true) => "1.5 % from behavioural: held",
            (_, false, false) => "1.5 % from behavioural: **broken**",
        };
        let _ = writeln!(
            text,
            "| {} ({}) | {} | {} | {} | {} | {} | {} | {bound} |",
            line.name,
            line.unit.word(),
            line.limit.map_or_else(dash, number),
            number(line.behavioural),
            number(line.gateware),
            percent(line.from_behavioural()),
            line.published.map_or_else(dash, number),
            line.from_published().map_or_else(dash, percent),
        );
    }
    text.push('\n');
    notes(table, &mut text);
    text
}

fn notes(table: &Table, text: &mut String) {
    for line in table.lines.iter().filter(|line| line.block.is_some()) {
        let engine = line.gateware - line.block.unwrap_or(0.0);
        let _ = writeln!(
            text,
            "- {}: {:.1} ns are block, links and switches, {engine:.1} ns the engine's own ({:.1} cycles of 250 MHz, the beats of the TLP through both streams among them).",
            line.name,
            line.block.unwrap_or(0.0),
            engine / 4.0
        );
    }
    for line in table.lines.iter().filter(|line| line.compared.is_some()) {
        let (compared, wrong) = line.compared.unwrap_or_default();
        let _ = writeln!(text, "- {}: {compared} bytes compared at the ends of its flows, {wrong} wrong.", line.name);
    }
    let Some(card) = table.published_card else { return };
    let waits = table.lines.iter().filter(|line| line.name.starts_with("host-write")).map(|line| line.descriptors);
    let _ = writeln!(
        text,
        "- Host writes wait for descriptors {:.1} % of the link's time at most. The published card, simulated, waits {} a page, {:.1} % of it, and comes to {:.0} MiB/s on the link.",
        waits.fold(0.0, f64::max) * 100.0,
        card.wait,
        card.share * 100.0,
        card.rate
    );
}
