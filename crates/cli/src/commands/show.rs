//! `lanescope show SYSTEM`.

use crate::args::Show;
use crate::csv;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use lab::DescribedMachine;
use system::System;
use system::tree::Row;

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
    let json = || ask::show::value(&system, &experiments, asked.all);
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

fn figures(system: &System, defaults: bool, screen: &Screen) -> String {
    let columns = [("part", Side::Left), ("figure", Side::Left), ("value", Side::Right), ("origin", Side::Left)];
    let mut table = Table::new(screen, &columns);
    for row in system::tree::figures(system, defaults) {
        let figure = row.figure;
        table.row([row.parts, figure.field.to_string(), figure.value, figure.origin.to_string()]);
    }
    table.to_string()
}
