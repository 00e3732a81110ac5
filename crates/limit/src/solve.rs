//! The rate of one flow by itself: the tightest of its bounds, and where several mechanisms meet the recurrence.

use crate::bound::{Bound, bounds};
use crate::class::Classes;
use crate::load::{Load, loads};
use crate::place::{By, Place, Way};
use crate::plan::Plan;
use crate::timeline::Run;
use crate::train::follow;
use system::{Cause, Flow, System, Wait};

/// A flow alone, solved.
#[derive(Clone, Debug)]
pub struct Solved<'a> {
    /// The flow.
    pub plan: Plan<'a>,
    /// What it puts on each direction of its way, in the way's order.
    pub loads: Vec<Load>,
    /// Its bounds while it streams, the tightest first.
    pub bounds: Vec<Bound>,
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
                let bound = Bound { fs_per_byte, at_worst: fs_per_byte, dllps: 0.0, wait: Some(Wait::Core), by };
                to.bounds.insert(0, bound);
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
    let bounds = bounds(&plan, &loads);
    let latency_fs = crate::latency::latency_fs(&plan);
    let stuck = Run { stream: 0.0, seen: f64::INFINITY };
    let run = clear(&plan, &bounds, latency_fs).unwrap_or_else(|| follow(&plan).unwrap_or(stuck));
    let run = served(run, &plan);
    let fs_per_byte = if run.stream > 0.0 { 1.0 / run.stream } else { f64::INFINITY };
    Solved { fs_per_byte, seen_fs: run.seen, latency_fs, bounds, loads, plan }
}

/// No faster than what else the payload passes in the parts at its ends.
fn served(run: Run, plan: &Plan<'_>) -> Run {
    let volume = plan.commands as f64 * plan.cut.bytes as f64;
    plan.servers.iter().fold(run, |run, (_, server)| Run {
        stream: run.stream.min(server.rate.0 * 1e-15),
        seen: run.seen.max(volume / server.rate.0 * 1e15),
    })
}

/// How far every other bound must be below the tightest for it to decide alone.
const CLEAR: f64 = 0.85;

/// DLLPs a TLP that count for nothing, however they bunch.
const FEW_DLLPS: f64 = 0.05;

/// Pieces of a volume beside which its start and its end count for nothing.
const LONG: f64 = 4000.0;

/// The rate of a flow of which one bound decides alone, in closed form; `None` where several meet, or commands and
/// pages break its stream.
fn clear(plan: &Plan<'_>, bounds: &[Bound], latency_fs: f64) -> Option<Run> {
    let tightest = bounds.first()?;
    let streams = plan.commands == 1 && !plan.by_software() && !plan.flow.operation.is_pio();
    let unbroken = plan.card.descriptor_wait.as_fs() == 0 && plan.next_command.is_none();
    let whole = unbroken && plan.cut.count() > LONG;
    // A full link and a loop of tags that is far from it: nothing else is simple enough to be sure of.
    let full = tightest.wait.is_none() && tightest.dllps < FEW_DLLPS;
    let alone = bounds.iter().filter(|b| !b.is_wire()).all(|b| b.at_worst < CLEAR * tightest.fs_per_byte);
    (streams && whole && full && alone).then(|| Run {
        stream: 1.0 / tightest.fs_per_byte,
        seen: latency_fs + plan.cut.bytes as f64 * tightest.fs_per_byte,
    })
}

impl Solved<'_> {
    /// Payload in all.
    pub fn volume(&self) -> f64 {
        self.plan.commands as f64 * self.plan.cut.bytes as f64
    }

    /// What the flow waits for beyond its tightest bound: the time between commands.
    pub fn between_commands(&self) -> By {
        let command = self.plan.flow.command;
        let (place, cause) = match self.plan.by_software() {
            true => (Place::Host, Cause::Software(command)),
            false => (Place::Card, Cause::CommandStart(command)),
        };
        By { place, cause, shared: false }
    }

    /// What sets the rate: the tightest bound, or what happens between commands where that takes longer.
    pub fn bottleneck(&self) -> By {
        let tightest = self.bounds.first();
        let streaming = tightest.map_or(0.0, |b| b.fs_per_byte);
        if self.plan.commands > 1 && self.fs_per_byte > 2.0 * streaming {
            return self.between_commands();
        }
        tightest.map_or_else(|| self.between_commands(), |bound| bound.by)
    }
}
