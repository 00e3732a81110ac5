//! Asks the engines about each candidate.

use crate::advice::{Advice, Judged, Served, Tried, Verdict};
use crate::candidate::Candidate;
use crate::place::{Placed, place};
use crate::serve::{job, serve};
use crate::slot::{self, Slot};
use crate::stripe::limit_of;
use crate::workload::{Stream, Workload};
use lab::sweep::RunOptions;
use lab::{DescribedMachine, Error};
use pcie::{Generation, LinkSpeed, Time, Width};
use system::Description;

const MACHINE: &str = include_str!("machine.yaml");
/// The name of the machine that is asked where there is no other.
const USUAL: &str = "a workstation of today";
/// Headrooms that differ by a smaller share are equal.
const EQUAL: f64 = 1e-6;

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
    ask.workload.candidates.iter().try_for_each(Candidate::check)?;
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
    let slots = slot::of(free, candidate, &ask.workload.candidates)?;
    let parts = usize::try_from(candidate.parts()).unwrap_or(usize::MAX);
    if slots.len() < parts {
        return Ok(Some(Judged {
            candidate: candidate.clone(),
            slots: Vec::new(),
            fits: slots.len(),
            served: Vec::new(),
            headroom: 0.0,
            grown: 0.0,
            verdict: Verdict::NoSlot,
            moves_arm: false,
        }));
    }
    let fits = slots.len();
    let slots = best(ask, candidate, slots, parts)?;
    let Some(found) = served(ask, candidate, &slots, None, options)? else { return Ok(None) };
    Ok(Some(Judged { fits, ..found }))
}

/// The slots with the highest limit for so many parts; of equal ones the first. One after the other is added that leaves the highest
/// limit. Parts have equal shares, so that every slot and every link above slots carries some number of parts at a given rate
/// or does not: among such choices none is better than that of the best next.
fn best<'a>(ask: &Ask, candidate: &Candidate, mut free: Vec<&'a Slot>, parts: usize) -> Result<Vec<&'a Slot>, Error> {
    let streams = &ask.workload.streams;
    let mut chosen: Vec<&Slot> = Vec::new();
    while chosen.len() < parts {
        let drives = candidate.on_one.saturating_mul(chosen.len() as u64 + 1).min(candidate.drives);
        let so_far = Candidate { drives, ..candidate.clone() };
        let mut next: Option<(f64, usize)> = None;
        for (place_of, &slot) in free.iter().enumerate() {
            if free[..place_of].iter().any(|other| other.is_like(slot)) {
                continue;
            }
            let tried: Vec<&Slot> = chosen.iter().copied().chain([slot]).collect();
            let room = deepest(&place(&ask.machine, &so_far, &tried, None, streams)?, streams)?;
            if next.is_none_or(|(most, _)| room > most * (1.0 + EQUAL)) {
                next = Some((room, place_of));
            }
        }
        let Some((_, at)) = next else { break };
        chosen.push(free.remove(at));
    }
    Ok(chosen)
}

/// The headroom by the limit, with as many in flight as there may be.
fn deepest(placed: &Placed, streams: &[Stream]) -> Result<f64, Error> {
    let mut shares = 0.0;
    for (number, stream) in streams.iter().enumerate() {
        let job = job(placed, number, placed.rooms[number].in_flight)?;
        shares += stream.demand().0 / limit_of(&job.scenario).0;
    }
    Ok(1.0 / shares)
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
        fits: slots.len(),
        served: found,
        headroom: 1.0 / now,
        grown: 1.0 / grown,
        verdict,
        moves_arm: placed.moves_arm,
    }))
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
    for slot in slot::of(free, &choice.candidate, &ask.workload.candidates)? {
        let Some(found) = served(ask, &choice.candidate, &[slot], None, options)? else { return Ok(false) };
        let shares = ask.workload.streams.iter().zip(&found.served);
        let most = shares.max_by(|a, b| (a.0.demand().0 / a.1.rate.0).total_cmp(&(b.0.demand().0 / b.1.rate.0)));
        let stops_at = most.map_or_else(String::new, |(_, served)| served.stops_at.clone());
        advice.slots.push(Tried { slot: slot.clone(), headroom: found.headroom, verdict: found.verdict, stops_at });
    }
    Ok(true)
}
