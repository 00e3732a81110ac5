//! The order in which things are tried: first those whose waits, which their fields declare, take most of the time of the
//! flow's links. The order decides how many runs the search needs, not which cause is true.

use crate::cause::step::{is_tried, used_parts};
use crate::confirmed::Thing;
use crate::measured::Measured;
use crate::metric::payload_ends;
use crate::path::base;
use system::field::Better;
use system::graph::Direction;
use system::kinds::PortParams;
use system::{Budget, Field, Flow, Node, Params, PartId, PortId, Scale, Share, System, Wait};

/// Scores of a wait that a field declares, and of any wait, for a time that declares none. Of two fields with the same share of
/// the waits, the one that declares them is tried first.
const DECLARED: f64 = 5.0;
const ANY: f64 = 4.0;

/// What else is tried keeps the order of declaration.
const LEAST: f64 = 1e-4;

/// What goes just before another.
const EARLIER: f64 = 1.01;

/// A direction that is idle for less than this share is full.
const FULL_ABOVE: f64 = 0.97;

/// Everything that is tried for `flow`, the most likely first, with its score.
pub(crate) fn suspects(measured: &Measured, flow: usize) -> Vec<(f64, Thing)> {
    let scenario = &measured.job.scenario;
    let Some(asked) = scenario.flows.get(flow) else { return Vec::new() };
    let view = View::new(measured, asked, flow);
    let mut scored: Vec<(f64, Thing)> = Vec::new();
    let ends = scenario.flows.iter().map(payload_ends);
    let own = used_parts(&scenario.system, [payload_ends(asked)].into_iter());
    for &part in &used_parts(&scenario.system, ends) {
        let is_own = own.contains(&part);
        for field in view.system.part(part).fields().filter(|field| is_tried(field, view.system.part(part))) {
            let score = view.figure(part, field) * if is_own { 1.0 } else { 0.01 };
            let group = view.alike(part, field.name);
            let alone = Thing::Figure { parts: vec![part], field: field.name };
            if is_own || group.len() == 1 {
                scored.push((score, alone));
            }
            if group.len() > 1 && group.first() == Some(&part) {
                scored.push((0.7 * score, Thing::Figure { parts: group, field: field.name }));
            }
        }
    }
    scored.extend(view.ports());
    scored.extend(view.links());
    scored.extend(view.settled());
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
}

/// What the links of a flow show about it.
struct View<'a> {
    measured: &'a Measured,
    system: &'a System,
    flow: &'a Flow,
    outcome: &'a sim::FlowOutcome,
    /// The directions of the payload; in `back`, the opposite directions; in `others`, those of all other flows.
    way: Vec<Direction>,
    back: Vec<Direction>,
    others: Vec<Direction>,
    /// The approximate time of a request, or of a command that software waits for, in femtoseconds.
    cycle: f64,
}

impl<'a> View<'a> {
    fn new(measured: &'a Measured, flow: &'a Flow, number: usize) -> View<'a> {
        let system = &measured.job.scenario.system;
        let (from, to) = payload_ends(flow);
        let (mut way, mut back) = (system.path(from, to), system.path(to, from));
        if flow.operation.is_loop() {
            let both = [way.clone(), back.clone()].concat();
            (way, back) = (both, Vec::new());
        }
        let mut others: Vec<Direction> = Vec::new();
        for other in &measured.job.scenario.flows {
            let (from, to) = payload_ends(other);
            for on in system.path(from, to).into_iter().chain(system.path(to, from)) {
                if !way.contains(&on) && !back.contains(&on) && !others.contains(&on) {
                    others.push(on);
                }
            }
        }
        let outcome = &measured.outcome.flows[number];
        let app = if outcome.app.0 > 0.0 { flow.command.0 as f64 / outcome.app.0 * 1e15 } else { 0.0 };
        let latency = outcome.latency.median.as_fs() as f64;
        let waits = flow.drive == system::Drive::Software && !flow.operation.is_queued();
        let one_by_one = waits || flow.operation.is_pio();
        let cycle = if one_by_one || latency == 0.0 { app.max(1.0) } else { latency };
        View { measured, system, flow, outcome, way, back, others, cycle }
    }

    /// The fields that single ports on the way set for themselves, with scores.
    fn ports(&self) -> Vec<(f64, Thing)> {
        let ways = self.way.iter().chain(&self.back);
        let mut ports: Vec<PortId> = ways.flat_map(|&on| <[PortId; 2]>::from(self.system.ends(on))).collect();
        ports.sort_unstable();
        ports.dedup();
        let mut all = Vec::new();
        for port in ports {
            let id = self.system.port(port).part;
            for own in &self.system.port(port).own {
                let known = self.system.part(id).fields().find(|field| field.name == own.field);
                if let Some(field) = known.filter(|field| is_tried(field, self.system.part(id))) {
                    all.push((1.01 * self.figure(id, field), Thing::Port { port, field: field.name }));
                }
            }
        }
        all
    }

    fn budget(&self, on: Direction) -> Option<&Budget> {
        self.measured.outcome.budgets.iter().find(|(direction, _)| *direction == on).map(|(_, budget)| budget)
    }

    fn busy(&self, on: Direction) -> f64 {
        self.measured.outcome.busy.iter().find(|(direction, _)| *direction == on).map_or(0.0, |(_, busy)| *busy)
    }

    /// The share of time that the flow's busiest direction waits for `wait`.
    fn waits(&self, wait: Wait) -> f64 {
        self.outcome.budget.of(Share::Idle(wait))
    }

    /// The greatest share of time that a direction to or from `part` waits for `wait`.
    fn waits_at(&self, part: PartId, wait: Wait) -> f64 {
        let at = |on: &&Direction| {
            <[PortId; 2]>::from(self.system.ends(**on)).iter().any(|&p| self.system.port(p).part == part)
        };
        let ways = self.way.iter().chain(&self.back).filter(at);
        ways.filter_map(|on| self.budget(*on)).map(|budget| budget.of(Share::Idle(wait))).fold(0.0, f64::max)
    }

    /// The score of a figure of a part: the share of the waits that it declares. A time without any may be in each wait, as
    /// far as it is long enough; a count that may be better either way goes before the times of its part, because a time that
    /// such a count has software wait for follows its own steps as well.
    fn figure(&self, id: PartId, field: &Field) -> f64 {
        let is_of_ports = PortParams::FIELDS.iter().any(|known| known.name == field.name);
        let share = |&wait: &Wait| if is_of_ports { self.waits_at(id, wait) } else { self.waits(wait) };
        let part = self.system.part(id);
        let number = |field: &Field| part.value(field.name).and_then(|text| field.scale.number(&text)).unwrap_or(0.0);
        let of_cycle = |field: &Field| (number(field) / self.cycle).min(1.0);
        if !field.waits.is_empty() {
            // Short times count as well: one that each TLP takes is a small part of a request.
            let long = if field.scale == Scale::Time { 0.2 + 0.6 * of_cycle(field) } else { 1.0 };
            return LEAST + DECLARED * long * field.waits.iter().map(share).sum::<f64>();
        }
        let time = |field: &Field| (LEAST + ANY * self.idle()) * (0.02 + of_cycle(field));
        match (field.scale, field.better) {
            (Scale::Time, _) => time(field),
            (_, Better::Either) => {
                let times = part.fields().filter(|field| field.scale == Scale::Time && is_tried(field, part));
                times.map(time).fold(LEAST, f64::max) * EARLIER
            }
            _ if id == self.flow.initiator && self.flow.operation.is_queued() => LEAST + ANY * self.idle(),
            _ => LEAST,
        }
    }

    fn idle(&self) -> f64 {
        Wait::all().map(|wait| self.waits(wait)).sum()
    }

    /// The parts of the same array whose figure has the same value, `id` included.
    fn alike(&self, id: PartId, field: &str) -> Vec<PartId> {
        let (part, value) = (self.system.part(id), self.system.part(id).value(field));
        if base(&part.name) == part.name {
            return vec![id];
        }
        let same = |other: &Node| base(&other.name) == base(&part.name) && other.value(field) == value;
        (0..self.system.parts.len()).filter(|&n| same(&self.system.parts[n])).map(PartId).collect()
    }

    /// The directions with scores, full ones first; also groups of directions that are alike.
    fn links(&self) -> Vec<(f64, Thing)> {
        let mut all = Vec::new();
        let own = self.way.iter().map(|on| (on, 1.0)).chain(self.back.iter().map(|on| (on, 0.6)));
        for (on, weight) in own.chain(self.others.iter().map(|on| (on, 0.01))) {
            let busy = self.busy(*on);
            let score = weight * if busy >= FULL_ABOVE { 100.0 + busy } else { 3.0 * busy * busy };
            let group = self.ways_alike(*on);
            if weight > 0.1 || group.len() == 1 {
                all.push((score, Thing::Ways(vec![*on])));
            }
            if group.len() > 1 && (weight > 0.1 || group.first() == Some(on)) {
                let thing = Thing::Ways(group);
                if !all.iter().any(|(_, known)| *known == thing) {
                    all.push((0.7 * score, thing));
                }
            }
        }
        all
    }

    /// The directions of links of the same speed between ports of the same names.
    fn ways_alike(&self, on: Direction) -> Vec<Direction> {
        let names = |on: Direction| {
            let (from, to) = self.system.ends(on);
            [from, to].map(|port| self.system.port(port).name.split('.').map(base).collect::<Vec<_>>().join("."))
        };
        let (own, speed) = (names(on), self.system.link(on.link).speed);
        let used = self.way.iter().chain(&self.back).chain(&self.others);
        let mut all: Vec<Direction> =
            used.copied().filter(|&other| self.system.link(other.link).speed == speed && names(other) == own).collect();
        all.sort_by_key(|on| (on.link, on.up));
        all
    }

    /// The things that settle several figures together: MPS, tags, MRRS.
    fn settled(&self) -> Vec<(f64, Thing)> {
        let part = self.system.part(self.flow.initiator);
        let mut all = vec![(0.2, Thing::Mps)];
        if self.flow.operation.is_queued() {
            all.push((6.0 * self.waits(Wait::Software), Thing::Depth(self.flow.work.depth)));
            // Jobs that share cores wait for them before their commands leave: no wait of the link shows that.
            all.extend(self.flow.work.cores.map(|cores| (6.0, Thing::Cores(cores))));
        }
        if let Some(card) = part.kind.engine() {
            let tags = self.waits(Wait::Tags);
            if card.read_requests.0 >= part.tags {
                all.push((6.2 * tags, Thing::Tags(self.flow.initiator)));
            }
            if card.read_request.bytes() >= part.mrrs.bytes() {
                all.push((0.8 * tags, Thing::Mrrs(self.flow.initiator)));
            }
        }
        all
    }
}
