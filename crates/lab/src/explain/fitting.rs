//! The rates that the machine gives with suspects at some figures, and the figures for which they come nearest.

use super::evidence::{Evidence, Measurement};
use super::suspect::{Suspect, ports, times};
use std::collections::BTreeMap;
use system::graph::PortId;
use system::{Change, Origin, PartId, Scale, Scenario, System};

/// A suspect with its figures: one, or one for each load.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct At {
    pub suspect: Suspect,
    pub figures: Vec<f64>,
}

impl At {
    /// True where each load has a figure of its own.
    pub fn is_of_load(&self) -> bool {
        self.figures.len() > 1
    }
}

/// Points of a first look over the range of a figure.
const POINTS: usize = 15;
/// Steps of the closer look: each divides the range by 1.6.
const CLOSER: usize = 12;
/// All figures together are looked for so far up and down from where each was found by itself.
const TOGETHER: f64 = 1.2;
/// Rates that are so many times the squared noise off, on average, are explained well enough to look no further.
const WELL: f64 = 2.0;
/// The range of a time.
const TIMES: (f64, f64) = (1e-11, 3e-4);
/// A figure has no effect on a rate where it changes it by less than this share.
pub(super) const NOTHING: f64 = 1e-3;

/// The measurements with their loads.
pub(super) struct Rates<'a> {
    pub evidence: &'a Evidence,
    /// The load of each measurement, as a number.
    pub load: Vec<usize>,
    /// What the machine gives as it shows itself.
    pub shown: Vec<f64>,
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
        Rates { evidence, load, shown }
    }

    pub fn count(&self) -> usize {
        self.load.len()
    }

    fn loads(&self) -> usize {
        self.load.iter().max().map_or(0, |most| most + 1)
    }

    /// What a measurement gives with all of `set`.
    pub fn predicted(&self, number: usize, set: &[At]) -> f64 {
        let Some(scenario) = with(&self.evidence.measurements[number].scenario, self.load[number], set) else {
            return self.shown[number];
        };
        sum(&scenario)
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
        let of_load = |load: usize| {
            let own = (0..self.count()).filter(|&number| self.load[number] == load);
            let off: Vec<f64> = own.map(|number| self.off(number, predicted[number])).collect();
            let squares: f64 = off.iter().map(|off| off * off).sum();
            // The closed form is an upper bound: rates are below it, not above.
            let sum: f64 = off.iter().sum();
            let sum = if self.evidence.is_read_off { sum } else { sum.max(0.0) };
            squares - sum * sum / (off.len() as f64 + known)
        };
        (0..self.loads()).map(of_load).sum()
    }

    /// The measurements that a suspect may change.
    fn touched(&self, suspect: &Suspect) -> Vec<usize> {
        let figure = if suspect.is_rate() { 1e3 } else { 1e-6 };
        let at = [At { suspect: suspect.clone(), figures: vec![figure] }];
        let is =
            |number: &usize| with(&self.evidence.measurements[*number].scenario, self.load[*number], &at).is_some();
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

    /// The figures with which `set` and one more suspect come nearest.
    pub fn fit(&self, set: &[At], suspect: &Suspect) -> Vec<At> {
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
        let bad = |set: &[At]| self.chi_squared(&self.all(set));
        if last != 1 || bad(&near) < WELL * self.count() as f64 {
            return near;
        }
        // Where two share what one alone had to explain, each may lie far from where that one was.
        let mut far = vec![self.nothing(&set[0].suspect), self.nothing(suspect)];
        for (one, near) in [(1, false), (0, false), (1, true), (0, true)] {
            self.move_all(&mut far, one, near);
        }
        if bad(&far) < bad(&near) { far } else { near }
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
        let step = (high / low).ln() / (POINTS - 1) as f64;
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
            let _ = (1..POINTS as i32).any(|place| !tried(place));
            let _ = (1..POINTS as i32).any(|place| !tried(-place));
        } else {
            (0..POINTS as i32).for_each(|place| _ = tried(place));
        }
        let best = best?;
        // A golden section between the neighbours.
        let steps = if near { CLOSER / 2 } else { CLOSER };
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

    /// Where a figure may lie: a rate from that of one device at a slow subset to that of all.
    fn range(&self, suspect: &Suspect, numbers: &[usize]) -> (f64, f64) {
        if !suspect.is_rate() {
            return TIMES;
        }
        let rates = numbers.iter().map(|&number| &self.evidence.measurements[number]);
        let least = rates.clone().map(|one| one.rate.low / one.scenario.flows.len().max(1) as f64);
        let most = rates.map(|one| one.rate.high.unwrap_or(one.rate.low));
        let lanes = if matches!(suspect, Suspect::Lanes(_)) { 16.0 } else { 1.0 };
        (least.fold(f64::INFINITY, f64::min) / lanes / 1.5, most.fold(1.0, f64::max) * 1.5)
    }
}

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

/// The sum of the rates of all flows, bytes a second.
pub(super) fn sum(scenario: &Scenario) -> f64 {
    limit::limit(scenario).sum().0
}

/// The scenario with all of `set`; `None` where nothing of it is in the scenario.
pub(super) fn with(scenario: &Scenario, load: usize, set: &[At]) -> Option<Scenario> {
    let mut changes = Vec::new();
    let mut caps: BTreeMap<usize, f64> = BTreeMap::new();
    let mut cores = None;
    let system = &scenario.system;
    for At { suspect, figures } in set {
        let figure = figures.get(load).or(figures.first()).copied().unwrap_or(f64::INFINITY);
        if !figure.is_finite() || figure <= 0.0 {
            continue;
        }
        let mut cap = |port: PortId, rate: f64| {
            caps.entry(port.0).and_modify(|least| *least = least.min(rate)).or_insert(rate);
        };
        match suspect {
            Suspect::Model(_) | Suspect::Device(_) | Suspect::Uplink(_) | Suspect::Ports(..) | Suspect::Lanes(_) => {
                for id in scenario.flows.iter().flat_map(|flow| ports(system, flow)) {
                    if let Some(times) = times(system, id, suspect) {
                        cap(id, figure * times);
                    }
                }
            }
            Suspect::Core => cores = Some(1),
            Suspect::Threads => cores = Some(scenario.flows.len() as u64),
            Suspect::Memory | Suspect::Sockets | Suspect::Hub | Suspect::Iommu => {}
        }
        for host in system.roots().filter(|&host| system.part(host).kind.host().is_some()) {
            changes.extend(at_host(system, host, suspect, figure));
        }
    }
    for (port, rate) in caps {
        let known = system.port_cap(PortId(port)).unwrap_or(f64::INFINITY);
        changes.push(Change::PortField(PortId(port), "port_cap", Scale::Rate.write(rate.min(known))));
    }
    if changes.is_empty() && cores.is_none() {
        return None;
    }
    let mut changed = scenario.clone();
    if cores.is_some() {
        changed.flows.iter_mut().for_each(|flow| flow.work.cores = cores);
    }
    for change in changes {
        changed.system.amend(change, Origin::Override("a suspect".into())).ok()?;
    }
    Some(changed)
}

/// What a suspect changes at a host.
fn at_host(system: &System, host: PartId, suspect: &Suspect, figure: f64) -> Vec<Change> {
    let set = |field: &'static str, value: &str| Change::Field(host, field, value.to_string());
    let time = Scale::Time.write(figure * 1e15);
    match suspect {
        Suspect::Memory => {
            let own = system.part(host).kind.host();
            let mut changes = vec![set("dram_line_service", &time), set("dram_channels", "1")];
            let Some(own) = own else { return Vec::new() };
            changes.extend(own.cache.0.is_none().then(|| set("cache", "0 B")));
            changes.extend(own.direct_io.0.is_none().then(|| set("direct_io", "0 B")));
            changes
        }
        Suspect::Sockets => vec![set("socket_rate", &Scale::Rate.write(figure))],
        Suspect::Hub => vec![set("hub_rate", &Scale::Rate.write(figure))],
        Suspect::Iommu => {
            vec![set("iommu", "yes"), set("iotlb_entries", "1"), set("walk_latency", "0 ns"), set("walk_gap", &time)]
        }
        Suspect::Core | Suspect::Threads => vec![set("command_cost", &time)],
        _ => Vec::new(),
    }
}
