//! What a candidate gives to one stream: the most within its bound of latency, with how many in flight, and where it stops.

use crate::advice::Served;
use crate::capture::told_in;
use crate::experiment::{depths, name};
use crate::place::Placed;
use crate::stripe;
use crate::workload::Stream;
use lab::cause::{self, Effort, Moves, SearchOptions, Whose};
use lab::sweep::{self, Job, Measured, RunOptions};
use lab::{At, Error};
use pcie::{Rate, Time};

/// A simulated rate that is lower than its limit by more than this has its cause looked for.
const NEAR: f64 = 0.95;
/// A drive of a stripe that is faster than the slowest by more than this is ahead of it.
const AHEAD: f64 = 1.03;
/// How often those that are ahead get half of their commands.
const MOST_EVENED: usize = 8;
/// A run is short: the first and the last blocks of it may make it more than its limit, by not more than this.
const ENDS_OF_A_RUN: f64 = 1.1;

/// What was simulated with one number in flight.
struct Point {
    depth: u64,
    measured: Measured,
    /// What the drives give together in equal shares, at most `limit`.
    rate: Rate,
    /// The limit of equal shares.
    limit: Rate,
    /// The latency of a block: of a stripe, that of the slowest drive.
    latency: Time,
}

impl Point {
    /// # Errors
    /// A simulation that is above its limit by more than the ends of a run explain: an error of the program.
    fn of(depth: u64, limit: Rate, measured: Measured) -> Result<Point, Error> {
        let simulated = Rate(measured.outcome.flows.iter().map(sweep::rate).sum());
        held_to(simulated, measured.limits.bound()).map_err(|limit| Error::AboveLimit {
            at: format!("{} {} {}", measured.job.system, measured.job.experiment, measured.job.at),
            simulated,
            limit,
        })?;
        let rate = Rate(stripe::rate(measured.outcome.flows.iter().map(sweep::rate)).0.min(limit.0));
        let latency = measured.outcome.flows.iter().map(|flow| flow.latency.mean).max().unwrap_or_default();
        Ok(Point { depth, measured, rate, limit, latency })
    }
}

/// A simulated rate, at most its limit; the limit as an error if the rate is too far above it.
fn held_to(simulated: Rate, limit: Rate) -> Result<Rate, Rate> {
    if simulated.0 > ENDS_OF_A_RUN * limit.0 { Err(limit) } else { Ok(Rate(simulated.0.min(limit.0))) }
}

/// One stream of a placed candidate, with so many in flight.
pub(crate) fn job(placed: &Placed, stream: usize, depth: u64) -> Result<Job, Error> {
    let experiment = placed.machine.description().experiment(&name(stream, depth))?;
    placed.machine.job(experiment, At::default())
}

/// What a stream gets. `None` if interrupted.
pub(crate) fn serve(
    placed: &Placed,
    number: usize,
    stream: &Stream,
    options: &RunOptions<'_>,
) -> Result<Option<Served>, Error> {
    let need = stream.demand().0 * stream.growth;
    let mut all = Vec::new();
    for depth in depths(placed.rooms[number].in_flight) {
        let job = job(placed, number, depth)?;
        all.push((depth, stripe::limit_of(&job.scenario), job));
    }
    let most = all.len() - 1;
    // With a bound of latency, every number in flight may be the one that decides. Without one the deepest gives the most, and
    // of the others the first that may be enough is tried, and those after it only if it is not.
    let bound = stream.latency.is_some();
    let enough = all[..most].iter().position(|(_, limit, _)| limit.0 >= need);
    let chosen: Vec<usize> = if bound { (0..=most).collect() } else { enough.into_iter().chain([most]).collect() };
    let Some(mut tried) = simulated(&all, &chosen, options)? else { return Ok(None) };
    if !bound && enough.is_some() && tried[0].rate.0 < need {
        let between: Vec<usize> = (chosen[0] + 1..most).collect();
        let Some(more) = simulated(&all, &between, options)? else { return Ok(None) };
        tried.splice(1..1, more);
    }
    let in_time = |point: &&Point| stream.latency.is_none_or(|bound| point.latency <= bound);
    let best = tried.iter().filter(in_time).reduce(|a, b| if b.rate.0 > a.rate.0 { b } else { a });
    let Some(best) = best else {
        let alone = &tried[0];
        return Ok(Some(Served {
            rate: Rate(0.0),
            limit: alone.limit,
            in_flight: None,
            latency: alone.latency,
            load_time: None,
            stops_at: format!("one block alone takes {}", told(alone.latency)),
        }));
    };
    let enough = tried.iter().filter(in_time).find(|point| point.rate.0 >= need);
    let deeper = tried.iter().find(|point| point.depth > best.depth);
    let stops_at = match (deeper, stream.latency) {
        (Some(late), Some(bound)) if late.latency > bound && late.rate.0 > 1.01 * best.rate.0 => {
            let taken = told(late.latency);
            format!("with {} in flight a block takes {taken}, longer than {}", late.depth, told(bound))
        }
        _ => stops_at(best.measured.clone(), options),
    };
    Ok(Some(Served {
        rate: best.rate,
        limit: best.limit,
        in_flight: enough.map(|point| point.depth),
        latency: enough.unwrap_or(best).latency,
        load_time: None,
        stops_at,
    }))
}

/// Simulates some of the numbers in flight. `None` if interrupted.
fn simulated(
    all: &[(u64, Rate, Job)],
    chosen: &[usize],
    options: &RunOptions<'_>,
) -> Result<Option<Vec<Point>>, Error> {
    let done = sweep::run(chosen.iter().map(|&place| all[place].2.clone()).collect(), options)?;
    if !done.complete {
        return Ok(None);
    }
    let mut points = Vec::new();
    for (&place, measured) in chosen.iter().zip(done.done) {
        let (depth, limit, job) = &all[place];
        match evened(Point::of(*depth, *limit, measured)?, job, options)? {
            Some(point) => points.push(point),
            None => return Ok(None),
        }
    }
    Ok(Some(points))
}

/// The same stripe with fewer commands in flight at the drives that are ahead: a stripe gives them nothing to do while they wait for
/// the slowest, which then has more of what they share. `None` if interrupted.
fn evened(point: Point, job: &Job, options: &RunOptions<'_>) -> Result<Option<Point>, Error> {
    let (mut best, mut job) = (point, job.clone());
    let mut rates: Vec<f64> = best.measured.outcome.flows.iter().map(sweep::rate).collect();
    for _ in 0..MOST_EVENED {
        let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let mut held = false;
        for (flow, rate) in job.scenario.flows.iter_mut().zip(&rates).filter(|(_, rate)| **rate > AHEAD * slowest) {
            let work = &mut flow.work;
            held |= work.in_flight() > 1 && *rate > 0.0;
            (work.depth, work.jobs) =
                if work.depth > 1 { (work.depth / 2, work.jobs) } else { (1, (work.jobs / 2).max(1)) };
        }
        if !held || best.rate.0 >= NEAR * best.limit.0 {
            break;
        }
        let done = sweep::run(vec![job.clone()], options)?;
        let Some(measured) = done.done.into_iter().next().filter(|_| done.complete) else { return Ok(None) };
        rates = measured.outcome.flows.iter().map(sweep::rate).collect();
        let point = Point::of(best.depth, best.limit, measured)?;
        if point.rate.0 > best.rate.0 {
            best = point;
        }
    }
    Ok(Some(best))
}

/// A time in whole nanoseconds.
fn told(time: Time) -> String {
    Time::from_ns(time.as_fs() / 1_000_000).to_string()
}

/// What limits the slowest flow: by the limit where that is near, else what a change proves.
fn stops_at(mut measured: Measured, options: &RunOptions<'_>) -> String {
    let place = measured.slowest_place(lab::metric::Over::All).unwrap_or_default();
    let limit = &measured.limits.together[place];
    if sweep::rate(&measured.outcome.flows[place]) >= NEAR * limit.stream.0 {
        return told_in(&limit.bottleneck.to_string());
    }
    let search = SearchOptions {
        threads: options.threads,
        interrupted: options.interrupted,
        kinds: options.kinds,
        whose: Whose::Slowest,
        effort: Effort::AsTheRun,
    };
    cause::of(&mut measured, Moves::Stream, &search);
    measured
        .cause_of(lab::metric::Over::All)
        .map_or_else(|| "the cause was not looked for".to_string(), |cause| told_in(&cause.plain()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_simulation_far_above_its_limit_an_error_and_a_short_run_not() {
        assert_eq!(held_to(Rate(1.02e9), Rate(1.0e9)), Ok(Rate(1.0e9)));
        assert_eq!(held_to(Rate(0.98e9), Rate(1.0e9)), Ok(Rate(0.98e9)));
        assert_eq!(held_to(Rate(2.8e9), Rate(1.0e9)), Err(Rate(1.0e9)));
    }
}
