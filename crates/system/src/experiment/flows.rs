//! Flows as written, `card[0] -> host` in the direction of the data, and which of them a point takes.

use crate::description::index::{End, assignments};
use crate::description::spec::{Spec, in_range};
use crate::error::{Error, Problem};
use crate::experiment::{Axis, Experiment};
use crate::field::FieldType;
use crate::flow::{Drive, Flow};
use crate::graph::{PartId, System};
use crate::node::{Node, Value};
use crate::operation::Operation;
use crate::source::Text;
use crate::suggest::suggest;
use pcie::Bytes;
use std::collections::HashMap;

/// What a line of flows may name.
pub(crate) struct Names<'a> {
    /// Every part of the machine.
    parts: HashMap<&'a str, PartId>,
    /// Every part as written, with how many there are of an array.
    counts: HashMap<&'a str, Option<u64>>,
}

/// A flow with an operation of its own.
const FORM: &str = "write `{ flow: \"card[0] -> host\", operation: dma-write }`";

/// One line of flows.
#[derive(Clone, Debug)]
pub(crate) struct FlowSpec {
    text: Text,
    from: End,
    to: End,
    operation: Option<Operation>,
}

impl FlowSpec {
    /// `card[0] -> host`, or `{ flow: card[0] -> host, operation: dma-write }`.
    pub fn read(node: &Node) -> Result<FlowSpec, Error> {
        let Value::Map(map) = &node.value else {
            return FlowSpec::of(node.text("a flow")?, None);
        };
        let (mut text, mut operation) = (None, None);
        for (key, value) in map {
            let value = value.text(&key.text)?;
            match key.text.as_str() {
                "flow" => text = Some(value),
                "operation" => operation = Some(read_operation(&value)?),
                other => {
                    let problem = Problem::Unknown { what: "key of a flow".into(), name: other.into() };
                    let help = format!("{}; {FORM}", suggest(other, ["flow", "operation"]));
                    return Err(Error::new(&key.place, problem, help));
                }
            }
        }
        let text = text.ok_or_else(|| {
            let problem = Problem::Missing { what: "a flow".into(), key: "flow" };
            Error::new(&node.place, problem, FORM)
        })?;
        FlowSpec::of(text, operation)
    }

    fn of(text: Text, operation: Option<Operation>) -> Result<FlowSpec, Error> {
        let end = |end: &str| {
            let text = Text { text: end.trim().into(), place: text.place.of(end.trim()) };
            End::parse(&text).filter(|end| end.port.is_none())
        };
        let ends = text.text.split_once("->").and_then(|(from, to)| Some((end(from)?, end(to)?)));
        let Some((from, to)) = ends else {
            let problem = Problem::Form { text: text.text.clone(), wanted: "a flow" };
            return Err(Error::new(
                &text.place,
                problem,
                "write where data comes from and goes to: `card[0] -> host`, or with an operation of its own \
                        `{ flow: \"card[0] -> host\", operation: dma-write }`",
            ));
        };
        Ok(FlowSpec { text, from, to, operation })
    }

    /// The flows that the line stands for: their two parts.
    pub fn ends(&self, spec: &Spec, names: &Names<'_>) -> Result<Vec<(PartId, PartId)>, Error> {
        let count = |end: &End| names.counts.get(end.part.as_str()).copied();
        for end in [&self.from, &self.to] {
            if count(end).is_none() {
                let problem = Problem::Unknown { what: "part".into(), name: end.part.clone() };
                let help = suggest(&end.part, spec.parts.iter().map(|p| p.name.text.as_str()));
                return Err(Error::new(&end.text.place, problem, help));
            }
        }
        let all = assignments(
            &self.text,
            &[&self.from, &self.to],
            |end, of_port| {
                if of_port { None } else { count(end).flatten() }
            },
        )?;
        let part = |end: &End, letters: &[(String, u64)]| {
            let at = Text { text: end.part.clone(), place: end.text.place.clone() };
            let index = end.part_index.as_ref().map(|index| index.value(letters).unwrap_or(u64::MAX));
            let name = match index {
                Some(index) => {
                    in_range(&at, index, count(end).flatten())?;
                    format!("{}[{index}]", end.part)
                }
                None => end.part.clone(),
            };
            names.parts.get(name.as_str()).copied().ok_or_else(|| {
                let problem = Problem::Index { name: name.clone(), why: "it is an array".into() };
                Error::new(&end.text.place, problem, format!("write `{name}[0]` or `{name}[i]`"))
            })
        };
        all.iter().map(|letters| Ok((part(&self.from, letters)?, part(&self.to, letters)?))).collect()
    }
}

/// As in `dma-write`.
pub(crate) fn read_operation(text: &Text) -> Result<Operation, Error> {
    Operation::parse(&text.text).ok_or_else(|| {
        let problem = Problem::Value { field: "`operation`".into(), value: text.text.clone() };
        Error::new(&text.place, problem, format!("write {}", Operation::EXPECTS))
    })
}

/// Which flows: all of a named set, or the first so many of the list.
pub(crate) enum Take<'a> {
    Set(&'a [FlowSpec]),
    First(u64),
}

impl Axis {
    /// What a value of an axis of flows takes.
    pub(crate) fn take<'a>(&self, value: &str, experiment: &'a Experiment) -> Result<Take<'a>, Error> {
        if let Some((_, set)) = experiment.flow_sets.iter().find(|(name, _)| name.text == value) {
            return Ok(Take::Set(set));
        }
        let number = u64::parse(value).filter(|&n| n > 0 && !experiment.flows.is_empty());
        number.map(Take::First).ok_or_else(|| {
            let sets: Vec<String> = experiment.flow_sets.iter().map(|(name, _)| format!("`{}`", name.text)).collect();
            let count = if experiment.flows.is_empty() { None } else { Some("a number of flows".to_string()) };
            let legal: Vec<String> = count.into_iter().chain(sets).collect();
            self.illegal(value, "it takes no flows".into(), format!("write {}", legal.join(" or ")))
        })
    }
}

/// The flows of a line, in the words of their operation.
pub(crate) struct Maker<'a> {
    pub experiment: &'a Experiment,
    pub spec: &'a Spec,
    pub system: &'a System,
    pub command: Bytes,
}

impl Maker<'_> {
    /// All flows of some lines.
    pub fn all(&self, lines: &[FlowSpec]) -> Result<Vec<(Flow, Text)>, Error> {
        let mut flows: Vec<(Flow, Text)> = Vec::new();
        let parts = self.system.parts.iter().enumerate().map(|(n, part)| (part.name.as_str(), PartId(n)));
        let counts = self.spec.parts.iter().map(|part| (part.name.text.as_str(), part.count));
        let names = Names { parts: parts.collect(), counts: counts.collect() };
        let mut known: HashMap<String, usize> = HashMap::new();
        for line in lines {
            for (from, to) in line.ends(self.spec, &names)? {
                let mut flow = self.flow(line, from, to)?;
                let same = known.entry(flow.name.clone()).or_default();
                *same += 1;
                if *same > 1 {
                    flow.name = format!("{} #{}", flow.name, *same);
                }
                flows.push((flow, line.text.clone()));
            }
        }
        Ok(flows)
    }

    fn flow(&self, line: &FlowSpec, from: PartId, to: PartId) -> Result<Flow, Error> {
        let Some(operation) = line.operation.or(self.experiment.operation) else {
            let problem = Problem::Missing { what: format!("experiment `{}`", self.experiment.name), key: "operation" };
            let help = format!(
                "write `operation: ` and {}, for the experiment, or for one flow `{{ flow: \"{}\", operation: dma-write }}`",
                Operation::EXPECTS,
                line.text.text
            );
            return Err(Error::new(&line.text.place, problem, help));
        };
        let card = |part| self.system.part(part).kind.is_endpoint();
        let host = |part| self.system.part(part).kind.is_root();
        let (right, initiator, target, help) = match operation {
            Operation::DmaWrite => (card(from) && host(to), from, to, "a card to the host: `card -> host`"),
            Operation::DmaRead => (host(from) && card(to), to, from, "the host to a card: `host -> card`"),
            Operation::PioWrite => (host(from) && card(to), from, to, "the host to a card: `host -> card`"),
            Operation::PioRead => (card(from) && host(to), to, from, "a card to the host: `card -> host`"),
            Operation::P2pWrite => (card(from) && card(to) && from != to, from, to, "one card to another"),
            Operation::P2pRead => (card(from) && card(to) && from != to, to, from, "one card to another"),
            Operation::Loopback => (host(from) && card(to), to, from, "the host to a card (and back): `host -> card`"),
        };
        let name = format!("{} -> {}", self.system.part(from).name, self.system.part(to).name);
        let word = operation.print();
        if !right {
            let problem = Problem::Flow(format!("`{name}` is no {word}"));
            return Err(Error::new(&line.text.place, problem, format!("the data of a {word} goes from {help}")));
        }
        self.is_declared(line, operation, [initiator, target])?;
        let drive = if operation.is_pio() { Drive::Software } else { self.experiment.drive };
        self.needs_bar(line, initiator, target, drive)?;
        let (command, experiment) = (self.command, self.experiment);
        if command > experiment.volume {
            let what = format!(
                "`{}`: a command of {command} is larger than the volume of {}",
                experiment.name, experiment.volume
            );
            let help = format!(
                "a flow moves whole commands: write a command of {} at most, or a volume of {command} or more \
                 (`--set \"experiments.{}.volume={command}\"`)",
                experiment.volume, experiment.name
            );
            return Err(Error::new(&experiment.at.place, Problem::Experiment(what), help));
        }
        let commands = experiment.volume.0.div_ceil(command.0.max(1)).clamp(1, experiment.max_commands.max(1));
        let volume = Bytes(command.0.saturating_mul(commands));
        Ok(Flow { name, operation, initiator, target, command, volume, drive, fed_by: None })
    }

    /// The endpoint that moves the data, or that the CPU moves it to, is of a kind whose flows may do so; another card only
    /// answers.
    fn is_declared(&self, line: &FlowSpec, operation: Operation, ends: [PartId; 2]) -> Result<(), Error> {
        let ends = ends.map(|part| self.system.part(part));
        let Some(mover) = ends.iter().find(|part| part.kind.is_endpoint()) else { return Ok(()) };
        let kind = mover.kind.declaration();
        if let Some(silent) = ends.iter().find(|part| part.kind.is_endpoint() && part.kind.engine().is_none())
            && !operation.is_pio()
        {
            let what = format!("`{}` is a {}, which other cards do not reach", silent.name, silent.kind.word());
            return Err(Error::new(&line.text.place, Problem::Flow(what), "let a CPU store to it or load from it"));
        }
        if kind.operations.contains(&operation) {
            return Ok(());
        }
        let problem =
            Problem::Flow(format!("`{}` is a {}, which does no {}", mover.name, kind.word, operation.print()));
        let words: Vec<String> = kind.operations.iter().map(Operation::print).collect();
        let help =
            if words.is_empty() { "it has no flows".to_string() } else { format!("one of {}", words.join(", ")) };
        Err(Error::new(&line.text.place, problem, help))
    }

    /// Whoever is written to, doorbells included, has a BAR.
    fn needs_bar(&self, line: &FlowSpec, initiator: PartId, target: PartId, drive: Drive) -> Result<(), Error> {
        let rung = (drive == Drive::Software).then_some(initiator);
        let bare = [Some(target), rung].into_iter().flatten().map(|p| self.system.part(p));
        let bare = bare.filter(|p| p.kind.is_endpoint()).find(|p| p.bars.is_empty());
        bare.map_or(Ok(()), |part| {
            let problem = Problem::Flow(format!("`{}` has no BAR to write to", part.name));
            Err(Error::new(&line.text.place, problem, "give it one: `bars: 64 KiB`"))
        })
    }
}
