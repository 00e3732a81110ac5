//! Axes: a name, the listed values, and the effect of a value.

use crate::error::{Error, Problem};
use crate::field::FieldType;
use crate::pattern::Pattern;
use crate::source::Text;
use crate::suggest::{one_of, suggest};
use crate::work::Work;
use crate::yaml::{Value, YamlNode};
use pcie::Bytes;

/// Bytes of the longest command.
pub(crate) const MOST_COMMAND: u64 = 1 << 40;

/// An axis of a sweep.
#[derive(Clone, Debug)]
pub struct Axis {
    /// As in `payload`.
    pub name: String,
    /// The values that a run uses by default; empty for an axis that is used on request only. Other values may be
    /// legal.
    pub values: Vec<String>,
    pub(crate) effect: Effect,
    pub(crate) at: Text,
    /// The places of the listed values.
    pub(crate) listed_at: Vec<Text>,
}

/// The effect of a value.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// TLP payload of the flows, MPS on their path.
    Payload,
    /// Length of a command.
    Size,
    /// A value of the pattern of commands: `offset`, `stride`, `window` or `pattern`.
    Pattern,
    /// The commands in the queues of drives: one of [`Work::KEYS`].
    Work,
    /// Which flows run.
    Flows,
    /// Writes the value to these paths.
    Set(Vec<Text>),
    /// Selects one of a closed list of choices.
    Choice(Vec<Choice>),
    /// An argument of a formula.
    Formula,
}

/// A named choice and its overrides.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// As in `kf`.
    pub name: Text,
    /// Paths and their values.
    pub set: Vec<(Text, Text)>,
    /// Measured figures are divided by this number.
    pub divide: u64,
}

impl Axis {
    pub(crate) fn read(name: &Text, node: &YamlNode, formula: bool) -> Result<Axis, Error> {
        let listed = |node: &YamlNode| -> Result<Vec<Text>, Error> {
            node.list(&name.text)?.iter().map(|n| n.text(&name.text)).collect()
        };
        let by_name = || match name.text.as_str() {
            _ if formula => Effect::Formula,
            "payload" => Effect::Payload,
            "size" | "block" => Effect::Size,
            "offset" | "stride" | "window" | "pattern" => Effect::Pattern,
            name if Work::KEYS.contains(&name) => Effect::Work,
            _ => Effect::Flows,
        };
        let (listed_at, effect) = match &node.value {
            Value::Map(map) if map.iter().any(|(key, _)| ["set", "values"].contains(&key.text.as_str())) => {
                let (mut values, mut effect) = (Vec::new(), by_name());
                for (key, node) in map {
                    match key.text.as_str() {
                        "values" => values = listed(node)?,
                        "set" => effect = Effect::Set(paths(node)?),
                        other => {
                            let problem = Problem::Unknown { what: "key of an axis".into(), name: other.into() };
                            return Err(Error::new(&key.place, problem, suggest(other, ["set", "values"])));
                        }
                    }
                }
                (values, effect)
            }
            Value::Map(map) => {
                let choices = map.iter().map(|(key, node)| Choice::read(key, node)).collect::<Result<Vec<_>, _>>()?;
                (choices.iter().map(|c| c.name.clone()).collect(), Effect::Choice(choices))
            }
            _ => (some(listed(node)?, name)?, by_name()),
        };
        let values = listed_at.iter().map(|text| text.text.clone()).collect();
        Ok(Axis { name: name.text.clone(), values, effect, at: name.clone(), listed_at })
    }

    /// The paths that the value is written to; empty for other effects.
    pub fn paths(&self) -> Vec<&str> {
        match &self.effect {
            Effect::Set(paths) => paths.iter().map(|path| path.text.as_str()).collect(),
            _ => Vec::new(),
        }
    }
    /// The names of its choices; empty where its values are not named choices.
    pub fn choices(&self) -> Vec<&str> {
        match &self.effect {
            Effect::Choice(choices) => choices.iter().map(|choice| choice.name.text.as_str()).collect(),
            _ => Vec::new(),
        }
    }
    /// Sets what a choice does: `core.p.card.fifo=8 KiB`, given as `p.card.fifo` and its value. A path that the choice
    /// does not set yet is added to those that it sets.
    pub(crate) fn set_choice(&mut self, path: &Text, value: &Text) -> Result<(), Error> {
        let known = self.choices().into_iter().map(str::to_string).collect::<Vec<_>>();
        let named =
            |choice: &&mut Choice| path.text.strip_prefix(&choice.name.text).is_some_and(|r| r.starts_with('.'));
        let refuse = |help: String| {
            let problem =
                Problem::Unknown { what: format!("choice of the axis `{}`", self.name), name: path.text.clone() };
            Err(Error::new(&path.place, problem, help))
        };
        let Effect::Choice(choices) = &mut self.effect else {
            return refuse(
                "only an axis of named choices, as in `core: { kf: { card.part: kfcr/kf-core } }`, has them".into(),
            );
        };
        let Some(choice) = choices.iter_mut().find(named) else {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return refuse(one_of(&known));
        };
        let inner = &path.text[choice.name.text.len() + 1..];
        match choice.set.iter_mut().find(|(known, _)| known.text == inner) {
            Some((_, old)) => *old = value.clone(),
            None => choice.set.push((Text { text: inner.into(), place: path.place.of(inner) }, value.clone())),
        }
        Ok(())
    }
    /// The paths that a value changes, including those of the experiment itself. Empty for a payload, which changes
    /// fields of the flows' parts.
    pub fn decides(&self, value: &str, experiment: &str) -> Vec<String> {
        match &self.effect {
            Effect::Set(paths) => paths.iter().map(|path| path.text.clone()).collect(),
            Effect::Choice(choices) => {
                let chosen = choices.iter().filter(|choice| choice.name.text == value);
                let path = |path: &str| match Work::KEYS.contains(&path) {
                    true => format!("experiments.{experiment}.{path}"),
                    false => path.to_string(),
                };
                chosen.flat_map(|choice| &choice.set).map(|(written, _)| path(&written.text)).collect()
            }
            Effect::Size => vec![format!("experiments.{experiment}.command")],
            Effect::Pattern | Effect::Work => vec![format!("experiments.{experiment}.{}", self.name)],
            // How many flows, and of which set, are two things.
            Effect::Flows if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                vec![format!("experiments.{experiment}.flows taken")]
            }
            Effect::Flows => vec![format!("experiments.{experiment}.flows")],
            Effect::Payload | Effect::Formula => Vec::new(),
        }
    }
    /// True where each value is a named choice.
    pub fn is_choice(&self) -> bool {
        matches!(self.effect, Effect::Choice(_))
    }
    /// True where its value is the payload of TLPs.
    pub fn is_payload(&self) -> bool {
        matches!(self.effect, Effect::Payload)
    }

    pub(crate) fn illegal(&self, value: &str, why: String, help: String) -> Error {
        let problem = Problem::Axis { axis: self.name.clone(), value: value.into(), why };
        Error::new(&self.written(value).place, problem, help)
    }

    /// A value with its place: in the list, or on the command line.
    pub(crate) fn written(&self, value: &str) -> Text {
        let listed = self.listed_at.iter().find(|text| text.text == value).cloned();
        listed.unwrap_or_else(|| {
            let asked = Text::alone("asked for", &format!("{}={value}", self.name));
            Text { text: value.to_string(), place: asked.place.last(value.len()) }
        })
    }

    /// A payload in bytes. Whether the path allows it is checked later.
    pub(crate) fn payload(&self, value: &str) -> Result<u64, Error> {
        let bytes = u64::parse(value).or_else(|| Bytes::parse(value).map(|b| b.0));
        let legal = bytes.filter(|b| (4..=4096).contains(b) && b % 4 == 0);
        legal.ok_or_else(|| {
            let why = "a TLP carries whole double words, 4096 bytes at most".to_string();
            self.illegal(value, why, "write a multiple of 4 from 4 up to what the path supports".into())
        })
    }

    pub(crate) fn size(&self, value: &str) -> Result<Bytes, Error> {
        let bytes = u64::parse(value).or_else(|| Bytes::parse(value).map(|b| b.0));
        let legal = bytes.filter(|b| (1..=MOST_COMMAND).contains(b));
        legal.map(Bytes).ok_or_else(|| {
            let why = "it is no length of a command".to_string();
            self.illegal(value, why, "write bytes from 1 up to 2^40, as in `4096` or `4 KiB`".into())
        })
    }

    /// Sets the part of a pattern that the axis is named after.
    pub(crate) fn pattern(&self, value: &str, pattern: &mut Pattern) -> Result<(), Error> {
        let legal = pattern.set(&self.name, value);
        legal.map_err(|expects| self.illegal(value, "it is no part of a pattern".into(), format!("write {expects}")))
    }

    /// Sets what the axis is named after: one of [`Work::KEYS`].
    pub(crate) fn work(&self, value: &str, work: &mut Work) -> Result<(), Error> {
        let legal = work.set(&self.name, value);
        legal.map_err(|expects| self.illegal(value, "it is no number of commands".into(), format!("write {expects}")))
    }

    /// Sets what a choice of the axis says of work.
    pub(crate) fn work_of(&self, key: &Text, value: &Text, work: &mut Work) -> Result<(), Error> {
        work.set(&key.text, &value.text).map_err(|expects| {
            let problem = Problem::Value { field: format!("`{}`", key.text), value: value.text.clone() };
            Error::new(&value.place, problem, format!("write {expects}"))
        })
    }

    /// An argument of a formula.
    pub(crate) fn argument(&self, value: &str) -> Result<u64, Error> {
        let number = u64::parse(value).filter(|&n| n > 0);
        number.ok_or_else(|| self.illegal(value, "it is no number".into(), "write a whole number of 1 or more".into()))
    }

    pub(crate) fn choice<'a>(&self, choices: &'a [Choice], value: &str) -> Result<&'a Choice, Error> {
        choices.iter().find(|c| c.name.text == value).ok_or_else(|| {
            let known: Vec<&str> = choices.iter().map(|c| c.name.text.as_str()).collect();
            self.illegal(value, "it is not among its values".into(), one_of(&known))
        })
    }
}

/// The paths of an axis with `set`.
fn paths(node: &YamlNode) -> Result<Vec<Text>, Error> {
    node.list("`set`")?.iter().map(|n| n.text("a path")).collect()
}

/// Refuses a list of no values.
fn some(values: Vec<Text>, name: &Text) -> Result<Vec<Text>, Error> {
    if !values.is_empty() {
        return Ok(values);
    }
    let problem = Problem::Missing { what: format!("axis `{}`", name.text), key: "values" };
    let help = "list values, as in `payload: [128, 256]`, or name them: `core: { kf: { card.part: kfcr/kf-core } }`";
    Err(Error::new(&name.place, problem, help))
}

impl Choice {
    fn read(name: &Text, node: &YamlNode) -> Result<Choice, Error> {
        let mut choice = Choice { name: name.clone(), set: Vec::new(), divide: 1 };
        for (path, value) in node.map(&format!("the value `{}` of an axis", name.text))? {
            let value = value.text(&path.text)?;
            if path.text != "divide" {
                choice.set.push((path.clone(), value));
                continue;
            }
            choice.divide = u64::parse(&value.text).filter(|n| (1..=1024).contains(n)).ok_or_else(|| {
                let problem = Problem::Value { field: "`divide`".into(), value: value.text.clone() };
                Error::new(&value.place, problem, "write 1 to 1024")
            })?;
        }
        Ok(choice)
    }
}
