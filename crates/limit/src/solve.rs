//! The rate of one flow alone: that of the slowest row of its table.

use crate::class::Classes;
use crate::command::{between_commands, one_by_one_fs, run};
use crate::load::{Load, loads};
use crate::place::{By, Place, Way};
use crate::plan::Plan;
use crate::rows;
use crate::table::{Row, Table};
use system::{Flow, System, Wait};

/// One flow alone, with its rate.
#[derive(Clone, Debug)]
pub struct Solved<'a> {
    /// The flow.
    pub plan: Plan<'a>,
    /// Its TLPs on each direction, in the order of its path.
    pub loads: Vec<Load>,
    /// Its servers and loops.
    pub table: Table,
    /// Time for each byte of payload while it is active.
    pub fs_per_byte: f64,
    /// The least time for each byte in any run.
    pub least_fs: f64,
    /// The same in any run in which other flows are active.
    pub among_fs: f64,
    /// From the barrier to the end of the last command as the application sees it.
    pub seen_fs: f64,
    /// Latency with no other traffic.
    pub latency_fs: f64,
}

/// Solves `flow` alone; of a loopback, the half that reads.
pub fn solve<'a>(system: &System, flow: &'a Flow) -> Solved<'a> {
    solve_plan(Plan::new(system, flow))
}

/// Limits a flow that forwards the data of another flow to the rate of that flow. Each of these flows is a class of its own.
pub fn pass_on(system: &System, solved: &mut [Solved<'_>], classes: &Classes, ways: &[Way]) {
    for _ in 0..solved.len() {
        let mut changed = false;
        for i in 0..solved.len() {
            let Some(from) = solved[i].plan.flow.fed_by.filter(|&from| from < ways.len()) else { continue };
            let (way, from) = (&ways[from], classes.of[from]);
            if solved[from].fs_per_byte > solved[i].fs_per_byte {
                let feeds = &solved[from];
                let (fs_per_byte, least_fs, seen_fs, by) =
                    (feeds.fs_per_byte, feeds.least_fs, feeds.seen_fs, feeds.bottleneck());
                let by = By { place: Place::There(way.location(system, by.place)), ..by };
                let to = &mut solved[i];
                (to.fs_per_byte, to.seen_fs) = (fs_per_byte, to.seen_fs.max(seen_fs));
                to.least_fs = to.least_fs.max(least_fs);
                let row = Row { wait: Some(Wait::Core), by, ..Row::server(fs_per_byte, by.place, by.cause) };
                to.table.rows.insert(0, row);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

fn solve_plan(plan: Plan<'_>) -> Solved<'_> {
    let loads = loads(&plan);
    let table = rows::table(&plan, &loads);
    let latency_fs = match (&plan.queued, plan.flow.timed.is_by_command()) {
        // Little's law: so many commands in flight, and so many a second.
        (Some(_), _) => plan.flow.work.in_flight() as f64 * plan.cut.bytes as f64 * table.fs_per_byte(),
        (None, true) => one_by_one_fs(&plan, &loads, &table),
        (None, false) => crate::latency::latency_fs(&plan),
    };
    let run = run(&plan, &loads, &table);
    let fs_per_byte = if run.stream > 0.0 { 1.0 / run.stream } else { f64::INFINITY };
    let slowest = table.fs_per_byte();
    let share = |least: f64| if slowest > 0.0 { least / slowest } else { 1.0 };
    let (least_fs, among_fs) =
        (fs_per_byte * share(table.least_fs_per_byte()), fs_per_byte * share(table.among_fs_per_byte()));
    Solved { fs_per_byte, least_fs, among_fs, seen_fs: run.seen, latency_fs, table, loads, plan }
}

impl Solved<'_> {
    /// The flow beside others.
    pub fn among(self) -> Self {
        Solved { least_fs: self.among_fs, ..self }
    }

    /// Total payload.
    pub fn volume(&self) -> f64 {
        self.plan.commands as f64 * self.plan.cut.bytes as f64
    }

    /// What the flow waits for between commands.
    pub fn between_commands(&self) -> By {
        between_commands(&self.plan)
    }

    /// What sets the rate: the slowest row.
    pub fn bottleneck(&self) -> By {
        self.table.rows.first().map_or_else(|| self.between_commands(), |row| row.by)
    }
}
