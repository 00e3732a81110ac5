//! The catalogue of known parts. Each figure has a source document, the reference rows that it was fitted on, or the
//! reason for an assumption.

use crate::error::{Error, Problem};
use crate::field::Params;
use crate::figure::Origin;
use crate::kinds::PortParams;
use crate::registry;
use crate::source::{Source, Text};
use crate::suggest::suggest;
use crate::written::setting::{Body, Book};
use crate::yaml::YamlNode;
use std::sync::LazyLock;

/// The catalogue files, by vendor or family. Registered kinds add their own.
const FILES: [(&str, &str); 6] = [
    ("generic", include_str!("catalogue/generic.yaml")),
    ("intel", include_str!("catalogue/intel.yaml")),
    ("kfcr", include_str!("catalogue/kfcr.yaml")),
    ("lanescope", include_str!("catalogue/lanescope.yaml")),
    ("netronome", include_str!("catalogue/netronome.yaml")),
    ("rosta", include_str!("catalogue/rosta.yaml")),
];

/// A known part.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As in `rosta/rc-47`.
    pub name: String,
    pub(crate) body: Body,
}

impl Entry {
    /// One line.
    pub fn about(&self) -> &str {
        &self.body.about
    }

    /// Its kind, as in `dma-card`.
    pub fn kind(&self) -> &str {
        let kind = self.body.settings.iter().find(|setting| setting.name.text == "kind");
        kind.map_or("", |setting| &setting.value.text)
    }

    /// All figures: first those written in the entry, in order, then the remaining fields of its kind and its ports.
    pub fn lines(&self) -> Vec<Line> {
        let written = self.body.settings.iter().filter(|setting| setting.name.text != "kind");
        let mut lines: Vec<Line> = written
            .map(|s| Line { field: s.name.text.clone(), value: s.value.text.clone(), origin: s.origin.clone() })
            .collect();
        let habits = PortParams::default();
        let kind = registry::kind(self.kind());
        let of_kind = kind.iter().flat_map(|kind| kind.fields()).map(|field| field.name);
        let all = of_kind.chain(PortParams::FIELDS.iter().map(|field| field.name));
        let free: Vec<&str> = all.filter(|name| lines.iter().all(|line| line.field != *name)).collect();
        lines.extend(free.into_iter().map(|field| {
            let value = kind.as_ref().and_then(|kind| kind.get(field)).or_else(|| habits.get(field));
            Line { field: field.to_string(), value: value.unwrap_or_default(), origin: Origin::Default }
        }));
        lines
    }
}

/// One figure of a catalogue entry.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name of the field, or as in `ports.up`.
    pub field: String,
    /// As it is written in a description.
    pub value: String,
    /// Where it comes from.
    pub origin: Origin,
}

/// The least and the greatest value that a field has in the entries of a kind that say something of it; `None` where none does.
pub fn range(kind: &str, field: &str) -> Option<(String, String)> {
    let declared = registry::kind(kind)?.fields().iter().find(|known| known.name == field)?;
    let of = entries().ok()?.iter().filter(|entry| entry.kind() == kind);
    let said = of.flat_map(|entry| &entry.body.settings).filter(|setting| setting.name.text == field);
    let mut all: Vec<(f64, &str)> = said
        .filter_map(|setting| Some((declared.scale.number(&setting.value.text)?, setting.value.text.as_str())))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some((all.first()?.1.to_string(), all.last()?.1.to_string()))
}

/// The entry of that name, as in `rosta/rc-47`.
///
/// # Errors
/// There is none of that name.
pub fn by_name(name: &str) -> Result<&'static Entry, Error> {
    entry(&Text::alone("asked for", name))
}

static ENTRIES: LazyLock<Result<Vec<Entry>, Error>> = LazyLock::new(|| {
    let mut all = Vec::new();
    let brought = registry::kinds().iter().flat_map(|kind| kind.catalogue.iter().copied());
    for (family, text) in FILES.into_iter().chain(brought) {
        read(family, text, &mut all)?;
    }
    Ok(all)
});

fn read(family: &str, text: &str, all: &mut Vec<Entry>) -> Result<(), Error> {
    let root = YamlNode::parse(&Source::new(format!("catalogue/{family}.yaml"), text))?;
    for (key, node) in root.map("a catalogue")? {
        let body = Body::read(node, &key.text, Book::Catalogue)?;
        let name = format!("{family}/{}", key.text);
        if all.iter().any(|entry| entry.name == name) {
            return Err(Error::new(&key.place, Problem::Duplicate(name), "another kind brings it too"));
        }
        all.push(Entry { name, body });
    }
    Ok(())
}

/// All entries.
///
/// # Errors
/// An error in the catalogue itself.
pub fn entries() -> Result<&'static [Entry], Error> {
    match &*ENTRIES {
        Ok(entries) => Ok(entries),
        Err(error) => Err(error.clone()),
    }
}

/// The entry that `name` means.
///
/// # Errors
/// There is none of that name.
pub fn entry(name: &Text) -> Result<&'static Entry, Error> {
    let all = entries()?;
    all.iter().find(|e| e.name == name.text).ok_or_else(|| {
        let problem = Problem::Unknown { what: "catalogue entry".into(), name: name.text.clone() };
        Error::new(&name.place, problem, suggest(&name.text, all.iter().map(|e| e.name.as_str())))
    })
}
