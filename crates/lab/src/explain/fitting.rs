//! The rates that the machine gives with suspects at some figures, and the figures for which they come nearest.

use super::applied::{At, Run, sum};
use super::evidence::{Evidence, Measurement};
use super::known::Known;
use super::suspect::Suspect;

/// Points of a first look over the range of a figure, at least and at most.
const POINTS: (usize, usize) = (15, 48);
/// Two neighbours of a first look differ by no more than this factor, where the most points allow that.
const FINE: f64 = 1.3;
/// Steps of the closer look: each divides the range by 1.6.
const CLOSER: usize = 8;
/// The same where figures are near.
const CLOSEST: usize = 6;
/// All figures together are looked for so far up and down from where each was found by itself.
const TOGETHER: f64 = 1.2;
/// Rates that are so many times the squared noise off, on average, are explained well enough to look no further.
const WELL: f64 = 2.0;
/// All rates of a load are below the model alike by no more than this share: what is more has a cause.
const MOST_LEVEL: f64 = 0.15;
/// How far rates that somebody read off may be above it: a MiB is so many MB.
const UNIT: f64 = 1.048_576;
/// A figure has no effect on a rate where it changes it by less than this share.
pub(super) const NOTHING: f64 = 1e-3;

/// The measurements with their loads.
pub(super) struct Rates<'a> {
    pub evidence: &'a Evidence,
    /// The load of each measurement, as a number.
    pub load: Vec<usize>,
    /// What the machine gives as it shows itself.
    pub shown: Vec<f64>,
    known: Known,
}

impl<'a> Rates<'a> {
    pub fn new(evidence: &'a Evidence) -> Rates<'a> {
        let mut loads: Vec<&str> = Vec::new();
        let load = |measurement: &'a Measurement| match loads.iter().position(|load| *load == measurement.load) {
            Some(known) => known,
            None => {
                loads.push(&measurement.load);
                loads.len() - 1
            }
        };
        let load = evidence.measurements.iter().map(load).collect();
        let shown = evidence.measurements.iter().map(|measurement| sum(&measurement.scenario)).collect();
        let known = Known::of(evidence.measurements.iter().map(|measurement| &measurement.scenario));
        Rates { evidence, load, shown, known }
    }

    pub fn count(&self) -> usize {
        self.load.len()
    }

    fn loads(&self) -> usize {
        self.load.iter().max().map_or(0, |most| most + 1)
    }

    /// What a measurement gives with all of `set`.
    pub fn predicted(&self, number: usize, set: &[At]) -> f64 {
        let run = self.run(number);
        self.known.rate(number, &run, run.effects(set), self.shown[number])
    }

    /// A measurement, as something that suspects change.
    pub fn run(&self, number: usize) -> Run<'a> {
        let Measurement { scenario, in_flight, .. } = &self.evidence.measurements[number];
        Run { scenario, load: self.load[number], in_flight: *in_flight }
    }

    pub fn all(&self, set: &[At]) -> Vec<f64> {
        (0..self.count()).map(|number| self.predicted(number, set)).collect()
    }

    /// How far a prediction is above what was measured, as a multiple of the noise; negative below it.
    pub fn off(&self, number: usize, predicted: f64) -> f64 {
        let span = self.evidence.measurements[number].rate;
        let ln = |rate: f64| rate.max(1.0).ln();
        let (low, high) = (ln(span.low), span.high.map_or(f64::INFINITY, ln));
        let off = ln(predicted);
        (if off < low { off - low } else { (off - high).max(0.0) }) / self.evidence.noise.max(1e-4)
    }

    /// The squares of how far predictions are off.
    pub fn squares(&self, predicted: &[f64]) -> f64 {
        predicted.iter().enumerate().map(|(number, &rate)| self.off(number, rate).powi(2)).sum()
    }

    /// How bad predictions are: the least, over how far all of one load are above the rates alike, of their squares.
    pub fn chi_squared(&self, predicted: &[f64]) -> f64 {
        let level = self.evidence.level / self.evidence.noise.max(1e-4);
        let known = if level > 0.0 { level.powi(-2) } else { f64::INFINITY };
        let most = -(1.0 - MOST_LEVEL).ln() / self.evidence.noise.max(1e-4);
        let unit = UNIT.ln() / self.evidence.noise.max(1e-4);
        let of_load = |load: usize| {
            let own = (0..self.count()).filter(|&number| self.load[number] == load);
            let off: Vec<f64> = own.map(|number| self.off(number, predicted[number])).collect();
            let squares: f64 = off.iter().map(|off| off * off).sum();
            // The closed form is an upper bound: rates are below it, not above.
            let sum: f64 = off.iter().sum();
            let count = off.len() as f64;
            let least = if self.evidence.is_read_off { -unit } else { 0.0 };
            let alike = (sum / (count + known)).clamp(least, most);
            let own = if alike == 0.0 { 0.0 } else { alike * alike * known };
            squares - 2.0 * alike * sum + count * alike * alike + own
        };
        (0..self.loads()).map(of_load).sum()
    }

    /// The measurements that a suspect may change.
    fn touched(&self, suspect: &Suspect) -> Vec<usize> {
        let figure = if suspect.is_rate() { 1e3 } else { 1e-6 };
        let at = [At { suspect: suspect.clone(), figures: vec![figure] }];
        let is = |number: &usize| !self.run(*number).effects(&at).is_nothing();
        (0..self.count()).filter(is).collect()
    }

    /// The measurements that a figure of a suspect may change.
    fn touched_by(&self, at: &At, which: usize) -> Vec<usize> {
        let mut touched = self.touched(&at.suspect);
        touched.retain(|&number| !at.is_of_load() || self.load[number] == which);
        touched
    }

    /// What may at most be gained by one more suspect: it makes rates lower, where it is.
    pub fn potential(&self, predicted: &[f64], suspect: &Suspect) -> f64 {
        let numbers = self.touched(suspect).into_iter();
        let span = |number: usize| self.evidence.measurements[number].rate;
        let above = |&number: &usize| span(number).high.is_some_and(|high| predicted[number] > high);
        numbers.filter(above).map(|number| self.off(number, predicted[number]).powi(2)).sum()
    }

    /// The figures with which `set` and one more suspect come nearest; `None` where it is better away.
    pub fn fit(&self, set: &[At], suspect: &Suspect) -> Option<Vec<At>> {
        let mut near = set.to_vec();
        near.push(self.nothing(suspect));
        let last = near.len() - 1;
        self.move_all(&mut near, last, false);
        if near[last] != self.nothing(suspect) {
            // Those before move a little when there is one more.
            for one in (0..last).chain((last > 0).then_some(last)) {
                self.move_all(&mut near, one, true);
            }
        }
        (near[last] != self.nothing(suspect)).then_some(near)
    }

    /// The figures of a pair from its second suspect on: where two share what one alone had to explain, each may lie far from where
    /// that one was. `None` where the rates are explained already.
    pub fn fit_far(&self, set: &[At]) -> Option<Vec<At>> {
        let bad = |set: &[At]| self.chi_squared(&self.all(set));
        let [first, second] = set else { return None };
        let now = bad(set);
        if now < WELL * self.count() as f64 {
            return None;
        }
        let mut far = vec![self.nothing(&first.suspect), self.nothing(&second.suspect)];
        for (one, near) in [(1, false), (0, false), (1, true), (0, true)] {
            self.move_all(&mut far, one, near);
        }
        (bad(&far) < now).then_some(far)
    }

    /// Finds the figures of one suspect near where they are.
    pub fn refine(&self, set: &mut [At], one: usize) {
        self.move_all(set, one, true);
    }

    /// A suspect that holds nothing back.
    fn nothing(&self, suspect: &Suspect) -> At {
        let figures = if suspect.is_of_load() { self.loads() } else { 1 };
        let none = if suspect.is_rate() { f64::INFINITY } else { 0.0 };
        At { suspect: suspect.clone(), figures: vec![none; figures] }
    }

    /// Finds the figures of one suspect of a set, while the others stay: near where they are, or in their whole range.
    fn move_all(&self, set: &mut [At], one: usize, near: bool) {
        for which in 0..set[one].figures.len() {
            let numbers = self.touched_by(&set[one], which);
            let found = if numbers.is_empty() { None } else { self.search(set, one, which, &numbers, near) };
            let none = if set[one].suspect.is_rate() { f64::INFINITY } else { 0.0 };
            set[one].figures[which] = found.unwrap_or(none);
        }
    }

    /// The best figure; `None` where the suspect is better away.
    fn search(&self, set: &mut [At], one: usize, which: usize, numbers: &[usize], near: bool) -> Option<f64> {
        let (low, high) = self.range(&set[one].suspect, numbers);
        let none = if set[one].suspect.is_rate() { f64::INFINITY } else { 0.0 };
        let now = set[one].figures[which];
        let mut predicted = self.all(set);
        let mut cost = |figure: f64| {
            set[one].figures[which] = figure;
            for &number in numbers {
                predicted[number] = self.predicted(number, set);
            }
            self.chi_squared(&predicted)
        };
        let nothing = cost(none);
        let points = ((high / low).ln() / FINE.ln()).ceil().clamp(POINTS.0 as f64, POINTS.1 as f64);
        let step = (high / low).ln() / (points - 1.0);
        let points = points as i32;
        let (origin, step) = if near && now.is_finite() && now > 0.0 { (now, 0.3 * step) } else { (low, step) };
        let at = |place: f64| origin * (place * step).exp();
        let (mut best, mut least) = (None, nothing);
        let mut tried = |place: i32| {
            let found = cost(at(f64::from(place)));
            let better = found < least - 1e-9;
            if better {
                (best, least) = (Some(f64::from(place)), found);
            }
            better
        };
        if origin == now {
            tried(0);
            // Up and down, as far as it gets better.
            let _ = (1..points).any(|place| !tried(place));
            let _ = (1..points).any(|place| !tried(-place));
        } else {
            (0..points).for_each(|place| _ = tried(place));
        }
        let best = best?;
        // A golden section between the neighbours.
        let steps = if near { CLOSEST } else { CLOSER };
        Some(at(golden_section((best - 1.0, best + 1.0), steps, |place| cost(at(place)))))
    }

    /// Moves all figures by one factor to where the rates come nearest. Moved one at a time, they stay too high together: since
    /// all rates of a load may be below the model alike, the best place of one figure is where it agrees with the others.
    pub fn move_together(&self, set: &mut [At]) {
        let at = |place: f64| {
            let mut moved = set.to_vec();
            for one in &mut moved {
                let factor = if one.suspect.is_rate() { place.exp() } else { (-place).exp() };
                one.figures.iter_mut().for_each(|figure| *figure *= factor);
            }
            moved
        };
        let cost = |place: f64| self.chi_squared(&self.all(&at(place)));
        let far = TOGETHER.ln();
        let place = golden_section((-far, far), CLOSER, cost);
        if cost(place) < cost(0.0) {
            set.clone_from_slice(&at(place));
        }
    }

    /// The set with one figure of a suspect for all loads, in place of one for each; `None` where it has one.
    pub fn with_one_figure(&self, set: &[At], one: usize) -> Option<Vec<At>> {
        // Where a load does not reach it, the figure of another one says more.
        let figures = set[one].figures.iter().filter(|figure| figure.is_finite() && **figure > 0.0);
        let figure = figures.copied().reduce(f64::max).filter(|_| set[one].is_of_load())?;
        let mut tied = set.to_vec();
        tied[one].figures = vec![figure];
        self.move_all(&mut tied, one, true);
        self.move_together(&mut tied);
        Some(tied)
    }

    /// Where a figure may lie: a rate from that of one device at a slow subset to that of all, a time for so many bytes by the
    /// same rates.
    fn range(&self, suspect: &Suspect, numbers: &[usize]) -> (f64, f64) {
        let rates = numbers.iter().map(|&number| &self.evidence.measurements[number]);
        let each = |one: &Measurement| one.rate.low / one.scenario.flows.len().max(1) as f64 / MARGIN;
        let all = |one: &Measurement| one.rate.high.unwrap_or(one.rate.low) * MARGIN;
        if suspect.is_rate() {
            let lanes = if matches!(suspect, Suspect::Lanes(_)) { 16.0 } else { 1.0 };
            let (least, most) = (rates.clone().map(each), rates.map(all));
            return (least.fold(f64::INFINITY, f64::min) / lanes, most.fold(1.0, f64::max));
        }
        let bytes = |one: &Measurement| suspect.bytes(&one.scenario, one.in_flight);
        let shortest = rates.clone().map(|one| bytes(one) / all(one)).fold(f64::INFINITY, f64::min);
        let longest = rates.map(|one| bytes(one) / each(one).max(1.0)).fold(0.0, f64::max);
        // Data may take memory, or a core, more than once.
        (shortest / SEVERAL_TIMES, longest.max(shortest * MARGIN))
    }
}

/// Figures are looked for so many times beyond what rates say of them.
const MARGIN: f64 = 1.5;
/// How often data may pass what takes a time for it.
const SEVERAL_TIMES: f64 = 4.0;

/// The place between two where the cost is least, if it falls and then rises.
fn golden_section((mut from, mut to): (f64, f64), steps: usize, mut cost: impl FnMut(f64) -> f64) -> f64 {
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (to - golden * (to - from), from + golden * (to - from));
    let (mut at_a, mut at_b) = (cost(a), cost(b));
    for _ in 0..steps {
        if at_a <= at_b {
            (to, b, at_b) = (b, a, at_a);
            a = to - golden * (to - from);
            at_a = cost(a);
        } else {
            (from, a, at_a) = (a, b, at_b);
            b = from + golden * (to - from);
            at_b = cost(b);
        }
    }
    0.5 * (from + to)
}
