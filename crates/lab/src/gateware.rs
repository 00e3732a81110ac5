//! The table of the eight-card rig with this project's gateware in its cards: the limit, behavioural cards with the
//! gateware's own parameters, the compiled gateware, and the published figures.

mod hosts;
mod rows;

pub use hosts::{HostLine, Ours, host_points, hosts};

use crate::at::At;
use crate::error::Error;
use crate::formula::Quantity;
use crate::job::Job;
use crate::machine::DescribedMachine;
use crate::measured::Measured;
use crate::metric::Quality;
use crate::reference::{self, Reference, Row};
use crate::sweep::{self, RunOptions};
use crate::unit::Unit;
use pcie::{Bytes, Time};
use rows::{Asked, rows};
use system::{Scenario, Share, Wait};

/// The rig, with the gateware card in place of the published card.
const SYSTEM: &str = "rosta-rb8v7";
const CARD: &str = "card.part=lanescope/virtex7-pcie-dma";
/// The bound on gateware against behavioural cards, and against published figures where the link is the bottleneck.
pub const PERCENT: f64 = 1.5;
/// The bound on a chain against one card.
pub const CHAIN_PERCENT: f64 = 2.0;

/// The volume of each flow of a short row.
const STEADY: Bytes = Bytes(512 << 10);

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Line {
    /// Experiment and point, and the additional settings.
    pub name: String,
    /// The unit of all values.
    pub unit: Unit,
    /// The limit of the behavioural cards, in closed form.
    pub limit: Option<f64>,
    /// The simulated value for behavioural cards with the gateware's parameters.
    pub behavioural: f64,
    /// The same without the engine's times: block, links and switches alone.
    pub block: Option<f64>,
    /// The simulated value with compiled gateware.
    pub gateware: f64,
    /// The published value.
    pub published: Option<f64>,
    /// True if that is the article's formula, with the encoding that it leaves out, because no measurement exists.
    pub is_formula: bool,
    /// The row that this one is compared with, and the value of its gateware.
    pub beside: Option<(String, f64)>,
    /// True if the bound against the published figure applies.
    pub wire: bool,
    /// The bytes that were compared at their destination, and the wrong ones, over all flows; `None` if no comparison
    /// was asked for.
    pub compared: Option<(u64, u64)>,
    /// The share of the link's time that waits for descriptors, in the gateware's loss budget.
    pub descriptors: f64,
}

impl Line {
    /// The difference of the gateware from the behavioural cards, in per cent.
    pub fn from_behavioural(&self) -> f64 {
        (self.gateware / self.behavioural - 1.0) * 100.0
    }
    /// The difference from the published value, in per cent.
    pub fn from_published(&self) -> Option<f64> {
        self.published.map(|published| (self.gateware / published - 1.0) * 100.0)
    }
    /// The difference from the row that this one is compared with, in per cent.
    pub fn from_beside(&self) -> Option<f64> {
        self.beside.as_ref().map(|(_, beside)| (self.gateware / beside - 1.0) * 100.0)
    }
    /// True if every bound of the row is kept.
    pub fn holds(&self) -> bool {
        let near = self.from_behavioural().abs() <= PERCENT;
        let wire = !self.wire || self.from_published().is_none_or(|percent| percent.abs() <= PERCENT);
        let beside = self.from_beside().is_none_or(|percent| percent.abs() <= CHAIN_PERCENT);
        near && wire && beside && self.compared.is_none_or(|(_, wrong)| wrong == 0)
    }
}

/// The whole table.
#[derive(Clone, Debug)]
pub struct GatewareTable {
    /// The rows, in the order of the page.
    pub lines: Vec<Line>,
    /// False if the run was interrupted.
    pub complete: bool,
    /// What descriptors cost the published card; `None` if it was not run.
    pub published_card: Option<Descriptors>,
}

/// The cost of waiting for descriptors, for a card that writes to the host.
#[derive(Clone, Copy, Debug)]
pub struct Descriptors {
    /// The described wait per page.
    pub wait: Time,
    /// The simulated share of its link's time.
    pub share: f64,
    /// The simulated rate on the link, in MiB/s.
    pub rate: f64,
}

/// The behavioural cards that replace those with compiled gateware, in the same scenario.
#[derive(Clone, Copy, Debug)]
pub struct Counterparts {
    /// The card with the engine's own parameters.
    pub with_engine: fn(&Scenario) -> Scenario,
    /// The vendor's block alone, with an engine that takes no time.
    pub block_alone: fn(&Scenario) -> Scenario,
}

/// The number of points that [`table`] runs.
pub fn points() -> usize {
    rows().iter().map(Asked::variants).sum::<usize>() + 1
}

/// Runs the table.
///
/// # Errors
/// A point that could not be run; the first, if there is no compiled gateware.
pub fn table(options: &RunOptions<'_>, counterparts: &Counterparts) -> Result<GatewareTable, Error> {
    let references = reference::bundled()?;
    let rows = rows();
    let mut jobs = Vec::new();
    for asked in &rows {
        let compiled = job(asked)?;
        let behavioural = Job { scenario: (counterparts.with_engine)(&compiled.scenario), ..compiled.clone() };
        let bare = Job { scenario: (counterparts.block_alone)(&compiled.scenario), ..compiled.clone() };
        jobs.push(compiled);
        jobs.push(behavioural);
        if asked.variants() == 3 {
            jobs.push(bare);
        }
    }
    let (published, wait) = published_card()?;
    jobs.push(published);
    let sweep = sweep::run(jobs, options)?;
    let mut done = sweep.done.iter();
    let mut lines = Vec::new();
    for asked in &rows {
        let taken: Vec<&Measured> = done.by_ref().take(asked.variants()).collect();
        if sweep.complete {
            lines.extend(line(asked, &taken, &references));
        }
    }
    let rates: Vec<(String, f64)> = lines.iter().map(|line| (line.name.clone(), line.gateware)).collect();
    for (line, asked) in lines.iter_mut().zip(&rows) {
        line.beside = asked.beside.and_then(|beside| rates.iter().find(|(name, _)| name == beside).cloned());
    }
    let published_card = sweep.done.last().filter(|_| sweep.complete).and_then(|measured| {
        let share = measured.outcome.flows.first()?.budget.of(Share::Idle(Wait::Descriptors));
        Some(Descriptors { wait, share, rate: measured.simulated(Quality::THROUGHPUT_LINK, Unit::MibPerS)? })
    });
    Ok(GatewareTable { lines, complete: sweep.complete, published_card })
}

/// The published rig with one card writing to the host, and the card's wait for a descriptor.
fn published_card() -> Result<(Job, Time), Error> {
    let machine = DescribedMachine::open(SYSTEM, &[])?;
    let at = At::parse("payload=128").map_err(|piece| Error::asked(piece, "an axis and its value"))?;
    let job = machine.job(machine.description().experiment("host-write")?, at)?;
    let kind = job.scenario.flows.first().map(|flow| &job.scenario.system.part(flow.initiator).kind);
    let wait = kind.and_then(|kind| kind.card()).map_or(Time::ZERO, |card| card.descriptor_wait);
    Ok((job, wait))
}

fn job(asked: &Asked) -> Result<Job, Error> {
    let set: Vec<String> = [CARD].iter().chain(asked.set).map(|s| (*s).to_string()).collect();
    let machine = DescribedMachine::open(SYSTEM, &set)?;
    let experiment = machine.description().experiment(asked.experiment)?;
    let at = At::parse(asked.at).map_err(|piece| Error::asked(piece, "an axis and its value"))?;
    let mut job = machine.job(experiment, at)?;
    if asked.is_short() {
        for flow in &mut job.scenario.flows {
            (flow.command, flow.volume) = (STEADY, STEADY);
        }
    }
    Ok(job)
}

fn line(asked: &Asked, taken: &[&Measured], references: &[Reference]) -> Option<Line> {
    let (compiled, behavioural) = (taken.first()?, taken.get(1)?);
    let unit = if asked.quality == Quality::LATENCY { Unit::Ns } else { Unit::MibPerS };
    let whole = compiled.outcome.flows.iter().filter_map(|flow| flow.integrity);
    let compared = whole.reduce(|a, b| sim::Integrity { compared: a.compared + b.compared, wrong: a.wrong + b.wrong });
    Some(Line {
        name: asked.name(),
        unit,
        limit: behavioural.limit(asked.quality, unit),
        behavioural: behavioural.simulated(asked.quality, unit)?,
        block: taken.get(2).and_then(|bare| bare.simulated(asked.quality, unit)),
        gateware: compiled.simulated(asked.quality, unit)?,
        published: published(asked, references),
        is_formula: asked.formula.is_some(),
        beside: None,
        wire: asked.wire,
        compared: compared.map(|integrity| (integrity.compared, integrity.wrong)),
        descriptors: compiled.outcome.flows.first()?.budget.of(Share::Idle(Wait::Descriptors)),
    })
}

/// The published value for a row's point; if the row names a formula, a flow's share of a link by the article's
/// formula.
fn published(asked: &Asked, references: &[Reference]) -> Option<f64> {
    let mut rows = references.iter().flat_map(|reference| &reference.rows).filter(|row| row.system == SYSTEM);
    if let Some(formula) = asked.formula {
        let is_of = |row: &&Row| row.metric.quality == Quality::Formula(Quantity::PayloadRate);
        let at = At::parse(formula.at).ok()?;
        let whole = rows.find(|row| is_of(row) && row.at == at)?;
        return Some(whole.value.low * formula.encoding / formula.flows);
    }
    let is_mine = |row: &&Row| {
        row.experiment == asked.experiment
            && row.metric.quality == asked.quality
            && !row.metric.stated.is_inequality()
            && asked_covers(asked, &row.at)
    };
    rows.find(is_mine).map(|row| row.value.low)
}

/// True if a published row applies to the row's point: it names the same values, and all others are as described.
fn asked_covers(asked: &Asked, at: &At) -> bool {
    let described = [("payload", "128"), ("size", "4194304"), ("devices", "1")];
    let Ok(point) = At::parse(asked.at) else { return false };
    let named = point.pairs().all(|(axis, value)| at.get(axis) == Some(value));
    let rest = at.pairs().all(|(axis, value)| point.get(axis).is_some() || described.contains(&(axis, value)));
    named && rest
}
