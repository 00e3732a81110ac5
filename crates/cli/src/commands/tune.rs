//! `lanescope tune SYSTEM EXPERIMENT`.

use crate::args::Tune;
use crate::exit::{End, Failure};
use crate::output::{Side, Table, folded};
use crate::running::running;
use crate::screen::Screen;
use crate::{answer, csv, shell};
use ask::axes;
use lab::tune::{Tuned, tune};
use lab::{At, DescribedMachine, reference};
use system::Experiment;

/// Finds the best settings and prints how to set them.
///
/// # Errors
/// A description, override, experiment or axis that is wrong; a file that cannot be written.
pub fn run(asked: &Tune, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &asked.table)?;
    let machine = DescribedMachine::open(&asked.machine.system, &asked.machine.set)?.told_in(screen.unit);
    let experiment = machine.description().experiment(&asked.experiment)?;
    let axes = axes::parse(&asked.axis)?;
    let points = ask::tune::points(&machine, experiment, &axes)?;
    let references = reference::bundled()?;
    let found =
        running(asked.files.threads, screen, |options| tune(&machine, experiment, &points, &references, options))?;
    let json = || view::json::tuned(machine.name(), &experiment.name, &points, &found);
    csv::tell(
        (&asked.files, &asked.table),
        json,
        || turns(&found),
        || text(&machine, experiment, &points, &found, screen),
        screen,
    )?;
    if found.complete {
        return Ok(End::Done);
    }
    screen.complain("interrupted: these are the best settings of those that were tried\n");
    Ok(End::Interrupted)
}

/// The settings as CSV.
fn turns(found: &Tuned) -> String {
    let row = |turn: &lab::tune::Turn| [turn.what.clone(), turn.from.clone(), turn.to.clone(), turn.sets.join(" ")];
    view::csv::text(&["set", "from", "to", "paths"], found.turns.iter().map(row))
}

fn text(machine: &DescribedMachine, experiment: &Experiment, points: &[At], found: &Tuned, screen: &Screen) -> String {
    let unit = found.measure.unit;
    let head = answer::head(machine.name(), &experiment.name, &answer::common(points));
    let over = if points.len() > 1 { format!(", mean over {} points", points.len()) } else { String::new() };
    let figures = format!("{} -> {} {}", unit.print(found.before), unit.print(found.after), unit.suffix());
    let gained = answer::percent(100.0 * (found.after / found.before - 1.0));
    let mut text = format!(
        "{}\n  {:<12}{} ({gained}), {}{over}\n",
        screen.strong(&head),
        "simulated",
        screen.strong(figures.trim_end()),
        found.measure.quality.word()
    );
    let knobs: Vec<String> = found.knobs.iter().map(|(name, values)| format!("{name} ({values} values)")).collect();
    let tried = format!("{} settings of {}", found.tried, knobs.join(", "));
    text += &screen.faint(&format!("  {:<12}{}", "tried", folded(&tried, 14, screen).trim_start()));
    if found.turns.is_empty() {
        return text + "\n nothing is to be set: no other setting is faster\n";
    }
    let mut table = Table::new(screen, &[("set", Side::Left), ("from", Side::Right), ("to", Side::Left)]);
    for turn in &found.turns {
        table.row([turn.what.clone(), turn.from.clone(), turn.to.clone()]);
    }
    text += &format!("\n{table}");
    if !found.writes.is_empty() {
        let real = found.writes.iter().all(|write| write.address.is_some());
        let with = if real { "" } else { ", with the addresses of your machine in place of these" };
        text += &format!("\n as root, in this order{with}:\n");
        let lines = found.writes.iter().map(|write| shell::commented(&write.command(), &write.why, 3, screen));
        text += &lines.collect::<String>();
    }
    for note in &found.notes {
        text += &folded(&format!("note: {note}"), 1, screen);
    }
    text + &format!("\n to see it:\n{}", shell::folded(&command(machine, experiment, points, found), 3, screen))
}

/// The command that runs the same points with the settings found.
fn command(machine: &DescribedMachine, experiment: &Experiment, points: &[At], found: &Tuned) -> Vec<String> {
    let mut words = ["lanescope", "run", machine.name(), experiment.name.as_str()].map(String::from).to_vec();
    let mut option = |name: &str, value: String| words.extend([name.to_string(), value]);
    for axis in &experiment.axes {
        let mut values: Vec<&str> = points.iter().filter_map(|at| at.get(&axis.name)).collect();
        values.dedup();
        let mps = found.turns.iter().find(|turn| turn.what == "Max_Payload_Size" && axis.is_payload());
        match (mps, values.as_slice()) {
            // Without this option, the payload sizes that the experiment lists would be used.
            (Some(turn), []) => option("--axis", format!("{}={}", axis.name, turn.to.trim_end_matches(" B"))),
            (_, [one]) => option("--axis", format!("{}={one}", axis.name)),
            _ => {}
        }
    }
    found.turns.iter().flat_map(|turn| &turn.sets).for_each(|set| option("--set", set.clone()));
    words
}
