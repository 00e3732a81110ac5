//! Tries things until the step of one moves the rate, or the steps of a few together do.

use crate::cause::options::Effort;
use crate::cause::rerun::Base;
use crate::cause::step::{may_harm, steps};
use crate::cause::suspects::suspects;
use crate::confirmed::{Confirmed, Named, Step, Thing};
use crate::measured::Measured;
use system::graph::Direction;

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

/// The largest number of weak steps that are combined before all things are tried together.
const FEW: usize = 4;

/// A step and its effect on the rate.
struct Found {
    step: Step,
    gain: f64,
    /// The gain divided by the size of the step, both as logarithms.
    followed: f64,
}

/// What limits `flow`; `None` if it has no rate, or if the search was interrupted.
pub(crate) fn cause(measured: &Measured, base: &Base<'_>, flow: usize) -> Option<Confirmed> {
    if !base.has_rate(flow) {
        return None;
    }
    let system = &measured.job.scenario.system;
    let all = suspects(measured, flow).into_iter().map(|thing| steps(system, &thing));
    let all: Vec<Vec<Step>> = all.filter(|steps| !steps.is_empty()).collect();
    let (things, gain) = match base.effort() == Effort::AsTheRun && base.is_explained(flow) {
        true => likely(measured, base, flow, &all),
        false => found(base, flow, all.iter().cloned().enumerate(), || all.clone()),
    };
    let named = |step: Step| Named::new(system, step);
    let stated = Confirmed::stated(measured, flow)?;
    let things = things.into_iter().map(named).collect();
    let cause = Confirmed { things, gain, of: base.moves(), tried: all.len(), ..stated };
    (!base.is_interrupted()).then_some(cause)
}

/// As [`found`], but what the limit does not expect to move the rate is left out at first.
fn likely(measured: &Measured, base: &Base<'_>, flow: usize, all: &[Vec<Step>]) -> (Vec<Step>, f64) {
    let is_likely = |step: &Step| match &step.thing {
        // A faster direction shortens no more than the share of time in which it is busy.
        Thing::Ways(ways) => ways.iter().any(|&on| busy(measured, on) * (step.ratio.unwrap_or(1.0) - 1.0) >= HOPE),
        // The limit is a bound: that it does not rise with one more of something is no evidence.
        _ if !step.is_continuous() => true,
        _ => base.stated_gain(std::slice::from_ref(step), flow).is_none_or(|gain| gain >= HOPE),
    };
    let likely = |steps: &Vec<Step>| steps.iter().filter(|step| is_likely(step)).cloned().collect::<Vec<Step>>();
    let some = || all.iter().map(likely).enumerate().filter(|(_, steps)| !steps.is_empty());
    let first = found(base, flow, some(), || some().map(|(_, steps)| steps).collect());
    if !first.0.is_empty() || base.is_over() {
        return first;
    }
    found(base, flow, all.iter().cloned().enumerate(), || all.to_vec())
}

fn busy(measured: &Measured, on: Direction) -> f64 {
    measured.outcome.busy.iter().find(|(direction, _)| *direction == on).map_or(0.0, |(_, busy)| *busy)
}

/// The things that limit a flow, as steps, and the gain with all of them made; none if nothing moves the rate. `each`
/// gives the place and the steps of each thing in the order in which they are tried; `all` gives all of them.
fn found(
    base: &Base<'_>,
    flow: usize,
    each: impl Iterator<Item = (usize, Vec<Step>)>,
    all: impl Fn() -> Vec<Vec<Step>>,
) -> (Vec<Step>, f64) {
    let (mut best, mut weak): (Option<Found>, Vec<Found>) = (None, Vec::new());
    let mut links: Option<Vec<Step>> = Some(Vec::new());
    let mut leading = 0;
    for (place, steps) in each {
        if place == leading && is_link(&steps) {
            leading += 1;
            links.iter_mut().for_each(|links| links.extend(steps.iter().cloned()));
        } else if place >= ONE_BY_ONE {
            break;
        } else if let Some(links) = links.take().filter(|_| leading > 1 && best.is_none()) {
            // Several full links in series: a faster one alone does not help.
            let (things, gain) = together(base, flow, links);
            if !things.is_empty() {
                return (things, gain);
            }
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
        None => strongest(base, flow, weak).unwrap_or_else(|| {
            let all = all();
            let largest = all.iter().filter_map(|steps| steps.last()).filter(|step| !may_harm(step)).cloned();
            together(base, flow, largest.collect())
        }),
    }
}

fn is_link(steps: &[Step]) -> bool {
    steps.iter().all(|step| matches!(step.thing, Thing::Ways(_)))
}

/// The smallest step of a thing that moves the rate, and true; the largest step and false if none does.
fn one(base: &Base<'_>, flow: usize, steps: &[Step]) -> (Found, bool) {
    let found = |step: &Step| {
        let gain = base.gain(std::slice::from_ref(step), flow);
        let followed = step.ratio.map_or(0.0, |ratio| (1.0 + gain).ln() / ratio.ln());
        Found { step: step.clone(), gain, followed }
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
fn strongest(base: &Base<'_>, flow: usize, mut weak: Vec<Found>) -> Option<(Vec<Step>, f64)> {
    weak.retain(|found| found.gain > 0.0 && !may_harm(&found.step));
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
