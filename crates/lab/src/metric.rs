//! The quantities that a reference row measures, taken from a simulation and from the limit.
//!
//! A quantity is declared with its word, the rate of a flow that it depends on, the units that fit, and how it is taken
//! from a simulation and from a limit. The quantities of this crate are in `own`. A dependent crate registers its own
//! before the first description is read; they can then be used in experiments and tables like these.

mod declared;
mod ends;
mod over;
mod own;

pub use declared::{Bounded, MetricDeclaration, Moves, Simulated};
pub(crate) use ends::payload;
pub use ends::payload_ends;
pub use over::Over;

use crate::formula::Quantity;
use crate::unit::Unit;
use limit::Limits;
use sim::Outcome;
use std::sync::OnceLock;
use system::{Operation, Scenario};

/// A measured quantity, named by its word in a CSV and in an experiment.
#[derive(Clone, Copy, Debug)]
pub enum Quality {
    /// A quantity that a run gives and a limit bounds.
    Measured(&'static MetricDeclaration),
    /// A quantity that a formula gives; nothing is simulated.
    Formula(Quantity),
}

static REGISTERED: OnceLock<Vec<&'static MetricDeclaration>> = OnceLock::new();

/// Registers the quantities of dependent crates, once, before the first description or table is read. Repeating the
/// same call has no effect.
///
/// # Errors
/// The word of one is taken, or other quantities were registered before.
pub fn register(more: &[&'static MetricDeclaration]) -> Result<(), Taken> {
    for (number, one) in more.iter().enumerate() {
        let others = own::OWN.iter().chain(more[..number].iter().copied()).map(|other| other.word);
        let formulas = Quality::FORMULAS.iter().map(|quantity| quantity.word());
        let stated = [Stated::Below, Stated::Above].iter().any(|stated| one.word.ends_with(stated.suffix()));
        if stated || others.chain(formulas).any(|word| word == one.word) {
            return Err(Taken(one.word));
        }
    }
    let known = REGISTERED.get_or_init(|| more.to_vec());
    match known.iter().map(|one| one.word).eq(more.iter().map(|one| one.word)) {
        true => Ok(()),
        false => Err(Taken(more.first().map_or("", |one| one.word))),
    }
}

/// A quantity that cannot be registered: its word is in use, or it is too late.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot be registered: the word is taken, ends as an inequality does, or others were registered before")]
pub struct Taken(pub &'static str);

impl PartialEq for Quality {
    fn eq(&self, other: &Quality) -> bool {
        self.word() == other.word()
    }
}

impl Eq for Quality {}

impl Quality {
    /// Volume over the time that the application measures.
    pub const THROUGHPUT: Quality = Quality::Measured(&own::OWN[0]);
    /// Mean over the flows of the rate in the window.
    pub const THROUGHPUT_PER_FLOW: Quality = Quality::Measured(&own::OWN[1]);
    /// The rate from the first packet to the last, as measured by a timer in the card.
    pub const THROUGHPUT_LINK: Quality = Quality::Measured(&own::OWN[2]);
    /// Volume over the time that the application measures.
    pub const THROUGHPUT_APP: Quality = Quality::Measured(&own::OWN[3]);
    /// Mean over the cards of the rate in the window.
    pub const THROUGHPUT_PER_DEVICE: Quality = Quality::Measured(&own::OWN[4]);
    /// Sum over the flows of the rate in the window.
    pub const THROUGHPUT_SUM: Quality = Quality::Measured(&own::OWN[5]);
    /// The latency of one way.
    pub const LATENCY: Quality = Quality::Measured(&own::OWN[7]);
    /// [`Quality::THROUGHPUT_LINK`] over the payload rate of the formula `rosta` for that link and payload.
    pub const FRACTION_OF_THEORY: Quality = Quality::Measured(&own::OWN[8]);

    const FORMULAS: [Quantity; 3] = [Quantity::InformationRate, Quantity::PayloadRate, Quantity::Fraction];

    /// All measured quantities: those of this crate and those that were registered.
    pub fn measured() -> impl Iterator<Item = &'static MetricDeclaration> {
        own::OWN.iter().chain(REGISTERED.get_or_init(Vec::new).iter().copied())
    }
    /// The word, as in a CSV.
    pub fn word(self) -> &'static str {
        match self {
            Quality::Formula(quantity) => quantity.word(),
            Quality::Measured(declared) => declared.word,
        }
    }
    fn declared(self) -> Option<&'static MetricDeclaration> {
        match self {
            Quality::Measured(declared) => Some(declared),
            Quality::Formula(_) => None,
        }
    }
    /// True if it is a mean over flows. The flows must then have one operation.
    pub fn is_mean(self) -> bool {
        self.declared().is_some_and(|declared| declared.is_mean)
    }
    /// True if it is measured in the window, in which all flows are active.
    pub fn is_of_window(self) -> bool {
        self.declared().is_some_and(|declared| declared.is_of_window)
    }
    /// The rate of a flow that it depends on.
    pub fn moves(self) -> Moves {
        self.declared().map_or(Moves::Stream, |declared| declared.moves)
    }
    /// True if `unit` fits.
    pub fn takes(self, unit: Unit) -> bool {
        match self {
            Quality::Formula(quantity) => unit.word() == quantity.unit(),
            Quality::Measured(declared) => (declared.takes)(unit),
        }
    }
}

/// What a row states about a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stated {
    /// The quantity is this value, or lies in this range.
    #[default]
    Is,
    /// `_below`: it is less than the value.
    Below,
    /// `_above`: it is more than the value.
    Above,
}

impl Stated {
    /// The suffix of the quantity's word.
    pub fn suffix(self) -> &'static str {
        match self {
            Stated::Is => "",
            Stated::Below => "_below",
            Stated::Above => "_above",
        }
    }
    /// True for an inequality.
    pub fn is_inequality(self) -> bool {
        self != Stated::Is
    }
    /// The statement as text: `below 1000`, `above 290`, `1520`.
    pub fn of(self, value: &str) -> String {
        match self {
            Stated::Is => value.to_string(),
            Stated::Below => format!("below {value}"),
            Stated::Above => format!("above {value}"),
        }
    }
}

/// A quantity, and what a row states about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The quantity.
    pub quality: Quality,
    /// A value or an inequality.
    pub stated: Stated,
}

impl Metric {
    /// The metric by its word, with `_below` or `_above`.
    pub fn from_word(word: &str) -> Option<Metric> {
        let cut = |stated: Stated| Some((word.strip_suffix(stated.suffix())?, stated));
        let (stem, stated) = cut(Stated::Below).or_else(|| cut(Stated::Above)).unwrap_or((word, Stated::Is));
        let measured = Quality::measured().find(|declared| declared.word == stem).map(Quality::Measured);
        let quality = measured.or_else(|| Quantity::from_word(stem).map(Quality::Formula))?;
        Some(Metric { quality, stated })
    }
    /// The word, as in a CSV.
    pub fn word(self) -> String {
        format!("{}{}", self.quality.word(), self.stated.suffix())
    }
    /// All words, for error messages.
    pub fn words() -> String {
        Metric::all_words().collect::<Vec<_>>().join(", ")
    }
    /// All words without those of inequalities.
    pub fn all_words() -> impl Iterator<Item = &'static str> {
        let measured = Quality::measured().map(|declared| declared.word);
        measured.chain(Quality::FORMULAS.iter().map(|q| q.word()))
    }
    /// The error of `found` against `value`, in per cent of `value`; 0 if an inequality holds.
    pub fn error_percent(self, found: f64, value: crate::span::Span) -> f64 {
        let holds = match self.stated {
            Stated::Is => false,
            Stated::Below => found < value.high.unwrap_or(f64::INFINITY),
            Stated::Above => found > value.low,
        };
        if holds { 0.0 } else { value.error_percent(found) }
    }
}

/// The groups of flows for which `quality` has one figure each: all flows, or for a mean the flows of each operation. A
/// chain has one rate for all its flows, and so has a card that starts commands of two flows in turn.
pub fn over(quality: Quality, scenario: &Scenario) -> Vec<Over> {
    let mut operations: Vec<Operation> = Vec::new();
    for flow in &scenario.flows {
        if !operations.contains(&flow.operation) {
            operations.push(flow.operation);
        }
    }
    let heads = scenario.flows.iter().filter(|flow| flow.fed_by.is_none()).count();
    if !quality.is_mean() || operations.len() < 2 || heads == 1 || in_turn(scenario) {
        return vec![Over::All];
    }
    operations.into_iter().map(Over::Operation).collect()
}

/// True where the flows are one that reads and one that writes, whose commands one card starts in turn.
fn in_turn(scenario: &Scenario) -> bool {
    let [one, other] = scenario.flows.as_slice() else { return false };
    let card = scenario.system.part(one.initiator).kind.engine();
    one.initiator == other.initiator && one.command == other.command && card.is_some_and(|card| card.in_turn)
}

/// Converts a value of [`Unit::rate`] for output. For IOPS, bytes a second become commands a second; `None` if the
/// commands differ in length.
fn told(value: f64, unit: Unit, over: Over, scenario: &Scenario) -> Option<f64> {
    if unit != Unit::Iops {
        return Some(value);
    }
    let mut lengths = scenario.flows.iter().filter(|flow| over.holds(flow)).map(|flow| flow.command.0);
    let first = lengths.next()?;
    lengths.all(|length| length == first).then(|| value / first as f64)
}

/// Checks that `quality` has a single value at `scenario`, as published rows and optimisation goals need.
///
/// # Errors
/// What is wrong, and what would be valid: a mean over flows of several operations.
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
    Err((what, format!("take `{}`, or flows of one operation", Quality::THROUGHPUT_SUM.word())))
}

/// `quality` as simulated, in `unit`, over all flows. `None` if it is a mean and the flows have several operations, or
/// if it is measured in the window and there was none.
pub fn simulated(quality: Quality, unit: Unit, scenario: &Scenario, outcome: &Outcome) -> Option<f64> {
    single(quality, unit, scenario).ok()?;
    simulated_over(quality, Over::All, unit, scenario, outcome)
}

/// The same over some flows.
pub fn simulated_over(quality: Quality, over: Over, unit: Unit, scenario: &Scenario, outcome: &Outcome) -> Option<f64> {
    let Quality::Measured(declared) = quality else { return None };
    told((declared.simulated)(&Simulated { scenario, outcome, over, unit })?, unit, over, scenario)
}

/// The closed-form bound of `quality`, in `unit`, over all flows. `None` if it is a mean and the flows have several
/// operations.
pub fn bounded(quality: Quality, unit: Unit, scenario: &Scenario, limits: &Limits) -> Option<f64> {
    single(quality, unit, scenario).ok()?;
    bounded_over(quality, Over::All, unit, scenario, limits)
}

/// The same over some flows.
pub fn bounded_over(quality: Quality, over: Over, unit: Unit, scenario: &Scenario, limits: &Limits) -> Option<f64> {
    let Quality::Measured(declared) = quality else { return None };
    told((declared.bounded)(&Bounded { scenario, limits, over, unit })?, unit, over, scenario)
}

/// What stands beside a simulated value, in the same unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beside {
    /// The limit: no run has more; `None` where no bound is known.
    pub limit: Option<f64>,
    /// Of several flows: what arbiters give them when all run; of one, what it reaches on average, where that is less than
    /// its limit: a prediction. `None` of a latency, and where a queue grows as long as the flows run.
    pub fair: Option<f64>,
}

impl Beside {
    /// Both, divided by `by`.
    #[must_use]
    pub fn divided(self, by: f64) -> Beside {
        Beside { limit: self.limit.map(|value| value / by), fair: self.fair.map(|value| value / by) }
    }

    /// The nearest to what is simulated: the prediction, where there is one.
    pub fn nearest(self) -> Option<f64> {
        self.fair.or(self.limit)
    }
}

/// What stands beside `quality`, in `unit`, over some flows, while all of the scenario run.
pub fn beside(quality: Quality, over: Over, unit: Unit, scenario: &Scenario, limits: &Limits) -> Beside {
    let Quality::Measured(declared) = quality else { return Beside::default() };
    let of = Bounded { scenario, limits, over, unit };
    let in_unit = |value: Option<f64>| told(value?, unit, over, scenario);
    let one = in_unit((declared.bounded)(&of));
    // A latency with nothing in the way is one among others as well as alone.
    if declared.moves == Moves::Latency {
        return Beside { limit: one, fair: None };
    }
    if let [alone] = &limits.alone[..] {
        // Where what decides is known on average only, no run exceeds more than that.
        if !alone.is_prediction() {
            return Beside { limit: one, fair: None };
        }
        return Beside { limit: one.map(|one| one * (alone.most.0 / alone.stream.0)), fair: one };
    }
    Beside { limit: declared.most.and_then(|most| in_unit(most(&of))), fair: one }
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
        let above = Metric::from_word("throughput_sum_above").unwrap();
        assert_eq!(above.word(), "throughput_sum_above");
        assert_eq!(above.error_percent(901.0, value), 0.0);
        assert_eq!(above.error_percent(855.0, value), -5.0);
        assert_eq!(above.error_percent(900.0, value), 0.0, "as far off as it can be told");
    }
}
