//! One drawn case: a machine, what is planted in it, and what a user measures.

use super::dice::Dice;
use super::machine::{Class, Machine};
use super::measure::{Load, Measurement, NEVER_TOGETHER, Rate, Setup, apart};
use super::plant::{Family, Plant, place, plant};
use super::{NOISE, VISIBLE, shapes, subsets};

/// Draws of one seed, at most.
const DRAWS: u64 = 4000;
/// A link that is used for this share of the time is full.
const FULL: f64 = 0.95;
/// One that is used for this share may be called full, with the noise that the rates have.
const NEARLY: f64 = 0.9;

/// A case.
pub struct Case {
    pub seed: u64,
    /// As it is described to `explain`.
    pub machine: Machine,
    pub plants: Vec<Plant>,
    pub loads: Vec<Load>,
    pub measurements: Vec<Measurement>,
    /// What the true system gives.
    pub rates: Vec<Rate>,
    /// The same with noise, MB/s.
    pub measured: Vec<f64>,
    /// How busy the busiest thread was, where the user says so.
    pub busy: Option<Vec<f64>>,
    /// Links that are full in a measurement, by the port above.
    pub full: Vec<String>,
    /// The same of those that are full, but for the noise.
    pub nearly_full: Vec<String>,
}

/// What is planted for this seed: in one of twenty nothing, in seven two causes, in twelve one of each family.
fn families(seed: u64, dice: &mut Dice) -> Vec<Family> {
    match (seed % 20) as usize {
        0 => Vec::new(),
        one @ 1..=12 => vec![Family::PLANTED[one - 1]],
        _ => (0..2).map(|_| dice.of(&Family::PLANTED)).collect(),
    }
}

/// The case of a seed. A draw is left out where the machine has no place for the causes, or where one of them moves the
/// rates by less than [`VISIBLE`] beside the others.
pub fn case(seed: u64, small: bool) -> Option<Case> {
    (0..DRAWS).find_map(|draw| drawn(seed, &mut Dice::new(seed, draw, small)))
}

fn drawn(seed: u64, dice: &mut Dice) -> Option<Case> {
    let wanted = &families(seed, dice)[..];
    let mut machine = shapes::machine(dice);
    let places = wanted.iter().map(|&family| place(dice, &machine, family)).collect::<Option<Vec<_>>>()?;
    if places.len() == 2 && (places[0] == places[1] || wanted[0] == wanted[1] && wanted[0] == Family::Core) {
        return None;
    }
    let loads = loads(dice, &machine, wanted);
    let of = |machine: &Machine, ends: &[usize]| {
        let ends = ends.iter().map(|&end| match machine.ends[end].class {
            Class::Sata(drives) if wanted != [Family::AllDrives] => (end, drives),
            _ => (end, 1),
        });
        let one = [Measurement { ends: ends.collect(), load: 0 }];
        let setup = Setup { machine, loads: &loads, measurements: &one };
        setup.rates(&|_| Vec::new(), 1).ok().map(|rates| rates[0].mb_per_s)
    };
    let mut plants = Vec::new();
    for (&family, place) in wanted.iter().zip(places) {
        plants.push(plant(dice, &mut machine, family, place, &of, &loads[0])?);
    }
    if alike(&machine, &plants) || no_slower(&plants) {
        return None;
    }
    let measurements = subsets::measurements(dice, &machine, &loads);
    let setup = Setup { machine: &machine, loads: &loads, measurements: &measurements };
    let rates = with(&setup, &plants, None)?;
    for absent in 0..plants.len() {
        if apart(&rates, &with(&setup, &plants, Some(absent))?) < VISIBLE {
            return None;
        }
    }
    let noisy = |rate: &Rate| rate.mb_per_s * (NOISE * dice.normal()).exp();
    let measured = rates.iter().map(noisy).collect();
    let busy = busy(dice, &loads, &measurements, &rates, &plants);
    let (full, nearly_full) = (used(&machine, &plants, &rates, FULL), used(&machine, &plants, &rates, NEARLY));
    Some(Case { seed, machine, plants, loads, measurements, rates, measured, busy, full, nearly_full })
}

/// Links that are used for this share of the time, by the port above. Of a link that is not as described, the
/// description does not say that it is full.
fn used(machine: &Machine, plants: &[Plant], rates: &[Rate], share: f64) -> Vec<String> {
    let unseen = |port: &String| {
        let link = machine.links.iter().position(|link| link.upper == *port).unwrap_or_default();
        plants.iter().any(|plant| plant.sets.iter().any(|set| set.starts_with(&format!("links.{link}."))))
    };
    let used = rates.iter().flat_map(|rate| &rate.busy).filter(|(_, busy)| *busy >= share);
    let mut ports: Vec<String> = used.map(|(port, _)| port.clone()).filter(|port| !unseen(port)).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// True for a slow drive that is no slower than all are.
fn no_slower(plants: &[Plant]) -> bool {
    let rate = |family: Family| {
        let plant = plants.iter().find(|plant| plant.family == family)?;
        plant.sets.first()?.split(['=', ' ']).nth(1)?.parse::<f64>().ok()
    };
    rate(Family::OneDrive).zip(rate(Family::AllDrives)).is_some_and(|(one, all)| one > 0.85 * all)
}

/// True for two caps at ports of one part that are nearly the same: one cap of each port says as much.
fn alike(machine: &Machine, plants: &[Plant]) -> bool {
    let cap = |plant: &Plant| {
        let (port, cap) = plant.sets.first()?.split_once(".port_cap=")?;
        let (part, cap) = (port.split('.').next()?.to_string(), cap.split(' ').next()?.parse::<f64>().ok()?);
        let lanes = machine.ports_of(&part).into_iter().find(|(used, _)| *used == port)?.1;
        Some((part, lanes, cap))
    };
    match plants {
        [one, other] => cap(one)
            .zip(cap(other))
            .is_some_and(|(one, other)| (&one.0, one.1) == (&other.0, other.1) && (one.2 / other.2).ln().abs() < 0.25),
        _ => false,
    }
}

/// The rates of the true system, or of that without one of the causes.
fn with(setup: &Setup<'_>, plants: &[Plant], absent: Option<usize>) -> Option<Vec<Rate>> {
    let sets = plants.iter().enumerate().flat_map(|(n, plant)| match absent == Some(n) {
        true => plant.relief.clone(),
        false => plant.sets.clone(),
    });
    // A setting of a whole array comes before one of its parts, which is an exception to it.
    let mut sets: Vec<String> = sets.collect();
    sets.sort_by_key(|set| set.split('=').next().is_some_and(|path| path.contains('[')));
    let deeper = absent.map_or(1, |absent| plants[absent].deeper);
    setup.rates(&|_| sets.clone(), deeper).inspect_err(|why| assert!(why == NEVER_TOGETHER, "{why}")).ok()
}

fn loads(dice: &mut Dice, machine: &Machine, wanted: &[Family]) -> Vec<Load> {
    let load = |write, block, depth, random, one_thread| Load { write, block, depth, random, one_thread };
    let card = machine.ends.iter().any(|end| end.class == Class::Card);
    if card {
        let both = [load(false, 1 << 20, 1, false, false), load(true, 1 << 20, 1, false, false)];
        let reads_alone = wanted.contains(&Family::InFlight) || dice.percent(50);
        return both.into_iter().take(if reads_alone { 1 } else { 2 }).collect();
    }
    let (core, shallow) = (wanted.contains(&Family::Core), wanted.contains(&Family::InFlight));
    let one_thread = dice.percent(if core { 60 } else { 25 });
    if shallow {
        let (block, random) = dice.of(&[(4096, true), (16_384, true), (65_536, false), (131_072, false)]);
        return vec![load(false, block, dice.of(&[1, 1, 2]), random, one_thread)];
    }
    if core {
        let (block, random) = dice.of(&[(4096, true), (16_384, false), (32_768, false)]);
        return vec![load(false, block, 32, random, one_thread)];
    }
    let (block, depth) = (131_072, dice.of(&[8, 16]));
    let more = if dice.percent(30) { dice.count(0, 1) } else { 0 };
    (0..=more).map(|n| load(n == 1, block, depth, false, one_thread)).collect()
}

/// The shares of a core that a user reads off, in most cases.
fn busy(
    dice: &mut Dice,
    loads: &[Load],
    measurements: &[Measurement],
    rates: &[Rate],
    plants: &[Plant],
) -> Option<Vec<f64>> {
    let core = plants.iter().find(|plant| plant.family == Family::Core);
    if core.is_none() && dice.percent(30) {
        return None;
    }
    let cost = core.and_then(|plant| plant.sets[0].split(['=', ' ']).nth(1)?.parse::<f64>().ok());
    let threads = |one: &Measurement| if loads[one.load].one_thread { 1 } else { one.ends.len() };
    let commands = measurements.iter().zip(rates).map(|(one, rate)| {
        // Commands in a nanosecond, of each thread.
        rate.mb_per_s / 1e3 / loads[one.load].block as f64 / threads(one) as f64
    });
    let commands: Vec<f64> = commands.collect();
    let most = commands.iter().copied().fold(0.0, f64::max);
    let cost = cost.unwrap_or_else(|| dice.between(1500.0, 4000.0).min(0.6 / most));
    let share = |commands: f64| match commands * cost {
        full if full > 0.96 => 0.97 + 0.02 * dice.unit(),
        part => part * (0.02 * dice.normal()).exp(),
    };
    Some(commands.into_iter().map(share).collect())
}

impl Case {
    pub fn setup(&self) -> Setup<'_> {
        Setup { machine: &self.machine, loads: &self.loads, measurements: &self.measurements }
    }
    /// The rates in words, as `--measured` takes them.
    pub fn words(&self) -> Vec<String> {
        (0..self.measurements.len()).map(|n| self.word(n)).collect()
    }
    fn word(&self, number: usize) -> String {
        let measurement = &self.measurements[number];
        let load = &self.loads[measurement.load];
        let names = measurement.names(&self.machine).join(",");
        let rate = self.measured[number];
        let rate = if rate < 100.0 { format!("{rate:.1}MB/s") } else { format!("{rate:.0}MB/s") };
        if self.machine.ends[measurement.ends[0].0].class == Class::Card {
            return match load.write {
                true => format!("from={names} to=host rate={rate}"),
                false => format!("from=host to={names} rate={rate}"),
            };
        }
        let mut word = format!("disk={names} rate={rate} block={}KiB depth={}", load.block / 1024, load.depth);
        for (told, how) in [(load.write, " op=write"), (load.random, " order=random"), (load.one_thread, " jobs=1")] {
            word += if told { how } else { "" };
        }
        if let Some(busy) = &self.busy {
            word += &format!(" busy={:.0}%", busy[number] * 100.0);
        }
        word
    }
    /// The column of the table.
    pub fn row(&self) -> &'static str {
        match &self.plants[..] {
            [] => Family::Nothing.name(),
            [one] => one.family.name(),
            _ => "two causes",
        }
    }
}
