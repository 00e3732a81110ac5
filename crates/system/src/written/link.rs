//! A link as written: two ends in index notation, and the properties of all links that the line stands for.

use crate::error::{Error, Problem};
use crate::field::FieldType;
use crate::source::Text;
use crate::suggest::suggest;
use crate::written::index::EndSpec;
use crate::yaml::{Value, YamlNode};
use pcie::{Generation, Time, Width};

/// One line under `links:`.
#[derive(Clone, Debug)]
pub(crate) struct LinkSpec {
    /// As written.
    pub text: Text,
    /// The two ends.
    pub ends: [EndSpec; 2],
    /// The number of wired lanes.
    pub lanes: Option<(Width, Text)>,
    /// The generation that the link is held to.
    pub generation: Option<(Generation, Text)>,
    /// Propagation delay in one direction.
    pub propagation: Time,
    /// Separate spread-spectrum clocks.
    pub sris: bool,
}

/// The longest propagation delay accepted: about 200 m of cable.
const MOST_PROPAGATION: Time = Time::from_us(1);

impl LinkSpec {
    /// `a.b - c.d`, or `{ join: a.b - c.d, lanes: 4 }`.
    pub fn read(node: &YamlNode) -> Result<LinkSpec, Error> {
        let Value::Map(map) = &node.value else {
            return LinkSpec::of(node.text("a link")?);
        };
        let join = map.iter().find(|(key, _)| key.text == "join").ok_or_else(|| {
            let problem = Problem::Missing { what: "a link".into(), key: "join" };
            Error::new(&node.place, problem, "write `{ join: host.pcie - card.pcie, lanes: 4 }`")
        })?;
        let mut link = LinkSpec::of(join.1.text("`join`")?)?;
        for (key, value) in map.iter().filter(|(key, _)| key.text != "join") {
            link.set(key, value.text(&key.text)?)?;
        }
        Ok(link)
    }

    fn of(text: Text) -> Result<LinkSpec, Error> {
        let split = text.text.char_indices().scan(0i32, |depth, (at, c)| {
            match c {
                '[' => *depth += 1,
                ']' => *depth -= 1,
                _ => {}
            }
            Some((at, c == '-' && *depth == 0))
        });
        let dashes: Vec<usize> = split.filter(|&(_, dash)| dash).map(|(at, _)| at).collect();
        let ends = match dashes.as_slice() {
            [at] => [&text.text[..*at], &text.text[at + 1..]].map(|end| {
                let end = Text { text: end.trim().to_string(), place: text.place.of(end.trim()) };
                EndSpec::parse(&end).filter(|end| end.port.is_some())
            }),
            _ => [None, None],
        };
        let [Some(a), Some(b)] = ends else {
            let problem = Problem::Form { text: text.text.clone(), wanted: "a link" };
            let help = "two ports, joined by a dash: `host.pcie - card.pcie`, `board[i].down[j] - card[4*i + j].pcie`";
            return Err(Error::new(&text.place, problem, help));
        };
        Ok(LinkSpec { text, ends: [a, b], lanes: None, generation: None, propagation: Time::ZERO, sris: false })
    }

    /// Sets the property `key`.
    pub fn set(&mut self, key: &Text, value: Text) -> Result<(), Error> {
        let wrong = |expects: &str| {
            let problem = Problem::Value { field: format!("`{}` of a link", key.text), value: value.text.clone() };
            Error::new(&value.place, problem, format!("write {expects}"))
        };
        match key.text.as_str() {
            "join" => {
                let other = LinkSpec::of(value)?;
                (self.text, self.ends) = (other.text, other.ends);
            }
            "lanes" => {
                let number = value.text.strip_prefix('x').unwrap_or(&value.text);
                let width = u64::parse(number).and_then(Width::new);
                self.lanes = Some((width.ok_or_else(|| wrong("1, 2, 4, 8, 12, 16 or 32"))?, value));
            }
            "gen" => {
                let number = value.text.strip_prefix("gen").unwrap_or(&value.text);
                let generation = number.parse().ok().and_then(Generation::from_number);
                self.generation = Some((generation.ok_or_else(|| wrong("1, 2, 3, 4 or 5"))?, value));
            }
            "propagation" => {
                let time = Time::parse(&value.text).filter(|&t| t <= MOST_PROPAGATION);
                self.propagation = time.ok_or_else(|| wrong("a time up to 1 us, as in `5 ns`"))?;
            }
            "sris" => self.sris = bool::parse(&value.text).ok_or_else(|| wrong(bool::EXPECTS))?,
            other => {
                let problem = Problem::Unknown { what: "key of a link".into(), name: other.into() };
                let known = ["join", "lanes", "gen", "propagation", "sris"];
                return Err(Error::new(&key.place, problem, suggest(other, known)));
            }
        }
        Ok(())
    }
}
