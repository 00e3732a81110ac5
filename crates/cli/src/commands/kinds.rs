//! `lanescope kinds [KIND]`: the fields of parts.

use crate::args::Kinds;
use crate::csv;
use crate::exit::{Complaint, End, Failure};
use crate::output::folded;
use crate::screen::Screen;
use serde_json::{Value, json};
use system::field::{Better, Field, Params};
use system::kinds::PortParams;
use system::registry;

/// The name of a kind, its description, its fields.
type Entry = (&'static str, &'static str, &'static [Field]);

fn all() -> Vec<Entry> {
    let port = ("port", "habits and buffers of a part's ports: fields of every kind", PortParams::FIELDS);
    registry::kinds().iter().map(|kind| (kind.word, kind.about, kind.fields)).chain([port]).collect()
}

/// Prints the fields of one kind or of all kinds.
///
/// # Errors
/// A kind that does not exist.
pub fn run(asked: &Kinds, screen: &Screen) -> Result<End, Failure> {
    let wanted: Vec<Entry> =
        all().into_iter().filter(|(word, ..)| asked.kind.as_deref().is_none_or(|kind| kind == *word)).collect();
    if wanted.is_empty() {
        let what = format!("the kind `{}` is unknown", asked.kind.as_deref().unwrap_or_default());
        let words: Vec<&str> = all().into_iter().map(|(word, ..)| word).collect();
        return Err(Complaint::new(what, format!("one of {}", words.join(", "))).into());
    }
    csv::check(&asked.forms.table)?;
    let people = || wanted.iter().map(|entry| kind(entry, screen)).collect::<Vec<_>>().join("\n");
    csv::answer(&asked.forms, || wanted.iter().map(value).collect(), || rows(&wanted), people, screen)?;
    Ok(End::Done)
}

fn rows(wanted: &[Entry]) -> String {
    let fields = wanted.iter().flat_map(|(word, _, fields)| fields.iter().map(move |field| (word, field)));
    let row = |(word, f): (&&str, &Field)| {
        [*word, f.name, &default(word, f.name), f.expects, &f.better.to_string(), f.about.trim()].map(String::from)
    };
    view::csv::text(&["kind", "field", "default", "expects", "faster", "about"], fields.map(row))
}

fn value((word, about, fields): &Entry) -> Value {
    let field = |f: &Field| {
        json!({
            "field": f.name,
            "default": default(word, f.name),
            "expects": f.expects,
            "faster": f.better.to_string(),
            "of_port": f.is_of_port,
            "about": f.about.trim(),
        })
    };
    json!({ "kind": word, "about": about, "fields": fields.iter().map(field).collect::<Vec<_>>() })
}

fn kind((word, about, fields): &Entry, screen: &Screen) -> String {
    let mut text = format!("{}: {about}\n", screen.strong(word));
    for f in *fields {
        text += &format!("  {}  {}\n", screen.strong(f.name), screen.faint(&format!("= {}", default(word, f.name))));
        text += &folded(f.about, 6, screen);
        let faster = match f.better {
            Better::Neither | Better::Unsaid => String::new(),
            better => format!("; faster: {better}"),
        };
        text += &screen.faint(&folded(&format!("{}{faster}", f.expects), 6, screen));
    }
    text
}

fn default(word: &str, name: &str) -> String {
    let value = match registry::kind(word) {
        Some(kind) => kind.get(name),
        None => PortParams::default().get(name),
    };
    value.unwrap_or_default()
}
