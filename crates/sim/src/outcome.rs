//! From a fabric at rest to what is told of it.

use crate::fabric::Fabric;
use crate::flows::Until;
use crate::meter::Meter;
use crate::window::{Starvation, Window};
use crate::{FlowOutcome, Integrity, Outcome, SimError, balance, prolong};
use pcie::{Bytes, Rate, Time};
use system::graph::Direction;
use system::{Bottleneck, Budget, Flow, Kind, Operation, Scenario, Share, System, Wait};

/// Idle time below this share of a direction leaves the direction itself the bottleneck.
const FULL_ABOVE: f64 = 0.97;

/// What `fabric` did for `scenario`; where it had no window, `why`.
///
/// # Errors
/// [`SimError::Unbalanced`], an error of this program.
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
        each.map(|(number, &index)| flow_outcome(scenario, fabric, all, number, index, busy[index])).collect();
    let rates: Vec<Option<Rate>> = flows.iter().map(|flow| flow.stream).collect();
    balance::check(&scenario.system, fabric, &rates)?;
    let prolonged = fabric.flows.until == Until::AllHaveEnough;
    let common = window.map(|(opened, closed)| Window { opened, closed, prolonged });
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

/// `ended`, where every flow ended with its volume, with what was found while all of them went on: the rates, where
/// the time went, what held each flow.
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
        let FlowOutcome { stream, bottleneck, direction, budget, .. } = went_on;
        FlowOutcome { stream, bottleneck, direction, budget, ..ended }
    };
    let flows = sums.flows.into_iter().zip(went_on.flows).map(of_window).collect();
    let Outcome { directions, busy, budgets, .. } = went_on;
    Outcome { flows, directions, busy, budgets, ..sums }
}

/// Meters at both ends of the window.
#[derive(Clone, Copy)]
struct Meters<'a> {
    before: &'a [Meter],
    after: &'a [Meter],
}

impl Meters<'_> {
    /// Where the time of a direction went, as `flow` sees it, or all flows together.
    fn budget(self, system: &system::System, index: usize, flow: Option<usize>) -> Budget {
        let Some(link) = system.links.get(index / 2) else { return Budget::default() };
        self.after[index].budget_since(&self.before[index], flow, link.speed.generation.encoding())
    }
}

pub(crate) fn direction(index: usize) -> Direction {
    Direction { link: system::LinkId(index / 2), up: index.is_multiple_of(2) }
}

/// The direction of each flow that is the busiest of those that carried payload of it; the first of all where none did.
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

fn flow_outcome(
    scenario: &Scenario,
    fabric: &Fabric,
    meters: Meters<'_>,
    number: usize,
    index: usize,
    busy: f64,
) -> FlowOutcome {
    let account = &fabric.flows.accounts[number];
    let flow = &scenario.flows[number];
    let budget = meters.budget(&scenario.system, index, Some(number));
    let mut bottleneck = bottleneck(&scenario.system, flow, direction(index), &budget, busy);
    if bottleneck.what == CREDITS {
        let memory = memory_share(fabric) > FULL_ABOVE;
        bottleneck = if memory && matches!(scenario.system.part(flow.target).kind, Kind::Host(_)) {
            let name = scenario.system.part(flow.target).name.clone();
            Bottleneck { name, what: "memory, write after write".to_string() }
        } else {
            starved_last(&scenario.system, flow, meters, number).unwrap_or(bottleneck)
        };
    }
    FlowOutcome {
        bytes: account.delivered,
        stream: account.stream(fabric.flows.window()),
        timer: account.timer(),
        app: account.app(),
        latency: account.latency(),
        distribution: account.distribution(),
        bottleneck,
        direction: direction(index),
        budget,
        integrity: scenario.integrity.then_some(Integrity { compared: account.compared, wrong: account.wrong }),
    }
}

/// Share of the window that memory spent on writes.
fn memory_share(fabric: &Fabric) -> f64 {
    let (opened, closed) = fabric.memory_window;
    let window = fabric.flows.window().map_or(Time::NEVER, |(open, close)| close - open);
    closed.saturating_sub(opened).as_secs() / window.as_secs()
}

const CREDITS: &str = "flow-control credits of the receiver";

/// Of the directions that wait for credits, the one nearest to the flow's end: the others wait behind it.
fn starved_last(system: &System, flow: &Flow, meters: Meters<'_>, number: usize) -> Option<Bottleneck> {
    let (from, to) =
        if flow.operation.is_read() { (flow.target, flow.initiator) } else { (flow.initiator, flow.target) };
    let starved = system.path(from, to).into_iter().rev().find(|on| {
        let index = 2 * on.link.0 + usize::from(!on.up);
        let budget = meters.budget(system, index, Some(number));
        budget.of(Share::Idle(Wait::Credits)) > 1.0 - FULL_ABOVE
    })?;
    Some(Bottleneck { name: system.direction_name(starved), what: CREDITS.to_string() })
}

/// The busiest direction where it is full, else what it waits for most.
fn bottleneck(system: &System, flow: &Flow, on: Direction, budget: &Budget, busy: f64) -> Bottleneck {
    let waits = Share::ALL.into_iter().filter_map(|share| match share {
        Share::Idle(wait) => Some((wait, budget.of(share))),
        _ => None,
    });
    let most = waits.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| busy < FULL_ABOVE);
    let card = if flow.operation.is_pio() { flow.target } else { flow.initiator };
    let name = |part: system::PartId| system.part(part).name.clone();
    let host = system.parts.iter().find(|p| matches!(p.kind, Kind::Host(_))).map_or(String::new(), |p| p.name.clone());
    let (name, what) = match most {
        None => (system.direction_name(on), format!("{}, transmit", system.link(on.link).speed)),
        Some((Wait::Credits, _)) => (system.direction_name(on), CREDITS.to_string()),
        Some((Wait::Replay, _)) => (system.direction_name(on), "replay buffer, full until ACKs come".to_string()),
        Some((Wait::Tags, _)) => (name(card), in_flight(system, card)),
        Some((Wait::Memory, _)) if flow.operation == Operation::P2pRead => {
            (name(flow.target), "read latency".to_string())
        }
        Some((Wait::Memory, _)) => (host, "memory".to_string()),
        Some((Wait::Arbitration, _)) => (system.direction_name(on), "a fuller link on the way".to_string()),
        Some((Wait::Descriptors, _)) => (name(card), "waits for descriptors".to_string()),
        Some((Wait::RootPort, _)) => (host, "gaps between PIO TLPs".to_string()),
        Some((Wait::Command, _)) => (name(card), "start of each command".to_string()),
        Some((Wait::Nothing, _)) => (name(card), "nothing more to send".to_string()),
        Some((Wait::Core, _)) if flow.fed_by.is_some() => {
            (name(card), "core datapath, or what it is to pass on".to_string())
        }
        Some((Wait::Core, _)) => (name(card), "core datapath".to_string()),
        Some((Wait::Software, _)) if flow.operation.is_pio() => (host, "CPU stores and loads".to_string()),
        Some((Wait::Software, _)) => (host, "software, command by command".to_string()),
    };
    Bottleneck { name, what }
}

fn in_flight(system: &System, card: system::PartId) -> String {
    match &system.part(card).kind {
        Kind::Card(params) => match params.read_requests.0.min(system.part(card).tags.max(1)) {
            1 => "one read request in flight".to_string(),
            n => format!("{n} read requests in flight"),
        },
        _ => "requests in flight".to_string(),
    }
}
