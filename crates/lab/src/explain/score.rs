//! How good a hypothesis is.

use super::applied::At;
use super::evidence::Measurement;
use super::fitting::NOTHING;
use super::rank::{Rank, Scored};
use super::suspect::{BUSY, Suspect, each_port};

/// A figure may lie anywhere between a rate and so many times that.
const RANGE: f64 = 4.0;
/// Seconds that devices take for a command which finds them idle: from a drive without flash to a slow one with it.
const LATENCIES: std::ops::Range<f64> = 2e-6..3e-4;
/// A time for each 64-byte line, in seconds, that is 1 GB/s.
const SLOW_LINE: f64 = 64e-9;
/// Seconds of a core for a command that are more than usual, beside those in which it copies the data.
const SLOW_COMMAND: f64 = 3e-6;
/// Bytes a second that a core copies, or whose pages it looks up.
const COPIES: f64 = 1e10;
/// How much less a core adds that is known to give all commands.
const ONE: f64 = 5.0;
/// What something adds to the score that is rarer than its kind.
const RARE: f64 = 8.0;
/// A thread that is busy for more of its time has none left.
const FULL: f64 = 0.95;
/// What it adds to the score that a thread with time left holds rates back, for each such rate, or that one without is no cause.
const BUSY_SAYS: f64 = 6.0;
/// A rate that threads hold back is so much higher without them.
const HELD: f64 = 1.02;

impl Rank<'_> {
    /// What a figure costs at least. Of a few measurements the logarithm says little: a figure may then fit anything.
    pub fn least_price(&self) -> f64 {
        (self.rates.count() as f64).ln().max(2.0)
    }

    /// What a figure costs: twice the logarithm of how many times the range in which it may lie is as wide as what the rates
    /// leave of it (Laplace's approximation of the evidence). A figure that the rates tell to one per cent has explained more by
    /// being just there than one that may be anything.
    fn price(&self, error: f64) -> f64 {
        let width = error * (2.0 * std::f64::consts::PI).sqrt();
        (2.0 * (RANGE.ln() / width).ln()).max(self.least_price())
    }

    /// True where a suspect of several ports predicts what it would at one of them.
    pub fn is_of_one_port(&self, at: &At, of: &Scored) -> bool {
        if !matches!(at.suspect, Suspect::Ports(..) | Suspect::Lanes(_)) {
            return false;
        }
        let alone = |(suspect, times): (Suspect, f64)| {
            let mut set = of.set.clone();
            for one in set.iter_mut().filter(|one| one.suspect == at.suspect) {
                *one =
                    At { suspect: suspect.clone(), figures: at.figures.iter().map(|figure| figure * times).collect() };
            }
            let is_alike =
                |(number, &rate): (usize, &f64)| (self.rates.predicted(number, &set) / rate - 1.0).abs() < NOTHING;
            of.predicted.iter().enumerate().all(is_alike)
        };
        each_port(self.evidence(), &at.suspect).into_iter().any(alone)
    }

    pub fn scored(&self, set: Vec<At>) -> Scored {
        let predicted = self.rates.all(&set);
        let chi_squared = self.rates.chi_squared(&predicted);
        let of = |at: &At| {
            let moves = (0..at.figures.len()).filter(|&which| self.moves(at, which, &set));
            moves.map(|which| self.price(self.error(at, which, &set, &predicted))).sum::<f64>()
        };
        let figures: f64 = set.iter().map(of).sum();
        let mut ways = 0.0;
        for (taken, _) in set.iter().enumerate() {
            ways += ((self.choices.saturating_sub(taken)).max(1) as f64 / (taken + 1) as f64).ln();
        }
        let rarity: f64 = set.iter().map(|at| self.rarity(at)).sum();
        let score = chi_squared + figures + 2.0 * ways + rarity + self.busy(&set, &predicted);
        Scored { set, predicted, chi_squared, score }
    }

    /// What a suspect adds to the score. A core is usual where it is known to give all commands; one that takes long for each is
    /// rare, unless it is seen to have no time left. An IOMMU of which nothing is known, memory that takes less than any does, and a
    /// latency that no device has are rare.
    fn rarity(&self, at: &At) -> f64 {
        let all = &self.evidence().measurements;
        let is_one = |one: &Measurement| {
            one.scenario.flows.len() > 1 && one.scenario.flows.iter().all(|flow| flow.work.cores == Some(1))
        };
        let more = match at.suspect {
            Suspect::Core => {
                let is_full = all.iter().any(|one| one.busy.is_some_and(|busy| busy > FULL));
                let blocks = all.iter().map(|one| Suspect::Core.bytes(&one.scenario, None));
                let copy = blocks.fold(f64::INFINITY, f64::min) / COPIES;
                let is_slow = at.figures[0] > SLOW_COMMAND + copy && !is_full;
                let known = if all.iter().any(is_one) { -ONE } else { 0.0 };
                if is_slow { known + RARE } else { known }
            }
            Suspect::Memory if at.figures[0] > SLOW_LINE => RARE,
            Suspect::InFlight(_) if !LATENCIES.contains(&at.figures[0]) => RARE,
            Suspect::Iommu if self.evidence().iommu.is_none() => RARE,
            _ => 0.0,
        };
        at.suspect.rarity() + more
    }

    /// What it adds to the score that threads hold back rates at which they have time left, and that they hold back none of those
    /// at which they have none.
    fn busy(&self, set: &[At], predicted: &[f64]) -> f64 {
        let is_thread = |at: &At| matches!(at.suspect, Suspect::Core | Suspect::Threads);
        let without: Vec<At> = set.iter().filter(|at| !is_thread(at)).cloned().collect();
        let is_held = |number: usize| {
            without.len() < set.len() && self.rates.predicted(number, &without) > HELD * predicted[number]
        };
        let all = self.evidence().measurements.iter().map(|one| one.busy).enumerate();
        let known: Vec<(usize, f64)> = all.filter_map(|(number, busy)| Some((number, busy?))).collect();
        // A command costs time even where the thread has some left: it is then that of each of a few in flight.
        let used = |number: usize| {
            let scenario = &self.evidence().measurements[number].scenario;
            let commands = predicted[number] / scenario.flows.first().map_or(1.0, |flow| flow.command.0 as f64);
            let threads = |at: &At| match scenario.flows.first().and_then(|flow| flow.work.cores) {
                Some(cores) => cores,
                None if at.suspect == Suspect::Core => 1,
                None => scenario.flows.len() as u64,
            };
            let of = |at: &At| commands * at.figures[0] / threads(at) as f64;
            set.iter().filter(|at| is_thread(at)).map(of).fold(0.0, f64::max)
        };
        let is_idle = |&&(number, busy): &&(usize, f64)| busy < BUSY && is_held(number) && used(number) > FULL;
        let idle = known.iter().filter(is_idle).count();
        let mut full = known.iter().filter(|(_, busy)| *busy > FULL).peekable();
        let is_left = full.peek().is_some() && !full.any(|(number, _)| is_held(*number));
        BUSY_SAYS * (idle + usize::from(is_left)) as f64
    }

    /// The figures of a suspect that change some rate.
    pub fn counts(&self, at: &At, set: &[At]) -> usize {
        (0..at.figures.len()).filter(|&which| self.moves(at, which, set)).count()
    }

    pub fn moves(&self, at: &At, which: usize, set: &[At]) -> bool {
        let of_load = at.is_of_load();
        let numbers = (0..self.rates.count()).filter(|&number| !of_load || self.rates.load[number] == which);
        let without: Vec<At> = set.iter().filter(|one| one.suspect != at.suspect).cloned().collect();
        numbers
            .into_iter()
            .any(|number| self.rates.predicted(number, set) < (1.0 - NOTHING) * self.rates.predicted(number, &without))
    }

    /// The standard error of a figure, as a share: the noise over how the rates follow it.
    pub fn error(&self, at: &At, which: usize, set: &[At], predicted: &[f64]) -> f64 {
        const STEP: f64 = 0.02;
        let mut moved = set.to_vec();
        for one in moved.iter_mut().filter(|one| one.suspect == at.suspect) {
            one.figures[which] *= 1.0 - STEP;
        }
        let slope = |number: usize| (predicted[number] / self.rates.predicted(number, &moved)).ln() / STEP;
        let squares: f64 = (0..self.rates.count()).map(|number| slope(number).powi(2)).sum();
        if squares > 0.0 { self.evidence().noise / squares.sqrt() } else { f64::INFINITY }
    }
}
