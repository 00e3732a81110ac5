//! The table of NVMe hosts in logic: published figures, the published host as it is described, and our host in its place,
//! compiled and by the parameters that `storage` needs for it.

use crate::error::Error;
use crate::job::Job;
use crate::machine::DescribedMachine;
use crate::measured::Measured;
use crate::metric::Quality;
use crate::reference;
use crate::sweep::{self, RunOptions};
use crate::unit::Unit;
use pcie::Bytes;
use system::Scenario;

/// The published figures.
const REFERENCE: &str = "bit-nvme";
/// Our host in place of the published one.
const COMPILED: &str = "fpga.gateware=nvme_host";
/// The rate while all flows are active: published runs are so long that the bring-up is nothing in them.
const QUALITY: Quality = Quality::THROUGHPUT_SUM;
/// The user commands that are given at once: as the published host does it, and as ours may.
pub const DEPTHS: [u64; 2] = [1, 4];
/// The volume of each flow: enough for a steady rate.
const STEADY: Bytes = Bytes(64 << 20);
/// Runs of a row: the published host, and ours at each depth, twice.
const RUNS: usize = 1 + 2 * DEPTHS.len();
/// The bound on our host against its prediction, where it is given several user commands, in per cent.
pub const PERCENT: f64 = 5.0;

/// Our host at one depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ours {
    /// User commands that are given at once.
    pub depth: u64,
    /// The limit, the behavioural host with the gateware's parameters, and the compiled gateware, MB/s.
    pub limit: Option<f64>,
    /// See [`Ours::limit`].
    pub behavioural: f64,
    /// See [`Ours::limit`].
    pub gateware: f64,
}

impl Ours {
    /// The difference of the gateware from the behavioural host, in per cent.
    pub fn from_behavioural(&self) -> f64 {
        (self.gateware / self.behavioural - 1.0) * 100.0
    }
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct HostLine {
    /// The machine, and the point.
    pub name: String,
    /// The published value, and the published host, simulated, MB/s.
    pub published: f64,
    /// See [`HostLine::published`].
    pub described: f64,
    /// Our host at each depth.
    pub ours: [Ours; DEPTHS.len()],
    /// Bytes compared in all of its runs, and how many of them were wrong.
    pub compared: (u64, u64),
}

impl HostLine {
    /// True where no byte is wrong, the gateware is not above its limit, and agrees with its prediction where it has several user
    /// commands.
    pub fn holds(&self) -> bool {
        let below = |ours: &Ours| ours.limit.is_none_or(|limit| ours.gateware <= limit);
        let near = |ours: &Ours| ours.depth == 1 || ours.from_behavioural().abs() <= PERCENT;
        self.compared.0 > 0 && self.compared.1 == 0 && self.ours.iter().all(|ours| below(ours) && near(ours))
    }
}

/// The number of points that [`hosts`] runs.
pub fn host_points() -> usize {
    reference::bundled_named(REFERENCE).map_or(0, |reference| reference.rows.len() * RUNS)
}

/// Runs the table, with `counterpart` as the behavioural host of a scenario; `None` where it was interrupted.
///
/// # Errors
/// A point that could not be run; the first, if there is no compiled gateware.
pub fn hosts(options: &RunOptions<'_>, counterpart: fn(&Scenario) -> Scenario) -> Result<Option<Vec<HostLine>>, Error> {
    let Some(published) = reference::bundled_named(REFERENCE) else { return Ok(Some(Vec::new())) };
    let mut jobs = Vec::new();
    for row in &published.rows {
        jobs.push(DescribedMachine::open(&row.system, &[])?.job_of_row(row, row.at.clone())?);
        let machine = DescribedMachine::open(&row.system, &[COMPILED.to_string()])?;
        for depth in DEPTHS {
            let mut job = machine.job_of_row(row, row.at.clone())?;
            job.scenario.integrity = true;
            for flow in &mut job.scenario.flows {
                (flow.volume, flow.work.depth) = (STEADY, depth);
            }
            let behavioural = Job { scenario: counterpart(&job.scenario), ..job.clone() };
            jobs.push(job);
            jobs.push(behavioural);
        }
    }
    let sweep = sweep::run(jobs, options)?;
    let line = |(row, runs): (&reference::Row, &[Measured])| {
        let value = |at: usize| runs.get(at)?.simulated(QUALITY, Unit::MbPerS);
        let ours = |depth: usize| {
            let at = 1 + 2 * depth;
            Some(Ours {
                depth: DEPTHS[depth],
                limit: runs.get(at)?.limit(QUALITY, Unit::MbPerS),
                behavioural: value(at + 1)?,
                gateware: value(at)?,
            })
        };
        let compiled = runs.iter().skip(1).step_by(2).flat_map(|run| &run.outcome.flows);
        let compared = compiled.filter_map(|flow| flow.integrity);
        Some(HostLine {
            name: format!("{}, {}", row.system, row.at),
            published: row.clone().told_in(Unit::MbPerS).value.low,
            described: value(0)?,
            ours: [ours(0)?, ours(1)?],
            compared: compared.fold((0, 0), |(all, wrong), one| (all + one.compared, wrong + one.wrong)),
        })
    };
    let lines = published.rows.iter().zip(sweep.done.chunks(RUNS)).filter_map(line).collect();
    Ok(sweep.complete.then_some(lines))
}
