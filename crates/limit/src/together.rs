//! The limits of flows that run at once.

use crate::budget::{Others, budget};
use crate::load::{Group, Load, loads};
use crate::share::{Resource, Share, held_by, shares};
use crate::solve::Solved;
use crate::{FlowLimit, alone};
use pcie::Rate;
use std::collections::BTreeMap;
use system::System;
use system::graph::{Direction, LinkId};

/// All of `solved` at once.
pub fn together(system: &System, solved: &[Solved<'_>]) -> Vec<FlowLimit> {
    let shares = shares(system, solved);
    let loads: Vec<Vec<Load>> = solved.iter().map(|s| loads(&s.plan)).collect();
    let totals = totals(&loads, &shares);
    (0..solved.len()).map(|flow| one(system, &solved[flow], &loads[flow], &shares[flow], &totals)).collect()
}

/// What all flows put on each direction, as shares of its encoded time.
type Totals = BTreeMap<(usize, bool), Others>;

fn totals(loads: &[Vec<Load>], shares: &[Share]) -> Totals {
    let mut totals = Totals::new();
    for (loads, share) in loads.iter().zip(shares) {
        add(&mut totals, loads, share.rate, 1.0);
    }
    totals
}

/// Adds `sign` times what a flow at `rate` puts on its directions.
fn add(totals: &mut Totals, loads: &[Load], rate: f64, sign: f64) {
    for load in loads {
        let (link, up) = (load.wire.direction.link.0, load.wire.direction.up);
        let bytes = |groups: &[Group]| groups.iter().map(|g| g.per_byte * g.wire as f64).sum::<f64>();
        let part = |bytes: f64| sign * load.wire.time(bytes) * rate;
        let here = totals.entry((link, up)).or_default();
        here.flows += part(bytes(&load.data));
        here.requests += part(bytes(&load.requests));
        let tlps = load.tlps() * rate;
        let dllps = if tlps > 0.0 { load.dllps_back(1.0 / tlps) * load.tlps() } else { 0.0 };
        totals.entry((link, !up)).or_default().dllps += part(dllps * load.hop.back.dllp_bytes as f64);
    }
}

/// A flow among the others.
fn one(system: &System, own: &Solved<'_>, loads: &[Load], share: &Share, totals: &Totals) -> FlowLimit {
    let by_itself = alone(own);
    let fs = if share.rate > 0.0 { 1.0 / share.rate } else { f64::INFINITY };
    let Some(resource) = share.held_by else {
        let others = others(loads, share, totals, by_itself.direction, false);
        return FlowLimit { budget: budget(own, by_itself.direction, fs, others), ..by_itself };
    };
    let direction = match resource {
        Resource::Wire(link, up) if carries(loads, link, up) => Direction { link: LinkId(link), up },
        _ => busiest(loads, totals).unwrap_or(by_itself.direction),
    };
    FlowLimit {
        stream: Rate(share.rate * 1e15),
        app: Rate(by_itself.app.0 * (own.fs_per_byte * share.rate).min(1.0)),
        latency: by_itself.latency,
        bottleneck: held_by(system, own, resource),
        direction,
        budget: budget(own, direction, fs, others(loads, share, totals, direction, true)),
    }
}

/// True where the flow's payload goes that way.
fn carries(loads: &[Load], link: usize, up: bool) -> bool {
    loads.iter().any(|l| !l.data.is_empty() && l.wire.direction.link.0 == link && l.wire.direction.up == up)
}

/// The direction nearest to full of those that carry the flow's payload, with all that is on it.
fn busiest(loads: &[Load], totals: &Totals) -> Option<Direction> {
    let full = |direction: Direction| {
        let on = totals.get(&(direction.link.0, direction.up)).copied().unwrap_or_default();
        on.flows + on.requests + on.dllps
    };
    let mine = loads.iter().filter(|l| !l.data.is_empty()).map(|l| l.wire.direction);
    mine.max_by(|&a, &b| full(a).total_cmp(&full(b)))
}

/// What the other flows put on `direction`.
fn others(loads: &[Load], share: &Share, totals: &Totals, direction: Direction, contended: bool) -> Others {
    let mut own = Totals::new();
    add(&mut own, loads, share.rate, 1.0);
    let key = (direction.link.0, direction.up);
    let all = totals.get(&key).copied().unwrap_or_default();
    let own = own.get(&key).copied().unwrap_or_default();
    // The flow's own DLLPs are in its own budget.
    let less = |all: f64, own: f64| if all - own > 1e-12 { all - own } else { 0.0 };
    Others {
        flows: less(all.flows, own.flows),
        requests: less(all.requests, own.requests),
        dllps: less(all.dllps, own.dllps),
        contended,
    }
}
