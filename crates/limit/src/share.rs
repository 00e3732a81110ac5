//! All flows at once: what each gets of the directions and servers that it shares with others.
//!
//! Every flow wants what it gets alone. Where the wants on a direction come to more than it carries, its arbiter
//! shares it out: a turn for each source, one TLP a turn; a source that wants less leaves the rest to the others.
//! What flows of one source get among each other follows the arbiter that let them into it. The least that a flow
//! can get (the others take the most) and the most (the others take the least) are worked out in turn until they
//! meet: what a flow cannot use here for want of a share there is the others'. Where they do not meet, several
//! splits are possible, and the most is the limit.
//!
//! Flows of one colour get the same: the first of each stands for all of them.

use crate::colour::Colours;
use crate::load::{Load, refreshes};
use crate::place::Way;
use crate::resource::{Use, Uses};
use crate::solve::Solved;
use crate::split::{Want, split};
use std::ops::Range;
use system::graph::PartId;

/// Rounds until the least and the most that each flow can get meet, or stay the same.
const ROUNDS: usize = 12;

/// What a flow gets, and what holds it to that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Payload bytes a femtosecond.
    pub rate: f64,
    /// What holds it to that.
    pub held_by: Held,
}

/// What holds a flow to its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Nothing: it gets what it gets alone.
    Alone,
    /// A use (in [`Uses::all`]), its own or of a flow of its chain.
    Use(usize),
    /// What holds another flow of its chain when that is alone.
    Flow(usize),
}

/// What is asked: flows, each like the one of `solved` that `classes` says, with what they use of `uses`.
#[derive(Clone, Copy)]
pub struct Crowd<'a> {
    /// One flow of each class.
    pub solved: &'a [Solved<'a>],
    /// Of each flow: its class.
    pub classes: &'a [usize],
    /// Of each flow: its way.
    pub ways: &'a [Way],
    /// What they use.
    pub uses: &'a Uses,
    /// Which of them are alike.
    pub colours: &'a Colours,
}

impl Crowd<'_> {
    /// The flow that stands for a flow's class.
    pub fn solved(&self, flow: usize) -> &Solved<'_> {
        &self.solved[self.classes[flow]]
    }

    /// The load of a use of a direction.
    pub fn load(&self, of: &Use) -> &Load {
        &self.solved(of.flow).loads[of.load]
    }

    /// True where all flows are of one nature: posted TLPs, or reads of one completer.
    fn is_one_nature(&self) -> bool {
        let completer = |flow: usize| self.completer(flow);
        (1..self.ways.len()).all(|flow| completer(flow) == completer(0))
    }

    /// Who answers a flow's reads; `None` for one that writes. Flows of one nature have the same.
    pub fn completer(&self, flow: usize) -> Option<PartId> {
        self.solved(flow).plan.reads().then_some(self.ways[flow].target)
    }
}

/// What is known of the flows of a colour while their share is worked out.
#[derive(Clone, Debug)]
struct Known {
    /// Alone.
    alone: f64,
    /// Where nothing on the way ever tells it to wait: what its source sends at most.
    open: Option<f64>,
    /// Its payload comes as completions.
    reads: bool,
    /// The uses of its first flow.
    uses: Range<usize>,
    /// Of each of these: its stage, and the least and the most that the resource leaves it.
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
        // What is slower than all its links is slow at its source.
        let source = if solved.fs_per_byte > 1.02 * slowest { alone } else { f64::INFINITY };
        let uses = crowd.uses.of[flow].clone();
        let nothing_yet = |of: &Use| Caps { stage: of.stage, least: f64::INFINITY, most: f64::INFINITY };
        let caps = crowd.uses.all[uses.clone()].iter().map(nothing_yet).collect();
        Known { alone, open: open.then_some(source), reads: solved.plan.reads(), uses, caps }
    }

    /// The least (or the most) that gets through all its way.
    fn rate(&self, most: bool) -> f64 {
        self.caps.iter().map(|cap| cap.of(most)).fold(self.alone, f64::min)
    }

    /// The same, as it comes to a resource at `stage` of its way: what nobody can hold back comes as it is sent.
    fn arriving(&self, stage: usize, most: bool) -> f64 {
        let Some(source) = self.open else { return self.rate(most) };
        self.caps.iter().filter(|cap| cap.stage < stage).map(|cap| cap.of(most)).fold(source, f64::min)
    }

    /// Its share, and the use that holds it.
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

/// The resources that the first flows of all colours use: the others are like these.
fn resources(crowd: &Crowd<'_>) -> Vec<usize> {
    let of = |&flow: &usize| crowd.uses.all[crowd.uses.of[flow].clone()].iter();
    let mut all: Vec<_> = crowd.colours.first.iter().flat_map(of).map(|of| (of.resource, of.index)).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|(_, index)| index).collect()
}

/// Reads of one completer share by what each has in flight over how long its own way takes; where some meet more
/// company than others behind the completer, shares differ by a few per cent.
const SLACK: f64 = 1.04;

/// Users of a resource of which each is looked at by itself.
const FEW: usize = 12;

/// Users of a resource times their colours up to which each colour is looked at by itself.
const MOST_LOOKS: usize = 1 << 14;

/// The work of [`shares`].
struct Rounds<'a> {
    crowd: &'a Crowd<'a>,
    /// Of each colour.
    known: Vec<Known>,
    /// See [`Crowd::is_one_nature`]. What is held back by credits or by tags may let others take its turns; among
    /// equals nobody is held back more than another.
    one_nature: bool,
    resources: Vec<usize>,
}

impl<'a> Rounds<'a> {
    fn of(&self, flow: usize) -> &Known {
        &self.known[self.crowd.colours.of[flow]]
    }

    /// True for a flow that stands for its colour.
    fn stands(&self, flow: usize) -> bool {
        self.crowd.colours.first[self.crowd.colours.of[flow]] == flow
    }

    fn users(&self, index: usize) -> impl Iterator<Item = &'a Use> + Clone {
        let uses = self.crowd.uses;
        uses.users[index].iter().map(|&number| &uses.all[number])
    }

    /// One round: what each resource leaves each flow at the least, or at the most. The least is what is left when
    /// the others take the most, and the other way round.
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

    /// The rates of all colours while they call for DLLPs: the others' most where the least is asked for, and no more
    /// of it than every resource passes.
    fn at_once(&self, most: bool) -> Vec<f64> {
        // Requests and completions of other natures may come in bunches that one ACK covers.
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

    /// Notes what a use leaves to the flow that stands for its colour.
    fn set(&mut self, number: usize, cap: f64, most: bool) {
        let colour = self.crowd.colours.of[self.crowd.uses.all[number].flow];
        let known = &mut self.known[colour];
        let caps = &mut known.caps[number - known.uses.start];
        *(if most { &mut caps.most } else { &mut caps.least }) = cap;
    }

    /// Nobody else: what the flow gets alone has it all. One that cannot be told to wait comes no faster on.
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

    /// What a use's flow asks for where the others have `most` (or the least).
    fn asks(&self, of: &Use, most: bool) -> f64 {
        let known = self.of(of.flow);
        let sure = !most || known.open.is_some() || self.one_nature;
        if sure { known.arriving(of.stage, !most) } else { 0.0 }
    }

    fn want(&self, of: &Use, rate: f64) -> Want<'a> {
        let through = self.crowd.uses.through(of);
        Want { rate: rate.min(1.0 / of.fs_per_byte), fs_per_byte: of.fs_per_byte, through }
    }

    /// What a user of each colour can get if it wants all that it could have. Among many, users of one colour get the
    /// same, so that all of them want it; among a few, one may for a while get what the others leave.
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

    /// What each of many users can get: its share beside all others, and what those leave.
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

    /// What a resource has left for TLPs while the flows of each colour run at `rates`: a direction sends the DLLPs
    /// for what comes the other way first.
    fn capacity(&self, index: usize, rates: &[f64]) -> f64 {
        let Some((of, back)) = self.users(index).next().and_then(|of| Some((of, of.back()?))) else { return 1.0 };
        let load = self.crowd.load(of);
        let dllps = self.dllps_per_fs(index, back, rates) + refreshes(&load.hop, 0);
        1.0 - dllps * load.wire.time(dllp_slot(load))
    }

    /// DLLPs on a direction for what arrives by `back`.
    fn dllps_per_fs(&self, index: usize, back: usize, rates: &[f64]) -> f64 {
        let Some(of) = self.users(back).next() else { return 0.0 };
        let load = self.crowd.load(of);
        let (tlps, forward) = (self.tlps_per_fs(back, rates), self.tlps_per_fs(index, rates));
        let owed = tlps * load.dllps_back(if tlps > 0.0 { 1.0 / tlps } else { f64::INFINITY }, 0.0);
        // One of each kind between two TLPs at most, where TLPs follow one another without a gap.
        let kinds = if load.hop.credits.is_infinite() { 1.0 } else { 2.0 };
        if forward > 0.0 { owed.min(kinds * forward.max(tlps)) } else { owed }
    }

    /// TLPs on a direction: as many as it carries where the flows want more.
    fn tlps_per_fs(&self, index: usize, rates: &[f64]) -> f64 {
        let (mut tlps, mut full) = (0.0, 0.0);
        for of in self.users(index) {
            let rate = rates[self.crowd.colours.of[of.flow]];
            tlps += self.crowd.load(of).tlps() * rate;
            full += of.fs_per_byte * rate;
        }
        tlps / f64::max(full, 1.0)
    }

    /// What the rounds came to. What is slack in each share may not be slack in their sum: together they get no more
    /// than there is.
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

    /// True where every flow meets as many others, stage by stage of its way, as any other flow does.
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

/// Bytes that a DLLP between two TLPs takes, with the gap that it leaves or fills.
fn dllp_slot(load: &Load) -> f64 {
    (load.slots(1.0) - load.slots(0.0)) / load.tlps().max(1e-12)
}
