//! Known parts, as data: every figure with a document, the rows it was fitted on, or a reason why it is plausible.

use crate::description::setting::{Body, Book};
use crate::error::{Error, Problem};
use crate::node::Node;
use crate::source::{Source, Text};
use crate::suggest::suggest;
use std::sync::LazyLock;

/// The files: vendor or family, and their entries.
const FILES: [(&str, &str); 5] = [
    ("generic", include_str!("catalogue/generic.yaml")),
    ("intel", include_str!("catalogue/intel.yaml")),
    ("kfcr", include_str!("catalogue/kfcr.yaml")),
    ("lanescope", include_str!("catalogue/lanescope.yaml")),
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
}

static ENTRIES: LazyLock<Result<Vec<Entry>, Error>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for (family, text) in FILES {
        read(family, text, &mut all)?;
    }
    Ok(all)
});

fn read(family: &str, text: &str, all: &mut Vec<Entry>) -> Result<(), Error> {
    let root = Node::parse(&Source::new(format!("catalogue/{family}.yaml"), text))?;
    for (key, node) in root.map("a catalogue")? {
        let body = Body::read(node, &key.text, Book::Catalogue)?;
        all.push(Entry { name: format!("{family}/{}", key.text), body });
    }
    Ok(())
}

/// All known parts.
///
/// # Errors
/// A mistake in the catalogue itself.
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
