//! Experiments from YAML.

use crate::error::{Error, Problem};
use crate::experiment::axis::Effect;
use crate::experiment::line::{FlowSpec, read_operation};
use crate::experiment::{Axis, Experiment, Point};
use crate::flow::Drive;
use crate::source::Text;
use crate::timed::Timed;
use crate::work::Work;
use crate::yaml::YamlNode;
use pcie::Bytes;

impl Experiment {
    /// All of a section `experiments:`.
    pub(crate) fn read_all(node: &YamlNode) -> Result<Vec<Experiment>, Error> {
        node.map("`experiments`")?.iter().map(|(name, node)| Experiment::read(name, node)).collect()
    }

    fn empty(name: &Text) -> Experiment {
        Experiment {
            name: name.text.clone(),
            about: String::new(),
            operation: None,
            command: Bytes(4096),
            one_tlp: false,
            volume: Bytes(4 << 20),
            max_commands: u64::MAX,
            pattern: None,
            timed: Timed::Requests,
            work: Work::default(),
            drive: Drive::Card,
            integrity: false,
            chain: false,
            axes: Vec::new(),
            measures: Vec::new(),
            measures_at: Vec::new(),
            reference: None,
            formula: None,
            flows: Vec::new(),
            flow_sets: Vec::new(),
            set: Vec::new(),
            listed: None,
            at: name.clone(),
        }
    }

    fn read(name: &Text, node: &YamlNode) -> Result<Experiment, Error> {
        let mut experiment = Experiment::empty(name);
        let map = node.map(&format!("experiment `{}`", name.text))?;
        let formula = map.iter().any(|(key, _)| key.text == "formula");
        for (key, value) in map {
            match key.text.as_str() {
                "about" => experiment.about = value.text("`about`")?.text,
                "operation" => experiment.operation = Some(read_operation(&value.text("`operation`")?)?),
                "flows" => experiment.flows = flows(value)?,
                "flow_sets" => {
                    let sets = value.map("`flow_sets`")?.iter();
                    experiment.flow_sets =
                        sets.map(|(n, v)| Ok((n.clone(), flows(v)?))).collect::<Result<_, Error>>()?;
                }
                "set" => {
                    let pairs = value.map("`set`")?.iter();
                    experiment.set =
                        pairs.map(|(p, v)| Ok((p.clone(), v.text(&p.text)?))).collect::<Result<_, Error>>()?;
                }
                "axes" => {
                    let axes = value.map("`axes`")?.iter();
                    experiment.axes = axes.map(|(n, v)| Axis::read(n, v, formula)).collect::<Result<_, _>>()?;
                }
                "points" => experiment.listed = Some(points(value)?),
                "measures" => {
                    let names = value.list("`measures`")?.iter();
                    experiment.measures_at = names.map(|n| n.text("a metric")).collect::<Result<_, _>>()?;
                    experiment.measures = experiment.measures_at.iter().map(|text| text.text.clone()).collect();
                }
                "reference" => experiment.reference = Some(value.text("`reference`")?.text),
                "formula" => experiment.formula = Some(value.text("`formula`")?.text),
                _ => experiment.set(key, &value.text(&key.text)?)?,
            }
        }
        experiment.whole()
    }

    /// Checks that the experiment has flows and that its listed values are legal.
    fn whole(self) -> Result<Experiment, Error> {
        let place = &self.at.place;
        if self.formula.is_none() && self.flows.is_empty() && self.flow_sets.is_empty() {
            let problem = Problem::Missing { what: format!("experiment `{}`", self.name), key: "flows" };
            return Err(Error::new(place, problem, "write `flows: [ \"card -> host\" ]`"));
        }
        let counts = self.axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len().max(1)));
        if counts.is_none_or(|n| n > 100_000) {
            let problem = Problem::TooMuch(format!("experiment `{}` has more than 100000 points", self.name));
            return Err(Error::new(place, problem, "list fewer values"));
        }
        let size = self.axes.iter().find(|axis| matches!(axis.effect, Effect::Size));
        if let Some(axis) = size.filter(|_| self.one_tlp) {
            let problem = Problem::Experiment(format!("a command of `{}` is one TLP, whatever its `size`", self.name));
            return Err(Error::new(&axis.at.place, problem, "sweep `payload`, or write `command` as a length"));
        }
        for axis in &self.axes {
            axis.values.iter().try_for_each(|value| self.allows(axis, value))?;
        }
        self.listed.iter().flatten().try_for_each(|point| self.check(point))?;
        Ok(self)
    }
}

fn flows(node: &YamlNode) -> Result<Vec<FlowSpec>, Error> {
    node.list("`flows`")?.iter().map(FlowSpec::read).collect()
}

/// `[ { switches: 1 }, { part: fpga } ]`.
fn points(node: &YamlNode) -> Result<Vec<Point>, Error> {
    let point = |node: &YamlNode| {
        let pairs = node.map("a point")?.iter();
        pairs.map(|(axis, value)| Ok((axis.text.clone(), value.text(&axis.text)?.text))).collect::<Result<_, Error>>()
    };
    node.list("`points`")?.iter().map(|node| point(node).map(Point)).collect()
}
