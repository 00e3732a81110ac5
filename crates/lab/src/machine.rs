//! Described machines, each opened once, and their experiments by name.

use crate::at::At;
use crate::error::Error;
use crate::job::{Job, Measure};
use crate::metric::{Metric, Quality};
use crate::reference::{Reference, Row};
use crate::span::Span;
use crate::unit::Unit;
use sim::SimError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use system::{Description, Experiment, Point};

/// One described machine.
#[derive(Clone, Debug)]
pub struct DescribedMachine {
    name: String,
    description: Description,
    told_in: Option<Unit>,
    /// True if it is the bundled machine of its file's name, from whatever path it was read.
    bundled: bool,
}

impl DescribedMachine {
    /// Opens a bundled machine by its name, or a file, with overrides of its fields.
    ///
    /// # Errors
    /// Any error in the description or in an override.
    pub fn open(name: &str, sets: &[String]) -> Result<DescribedMachine, Error> {
        let mut description = Description::open(name)?;
        for set in sets {
            description.set(set)?;
        }
        DescribedMachine::described(name, description)
    }
    /// A machine that is already described, under the name that rows use for it.
    ///
    /// # Errors
    /// A contradiction in the description.
    pub fn described(name: &str, description: Description) -> Result<DescribedMachine, Error> {
        // Settle once, so that an error is reported even if no experiment reaches it.
        description.system()?;
        description.experiments().iter().try_for_each(|experiment| metrics(experiment).map(drop))?;
        let bundled = Description::bundled(description.name()).is_ok_and(|known| known.is_same(&description));
        Ok(DescribedMachine { name: name.to_string(), description, told_in: None, bundled })
    }
    /// True if `system`, as written in a row of a reference, is this machine: by the name that it was asked for, by its
    /// title, or by its file's name, with or without folder and extension. The name of a bundled machine, or of a file
    /// that exists, matches only a machine with the same text: figures of `kfcr-5400` do not apply to a changed copy
    /// `kfcr-5400.yaml`.
    pub fn is_called(&self, system: &str) -> bool {
        let file = Path::new(system);
        let ending = file.extension().is_some_and(|ending| ["yaml", "yml"].iter().any(|known| ending == *known));
        let stem = if ending { file.file_stem() } else { file.file_name() };
        match () {
            () if system == self.name => true,
            () if system::bundled::names().any(|name| name == system) => {
                self.bundled && system == self.description.name()
            }
            () if system == self.description.title() => true,
            () if stem.is_none_or(|stem| stem != self.description.name()) => false,
            () if file.is_file() => Description::load(file).is_ok_and(|other| other.is_same(&self.description)),
            () => true,
        }
    }
    /// The same machine with other values, which replace any other setting of the same fields. Whether the machine
    /// accepts them shows when a point is asked for.
    ///
    /// # Errors
    /// An override that cannot be parsed.
    pub fn with<S: AsRef<str>>(&self, sets: impl IntoIterator<Item = S>) -> Result<DescribedMachine, Error> {
        let mut machine = self.clone();
        for set in sets {
            machine.description.supersede(set.as_ref())?;
        }
        Ok(machine)
    }
    /// The same machine, with measures in `unit` where that fits.
    #[must_use]
    pub fn told_in(self, unit: Option<Unit>) -> DescribedMachine {
        DescribedMachine { told_in: unit, ..self }
    }
    /// The same machine with additional overrides from an option, as in `--over`.
    ///
    /// # Errors
    /// An override that cannot be parsed, or whose field has another setting.
    pub fn asked<S: AsRef<str>>(
        &self,
        option: &str,
        sets: impl IntoIterator<Item = S>,
    ) -> Result<DescribedMachine, Error> {
        let mut machine = self.clone();
        for set in sets {
            machine.description.set_by(option, set.as_ref())?;
        }
        Ok(machine)
    }
    /// Refuses a point at which two settings set one field.
    ///
    /// # Errors
    /// The two settings, and what would be valid.
    pub fn agree(&self, experiment: &Experiment, at: &At) -> Result<(), Error> {
        Ok(self.description.agree(experiment, &point(at))?)
    }
    /// The name by which it was asked for.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The description that it was read from.
    pub fn description(&self) -> &Description {
        &self.description
    }
    /// What an experiment measures, each quantity once. Inequalities are left to the rows that state them.
    ///
    /// # Errors
    /// A metric that does not exist.
    pub fn measures(&self, experiment: &Experiment, references: &[Reference]) -> Result<Vec<Measure>, Error> {
        let mut measures: Vec<Measure> = Vec::new();
        for metric in metrics(experiment)? {
            if !metric.stated.is_inequality() && measures.iter().all(|known| known.quality != metric.quality) {
                measures.push(Measure { quality: metric.quality, unit: self.unit(metric, experiment, references) });
            }
        }
        if measures.is_empty() {
            let unit = self.told_in.filter(|&unit| Quality::THROUGHPUT.takes(unit)).unwrap_or(Unit::MibPerS);
            measures.push(Measure { quality: Quality::THROUGHPUT, unit });
        }
        Ok(measures)
    }
    /// The unit of the rows of that experiment; else that of other rows of this machine.
    fn unit(&self, metric: Metric, experiment: &Experiment, references: &[Reference]) -> Unit {
        if let Some(unit) = self.told_in.filter(|&unit| metric.quality.takes(unit)) {
            return unit;
        }
        let rows = references.iter().flat_map(|reference| &reference.rows);
        let own: Vec<&Row> = rows.filter(|row| metric.quality.takes(row.unit) && self.is_called(&row.system)).collect();
        let nearest = own.iter().find(|row| row.experiment == experiment.name).or(own.first());
        let any = [Unit::MibPerS, Unit::Ns, Unit::One].into_iter().find(|&unit| metric.quality.takes(unit));
        nearest.map(|row| row.unit).or(any).unwrap_or(Unit::One)
    }
    /// All points of an experiment. `axes` replaces the values of some axes.
    ///
    /// # Errors
    /// An axis that the experiment does not have, or a value that is not legal.
    pub fn points(&self, experiment: &Experiment, axes: &[(String, Vec<String>)]) -> Result<Vec<At>, Error> {
        let mut points: Vec<At> = experiment.points().into_iter().map(|point| At::new(point.0)).collect();
        for (name, values) in axes {
            experiment.axis(name)?;
            let with = |at: At| values.iter().map(move |value| at.with(name, value));
            points = points.into_iter().flat_map(with).collect();
        }
        let mut seen = BTreeSet::new();
        points.retain(|at| seen.insert(at.clone()));
        points.sort_by_key(|at| order(experiment, axes, at));
        points.iter().try_for_each(|at| experiment.check(&point(at)))?;
        Ok(points)
    }
    /// The machine settled at a point, with its flows. What its parts cannot carry out is refused here, so that nothing
    /// answers what a run refuses.
    ///
    /// # Errors
    /// An axis or a value that is not legal; a part that is not possible as described, or cannot carry out a flow.
    pub fn job(&self, experiment: &Experiment, at: At) -> Result<Job, Error> {
        let place = point(&at);
        let scenario = self.description.scenario(experiment, &place)?;
        sim::check(&scenario, dma::KINDS).map_err(|why| refused(experiment, &at, why))?;
        let divisor = experiment.divisor(&place).max(1);
        Ok(Job { system: self.name.clone(), experiment: experiment.name.clone(), at, scenario, divisor })
    }
    /// The experiment that a row names.
    ///
    /// # Errors
    /// No experiment of that name, with the row's line.
    pub fn experiment_of_row(&self, row: &Row) -> Result<&Experiment, Error> {
        self.description.experiment(&row.experiment).map_err(|error| at_row(row, &error))
    }
    /// The points that a row asks for: several if it names a range.
    ///
    /// # Errors
    /// An axis that the experiment does not have, with the row's line.
    pub fn points_of_row(&self, row: &Row) -> Result<Vec<At>, Error> {
        let experiment = self.experiment_of_row(row)?;
        let mut points = vec![At::default()];
        for (name, value) in row.at.pairs() {
            let axis = experiment.axis(name).map_err(|error| at_row(row, &error))?;
            let values = values(value, &axis.values);
            let with = |at: At| values.iter().map(move |value| at.with(name, value)).collect::<Vec<_>>();
            points = points.into_iter().flat_map(with).collect();
        }
        Ok(points)
    }
    /// One point of a row, ready to run.
    ///
    /// # Errors
    /// A value that is not legal, with the row's line.
    pub fn job_of_row(&self, row: &Row, at: At) -> Result<Job, Error> {
        let experiment = self.experiment_of_row(row)?;
        self.job(experiment, at).map_err(|error| match error {
            Error::System(error) => at_row(row, &error),
            other => other,
        })
    }
}

/// The metrics that an experiment lists.
fn metrics(experiment: &Experiment) -> Result<Vec<Metric>, Error> {
    let metric = |word: &String| {
        Metric::from_word(word).ok_or_else(|| experiment.unknown_measure(word, Metric::all_words()).into())
    };
    experiment.measures.iter().map(metric).collect()
}

/// The sort key of a point among those of its experiment: the positions of its values, the first axis first.
fn order(experiment: &Experiment, axes: &[(String, Vec<String>)], at: &At) -> Vec<usize> {
    let place = |axis: &system::Axis| {
        let asked = axes.iter().find(|(name, _)| *name == axis.name).map(|(_, values)| values);
        let value = at.get(&axis.name)?;
        asked.unwrap_or(&axis.values).iter().position(|known| known == value)
    };
    // A described list of points keeps its order if no axes are given.
    if axes.is_empty() { Vec::new() } else { experiment.axes.iter().map(|axis| place(axis).unwrap_or(0)).collect() }
}

/// The error of a run that its parts cannot carry out: where the experiment is written, and what would be right.
fn refused(experiment: &Experiment, at: &At, why: SimError) -> system::Error {
    let (what, help) = match why {
        SimError::Kind { part, why } => (format!("`{part}`: {}", why.what), why.help),
        other => (other.to_string(), "give it a larger BAR, as in `bars: 1 MiB`".to_string()),
    };
    let at = if at.pairs().next().is_some() { format!(" ({at})") } else { String::new() };
    experiment.refused(what + &at, help)
}

fn point(at: &At) -> Point {
    Point(at.pairs().map(|(axis, value)| (axis.to_string(), value.to_string())).collect())
}

fn at_row(row: &Row, error: &system::Error) -> Error {
    row.place.error(error.to_string(), error.advice())
}

/// A value; for a range, the listed values inside it, or its ends if there are none.
fn values(value: &str, listed: &[String]) -> Vec<String> {
    let Some(span) = Span::parse(value).filter(|_| value.contains("..")) else {
        return vec![value.to_string()];
    };
    let inside = |text: &&String| text.parse::<f64>().is_ok_and(|number| span.distance(number) == 0.0);
    let chosen: Vec<String> = listed.iter().filter(inside).cloned().collect();
    if chosen.is_empty() {
        std::iter::once(span.low).chain(span.high).map(|end| end.to_string()).collect()
    } else {
        chosen
    }
}

/// The machines that rows name, each opened once.
#[derive(Clone, Debug, Default)]
pub struct Machines(BTreeMap<String, DescribedMachine>);

impl Machines {
    /// Opens all machines that some references name.
    ///
    /// # Errors
    /// The first row whose machine does not exist, with its line.
    pub fn of(references: &[Reference]) -> Result<Machines, Error> {
        let mut machines = BTreeMap::new();
        for row in references.iter().flat_map(|reference| &reference.rows) {
            if !machines.contains_key(&row.system) {
                let machine = DescribedMachine::open(&row.system, &[]).map_err(|error| match error {
                    Error::System(error) if error.place().is_none() => at_row(row, &error),
                    other => other,
                })?;
                machines.insert(row.system.clone(), machine);
            }
        }
        Ok(Machines(machines))
    }
    /// The machine that a row names.
    ///
    /// # Errors
    /// The machine was not opened.
    pub fn of_row(&self, row: &Row) -> Result<&DescribedMachine, Error> {
        let known = || self.0.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        let unknown = || row.place.error(format!("the system `{}` is unknown", row.system), known());
        self.0.get(&row.system).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_that_is_none_is_refused_where_it_is_written() {
        let text = "\
parts: { host: { part: generic/gen3-host, slots: { a: gen3 x8 } }, card: { part: generic/gen3-card } }
links: [host.a - card.pcie]
experiments:
  write: { operation: dma-write, flows: ['card -> host'], measures: [latency, throughput_per_flw] }
";
        let description = Description::from_text("x.yaml", text).unwrap();
        let Err(Error::System(error)) = DescribedMachine::described("x", description) else { panic!("no error") };
        let place = error.place().unwrap();
        assert_eq!((place.line(), place.written()), (4, "throughput_per_flw"));
        assert!(error.advice().contains("throughput_per_flow"), "{}", error.advice());
    }

    #[test]
    fn a_range_takes_the_listed_values_inside_it_or_its_ends() {
        let listed = ["1", "4", "64", "ring8"].map(String::from);
        assert_eq!(values("1..32", &listed), ["1", "4"]);
        assert_eq!(values("8..32", &listed), ["8", "32"]);
        assert_eq!(values("64..", &listed), ["64"]);
        assert_eq!(values("ring8", &listed), ["ring8"]);
    }
}
