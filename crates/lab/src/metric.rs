//! What a reference row measures, taken from a simulation and from the limit.

use crate::formula::{self, Quantity};
use crate::unit::Unit;
use limit::{FlowLimit, Limits};
use pcie::Rate;
use sim::Outcome;
use system::graph::Direction;
use system::kinds::host::LINE_BYTES;
use system::{Flow, Operation, PartId, Scenario, System};

/// A measured quantity, by the word that a CSV and an experiment name it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Volume over the time that the application sees.
    Throughput,
    /// Mean over the flows of the rate while all are active.
    ThroughputPerFlow,
    /// First packet to last packet, as a timer in the card sees it.
    ThroughputLink,
    /// Volume over the time that the application sees.
    ThroughputApp,
    /// Mean over the cards of the rate while all are active.
    ThroughputPerDevice,
    /// Sum over the flows of the rate while all are active.
    ThroughputSum,
    /// Payload rate on the host's link while all flows are active.
    SharedLinkRate,
    /// One way.
    Latency,
    /// [`Quality::ThroughputLink`] over the formula `rosta` for that link and payload.
    FractionOfTheory,
    /// What a formula gives; nothing is simulated.
    Formula(Quantity),
}

impl Quality {
    const SIMULATED: [(&'static str, Quality); 9] = [
        ("throughput", Quality::Throughput),
        ("throughput_per_flow", Quality::ThroughputPerFlow),
        ("throughput_link", Quality::ThroughputLink),
        ("throughput_app", Quality::ThroughputApp),
        ("throughput_per_device", Quality::ThroughputPerDevice),
        ("throughput_sum", Quality::ThroughputSum),
        ("shared_link_rate", Quality::SharedLinkRate),
        ("latency", Quality::Latency),
        ("fraction_of_theory", Quality::FractionOfTheory),
    ];
    const FORMULAS: [Quantity; 3] = [Quantity::InformationRate, Quantity::PayloadRate, Quantity::Fraction];

    /// As in a CSV.
    pub fn word(self) -> &'static str {
        match self {
            Quality::Formula(quantity) => quantity.word(),
            simulated => Quality::SIMULATED.iter().find(|(_, q)| *q == simulated).map_or("", |(word, _)| word),
        }
    }
    /// True where it is a mean over flows, which are then to be alike.
    pub fn is_mean(self) -> bool {
        match self {
            Quality::Throughput
            | Quality::ThroughputPerFlow
            | Quality::ThroughputLink
            | Quality::ThroughputApp
            | Quality::ThroughputPerDevice => true,
            Quality::ThroughputSum
            | Quality::SharedLinkRate
            | Quality::Latency
            | Quality::FractionOfTheory
            | Quality::Formula(_) => false,
        }
    }
    /// True where it is of the time in which all flows are active.
    pub fn is_of_window(self) -> bool {
        match self {
            Quality::ThroughputPerFlow
            | Quality::ThroughputPerDevice
            | Quality::ThroughputSum
            | Quality::SharedLinkRate => true,
            Quality::Throughput
            | Quality::ThroughputLink
            | Quality::ThroughputApp
            | Quality::Latency
            | Quality::FractionOfTheory
            | Quality::Formula(_) => false,
        }
    }
    /// True where `unit` fits.
    pub fn takes(self, unit: Unit) -> bool {
        match self {
            Quality::Latency => unit.is_time(),
            Quality::FractionOfTheory => unit == Unit::One,
            Quality::Formula(quantity) => unit.word() == quantity.unit(),
            Quality::SharedLinkRate => unit.is_rate(),
            _ => unit.is_rate() || unit == Unit::Iops,
        }
    }
}

/// A quality, and whether the row states a bound above instead of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// What is measured.
    pub quality: Quality,
    /// `_below`: the row says that it stays under the value.
    pub below: bool,
}

impl Metric {
    /// By its word, `_below` included.
    pub fn from_word(word: &str) -> Option<Metric> {
        let (stem, below) = word.strip_suffix("_below").map_or((word, false), |stem| (stem, true));
        let simulated = Quality::SIMULATED.iter().find(|(name, _)| *name == stem).map(|&(_, quality)| quality);
        let quality = simulated.or_else(|| Quantity::from_word(stem).map(Quality::Formula))?;
        Some(Metric { quality, below })
    }
    /// As in a CSV.
    pub fn word(self) -> String {
        format!("{}{}", self.quality.word(), if self.below { "_below" } else { "" })
    }
    /// All words, for errors.
    pub fn words() -> String {
        Metric::all_words().collect::<Vec<_>>().join(", ")
    }
    /// All words, `_below` left out.
    pub fn all_words() -> impl Iterator<Item = &'static str> {
        let simulated = Quality::SIMULATED.iter().map(|(word, _)| *word);
        simulated.chain(Quality::FORMULAS.iter().map(|q| q.word()))
    }
    /// How far `found` lies from `value`, in per cent of it; 0 where an inequality holds.
    pub fn error_percent(self, found: f64, value: crate::span::Span) -> f64 {
        if self.below && found < value.high.unwrap_or(f64::INFINITY) { 0.0 } else { value.error_percent(found) }
    }
}

/// Which flows a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All of them.
    All,
    /// Those that do this: a mean over flows that read and flows that write would say nothing of either.
    Operation(Operation),
}

impl Over {
    /// The operation, where it is of one among several.
    pub fn operation(self) -> Option<Operation> {
        match self {
            Over::All => None,
            Over::Operation(operation) => Some(operation),
        }
    }
    /// The operation as a word; empty for all flows.
    pub fn word(self) -> &'static str {
        self.operation().map_or("", Operation::word)
    }
    /// True of a flow that is among them.
    pub fn holds(self, flow: &Flow) -> bool {
        self.operation().is_none_or(|operation| flow.operation == operation)
    }
}

/// The flows that `quality` is told of, one figure for each: of all, but that a mean is of those of one operation. A
/// chain has one rate, whatever its stretches do.
pub fn over(quality: Quality, scenario: &Scenario) -> Vec<Over> {
    let mut operations: Vec<Operation> = Vec::new();
    for flow in &scenario.flows {
        if !operations.contains(&flow.operation) {
            operations.push(flow.operation);
        }
    }
    let heads = scenario.flows.iter().filter(|flow| flow.fed_by.is_none()).count();
    if !quality.is_mean() || operations.len() < 2 || heads == 1 {
        return vec![Over::All];
    }
    operations.into_iter().map(Over::Operation).collect()
}

/// A value of [`Unit::rate`] as it is told: bytes a second become commands a second where those are asked for; `None` where
/// commands differ in length.
fn told(value: f64, unit: Unit, over: Over, scenario: &Scenario) -> Option<f64> {
    if unit != Unit::Iops {
        return Some(value);
    }
    let mut lengths = scenario.flows.iter().filter(|flow| over.holds(flow)).map(|flow| flow.command.0);
    let first = lengths.next()?;
    lengths.all(|length| length == first).then(|| value / first as f64)
}

/// That one figure can stand for `quality` at `scenario`, as a published row and an aim need it.
///
/// # Errors
/// What is wrong, and what would be right: a mean over flows of several operations.
pub fn single(quality: Quality, unit: Unit, scenario: &Scenario) -> Result<(), (String, String)> {
    if told(1.0, unit, Over::All, scenario).is_none() {
        let right = "take MB/s, or flows whose commands are of one length";
        return Err(("IOPS are counted in commands, and the commands here differ in length".into(), right.into()));
    }
    let all = over(quality, scenario);
    if all.len() < 2 {
        return Ok(());
    }
    let operations: Vec<&str> = all.into_iter().filter_map(Over::operation).map(Operation::word).collect();
    let what = format!("`{}` is a mean, and the flows here are unlike: {}", quality.word(), operations.join(", "));
    Err((what, format!("take `{}`, or flows of one operation", Quality::ThroughputSum.word())))
}

/// `quality` as the simulation found it, in `unit`, over all flows; `None` where they are unlike and it is a mean, and
/// where it is of the time in which all flows were active and there was none.
pub fn simulated(quality: Quality, unit: Unit, scenario: &Scenario, outcome: &Outcome) -> Option<f64> {
    single(quality, unit, scenario).ok()?;
    simulated_over(quality, Over::All, unit, scenario, outcome)
}

/// The same over some flows.
pub fn simulated_over(quality: Quality, over: Over, unit: Unit, scenario: &Scenario, outcome: &Outcome) -> Option<f64> {
    let chosen = || scenario.flows.iter().zip(&outcome.flows).filter(|(flow, _)| over.holds(flow)).map(|(_, f)| f);
    let timer = || mean(chosen().map(|f| f.timer.0));
    let streams = || chosen().map(|f| f.stream.map(|rate| rate.0)).collect::<Option<Vec<f64>>>();
    let value = match quality {
        Quality::Throughput | Quality::ThroughputApp => unit.rate(Rate(mean(chosen().map(|f| f.app.0))?)),
        Quality::ThroughputPerFlow | Quality::ThroughputPerDevice => unit.rate(Rate(mean(streams()?.into_iter())?)),
        Quality::ThroughputLink => unit.rate(Rate(timer()?)),
        Quality::ThroughputSum => unit.rate(Rate(streams()?.into_iter().sum())),
        Quality::SharedLinkRate => {
            outcome.window.as_ref().ok()?;
            let shared = host_directions(scenario);
            let rates = outcome.directions.iter().filter(|(direction, _)| shared.contains(direction));
            unit.rate(Rate(rates.map(|(_, rate)| rate.0).fold(0.0, f64::max)))
        }
        Quality::Latency => unit.time(outcome.flows.first()?.latency.median),
        Quality::FractionOfTheory => timer()? / theory(scenario)?.0,
        Quality::Formula(_) => return None,
    };
    told(value, unit, over, scenario)
}

/// `quality` as the closed form bounds it, in `unit`, over all flows; `None` where they are unlike and it is a mean.
pub fn bounded(quality: Quality, unit: Unit, scenario: &Scenario, limits: &Limits) -> Option<f64> {
    single(quality, unit, scenario).ok()?;
    bounded_over(quality, Over::All, unit, scenario, limits)
}

/// The same over some flows.
pub fn bounded_over(quality: Quality, over: Over, unit: Unit, scenario: &Scenario, limits: &Limits) -> Option<f64> {
    let chosen = || scenario.flows.iter().zip(&limits.together).filter(|(flow, _)| over.holds(flow)).map(|(_, f)| f);
    let streams = || chosen().map(|f: &FlowLimit| f.stream.0);
    let value = match quality {
        Quality::Throughput | Quality::ThroughputApp => unit.rate(Rate(mean(chosen().map(|f| f.app.0))?)),
        Quality::ThroughputPerFlow | Quality::ThroughputLink | Quality::ThroughputPerDevice => {
            // Where single limits are coarse, they are not there all at once: the flows share what all come to.
            let sum = limits.sum_of(|place| scenario.flows.get(place).is_some_and(|flow| over.holds(flow)));
            let share = sum.0 / chosen().count() as f64;
            unit.rate(Rate(mean(streams())?.min(share)))
        }
        Quality::ThroughputSum | Quality::SharedLinkRate => unit.rate(limits.sum()),
        Quality::Latency => unit.time(limits.together.first()?.latency),
        Quality::FractionOfTheory => mean(streams())? / theory(scenario)?.0,
        Quality::Formula(_) => return None,
    };
    told(value, unit, over, scenario)
}

/// Where the payload of a flow starts and ends.
pub fn payload_ends(flow: &Flow) -> (PartId, PartId) {
    if flow.operation.is_read() { (flow.target, flow.initiator) } else { (flow.initiator, flow.target) }
}

/// The most payload that one of the flow's TLPs carries, as the part sends it where the payload starts.
pub(crate) fn payload(system: &System, flow: &Flow) -> u64 {
    let (from, _) = payload_ends(flow);
    let mps = system.part(from).mps.bytes();
    let initiator = &system.part(flow.initiator).kind;
    match (initiator.host(), initiator.engine()) {
        (Some(host), _) if flow.operation.is_read() => host.pio_read_bytes.0.min(mps),
        (Some(_), _) => LINE_BYTES.min(mps),
        (None, Some(_)) if !flow.operation.is_read() => system.part(flow.initiator).write_bytes(),
        (None, _) => mps,
    }
}

/// The formula `rosta` for the narrowest link on the way of the first flow's payload.
fn theory(scenario: &Scenario) -> Option<Rate> {
    let flow = scenario.flows.first()?;
    let (from, to) = payload_ends(flow);
    let system = &scenario.system;
    let part = system.part(from);
    let payload = match (part.kind.engine(), part.kind.host()) {
        (Some(engine), _) => engine.payload.0.map_or(part.mps.bytes(), |count| count.0),
        (None, Some(host)) => host.completion_bytes.0.min(part.mps.bytes()),
        (None, None) => return None,
    };
    let rate = |d: Direction| formula::rosta_payload_rate(system.link(d.link).speed, payload).0;
    system.path(from, to).into_iter().map(rate).reduce(f64::min).map(Rate)
}

/// Both directions of the links of the host.
fn host_directions(scenario: &Scenario) -> Vec<Direction> {
    let system = &scenario.system;
    let at_host = |link: &system::Link| system.part(system.port(link.upper).part).kind.is_root();
    let links = system.links.iter().enumerate().filter(|(_, link)| at_host(link));
    links.flat_map(|(n, _)| [true, false].map(|up| Direction { link: system::LinkId(n), up })).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    #[test]
    fn every_word_of_a_csv_names_its_metric() {
        for word in ["throughput", "throughput_per_device_below", "fraction_of_theory_below", "payload_rate"] {
            assert_eq!(Metric::from_word(word).unwrap().word(), word);
        }
        assert_eq!(Metric::from_word("speed"), None);
    }

    #[test]
    fn an_inequality_that_holds_has_no_error() {
        let metric = Metric::from_word("throughput_below").unwrap();
        let value = Span::parse("900").unwrap();
        assert_eq!(metric.error_percent(899.0, value), 0.0);
        assert_eq!(metric.error_percent(945.0, value), 5.0);
    }
}
