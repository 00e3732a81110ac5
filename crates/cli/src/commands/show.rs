//! `lanescope show SYSTEM`.

use crate::args::Show;
use crate::csv;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use lab::DescribedMachine;
use serde_json::{Value, json};
use system::tree::Row;
use system::{Link, Node, Port, System};

/// Prints the tree with the settled values and their reasons; with `--figures`, all figures with their origins.
///
/// # Errors
/// A description or override that is wrong.
pub fn run(asked: &Show, screen: &Screen) -> Result<End, Failure> {
    csv::check(&asked.forms.table)?;
    let machine = DescribedMachine::open(&asked.machine.system, &asked.machine.set)?;
    let system = machine.description().system()?;
    let experiments: Vec<&str> = machine.description().experiments().iter().map(|e| e.name.as_str()).collect();
    let people = || {
        let mut text = if asked.all { system::tree::show(&system) } else { system::tree::brief(&system) };
        if !experiments.is_empty() {
            text += &format!("\nexperiments  {}\n", experiments.join(", "));
        }
        if asked.figures || asked.all {
            text += &format!("\n{}", figures(&system, asked.all, screen));
        }
        text
    };
    let json = || value(&system, &experiments, asked.all);
    csv::answer(&asked.forms, json, || rows(&system, asked.all), people, screen)?;
    Ok(End::Done)
}

/// The figures as CSV.
fn rows(system: &System, defaults: bool) -> String {
    let row = |row: Row| {
        let figure = row.figure;
        [row.parts, row.model, figure.field.to_string(), figure.value, figure.origin.to_string()]
    };
    view::csv::text(
        &["part", "model", "figure", "value", "origin"],
        system::tree::figures(system, defaults).into_iter().map(row),
    )
}

/// The tree and the figures as JSON.
fn value(system: &System, experiments: &[&str], defaults: bool) -> Value {
    let figure = |row: Row| {
        let figure = row.figure;
        json!({
            "parts": row.parts,
            "model": row.model,
            "figure": figure.field,
            "value": figure.value,
            "origin": figure.origin.word(),
            "origin_in_full": figure.origin.to_string(),
        })
    };
    json!({
        "system": system.name,
        "title": system.title,
        "parts": system.parts.iter().map(|part| part_value(system, part)).collect::<Vec<_>>(),
        "links": system.links.iter().map(|link| link_value(system, link)).collect::<Vec<_>>(),
        "experiments": experiments,
        "figures": system::tree::figures(system, defaults).into_iter().map(figure).collect::<Vec<_>>(),
    })
}

fn part_value(system: &System, part: &Node) -> Value {
    let mps = |port: &Port| port.mps.unwrap_or(part.mps).bytes();
    let port = |port: &Port| json!({ "name": port.name, "bdf": port.bdf.to_string(), "able": port.able.to_string(), "mps_bytes": mps(port), "joined": port.link.is_some() });
    json!({
        "name": part.name,
        "model": part.model,
        "kind": part.kind.word(),
        "mps_bytes": part.mps.bytes(),
        "mrrs_bytes": part.mrrs.bytes(),
        "tags": part.tags,
        "ports": part.ports.iter().map(|&id| port(system.port(id))).collect::<Vec<_>>(),
    })
}

fn link_value(system: &System, link: &Link) -> Value {
    json!({
        "upper": system.port(link.upper).name,
        "lower": system.port(link.lower).name,
        "speed": link.speed.to_string(),
        "generation": link.speed.generation.to_string(),
        "lanes": link.speed.width.lanes(),
        "why": link.why.to_string(),
        "propagation_ns": link.propagation.as_ns(),
        "sris": link.sris,
    })
}

fn figures(system: &System, defaults: bool, screen: &Screen) -> String {
    let columns = [("part", Side::Left), ("figure", Side::Left), ("value", Side::Right), ("origin", Side::Left)];
    let mut table = Table::new(screen, &columns);
    for row in system::tree::figures(system, defaults) {
        let figure = row.figure;
        table.row([row.parts, figure.field.to_string(), figure.value, figure.origin.to_string()]);
    }
    table.to_string()
}
