//! The limits of flows that run at once.

use crate::budget::{Others, budget};
use crate::crowd::Crowd;
use crate::flow_limit::FlowLimit;
use crate::load::{Group, Load};
use crate::place::{By, Place};
use crate::resource::{Resource, Use};
use crate::share::{Held, Share, shares};
use pcie::Rate;
use system::graph::Direction;
use system::{Budget, System};

/// The limits of all flows of `crowd` at once, and of each flow the direction at whose start a queue grows.  `alone` has
/// the limits of each flow alone.
pub fn together(system: &System, crowd: &Crowd<'_>, alone: &[FlowLimit]) -> (Vec<FlowLimit>, Vec<Option<Direction>>) {
    let shares = shares(crowd);
    let totals = Totals::new(system, crowd, &shares);
    let mut budgets = Budgets(vec![None; crowd.solved.len()]);
    let of_flow = |(flow, (share, alone)): (usize, (&Share, &FlowLimit))| {
        Shared::new((system, crowd), flow, share, &totals, &mut budgets).limit(system, crowd, flow, alone)
    };
    let growing = |share: &Share| {
        let of = &crowd.uses.all[share.grows?];
        crowd.ways[of.flow].directions.get(of.load).copied()
    };
    (shares.iter().zip(alone).enumerate().map(of_flow).collect(), shares.iter().map(growing).collect())
}

/// What a flow at some rate puts on the direction of one of its loads, and on the link's other direction, as shares of
/// their time after encoding.
struct Part {
    here: Others,
    dllps_back: f64,
}

impl Part {
    fn new(load: &Load, rate: f64) -> Part {
        let bytes = |groups: &[Group]| groups.iter().map(|g| g.per_byte * g.wire as f64).sum::<f64>();
        let part = |bytes: f64| load.wire.time(bytes) * rate;
        let tlps = load.tlps() * rate;
        let dllps = if tlps > 0.0 { load.dllps_back(1.0 / tlps, 0.0) * load.tlps() } else { 0.0 };
        let here =
            Others { flows: part(bytes(&load.data)), requests: part(bytes(&load.requests)), ..Others::default() };
        Part { here, dllps_back: part(dllps * load.hop.back.dllp_bytes as f64) }
    }
}

/// The total that all flows put on each direction.
struct Totals(Vec<Others>);

impl Totals {
    fn new(system: &System, crowd: &Crowd<'_>, shares: &[Share]) -> Totals {
        let mut totals = Totals(vec![Others::default(); 2 * system.links.len()]);
        for (flow, (way, share)) in crowd.ways.iter().zip(shares).enumerate() {
            for (&direction, load) in way.directions.iter().zip(&crowd.solved(flow).loads) {
                totals.add(direction, &Part::new(load, share.rate));
            }
        }
        totals
    }

    fn index(direction: Direction) -> usize {
        2 * direction.link.0 + usize::from(direction.up)
    }

    fn add(&mut self, direction: Direction, part: &Part) {
        let here = &mut self.0[Totals::index(direction)];
        here.flows += part.here.flows;
        here.requests += part.here.requests;
        self.0[Totals::index(direction) ^ 1].dllps += part.dllps_back;
    }

    fn on(&self, direction: Direction) -> Others {
        self.0.get(Totals::index(direction)).copied().unwrap_or_default()
    }
}

/// The budget last made of each class: like flows among like others have the same.
struct Budgets(Vec<Option<(Beside, Budget)>>);

/// What a budget is made of besides its class: the load, the time for each byte, and the other traffic.
type Beside = (Option<usize>, f64, Others);

impl Budgets {
    fn of(&mut self, crowd: &Crowd<'_>, flow: usize, beside: Beside) -> Budget {
        let class = crowd.classes[flow];
        if let Some((made_of, made)) = &self.0[class]
            && *made_of == beside
        {
            return made.clone();
        }
        let (at, fs_per_byte, others) = beside;
        let made = budget(&crowd.solved[class], at, fs_per_byte, others);
        self.0[class] = Some((beside, made.clone()));
        made
    }
}

/// The limit of a flow beside the others, without names of links and parts.
struct Shared {
    rate: f64,
    /// Factor on the application's rate alone.
    app: f64,
    /// The bottleneck; `None` where each flow has the bottleneck that it has alone.
    by: Option<By>,
    /// The load whose direction the budget describes.
    at: Option<usize>,
    budget: Budget,
}

impl Shared {
    fn new(
        (system, crowd): (&System, &Crowd<'_>),
        flow: usize,
        share: &Share,
        totals: &Totals,
        budgets: &mut Budgets,
    ) -> Shared {
        let (own, way) = (crowd.solved(flow), &crowd.ways[flow]);
        let loads = &own.loads;
        let fs = if share.rate > 0.0 { 1.0 / share.rate } else { f64::INFINITY };
        let (by, held) = holder(system, crowd, flow, share);
        let wire = held.filter(|of| matches!(of.resource, Resource::Wire(..)) && !loads[of.load].data.is_empty());
        let at = match (&by, wire) {
            (None, _) => crate::budget::fullest(loads),
            (_, Some(of)) => Some(of.load),
            (_, None) => busiest(loads, &way.directions, totals),
        };
        let others = others(loads, &way.directions, at, share.rate, totals, by.is_some());
        Shared {
            rate: share.rate,
            app: (own.fs_per_byte * share.rate).min(1.0),
            by,
            at,
            budget: budgets.of(crowd, flow, (at, fs, others)),
        }
    }

    fn limit(&self, system: &System, crowd: &Crowd<'_>, flow: usize, alone: &FlowLimit) -> FlowLimit {
        let way = &crowd.ways[flow];
        let Some(by) = &self.by else { return FlowLimit { budget: self.budget.clone(), ..alone.clone() } };
        FlowLimit {
            stream: Rate(self.rate * 1e15),
            most: alone.most,
            next: None,
            app: Rate(alone.app.0 * self.app),
            latency: alone.latency,
            bottleneck: way.name(system, by),
            direction: self.at.and_then(|at| way.directions.get(at).copied()).unwrap_or(alone.direction),
            budget: self.budget.clone(),
        }
    }
}

/// What holds a flow to its share, and the flow's own use where it is one.
fn holder<'a>(system: &System, crowd: &Crowd<'a>, flow: usize, share: &Share) -> (Option<By>, Option<&'a Use>) {
    let whole = |by: By, of: usize| By { place: Place::There(crowd.ways[of].location(system, by.place)), ..by };
    match share.held_by {
        Held::Alone => (None, None),
        Held::Flow(of) => (Some(whole(crowd.solved(of).bottleneck(), of)), None),
        Held::Use(number) => {
            let of = &crowd.uses.all[number];
            let by = of.by;
            if of.flow == flow { (Some(by), Some(of)) } else { (Some(whole(by, of.flow)), None) }
        }
    }
}

/// The load whose direction is nearest to full with the traffic of all flows, among those that carry the flow's
/// payload.
fn busiest(loads: &[Load], directions: &[Direction], totals: &Totals) -> Option<usize> {
    let full = |at: usize| {
        let on = totals.on(directions[at]);
        on.flows + on.requests + on.dllps
    };
    (0..loads.len()).filter(|&at| !loads[at].data.is_empty()).max_by(|&a, &b| full(a).total_cmp(&full(b)))
}

/// The traffic of the other flows on the direction of load `at`.
fn others(
    loads: &[Load],
    directions: &[Direction],
    at: Option<usize>,
    rate: f64,
    totals: &Totals,
    contended: bool,
) -> Others {
    let Some(here) = at.and_then(|at| directions.get(at).copied()) else {
        return Others { contended, ..Others::default() };
    };
    let mut own = Others::default();
    for (load, direction) in loads.iter().zip(directions).filter(|(_, direction)| direction.link == here.link) {
        let part = Part::new(load, rate);
        if direction.up == here.up {
            own.flows += part.here.flows;
            own.requests += part.here.requests;
        } else {
            own.dllps += part.dllps_back;
        }
    }
    let all = totals.on(here);
    // The budget counts the flow's own DLLPs separately.
    let less = |all: f64, own: f64| if all - own > 1e-12 { all - own } else { 0.0 };
    Others {
        flows: less(all.flows, own.flows),
        requests: less(all.requests, own.requests),
        dllps: less(all.dllps, own.dllps),
        contended,
    }
}
