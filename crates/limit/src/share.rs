//! Shares: what each flow gets of the servers that it shares, while all flows run at once.
//!
//! Each flow requests of a server what its own rows and the other servers on its path leave it. Where the requests are
//! more than a server has, its arbiters divide it ([`crate::split`]). What one flow does not use goes to the others, so
//! that the requests at other servers change; this is repeated until nothing changes. The DLLPs that a direction owes
//! for the TLPs of the other direction are not available to its own.
//!
//! The result is one division, and no server is given away more than once: rates that still are more than a server has
//! are reduced.

use crate::crowd::Crowd;
use crate::load::{Load, refreshes};
use crate::meet::Meets;
use crate::resource::Use;
use crate::solve::Solved;
use crate::split::{Got, Round, Want, split, whole};
use crate::table::Holds;
use pcie::Class;
use system::Cause;

/// Largest number of rounds until no rate changes.
const ROUNDS: usize = 60;
/// Rounds after which a server moves only half way to its new division. Two servers that answer each other's division
/// may otherwise change for ever.
const STEADY: usize = 8;
/// A server is full where no more than this share of it is left: the rounding of the division.
const FULL: f64 = 1e-3;
/// A relative change that is none.
const SAME: f64 = 1e-7;

/// The rate of a flow, and what holds it to that rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Payload bytes a femtosecond.
    pub rate: f64,
    /// What holds it to that rate.
    pub held_by: Held,
    /// The use at which a queue grows as long as the flows run, where the share depends on that.
    pub grows: Option<usize>,
}

/// What holds a flow to its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing: the flow gets the rate that it has alone.
    Alone,
    /// A use (position in [`crate::resource::Uses::all`]) of the flow itself or of a flow of its chain.
    Use(usize),
    /// What limits another flow of its chain when that flow is alone.
    Flow(usize),
}

/// The rows of a class that no other flow shares.
struct Own {
    /// The rate of each, and the stage of the path at which it holds.
    rows: Vec<(usize, f64)>,
    /// The loops of a read, and of a drive.
    rounds: Vec<Round>,
    /// By hop: true where what waits after it can be of any size, so that nothing before it waits. Empty for reads,
    /// where each request waits for its data.
    endless: Vec<bool>,
    /// By load: the time that a DLLP between two TLPs takes, including the change of the start gap.
    dllp_fs: Vec<f64>,
}

impl Own {
    fn new(solved: &Solved<'_>) -> Own {
        let (rows, plan) = (&solved.table.rows, &solved.plan);
        let between = |load: &Load| load.wire.time((load.slots(1.0) - load.slots(0.0)) / load.tlps().max(1e-12));
        let dllp_fs = solved.loads.iter().map(between).collect();
        let alone = if solved.fs_per_byte > 0.0 { 1.0 / solved.fs_per_byte } else { 0.0 };
        let round = |row: &crate::table::Row| match (row.holds, row.by.cause) {
            // No more of a drive is on its way than its software has given commands for.
            (Holds::Loop { bytes, round_fs }, cause) if row.answered || matches!(cause, Cause::Queue(_)) => {
                Some(Round { bytes, fs: round_fs })
            }
            _ => None,
        };
        if plan.reads() {
            let mut rounds: Vec<Round> = rows.iter().filter_map(round).collect();
            rounds.extend(rounds.is_empty().then_some(Round { bytes: alone, fs: 1.0 }));
            return Own { rows: vec![(0, alone)], rounds, endless: Vec::new(), dllp_fs };
        }
        let rounds = rows.iter().filter_map(round).collect();
        let stage = |row: &crate::table::Row| if row.hop == 0 { 0 } else { 3 * row.hop + 1 };
        let rows = rows.iter().filter(|row| row.need.is_none()).map(|row| (stage(row), 1.0 / row.fs_per_byte()));
        let endless = plan.data.iter().map(|hop| hop.credits.is_infinite()).collect();
        Own { rows: rows.collect(), rounds, endless, dllp_fs }
    }

    /// True where a stage `from` waits for a later stage `to`: no buffer between them is endless.
    fn waits(&self, from: usize, to: usize) -> bool {
        let after = |stage: usize| (stage.saturating_add(1) / 3).min(self.endless.len());
        !self.endless[after(from)..after(to).max(after(from))].contains(&true)
    }
}

/// The share of each flow.
pub fn shares(crowd: &Crowd<'_>) -> Vec<Share> {
    let mut rounds = Rounds::new(crowd);
    for round in 0..ROUNDS {
        let before = rounds.rates.clone();
        rounds.round(if round < STEADY { 1.0 } else { 0.5 });
        if rounds.rates.iter().zip(&before).all(|(rate, before)| (rate - before).abs() <= SAME * before) {
            break;
        }
    }
    rounds.fit();
    let growing = rounds.growing();
    (0..crowd.ways.len()).map(|flow| rounds.share(flow, &growing)).collect()
}

/// True where a server has several users, where its other direction has other users, or where its single user does
/// not wait for it.
fn is_shared(crowd: &Crowd<'_>, own: &[Own], server: usize) -> bool {
    let users = &crowd.uses.users[server];
    let Some(&first) = users.first() else { return false };
    let of = &crowd.uses.all[first];
    let back = of.back().map_or(&[][..], |back| &crowd.uses.users[back]);
    users.len() > 1
        || back.iter().any(|&user| crowd.uses.all[user].flow != of.flow)
        || own[crowd.classes[of.flow]].endless.contains(&true)
}

/// The state of [`shares`].
struct Rounds<'a> {
    crowd: &'a Crowd<'a>,
    /// By class.
    own: Vec<Own>,
    /// The flows of each chain, by its first flow; empty for others.
    chains: Vec<Vec<usize>>,
    /// The first flow of each flow's chain.
    first: Vec<usize>,
    /// By use: the rate that its server leaves the flow.
    caps: Vec<f64>,
    /// What the flows wait for each other at servers that are not full.
    meets: Meets,
    /// By flow.
    rates: Vec<f64>,
    /// By use: true where its queue grows.
    grows: Vec<bool>,
    /// Servers with more than one user, and directions whose other direction is used.
    shared: Vec<usize>,
    /// The users of each of these, see [`Rounds::together`].
    users_of: Vec<Vec<(usize, Option<usize>)>>,
}

impl<'a> Rounds<'a> {
    fn new(crowd: &'a Crowd<'a>) -> Rounds<'a> {
        let first = crowd.chains();
        let mut chains = vec![Vec::new(); first.len()];
        first.iter().enumerate().for_each(|(flow, &first)| chains[first].push(flow));
        let own: Vec<Own> = crowd.solved.iter().map(Own::new).collect();
        let caps = vec![f64::INFINITY; crowd.uses.all.len()];
        let grows = vec![false; crowd.uses.all.len()];
        let shared: Vec<usize> = (0..crowd.uses.users.len()).filter(|&server| is_shared(crowd, &own, server)).collect();
        let meets = Meets::new(crowd, &shared);
        let (rates, users_of) = (Vec::new(), Vec::new());
        let mut rounds = Rounds { crowd, own, chains, first, caps, meets, rates, grows, shared, users_of };
        rounds.users_of = rounds.shared.iter().map(|&server| rounds.together(server)).collect();
        rounds.rates = (0..crowd.ways.len()).map(|flow| rounds.rate(flow)).collect();
        rounds
    }

    fn alone(&self, flow: usize) -> f64 {
        let fs = self.crowd.solved(flow).fs_per_byte;
        if fs > 0.0 { 1.0 / fs } else { 0.0 }
    }

    /// The uses of a flow and of all flows of its chain.
    fn of_chain(&self, flow: usize) -> impl Iterator<Item = usize> + '_ {
        self.chains[self.first[flow]].iter().flat_map(|&flow| self.crowd.uses.of[flow].clone())
    }

    /// The rate of a flow over its whole path.
    fn rate(&self, flow: usize) -> f64 {
        let chain = &self.chains[self.first[flow]];
        let alone = chain.iter().map(|&other| self.alone(other) / self.crowd.part(other)).fold(f64::INFINITY, f64::min);
        let met = chain.iter().map(|&other| self.meets.rate(other) / self.crowd.part(other)).fold(alone, f64::min);
        self.crowd.part(flow) * self.of_chain(flow).map(|number| self.whole(number)).fold(met, f64::min)
    }

    /// The rate of the whole chain that the server of a use leaves it.
    fn whole(&self, number: usize) -> f64 {
        self.caps[number] / self.crowd.part(self.crowd.uses.all[number].flow)
    }

    /// What the flow of a use requests there: what is left by all that it waits for.
    fn asks(&self, number: usize) -> f64 {
        let of = &self.crowd.uses.all[number];
        let own = &self.own[self.crowd.classes[of.flow]];
        let counts = |stage: usize| stage < of.stage || own.waits(of.stage, stage);
        let rows = own.rows.iter().filter(|(stage, _)| counts(*stage)).map(|(_, rate)| *rate);
        let caps = self.crowd.uses.of[of.flow]
            .clone()
            .filter(|&other| other != number && counts(self.crowd.uses.all[other].stage))
            .map(|other| self.caps[other]);
        let chain = &self.chains[self.first[of.flow]];
        let others = chain.iter().filter(|&&flow| flow != of.flow).map(|&flow| {
            let own = self.crowd.uses.of[flow].clone().map(|number| self.caps[number]).fold(self.alone(flow), f64::min);
            own * self.crowd.part(of.flow) / self.crowd.part(flow)
        });
        rows.chain(caps).chain(others).fold(self.meets.rate(of.flow).min(1.0 / of.fs_per_byte), f64::min)
    }

    fn part_of(&self, number: usize) -> f64 {
        self.crowd.part(self.crowd.uses.all[number].flow)
    }

    /// The users of a server, with two mixed flows as one: the use of the first, and that of the other.
    fn together(&self, server: usize) -> Vec<(usize, Option<usize>)> {
        let (all, users) = (&self.crowd.uses.all, &self.crowd.uses.users[server]);
        let with = |number: usize| self.crowd.solved(all[number].flow).plan.flow.mixed_with;
        let place = |flow: usize| users.iter().position(|&user| all[user].flow == flow);
        let each = users.iter().enumerate().map(|(at, &number)| (at, number, with(number).and_then(place)));
        each.filter(|(at, _, other)| other.is_none_or(|other| other > *at))
            .map(|(_, number, other)| (number, other.map(|other| users[other])))
            .collect()
    }

    /// What a flow requests of a server; of two mixed flows, what both do, each byte with its part of either.
    fn want(&self, one: usize, other: Option<usize>) -> Want<'_> {
        let of = &self.crowd.uses.all[one];
        let rounds = &self.own[self.crowd.classes[of.flow]].rounds;
        let through = self.crowd.uses.through(of);
        let Some(other) = other else {
            return Want { rate: self.asks(one), fs_per_byte: of.fs_per_byte, through, rounds };
        };
        let whole = |number: usize| self.asks(number) / self.part_of(number);
        let fs_per_byte = [one, other].map(|number| self.part_of(number) * self.crowd.uses.all[number].fs_per_byte);
        Want { rate: whole(one).min(whole(other)), fs_per_byte: fs_per_byte.iter().sum(), through, rounds }
    }

    /// Divides each server once. A division replaces the one before by `part`.
    fn round(&mut self, part: f64) {
        for place in 0..self.shared.len() {
            let server = self.shared[place];
            if let [(number, None)] = self.users_of[place][..] {
                let got = whole(&self.want(number, None), self.capacity(server));
                self.take(number, got, 1.0, part);
                continue;
            }
            let users = std::mem::take(&mut self.users_of[place]);
            let wants: Vec<Want<'_>> = users.iter().map(|&(one, other)| self.want(one, other)).collect();
            let got = split(&wants, self.capacity(server));
            for (&(one, other), got) in users.iter().zip(got) {
                // What two mixed flows get together is divided as their commands are.
                let each = other.map_or(1.0, |_| self.part_of(one));
                let halves = [Some((one, each)), other.map(|other| (other, self.part_of(other)))];
                for (number, each) in halves.into_iter().flatten() {
                    self.take(number, got, each, part);
                }
            }
            self.users_of[place] = users;
        }
        self.meets.look(self.crowd, &self.rates);
        self.rates = (0..self.rates.len()).map(|flow| self.rate(flow)).collect();
    }

    /// The server of a use leaves it `each` of what it got.
    fn take(&mut self, number: usize, got: Got, each: f64, part: f64) {
        let (cap, most) = (&mut self.caps[number], each * got.most);
        self.grows[number] = got.grows;
        *cap = if cap.is_finite() { *cap + part * (most - *cap) } else { most };
    }

    fn users(&self, server: usize) -> impl Iterator<Item = &'a Use> + Clone {
        let uses = self.crowd.uses;
        uses.users[server].iter().map(|&number| &uses.all[number])
    }

    /// The share of a server's time that is left for TLPs while the flows have their rates. A direction sends the DLLPs
    /// for the other direction first.
    fn capacity(&self, server: usize) -> f64 {
        let Some((of, back)) = self.users(server).next().and_then(|of| Some((of, of.back()?))) else { return 1.0 };
        let load = self.crowd.load(of);
        let dllps = self.dllps_per_fs(server, back) + refreshes(&load.hop, 0);
        1.0 - dllps * self.own[self.crowd.classes[of.flow]].dllp_fs[of.load]
    }

    /// DLLPs on a direction for the TLPs that arrive on `back`: ACKs for all of them, and UpdateFCs for each class.
    fn dllps_per_fs(&self, server: usize, back: usize) -> f64 {
        // A DLLP that is due waits for the end of a TLP.
        let slot = self.users(server).map(|of| self.crowd.load(of).longest_fs()).fold(0.0, f64::max);
        // No more TLPs than the direction carries, where the flows have more.
        let full: f64 = self.users(back).map(|of| of.fs_per_byte * self.rates[of.flow]).sum();
        let tlps = |of: &Use| self.crowd.load(of).tlps() * self.rates[of.flow] / f64::max(full, 1.0);
        let Some(first) = self.users(back).next().map(|of| self.crowd.load(of)) else { return 0.0 };
        let all: f64 = self.users(back).map(tlps).sum();
        let mut dllps = if all > 0.0 { all * first.acks_back(1.0 / all, slot) } else { 0.0 };
        for class in Class::ALL {
            let of_class = || self.users(back).filter(|of| self.crowd.load(of).class() == class);
            let rate: f64 = of_class().map(tlps).sum();
            let load = of_class().next().map(|of| self.crowd.load(of));
            dllps += load.filter(|_| rate > 0.0).map_or(0.0, |load| rate * load.updates_back(1.0 / rate, slot));
        }
        dllps
    }

    /// Reduces the rates where they are more than a server has, so that no server is given away twice. A chain of
    /// flows keeps one rate.
    fn fit(&mut self) {
        for place in 0..self.shared.len() {
            let server = self.shared[place];
            let full: f64 = self.users(server).map(|of| self.rates[of.flow] * of.fs_per_byte).sum();
            let part = self.capacity(server) / full;
            if part < 1.0 {
                for &number in &self.crowd.uses.users[server] {
                    let flow = self.crowd.uses.all[number].flow;
                    self.caps[number] = self.caps[number].min(self.rates[flow] * part);
                }
                self.rates = (0..self.rates.len()).map(|flow| self.rate(flow)).collect();
            }
        }
    }

    /// By flow: the use at which a queue grows that its share depends on. A share depends on those of the other users of
    /// each full server.
    fn growing(&self) -> Vec<Option<usize>> {
        let uses = &self.crowd.uses.all;
        let mut growing = vec![None; self.rates.len()];
        (0..uses.len())
            .filter(|&number| self.grows[number])
            .for_each(|number| growing[uses[number].flow] = Some(number));
        let full = |server: &usize| {
            let used: f64 = self.users(*server).map(|of| self.rates[of.flow] * of.fs_per_byte).sum();
            used >= self.capacity(*server) * (1.0 - FULL)
        };
        let full: Vec<usize> = self.shared.iter().copied().filter(full).collect();
        loop {
            let before = growing.iter().flatten().count();
            for &server in &full {
                let found = self.users(server).find_map(|of| growing[of.flow]);
                self.users(server).for_each(|of| growing[of.flow] = growing[of.flow].or(found));
            }
            if growing.iter().flatten().count() == before {
                return growing;
            }
        }
    }

    /// The share of a flow, and what holds it.
    fn share(&self, flow: usize, growing: &[Option<usize>]) -> Share {
        let alone = self.alone(flow);
        let rate = self.rates[flow];
        let server = |number: &usize| self.crowd.uses.all[*number].index;
        let tighter =
            |a: &usize, b: &usize| self.whole(*a).total_cmp(&self.whole(*b)).then_with(|| server(a).cmp(&server(b)));
        let chain_rate = rate / self.crowd.part(flow);
        let tightest =
            self.of_chain(flow).min_by(tighter).filter(|&number| self.whole(number) <= chain_rate * (1.0 + SAME));
        let whole = |flow: usize| self.alone(flow) / self.crowd.part(flow);
        let slower = self.chains[self.first[flow]].iter().copied().min_by(|&a, &b| whole(a).total_cmp(&whole(b)));
        let held_by = match (tightest, slower) {
            _ if rate >= alone * (1.0 - SAME) => Held::Alone,
            (Some(number), _) => Held::Use(number),
            (None, Some(slower)) => Held::Flow(slower),
            (None, None) => Held::Alone,
        };
        Share { rate, held_by, grows: growing[flow] }
    }
}
