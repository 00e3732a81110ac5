//! All flows at once: what each gets of the directions and servers that it shares with others.
//!
//! Every flow wants what it gets alone. Where the wants on a direction come to more than it carries, its arbiter
//! shares it out: a turn for each source, one TLP a turn; a source that wants less leaves the rest to the others.
//! What flows of one source get among each other follows the arbiter that let them into it. The least that a flow
//! can get (the others take the most) and the most (the others take the least) are worked out in turn until they
//! meet: what a flow cannot use here for want of a share there is the others'. Where they do not meet, several
//! splits are possible, and the most is the limit.

use crate::load::{Load, loads, refreshes};
use crate::solve::Solved;
use std::collections::BTreeMap;
use system::graph::{Direction, LinkId, PartId};
use system::kinds::host::ServeReads;
use system::{Bottleneck, Kind, System};

/// Rounds until the least and the most that each flow can get meet, or stay the same.
const ROUNDS: usize = 12;

/// Something that several flows use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// A direction of a link: the link, and whether it leads up.
    Wire(usize, bool),
    /// Memory of the host.
    Memory,
    /// The core of a card, taking what arrives.
    Core(usize),
    /// A cap on the payload of a port, in (true) or out.
    Cap(usize, bool),
    /// The reads of a root port, one after another.
    Reads(usize),
}

/// What a flow needs of a resource.
#[derive(Clone, Debug)]
struct Use {
    flow: usize,
    /// How far on its way: 0 is the first.
    stage: usize,
    /// Time for each byte of its payload.
    fs_per_byte: f64,
    /// The sources that it comes through, the nearest last: one for each arbiter so far on its way.
    through: Vec<Source>,
}

/// A source of an arbiter.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Source {
    /// Which, among all of all arbiters on one way.
    name: u64,
    /// Turns that it needs for each byte of the flow's payload.
    turns_per_byte: f64,
}

/// What a flow gets, and what holds it to that.
#[derive(Clone, Debug)]
pub struct Share {
    /// Payload bytes a femtosecond.
    pub rate: f64,
    /// `None` where it gets what it gets alone.
    pub held_by: Option<Resource>,
}

/// What is known of a flow while its share is worked out.
#[derive(Clone, Debug)]
struct Known {
    /// Alone.
    alone: f64,
    /// Where nothing on the way ever tells it to wait: what its source sends at most.
    open: Option<f64>,
    /// The completer, of reads.
    completer: Option<PartId>,
    /// All flows are of one nature: posted TLPs, or reads of one completer. What is held back by credits or by tags
    /// may let others take its turns; among equals nobody is held back more than another.
    among_equals: bool,
    /// The least, and the most, that each resource leaves it, by stage.
    least: BTreeMap<Resource, (usize, f64)>,
    most: BTreeMap<Resource, (usize, f64)>,
}

impl Known {
    fn new(solved: &Solved<'_>, loads: &[Load]) -> Known {
        let alone = if solved.fs_per_byte > 0.0 { 1.0 / solved.fs_per_byte } else { 0.0 };
        let slowest = loads.iter().map(|load| load.full_fs(0.0)).fold(0.0, f64::max);
        let open = !solved.plan.reads() && solved.plan.data.iter().all(|hop| hop.credits.is_infinite());
        // What is slower than all its links is slow at its source.
        let source = if solved.fs_per_byte > 1.02 * slowest { alone } else { f64::INFINITY };
        let completer = solved.plan.reads().then_some(solved.plan.flow.target);
        let (least, most) = (BTreeMap::new(), BTreeMap::new());
        Known { alone, open: open.then_some(source), completer, among_equals: false, least, most }
    }

    /// The least (or the most) that gets through all its way.
    fn rate(&self, most: bool) -> f64 {
        let caps = if most { &self.most } else { &self.least };
        caps.values().map(|&(_, cap)| cap).fold(self.alone, f64::min)
    }

    /// The same, as it comes to a resource at `stage` of its way: what nobody can hold back comes as it is sent.
    fn arriving(&self, stage: usize, most: bool) -> f64 {
        let Some(source) = self.open else { return self.rate(most) };
        let caps = if most { &self.most } else { &self.least };
        caps.values().filter(|(at, _)| *at < stage).map(|&(_, cap)| cap).fold(source, f64::min)
    }
}

/// The shares of `solved` flows, all at once.
pub fn shares(system: &System, solved: &[Solved<'_>]) -> Vec<Share> {
    let loads: Vec<Vec<Load>> = solved.iter().map(|s| loads(&s.plan)).collect();
    let mut flows: Vec<Known> = solved.iter().zip(&loads).map(|(s, l)| Known::new(s, l)).collect();
    let uses = uses(system, solved, &loads);
    let one_nature = flows.windows(2).all(|pair| pair[0].completer == pair[1].completer);
    flows.iter_mut().for_each(|flow| flow.among_equals = one_nature);
    for _ in 0..ROUNDS {
        let before: Vec<f64> = flows.iter().map(|f| f.rate(true)).collect();
        for most in [false, true] {
            // The least is what is left when the others take the most, and the other way round.
            let rates: Vec<f64> = flows.iter().map(|f| if most { f.rate(false) } else { f.rate(true) }).collect();
            // Requests and completions of other natures may come in bunches that one ACK covers.
            let sure = |(flow, &rate): (&Known, &f64)| {
                if !most || one_nature || flow.completer.is_none() { rate } else { 0.0 }
            };
            let rates: Vec<f64> = flows.iter().zip(&rates).map(sure).collect();
            round(&uses, &mut flows, &capacities(&loads, &rates), most);
        }
        if flows.iter().zip(&before).all(|(f, &before)| (f.rate(true) - before).abs() <= 1e-9 * before) {
            break;
        }
    }
    let slack = if one_nature && !alike(&uses, flows.len()) { SLACK } else { 1.0 };
    let sure: Vec<f64> = flows.iter().map(|flow| flow.rate(true)).collect();
    let left = capacities(&loads, &sure);
    let mut shares: Vec<Share> = flows.iter().map(|flow| flow.share(slack)).collect();
    for (resource, users) in uses.iter().filter(|_| slack > 1.0) {
        trim(&mut shares, users, left.get(resource).copied().unwrap_or(1.0));
    }
    shares
}

/// What is slack in each share may not be slack in their sum: together they get no more than there is.
fn trim(shares: &mut [Share], users: &[Use], capacity: f64) {
    let used: f64 = users.iter().map(|user| shares[user.flow].rate * user.fs_per_byte).sum();
    if used > capacity {
        let part = (capacity / used).max(1.0 / SLACK);
        users.iter().for_each(|user| shares[user.flow].rate *= part);
    }
}

/// Reads of one completer share by what each has in flight over how long its own way takes; where some meet more
/// company than others behind the completer, shares differ by a few per cent.
const SLACK: f64 = 1.04;

/// True where every flow meets as many others, stage by stage of its way, as any other flow does.
fn alike(uses: &BTreeMap<Resource, Vec<Use>>, flows: usize) -> bool {
    let mut company: Vec<Vec<(usize, usize)>> = vec![Vec::new(); flows];
    for users in uses.values() {
        users.iter().for_each(|user| company[user.flow].push((user.stage, users.len())));
    }
    company.iter_mut().for_each(|met| met.sort_unstable());
    company.windows(2).all(|pair| pair[0] == pair[1])
}

/// One round: what each resource leaves each flow at the least, or at the most.
fn round(uses: &BTreeMap<Resource, Vec<Use>>, flows: &mut [Known], left: &BTreeMap<Resource, f64>, most: bool) {
    for (&resource, users) in uses {
        if users.len() < 2 && !crossed(resource, users[0].flow, uses) {
            // Nobody else: what the flow gets alone has it all. One that cannot be told to wait comes no faster on.
            if let Some(open) = users.first().filter(|u| flows[u.flow].open.is_some()) {
                let cap = (open.stage, 1.0 / open.fs_per_byte);
                flows[open.flow].least.insert(resource, cap);
                flows[open.flow].most.insert(resource, cap);
            }
            continue;
        }
        let capacity = left.get(&resource).copied().unwrap_or(1.0);
        let caps = match users.len() {
            ..=FEW => (0..users.len()).map(|own| share_of(own, users, flows, capacity, most)).collect(),
            _ => shares_of_many(users, flows, capacity, most),
        };
        for (user, cap) in users.iter().zip(caps) {
            let known = &mut flows[user.flow];
            let caps = if most { &mut known.most } else { &mut known.least };
            caps.insert(resource, (user.stage, cap));
        }
    }
}

/// Users of a resource of which each is looked at by itself.
const FEW: usize = 12;

/// What each of many users of a resource can get: its share beside all others, and what those leave.
fn shares_of_many(users: &[Use], flows: &[Known], capacity: f64, most: bool) -> Vec<f64> {
    let wants = |(i, user): (usize, &Use)| {
        let flow = &flows[user.flow];
        let sure = !most || flow.open.is_some() || flow.among_equals;
        (i, if sure { flow.arriving(user.stage, !most) } else { 0.0 }.min(1.0 / user.fs_per_byte))
    };
    let demands: Vec<(usize, f64)> = users.iter().enumerate().map(wants).collect();
    let shares = split(users, &demands, capacity, 0);
    let used: f64 = users.iter().zip(&shares).map(|(user, share)| user.fs_per_byte * share).sum();
    let left = if most { (capacity - used).max(0.0) } else { 0.0 };
    users.iter().zip(shares).map(|(user, share)| share + left / user.fs_per_byte).collect()
}

/// What user `own` of a resource can get, payload bytes a femtosecond: it wants all that it could have.
fn share_of(own: usize, users: &[Use], flows: &[Known], capacity: f64, most: bool) -> f64 {
    let wants = |(i, user): (usize, &Use)| {
        let flow = &flows[user.flow];
        let all = flow.open.map_or(flow.alone, |_| flow.arriving(user.stage, most));
        let sure = !most || flow.open.is_some() || flow.among_equals;
        let theirs = if sure { flow.arriving(user.stage, !most) } else { 0.0 };
        (i, if i == own { all } else { theirs }.min(1.0 / user.fs_per_byte))
    };
    let demands: Vec<(usize, f64)> = users.iter().enumerate().map(wants).collect();
    split(users, &demands, capacity, 0)[own]
}

impl Known {
    fn share(&self, slack: f64) -> Share {
        let slack = if self.completer.is_some() { slack } else { 1.0 };
        let tightest = self.most.iter().min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let held_by = tightest.filter(|(_, (_, cap))| *cap < self.alone * (1.0 - 1e-6)).map(|(&resource, _)| resource);
        Share { rate: (self.rate(true) * slack).min(self.alone), held_by }
    }
}

/// True where another flow uses the other direction of the link.
fn crossed(resource: Resource, flow: usize, uses: &BTreeMap<Resource, Vec<Use>>) -> bool {
    let Resource::Wire(link, up) = resource else { return false };
    uses.get(&Resource::Wire(link, !up)).is_some_and(|users| users.iter().any(|u| u.flow != flow))
}

/// Splits `capacity` over the sources at `level` by turns, and within each source over those one level further
/// back; the rate of each of `users`, zero for those without demand.
fn split(users: &[Use], demands: &[(usize, f64)], capacity: f64, level: usize) -> Vec<f64> {
    let mut rates = vec![0.0; users.len()];
    let mut sources: BTreeMap<Option<u64>, Vec<(usize, f64)>> = BTreeMap::new();
    let source_of = |i: usize| users[i].through.iter().rev().nth(level);
    for &(i, demand) in demands {
        sources.entry(source_of(i).map(|s| s.name)).or_default().push((i, demand));
    }
    let time = |members: &[(usize, f64)]| members.iter().map(|&(i, d)| d * users[i].fs_per_byte).sum::<f64>();
    let turn = |i: usize| source_of(i).map_or(1.0, |s| s.turns_per_byte);
    let turns = |members: &[(usize, f64)]| members.iter().map(|&(i, d)| d * turn(i)).sum::<f64>();
    let wants: Vec<(f64, f64)> = sources.values().map(|m| (time(m), turns(m))).collect();
    let turn_level = level_of(&wants, capacity);
    for (members, (want, turn)) in sources.values().zip(&wants) {
        if *turn <= turn_level * (1.0 + 1e-12) {
            members.iter().for_each(|&(i, demand)| rates[i] = demand);
        } else if members.len() == 1 {
            members.iter().for_each(|&(i, demand)| rates[i] = demand * turn_level / turn);
        } else if level + 1 >= MOST_LEVELS {
            members.iter().for_each(|&(i, demand)| rates[i] = demand * turn_level / turn);
        } else {
            let inner = split(users, members, want * turn_level / turn, level + 1);
            members.iter().for_each(|&(i, _)| rates[i] = inner[i]);
        }
    }
    rates
}

/// Arbiters one behind the other that are followed back.
const MOST_LEVELS: usize = 16;

/// The turns that each source may have so that all together take `capacity`: sources that want fewer get what
/// they want. `wants` are time and turns of each.
fn level_of(wants: &[(f64, f64)], capacity: f64) -> f64 {
    let mut order: Vec<&(f64, f64)> = wants.iter().filter(|(_, turns)| *turns > 0.0).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut left = capacity.max(0.0);
    for (place, (time, turns)) in order.iter().enumerate() {
        let per_turn: f64 = order[place..].iter().map(|(time, turns)| time / turns).sum();
        let level = left / per_turn;
        if *turns > level {
            return level;
        }
        left -= time;
    }
    f64::INFINITY
}

/// What each resource has left for TLPs: a direction sends the DLLPs for what comes the other way first.
fn capacities(loads: &[Vec<Load>], rates: &[f64]) -> BTreeMap<Resource, f64> {
    let mut left = BTreeMap::new();
    let all = || loads.iter().zip(rates).flat_map(|(loads, &rate)| loads.iter().map(move |load| (load, rate)));
    for (load, _) in all() {
        let direction = load.wire.direction;
        let resource = Resource::Wire(direction.link.0, direction.up);
        left.entry(resource).or_insert_with(|| {
            let dllps = dllps_per_fs(all(), direction) + refreshes(&load.hop);
            1.0 - dllps * load.wire.time(dllp_slot(load))
        });
    }
    left
}

/// Bytes that a DLLP between two TLPs takes, with the gap that it leaves or fills.
fn dllp_slot(load: &Load) -> f64 {
    load.slots(1.0) / load.tlps().max(1e-12) - load.slots(0.0) / load.tlps().max(1e-12)
}

/// DLLPs on `direction` for what arrives the other way.
fn dllps_per_fs<'a>(all: impl Iterator<Item = (&'a Load, f64)> + Clone, direction: Direction) -> f64 {
    let reverse = |load: &Load| load.wire.direction.link == direction.link && load.wire.direction.up != direction.up;
    let back: Vec<(&Load, f64)> = all.clone().filter(|(load, _)| reverse(load)).collect();
    let tlps: f64 = back.iter().map(|(load, rate)| load.tlps() * rate).sum();
    let Some((load, _)) = back.first() else { return 0.0 };
    let forward: f64 =
        all.filter(|(load, _)| load.wire.direction == direction).map(|(load, rate)| load.tlps() * rate).sum();
    let owed = tlps * load.dllps_back(if tlps > 0.0 { 1.0 / tlps } else { f64::INFINITY });
    // One of each kind between two TLPs at most, where TLPs follow one another without a gap.
    let kinds = if load.hop.credits.is_infinite() { 1.0 } else { 2.0 };
    if forward > 0.0 { owed.min(kinds * forward.max(tlps)) } else { owed }
}

/// Who uses what.
fn uses(system: &System, solved: &[Solved<'_>], loads: &[Vec<Load>]) -> BTreeMap<Resource, Vec<Use>> {
    let mut uses: BTreeMap<Resource, Vec<Use>> = BTreeMap::new();
    for (flow, solved) in solved.iter().enumerate() {
        let mut add = |resource, stage, fs_per_byte: f64, through: &[Source]| {
            if fs_per_byte > 0.0 {
                uses.entry(resource).or_default().push(Use { flow, stage, fs_per_byte, through: through.to_vec() });
            }
        };
        wires(system, solved, flow, &loads[flow], &mut add);
        servers(system, solved, flow, &mut add);
    }
    uses
}

/// Takes a use: resource, stage, time for each byte, and the sources it comes through.
type Add<'a> = dyn FnMut(Resource, usize, f64, &[Source]) + 'a;

/// The directions that a flow goes over, and the caps of their ports.
fn wires(system: &System, solved: &Solved<'_>, flow: usize, loads: &[Load], add: &mut Add<'_>) {
    let mut through = Vec::new();
    for (i, load) in loads.iter().enumerate() {
        if i == 0 || i == solved.plan.data.len() {
            through = first_sources(system, solved, load, flow);
        }
        let direction = load.wire.direction;
        add(Resource::Wire(direction.link.0, direction.up), 3 * i + 1, load.full_fs(0.0), &through);
        if !load.data.is_empty() {
            let (from, to) = system.ends(direction);
            add(Resource::Cap(from.0, false), 3 * i, load.hop.cap_before, &through);
            add(Resource::Cap(to.0, true), 3 * i + 2, load.hop.cap_behind, &through);
        }
        through.push(ingress(direction, load.tlps()));
    }
}

/// The source of what came by a direction: its ingress port.
fn ingress(direction: Direction, turns_per_byte: f64) -> Source {
    Source { name: (direction.link.0 as u64) << 1 | direction.up as u64, turns_per_byte }
}

/// Marks sources inside a part, which are no ingress ports.
const INSIDE: u64 = 1 << 32;

/// Marks the one source of all the answers of a card or of a root port that answers in order.
const ANSWERS: u64 = 1 << 33;

/// The sources of a flow's own TLPs at the part where they begin: the flow, with a turn for each TLP. Where requests
/// are answered in the order that they came, all answers are one source, and a flow's part of that queue is what
/// it has in flight: its turn there is all of that.
fn first_sources(system: &System, solved: &Solved<'_>, load: &Load, flow: usize) -> Vec<Source> {
    let plan = &solved.plan;
    let in_order = match &system.part(load.wire.from).kind {
        Kind::Host(host) => load.answers && host.serve_reads == ServeReads::InOrder,
        Kind::Card(_) => load.answers,
        Kind::Switch(_) => false,
    };
    let name = INSIDE | flow as u64;
    if !in_order {
        return vec![Source { name, turns_per_byte: load.tlps() }];
    }
    let asked = plan.in_flight as f64 * plan.cut.bytes as f64 / plan.cut.count().max(1.0);
    let window = asked.min(plan.cut.bytes as f64).min(plan.buffer.map_or(f64::INFINITY, |b| b as f64)).max(1.0);
    let answers = ANSWERS | load.wire.from.0 as u64;
    vec![Source { name, turns_per_byte: 1.0 / window }, Source { name: answers, turns_per_byte: load.tlps() }]
}

/// The stage behind all links.
const LAST: usize = usize::MAX;

/// Memory, cores, and the reads of a root port.
fn servers(system: &System, solved: &Solved<'_>, flow: usize, add: &mut Add<'_>) {
    let plan = &solved.plan;
    let Some(last) = plan.data.last() else { return };
    let tlps: Vec<crate::load::Group> = loads(plan).first().map_or_else(Vec::new, |l| l.data.clone());
    let each = |time: &dyn Fn(u64) -> f64| tlps.iter().map(|g| g.per_byte * time(g.payload)).sum::<f64>();
    let turns_per_byte: f64 = tlps.iter().map(|g| g.per_byte).sum();
    let source = [Source { name: INSIDE | flow as u64, turns_per_byte }];
    if plan.flow.operation.is_pio() {
        return;
    }
    if plan.reads() {
        let time = each(&|bytes| plan.card.core_time(bytes).as_fs() as f64);
        add(Resource::Core(plan.flow.initiator.0), LAST, time, &source);
        let requests = plan.cut.count() / plan.cut.bytes as f64;
        if let (Kind::Host(_), Some(hop)) = (&system.part(plan.flow.target).kind, plan.data.first()) {
            let port = system.ends(hop.wire.direction).0;
            add(Resource::Reads(port.0), 0, plan.completer.gap_fs * requests, &source);
        }
    } else if let Some(card) = &plan.target_card {
        let time = each(&|bytes| card.core_time(bytes).as_fs() as f64);
        add(Resource::Core(plan.flow.target.0), LAST, time, &source);
    } else {
        let pieces = each(&|bytes| plan.memory_fs(0, bytes));
        let pages = plan.host.page_service.as_fs() as f64 * plan.cut.entered / plan.cut.bytes as f64;
        add(Resource::Memory, LAST, pieces + pages, &[source[0], ingress(last.wire.direction, turns_per_byte)]);
    }
}

/// What holds a flow back, for people.
pub fn held_by(system: &System, solved: &Solved<'_>, resource: Resource) -> Bottleneck {
    let part = |id: usize| system.part(PartId(id)).name.clone();
    let port = |id: usize| system.ports[id].name.clone();
    let (name, what) = match resource {
        Resource::Wire(link, up) => {
            let direction = Direction { link: LinkId(link), up };
            let what = format!("{}, transmit, shared", system.link(direction.link).speed);
            return Bottleneck { name: system.direction_name(direction), what };
        }
        Resource::Memory => (part(solved.plan.flow.target.0), "memory, service of writes, shared"),
        Resource::Core(id) => (part(id), "datapath of the core, shared"),
        Resource::Cap(id, _) => (port(id), "payload behind the port, shared"),
        Resource::Reads(id) => (port(id), "time between two reads, shared"),
    };
    Bottleneck { name, what: what.to_string() }
}
