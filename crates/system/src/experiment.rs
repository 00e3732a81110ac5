//! Experiments as described: flows, axes, measures and points.

pub(crate) mod axis;
pub(crate) mod flows;
pub(crate) mod line;
mod point;
mod read;

pub use axis::Axis;
pub use point::Point;

use crate::error::{Error, Problem};
use crate::field::FieldType;
use crate::flow::Drive;
use crate::operation::Operation;
use crate::pattern::Pattern;
use crate::source::Text;
use crate::suggest::suggest;
use crate::timed::Timed;
use crate::work::Work;
use axis::{Effect, MOST_COMMAND};
use line::{FlowSpec, Take};
use pcie::Bytes;

/// The largest volume of one flow, bytes.
const MOST_VOLUME: u64 = 1 << 44;

/// The keys of an experiment.
pub(crate) const KEYS: [&str; 25] = [
    "about",
    "operation",
    "flows",
    "flow_sets",
    "command",
    "volume",
    "max_commands",
    "offset",
    "stride",
    "window",
    "pattern",
    "timed",
    "queue_depth",
    "jobs",
    "cores",
    "read_share",
    "drive",
    "integrity",
    "chain",
    "set",
    "axes",
    "points",
    "measures",
    "reference",
    "formula",
];

/// An experiment: flows, the axes of a sweep, and what is measured.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// As in `p2p-write`.
    pub name: String,
    /// Its purpose.
    pub about: String,
    /// The operation of flows that name none; `None` for a formula.
    pub operation: Option<Operation>,
    /// Bytes of a command, without a `size` axis.
    pub command: Bytes,
    /// True where a command is one TLP, of whatever payload (`command: one TLP`).
    pub one_tlp: bool,
    /// Bytes that each flow moves, rounded to whole commands.
    pub volume: Bytes,
    /// The largest number of commands of a flow.
    pub max_commands: u64,
    /// Where the commands of each flow lie in its buffer; `None` for one after another.
    pub pattern: Option<Pattern>,
    /// What the latency of its flows is measured over.
    pub timed: Timed,
    /// The commands that software keeps in the queues of drives.
    pub work: Work,
    /// Whether software or the card starts commands.
    pub drive: Drive,
    /// True where the run carries payload bytes and compares them.
    pub integrity: bool,
    /// True where each flow sends on the data of the flow before it.
    pub chain: bool,
    /// The axes of the sweep.
    pub axes: Vec<Axis>,
    /// Metrics, by the names of the reference tables.
    pub measures: Vec<String>,
    pub(crate) measures_at: Vec<Text>,
    /// The reference table that has published figures of it, as in `rosta`.
    pub reference: Option<String>,
    /// The name of a reference formula, for an experiment that is computed and not run.
    pub formula: Option<String>,
    pub(crate) flows: Vec<FlowSpec>,
    pub(crate) flow_sets: Vec<(Text, Vec<FlowSpec>)>,
    pub(crate) set: Vec<(Text, Text)>,
    pub(crate) listed: Option<Vec<Point>>,
    pub(crate) at: Text,
}

impl Experiment {
    /// Its points: those listed in the description, or all combinations of the axis values, the last axis fastest.
    pub fn points(&self) -> Vec<Point> {
        if let Some(listed) = &self.listed {
            return listed.clone();
        }
        self.axes.iter().filter(|axis| !axis.values.is_empty()).fold(vec![Point::default()], |points, axis| {
            let extend = |point: Point| axis.values.iter().map(move |value| point.with(&axis.name, value));
            points.into_iter().flat_map(extend).collect()
        })
    }

    /// The axis of that name.
    ///
    /// # Errors
    /// There is none.
    pub fn axis(&self, name: &str) -> Result<&Axis, Error> {
        self.axes.iter().find(|axis| axis.name == name).ok_or_else(|| {
            let problem = Problem::Unknown { what: format!("axis of `{}`", self.name), name: name.into() };
            let help = match self.axes.as_slice() {
                [] => format!(
                    "`{}` has no axes: set a field in place of it, as in `--set settings.mps=256`, or write axes, as in `axes: {{ payload: [128, 256] }}`",
                    self.name
                ),
                axes => suggest(name, axes.iter().map(|axis| axis.name.as_str())),
            };
            Error::new(&self.at.place, problem, help)
        })
    }

    /// The error for a measure that is not among the `known` metrics, with its place.
    pub fn unknown_measure<'a>(&self, measure: &str, known: impl IntoIterator<Item = &'a str>) -> Error {
        let written = self.measures_at.iter().find(|text| text.text == measure).unwrap_or(&self.at);
        let problem = Problem::Unknown { what: "metric".into(), name: measure.into() };
        Error::new(&written.place, problem, suggest(measure, known))
    }

    /// The error for a run of it that a part cannot carry out, with its place.
    pub fn refused(&self, what: String, help: impl Into<String>) -> Error {
        Error::new(&self.at.place, Problem::Experiment(what), help)
    }

    /// The divisor of a measured figure at a point: 1, unless an axis value says `divide: 2`.
    pub fn divisor(&self, point: &Point) -> u64 {
        let choice = |(name, value): &(String, String)| match &self.axes.iter().find(|a| a.name == *name)?.effect {
            Effect::Choice(choices) => choices.iter().find(|c| c.name.text == *value).map(|c| c.divide),
            _ => None,
        };
        point.0.iter().filter_map(choice).product()
    }

    /// Checks the axes and values of a point, as far as possible without the machine.
    ///
    /// # Errors
    /// The illegal axis or value, and what would be legal.
    pub fn check(&self, point: &Point) -> Result<(), Error> {
        for (number, (name, value)) in point.0.iter().enumerate() {
            let axis = self.axis(name)?;
            if point.0[..number].iter().any(|(n, _)| n == name) {
                let problem = Problem::Duplicate(name.clone());
                return Err(Error::new(&axis.at.place, problem, "a point has one value on each axis"));
            }
            self.allows(axis, value)?;
        }
        Ok(())
    }

    /// Checks a value of an axis, as far as possible without the machine.
    pub(crate) fn allows(&self, axis: &Axis, value: &str) -> Result<(), Error> {
        match &axis.effect {
            Effect::Payload => axis.payload(value).map(drop),
            Effect::Size => axis.size(value).map(drop),
            Effect::Pattern => axis.pattern(value, &mut Pattern::default()),
            Effect::Work => axis.work(value, &mut Work::default()),
            Effect::Flows => self.take(axis, value).map(drop),
            Effect::Choice(choices) => axis.choice(choices, value).map(drop),
            Effect::Set(_) => Ok(()),
            Effect::Formula => axis.argument(value).map(drop),
        }
    }

    /// The flows that a value of the axis `devices` or `flows` selects.
    pub(crate) fn take(&self, axis: &Axis, value: &str) -> Result<Take<'_>, Error> {
        if let Some((_, set)) = self.flow_sets.iter().find(|(name, _)| name.text == value) {
            return Ok(Take::Set(set));
        }
        let another = || self.axes.iter().filter(|axis| matches!(axis.effect, Effect::Flows)).count() > 1;
        let counts = !self.flows.is_empty() || !self.flow_sets.is_empty() && another();
        let number = u64::parse(value).filter(|&n| n > 0 && counts);
        number.map(Take::First).ok_or_else(|| {
            let sets: Vec<String> = self.flow_sets.iter().map(|(name, _)| format!("`{}`", name.text)).collect();
            let count = counts.then(|| "a number of flows".to_string());
            let legal: Vec<String> = count.into_iter().chain(sets).collect();
            axis.illegal(value, "it takes no flows".into(), format!("write {}", legal.join(" or ")))
        })
    }

    /// Sets a key that is one word or one quantity, as in `volume`, or what a choice of an axis sets:
    /// `axes.core.p.card.fifo`.
    pub(crate) fn set(&mut self, key: &Text, value: &Text) -> Result<(), Error> {
        if let Some(rest) = key.text.strip_prefix("axes.") {
            let (name, choice) = rest.split_once('.').unwrap_or((rest, ""));
            self.axis(name)?;
            let choice = Text { text: choice.into(), place: key.place.of(choice) };
            let axis = self.axes.iter_mut().find(|axis| axis.name == name);
            return axis.map_or(Ok(()), |axis| axis.set_choice(&choice, value));
        }
        let wrong = |expects: &str| {
            let problem = Problem::Value { field: format!("`{}`", key.text), value: value.text.clone() };
            Error::new(&value.place, problem, format!("write {expects}"))
        };
        let bytes = |most: u64| Bytes::parse(&value.text).filter(|b| (1..=most).contains(&b.0));
        match key.text.as_str() {
            "volume" => {
                self.volume = bytes(MOST_VOLUME).ok_or_else(|| wrong("a size from 1 B to 16 TiB, as in `8 MiB`"))?
            }
            "command" if value.text == "one TLP" => self.one_tlp = true,
            "command" => {
                self.one_tlp = false;
                self.command =
                    bytes(MOST_COMMAND).ok_or_else(|| wrong("a size from 1 B to 1 TiB, as in `4 KiB`, or `one TLP`"))?
            }
            "max_commands" => {
                let number = u64::parse(&value.text).filter(|&n| n > 0);
                self.max_commands = number.ok_or_else(|| wrong("a whole number of 1 or more"))?;
            }
            "drive" => {
                self.drive = match value.text.as_str() {
                    "software" => Drive::Software,
                    "card" => Drive::Card,
                    _ => return Err(wrong("`software` or `card`")),
                }
            }
            "offset" | "stride" | "window" | "pattern" => {
                let pattern = self.pattern.get_or_insert_default();
                pattern.set(&key.text, &value.text).map_err(wrong)?;
            }
            work if Work::KEYS.contains(&work) => self.work.set(work, &value.text).map_err(wrong)?,
            "timed" => self.timed = Timed::parse(&value.text).ok_or_else(|| wrong(Timed::EXPECTS))?,
            "integrity" => self.integrity = bool::parse(&value.text).ok_or_else(|| wrong(bool::EXPECTS))?,
            "chain" => self.chain = bool::parse(&value.text).ok_or_else(|| wrong(bool::EXPECTS))?,
            other => {
                let problem = Problem::Unknown { what: "key of an experiment".into(), name: other.into() };
                return Err(Error::new(&key.place, problem, suggest(other, KEYS)));
            }
        }
        Ok(())
    }
}
