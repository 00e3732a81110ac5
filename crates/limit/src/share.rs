//! All flows at once: what each gets of the directions and servers that it shares with others.
//!
//! Every flow wants what it gets alone. Where the wants on a direction come to more than it carries, its arbiter
//! shares it out: a turn for each source, one TLP a turn; a source that wants less leaves the rest to the others.
//! What flows of one source get among each other follows the arbiter that let them into it. Shares are worked
//! out over and over until they stay the same: what a flow cannot use here for want of a share there is the
//! others'. Where several splits are possible the larger share is taken: it is a limit.

use crate::load::{Load, loads, refreshes};
use crate::solve::Solved;
use std::collections::BTreeMap;
use system::graph::{Direction, PartId};
use system::{Bottleneck, Kind, System, Wait};

/// Rounds until the shares stay the same: more than there are links one behind the other.
const ROUNDS: usize = 24;

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
    /// Time for each byte of its payload.
    fs_per_byte: f64,
    /// Turns for each byte of its payload.
    turns_per_byte: f64,
    /// The sources that it comes through, the nearest last: one for each arbiter so far on its way.
    through: Vec<u64>,
}

/// What a flow gets, and what holds it to that.
#[derive(Clone, Debug)]
pub struct Share {
    /// Payload bytes a femtosecond.
    pub rate: f64,
    /// `None` where it gets what it gets alone.
    pub held_by: Option<Resource>,
}

/// The shares of `solved` flows, all at once.
pub fn shares(system: &System, solved: &[Solved<'_>]) -> Vec<Share> {
    let alone: Vec<f64> = solved.iter().map(|s| if s.fs_per_byte > 0.0 { 1.0 / s.fs_per_byte } else { 0.0 }).collect();
    let loads: Vec<Vec<Load>> = solved.iter().map(|s| loads(&s.plan)).collect();
    let mut shares: Vec<Share> = alone.iter().map(|&rate| Share { rate, held_by: None }).collect();
    let mut before = shares.clone();
    for _ in 0..ROUNDS {
        let rates: Vec<f64> = shares.iter().map(|s| s.rate).collect();
        let uses = uses(system, solved, &loads, &rates);
        let next = round(&uses, &alone, &rates, &capacities(&loads, &rates));
        before = std::mem::replace(&mut shares, next);
        let still = before.iter().zip(&shares).all(|(a, b)| (a.rate - b.rate).abs() <= 1e-9 * a.rate);
        if still {
            break;
        }
    }
    // Two turns that follow one another for ever: the larger.
    before.into_iter().zip(shares).map(|(a, b)| if a.rate > b.rate { a } else { b }).collect()
}

/// One round: each flow gets the least of its shares, where the others want what they got so far.
fn round(uses: &BTreeMap<Resource, Vec<Use>>, alone: &[f64], rates: &[f64], left: &BTreeMap<Resource, f64>) -> Vec<Share> {
    let mut shares: Vec<Share> = alone.iter().map(|&rate| Share { rate, held_by: None }).collect();
    for (&resource, users) in uses {
        let capacity = left.get(&resource).copied().unwrap_or(1.0);
        let wanted: f64 = users.iter().map(|u| u.fs_per_byte * alone[u.flow]).sum();
        if users.len() < 2 && wanted <= capacity {
            continue;
        }
        for user in users {
            let rate = share_of(user, users, alone, rates, capacity);
            if rate < shares[user.flow].rate * (1.0 - 1e-9) {
                shares[user.flow] = Share { rate, held_by: Some(resource) };
            }
        }
    }
    shares
}

/// What `user` can get of a resource, payload bytes a femtosecond.
fn share_of(user: &Use, users: &[Use], alone: &[f64], rates: &[f64], capacity: f64) -> f64 {
    // The flow itself wants all that it could have; the others what they got.
    let demands: Vec<(usize, f64)> = (users.iter().enumerate())
        .map(|(i, u)| (i, if u.flow == user.flow { alone[u.flow] } else { rates[u.flow] }))
        .collect();
    let got = split(users, &demands, capacity, 0);
    let own = users.iter().zip(got).find(|(u, _)| u.flow == user.flow);
    own.map_or(alone[user.flow], |(_, rate)| rate)
}

/// Splits `capacity` over the sources at `level` by turns, and within each source over those one level further
/// back; the rate of each of `users`, zero for those without demand.
fn split(users: &[Use], demands: &[(usize, f64)], capacity: f64, level: usize) -> Vec<f64> {
    let mut rates = vec![0.0; users.len()];
    let mut sources: BTreeMap<Option<u64>, Vec<(usize, f64)>> = BTreeMap::new();
    for &(i, demand) in demands {
        let through = &users[i].through;
        let source = through.len().checked_sub(level + 1).map(|at| through[at]);
        sources.entry(source).or_default().push((i, demand));
    }
    let time = |members: &[(usize, f64)]| members.iter().map(|&(i, d)| d * users[i].fs_per_byte).sum::<f64>();
    let turns = |members: &[(usize, f64)]| members.iter().map(|&(i, d)| d * users[i].turns_per_byte).sum::<f64>();
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
fn uses(system: &System, solved: &[Solved<'_>], loads: &[Vec<Load>], rates: &[f64]) -> BTreeMap<Resource, Vec<Use>> {
    let mut uses: BTreeMap<Resource, Vec<Use>> = BTreeMap::new();
    for (flow, solved) in solved.iter().enumerate() {
        let mut add = |resource, fs_per_byte: f64, turns_per_byte, through: &[u64]| {
            if fs_per_byte > 0.0 && rates[flow] > 0.0 {
                let through = through.to_vec();
                uses.entry(resource).or_default().push(Use { flow, fs_per_byte, turns_per_byte, through });
            }
        };
        wires(system, solved, flow, &loads[flow], &mut add);
        servers(system, solved, &mut add);
    }
    uses
}

/// Takes a use: resource, time and turns for each byte, and the sources it comes through.
type Add<'a> = dyn FnMut(Resource, f64, f64, &[u64]) + 'a;

/// The directions that a flow goes over, and the caps of their ports.
fn wires(system: &System, solved: &Solved<'_>, flow: usize, loads: &[Load], add: &mut Add<'_>) {
    let mut through = Vec::new();
    for (i, load) in loads.iter().enumerate() {
        if i == 0 || i == solved.plan.data.len() {
            through = vec![first_source(system, load, flow)];
        }
        let direction = load.wire.direction;
        add(Resource::Wire(direction.link.0, direction.up), load.full_fs(0.0), load.tlps(), &through);
        if !load.data.is_empty() {
            let (from, to) = system.ends(direction);
            add(Resource::Cap(from.0, false), load.hop.cap_before, load.tlps(), &through);
            let felt = load.hop.crossing.is_some() || !load.hop.credits.is_infinite();
            add(Resource::Cap(to.0, true), if felt { load.hop.cap_behind } else { 0.0 }, load.tlps(), &through);
        }
        through.push(ingress(direction));
    }
}

/// The source of a TLP that came by a direction: its ingress port.
fn ingress(direction: Direction) -> u64 {
    (direction.link.0 as u64) << 1 | direction.up as u64
}

/// Marks sources inside a part, which are no ingress ports.
const INSIDE: u64 = 1 << 32;

/// The source of a flow's own TLPs at the part where they begin: the flow, at a card; at a host one for all the
/// completions of a port, which go out in the order that the requests came.
fn first_source(system: &System, load: &Load, flow: usize) -> u64 {
    let from = load.wire.from;
    let shared = match &system.part(from).kind {
        Kind::Host(host) => load_is_answer(load) && host.serve_reads == system::kinds::host::ServeReads::InOrder,
        _ => false,
    };
    INSIDE | if shared { u32::MAX as u64 } else { flow as u64 }
}

/// True where the TLPs are completions: their hop returns credits of that class.
fn load_is_answer(load: &Load) -> bool {
    load.answers
}

/// Memory, cores, and the reads of a root port.
fn servers(system: &System, solved: &Solved<'_>, add: &mut Add<'_>) {
    let plan = &solved.plan;
    let source = [INSIDE | plan.flow.initiator.0 as u64];
    let Some(last) = plan.data.last() else { return };
    let felt = !last.credits.is_infinite();
    let core = |part: PartId| Resource::Core(part.0);
    let tlps: Vec<crate::load::Group> = loads(plan).first().map_or_else(Vec::new, |l| l.data.clone());
    let each = |time: &dyn Fn(u64) -> f64| tlps.iter().map(|g| g.per_byte * time(g.payload)).sum::<f64>();
    let turns: f64 = tlps.iter().map(|g| g.per_byte).sum();
    if plan.flow.operation.is_pio() {
        return;
    }
    if plan.reads() {
        let time = each(&|bytes| plan.card.core_time(bytes).as_fs() as f64);
        add(core(plan.flow.initiator), time, turns, &source);
        let requests = plan.cut.count() / plan.cut.bytes as f64;
        if let (Kind::Host(_), Some(hop)) = (&system.part(plan.flow.target).kind, plan.data.first()) {
            let port = system.ends(hop.wire.direction).0;
            add(Resource::Reads(port.0), plan.completer.gap_fs * requests, requests, &source);
        }
    } else if let Some(card) = &plan.target_card {
        let time = each(&|bytes| card.core_time(bytes).as_fs() as f64);
        add(core(plan.flow.target), if felt { time } else { 0.0 }, turns, &source);
    } else {
        let pieces = each(&|bytes| plan.memory_fs(0, bytes));
        let pages = plan.host.page_service.as_fs() as f64 * plan.cut.entered / plan.cut.bytes as f64;
        add(Resource::Memory, if felt { pieces + pages } else { 0.0 }, turns, &[ingress(last.wire.direction)]);
    }
}

/// What holds a flow back, for people, and what its payload's direction waits for then.
pub fn held_by(system: &System, solved: &Solved<'_>, resource: Resource) -> (Bottleneck, Wait) {
    let named = |name: String, what: &str| Bottleneck { name, what: what.to_string() };
    let part = |id: usize| system.part(PartId(id)).name.clone();
    match resource {
        Resource::Wire(link, up) => {
            let direction = Direction { link: system::LinkId(link), up };
            let speed = system.link(direction.link).speed;
            (named(system.direction_name(direction), &format!("{speed}, transmit, shared")), Wait::Arbitration)
        }
        Resource::Memory => (named(part(solved.plan.flow.target.0), "memory, service of writes, shared"), Wait::Memory),
        Resource::Core(id) => (named(part(id), "datapath of the core, shared"), Wait::Core),
        Resource::Cap(port, _) => (named(system.ports[port].name.clone(), "payload behind the port, shared"), Wait::Memory),
        Resource::Reads(port) => (named(system.ports[port].name.clone(), "time between two reads, shared"), Wait::Memory),
    }
}
