//! Lines of flows as written: `card[0] -> host`, in the direction of the data.

use crate::error::{Error, Problem};
use crate::graph::PartId;
use crate::operation::Operation;
use crate::registry;
use crate::source::Text;
use crate::suggest::suggest;
use crate::written::index::{EndSpec, assignments};
use crate::written::spec::{Spec, in_range};
use crate::yaml::{Value, YamlNode};
use std::collections::HashMap;

/// The names that a line of flows may use.
pub(crate) struct Names<'a> {
    /// All parts of the machine.
    pub parts: HashMap<&'a str, PartId>,
    /// The names as written, each with the size of its array.
    pub counts: HashMap<&'a str, Option<u64>>,
}

/// The syntax of a flow with its own operation.
const FORM: &str = "write `{ flow: \"card[0] -> host\", operation: dma-write }`";

/// One line of flows.
#[derive(Clone, Debug)]
pub(crate) struct FlowSpec {
    pub text: Text,
    from: EndSpec,
    to: EndSpec,
    pub operation: Option<Operation>,
}

impl FlowSpec {
    /// `card[0] -> host`, or `{ flow: card[0] -> host, operation: dma-write }`.
    pub fn read(node: &YamlNode) -> Result<FlowSpec, Error> {
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
            EndSpec::parse(&text).filter(|end| end.port.is_none())
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

    /// The flows of the line, as pairs of parts.
    pub fn ends(&self, spec: &Spec, names: &Names<'_>) -> Result<Vec<(PartId, PartId)>, Error> {
        let count = |end: &EndSpec| names.counts.get(end.part.as_str()).copied();
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
        let part = |end: &EndSpec, letters: &[(String, u64)]| {
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
    registry::operation(&text.text).ok_or_else(|| {
        let problem = Problem::Value { field: "`operation`".into(), value: text.text.clone() };
        Error::new(&text.place, problem, format!("write {}", registry::expected_operations()))
    })
}

/// Selects flows: all of a named set, or the first ones of the list.
pub(crate) enum Take<'a> {
    Set(&'a [FlowSpec]),
    First(u64),
}
