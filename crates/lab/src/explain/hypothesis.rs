//! A hypothesis with what it says of each measurement.

use super::cause::{Cause, Loss};
use super::evidence::Evidence;
use super::suspect::{LINE, PAGE, Suspect};
use crate::unit::Unit;
use pcie::Rate;
use std::fmt::Write;
use system::Bottleneck;

/// A suspect with its figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The suspect.
    pub suspect: Suspect,
    /// The load that the figure is of; `None` for all.
    pub load: Option<String>,
    /// Bytes a second, or seconds: see [`Suspect::is_rate`].
    pub figure: f64,
    /// Its standard error as a share, where the noise is as stated.
    pub error: f64,
}

/// A rate further from its prediction than this share is not explained by it.
const REST: f64 = 0.15;
/// The same in multiples of the noise.
const NOISY: f64 = 3.0;

/// A gain of the most devices that is nothing to tell.
const LITTLE: f64 = 1.005;
/// A gain that says only that nothing else is near.
const MANY: f64 = 20.0;

impl Fitted {
    /// The figure as bytes a second; `None` where it is a time of something that is not so many bytes.
    pub fn rate(&self) -> Option<f64> {
        match self.suspect {
            Suspect::Memory => Some(LINE / self.figure),
            Suspect::Iommu => Some(PAGE / self.figure),
            Suspect::Core | Suspect::Threads | Suspect::InFlight(_) => None,
            _ => Some(self.figure),
        }
    }

    /// The figure with its error: `305.0 MB/s +- 1.2 %`.
    pub fn told(&self, unit: Unit) -> String {
        let figure = match self.rate() {
            Some(rate) => unit.told(Rate(rate)),
            None if matches!(self.suspect, Suspect::InFlight(_)) => {
                format!("{:.3} us until each is complete", self.figure * 1e6)
            }
            None => format!("{:.3} us for each command", self.figure * 1e6),
        };
        let error = if self.error.is_finite() { format!(" +- {:.1} %", 100.0 * self.error) } else { String::new() };
        figure + &error
    }
}

impl Fitted {
    /// What it is of, with the load, and the figure.
    pub fn figure_of(&self, unit: Unit) -> String {
        let load = self.load.as_ref().map(|load| format!(", {load}")).unwrap_or_default();
        format!("{}{load}: {}", self.suspect, self.told(unit))
    }
}

/// The machine as it shows itself, with suspects at the figures that come nearest.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// Its suspects; none where registers say all.
    pub fitted: Vec<Fitted>,
    /// What holds the rate back, what costs most first.
    pub losses: Vec<Loss>,
    /// The rate that it predicts for each measurement, bytes a second.
    pub predicted: Vec<f64>,
    /// What limits each measurement then, as `limit` names it.
    pub limited_by: Vec<Option<Bottleneck>>,
    /// How far the predictions are from the rates, as a root mean square of multiples of the noise.
    pub off: f64,
    /// See the module [`crate::explain`].
    pub score: f64,
}

impl Hypothesis {
    /// The cause that costs most.
    pub fn cause(&self) -> Option<&Cause> {
        self.losses.first().map(|loss| &loss.cause)
    }

    /// What holds rates back, the first cause and all others that are something of this machine: not that devices' own links are
    /// full, nor the size of payloads and requests, where these are not the first.
    pub fn causes(&self) -> impl Iterator<Item = &Loss> {
        let is_more = |loss: &Loss| match &loss.cause {
            Cause::Link { able: None, own, .. } => !own,
            cause => !cause.is_size(),
        };
        self.losses.iter().enumerate().filter(move |(place, loss)| *place == 0 || is_more(loss)).map(|(_, loss)| loss)
    }

    /// The figures of a cause, each with the load that it is of.
    pub fn figures_of(&self, cause: &Cause) -> Vec<&Fitted> {
        let is_of = |fitted: &&Fitted| matches!(cause, Cause::Hidden(suspect) if *suspect == fitted.suspect);
        self.fitted.iter().filter(is_of).collect()
    }

    /// The first cause as a sentence, with its figure and what it costs.
    pub fn sentence(&self, unit: Unit) -> String {
        self.losses.first().map(|first| self.sentence_of(first, unit)).unwrap_or_default()
    }

    /// A cause as a sentence.
    pub fn sentence_of(&self, loss: &Loss, unit: Unit) -> String {
        let mut text = String::new();
        let cause = loss.cause.to_string();
        let mut letters = cause.chars();
        text.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        text += letters.as_str();
        match &self.figures_of(&loss.cause)[..] {
            [] => {}
            [one] => _ = write!(text, ": {}", one.told(unit)),
            _ => _ = write!(text, ": a figure for each load"),
        }
        text += ".";
        let (gain, most) = (loss.gain, loss.most());
        _ = match loss.cause {
            Cause::Other(_) => Ok(()),
            _ if gain > MANY => {
                write!(text, " Without it, the most devices at once would give many times as much.")
            }
            _ if gain > LITTLE => {
                write!(text, " Without it, the most devices at once would give {gain:.2} times as much.")
            }
            _ => match &loss.explains[..] {
                [] => Ok(()),
                all => write!(
                    text,
                    " Without it, {} other {} would be up to {most:.2} times as much.",
                    all.len(),
                    if all.len() == 1 { "rate" } else { "rates" }
                ),
            },
        };
        text
    }

    /// What limits a measurement, with rates in `unit`; empty where nothing is known to.
    pub fn limit_of(&self, number: usize, unit: Unit) -> String {
        let by = self.limited_by.get(number).and_then(Option::as_ref);
        by.map_or_else(String::new, |by| by.told(&|rate| unit.told(rate)))
    }

    /// The measurements, by their places, that it leaves without an explanation: further from it than models and noise are.
    pub fn unexplained(&self, evidence: &Evidence) -> Vec<usize> {
        let off =
            |number: usize| evidence.measurements[number].rate.error_percent(self.predicted[number]).abs() / 100.0;
        (0..self.predicted.len()).filter(|&number| off(number) > REST.max(NOISY * evidence.noise)).collect()
    }

    /// How far a prediction is from that of another hypothesis, at most and at least, as a share.
    pub fn apart(&self, other: &Hypothesis) -> (f64, f64) {
        let each = self.predicted.iter().zip(&other.predicted).map(|(a, b)| (a / b).ln().abs());
        each.fold((0.0, f64::INFINITY), |(most, least): (f64, f64), apart| (most.max(apart), least.min(apart)))
    }
}
