//! A description as written: parts, links and settings, with overrides, not yet combined into a machine.

use crate::error::{Error, Problem};
use crate::field::{FieldType, Params};
use crate::figure::Origin;
use crate::settle::Settings;
use crate::source::Text;
use crate::suggest::suggest;
use crate::written::link::LinkSpec;
use crate::written::setting::{Body, Book, Setting, given, words};
use crate::yaml::{Value, YamlNode};

/// The largest number of parts, in one array or in all.
pub(crate) const MOST_PARTS: u64 = 1 << 16;

/// A part as written, or an array of parts.
#[derive(Clone, Debug)]
pub(crate) struct PartSpec {
    /// Its name.
    pub name: Text,
    /// The size of the array; `None` for a single part.
    pub count: Option<u64>,
    /// The settings of its body, then overrides.
    pub settings: Vec<Setting>,
}

impl PartSpec {
    /// `card[3]` for an array, `host` for a single part.
    pub fn name_of(&self, index: u64) -> String {
        match self.count {
            Some(_) => format!("{}[{index}]", self.name.text),
            None => self.name.text.clone(),
        }
    }
}

/// A description without its experiments.
#[derive(Clone, Debug)]
pub(crate) struct Spec {
    /// As in `rosta-rb8v7`.
    pub name: String,
    /// One line.
    pub title: String,
    /// In order.
    pub parts: Vec<PartSpec>,
    /// In order.
    pub links: Vec<LinkSpec>,
    /// Fields of [`Settings`].
    pub settings: Vec<Setting>,
    /// The whole file.
    pub whole: Text,
}

impl Spec {
    /// Reads the sections `parts:`, `links:` and `settings:` of a file.
    pub fn read(name: &str, root: &YamlNode) -> Result<Spec, Error> {
        let whole = Text { text: String::new(), place: root.place.clone() };
        let mut spec =
            Spec { name: name.into(), title: name.into(), parts: vec![], links: vec![], settings: vec![], whole };
        for (key, node) in root.map("a description")? {
            match key.text.as_str() {
                "title" => spec.title = node.text("`title`")?.text,
                "about" => drop(node.text("`about`")?),
                "parts" => spec.read_parts(node)?,
                "links" => spec.links = node.list("`links`")?.iter().map(LinkSpec::read).collect::<Result<_, _>>()?,
                "settings" => spec.read_settings(node)?,
                "experiments" => {}
                other => {
                    let problem = Problem::Unknown { what: "section".into(), name: other.into() };
                    let known = ["title", "about", "parts", "links", "settings", "experiments"];
                    return Err(Error::new(&key.place, problem, suggest(other, known)));
                }
            }
        }
        Ok(spec)
    }

    fn read_parts(&mut self, node: &YamlNode) -> Result<(), Error> {
        for (name, node) in node.map("`parts`")? {
            let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let named = name.text.chars().all(letters) && name.text.starts_with(|c: char| c.is_ascii_alphabetic());
            if !named || ["links", "settings", "experiments"].contains(&name.text.as_str()) {
                let problem = Problem::Form { text: name.text.clone(), wanted: "the name of a part" };
                let help = "letters, digits and `_`, a letter first; not `links`, `settings`, `experiments`";
                return Err(Error::new(&name.place, problem, help));
            }
            let body = match &node.value {
                Value::Text(_) => of_entry(name, node)?,
                _ => Body::read(node, &format!("part `{}`", name.text), Book::Description)?,
            };
            let count = body.count.as_ref().map(count).transpose()?;
            self.parts.push(PartSpec { name: name.clone(), count, settings: body.settings });
        }
        Ok(())
    }

    fn read_settings(&mut self, node: &YamlNode) -> Result<(), Error> {
        for (name, node) in node.map("`settings`")? {
            let value = words(node, &name.text)?;
            self.settings.push(setting(None, name.clone(), value.clone(), given(&value.place))?);
        }
        Ok(())
    }

    /// Sets the field that `path` names: `card.tx_latency`, `card[3].part`, `links.0.lanes`, `settings.mrrs`.
    pub fn set(&mut self, path: &Text, value: Text, origin: Origin) -> Result<(), Error> {
        let form = || {
            let problem = Problem::Form { text: path.text.clone(), wanted: "the path of a field" };
            Error::new(&path.place, problem, "write `card.tx_latency`, `card[3].mps`, `links.0.lanes`, `settings.mrrs`")
        };
        let (head, rest) = path.text.split_once('.').ok_or_else(form)?;
        let key = Text { text: rest.trim().to_string(), place: path.place.of(rest.trim()) };
        match head.trim() {
            "settings" => {
                self.settings.push(setting(None, key, value, origin)?);
                Ok(())
            }
            "links" => self.set_link(&key, value),
            head => {
                let (name, index) = match head.split_once('[') {
                    None => (head, None),
                    Some((name, index)) => {
                        let digits = index.trim().strip_suffix(']').map(str::trim).ok_or_else(form)?;
                        (name.trim(), Some(digits.parse::<u64>().map_err(|_| form())?))
                    }
                };
                self.set_part(&Text { text: name.into(), place: path.place.of(name) }, index, key, value, origin)
            }
        }
    }

    fn set_link(&mut self, key: &Text, value: Text) -> Result<(), Error> {
        let number =
            key.text.split_once('.').and_then(|(n, rest)| Some((n.trim().parse::<usize>().ok()?, rest.trim())));
        let Some((number, rest)) = number else {
            let problem = Problem::Form { text: key.text.clone(), wanted: "a link's number and field" };
            return Err(Error::new(&key.place, problem, "write `links.0.lanes`: lines under `links:` count from 0"));
        };
        let lines = self.links.len();
        let Some(link) = self.links.get_mut(number) else {
            let problem = Problem::Index { name: format!("links.{number}"), why: format!("{lines} links are written") };
            return Err(Error::new(&key.place, problem, "lines under `links:` count from 0"));
        };
        link.set(&Text { text: rest.into(), place: key.place.of(rest) }, value)
    }

    fn set_part(
        &mut self,
        name: &Text,
        index: Option<u64>,
        key: Text,
        value: Text,
        origin: Origin,
    ) -> Result<(), Error> {
        let names: Vec<String> = self.parts.iter().map(|p| p.name.text.clone()).collect();
        let Some(part) = self.parts.iter_mut().find(|p| p.name.text == name.text) else {
            let problem = Problem::Unknown { what: "part".into(), name: name.text.clone() };
            return Err(Error::new(&name.place, problem, suggest(&name.text, names.iter().map(String::as_str))));
        };
        if key.text == "count" && index.is_none() {
            part.count = Some(count(&value)?);
            return Ok(());
        }
        if let Some(index) = index {
            in_range(name, index, part.count)?;
        }
        let key = match key.text.strip_prefix("slots.") {
            Some(slot) => Text { text: format!("ports.{slot}"), place: key.place },
            None => key,
        };
        part.settings.push(Setting { index, name: key, value, origin });
        Ok(())
    }

    /// The settings of firmware and administrator.
    pub fn resolve_settings(&self) -> Settings {
        let mut settings = Settings::default();
        for setting in &self.settings {
            // Every value was tried when it was read.
            let _ = settings.set(&setting.name.text, &setting.value.text);
        }
        settings
    }
}

/// Refuses an index outside an array of `count` elements.
pub(crate) fn in_range(name: &Text, index: u64, count: Option<u64>) -> Result<(), Error> {
    let why = match count {
        Some(count) if index < count => return Ok(()),
        Some(count) => format!("there are {count}, from 0"),
        None => format!("`{}` is one part, no array", name.text),
    };
    let help = match count {
        Some(count) => format!("write `{0}[0]` to `{0}[{1}]`", name.text, count - 1),
        None => format!("write `{}`", name.text),
    };
    Err(Error::new(&name.place, Problem::Index { name: format!("{}[{index}]", name.text), why }, help))
}

/// `name: intel/core-i7` for `name: { part: intel/core-i7 }`.
fn of_entry(name: &Text, node: &YamlNode) -> Result<Body, Error> {
    let value = node.text(&name.text)?;
    let key = Text { text: "part".into(), place: name.place.clone() };
    let origin = given(&value.place);
    Ok(Body { settings: vec![Setting { index: None, name: key, value, origin }], ..Body::default() })
}

fn count(text: &Text) -> Result<u64, Error> {
    match u64::parse(&text.text) {
        Some(n) if (1..=MOST_PARTS).contains(&n) => Ok(n),
        _ => {
            let problem = Problem::Value { field: "`count`".into(), value: text.text.clone() };
            Err(Error::new(&text.place, problem, format!("write a number from 1 to {MOST_PARTS}")))
        }
    }
}

fn setting(index: Option<u64>, name: Text, value: Text, origin: Origin) -> Result<Setting, Error> {
    match Settings::default().set(&name.text, &value.text) {
        Some(Ok(())) => Ok(Setting { index, name, value, origin }),
        Some(Err(expects)) => {
            let problem = Problem::Value { field: format!("`{}`", name.text), value: value.text };
            Err(Error::new(&value.place, problem, format!("write {expects}")))
        }
        None => {
            let problem = Problem::Unknown { what: "setting".into(), name: name.text.clone() };
            let known = Settings::FIELDS.iter().map(|f| f.name);
            Err(Error::new(&name.place, problem, suggest(&name.text, known)))
        }
    }
}
