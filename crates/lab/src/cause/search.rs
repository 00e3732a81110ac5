//! Tries things until the step of one moves the rate, or the steps of a few together do.

use crate::cause::options::Effort;
use crate::cause::rerun::Base;
use crate::cause::step::{may_harm, steps};
use crate::cause::suspects::suspects;
use crate::confirmed::{Confirmed, Named, Step, Thing};
use crate::measured::Measured;
use crate::path::base;
use system::graph::Direction;
use system::{Location, PortId, System};

/// The largest number of runs to reduce a set of steps for one flow. What remains then is still true, but perhaps not
/// minimal.
const MOST_RUNS: usize = 60;

/// The number of things that are tried one by one before many are tried together.
const ONE_BY_ONE: usize = 10;

/// The gain that confirms a step. It is slightly above [`crate::cause::LEAST_GAIN`], so that the whole volume shows the
/// gain as well as a shorter run.
const CONFIRMS: f64 = 0.011;

/// A thing ends the search if the rate follows its step by this share (both as logarithms). If it is less, others are
/// tried.
const DECIDES: f64 = 0.5;
/// The share that ends the search after several things have been tried.
const COUNTS: f64 = 0.2;
const HALF_WAY: usize = 6;

/// The least gain that the limit must expect of a step that is tried at first: several such steps together may move the
/// rate.
const HOPE: f64 = 0.003;

/// The gain with which another word decides, as no step of 5 % could give it.
const SEVERAL: f64 = 0.1;

/// The number of suspects of which the limit is asked what it expects of their steps.
const RANKED: usize = 48;

/// A gain of so many times the step is beyond its proportion.
const BEYOND: f64 = 1.5;

/// It goes before what the waits of the links suggest: the score of a full link is lower.
const STATED: f64 = 1e3;

/// The largest number of weak steps that are combined before all things are tried together.
const FEW: usize = 4;

/// A step and its effect on the rate.
struct Found {
    step: Step,
    gain: f64,
    /// The gain divided by the size of the step, both as logarithms.
    followed: f64,
}

/// What limits `flow`; `None` if it has no rate, or if the search was interrupted. `before` has what was found of other
/// flows of the point: what is like it is tried first.
pub(crate) fn cause(measured: &Measured, base: &Base<'_>, flow: usize, before: &[Confirmed]) -> Option<Confirmed> {
    if !base.has_rate(flow) {
        return None;
    }
    let system = &measured.job.scenario.system;
    let all = suspects(measured, flow).into_iter().map(|(score, thing)| (score, steps(system, &thing)));
    let all = all.filter(|(_, steps)| !steps.is_empty()).collect();
    let all = ranked(base, flow, all);
    let search = Search { measured, base, flow, all: &all };
    let (things, gain) = match base.effort() {
        Effort::Nothing => (Vec::new(), 0.0),
        Effort::AsTheRun => search.like(before).unwrap_or_else(|| search.likely()),
        Effort::Full => search.found((0..all.len()).map(|place| (place, all[place].clone()))),
    };
    let named = |step: Step| Named::new(system, step);
    let stated = Confirmed::stated(measured.limits.together.get(flow)?.bottleneck.clone(), base.moves());
    let things = things.into_iter().map(named).collect();
    let cause = Confirmed { things, gain, tried: all.len(), ..stated };
    (!base.is_interrupted()).then_some(cause)
}

/// The steps of all things, with those first of which the limit expects more than in proportion to the step, where it explains
/// the rate: a time that software waits for because of a count follows its own steps in proportion, too.
fn ranked(base: &Base<'_>, flow: usize, mut all: Vec<(f64, Vec<Step>)>) -> Vec<Vec<Step>> {
    if base.effort() != Effort::Nothing && base.is_explained(flow) {
        for (score, steps) in all.iter_mut().take(RANKED) {
            let of = |step: &Step| Some(followed(step, base.stated_gain(std::slice::from_ref(step), flow)?));
            let most = steps.iter().filter_map(of).fold(0.0, f64::max);
            *score += if most >= BEYOND { STATED * most } else { 0.0 };
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    all.into_iter().map(|(_, steps)| steps).collect()
}

/// The search for what limits one flow.
struct Search<'a> {
    measured: &'a Measured,
    base: &'a Base<'a>,
    flow: usize,
    /// The steps of each thing, the most suspected first.
    all: &'a [Vec<Step>],
}

impl Search<'_> {
    fn system(&self) -> &System {
        &self.measured.job.scenario.system
    }

    /// What is like a thing that limits another flow, if it limits this one.
    fn like(&self, before: &[Confirmed]) -> Option<(Vec<Step>, f64)> {
        let system = self.system();
        let mut known: Vec<Vec<String>> = Vec::new();
        for cause in before.iter().filter(|cause| cause.is_proved()) {
            let like = cause.things.iter().map(|thing| like(system, &thing.step.thing)).collect();
            if !known.contains(&like) {
                known.push(like);
            }
        }
        known.iter().find_map(|known| {
            let of = |known: &String| self.all.iter().find(|steps| like(system, &steps[0].thing) == *known);
            if let [known] = known.as_slice() {
                let (found, confirmed) = one(self.base, self.flow, of(known)?);
                return (confirmed && found.followed >= COUNTS).then(|| (vec![found.step], found.gain));
            }
            let steps: Vec<Step> = known.iter().map(|known| of(known)?.last().cloned()).collect::<Option<_>>()?;
            let gain = self.base.gain(&steps, self.flow);
            (gain >= CONFIRMS).then_some((steps, gain))
        })
    }

    /// As [`Search::found`], but what the limit expects to move the rate is tried first.
    fn likely(&self) -> (Vec<Step>, f64) {
        if !self.base.is_explained(self.flow) {
            return self.found(self.all.iter().cloned().enumerate());
        }
        let likely =
            |steps: &Vec<Step>| steps.iter().filter(|step| self.is_likely(step)).cloned().collect::<Vec<Step>>();
        let some = self.all.iter().map(likely).enumerate().filter(|(_, steps)| !steps.is_empty());
        let others = self
            .all
            .iter()
            .take(ONE_BY_ONE)
            .map(|steps| steps.iter().filter(|step| !self.is_likely(step)).cloned().collect::<Vec<Step>>());
        let others = others.enumerate().filter(|(_, steps)| !steps.is_empty());
        if !self.base.is_scarce() {
            return self.found(some.chain(others));
        }
        // What the limit itself names comes first where little can be tried.
        let (first, then): (Vec<_>, Vec<_>) = some.partition(|(_, steps)| self.is_stated(&steps[0].thing));
        self.found(first.into_iter().chain(then).chain(others))
    }

    /// True where the limit of the flow names the place of `thing`.
    fn is_stated(&self, thing: &Thing) -> bool {
        let system = self.system();
        let Some(limit) = self.measured.limits.together.get(self.flow) else { return false };
        match (limit.bottleneck.location, thing) {
            (Location::Direction(way), Thing::Ways(ways)) => ways.as_slice() == [way],
            (Location::Part(part), Thing::Figure { parts, .. }) => parts.as_slice() == [part],
            (Location::Port(at), Thing::Port { port, .. }) => at == *port,
            (Location::Port(at), Thing::Figure { parts, field }) => {
                parts.as_slice() == [system.port(at).part] && field.ends_with("_cap")
            }
            _ => false,
        }
    }

    fn is_likely(&self, step: &Step) -> bool {
        match &step.thing {
            // A faster direction shortens no more than the share of time in which it is busy.
            Thing::Ways(ways) => {
                let more = step.ratio.unwrap_or(1.0) - 1.0;
                ways.iter().any(|&on| busy(self.measured, on) * more >= HOPE)
            }
            _ => self.base.stated_gain(std::slice::from_ref(step), self.flow).is_none_or(|gain| gain >= HOPE),
        }
    }

    /// True where the limit, which explains the rate, expects that the rate follows one of `steps`, however little the waits of
    /// links suggest it: a short time that each command takes in turn is a small part of a command.
    fn is_expected(&self, steps: &[Step]) -> bool {
        let Search { base, flow, .. } = *self;
        let follows = |step: &Step| followed(step, base.stated_gain(std::slice::from_ref(step), flow).unwrap_or(0.0));
        base.effort() != Effort::Nothing && base.is_explained(flow) && steps.iter().any(|step| follows(step) >= DECIDES)
    }

    /// False where the limit, which explains the rate, expects less of each of `steps` than what was found.
    fn may_beat(&self, steps: &[Step], best: &Found) -> bool {
        let Search { base, flow, .. } = *self;
        let more = |step: &Step| {
            let gain = base.stated_gain(std::slice::from_ref(step), flow)?;
            Some(followed(step, gain) > best.followed)
        };
        base.effort() == Effort::Full || !base.is_explained(flow) || steps.iter().any(|step| more(step).unwrap_or(true))
    }

    /// The things that limit a flow, as steps, and the gain with all of them made; none if nothing moves the rate.
    /// `each` gives the places in `all`, and the steps, in the order in which they are tried.
    fn found(&self, each: impl Iterator<Item = (usize, Vec<Step>)>) -> (Vec<Step>, f64) {
        let Search { base, flow, .. } = *self;
        let (mut best, mut weak): (Option<Found>, Vec<Found>) = (None, Vec::new());
        let mut links: Option<Vec<Step>> = Some(Vec::new());
        let mut leading = 0;
        for (place, steps) in each {
            if place == leading && is_link(&steps) {
                leading += 1;
                links.iter_mut().for_each(|links| links.extend(steps.iter().cloned()));
            } else if place >= ONE_BY_ONE && !self.is_expected(&steps) {
                continue;
            } else if let Some(links) = links.take().filter(|_| leading > 1 && best.is_none()) {
                // Several full links in series: a faster one alone does not help.
                let (things, gain) = together(base, flow, links);
                if !things.is_empty() {
                    return (things, gain);
                }
            }
            if best.as_ref().is_some_and(|best| !self.may_beat(&steps, best)) {
                continue;
            }
            let (found, confirmed) = one(base, flow, &steps);
            if base.is_over() {
                break;
            }
            if !confirmed {
                weak.push(found);
                continue;
            }
            if best.as_ref().is_none_or(|best| found.followed > best.followed) {
                best = Some(found);
            }
            let enough = if place + 1 < HALF_WAY { DECIDES } else { COUNTS };
            if best.as_ref().is_some_and(|best| best.followed >= enough) {
                break;
            }
        }
        match best {
            Some(found) => (vec![found.step], found.gain),
            None if base.is_over() => (Vec::new(), 0.0),
            None => strongest(base, flow, self.system(), weak).unwrap_or_else(|| {
                let largest =
                    self.all.iter().filter_map(|steps| steps.last()).filter(|step| !may_harm(self.system(), step));
                together(base, flow, largest.cloned().collect())
            }),
        }
    }
}

/// A text that things have in common that differ only in the numbers of parts and ports of the same name.
fn like(system: &System, thing: &Thing) -> String {
    let ports = |ports: &[PortId]| {
        let names = ports.iter().flat_map(|&port| system.port(port).name.split('.').map(base));
        names.collect::<Vec<_>>().join(".")
    };
    match thing {
        Thing::Ways(ways) => {
            let ends: Vec<PortId> =
                ways.first().map_or_else(Vec::new, |&way| <[PortId; 2]>::from(system.ends(way)).into());
            format!("{} {}", ways.len(), ports(&ends))
        }
        Thing::Figure { parts, field } => {
            let part = parts.first().map_or("", |&part| base(&system.part(part).name));
            format!("{} {part} {field}", parts.len())
        }
        Thing::Port { port, field } => format!("{} {field}", ports(&[*port])),
        Thing::Mrrs(part) => format!("mrrs {}", base(&system.part(*part).name)),
        Thing::Tags(part) => format!("tags {}", base(&system.part(*part).name)),
        thing => format!("{thing:?}"),
    }
}

fn busy(measured: &Measured, on: Direction) -> f64 {
    measured.outcome.busy.iter().find(|(direction, _)| *direction == on).map_or(0.0, |(_, busy)| *busy)
}

fn is_link(steps: &[Step]) -> bool {
    steps.iter().all(|step| matches!(step.thing, Thing::Ways(_)))
}

/// How far a rate follows a step that gains so much: the gain divided by the size of the step, both as logarithms.
fn followed(step: &Step, gain: f64) -> f64 {
    // A word has no size: a gain of several ordinary steps decides.
    let word = if gain >= SEVERAL { DECIDES } else { 0.0 };
    step.ratio.map_or(word, |ratio| (1.0 + gain).ln() / ratio.ln())
}

/// The smallest step of a thing that moves the rate, and true; the largest step and false if none does.
fn one(base: &Base<'_>, flow: usize, steps: &[Step]) -> (Found, bool) {
    let found = |step: &Step| {
        let gain = base.gain(std::slice::from_ref(step), flow);
        Found { step: step.clone(), gain, followed: followed(step, gain) }
    };
    let mut last = found(&steps[0]);
    for step in &steps[1..] {
        if last.gain >= CONFIRMS {
            break;
        }
        last = found(step);
    }
    let confirmed = last.gain >= CONFIRMS;
    (last, confirmed)
}

/// The fewest of the steps with the greatest gains that together move the rate, as for several latencies in series.
fn strongest(base: &Base<'_>, flow: usize, system: &System, mut weak: Vec<Found>) -> Option<(Vec<Step>, f64)> {
    weak.retain(|found| found.gain > 0.0 && !may_harm(system, &found.step));
    weak.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    (2..=FEW.min(weak.len())).find_map(|count| {
        let sum: f64 = weak[..count].iter().map(|found| found.gain).sum();
        let steps: Vec<Step> = weak[..count].iter().map(|found| found.step.clone()).collect();
        let gain = if sum > 0.8 * CONFIRMS { base.gain(&steps, flow) } else { 0.0 };
        (gain >= CONFIRMS).then_some((steps, gain))
    })
}

/// The fewest of `steps` that together still move the rate; none if all of them together do not.
fn together(base: &Base<'_>, flow: usize, mut steps: Vec<Step>) -> (Vec<Step>, f64) {
    let mut gain = base.gain(&steps, flow);
    if gain < CONFIRMS {
        return (Vec::new(), gain);
    }
    // Try halves first while one of them suffices, then smaller pieces. Every remaining step is needed.
    let (mut pieces, mut runs) = (2, 0);
    while steps.len() > 1 {
        runs += pieces;
        let size = steps.len().div_ceil(pieces);
        let smaller = (0..steps.len()).step_by(size).find_map(|at| {
            let piece: Vec<Step> = steps[at..(at + size).min(steps.len())].to_vec();
            let gain = if pieces == 2 { base.gain(&piece, flow) } else { 0.0 };
            (gain >= CONFIRMS).then_some((piece, gain))
        });
        let smaller = smaller.or_else(|| {
            // Remove the least suspected steps, at the end, first.
            let starts: Vec<usize> = (0..steps.len()).step_by(size).collect();
            starts.into_iter().rev().filter(|_| pieces > 2 || size == 1).find_map(|at| {
                let rest: Vec<Step> = steps
                    .iter()
                    .enumerate()
                    .filter(|(n, _)| *n < at || *n >= at + size)
                    .map(|(_, s)| s.clone())
                    .collect();
                let gain = if rest.is_empty() { 0.0 } else { base.gain(&rest, flow) };
                (gain >= CONFIRMS).then_some((rest, gain))
            })
        });
        match smaller {
            Some((rest, with)) => {
                (steps, gain) = (rest, with);
                pieces = (pieces - 1).clamp(2, steps.len().max(2));
            }
            None if size == 1 => break,
            None => pieces = (pieces * 2).min(steps.len()),
        }
        if base.is_over() || runs > MOST_RUNS {
            break;
        }
    }
    // Things that may not be needed are no answer.
    if base.is_spent() && steps.len() > FEW { (Vec::new(), 0.0) } else { (steps, gain) }
}
