//! The rate of one flow by itself: that of the slowest row of its table.

use crate::class::Classes;
use crate::command::{between_commands, run};
use crate::load::{Load, loads};
use crate::place::{By, Place, Way};
use crate::plan::Plan;
use crate::table::{Row, Table};
use system::{Flow, System, Wait};

/// A flow alone, solved.
#[derive(Clone, Debug)]
pub struct Solved<'a> {
    /// The flow.
    pub plan: Plan<'a>,
    /// What it puts on each direction of its way, in the way's order.
    pub loads: Vec<Load>,
    /// All that holds it back.
    pub table: Table,
    /// Time for each byte of payload while it is active.
    pub fs_per_byte: f64,
    /// From the barrier to the last end seen, with the application's calls.
    pub seen_fs: f64,
    /// Nothing in the way.
    pub latency_fs: f64,
}

/// Solves `flow` by itself; of a loopback, the half that reads.
pub fn solve<'a>(system: &System, flow: &'a Flow) -> Solved<'a> {
    solve_plan(Plan::new(system, flow))
}

/// Flows that pass on what another one brings are no faster than that one. `solved` are the classes of `ways`: each
/// of the flows concerned is a class by itself.
pub fn pass_on(system: &System, solved: &mut [Solved<'_>], classes: &Classes, ways: &[Way]) {
    for _ in 0..solved.len() {
        let mut changed = false;
        for i in 0..solved.len() {
            let Some(from) = solved[i].plan.flow.fed_by.filter(|&from| from < ways.len()) else { continue };
            let (way, from) = (&ways[from], classes.of[from]);
            if solved[from].fs_per_byte > solved[i].fs_per_byte {
                let (fs_per_byte, seen_fs, by) =
                    (solved[from].fs_per_byte, solved[from].seen_fs, solved[from].bottleneck());
                let by = By { place: Place::There(way.location(system, by.place)), ..by };
                let to = &mut solved[i];
                (to.fs_per_byte, to.seen_fs) = (fs_per_byte, to.seen_fs.max(seen_fs));
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
    let table = Table::new(&plan, &loads);
    let latency_fs = crate::latency::latency_fs(&plan);
    let run = run(&plan, &loads, &table);
    let fs_per_byte = if run.stream > 0.0 { 1.0 / run.stream } else { f64::INFINITY };
    Solved { fs_per_byte, seen_fs: run.seen, latency_fs, table, loads, plan }
}

impl Solved<'_> {
    /// Payload in all.
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
