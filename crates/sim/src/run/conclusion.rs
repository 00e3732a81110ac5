//! Computes the outcome of a run from the fabric at its end.

use crate::engine::flows::Until;
use crate::engine::numbering::named;
use crate::engine::window::{MeasuredWindow, Starvation};
use crate::link::fabric::Fabric;
use crate::link::meter::Meter;
use crate::run::error::SimError;
use crate::run::outcome::{FlowOutcome, Integrity, Outcome};
use crate::run::{balance, prolong};
use pcie::{Bytes, Rate};
use system::graph::Direction;
use system::kinds::HostParams;
use system::kinds::host::Notice;
use system::{Budget, Scenario};

/// The outcome of `scenario`. `why` explains a missing window.
///
/// # Errors
/// [`SimError::Unbalanced`], an internal error.
pub(crate) fn outcome(
    scenario: &Scenario,
    fabric: &mut Fabric,
    partial: bool,
    why: impl FnOnce(Bytes) -> Starvation,
) -> Result<Outcome, SimError> {
    let window = fabric.flows.window();
    let (empty, now): (Vec<Meter>, Vec<Meter>) = match window {
        Some(_) => (Vec::new(), Vec::new()),
        None => (vec![Meter::new(); fabric.directions.len()], fabric.meters()),
    };
    let (before, after) = match window {
        Some(_) => (&fabric.opened, &fabric.closed),
        None => (&empty, &now),
    };
    let all = Meters { before, after };
    let busy: Vec<f64> = after.iter().zip(before).map(|(after, before)| after.busy_since(before)).collect();
    let busiest = busiest(scenario.flows.len(), after, &busy);
    let each = busiest.iter().enumerate();
    let flows: Vec<FlowOutcome> =
        each.map(|(number, &index)| flow_outcome(scenario, fabric, all, number, index)).collect();
    let rates: Vec<Option<Rate>> = flows.iter().map(|flow| flow.stream).collect();
    balance::check(&scenario.system, fabric, &rates)?;
    let prolonged = fabric.flows.until == Until::AllHaveEnough;
    let common = window.map(|(opened, closed)| MeasuredWindow { opened, closed, prolonged });
    let window = window.map_or(fabric.now, |_| fabric.metered.1 - fabric.metered.0);
    let directions = (0..fabric.directions.len()).filter_map(|index| {
        let payload = |meter: &Meter| meter.flows.iter().map(|(_, f)| f.payload).sum::<u64>();
        let bytes = payload(&after[index]) - payload(&before[index]);
        (bytes > 0).then(|| (direction(index), Rate::of(bytes, window)))
    });
    let each = 0..fabric.directions.len();
    Ok(Outcome {
        flows,
        window: common.ok_or_else(|| prolong::starved(scenario, &fabric.flows, why)),
        directions: directions.collect(),
        busy: each.clone().map(|n| (direction(n), busy[n])).collect(),
        budgets: each.map(|n| (direction(n), all.budget(&scenario.system, n, None))).collect(),
        end: if partial { fabric.now } else { fabric.flows.end() },
        events: fabric.queue.handled,
        most_pending: fabric.queue.most_pending,
        tlp_hops: fabric.tlp_hops,
        partial,
    })
}

/// `ended`, the outcome of the run in which each flow ended with its volume, with the results of the run with extended
/// flows: rates, budgets and waits.
pub(crate) fn with_window(ended: Outcome, went_on: Outcome) -> Outcome {
    let Outcome { events, most_pending, tlp_hops, .. } = ended;
    let sums = Outcome {
        events: events + went_on.events,
        most_pending: most_pending.max(went_on.most_pending),
        tlp_hops: tlp_hops + went_on.tlp_hops,
        partial: went_on.partial,
        window: went_on.window,
        ..ended
    };
    if sums.window.is_err() {
        return sums;
    }
    let of_window = |(ended, went_on): (FlowOutcome, FlowOutcome)| {
        let FlowOutcome { stream, direction, budget, .. } = went_on;
        FlowOutcome { stream, direction, budget, ..ended }
    };
    let flows = sums.flows.into_iter().zip(went_on.flows).map(of_window).collect();
    let Outcome { directions, busy, budgets, .. } = went_on;
    Outcome { flows, directions, busy, budgets, ..sums }
}

/// The meters at the two ends of the window.
#[derive(Clone, Copy)]
struct Meters<'a> {
    before: &'a [Meter],
    after: &'a [Meter],
}

impl Meters<'_> {
    /// The budget of a direction, for `flow` or for all flows together.
    fn budget(self, system: &system::System, index: usize, flow: Option<usize>) -> Budget {
        let Some(link) = system.links.get(index / 2) else { return Budget::default() };
        self.after[index].budget_since(&self.before[index], flow, link.speed.generation.encoding())
    }
}

fn direction(index: usize) -> Direction {
    named(index as u32)
}

/// For each flow: the busiest direction that carried its payload; the first direction where none did.
fn busiest(flows: usize, meters: &[Meter], busy: &[f64]) -> Vec<usize> {
    let mut busiest: Vec<Option<usize>> = vec![None; flows];
    for (index, meter) in meters.iter().enumerate() {
        for (flow, _) in meter.flows.iter().filter(|(_, carried)| carried.payload > 0) {
            let most = &mut busiest[flow as usize];
            if most.is_none_or(|most| busy[index].total_cmp(&busy[most]).is_ge()) {
                *most = Some(index);
            }
        }
    }
    busiest.into_iter().map(Option::unwrap_or_default).collect()
}

fn flow_outcome(scenario: &Scenario, fabric: &Fabric, meters: Meters<'_>, number: usize, index: usize) -> FlowOutcome {
    let account = &fabric.flows.accounts[number];
    FlowOutcome {
        bytes: account.delivered,
        stream: account.stream(fabric.flows.window()),
        timer: account.timer(),
        app: account.app(),
        latency: account.latency(),
        distribution: account.distribution(),
        faults: account.faults,
        cores: cores(scenario, number, account.cores()),
        direction: direction(index),
        budget: meters.budget(&scenario.system, index, Some(number)),
        integrity: scenario.integrity.then_some(Integrity { compared: account.compared, wrong: account.wrong }),
    }
}

/// Busy cores of the software of flow `number`, which has spent `spent`; `None` where it is not that of a drive, or where
/// the host has no CPU.
fn cores(scenario: &Scenario, number: usize, spent: f64) -> Option<f64> {
    let flow = scenario.flows.get(number).filter(|flow| flow.has_own_jobs())?;
    let host = scenario.system.part(scenario.system.host_for(flow.initiator, flow.target)).kind.of::<HostParams>()?;
    if host.notice == Notice::Interrupt {
        return Some(spent);
    }
    // A job that polls leaves nothing of its core, and jobs that share cores nothing of those.
    let jobs = flow.work.jobs as f64;
    let beside = |other: &&system::Flow| {
        other.has_own_jobs() && (other.target, other.work.cores) == (flow.target, flow.work.cores)
    };
    let all: u64 = scenario.flows.iter().filter(beside).map(|flow| flow.work.jobs).sum();
    let shared = flow.work.cores.map_or(jobs, |cores| jobs * (cores as f64 / all.max(1) as f64).min(1.0));
    Some(shared)
}
