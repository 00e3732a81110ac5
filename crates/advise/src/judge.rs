//! Asks the engines about each candidate.

use crate::candidate::Candidate;
use crate::capture::told_in;
use crate::experiment::{depths, name};
use crate::place::{Placed, place};
use crate::slot::{self, Slot};
use crate::workload::{Stream, Workload};
use lab::cause::{self, Moves, SearchOptions, Whose};
use lab::sweep::{self, Job, Measured, RunOptions};
use lab::{At, DescribedMachine, Error};
use limit::Limits;
use pcie::{Generation, LinkSpeed, Rate, Time, Width};
use system::Description;

const MACHINE: &str = include_str!("machine.yaml");
/// The name of the machine that is asked where there is no other.
const USUAL: &str = "a workstation of today";
/// A simulated rate that is lower than its limit by more than this has its cause looked for.
const NEAR: f64 = 0.95;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// What must be carried.
    pub workload: Workload,
    /// The machine.
    pub machine: DescribedMachine,
    /// True if the machine is the user's own: its slots are compared. Otherwise the least link is looked for.
    pub own: bool,
}

impl Ask {
    /// Asks about the usual machine.
    ///
    /// # Errors
    /// Its description, if that is wrong.
    pub fn usual(workload: Workload) -> Result<Ask, Error> {
        let machine = DescribedMachine::described(USUAL, Description::from_text("machine.yaml", MACHINE)?)?;
        Ok(Ask { workload, machine, own: false })
    }
    /// Asks about a machine.
    pub fn on(workload: Workload, machine: DescribedMachine) -> Ask {
        Ask { workload, machine, own: true }
    }
}

/// What was found of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It carries the workload, and its growth.
    Carries,
    /// It carries the workload as it is, and not its growth.
    UntilItGrows,
    /// It does not carry the workload.
    TooSlow,
    /// The machine has too few free slots for it.
    NoSlot,
}

impl Verdict {
    /// The verdict as words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Carries => "carries it",
            Verdict::UntilItGrows => "until it grows",
            Verdict::TooSlow => "too slow",
            Verdict::NoSlot => "no slot",
        }
    }
}

/// What a candidate gives to one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// The most that it gives this stream alone, with no more in flight than the stream has and within its bound of latency;
    /// simulated. 0 if not even one block is answered in time.
    pub rate: Rate,
    /// The limit of the same.
    pub limit: Rate,
    /// The least number in flight that was tried and suffices, growth included.
    pub in_flight: Option<u64>,
    /// The mean latency of a block with so many in flight; with as many as give `rate` where none suffices.
    pub latency: Time,
    /// How long a load takes beside the other streams; `None` without a load, or where they leave nothing.
    pub load_time: Option<Time>,
    /// Where it stops.
    pub stops_at: String,
}

/// A candidate in its slots.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The candidate.
    pub candidate: Candidate,
    /// Its slots, one for each of its parts.
    pub slots: Vec<Slot>,
    /// In the order of the streams; empty without a slot.
    pub served: Vec<Served>,
    /// How many times the workload as it is.
    pub headroom: f64,
    /// How many times the workload with its growth.
    pub grown: f64,
    /// What follows.
    pub verdict: Verdict,
    /// True if streams move the arm of a disk from one to another.
    pub moves_arm: bool,
}

/// The advised candidate in another slot, or on another link.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The slot.
    pub slot: Slot,
    /// How many times the workload as it is.
    pub headroom: f64,
    /// What follows.
    pub verdict: Verdict,
    /// Where it stops, by the stream with the greatest share.
    pub stops_at: String,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Advice {
    /// What must be carried.
    pub workload: Workload,
    /// The name of the machine.
    pub machine: String,
    /// Each candidate, cheapest first. Fewer if interrupted.
    pub judged: Vec<Judged>,
    /// For the usual machine: the least link with which the advised candidate carries the workload.
    pub least_link: Option<LinkSpeed>,
    /// For the user's own machine: the advised candidate, if it takes one slot, in each of its free slots.
    pub slots: Vec<Tried>,
    /// False if interrupted.
    pub complete: bool,
}

impl Advice {
    /// The first candidate that carries the workload with its growth.
    pub fn choice(&self) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.verdict == Verdict::Carries)
    }
}

/// Finds which candidates carry a workload.
///
/// # Errors
/// A candidate whose part is not in the catalogue or does not go into a slot; a simulation that could not be run.
pub fn advise(ask: &Ask, options: &RunOptions<'_>) -> Result<Advice, Error> {
    let free = slot::free(&ask.machine.description().system()?);
    let mut advice = Advice {
        workload: ask.workload.clone(),
        machine: ask.machine.name().to_string(),
        judged: Vec::new(),
        least_link: None,
        slots: Vec::new(),
        complete: true,
    };
    for candidate in &ask.workload.candidates {
        match judge(ask, candidate, &free, options)? {
            Some(judged) => advice.judged.push(judged),
            None => return Ok(Advice { complete: false, ..advice }),
        }
    }
    let Some(choice) = advice.choice().cloned() else { return Ok(advice) };
    let complete = if ask.own {
        every_slot(ask, &choice, &free, &mut advice, options)?
    } else {
        least_link(ask, &choice, &mut advice, options)?
    };
    Ok(Advice { complete, ..advice })
}

/// A candidate in the best of the free slots. `None` if interrupted.
fn judge(ask: &Ask, candidate: &Candidate, free: &[Slot], options: &RunOptions<'_>) -> Result<Option<Judged>, Error> {
    let mut slots = slot::of(free, candidate, &ask.workload.candidates);
    let parts = usize::try_from(candidate.parts()).unwrap_or(usize::MAX);
    if slots.len() < parts {
        return Ok(Some(Judged {
            candidate: candidate.clone(),
            slots: Vec::new(),
            served: Vec::new(),
            headroom: 0.0,
            grown: 0.0,
            verdict: Verdict::NoSlot,
            moves_arm: false,
        }));
    }
    // The slots with the highest limit for one of its parts; of equal ones the first.
    let one = Candidate { drives: candidate.on_one.min(candidate.drives), ..candidate.clone() };
    let mut ranked = Vec::new();
    for slot in slots {
        let placed = place(&ask.machine, &one, &[slot], None, &ask.workload.streams)?;
        ranked.push((deepest(&placed, &ask.workload.streams)?, slot));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    slots = ranked.into_iter().map(|(_, slot)| slot).take(parts).collect();
    let Some(found) = served(ask, candidate, &slots, None, options)? else { return Ok(None) };
    Ok(Some(found))
}

/// The headroom by the limit, with as many in flight as there may be.
fn deepest(placed: &Placed, streams: &[Stream]) -> Result<f64, Error> {
    let mut shares = 0.0;
    for (number, stream) in streams.iter().enumerate() {
        let job = job(placed, number, placed.rooms[number].in_flight)?;
        shares += stream.demand().0 / limit::limit(&job.scenario).sum().0;
    }
    Ok(1.0 / shares)
}

fn job(placed: &Placed, stream: usize, depth: u64) -> Result<Job, Error> {
    let experiment = placed.machine.description().experiment(&name(stream, depth))?;
    placed.machine.job(experiment, At::default())
}

/// The latency of a block: of a stripe, that of the slowest drive.
fn latency(measured: &Measured) -> Time {
    measured.outcome.flows.iter().map(|flow| flow.latency.mean).max().unwrap_or_default()
}

/// What the drives give together. A run is short: its first and its last blocks may make it some more than the limit, which is
/// then the rate.
fn rate(measured: &Measured) -> Rate {
    let simulated: f64 = measured.outcome.flows.iter().map(sweep::rate).sum();
    Rate(simulated.min(measured.limits.sum().0))
}

/// Simulates a candidate in slots. `None` if interrupted.
fn served(
    ask: &Ask,
    candidate: &Candidate,
    slots: &[&Slot],
    held: Option<LinkSpeed>,
    options: &RunOptions<'_>,
) -> Result<Option<Judged>, Error> {
    let streams = &ask.workload.streams;
    let placed = place(&ask.machine, candidate, slots, held, streams)?;
    let mut found = Vec::new();
    for (number, stream) in streams.iter().enumerate() {
        match serve(&placed, number, stream, options)? {
            Some(one) => found.push(one),
            None => return Ok(None),
        }
    }
    let share = |growth: bool| {
        let of = |(stream, served): (&Stream, &Served)| {
            stream.demand().0 * if growth { stream.growth } else { 1.0 } / served.rate.0
        };
        streams.iter().zip(&found).map(of).sum::<f64>()
    };
    let (now, grown) = (share(false), share(true));
    for (stream, served) in streams.iter().zip(&mut found) {
        let left = 1.0 - (now - stream.demand().0 / served.rate.0);
        let time = stream.load().filter(|_| left > 0.0 && served.rate.0 > 0.0);
        served.load_time = time.and_then(|load| Time::from_secs_f64(load.0 as f64 / (served.rate.0 * left)));
    }
    let verdict = match () {
        () if grown <= 1.0 => Verdict::Carries,
        () if now <= 1.0 => Verdict::UntilItGrows,
        () => Verdict::TooSlow,
    };
    Ok(Some(Judged {
        candidate: candidate.clone(),
        slots: slots.iter().map(|&slot| slot.clone()).collect(),
        served: found,
        headroom: 1.0 / now,
        grown: 1.0 / grown,
        verdict,
        moves_arm: placed.moves_arm,
    }))
}

/// What a stream gets. `None` if interrupted.
fn serve(placed: &Placed, number: usize, stream: &Stream, options: &RunOptions<'_>) -> Result<Option<Served>, Error> {
    let need = stream.demand().0 * stream.growth;
    let all: Vec<(u64, Job, Limits)> = depths(placed.rooms[number].in_flight)
        .into_iter()
        .map(|depth| job(placed, number, depth).map(|job| (depth, limit::limit(&job.scenario), job)))
        .map(|one| one.map(|(depth, limits, job)| (depth, job, limits)))
        .collect::<Result<_, _>>()?;
    let most = all.len() - 1;
    // With a bound of latency, every number in flight may be the one that decides. Without one the deepest gives the most, and
    // of the others the first that may be enough is tried, and those after it only if it is not.
    let bound = stream.latency.is_some();
    let enough = all[..most].iter().position(|(_, _, limits)| limits.sum().0 >= need);
    let mut chosen: Vec<usize> = if bound { (0..=most).collect() } else { enough.into_iter().chain([most]).collect() };
    let Some(mut done) = simulated(&all, &chosen, options)? else { return Ok(None) };
    if !bound && enough.is_some() && rate(&done[0]).0 < need {
        let between: Vec<usize> = (chosen[0] + 1..most).collect();
        let Some(more) = simulated(&all, &between, options)? else { return Ok(None) };
        chosen.splice(1..1, between);
        done.splice(1..1, more);
    }
    let in_time = |measured: &Measured| stream.latency.is_none_or(|bound| latency(measured) <= bound);
    let tried: Vec<(u64, &Measured)> = chosen.iter().map(|&place| all[place].0).zip(&done).collect();
    let fit: Vec<&(u64, &Measured)> = tried.iter().filter(|(_, measured)| in_time(measured)).collect();
    let best = fit.iter().copied().reduce(|a, b| if rate(b.1).0 > rate(a.1).0 { b } else { a });
    let Some((depth, measured)) = best else {
        let (_, alone) = tried[0];
        return Ok(Some(Served {
            rate: Rate(0.0),
            limit: alone.limits.sum(),
            in_flight: None,
            latency: latency(alone),
            load_time: None,
            stops_at: format!("one block alone takes {}", told(latency(alone))),
        }));
    };
    let enough = fit.iter().find(|(_, measured)| rate(measured).0 >= need);
    let later = tried.iter().find(|(other, measured)| other > depth && rate(measured).0 > rate(&done[0]).0);
    let stops_at = match (later, stream.latency) {
        (Some((next, late)), Some(bound)) if !in_time(late) && rate(late).0 > 1.01 * rate(measured).0 => {
            format!("with {next} in flight a block takes {}, longer than {}", told(latency(late)), told(bound))
        }
        _ => stops_at((*measured).clone(), options),
    };
    let shown = enough.map_or(measured, |(_, measured)| measured);
    Ok(Some(Served {
        rate: rate(measured),
        limit: measured.limits.sum(),
        in_flight: enough.map(|(depth, _)| *depth),
        latency: latency(shown),
        load_time: None,
        stops_at,
    }))
}

/// Simulates some of the numbers in flight. `None` if interrupted.
fn simulated(
    all: &[(u64, Job, Limits)],
    chosen: &[usize],
    options: &RunOptions<'_>,
) -> Result<Option<Vec<Measured>>, Error> {
    let done = sweep::run(chosen.iter().map(|&place| all[place].1.clone()).collect(), options)?;
    Ok(done.complete.then_some(done.done))
}

/// A time with three digits.
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
    };
    cause::of(&mut measured, Moves::Stream, &search);
    measured
        .cause_of(lab::metric::Over::All)
        .map_or_else(|| "the cause was not looked for".to_string(), |cause| told_in(&cause.plain()))
}

/// The least link with which the choice carries the workload. False if interrupted.
fn least_link(ask: &Ask, choice: &Judged, advice: &mut Advice, options: &RunOptions<'_>) -> Result<bool, Error> {
    let slots: Vec<&Slot> = choice.slots.iter().collect();
    let placed = place(&ask.machine, &choice.candidate, &slots, None, &ask.workload.streams)?;
    let system = placed.machine.description().system()?;
    let Some(trained) = system.links.last().map(|link| link.speed) else { return Ok(true) };
    let generations = (1..=trained.generation.number()).filter_map(Generation::from_number);
    let widths = [1, 2, 4, 8, 16].into_iter().filter(|&lanes| lanes <= trained.width.lanes()).filter_map(Width::new);
    let widths: Vec<Width> = widths.collect();
    let mut all: Vec<LinkSpeed> =
        generations.flat_map(|generation| widths.iter().map(move |&width| LinkSpeed { generation, width })).collect();
    all.sort_by(|a, b| a.encoded().0.total_cmp(&b.encoded().0));
    for held in all {
        let placed = place(&ask.machine, &choice.candidate, &slots, Some(held), &ask.workload.streams)?;
        if deepest(&placed, &ask.workload.streams)? < 1.0 {
            continue;
        }
        match served(ask, &choice.candidate, &slots, Some(held), options)? {
            None => return Ok(false),
            Some(found) if found.verdict == Verdict::Carries => {
                advice.least_link = Some(held);
                return Ok(true);
            }
            Some(_) => {}
        }
    }
    Ok(true)
}

/// The choice in each free slot. False if interrupted.
fn every_slot(
    ask: &Ask,
    choice: &Judged,
    free: &[Slot],
    advice: &mut Advice,
    options: &RunOptions<'_>,
) -> Result<bool, Error> {
    if choice.candidate.parts() != 1 {
        return Ok(true);
    }
    for slot in slot::of(free, &choice.candidate, &ask.workload.candidates) {
        let Some(found) = served(ask, &choice.candidate, &[slot], None, options)? else { return Ok(false) };
        let shares = ask.workload.streams.iter().zip(&found.served);
        let most = shares.max_by(|a, b| (a.0.demand().0 / a.1.rate.0).total_cmp(&(b.0.demand().0 / b.1.rate.0)));
        let stops_at = most.map_or_else(String::new, |(_, served)| served.stops_at.clone());
        advice.slots.push(Tried { slot: slot.clone(), headroom: found.headroom, verdict: found.verdict, stops_at });
    }
    Ok(true)
}
