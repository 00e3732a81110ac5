//! `lanescope show SYSTEM`.

use crate::args::Show;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use lab::Machine;
use system::System;

/// Prints the tree with what was settled and why; with `--figures` every figure with its origin.
///
/// # Errors
/// A description or an override that is wrong.
pub fn run(asked: &Show, screen: &Screen) -> Result<End, Failure> {
    let machine = Machine::open(&asked.machine.system, &asked.machine.set)?;
    let system = machine.description().system()?;
    let mut text = if asked.all { system::tree::show(&system) } else { system::tree::brief(&system) };
    let experiments: Vec<&str> = machine.description().experiments().iter().map(|e| e.name.as_str()).collect();
    if !experiments.is_empty() {
        text += &format!("\nexperiments  {}\n", experiments.join(", "));
    }
    if asked.figures || asked.all {
        text += &format!("\n{}", figures(&system, asked.all, screen));
    }
    screen.tell(&text)?;
    Ok(End::Done)
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
