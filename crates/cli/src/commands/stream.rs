//! `lanescope stream SYSTEM EXPERIMENT`.

use crate::args::Stream as Asked;
use crate::exit::{End, Failure};
use crate::output::{Side, Table, folded};
use crate::running::running;
use crate::screen::Screen;
use crate::{answer, csv};
use ask::axes;
use lab::stream::Stream;
use lab::sweep::Job;
use lab::{DescribedMachine, Unit, reference};

/// Simulates a long stream by its samples, and prints the rate of each part of it.
///
/// # Errors
/// A description, override, experiment, axis or length that is wrong; a file that cannot be written.
pub fn run(asked: &Asked, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &asked.table)?;
    let machine = DescribedMachine::open(&asked.machine.system, &asked.machine.set)?;
    let unit = match screen.unit {
        Some(unit) => unit,
        None => reference::unit_of_machine(machine.name(), &reference::bundled()?),
    };
    let axes = axes::parse(&asked.axis)?;
    let lengths = (ask::stream::length("--bytes", &asked.bytes)?, ask::stream::length("--each", &asked.each)?);
    let jobs = ask::stream::jobs(&machine, &asked.experiment, &axes)?;
    let (done, complete) = running(asked.files.threads, screen, |options| ask::stream::all(&jobs, lengths, options))?;
    let json =
        || view::json::pretty(&done.iter().map(|(job, found)| ask::stream::value(job, found)).collect::<Vec<_>>());
    let people = || done.iter().map(|(job, found)| text(job, found, unit, screen)).collect::<Vec<_>>().join("\n");
    csv::tell((&asked.files, &asked.table), json, || rows(&done, unit), people, screen)?;
    if complete {
        return Ok(End::Done);
    }
    screen.complain("interrupted: only the points that were finished are there\n");
    Ok(End::Interrupted)
}

/// One line for each part.
fn rows(done: &[(&Job, Stream)], unit: Unit) -> String {
    let each = done.iter().flat_map(|(job, found)| found.rates.iter().enumerate().map(move |one| (*job, one)));
    view::csv::text(
        &["system", "experiment", "at", "part", "unit", "rate"],
        each.map(|(job, (number, &rate))| {
            [
                job.system.clone(),
                job.experiment.clone(),
                job.at.to_string(),
                (number + 1).to_string(),
                unit.word().to_string(),
                unit.rate(rate).to_string(),
            ]
        }),
    )
}

fn text(job: &Job, found: &Stream, unit: Unit, screen: &Screen) -> String {
    let head = answer::head(&job.system, &job.experiment, &job.at);
    let part = format!("each {}", found.each);
    let simulated = format!("simulated {}", unit.suffix());
    let mut table = Table::new(screen, &[(&part, Side::Right), (&simulated, Side::Right)]);
    for (first, last, rate) in found.stretches() {
        let parts = if first == last { first.to_string() } else { format!("{first} to {last}") };
        table.row([parts, unit.print(unit.rate(rate))]);
    }
    let mut text = format!("{}\n{table}", screen.strong(&head));
    text += &format!("  {:<12}{}\n", "mean", screen.strong(&unit.told(found.mean)));
    for sample in &found.samples {
        let (from, to) = (sample.from, sample.to);
        let (simulated, limit) = (sample.simulated, unit.told(sample.limit));
        let told = format!(
            "sample      {simulated} of each flow, TLP by TLP, for {from} to {to} of each drive; limit {limit}"
        );
        text += &screen.faint(&folded(&told, 2, screen));
    }
    text
}
