//! The limits of flows that run at once.

use crate::budget::{Others, budget, fullest};
use crate::load::{Load, loads};
use crate::share::{Resource, Share, held_by, shares};
use crate::solve::Solved;
use crate::{FlowLimit, alone};
use pcie::Rate;
use system::System;
use system::graph::{Direction, LinkId};

/// All of `solved` at once.
pub fn together(system: &System, solved: &[Solved<'_>]) -> Vec<FlowLimit> {
    let shares = shares(system, solved);
    let loads: Vec<Vec<Load>> = solved.iter().map(|s| loads(&s.plan)).collect();
    (0..solved.len()).map(|flow| one(system, solved, &loads, &shares, flow)).collect()
}

/// Flow `number` among the others.
fn one(system: &System, solved: &[Solved<'_>], loads: &[Vec<Load>], shares: &[Share], number: usize) -> FlowLimit {
    let (own, share) = (&solved[number], &shares[number]);
    let by_itself = alone(own);
    let Some(resource) = share.held_by else {
        let direction = by_itself.direction;
        let fs = if share.rate > 0.0 { 1.0 / share.rate } else { f64::INFINITY };
        let budget = budget(own, direction, fs, others(loads, shares, number, direction, false));
        return FlowLimit { budget, ..by_itself };
    };
    let direction = match resource {
        Resource::Wire(link, up) if carries(&loads[number], link, up) => Direction { link: LinkId(link), up },
        _ => busiest(loads, shares, number).unwrap_or(by_itself.direction),
    };
    let slower = own.fs_per_byte * share.rate;
    let fs = 1.0 / share.rate;
    let (bottleneck, _) = held_by(system, own, resource);
    FlowLimit {
        stream: Rate(share.rate * 1e15),
        app: Rate(by_itself.app.0 * slower.min(1.0)),
        latency: by_itself.latency,
        bottleneck,
        direction,
        budget: budget(own, direction, fs, others(loads, shares, number, direction, true)),
    }
}

/// True where the flow's payload goes that way.
fn carries(loads: &[Load], link: usize, up: bool) -> bool {
    loads.iter().any(|l| !l.data.is_empty() && l.wire.direction.link.0 == link && l.wire.direction.up == up)
}

/// The direction nearest to full of those that carry the flow's payload, with all that is on it.
fn busiest(loads: &[Vec<Load>], shares: &[Share], number: usize) -> Option<Direction> {
    let full = |direction: Direction| -> f64 {
        let on = loads.iter().zip(shares).flat_map(|(loads, s)| loads.iter().map(move |l| (l, s.rate)));
        on.filter(|(l, _)| l.wire.direction == direction).map(|(l, rate)| l.full_fs(0.0) * rate).sum()
    };
    let mine = loads[number].iter().filter(|l| !l.data.is_empty()).map(|l| l.wire.direction);
    mine.max_by(|&a, &b| full(a).total_cmp(&full(b))).or(fullest(&loads[number]).map(|l| l.wire.direction))
}

/// What the other flows put on `direction`, as shares of its encoded time.
fn others(loads: &[Vec<Load>], shares: &[Share], number: usize, direction: Direction, contended: bool) -> Others {
    let mut others = Others { contended, ..Others::default() };
    for (flow, (loads, share)) in loads.iter().zip(shares).enumerate().filter(|(flow, _)| *flow != number) {
        let _ = flow;
        for load in loads {
            let here = load.wire.direction;
            let bytes = |groups: &[crate::load::Group]| groups.iter().map(|g| g.per_byte * g.wire as f64).sum::<f64>();
            let part = |bytes: f64| load.wire.time(bytes) * share.rate;
            if here == direction {
                others.flows += part(bytes(&load.data));
                others.requests += part(bytes(&load.requests));
            } else if here.link == direction.link {
                let tlps = load.tlps() * share.rate;
                let dllps = if tlps > 0.0 { load.dllps_back(1.0 / tlps) * load.tlps() } else { 0.0 };
                others.dllps += part(dllps * load.hop.back.dllp_bytes as f64);
            }
        }
    }
    others
}
