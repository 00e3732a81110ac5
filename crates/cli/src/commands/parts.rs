//! `lanescope parts [NAME]`.

use crate::args::Parts;
use crate::csv;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use serde_json::{Value, json};
use system::catalogue::{self, Entry, Line};

/// Prints the entries of the catalogue, or all figures of one entry with their origins.
///
/// # Errors
/// A part that is not in the catalogue; a file that cannot be written.
pub fn run(asked: &Parts, screen: &Screen) -> Result<End, Failure> {
    csv::check(&asked.forms.table)?;
    match &asked.name {
        Some(name) => {
            let entry = catalogue::by_name(name)?;
            csv::answer(&asked.forms, || value(entry), || figures(entry), || text(entry, screen), screen)?;
        }
        None => {
            let all = catalogue::entries()?;
            let json = || all.iter().map(value).collect();
            csv::answer(&asked.forms, json, || rows(all), || list(all, screen), screen)?;
        }
    }
    Ok(End::Done)
}

fn list(all: &[Entry], screen: &Screen) -> String {
    let mut table = Table::new(screen, &[("part", Side::Left), ("what", Side::Left)]);
    for entry in all {
        table.row([entry.name.clone(), entry.about().to_string()]);
    }
    table.to_string()
}

fn text(entry: &Entry, screen: &Screen) -> String {
    let columns = [("figure", Side::Left), ("value", Side::Right), ("origin", Side::Left)];
    let mut table = Table::new(screen, &columns);
    for line in entry.lines() {
        table.row([line.field, line.value, line.origin.to_string()]);
    }
    format!("{}: {} ({})\n{table}", screen.strong(&entry.name), entry.about(), entry.kind())
}

fn rows(all: &[Entry]) -> String {
    let row = |entry: &Entry| [entry.name.clone(), entry.kind().to_string(), entry.about().to_string()];
    view::csv::text(&["part", "kind", "about"], all.iter().map(row))
}

fn figures(entry: &Entry) -> String {
    let row = |line: Line| {
        let (word, why) = origin(&line);
        [entry.name.clone(), line.field, line.value, word.to_string(), why]
    };
    view::csv::text(&["part", "figure", "value", "origin", "source"], entry.lines().into_iter().map(row))
}

/// The origin as one word, and its explanation.
fn origin(line: &Line) -> (&'static str, String) {
    let (word, whole) = (line.origin.word(), line.origin.to_string());
    let why = whole.strip_prefix(word).unwrap_or(&whole).trim_start_matches([':', ',', ' ']);
    (word, why.to_string())
}

fn value(entry: &Entry) -> Value {
    let figure = |line: Line| {
        let (word, why) = origin(&line);
        json!({ "figure": line.field, "value": line.value, "origin": word, "source": why })
    };
    json!({
        "part": entry.name,
        "kind": entry.kind(),
        "about": entry.about(),
        "figures": entry.lines().into_iter().map(figure).collect::<Vec<_>>(),
    })
}
