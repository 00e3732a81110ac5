//! Shares: what each flow gets of the directions and servers that it shares, while all flows run at once.
//!
//! Each flow requests the rate that it has alone. Where the requests for a direction exceed its capacity, the arbiter
//! divides it: a turn for each source, one TLP a turn. Capacity that a source does not need goes to the others. Flows
//! within one source are divided by the arbiter before, which admitted them.
//!
//! The lowest rate of a flow (the others take their highest) and its highest rate (the others take their lowest) are
//! computed alternately until they are equal. This way a flow that is limited at one resource leaves its unused part of
//! another to the other flows. Where the two rates stay apart, several divisions are possible, and the limit is the
//! highest.
//!
//! Flows of one colour get the same rate: the first flow of each colour stands for all of them.

use crate::colour::Colours;
use crate::load::{Load, refreshes};
use crate::place::Way;
use crate::resource::{Use, Uses};
use crate::solve::Solved;
use crate::split::{Want, split};
use std::ops::Range;
use system::graph::PartId;

/// Largest number of rounds until the lowest and the highest rate of each flow are equal or no longer change.
const ROUNDS: usize = 12;

/// The rate of a flow, and what holds it to that rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Payload bytes a femtosecond.
    pub rate: f64,
    /// What holds it to that rate.
    pub held_by: Held,
}

/// What holds a flow to its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing: the flow gets the rate that it has alone.
    Alone,
    /// A use (position in [`Uses::all`]) of the flow itself or of a flow of its chain.
    Use(usize),
    /// What limits another flow of its chain when that flow is alone.
    Flow(usize),
}

/// The input: flows, each with the class and the uses that it has.
#[derive(Clone, Copy)]
pub struct Crowd<'a> {
    /// One flow of each class.
    pub solved: &'a [Solved<'a>],
    /// The class of each flow.
    pub classes: &'a [usize],
    /// The path of each flow.
    pub ways: &'a [Way],
    /// The uses of all flows.
    pub uses: &'a Uses,
    /// The colours of all flows.
    pub colours: &'a Colours,
}

impl Crowd<'_> {
    /// The solved flow of a flow's class.
    pub fn solved(&self, flow: usize) -> &Solved<'_> {
        &self.solved[self.classes[flow]]
    }

    /// The load that belongs to a use of a direction.
    pub fn load(&self, of: &Use) -> &Load {
        &self.solved(of.flow).loads[of.load]
    }

    /// True where all flows are of one nature: all send posted TLPs, or all read from one completer.
    fn is_one_nature(&self) -> bool {
        let completer = |flow: usize| self.completer(flow);
        (1..self.ways.len()).all(|flow| completer(flow) == completer(0))
    }

    /// The completer of a flow's reads; `None` for a flow that writes. Flows of one nature have the same.
    pub fn completer(&self, flow: usize) -> Option<PartId> {
        self.solved(flow).plan.reads().then_some(self.ways[flow].target)
    }
}

/// What is known of the flows of a colour while their shares are computed.
#[derive(Clone, Debug)]
struct Known {
    /// Rate when alone.
    alone: f64,
    /// For uncontrolled flows (writes without finite credits on the path): the highest rate of the source.
    open: Option<f64>,
    /// True where the payload is carried by completions.
    reads: bool,
    /// The uses of the colour's first flow.
    uses: Range<usize>,
    /// For each of these uses: its stage, and the lowest and the highest rate that the resource leaves the flow.
    caps: Vec<Caps>,
}

#[derive(Clone, Copy, Debug)]
struct Caps {
    stage: usize,
    least: f64,
    most: f64,
}

impl Caps {
    fn of(&self, most: bool) -> f64 {
        if most { self.most } else { self.least }
    }
}

impl Known {
    fn new(crowd: &Crowd<'_>, flow: usize) -> Known {
        let solved = crowd.solved(flow);
        let alone = if solved.fs_per_byte > 0.0 { 1.0 / solved.fs_per_byte } else { 0.0 };
        let slowest = solved.loads.iter().map(|load| load.full_fs(0.0)).fold(0.0, f64::max);
        let open = !solved.plan.reads() && solved.plan.data.iter().all(|hop| hop.credits.is_infinite());
        // A flow that is slower than all its links is limited at its source.
        let source = if solved.fs_per_byte > 1.02 * slowest { alone } else { f64::INFINITY };
        let uses = crowd.uses.of[flow].clone();
        let nothing_yet = |of: &Use| Caps { stage: of.stage, least: f64::INFINITY, most: f64::INFINITY };
        let caps = crowd.uses.all[uses.clone()].iter().map(nothing_yet).collect();
        Known { alone, open: open.then_some(source), reads: solved.plan.reads(), uses, caps }
    }

    /// The lowest (or highest) rate over the whole path.
    fn rate(&self, most: bool) -> f64 {
        self.caps.iter().map(|cap| cap.of(most)).fold(self.alone, f64::min)
    }

    /// The lowest (or highest) rate that arrives at a resource at `stage` of the path. Uncontrolled traffic arrives at
    /// the source's rate, as far as the stages before let it pass.
    fn arriving(&self, stage: usize, most: bool) -> f64 {
        let Some(source) = self.open else { return self.rate(most) };
        self.caps.iter().filter(|cap| cap.stage < stage).map(|cap| cap.of(most)).fold(source, f64::min)
    }

    /// The share of the flow, and the use that limits it.
    fn share(&self, uses: &Uses, slack: f64) -> Share {
        let slack = if self.reads { slack } else { 1.0 };
        let resource = |at: &usize| uses.all[self.uses.start + at].resource;
        let tighter = |a: &usize, b: &usize| {
            self.caps[*a].most.total_cmp(&self.caps[*b].most).then_with(|| resource(a).cmp(&resource(b)))
        };
        let tightest = (0..self.caps.len()).min_by(tighter);
        let held_by = tightest.filter(|&at| self.caps[at].most < self.alone * (1.0 - 1e-6));
        let held_by = held_by.map_or(Held::Alone, |at| Held::Use(self.uses.start + at));
        Share { rate: (self.rate(true) * slack).min(self.alone), held_by }
    }
}

/// The share of the flows of each colour.
pub fn shares(crowd: &Crowd<'_>) -> Vec<Share> {
    let one_nature = crowd.is_one_nature();
    let known = crowd.colours.first.iter().map(|&flow| Known::new(crowd, flow)).collect();
    let mut rounds = Rounds { crowd, known, one_nature, resources: resources(crowd) };
    for _ in 0..ROUNDS {
        let before: Vec<f64> = rounds.known.iter().map(|known| known.rate(true)).collect();
        rounds.round(false);
        rounds.round(true);
        if rounds.known.iter().zip(&before).all(|(k, &before)| (k.rate(true) - before).abs() <= 1e-9 * before) {
            break;
        }
    }
    rounds.shares()
}

/// The resources that the first flows of all colours use. The resources of other flows are like these.
fn resources(crowd: &Crowd<'_>) -> Vec<usize> {
    let of = |&flow: &usize| crowd.uses.all[crowd.uses.of[flow].clone()].iter();
    let mut all: Vec<_> = crowd.colours.first.iter().flat_map(of).map(|of| (of.resource, of.index)).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|(_, index)| index).collect()
}

/// Tolerance for reads of one completer. Their shares follow from what each flow has in flight and its own latency.
/// Where flows share their further paths with different numbers of others, shares differ by a few per cent.
const SLACK: f64 = 1.04;

/// Users of a resource up to which each user is computed individually.
const FEW: usize = 12;

/// Users of a resource times computed users, up to which each colour is computed individually.
const MOST_LOOKS: usize = 1 << 14;

/// The state of [`shares`].
struct Rounds<'a> {
    crowd: &'a Crowd<'a>,
    /// What is known of the flows of each colour.
    known: Vec<Known>,
    /// See [`Crowd::is_one_nature`]. A flow that waits for credits or tags may lose turns to others; among flows of one
    /// nature, none loses more than another.
    one_nature: bool,
    resources: Vec<usize>,
}

impl<'a> Rounds<'a> {
    fn of(&self, flow: usize) -> &Known {
        &self.known[self.crowd.colours.of[flow]]
    }

    /// True for the flow that stands for its colour.
    fn stands(&self, flow: usize) -> bool {
        self.crowd.colours.first[self.crowd.colours.of[flow]] == flow
    }

    fn users(&self, index: usize) -> impl Iterator<Item = &'a Use> + Clone {
        let uses = self.crowd.uses;
        uses.users[index].iter().map(|&number| &uses.all[number])
    }

    /// One round: the lowest (or highest) rate that each resource leaves each flow. The lowest rate is what remains
    /// when the others take their highest, and the highest when they take their lowest.
    fn round(&mut self, most: bool) {
        let rates = self.at_once(most);
        for at in 0..self.resources.len() {
            let index = self.resources[at];
            if self.users(index).count() == 1 && !self.is_crossed(index) {
                self.alone_there(index);
                continue;
            }
            let capacity = self.capacity(index, &rates);
            let stand: Vec<usize> = self.crowd.uses.users[index]
                .iter()
                .copied()
                .filter(|&n| self.stands(self.crowd.uses.all[n].flow))
                .collect();
            let users = self.crowd.uses.users[index].len();
            let caps = match stand.len() * users <= MOST_LOOKS {
                true => self.each_colour(index, &stand, capacity, most),
                false => self.all_colours(index, capacity, most),
            };
            caps.into_iter().for_each(|(number, cap)| self.set(number, cap, most));
        }
    }

    /// The rates of all colours from which DLLPs are computed: the highest rates where the lowest are wanted, and the
    /// reverse. Rates are reduced to what each resource can pass.
    fn at_once(&self, most: bool) -> Vec<f64> {
        // Requests and completions of another nature may come in bunches that one ACK covers.
        let sure = |known: &Known| !most || self.one_nature || !known.reads;
        let rates: Vec<f64> = self.known.iter().map(|k| if sure(k) { k.rate(!most) } else { 0.0 }).collect();
        let colour = |of: &Use| self.crowd.colours.of[of.flow];
        let mut parts = vec![1.0; rates.len()];
        for &index in &self.resources {
            let full: f64 = self.users(index).map(|of| rates[colour(of)] * of.fs_per_byte).sum();
            for of in self.users(index).filter(|of| full > 1.0 && self.stands(of.flow)) {
                let part: &mut f64 = &mut parts[colour(of)];
                *part = part.min(1.0 / full);
            }
        }
        rates.iter().zip(parts).map(|(rate, part)| rate * part).collect()
    }

    /// Stores the rate that a use leaves to the flow that stands for its colour.
    fn set(&mut self, number: usize, cap: f64, most: bool) {
        let colour = self.crowd.colours.of[self.crowd.uses.all[number].flow];
        let known = &mut self.known[colour];
        let caps = &mut known.caps[number - known.uses.start];
        *(if most { &mut caps.most } else { &mut caps.least }) = cap;
    }

    /// The rate at a resource with a single user: not limited by others. An uncontrolled flow leaves it at most at the
    /// resource's rate.
    fn alone_there(&mut self, index: usize) {
        let number = self.crowd.uses.users[index][0];
        let of = &self.crowd.uses.all[number];
        if self.of(of.flow).open.is_some() {
            self.set(number, 1.0 / of.fs_per_byte, false);
            self.set(number, 1.0 / of.fs_per_byte, true);
        }
    }

    /// True where another flow uses the other direction of the link.
    fn is_crossed(&self, index: usize) -> bool {
        let mut users = self.users(index);
        let own = users.next();
        let back = own.and_then(|of| Some((of.flow, of.back()?)));
        back.is_some_and(|(own, back)| self.users(back).any(|of| of.flow != own))
    }

    /// The rate that the flow of a use requests while the rates of the others are `most` (or least).
    fn asks(&self, of: &Use, most: bool) -> f64 {
        let known = self.of(of.flow);
        let sure = !most || known.open.is_some() || self.one_nature;
        if sure { known.arriving(of.stage, !most) } else { 0.0 }
    }

    fn want(&self, of: &Use, rate: f64) -> Want<'a> {
        let through = self.crowd.uses.through(of);
        Want { rate: rate.min(1.0 / of.fs_per_byte), fs_per_byte: of.fs_per_byte, through }
    }

    /// The rate that a user of each colour gets if it requests all that it can use. With many users, all users of its
    /// colour request the same, because they get the same. With few, one user may for a time get what the others leave.
    fn each_colour(&self, index: usize, stand: &[usize], capacity: f64, most: bool) -> Vec<(usize, f64)> {
        let all = &self.crowd.uses.all;
        let users = &self.crowd.uses.users[index];
        let mut wants: Vec<Want<'_>> = self.users(index).map(|of| self.want(of, self.asks(of, most))).collect();
        let mut caps = Vec::with_capacity(stand.len());
        for &number in stand {
            let (of, colour) = (&all[number], self.crowd.colours.of[all[number].flow]);
            let known = &self.known[colour];
            let most_of_it = known.open.map_or(known.alone, |_| known.arriving(of.stage, most));
            let asked = wants.clone();
            for (want, &user) in wants.iter_mut().zip(users) {
                let equal = users.len() > FEW && self.crowd.colours.of[all[user].flow] == colour;
                if user == number || equal {
                    *want = self.want(&all[user], most_of_it);
                }
            }
            let shares = split(&wants, capacity);
            caps.extend(
                users.iter().zip(shares).find(|(user, _)| **user == number).map(|(&user, share)| (user, share)),
            );
            wants = asked;
        }
        caps
    }

    /// The rates for many users: each gets its share beside all others, plus the capacity that all leave.
    fn all_colours(&self, index: usize, capacity: f64, most: bool) -> Vec<(usize, f64)> {
        let wants: Vec<Want<'_>> = self.users(index).map(|of| self.want(of, self.asks(of, most))).collect();
        let shares = split(&wants, capacity);
        let used: f64 = wants.iter().zip(&shares).map(|(want, share)| want.fs_per_byte * share).sum();
        let left = if most { (capacity - used).max(0.0) } else { 0.0 };
        let each = self.crowd.uses.users[index].iter().zip(wants.iter().zip(&shares));
        each.filter(|(number, _)| self.stands(self.crowd.uses.all[**number].flow))
            .map(|(&number, (want, share))| (number, share + left / want.fs_per_byte))
            .collect()
    }

    /// The part of a resource that is left for TLPs while the flows of each colour run at `rates`. A direction sends
    /// the DLLPs for the other direction first.
    fn capacity(&self, index: usize, rates: &[f64]) -> f64 {
        let Some((of, back)) = self.users(index).next().and_then(|of| Some((of, of.back()?))) else { return 1.0 };
        let load = self.crowd.load(of);
        let dllps = self.dllps_per_fs(index, back, rates) + refreshes(&load.hop, 0);
        1.0 - dllps * load.wire.time(dllp_slot(load))
    }

    /// DLLPs on a direction for the TLPs that arrive on `back`.
    fn dllps_per_fs(&self, index: usize, back: usize, rates: &[f64]) -> f64 {
        let Some(of) = self.users(back).next() else { return 0.0 };
        let load = self.crowd.load(of);
        let (tlps, forward) = (self.tlps_per_fs(back, rates), self.tlps_per_fs(index, rates));
        let owed = tlps * load.dllps_back(if tlps > 0.0 { 1.0 / tlps } else { f64::INFINITY }, 0.0);
        // Where TLPs follow without gaps, at most one DLLP of each type fits between two of them.
        let kinds = if load.hop.credits.is_infinite() { 1.0 } else { 2.0 };
        if forward > 0.0 { owed.min(kinds * forward.max(tlps)) } else { owed }
    }

    /// TLPs on a direction; no more than it carries, where the flows request more.
    fn tlps_per_fs(&self, index: usize, rates: &[f64]) -> f64 {
        let (mut tlps, mut full) = (0.0, 0.0);
        for of in self.users(index) {
            let rate = rates[self.crowd.colours.of[of.flow]];
            tlps += self.crowd.load(of).tlps() * rate;
            full += of.fs_per_byte * rate;
        }
        tlps / f64::max(full, 1.0)
    }

    /// The result of the rounds. Each share may include the tolerance, but their sum may not: together the flows get no
    /// more than the capacity.
    fn shares(&self) -> Vec<Share> {
        let slack = if self.one_nature && !self.meet_alike() { SLACK } else { 1.0 };
        let rates: Vec<f64> = self.known.iter().map(|known| known.rate(true)).collect();
        let mut shares: Vec<Share> = self.known.iter().map(|known| known.share(self.crowd.uses, slack)).collect();
        let colour = |of: &Use| self.crowd.colours.of[of.flow];
        for &index in self.resources.iter().filter(|_| slack > 1.0) {
            let used: f64 = self.users(index).map(|of| shares[colour(of)].rate * of.fs_per_byte).sum();
            let part = (self.capacity(index, &rates) / used).clamp(1.0 / SLACK, 1.0);
            for of in self.users(index).filter(|of| self.stands(of.flow)) {
                shares[colour(of)].rate *= part;
            }
        }
        shares
    }

    /// True where each flow shares the stages of its path with equal numbers of other flows.
    fn meet_alike(&self) -> bool {
        let uses = self.crowd.uses;
        let company = |known: &Known| {
            let mut met: Vec<(usize, usize)> =
                uses.all[known.uses.clone()].iter().map(|of| (of.stage, uses.users[of.index].len())).collect();
            met.sort_unstable();
            met
        };
        self.known.windows(2).all(|pair| company(&pair[0]) == company(&pair[1]))
    }
}

/// Bytes that a DLLP between two TLPs takes, including the change of the start gap.
fn dllp_slot(load: &Load) -> f64 {
    (load.slots(1.0) - load.slots(0.0)) / load.tlps().max(1e-12)
}
