//! A line of a part's body: a field, a port or a catalogue entry, with its origin.

use crate::error::{Error, Problem};
use crate::figure::Origin;
use crate::source::{Place, Text};
use crate::suggest::suggest;
use crate::yaml::{Value, YamlNode};

/// A setting of a part, or of one element of an array.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The element of the array, where it is for one only.
    pub index: Option<u64>,
    /// The name of a field, `part`, `kind`, `bars`, `setpci.mps`, `ports.down[2]`; for a port, as in
    /// `down[2].port_cap`.
    pub name: Text,
    /// Its value.
    pub value: Text,
    /// The origin of the value.
    pub origin: Origin,
}

/// The rules for origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Book {
    /// Every figure must name its origin.
    Catalogue,
    /// The origin of a plain figure is the description itself.
    Description,
}

/// A part's body as written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// One line about it.
    pub about: String,
    /// `count: 8`.
    pub count: Option<Text>,
    /// All other settings.
    pub settings: Vec<Setting>,
}

impl Body {
    /// Reads the mapping of a part.
    pub fn read(node: &YamlNode, what: &str, book: Book) -> Result<Body, Error> {
        let (mut body, mut own) = (Body::default(), Vec::new());
        for (key, value) in node.map(what)? {
            match key.text.as_str() {
                "about" => body.about = value.text("`about`")?.text,
                "count" if book == Book::Description => body.count = Some(value.text("`count`")?),
                "ports" | "slots" => body.group("ports", key, value)?,
                "setpci" => body.group("setpci", key, value)?,
                "at" => own = at(value, book)?,
                "part" | "kind" => body.settings.push(plain(key.clone(), value.text(&key.text)?)),
                _ => body.settings.push(figure(key, value, book)?),
            }
        }
        // What is said of one port is an exception to what is said of all.
        body.settings.extend(own);
        Ok(body)
    }

    fn group(&mut self, prefix: &str, key: &Text, node: &YamlNode) -> Result<(), Error> {
        for (name, value) in node.map(&key.text)? {
            let full = Text { text: format!("{prefix}.{}", name.text), place: name.place.clone() };
            self.settings.push(plain(full, value.text(&name.text)?));
        }
        Ok(())
    }
}

/// `at: { "down[2]": { port_cap: 800 MB/s, setpci: { mps: 256 } } }`.
fn at(node: &YamlNode, book: Book) -> Result<Vec<Setting>, Error> {
    let mut all = Vec::new();
    for (port, node) in node.map("`at`")? {
        let mut own = Body::default();
        for (key, value) in node.map(&format!("port `{}`", port.text))? {
            match key.text.as_str() {
                "setpci" => own.group("setpci", key, value)?,
                _ => own.settings.push(figure(key, value, book)?),
            }
        }
        all.extend(own.settings.into_iter().map(|setting| {
            let text = format!("{}.{}", port.text, setting.name.text);
            Setting { name: Text { text, place: setting.name.place }, ..setting }
        }));
    }
    Ok(all)
}

/// The origin of a value in a file.
pub(crate) fn given(place: &Place) -> Origin {
    Origin::Given { file: place.file().to_string(), line: place.line() }
}

fn plain(name: Text, value: Text) -> Setting {
    Setting { index: None, origin: given(&value.place), name, value }
}

/// `255 ns`, or `{ value: 255 ns, fitted: "..." }`.
fn figure(key: &Text, node: &YamlNode, book: Book) -> Result<Setting, Error> {
    let Value::Map(map) = &node.value else {
        let value = words(node, &key.text)?;
        if book == Book::Catalogue {
            let problem = Problem::Missing { what: format!("`{}`", key.text), key: "cited, fitted or assumed" };
            return Err(Error::new(&key.place, problem, "write `{ value: ..., assumed: \"why\" }`"));
        }
        return Ok(plain(key.clone(), value));
    };
    let (mut value, mut origin) = (None, None);
    for (word, node) in map {
        let text = words(node, &word.text)?;
        let found = match word.text.as_str() {
            "value" => {
                value = Some(text);
                continue;
            }
            "cited" => Origin::Cited(text.text),
            "fitted" => Origin::Fitted(text.text),
            "assumed" => Origin::Assumed(text.text),
            other => {
                let problem = Problem::Unknown { what: "key".into(), name: other.into() };
                return Err(Error::new(&word.place, problem, suggest(other, ["value", "cited", "fitted", "assumed"])));
            }
        };
        if origin.replace(found).is_some() {
            let problem = Problem::Duplicate("where the figure comes from".into());
            return Err(Error::new(&word.place, problem, "write exactly one of `cited`, `fitted`, `assumed`"));
        }
    }
    let missing = |key| {
        let problem = Problem::Missing { what: format!("`{}`", node.place.written().trim()), key };
        Error::new(&node.place, problem, "write `{ value: 255 ns, fitted: \"rosta.csv host-write\" }`")
    };
    let value = value.ok_or_else(|| missing("value"))?;
    let origin = origin.ok_or_else(|| missing("cited, fitted or assumed"))?;
    Ok(Setting { index: None, name: key.clone(), value, origin })
}

/// A scalar, or a list of scalars as `a, b`.
pub(crate) fn words(node: &YamlNode, what: &str) -> Result<Text, Error> {
    let Value::List(list) = &node.value else {
        return node.text(what);
    };
    let all = list.iter().map(|n| n.text(what)).collect::<Result<Vec<_>, _>>()?;
    let text = all.iter().map(|t| t.text.as_str()).collect::<Vec<_>>().join(", ");
    let place = all.first().map_or(&node.place, |t| &t.place).clone();
    Ok(Text { text, place })
}
